//! Who the person is: login at the configured provider, and the list of who may enter.
//!
//! A provider answers one question: which identity has just logged in. It knows nothing of our own
//! clients, tokens or tools. What it obtained on the way (codes, tokens) is dropped before the
//! answer is given.

pub mod allowlist;
mod callback;
mod code_grant;
pub mod email_address;
pub mod github;
pub mod google;
pub mod oidc;
pub mod pin;
mod upstream;

use std::fmt;

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    runtime::{Rng, RngError},
    secret::Secret,
};

/// Which kind of provider people log in with. Exactly one is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// GitHub's OAuth login: identities are login names.
    Github,
    /// Google's OpenID Connect login: identities are verified e-mail addresses.
    Google,
    /// Any OpenID provider: identities are verified e-mail addresses.
    Oidc,
}

impl ProviderKind {
    /// The configuration key of this provider's allowlist.
    #[must_use]
    pub const fn allowlist_key(self) -> &'static str {
        match self {
            Self::Github => "VAULT_ALLOWED_GITHUB_LOGINS",
            Self::Google => "VAULT_ALLOWED_GOOGLE_EMAILS",
            Self::Oidc => "VAULT_ALLOWED_OIDC_EMAILS",
        }
    }
}

/// A person as a provider vouched for at one login. It is kept with the grant, so that the
/// allowlist can be asked again on every request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The kind of provider that was configured at login.
    pub provider: ProviderKind,
    /// The provider's issuer identifier, or GitHub's web origin.
    pub issuer: String,
    /// The provider's own, immutable id of the person: `sub`, or GitHub's numeric id.
    pub subject: String,
    /// What allowlist entries by name are compared with: the login name or the e-mail address.
    /// Empty where the provider gave none (an entry by `sub:` can still match).
    pub name: String,
    /// Whether `name` may be matched: a login name always; an e-mail address only where its
    /// verification was established as invariant 5 asks.
    pub name_verified: bool,
    /// The person's display name, where the provider gave one; for commits, never for access.
    pub display_name: Option<String>,
}

impl Identity {
    /// The person as one text, the same at every login: issuer and subject.
    #[must_use]
    pub fn person(&self) -> String {
        format!("{}\n{}", self.issuer, self.subject)
    }

    /// The name in the form in which names are compared and pinned: without surrounding white
    /// space, ASCII letters in lower case, everything else as it is.
    #[must_use]
    pub fn compared_name(&self) -> String {
        self.name.trim().to_ascii_lowercase()
    }

    /// What to call the person on a page that they see themselves: the name, or the subject where the
    /// provider gave no name.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        if self.name.is_empty() {
            &self.subject
        } else {
            &self.name
        }
    }

    /// What to tell a person whom the allowlist does not hold, if the reason may be that their
    /// address counts for nothing: an entry by name would not admit them either.
    #[must_use]
    pub fn unverified_email(&self) -> Option<LoginError> {
        let email = (!self.name.is_empty()).then(|| self.name.clone());
        (!self.name_verified).then_some(LoginError::UnverifiedEmail {
            email,
            explicit: false,
        })
    }
}

/// A login that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedIn {
    /// Who it is.
    pub identity: Identity,
    /// What the operator should know about it.
    pub caution: Option<Caution>,
}

/// Something about a login that is no reason to refuse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caution {
    /// Google has verified the address once, and somebody else decides who has it now: it is
    /// neither a Gmail address nor one of an organisation at Google (Google's documentation,
    /// "Verify the Google ID token on your server side").
    AddressOfAnotherAuthority,
}

impl From<Identity> for LoggedIn {
    fn from(identity: Identity) -> Self {
        Self {
            identity,
            caution: None,
        }
    }
}

/// The one-time values of one login attempt. They are made before the person is sent to the
/// provider, kept on the server, and used once.
#[derive(Clone, Debug)]
pub struct LoginAttempt {
    /// `state`: comes back with the callback (RFC 6749 section 10.12).
    pub state: Secret,
    /// `nonce`: comes back inside the ID token (OpenID Connect Core section 3.1.2.1).
    pub nonce: Secret,
    /// The PKCE code verifier (RFC 7636 section 4.1).
    pub code_verifier: Secret,
}

impl LoginAttempt {
    /// Draws fresh values of 256 bits each, in 43 characters of base64url.
    ///
    /// # Errors
    /// [`RngError`] when there is no randomness.
    pub fn generate(rng: &dyn Rng) -> Result<Self, RngError> {
        let draw = || {
            let mut bytes = [0; 32];
            rng.fill(&mut bytes)?;
            Ok(Secret::new(BASE64_URL_SAFE_NO_PAD.encode(bytes)))
        };
        Ok(Self {
            state: draw()?,
            nonce: draw()?,
            code_verifier: draw()?,
        })
    }
}

