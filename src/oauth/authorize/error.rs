//! Why there is no consent page, and who is told.

use http::StatusCode;

use crate::{
    oauth::{
        client::RedirectRefusal,
        document::{DocumentError, ResolveError, Unfetchable},
        pages::Problem,
        parameters::{ParametersError, Repeated},
        request::{ErrorCode, ReplyTo},
        state::LinkError,
    },
    runtime::RngError,
};

/// Why there is no consent page.
#[derive(Debug, thiserror::Error)]
pub(super) enum AuthorizeError {
    /// To be shown here: nobody knows yet whether the redirect URI can be trusted.
    #[error(transparent)]
    Local(#[from] LocalError),
    /// To be told to the client.
    #[error("{1}")]
    Redirect(Box<ReplyTo>, RequestError),
}

/// An error before the redirect URI is known to be the client's.
#[derive(Debug, thiserror::Error)]
pub(super) enum LocalError {
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error("client_id or redirect_uri is repeated")]
    Repeated(#[from] Repeated),
    #[error("client_id is missing")]
    NoClient,
    #[error("redirect_uri is missing")]
    NoRedirectUri,
    #[error("unknown client")]
    UnknownClient,
    #[error(transparent)]
    Document(DocumentError),
    #[error(transparent)]
    Unfetchable(Unfetchable),
    #[error(transparent)]
    RedirectUri(#[from] RedirectRefusal),
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
}

/// An error that the client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum RequestError {
    #[error("a parameter is repeated")]
    Repeated,
    #[error("state must have at most 4096 bytes")]
    State,
    #[error("response_type is missing")]
    NoResponseType,
    #[error("response_type must be code")]
    ResponseType,
    #[error("response_mode must be query")]
    ResponseMode,
    #[error("code_challenge must have 43 to 128 unreserved characters")]
    Challenge,
    #[error("code_challenge_method must be S256")]
    ChallengeMethod,
    #[error("resource must be the URL of this server's MCP endpoint")]
    Target,
}

impl AuthorizeError {
    /// The slug for the log.
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::Local(LocalError::Unreadable(_)) => "parameters_unreadable",
            Self::Local(LocalError::Repeated(_)) | Self::Redirect(_, RequestError::Repeated) => {
                "parameter_repeated"
            }
            Self::Local(LocalError::NoClient | LocalError::UnknownClient) => "client_unknown",
            Self::Local(LocalError::NoRedirectUri | LocalError::RedirectUri(_)) => {
                "redirect_uri_refused"
            }
            Self::Local(LocalError::Document(_)) => "cimd_refused",
            Self::Local(LocalError::Unfetchable(_)) => "cimd_fetch_failed",
            Self::Local(LocalError::Unavailable(_)) => "state_unavailable",
            Self::Local(LocalError::Rng(_)) => "randomness_unavailable",
            Self::Redirect(_, RequestError::State) => "state_too_long",
            Self::Redirect(
                _,
                RequestError::NoResponseType
                | RequestError::ResponseType
                | RequestError::ResponseMode,
            ) => "response_type_refused",
            Self::Redirect(_, RequestError::Challenge | RequestError::ChallengeMethod) => {
                "pkce_refused"
            }
            Self::Redirect(_, RequestError::Target) => "resource_refused",
        }
    }
}

/// What helps with nearly every error that is shown here.
const REMOVE_AND_ADD: &str = "The program that sent you here may remember an old registration. \
     Remove this server's connector from it and add it again.";

impl LocalError {
    /// The page that shows it.
    pub(super) fn problem(&self) -> Problem {
        let refused = |title, text: String| Problem::new(StatusCode::BAD_REQUEST, title, text);
        match self {
            Self::Unreadable(_) | Self::Repeated(_) | Self::NoClient => refused(
                "This is not a login request",
                format!("The address that you opened is incomplete or garbled: {self}."),
            ),
            Self::UnknownClient => {
                refused("This client is not known here", REMOVE_AND_ADD.to_owned())
            }
            Self::Document(error) => refused(
                "This client cannot be accepted",
                format!("The document by which the client describes itself was refused: {error}."),
            ),
            Self::Unfetchable(error) => Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "This client cannot be checked at the moment",
                format!(
                    "The document by which the client describes itself cannot be fetched: {error}. \
                     Try again in a moment."
                ),
            ),
            Self::NoRedirectUri | Self::RedirectUri(_) => refused(
                "This client cannot be answered",
                format!("The request was refused: {self}."),
            )
            .and(REMOVE_AND_ADD)
            .and(
                "If you own this server and trust the client, add its host to MCP_REDIRECT_HOSTS.",
            ),
            Self::Unavailable(_) | Self::Rng(_) => Problem::unavailable(),
        }
    }
}

impl From<ResolveError> for LocalError {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Unfetchable(error) => Self::Unfetchable(error),
            ResolveError::Document(error) => Self::Document(error),
            ResolveError::Unavailable(error) => Self::Unavailable(error),
        }
    }
}

impl RequestError {
    /// How the client is told.
    pub(super) const fn code(self) -> ErrorCode {
        match self {
            Self::ResponseType => ErrorCode::UnsupportedResponseType,
            Self::Target => ErrorCode::InvalidTarget,
            Self::Repeated
            | Self::State
            | Self::NoResponseType
            | Self::ResponseMode
            | Self::Challenge
            | Self::ChallengeMethod => ErrorCode::InvalidRequest,
        }
    }
}
