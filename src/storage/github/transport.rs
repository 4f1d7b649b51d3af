//! Sends one request to GitHub's REST API and judges the answer's status.
//!
//! Knows headers, limits, redirects and credentials; knows nothing of what the endpoints mean.

use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::Rc,
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use super::{
    error::{Refusal, classify},
    settings::GithubRepository,
    time,
};
use crate::{
    runtime::{Clock, FetchError, HttpClient, Limits, Timestamp},
    vault::storage::{Denial, StorageError},
};

/// GitHub ends every request after ten seconds, so nothing comes later.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// GitHub refuses requests without this header, and the fetch of Workers sends none by itself.
pub(super) const USER_AGENT: &str = concat!("vault-mcp/", env!("CARGO_PKG_VERSION"));

/// The version of the REST API that this folder is written against.
const API_VERSION: &str = "2022-11-28";

/// The header that says when the token of the request expires.
const TOKEN_EXPIRY: &str = "github-authentication-token-expiration";

/// How many redirects one request may take.
const MAX_REDIRECTS: usize = 3;

/// Everything but the unreserved characters of RFC 3986 section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// One request, below the repository's root.
#[derive(Debug)]
pub(super) struct Call {
    /// The method.
    pub(super) method: Method,
    /// The path below `/repos/{owner}/{repo}`, with its query, encoded; empty for the root itself.
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
pub(super) const SMALL_BODY: usize = 1024 * 1024;

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

/// Encodes a path for a URL: every segment by itself, so that `/` goes on separating them and
/// `?`, `#`, `%` and `+` mean themselves.
pub(super) fn encode_path(path: &str) -> String {
    path.split('/')
        .map(encode_value)
        .collect::<Vec<_>>()
        .join("/")
}

/// Encodes one segment of a path, or one value of a query.
pub(super) fn encode_value(value: &str) -> String {
    utf8_percent_encode(value, RESERVED).to_string()
}

/// The way to one repository.
pub(super) struct Transport {
    http: Rc<dyn HttpClient>,
    clock: Rc<dyn Clock>,
    repository: GithubRepository,
    /// The repository's root below the API's: `repos/{owner}/{repo}`, or `repositories/{id}` once
    /// GitHub said that the repository has another name now.
    root: RefCell<String>,
    /// When the token expires, as GitHub's last answer said.
    token_expires_at: Cell<Option<Timestamp>>,
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport")
            .field("root", &self.root.borrow())
            .finish_non_exhaustive()
    }
}

impl Transport {
    pub(super) fn new(
        http: Rc<dyn HttpClient>,
        clock: Rc<dyn Clock>,
        repository: GithubRepository,
    ) -> Self {
        let root = RefCell::new(format!("repos/{}/{}", repository.owner, repository.repo));
        Self {
            http,
            clock,
            repository,
            root,
            token_expires_at: Cell::default(),
        }
    }

    /// When the token expires, if GitHub has said so with its last answer: a token can be without
    /// end.
    pub(super) fn token_expires_at(&self) -> Option<Timestamp> {
        self.token_expires_at.get()
    }

    pub(super) fn repository(&self) -> &GithubRepository {
        &self.repository
    }

    /// The URL of a path below the repository's root.
    pub(super) fn url(&self, path: &str) -> Result<Url, Refusal> {
        let api = self.api_root();
        let root = self.root.borrow();
        let separator = if path.is_empty() { "" } else { "/" };
        Url::parse(&format!("{api}/{root}{separator}{path}"))
            .map_err(|error| internal(&format!("unusable URL: {error}")))
    }

    /// Sends `call`, follows redirects within GitHub's API, and returns a success or 304.
    pub(super) async fn send(&self, call: Call) -> Result<Response<Bytes>, Refusal> {
        let answer = self.exchange(&call, "Bearer").await?.1;
        match answer.status() {
            status if status.is_success() => Ok(answer),
            StatusCode::NOT_MODIFIED if call.if_none_match.is_some() => Ok(answer),
            _ => Err(self.judge(&answer)),
        }
    }

