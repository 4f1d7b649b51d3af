//! An authorization request that was found to be in order, and the answers that can go back to the
//! client that made it (RFC 6749 section 4.1.2, RFC 9207).

use serde::{Deserialize, Serialize};

use super::{
    answer,
    client::ClientSource,
    redirect_uri::RedirectUri,
    types::{ClientId, ClientState, CodeChallenge, Scope},
};
use crate::{base_url::BaseUrl, http::Response, secret::Secret};

/// An authorization request in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct AuthorizationRequest {
    /// The client.
    pub(super) client: ClientId,
    /// What the client calls itself.
    pub(super) client_name: String,
    /// How the client became known.
    pub(super) client_source: ClientSource,
    /// Whether the client gets refresh tokens.
    pub(super) may_refresh: bool,
    /// Where the answer goes.
    pub(super) reply_to: ReplyTo,
    /// The challenge that the redeemer of the code has to answer.
    pub(super) challenge: CodeChallenge,
    /// The scope that was asked for.
    pub(super) scope: Scope,
}

/// Where an authorization response goes. Only a redirect URI that the client may use becomes one,
/// so an error without a `ReplyTo` can only be shown here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ReplyTo {
    /// The redirect URI of the request.
    pub(super) redirect_uri: RedirectUri,
    /// The client's `state`.
    pub(super) state: Option<ClientState>,
}

/// An error code that goes back to the client (RFC 6749 section 4.1.2.1, RFC 8707 section 2).
/// `invalid_scope` is not among them: unknown scopes are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorCode {
    /// `invalid_request`.
    InvalidRequest,
    /// `unsupported_response_type`.
    UnsupportedResponseType,
    /// `invalid_target`.
    InvalidTarget,
    /// `access_denied`.
    AccessDenied,
    /// `server_error`.
    ServerError,
    /// `temporarily_unavailable`.
    TemporarilyUnavailable,
}

impl ErrorCode {
    const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidTarget => "invalid_target",
            Self::AccessDenied => "access_denied",
            Self::ServerError => "server_error",
            Self::TemporarilyUnavailable => "temporarily_unavailable",
        }
    }
}

impl ReplyTo {
    /// Sends the browser back with a code.
    pub(super) fn code(&self, code: &Secret, base: &BaseUrl) -> Response {
        self.answer(&[("code", code.expose())], base)
    }

    /// Sends the browser back with an error. The description is ours, in plain ASCII.
    pub(super) fn error(&self, code: ErrorCode, description: &str, base: &BaseUrl) -> Response {
        self.answer(
            &[("error", code.as_str()), ("error_description", description)],
            base,
        )
    }

    fn answer(&self, result: &[(&str, &str)], base: &BaseUrl) -> Response {
        let mut parameters = result.to_vec();
        if let Some(state) = &self.state {
            parameters.push(("state", state.as_str()));
        }
        parameters.push(("iss", base.origin()));
        answer::see_other(&self.redirect_uri.with_parameters(&parameters))
    }
}
