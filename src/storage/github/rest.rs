//! GitHub's REST API at its root: headers, limits, redirects, and the judgement of an answer.
//!
//! Knows nothing of repositories, and of credentials only how they are sent.

use std::{rc::Rc, time::Duration};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use serde::Deserialize;
use url::Url;

use super::error::{Refusal, classify};
use crate::{
    runtime::{Clock, FetchError, HttpClient, Limits, Timestamp},
    secret::Secret,
    vault::storage::{Denial, StorageError},
};

/// GitHub ends every request after ten seconds, so nothing comes later.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// GitHub refuses requests without this header, and the fetch of Workers sends none by itself.
pub(super) const USER_AGENT: &str = concat!("vault-mcp/", env!("CARGO_PKG_VERSION"));

/// The version of the REST API that this folder is written against.
const API_VERSION: &str = "2022-11-28";

/// How many redirects one request may take.
const MAX_REDIRECTS: usize = 3;

/// One request. Where its path begins is for the sender to say.
#[derive(Debug)]
pub(super) struct Call {
    /// The method.
    pub(super) method: Method,
    /// The path with its query, encoded, without a slash before it; empty for the root itself.
    pub(super) path: String,
    /// The media type that is asked for.
    pub(super) accept: &'static str,
    /// The entity tag of the answer that is known already.
    pub(super) if_none_match: Option<String>,
    /// The body; empty for none.
    pub(super) body: Bytes,
    /// The most bytes of answer.
    pub(super) max_body: usize,
}

/// The usual media type.
pub(super) const JSON: &str = "application/vnd.github+json";

/// The media type that describes a folder as one object, as it does a file.
pub(super) const OBJECT: &str = "application/vnd.github.object+json";

/// The media type that gives a commit's id and nothing else.
pub(super) const SHA: &str = "application/vnd.github.sha";

/// The media type that gives a blob's bytes as they are.
pub(super) const RAW: &str = "application/vnd.github.raw+json";

/// The most bytes of an ordinary JSON answer.
const SMALL_BODY: usize = 1024 * 1024;

impl Call {
    /// A plain read of `path`.
    pub(super) fn get(path: String) -> Self {
        Self {
            method: Method::GET,
            path,
            accept: JSON,
            if_none_match: None,
            body: Bytes::new(),
            max_body: SMALL_BODY,
        }
    }
}

/// How a credential is written down in `Authorization`. GitHub takes both words for a token, and
/// `Bearer` alone for a JSON Web Token.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scheme {
    /// `Bearer`
    Bearer,
    /// `token`
    Token,
}

/// The API of one GitHub.
pub(super) struct Rest {
    http: Rc<dyn HttpClient>,
    clock: Rc<dyn Clock>,
    /// Without a slash at its end.
    root: String,
}

impl Rest {
    /// The API whose root is `api_url`.
    pub(super) fn new(http: Rc<dyn HttpClient>, clock: Rc<dyn Clock>, api_url: &Url) -> Self {
        let root = api_url.as_str().trim_end_matches('/').to_owned();
        Self { http, clock, root }
    }

    /// The time.
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The URL of a path below the root.
    pub(super) fn url(&self, path: &str) -> Result<Url, Refusal> {
        Url::parse(&format!("{}/{path}", self.root))
            .map_err(|error| internal(&format!("unusable URL: {error}")))
    }

    /// The path of a URL below the root, if it is there.
    pub(super) fn path_of<'a>(&self, url: &'a Url) -> Option<&'a str> {
        url.as_str().strip_prefix(&self.root)?.strip_prefix('/')
    }

    /// Sends `call` to `url` with `secret` after `scheme`, follows redirects within the API, and
    /// returns what came in the end, with the URL that it came from.
    pub(super) async fn exchange(
        &self,
        call: &Call,
        mut url: Url,
        scheme: Scheme,
        secret: &Secret,
    ) -> Result<(Url, Response<Bytes>), Refusal> {
        let limits = Limits {
            timeout: TIMEOUT,
            max_body: call.max_body,
        };
        for _ in 0..=MAX_REDIRECTS {
            let request = request(call, &url, scheme, secret)?;
            let answer = self
                .http
                .send(request, limits)
                .await
                .map_err(|error| no_answer(&call.method, &error))?;
            match answer.status() {
                StatusCode::MOVED_PERMANENTLY
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT => {
                    let target = location(&url, &answer)?;
                    // The secret goes to the API's own origin only.
                    if target.origin() != url.origin() {
                        return Err(internal("redirect to another host"));
                    }
                    url = target;
                }
                _ => return Ok((url, answer)),
            }
        }
        Err(internal("too many redirects"))
    }

    /// What an answer that is no success means.
    pub(super) fn judge(&self, answer: &Response<Bytes>) -> Refusal {
        classify(
            answer.status(),
            answer.headers(),
            answer.body(),
            self.clock.now(),
        )
    }
}

/// The headers that every request carries.
fn request(
    call: &Call,
    url: &Url,
    scheme: Scheme,
    secret: &Secret,
) -> Result<Request<Bytes>, Refusal> {
    let scheme = match scheme {
        Scheme::Bearer => "Bearer",
        Scheme::Token => "token",
    };
    let mut authorization = HeaderValue::try_from(format!("{scheme} {}", secret.expose()))
        .map_err(|_| Refusal::Final(StorageError::Denied(Denial::BadCredentials)))?;
    authorization.set_sensitive(true);
    let mut request = Request::builder()
        .method(&call.method)
        .uri(url.as_str())
        .header(header::USER_AGENT, USER_AGENT)
        .header(header::ACCEPT, call.accept)
        .header("x-github-api-version", API_VERSION)
        .header(header::AUTHORIZATION, authorization);
    if let Some(tag) = &call.if_none_match {
        request = request.header(header::IF_NONE_MATCH, tag);
    }
    if !call.body.is_empty() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    request
        .body(call.body.clone())
        .map_err(|error| internal(&error.to_string()))
}

/// Where a redirect leads.
pub(super) fn location(from: &Url, answer: &Response<Bytes>) -> Result<Url, Refusal> {
    answer
        .headers()
        .get(header::LOCATION)
        .and_then(|location| location.to_str().ok())
        .and_then(|location| from.join(location).ok())
        .ok_or_else(|| internal("redirect without a usable location"))
}

/// What it means that no whole answer came: nothing, for a read; for a change, that nobody knows.
fn no_answer(method: &Method, error: &FetchError) -> Refusal {
    match error {
        FetchError::TooLarge if method.is_safe() => internal("answer over the size limit"),
        FetchError::TooLarge | FetchError::Timeout | FetchError::Network(_) => Refusal::NoOutcome,
    }
}

/// A failure that is nobody's setting. The text is for the operator's log.
pub(super) fn internal(text: &str) -> Refusal {
    Refusal::Final(StorageError::Unexpected(text.to_owned()))
}

/// The JSON of an answer. Where it is another one than expected, the error says where and not what:
/// an answer can hold a token, or a note's name.
pub(super) fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| {
        let (kind, line, column) = (error.classify(), error.line(), error.column());
        internal(&format!(
            "answer: {kind:?} error in line {line}, column {column}"
        ))
    })
}