    /// Sends `call` and returns where GitHub keeps what it asks for: a URL that needs no token.
    ///
    /// The archive endpoint has refused `Bearer` with fine-grained tokens where it took `token`:
    /// the other word is tried before a token is called bad.
    pub(super) async fn locate(&self, call: &Call) -> Result<Url, Refusal> {
        let (mut asked, mut answer) = self.exchange(call, "token").await?;
        if answer.status() == StatusCode::UNAUTHORIZED {
            (asked, answer) = self.exchange(call, "Bearer").await?;
        }
        if answer.status() != StatusCode::FOUND {
            return Err(self.judge(&answer));
        }
        let found = location(&asked, &answer)?;
        if found.scheme() == "https" || found.scheme() == asked.scheme() {
            Ok(found)
        } else {
            Err(internal("redirect to an unprotected connection"))
        }
    }

    /// What an answer that is no success means.
    fn judge(&self, answer: &Response<Bytes>) -> Refusal {
        classify(
            answer.status(),
            answer.headers(),
            answer.body(),
            self.clock.now(),
        )
    }

    /// Sends `call` with the token after `scheme`, follows redirects within GitHub's API, and
    /// returns what came in the end, with the URL that it came from.
    async fn exchange(&self, call: &Call, scheme: &str) -> Result<(Url, Response<Bytes>), Refusal> {
        let limits = Limits {
            timeout: TIMEOUT,
            max_body: call.max_body,
        };
        let mut url = self.url(&call.path)?;
        for _ in 0..=MAX_REDIRECTS {
            let request = self.request(call, &url, scheme)?;
            let answer = self
                .http
                .send(request, limits)
                .await
                .map_err(|error| no_answer(&call.method, &error))?;
            match answer.status() {
                StatusCode::MOVED_PERMANENTLY | StatusCode::TEMPORARY_REDIRECT => {
                    url = self.redirect(&url, &answer)?;
                }
                _ => {
                    self.note_expiry(&answer);
                    return Ok((url, answer));
                }
            }
        }
        Err(internal("too many redirects"))
    }

    fn note_expiry(&self, answer: &Response<Bytes>) {
        let expiry = answer.headers().get(TOKEN_EXPIRY);
        let expiry = expiry.and_then(|expiry| time::parse(expiry.to_str().ok()?));
        // An answer that leaves things as they are may leave this out too.
        if expiry.is_some() || answer.status().is_success() {
            self.token_expires_at.set(expiry);
        }
    }

    /// The headers that every request to the API carries.
    fn request(&self, call: &Call, url: &Url, scheme: &str) -> Result<Request<Bytes>, Refusal> {
        let mut authorization =
            HeaderValue::try_from(format!("{scheme} {}", self.repository.token.expose()))
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

    /// Where a redirect leads. The token goes to the API's own origin only.
    fn redirect(&self, from: &Url, answer: &Response<Bytes>) -> Result<Url, Refusal> {
        let target = location(from, answer)?;
        if target.origin() != from.origin() {
            return Err(internal("redirect to another host"));
        }
        self.remember(&target);
        Ok(target)
    }

    /// Keeps the permanent name of a repository that was renamed or moved, `repositories/{id}`, so
    /// that later requests need no redirect.
    fn remember(&self, target: &Url) {
        let id = target
            .as_str()
            .strip_prefix(self.api_root())
            .and_then(|path| path.strip_prefix("/repositories/"))
            .and_then(|path| path.split(['/', '?']).next())
            .filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some(id) = id {
            *self.root.borrow_mut() = format!("repositories/{id}");
        }
    }

    fn api_root(&self) -> &str {
        self.repository.api_url.as_str().trim_end_matches('/')
    }
}

/// Where a redirect leads.
fn location(from: &Url, answer: &Response<Bytes>) -> Result<Url, Refusal> {
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

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;
