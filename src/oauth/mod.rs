//! The authorization server (OAuth 2.1, as the MCP specification of 2026-07-28 profiles it).
//!
//! | endpoint | function | specification |
//! | --- | --- | --- |
//! | `GET /.well-known/oauth-protected-resource[/mcp]` | [`AuthorizationServer::protected_resource_metadata`] | RFC 9728 |
//! | `GET /.well-known/oauth-authorization-server[/mcp]` | [`AuthorizationServer::authorization_server_metadata`] | RFC 8414, RFC 9207 |
//! | `POST /register` | [`AuthorizationServer::register`] | RFC 7591 |
//! | `GET /authorize` | [`AuthorizationServer::authorize`] | RFC 6749, RFC 7636, RFC 8707 |
//! | `POST /consent` | [`AuthorizationServer::consent`] | RFC 9700 section 4.7 |
//! | `GET /callback` | [`AuthorizationServer::callback`] | RFC 6749 section 10.12 |
//! | `POST /token` | [`AuthorizationServer::token`] | RFC 6749, RFC 7636, RFC 8707 |
//! | `POST /revoke` | [`AuthorizationServer::revoke`] | RFC 7009 |
//! | `GET /sessions` | [`AuthorizationServer::sessions`] | |
//! | `POST /sessions/sign-in` | [`AuthorizationServer::sign_in`] | |
//! | `POST /sessions/end` | [`AuthorizationServer::end_grants`] | |
//! | `POST /sessions/sign-out` | [`AuthorizationServer::sign_out`] | |
//!
//! What holds, whatever is sent:
//!
//! - Nobody gets a code whom the allowlist does not hold, and nobody gets one without having seen,
//!   in the same browser, which client asks for what: just now, or within the last 30 days where the
//!   deployer lets browsers remember.
//! - A code is redeemed once. A second attempt ends the grant, also when both race.
//! - A refresh token is used once. It gives the same answer again where that is harmless, and ends
//!   the grant where it means theft.
//! - A revocation is effective on the very next request, whether a client or the person asks for it.
//! - A login for a client never becomes a session of the person, nor the other way round.
//! - Secrets are stored as digests only, and appear in no log.
//! - An error before the redirect URI is known to be the client's is never redirected.
//! - An outage is answered as one; it never makes a client drop its tokens.
//!
//! Methods and CORS are settled by the route table before these functions are called. The module
//! knows nothing of the vault, of MCP, or of Workers.

mod answer;
mod authorize;
mod callback;
pub mod client;
mod clients;
mod consent;
mod cookies;
mod document;
pub mod event;
mod exchange;
pub mod grant;
mod login_failure;
mod login_transaction;
mod metadata;
mod pages;
mod parameters;
pub mod redirect_uri;
mod register;
pub mod registration;
mod remembered;
mod request;
mod revoke;
pub mod seal;
mod sessions;
pub mod settings;
pub mod state;
pub mod token;
pub mod types;

use std::rc::Rc;

use self::{
    event::{EventLog, RequestLog},
    state::AuthState,
    types::Scope,
};
pub use self::{
    redirect_uri::{RedirectHosts, RedirectUri},
    seal::SealingKey,
    settings::{Lifetimes, OauthSettings, RefreshReuse, StaticClient},
    types::{ClientId, Digest},
};
use crate::{
    http::RequestId,
    login::{
        Identity, IdentityProvider,
        allowlist::{Access, Allowlist},
        pin::PinnedTo,
    },
    runtime::{Clock, HttpClient, Rng},
};

/// The authorization server: its endpoints are its methods.
#[derive(Clone)]
pub struct AuthorizationServer {
    /// What the deployer decided.
    pub settings: Rc<OauthSettings>,
    /// Where the time comes from.
    pub clock: Rc<dyn Clock>,
    /// Where unpredictable bytes come from.
    pub rng: Rc<dyn Rng>,
    /// Outgoing HTTP, for documents about clients.
    pub http: Rc<dyn HttpClient>,
    /// What is remembered.
    pub state: AuthState,
    /// Where people log in.
    pub provider: Rc<dyn IdentityProvider>,
    /// Who may enter.
    pub allowlist: Rc<Allowlist>,
    /// Where events go.
    pub log: Rc<dyn EventLog>,
}

impl std::fmt::Debug for AuthorizationServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorizationServer")
            .field("settings", &self.settings)
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

impl AuthorizationServer {
    /// The same server, for one request: what it logs names the request.
    #[must_use]
    pub fn of_request(&self, request: &RequestId) -> Self {
        Self {
            log: RequestLog::over(&self.log, request),
            ..self.clone()
        }
    }

    /// The most that a person, whose name is pinned to `pinned`, can be granted at this moment;
    /// `None` where they may not enter.
    fn allowed_scope(&self, identity: &Identity, pinned: PinnedTo) -> Option<Scope> {
        let scope = match self.allowlist.access(identity, pinned)? {
            Access::ReadOnly => Scope::Read,
            Access::ReadWrite => Scope::ReadWrite,
        };
        Some(scope.min(self.settings.widest_scope()))
    }
}
