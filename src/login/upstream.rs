//! Requests to a login provider's servers, all under the same limits.

use std::{rc::Rc, time::Duration};

use ::http::{
    Method, Request, Response, StatusCode,
    header::{ACCEPT, AUTHORIZATION, HeaderValue, USER_AGENT},
};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::LoginError;
use crate::runtime::{FetchError, HttpClient, Limits};

/// What one request to a provider may cost. The documents of real providers are below 20 KB.
const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(10),
    max_body: 256 * 1024,
};

/// How we name ourselves. GitHub's API refuses requests that do not.
const OUR_NAME: HeaderValue = HeaderValue::from_static("vault-mcp");

/// A way to a provider's servers.
#[derive(Clone)]
pub(super) struct Upstream {
    http: Rc<dyn HttpClient>,
}

/// Why there is no answer that anything could be made of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UpstreamError {
    /// There is no whole answer.
    #[error("{0}")]
    NoAnswer(#[from] FetchError),
    /// The provider fails or has enough of us: a status of 5xx, or 429.
    #[error("status {}", .0.as_u16())]
    Failing(StatusCode),
    /// A redirect. Following one would send codes and tokens where nobody configured.
    #[error("status {}, and redirects are not followed", .0.as_u16())]
    Redirected(StatusCode),
}

/// Why a document cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum DocumentError {
    /// There is no usable answer.
    #[error("{0}")]
    Upstream(#[from] UpstreamError),
    /// The answer has another status than 200.
    #[error("status {}", .0.as_u16())]
    Refused(StatusCode),
    /// The answer is not the JSON that it should be.
    #[error("it cannot be read")]
    Unreadable,
}

impl Upstream {
    pub(super) fn new(http: Rc<dyn HttpClient>) -> Self {
        Self { http }
    }

    /// Sends `request`. An answer of 4xx is an answer.
    pub(super) async fn send(
        &self,
        request: Request<impl Into<Bytes>>,
    ) -> Result<Response<Bytes>, UpstreamError> {
        let mut request = request.map(Into::into);
        request.headers_mut().insert(USER_AGENT, OUR_NAME);
        let response = self.http.send(request, LIMITS).await?;
        let status = response.status();
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(UpstreamError::Failing(status));
        }
        if status.is_redirection() {
            return Err(UpstreamError::Redirected(status));
        }
        Ok(response)
    }

    /// Fetches a public JSON document.
    pub(super) async fn document(&self, url: &str) -> Result<Bytes, DocumentError> {
        let request = Request::builder()
            .method(Method::GET)
            .uri(url)
            .header(ACCEPT, "application/json")
            .body(Bytes::new())
            .map_err(|_| DocumentError::Unreadable)?;
        let response = self.send(request).await?;
        match response.status() {
            StatusCode::OK => Ok(response.into_body()),
            other => Err(DocumentError::Refused(other)),
        }
    }
}

impl UpstreamError {
    /// The outcome of a login that needed `endpoint`.
    pub(super) fn at(&self, endpoint: &str) -> LoginError {
        LoginError::Unavailable(format!("{endpoint}: {self}"))
    }
}

/// Reads JSON of which nothing may be repeated in an error: it can hold tokens.
pub(super) fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

/// The credential of RFC 6750 section 2.1, kept out of debug output.
pub(super) fn bearer(token: &str) -> Result<(::http::HeaderName, HeaderValue), LoginError> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| {
        LoginError::Untrusted("the access token has characters that no token has".to_owned())
    })?;
    value.set_sensitive(true);
    Ok((AUTHORIZATION, value))
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Upstream")
    }
}
