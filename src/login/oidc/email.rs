//! Which e-mail address a login stands for, and whether anybody vouches for it.

use crate::login::{LoginError, email_address::EmailAddress};

/// What one document (ID token or userinfo) says of the person's address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EmailClaims {
    /// `email`, where it is an address at all: some providers put a user name there.
    address: Option<EmailAddress>,
    /// `email_verified`.
    verified: Option<bool>,
}

/// The address of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Email {
    /// `None` where the provider told none.
    pub(super) address: Option<EmailAddress>,
    /// Whether an allowlist entry may match it.
    pub(super) verified: bool,
}

impl EmailClaims {
    pub(super) fn new(email: Option<&str>, verified: Option<bool>) -> Self {
        Self {
            address: email.and_then(EmailAddress::parse),
            verified,
        }
    }

    /// Whether userinfo has to be asked: a provider may put either claim there alone.
    pub(super) const fn is_complete(&self) -> bool {
        self.address.is_some() && self.verified.is_some()
    }
}

/// Settles the address from what the ID token and, where it was asked, userinfo say.
///
/// - `false` anywhere refuses the login, whatever else is said and whatever is configured.
/// - `true` vouches for the address beside it, not for one from the other document.
/// - Nothing at all leaves the address unverified, unless `allow_missing` says otherwise.
///
/// # Errors
/// [`LoginError::UnverifiedEmail`] for an explicit `false`; [`LoginError::Untrusted`] where the
/// documents name different addresses.
pub(super) fn settle(
    id_token: EmailClaims,
    userinfo: Option<EmailClaims>,
    allow_missing: bool,
) -> Result<Email, LoginError> {
    let userinfo = userinfo.unwrap_or_default();
    let address = match (&id_token.address, &userinfo.address) {
        (Some(one), Some(other)) if one != other => {
            return Err(LoginError::Untrusted(
                "the ID token and userinfo name different e-mail addresses".to_owned(),
            ));
        }
        (Some(address), _) | (None, Some(address)) => Some(address.clone()),
        (None, None) => None,
    };
    let documents = [id_token, userinfo];
    if documents
        .iter()
        .any(|document| document.verified == Some(false))
    {
        let email = address.map(|address| address.as_str().to_owned());
        return Err(LoginError::UnverifiedEmail {
            email,
            explicit: true,
        });
    }
    let vouched = documents
        .iter()
        .any(|document| document.address.is_some() && document.verified == Some(true));
    let verified = address.is_some() && (vouched || allow_missing);
    Ok(Email { address, verified })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: Option<&str> = Some("owner@example.test");
    const OTHER: Option<&str> = Some("other@example.test");

    /// `(address, verified)`, or what is wrong.
    fn settled(
        id_token: (Option<&str>, Option<bool>),
        userinfo: Option<(Option<&str>, Option<bool>)>,
        allow_missing: bool,
    ) -> Result<(Option<String>, bool), LoginError> {
        let claims = |(email, verified)| EmailClaims::new(email, verified);
        settle(claims(id_token), userinfo.map(claims), allow_missing).map(|email| {
            (
                email.address.map(|it| it.as_str().to_owned()),
                email.verified,
            )
        })
    }

    #[test]
    fn o6_an_address_counts_only_where_it_is_vouched_for() {
        const T: Option<bool> = Some(true);
        let owner = || OWNER.map(str::to_owned);
        for (id_token, userinfo, strict, lenient) in [
            ((OWNER, T), None, (owner(), true), (owner(), true)),
            (
                (Some(" OWNER@Example.test "), T),
                None,
                (owner(), true),
                (owner(), true),
            ),
            ((OWNER, None), None, (owner(), false), (owner(), true)),
            (
                (OWNER, None),
                Some((OWNER, T)),
                (owner(), true),
                (owner(), true),
            ),
            (
                (None, None),
                Some((OWNER, T)),
                (owner(), true),
                (owner(), true),
            ),
            (
                (None, None),
                Some((OWNER, None)),
                (owner(), false),
                (owner(), true),
            ),
            (
                (OWNER, None),
                Some((None, None)),
                (owner(), false),
                (owner(), true),
            ),
            // A `true` without an address vouches for none.
            (
                (OWNER, None),
                Some((None, T)),
                (owner(), false),
                (owner(), true),
            ),
            (
                (None, T),
                Some((OWNER, None)),
                (owner(), false),
                (owner(), true),
            ),
            ((None, T), None, (None, false), (None, false)),
            ((None, None), None, (None, false), (None, false)),
            ((Some("owner"), T), None, (None, false), (None, false)),
            (
                (Some(""), T),
                Some((OWNER, T)),
                (owner(), true),
                (owner(), true),
            ),
        ] {
            assert_eq!(
                settled(id_token, userinfo, false),
                Ok(strict),
                "{id_token:?} {userinfo:?}"
            );
            assert_eq!(
                settled(id_token, userinfo, true),
                Ok(lenient),
                "{id_token:?} {userinfo:?}"
            );
        }
    }

    #[test]
    fn o6_an_explicit_false_is_refused_wherever_it_is_and_whatever_is_configured() {
        const F: Option<bool> = Some(false);
        for (id_token, userinfo) in [
            ((OWNER, F), None),
            ((OWNER, F), Some((OWNER, Some(true)))),
            ((OWNER, Some(true)), Some((OWNER, F))),
            ((OWNER, None), Some((None, F))),
            ((None, F), Some((OWNER, Some(true)))),
        ] {
            for allow_missing in [false, true] {
                let refused = settled(id_token, userinfo, allow_missing);
                let email = OWNER.map(str::to_owned);
                assert_eq!(
                    refused,
                    Err(LoginError::UnverifiedEmail {
                        email,
                        explicit: true
                    })
                );
            }
        }
        assert_eq!(
            settled((None, F), None, true),
            Err(LoginError::UnverifiedEmail {
                email: None,
                explicit: true
            })
        );
    }

    #[test]
    fn o5_documents_that_name_different_addresses_are_not_believed() {
        for verified in [None, Some(true)] {
            let refused = settled((OWNER, None), Some((OTHER, verified)), true);
            assert!(matches!(refused, Err(LoginError::Untrusted(_))));
        }
    }

    #[test]
    fn o5_userinfo_is_asked_where_either_claim_is_missing() {
        for (email, verified, complete) in [
            (OWNER, Some(true), true),
            (OWNER, Some(false), true),
            (OWNER, None, false),
            (None, Some(true), false),
            (None, None, false),
            (Some("owner"), Some(true), false),
        ] {
            assert_eq!(EmailClaims::new(email, verified).is_complete(), complete);
        }
    }
}
