//! Why nobody gets a code, and who is told: the person, on a page, or the client.

use http::StatusCode;

use crate::{
    login::{Identity, LoginError, ProviderKind},
    oauth::{
        pages::Problem,
        parameters::{ParametersError, Repeated},
        request::{ErrorCode, ReplyTo},
        seal::OpenError,
        state::LinkError,
    },
    runtime::RngError,
};

/// Why there is no code.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallbackError {
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error(transparent)]
    Repeated(#[from] Repeated),
    #[error("there is no state")]
    NoState,
    #[error("this browser did not begin the login")]
    OtherBrowser,
    #[error("there is no such login, or not any more")]
    UnknownLogin,
    #[error(transparent)]
    Sealed(#[from] OpenError),
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
    #[error("{error}")]
    Login {
        error: LoginError,
        reply_to: Box<ReplyTo>,
    },
    #[error("the allowlist does not hold the person")]
    NotAllowed(Box<Identity>),
    #[error("the name belonged to somebody else when it first logged in")]
    PinnedToAnother(Box<Identity>),
}

/// Who is told.
pub(super) enum Answer<'a> {
    /// The person, here.
    Page(Problem),
    /// The client.
    Client(&'a ReplyTo, ErrorCode, &'static str),
}

impl CallbackError {
    /// The slug for the log.
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::Unreadable(_) | Self::Repeated(_) | Self::NoState => "callback_unreadable",
            Self::OtherBrowser => "login_other_browser",
            Self::UnknownLogin => "login_unknown",
            Self::Sealed(_) => "login_unreadable",
            Self::Unavailable(_) => "state_unavailable",
            Self::Rng(_) => "randomness_unavailable",
            Self::NotAllowed(_) => "allowlist_denied",
            Self::PinnedToAnother(_) => "pinned_to_another",
            Self::Login { error, .. } => match error {
                LoginError::Declined(_) => "login_declined",
                LoginError::Unavailable(_) => "provider_unavailable",
                LoginError::Untrusted(_) => "provider_answer_refused",
                LoginError::Misconfigured(_) => "provider_misconfigured",
                LoginError::UnverifiedEmail { .. } => "email_unverified",
                LoginError::OtherOrganisation { .. } => "organisation_denied",
            },
        }
    }

    /// Who is told what.
    pub(super) fn answer(&self, provider: ProviderKind) -> Answer<'_> {
        let bad_request = |title, text: String| {
            let page = Problem::new(StatusCode::BAD_REQUEST, title, text);
            Answer::Page(page.and(START_AGAIN))
        };
        match self {
            Self::Unreadable(_) | Self::Repeated(_) | Self::NoState => bad_request(
                "This is no answer of a login",
                format!("Nobody logged in: {self}."),
            ),
            Self::UnknownLogin | Self::Sealed(_) => bad_request(
                "This login is over",
                "It took too long, or it was finished before.".to_owned(),
            ),
            Self::OtherBrowser => Answer::Page(
                Problem::new(
                    StatusCode::FORBIDDEN,
                    "This login began in another browser",
                    "Nobody logged in. If somebody sent you a link, do not use it.",
                )
                .and(START_AGAIN),
            ),
            Self::Unavailable(_) | Self::Rng(_) => {
                Answer::Page(Problem::unavailable().and(START_AGAIN))
            }
            Self::NotAllowed(identity) => Answer::Page(not_allowed(identity)),
            Self::PinnedToAnother(identity) => Answer::Page(pinned_to_another(identity)),
            Self::Login { error, reply_to } => login_answer(error, reply_to, provider),
        }
    }
}

fn login_answer<'a>(
    error: &LoginError,
    reply_to: &'a ReplyTo,
    provider: ProviderKind,
) -> Answer<'a> {
    match error {
        LoginError::Declined(_) => {
            Answer::Client(reply_to, ErrorCode::AccessDenied, "the login was declined")
        }
        LoginError::Unavailable(_) => Answer::Client(
            reply_to,
            ErrorCode::TemporarilyUnavailable,
            "the login provider cannot be reached",
        ),
        LoginError::Untrusted(_) => Answer::Client(
            reply_to,
            ErrorCode::ServerError,
            "the answer of the login provider was refused",
        ),
        LoginError::Misconfigured(what) => Answer::Page(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Login is not set up right",
            format!("The owner of this server has to fix its configuration: {what}."),
        )),
        LoginError::UnverifiedEmail { email, explicit } => Answer::Page(unverified_email(
            provider,
            email.as_deref(),
            *explicit,
            None,
        )),
        LoginError::OtherOrganisation { email } => Answer::Page(other_organisation(email)),
    }
}

const START_AGAIN: &str = "Go back to the program that sent you here and start the login again.";

fn not_allowed(identity: &Identity) -> Problem {
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
            identity.name
        ),
    )
    .and(format!(
        "If you own this server, add {} to {key}. If you have another account, log out at the \
         login provider and start again.",
        identity.name
    ))
}

fn pinned_to_another(identity: &Identity) -> Problem {
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
            identity.name
        ),
    )
    .and(format!(
        "If you own this server and this account is right, put {prefix}:{} into {key} in place of \
         the name.",
        identity.subject
    ))
}

fn other_organisation(email: &str) -> Problem {
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

/// `subject` is known where a login came to its end: an entry with it would admit the person.
fn unverified_email(
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
