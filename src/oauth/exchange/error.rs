//! Why no token is issued, and what the client is told of it.

use http::StatusCode;

use crate::{
    oauth::{
        answer::JsonError,
        clients::ClientError,
        grant::CodeRefusal,
        parameters::{ParametersError, Repeated},
        state::{LinkError, RefreshRefusal},
        types::InvalidTarget,
    },
    runtime::RngError,
};

/// Why no token is issued. Inside it says what exactly; to the client it mostly says
/// `invalid_grant`, so that nobody learns which check failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenError {
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error(transparent)]
    Repeated(#[from] Repeated),
    #[error("grant_type is missing")]
    NoGrantType,
    #[error("grant_type must be authorization_code or refresh_token")]
    UnsupportedGrantType,
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("code_verifier must have 43 to 128 unreserved characters")]
    Verifier,
    #[error(transparent)]
    Target(#[from] InvalidTarget),
    #[error("the client did not register the grant type refresh_token")]
    RefreshNotRegistered,
    #[error("the code was never issued")]
    CodeUnknown,
    #[error("the code was refused: {0:?}")]
    Code(CodeRefusal),
    #[error("the refresh token was never issued")]
    RefreshUnknown,
    #[error("the refresh token was refused: {0:?}")]
    Refresh(RefreshRefusal),
    #[error("the refresh token was used before")]
    RefreshReused { revoked: bool },
    #[error("the allowlist does not hold the person any more")]
    NotAllowed,
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
}

impl TokenError {
    /// The slug for the log.
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "parameters_unreadable",
            Self::Repeated(_) => "parameter_repeated",
            Self::NoGrantType | Self::UnsupportedGrantType => "grant_type_refused",
            Self::Client(error) => error.reason(),
            Self::Missing(_) => "parameter_missing",
            Self::Target(_) => "resource_refused",
            Self::RefreshNotRegistered => "refresh_not_registered",
            Self::CodeUnknown => "code_unknown",
            Self::Code(CodeRefusal::Replayed) => "code_replayed",
            Self::Code(CodeRefusal::Expired) => "code_expired",
            Self::Code(CodeRefusal::WrongClient) => "code_wrong_client",
            Self::Code(CodeRefusal::WrongRedirectUri) => "code_wrong_redirect_uri",
            Self::Code(CodeRefusal::WrongVerifier) | Self::Verifier => "pkce_refused",
            Self::Code(CodeRefusal::WrongResource)
            | Self::Refresh(RefreshRefusal::WrongResource) => "aud_mismatch",
            Self::RefreshUnknown | Self::Refresh(RefreshRefusal::Unknown) => "refresh_unknown",
            Self::Refresh(RefreshRefusal::Expired) => "refresh_expired",
            Self::Refresh(RefreshRefusal::WrongClient) => "refresh_wrong_client",
            Self::RefreshReused { revoked: true } => "refresh_reused",
            Self::RefreshReused { revoked: false } => "refresh_reuse_rejected",
            Self::NotAllowed => "allowlist_denied",
            Self::Unavailable(_) => "state_unavailable",
            Self::Rng(_) => "randomness_unavailable",
        }
    }

    /// The answer.
    pub(super) fn into_json(self) -> JsonError {
        match self {
            Self::Unreadable(ParametersError::TooLarge) => {
                JsonError::bad_request("invalid_request", &self)
                    .with_status(StatusCode::PAYLOAD_TOO_LARGE)
            }
            Self::Unreadable(
                ParametersError::ContentType | ParametersError::TooMany | ParametersError::NotUtf8,
            )
            | Self::Repeated(_)
            | Self::NoGrantType
            | Self::Missing(_)
            | Self::Verifier => JsonError::bad_request("invalid_request", &self),
            Self::UnsupportedGrantType => JsonError::bad_request("unsupported_grant_type", &self),
            Self::Client(error) => error.into_json(),
            Self::Target(_) => JsonError::bad_request("invalid_target", &self),
            Self::RefreshNotRegistered => JsonError::bad_request("unauthorized_client", &self),
            Self::CodeUnknown | Self::Code(_) => JsonError::bad_request(
                "invalid_grant",
                "the authorization code is not valid (any more) for this request",
            ),
            Self::RefreshUnknown | Self::Refresh(_) | Self::RefreshReused { .. } => {
                JsonError::bad_request("invalid_grant", "the refresh token is not valid (any more)")
            }
            Self::NotAllowed => JsonError::bad_request(
                "invalid_grant",
                "the person is not allowed to use this server (any more)",
            ),
            Self::Unavailable(_) | Self::Rng(_) => JsonError::unavailable(),
        }
    }
}