/// The parameters with which a provider sent the person back.
#[derive(Clone, Debug, Default)]
pub struct LoginCallback {
    /// `code`.
    pub code: Option<Secret>,
    /// `iss` (RFC 9207).
    pub issuer: Option<String>,
    /// `error`.
    pub error: Option<String>,
}

/// A login provider.
#[async_trait(?Send)]
pub trait IdentityProvider: fmt::Debug {
    /// Which provider this is.
    fn kind(&self) -> ProviderKind;

    /// What to call it on a page, such as `GitHub` or the issuer's host.
    fn display_name(&self) -> String;

    /// The issuer that identities of this provider carry; a grant of another issuer is void.
    fn issuer(&self) -> &str;

    /// The URL that a person has to be sent to for `attempt`.
    ///
    /// # Errors
    /// [`LoginError::Unavailable`] or [`LoginError::Misconfigured`], found out on the way.
    async fn authorization_url(&self, attempt: &LoginAttempt) -> Result<Url, LoginError>;

    /// Finds out who came back.
    ///
    /// The caller has compared `state` and bound the browser; this checks everything else.
    ///
    /// # Errors
    /// Any [`LoginError`]; nobody is logged in then.
    async fn identify(
        &self,
        callback: &LoginCallback,
        attempt: &LoginAttempt,
    ) -> Result<LoggedIn, LoginError>;
}

/// Most characters of a display name that are kept.
const MAX_DISPLAY_NAME: usize = 100;

/// A person's display name as it may go on: one line, of a sensible length, and not empty.
fn display_name(given: &str) -> Option<String> {
    let line: String = given
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    let kept: String = line.trim().chars().take(MAX_DISPLAY_NAME).collect();
    (!kept.is_empty()).then_some(kept)
}

/// Why nobody is logged in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// The person, or the provider on their behalf, declined: `error` of the callback, restricted
    /// to the characters that RFC 6749 section 4.1.2.1 allows.
    #[error("the login provider answered {0}")]
    Declined(String),
    /// The provider cannot be reached, times out or fails. The text says which part of it, and is
    /// for the operator's log: a page says no more than that it is so.
    #[error("the login provider is unavailable: {0}")]
    Unavailable(String),
    /// The provider's answer cannot be trusted. The text names the check that failed.
    #[error("the login provider's answer was refused: {0}")]
    Untrusted(String),
    /// The configuration does not fit the provider. The text says what to set.
    #[error("the login provider is not configured right: {0}")]
    Misconfigured(String),
    /// The provider vouched for somebody whose e-mail address is missing or not verified. The
    /// page has to say who it was and what to change.
    #[error("the e-mail address is not verified")]
    UnverifiedEmail {
        /// The address that was seen, if any.
        email: Option<String>,
        /// `true` where the provider said `false`; `false` where it said nothing.
        explicit: bool,
    },
    /// The provider vouched for somebody who is not of the organisation that the configuration
    /// demands. The page has to say who it was and what demands it.
    #[error("the account is not of the organisation that GOOGLE_HOSTED_DOMAIN names")]
    OtherOrganisation {
        /// The address that was seen; it is verified.
        email: String,
    },
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::runtime::SystemRng;

    #[test]
    fn d1_an_attempt_has_three_fresh_values_of_256_bits() {
        let attempts = [0; 4].map(|_| LoginAttempt::generate(&SystemRng).unwrap());
        let values: BTreeSet<_> = attempts
            .iter()
            .flat_map(|attempt| [&attempt.state, &attempt.nonce, &attempt.code_verifier])
            .map(|value| BASE64_URL_SAFE_NO_PAD.decode(value.expose()).unwrap())
            .collect();
        assert_eq!(values.len(), 12);
        assert!(values.iter().all(|value| value.len() == 32));
    }

    #[test]
    fn d1_without_randomness_there_is_no_attempt() {
        struct Broken;
        impl Rng for Broken {
            fn fill(&self, _bytes: &mut [u8]) -> Result<(), RngError> {
                Err(RngError)
            }
        }
        assert!(LoginAttempt::generate(&Broken).is_err());
    }

    #[test]
    fn display_names_are_one_line_of_a_sensible_length() {
        for (given, kept) in [
            ("The Cat", Some("The Cat")),
            ("  The\r\nCat\u{7f} ", Some("TheCat")),
            ("\u{0}\n", None),
            ("", None),
        ] {
            assert_eq!(display_name(given).as_deref(), kept, "{given:?}");
        }
        assert_eq!(
            display_name(&"\u{732b}".repeat(200)),
            Some("\u{732b}".repeat(100))
        );
    }
}
