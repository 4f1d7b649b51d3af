//! Time, randomness, the login provider, the web and the log, as tests control them.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use async_trait::async_trait;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use url::Url;
use vault_mcp::{
    login::{
        Caution, Identity, IdentityProvider, LoggedIn, LoginAttempt, LoginCallback, LoginError,
        ProviderKind,
    },
    oauth::event::{AuthEvent, EventLog},
    runtime::{FetchError, HttpClient, Limits, Rng, RngError},
    secret::Secret,
};

/// A generator whose output is the same in every run: SHA-256 of a counter.
#[derive(Debug, Default)]
pub(crate) struct SeededRng {
    counter: Cell<u64>,
    pub(crate) broken: Cell<bool>,
}

impl Rng for SeededRng {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RngError> {
        if self.broken.get() {
            return Err(RngError);
        }
        for chunk in bytes.chunks_mut(32) {
            let count = self.counter.get();
            self.counter.set(count + 1);
            chunk.copy_from_slice(&Sha256::digest(count.to_be_bytes())[..chunk.len()]);
        }
        Ok(())
    }
}

/// A login provider that lets everybody be whom the test says.
#[derive(Debug)]
pub(crate) struct FakeProvider {
    kind: ProviderKind,
    /// What the next login comes to.
    pub(crate) answer: RefCell<Result<Identity, LoginError>>,
    /// What is said of it beside.
    pub(crate) caution: Cell<Option<Caution>>,
    /// Why the person cannot be sent to the provider, if so.
    pub(crate) closed: RefCell<Option<LoginError>>,
    /// Nonce and verifier of every login that began, by its state.
    pub(crate) begun: RefCell<BTreeMap<String, (String, String)>>,
    /// How many logins were brought to an end.
    pub(crate) identified: Cell<usize>,
}

impl FakeProvider {
    /// A provider where `identity` logs in.
    pub(crate) fn of(kind: ProviderKind, identity: Identity) -> Self {
        Self {
            kind,
            answer: RefCell::new(Ok(identity)),
            caution: Cell::default(),
            closed: RefCell::default(),
            begun: RefCell::default(),
            identified: Cell::default(),
        }
    }
}

#[async_trait(?Send)]
impl IdentityProvider for FakeProvider {
    fn kind(&self) -> ProviderKind {
        self.kind
    }

    fn display_name(&self) -> String {
        "login.example".to_owned()
    }

    fn issuer(&self) -> &'static str {
        "https://login.example"
    }

    async fn authorization_url(&self, attempt: &LoginAttempt) -> Result<Url, LoginError> {
        if let Some(error) = self.closed.borrow().clone() {
            return Err(error);
        }
        let values = (
            attempt.nonce.expose().to_owned(),
            attempt.code_verifier.expose().to_owned(),
        );
        self.begun
            .borrow_mut()
            .insert(attempt.state.expose().to_owned(), values);
        let url = format!(
            "https://login.example/authorize?state={}",
            attempt.state.expose()
        );
        Ok(Url::parse(&url).unwrap())
    }

    async fn identify(
        &self,
        callback: &LoginCallback,
        attempt: &LoginAttempt,
    ) -> Result<LoggedIn, LoginError> {
        self.identified.set(self.identified.get() + 1);
        let begun = self.begun.borrow();
        let (nonce, verifier) = &begun[attempt.state.expose()];
        assert_eq!(attempt.nonce.expose(), nonce);
        assert_eq!(attempt.code_verifier.expose(), verifier);
        if let Some(error) = &callback.error {
            return Err(LoginError::Declined(error.clone()));
        }
        assert_eq!(
            callback.code.as_ref().map(Secret::expose),
            Some("upstream-code")
        );
        let identity = self.answer.borrow().clone()?;
        Ok(LoggedIn {
            identity,
            caution: self.caution.get(),
        })
    }
}

/// Somebody at the fake provider. Every name has a subject of its own.
pub(crate) fn person(name: &str) -> Identity {
    Identity {
        provider: ProviderKind::Oidc,
        issuer: "https://login.example".to_owned(),
        subject: format!("subject-of-{name}"),
        name: name.to_owned(),
        name_verified: true,
        display_name: None,
    }
}

/// The web as the server sees it: documents by their URL. Everything else cannot be reached.
#[derive(Debug, Default)]
pub(crate) struct FakeWeb {
    /// Status, `Cache-Control` and body of each document.
    pub(crate) documents: RefCell<BTreeMap<String, (u16, String, String)>>,
    /// The requests that were sent.
    pub(crate) requests: RefCell<Vec<http::Request<Bytes>>>,
}

impl FakeWeb {
    /// Publishes a document.
    pub(crate) fn publish(&self, url: &str, status: u16, cache_control: &str, body: &str) {
        let document = (status, cache_control.to_owned(), body.to_owned());
        self.documents.borrow_mut().insert(url.to_owned(), document);
    }
}

#[async_trait(?Send)]
impl HttpClient for FakeWeb {
    async fn send(
        &self,
        request: http::Request<Bytes>,
        limits: Limits,
    ) -> Result<http::Response<Bytes>, FetchError> {
        assert_eq!(limits.timeout.as_secs(), 10);
        let url = request.uri().to_string();
        self.requests.borrow_mut().push(request);
        let documents = self.documents.borrow();
        let Some((status, cache_control, body)) = documents.get(&url) else {
            return Err(FetchError::Network("unreachable in the test".to_owned()));
        };
        if body.len() > limits.max_body {
            return Err(FetchError::TooLarge);
        }
        let response = http::Response::builder()
            .status(*status)
            .header("cache-control", cache_control)
            .header("location", "https://elsewhere.dev/x");
        Ok(response.body(Bytes::from(body.clone())).unwrap())
    }
}

/// The events that were logged.
#[derive(Debug, Default)]
pub(crate) struct Events(RefCell<Vec<AuthEvent>>);

impl EventLog for Events {
    fn record(&self, event: &AuthEvent) {
        self.0.borrow_mut().push(event.clone());
    }
}

impl Events {
    pub(crate) fn reasons(&self) -> Vec<&'static str> {
        self.0.borrow().iter().map(|event| event.reason).collect()
    }

    pub(crate) fn all(&self) -> Vec<AuthEvent> {
        self.0.borrow().clone()
    }

    pub(crate) fn last(&self) -> AuthEvent {
        self.0.borrow().last().cloned().unwrap()
    }

    pub(crate) fn as_text(&self) -> String {
        serde_json::to_string(&*self.0.borrow()).unwrap()
    }
}
