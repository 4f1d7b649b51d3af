//! What the log says about authorization: one line an event, with a stable reason.

use std::{fmt, rc::Rc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;

use super::{
    seal::{Purpose, SealingKey},
    token::GrantId,
    types::ClientId,
};
use crate::{http::RequestId, login::Identity};

/// One event.
///
/// It holds no token, code, verifier or address: a person appears under a pseudonym only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuthEvent {
    /// The request in which it happened; [`RequestLog`] says which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// Where it happened.
    pub endpoint: Endpoint,
    /// What happened: a stable slug, such as `code_replayed`.
    pub reason: &'static str,
    /// The client, as it identified itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
    /// The grant it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantId>,
    /// The person it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<Pseudonym>,
    /// The error behind it, in this server's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl AuthEvent {
    /// An event about nobody yet.
    #[must_use]
    pub const fn new(endpoint: Endpoint, reason: &'static str) -> Self {
        Self {
            request: None,
            endpoint,
            reason,
            client: None,
            grant: None,
            person: None,
            detail: None,
        }
    }

    /// The same event, about `client`.
    #[must_use]
    pub fn client(mut self, client: &ClientId) -> Self {
        self.client = Some(client.clone());
        self
    }

    /// The same event, about `grant`.
    #[must_use]
    pub fn grant(mut self, grant: &GrantId) -> Self {
        self.grant = Some(grant.clone());
        self
    }

    /// The same event, about a person.
    #[must_use]
    pub fn person(mut self, person: Pseudonym) -> Self {
        self.person = Some(person);
        self
    }

    /// The same event, with the error behind it.
    #[must_use]
    pub fn detail(mut self, error: &impl fmt::Display) -> Self {
        self.detail = Some(error.to_string());
        self
    }
}

/// The endpoints at which events happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// `GET /authorize`.
    Authorize,
    /// `POST /consent`.
    Consent,
    /// `GET /callback`.
    Callback,
    /// `POST /token`.
    Token,
    /// `POST /register`.
    Register,
    /// `POST /revoke`.
    Revoke,
    /// `/sessions` and what lies below it.
    Sessions,
    /// `/mcp`.
    Mcp,
}

/// A keyed hash of a person: the same person has the same one as long as the server's key is the
/// same, and without the key nobody can go back from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Pseudonym(String);

impl Pseudonym {
    /// The pseudonym of `identity`.
    #[must_use]
    pub fn of(identity: &Identity, key: &SealingKey) -> Self {
        let tag = key.tag::<12>(Purpose::Pseudonym, &identity.person());
        Self(URL_SAFE_NO_PAD.encode(tag))
    }
}

/// Where events go.
pub trait EventLog: fmt::Debug {
    /// Writes one event down. It cannot fail: a request is not refused because of the log.
    fn record(&self, event: &AuthEvent);
}

/// The log of one request: every event that goes through it names the request.
#[derive(Debug)]
pub struct RequestLog {
    log: Rc<dyn EventLog>,
    request: RequestId,
}

impl RequestLog {
    /// The part of `log` that is about `request`.
    #[must_use]
    pub fn over(log: &Rc<dyn EventLog>, request: &RequestId) -> Rc<dyn EventLog> {
        Rc::new(Self {
            log: Rc::clone(log),
            request: request.clone(),
        })
    }
}

impl EventLog for RequestLog {
    fn record(&self, event: &AuthEvent) {
        self.log.record(&AuthEvent {
            request: Some(self.request.clone()),
            ..event.clone()
        });
    }
}
