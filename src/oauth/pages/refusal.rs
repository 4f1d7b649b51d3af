//! Pages for people who may not enter: whom the provider vouched for, and which setting decides.

use http::StatusCode;

use super::Problem;
use crate::login::{Identity, LoginError, ProviderKind};

/// The allowlist does not hold the person.
pub(in crate::oauth) fn not_allowed(identity: &Identity) -> Problem {
    if let Some(LoginError::UnverifiedEmail { email, explicit }) = identity.unverified_email() {
        let subject = Some(identity.subject.as_str());
        return unverified_email(identity.provider, email.as_deref(), explicit, subject);
    }
    let key = identity.provider.allowlist_key();
    Problem::new(
        StatusCode::FORBIDDEN,
        "You may not enter",
        format!(
            "You logged in as {}, whom this server does not admit.",
            identity.shown_name()
        ),
    )
    .and(format!(
        "If you own this server, add {} to {key}. If you have another account, log out at the \
         login provider first.",
        identity.shown_name()
    ))
}

/// The name was somebody else's when it first logged in.
pub(in crate::oauth) fn pinned_to_another(identity: &Identity) -> Problem {
    let key = identity.provider.allowlist_key();
    let prefix = match identity.provider {
        ProviderKind::Github => "id",
        ProviderKind::Google | ProviderKind::Oidc => "sub",
    };
    Problem::new(
        StatusCode::FORBIDDEN,
        "This name belonged to somebody else",
        format!(
            "You logged in as {}, but it was another account of that name that logged in here \
             first.",
            identity.shown_name()
        ),
    )
    .and(format!(
        "If you own this server and this account is right, put {prefix}:{} into {key} in place of \
         the name.",
        identity.subject
    ))
}

/// The account is not of the configured organisation.
pub(in crate::oauth) fn other_organisation(email: &str) -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "You are not of the organisation",
        format!(
            "You logged in as {email}, and this server admits people of one organisation at Google \
             alone."
        ),
    )
    .and(
        "If you own this server, GOOGLE_HOSTED_DOMAIN says which. If you have another account, log \
         out at Google and start again.",
    )
}

/// The address counts for nothing. `subject` is known where a login came to its end: an entry with it would admit the person.
pub(in crate::oauth) fn unverified_email(
    kind: ProviderKind,
    email: Option<&str>,
    explicit: bool,
    subject: Option<&str>,
) -> Problem {
    let who = email.unwrap_or("an account without an e-mail address");
    let key = kind.allowlist_key();
    let claim = if explicit {
        "The login provider says that the address is not verified, so it proves nothing."
    } else {
        "The login provider does not say that the address is verified, so it proves nothing."
    };
    let page = Problem::new(
        StatusCode::FORBIDDEN,
        "Your e-mail address is not verified",
        format!("You logged in as {who}. {claim}"),
    )
    .and("Have the address verified at the login provider and start again.");
    page.and(match (kind, explicit) {
        (ProviderKind::Oidc, false) => format!(
            "If you own this server: let the provider send the claim email_verified, or put \
             sub:{} into {key}, which names this account whatever its address is. \
             OIDC_ALLOW_UNVERIFIED_EMAIL=true admits addresses about which the provider says \
             nothing.",
            subject.unwrap_or("…")
        ),
        (ProviderKind::Oidc, true) => format!(
            "If you own this server: let the provider send the claim email_verified as true for \
             people whose address it knows to be theirs. Neither {key} nor \
             OIDC_ALLOW_UNVERIFIED_EMAIL admits an address that the provider calls unverified."
        ),
        (ProviderKind::Github | ProviderKind::Google, _) => {
            format!(
                "If you own this server: nothing in {key} admits an address that is not verified."
            )
        }
    })
}
