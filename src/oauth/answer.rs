//! The shapes of answers that several endpoints give.

use std::fmt::Display;

use bytes::Bytes;
use http::{
    HeaderValue, StatusCode,
    header::{LOCATION, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde::Serialize;

use crate::http::{Response, headers, json};

/// An error of a JSON endpoint (RFC 6749 section 5.2, RFC 7591 section 3.2.2).
#[derive(Clone, Debug)]
pub(super) struct JsonError {
    /// The status.
    pub(super) status: StatusCode,
    /// The registered error code.
    pub(super) code: &'static str,
    /// What went wrong, for the developer of the client.
    pub(super) description: String,
    /// Seconds after which to try again.
    pub(super) retry_after: Option<u64>,
    /// Whether the client has to be told that it may authenticate by HTTP Basic.
    pub(super) challenge_basic: bool,
}

impl JsonError {
    /// An error that is all the client's.
    pub(super) fn bad_request(code: &'static str, description: &(impl Display + ?Sized)) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code,
            description: description.to_string(),
            retry_after: None,
            challenge_basic: false,
        }
    }

    /// The client could not be identified. Clients register anew when they see this one.
    pub(super) fn invalid_client(description: &impl Display, challenge_basic: bool) -> Self {
        let bad_request = Self::bad_request("invalid_client", description);
        Self {
            status: StatusCode::UNAUTHORIZED,
            challenge_basic,
            ..bad_request
        }
    }

    /// Something on this side is not to be had at the moment. Never to be confused with an error
    /// that makes a client throw its tokens away.
    pub(super) fn unavailable() -> Self {
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            retry_after: Some(RETRY_SECONDS),
            ..Self::bad_request("temporarily_unavailable", "try again in a moment")
        }
    }

    /// The same error with another status.
    pub(super) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The answer.
    pub(super) fn respond(self) -> Response {
        #[derive(Serialize)]
        struct Body<'a> {
            error: &'a str,
            error_description: &'a str,
        }
        let body = Body {
            error: self.code,
            error_description: &self.description,
        };
        let mut response = json(self.status, &body);
        if let Some(seconds) = self.retry_after {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.challenge_basic {
            let challenge = HeaderValue::from_static("Basic realm=\"oauth\", charset=\"UTF-8\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// After how many seconds to try again when something is not to be had.
pub(super) const RETRY_SECONDS: u64 = 30;

/// Sends the browser elsewhere. Always 303: whatever the method was, the next request is a `GET`,
/// so a form is never posted on (RFC 9700 section 4.12).
pub(super) fn see_other(url: &str) -> Response {
    let mut response = Response::new(Bytes::new());
    match HeaderValue::try_from(url) {
        Ok(location) => {
            *response.status_mut() = StatusCode::SEE_OTHER;
            response.headers_mut().insert(LOCATION, location);
        }
        // URLs that come here were parsed or percent-encoded, and so are ASCII.
        Err(_) => *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR,
    }
    headers::no_store(response.headers_mut());
    response
}
