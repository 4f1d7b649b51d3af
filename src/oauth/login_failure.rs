//! What is said when a login comes to nothing, and to whom: to the person, on a page, or to the client.

use http::StatusCode;

use super::{
    pages::{Problem, refusal},
    request::{ErrorCode, ReplyTo},
};
use crate::{
    base_url::BaseUrl,
    http::Response,
    login::{LoginError, ProviderKind},
    runtime::Rng,
};

/// Who is told.
pub(super) enum Answer<'a> {
    /// The person, here.
    Page(Problem),
    /// The client.
    Client(&'a ReplyTo, ErrorCode, &'static str),
}

impl Answer<'_> {
    /// The answer as it goes out.
    pub(super) fn respond(&self, base: &BaseUrl, rng: &dyn Rng) -> Response {
        match self {
            Self::Page(problem) => problem.respond(rng),
            Self::Client(reply_to, code, description) => reply_to.error(*code, description, base),
        }
    }
}

/// The slug for the log.
pub(super) const fn reason(error: &LoginError) -> &'static str {
    match error {
        LoginError::Declined(_) => "login_declined",
        LoginError::Unavailable(_) => "provider_unavailable",
        LoginError::Untrusted(_) => "provider_answer_refused",
        LoginError::Misconfigured(_) => "provider_misconfigured",
        LoginError::UnverifiedEmail { .. } => "email_unverified",
        LoginError::OtherOrganisation { .. } => "organisation_denied",
    }
}

/// What a failed login comes to. What a client can do something about, or can tell its person, goes
/// to the client where there is one; what the owner of the server has to know is a page always.
pub(super) fn answer<'a>(
    error: &LoginError,
    reply_to: Option<&'a ReplyTo>,
    provider: ProviderKind,
) -> Answer<'a> {
    match error {
        LoginError::Declined(_) => to(
            reply_to,
            (ErrorCode::AccessDenied, "the login was declined"),
            || {
                Problem::new(
                    StatusCode::FORBIDDEN,
                    "The login was declined",
                    "The login provider says that you, or somebody in your place, said no.",
                )
            },
        ),
        LoginError::Unavailable(_) => to(
            reply_to,
            (
                ErrorCode::TemporarilyUnavailable,
                "the login provider cannot be reached",
            ),
            || {
                Problem::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "The login provider cannot be reached",
                    "Nobody logged in. Try again in a moment.",
                )
            },
        ),
        // To try again would change nothing.
        LoginError::Untrusted(_) => to(
            reply_to,
            (
                ErrorCode::ServerError,
                "the answer of the login provider was refused",
            ),
            || {
                Problem::new(
                    StatusCode::BAD_GATEWAY,
                    "The answer of the login provider was refused",
                    "Nobody logged in. The owner of this server finds the reason in its log.",
                )
            },
        ),
        LoginError::Misconfigured(what) => Answer::Page(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Login is not set up right",
            format!("The owner of this server has to fix its configuration: {what}."),
        )),
        LoginError::UnverifiedEmail { email, explicit } => Answer::Page(refusal::unverified_email(
            provider,
            email.as_deref(),
            *explicit,
            None,
        )),
        LoginError::OtherOrganisation { email } => Answer::Page(refusal::other_organisation(email)),
    }
}

fn to<'a>(
    reply_to: Option<&'a ReplyTo>,
    (code, description): (ErrorCode, &'static str),
    page: impl FnOnce() -> Problem,
) -> Answer<'a> {
    match reply_to {
        Some(reply_to) => Answer::Client(reply_to, code, description),
        None => Answer::Page(page()),
    }
}
