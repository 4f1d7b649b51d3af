//! The way to one repository: its URLs, its token, and where it has moved to.

use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::Rc,
};

use bytes::Bytes;
use http::{Response, StatusCode};
use url::Url;

use super::{
    access::Access,
    credential::Credential,
    error::{Refusal, denied},
    rest::{Call, Rest, Scheme, internal, location},
    settings::GithubRepository,
    time,
};
use crate::{
    runtime::{Clock, HttpClient, Timestamp},
    vault::storage::Denial,
};

/// The header that says when the token of the request expires.
const TOKEN_EXPIRY: &str = "github-authentication-token-expiration";

/// The way to one repository.
pub(super) struct Transport {
    rest: Rc<Rest>,
    access: Access,
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
        let rest = Rc::new(Rest::new(http, clock, &repository.api_url));
        let access = Access::new(Rc::clone(&rest), &repository);
        let root = RefCell::new(repository.api_path());
        Self {
            rest,
            access,
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

    /// Sends `call`, whose path is below the repository's root, and returns a success or 304.
    pub(super) async fn send(&self, call: Call) -> Result<Response<Bytes>, Refusal> {
        let (_, answer) = self.exchange(&call, &[Scheme::Bearer]).await?;
        match answer.status() {
            status if status.is_success() => Ok(answer),
            StatusCode::NOT_MODIFIED if call.if_none_match.is_some() => Ok(answer),
            _ => Err(self.refused(&call, &answer)),
        }
    }

    /// Sends `call` and returns where GitHub keeps what it asks for: a URL that needs no token.
    ///
    /// The archive endpoint has refused `Bearer` with fine-grained tokens where it took `token`:
    /// the other word is tried before a token is called bad.
    pub(super) async fn locate(&self, call: &Call) -> Result<Url, Refusal> {
        let (asked, answer) = self
            .exchange(call, &[Scheme::Token, Scheme::Bearer])
            .await?;
        if answer.status() != StatusCode::FOUND {
            return Err(self.refused(call, &answer));
        }
        let found = location(&asked, &answer)?;
        if found.scheme() == "https" || found.scheme() == asked.scheme() {
            Ok(found)
        } else {
            Err(internal("redirect to an unprotected connection"))
        }
    }

    /// Sends `call` with the token written in each of `schemes` until it is taken. A token that is
    /// taken in none is replaced once, where another one can be had.
    async fn exchange(
        &self,
        call: &Call,
        schemes: &[Scheme],
    ) -> Result<(Url, Response<Bytes>), Refusal> {
        let mut token = self.access.token().await?;
        loop {
            let mut last = None;
            for scheme in schemes {
                let url = self.url(&call.path)?;
                let (from, answer) = self.rest.exchange(call, url, *scheme, &token).await?;
                self.remember(&from);
                self.note_expiry(&answer);
                if answer.status() != StatusCode::UNAUTHORIZED {
                    return Ok((from, answer));
                }
                last = Some((from, answer));
            }
            let refused = last.ok_or_else(|| internal("no way to write a token down"))?;
            match self.access.instead_of(&token).await? {
                Some(another) => token = another,
                None => return Ok(refused),
            }
        }
    }

    /// Keeps when a token ends that nobody renews but its owner.
    fn note_expiry(&self, answer: &Response<Bytes>) {
        if let Credential::App(_) = self.repository.credential {
            return;
        }
        let expiry = answer.headers().get(TOKEN_EXPIRY);
        let expiry = expiry.and_then(|expiry| time::parse(expiry.to_str().ok()?));
        // An answer that leaves things as they are may leave this out too.
        if expiry.is_some() || answer.status().is_success() {
            self.token_expires_at.set(expiry);
        }
    }

    /// What an answer that is no success means. Where a right is missing, it may be that of the
    /// token alone: the next request gets a token with the rights that there are then.
    fn refused(&self, call: &Call, answer: &Response<Bytes>) -> Refusal {
        let refusal = self.rest.judge(answer);
        let lacks_right = refusal == denied(Denial::MissingPermission)
            || (refusal == Refusal::Missing && call.path.is_empty());
        if lacks_right {
            self.access.forget();
        }
        refusal
    }

    /// The URL of a path below the repository's root.
    fn url(&self, path: &str) -> Result<Url, Refusal> {
        let root = self.root.borrow();
        let separator = if path.is_empty() { "" } else { "/" };
        self.rest.url(&format!("{root}{separator}{path}"))
    }

    /// Keeps the permanent name of a repository that was renamed or moved, `repositories/{id}`, so
    /// that later requests need no redirect.
    fn remember(&self, answered: &Url) {
        let id = self
            .rest
            .path_of(answered)
            .and_then(|path| path.strip_prefix("repositories/"))
            .and_then(|path| path.split(['/', '?']).next())
            .filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some(id) = id {
            *self.root.borrow_mut() = format!("repositories/{id}");
        }
    }
}

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;
