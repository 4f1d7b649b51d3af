//! What is said to whoever brings no token that will do.

use std::time::Duration;

use ::http::{StatusCode, header};
use serde_json::json as object;

use super::Guard;
use crate::{
    http::{Response, headers, json},
    oauth::types::Scope,
};

/// Why a request has no principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No bearer token was brought (RFC 6750 section 3: then there is no error code).
    NoToken,
    /// The token is malformed, unknown, expired, revoked, or for another resource.
    InvalidToken,
    /// The token is good, and does not allow this; another one of this person could.
    InsufficientScope,
}

impl Guard {
    /// A challenge that says where to get a token (RFC 9728 section 5.1) and which scopes to ask for.
    pub(super) fn challenge(&self, refusal: Refusal) -> Response {
        let scopes = if self.settings.read_only_vault {
            Scope::Read
        } else {
            Scope::ReadWrite
        };
        let metadata = self
            .settings
            .base_url
            .join("/.well-known/oauth-protected-resource/mcp");
        let mut value = format!(
            "Bearer realm=\"mcp\", resource_metadata=\"{metadata}\", scope=\"{}\"",
            scopes.as_str()
        );
        let (status, error, description) = match refusal {
            Refusal::NoToken => (
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "this server needs a bearer token",
            ),
            Refusal::InvalidToken => (
                StatusCode::UNAUTHORIZED,
                "invalid_token",
                "the access token is not valid; refresh it or log in again",
            ),
            Refusal::InsufficientScope => (
                StatusCode::FORBIDDEN,
                "insufficient_scope",
                "this connection may only read; connect again and allow changes",
            ),
        };
        if refusal != Refusal::NoToken {
            value = format!("{value}, error=\"{error}\", error_description=\"{description}\"");
        }
        let body = object!({ "error": error, "error_description": description });
        let mut response = json(status, &body);
        // The origin is ASCII, and so is the rest.
        if let Ok(value) = header::HeaderValue::from_str(&value) {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, value);
        }
        response
    }
}

/// The state cannot be asked right now.
pub(super) fn unavailable() -> Response {
    let body = object!({
        "error": "temporarily_unavailable",
        "error_description": "the server cannot check tokens right now; try again in a few seconds",
    });
    let mut response = json(StatusCode::SERVICE_UNAVAILABLE, &body);
    headers::retry_after(response.headers_mut(), Duration::from_secs(5));
    response
}
