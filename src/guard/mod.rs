//! Who is asking: from a bearer token to a [`Principal`], or to the challenge that says what to bring.
//!
//! Access is never remembered. On every request it is the least of three things as they are now:
//! the scope of the token, the allowlist's entry for the identity, and the vault's read-only switch.
//! A change asks once more when its turn has come.

mod challenge;
mod principal;
mod recheck;

use std::{rc::Rc, time::Duration};

use ::http::header;

use self::challenge::{Refusal, unavailable};
pub use self::principal::Principal;
use crate::{
    http::{Request, RequestId, Response},
    login::{
        ProviderKind,
        allowlist::{Access, Allowlist},
    },
    oauth::{
        OauthSettings,
        event::{AuthEvent, Endpoint, EventLog, Pseudonym, RequestLog},
        state::{ActiveGrant, AuthState},
        types::Scope,
    },
};

/// What the guard makes of a request.
#[derive(Debug)]
pub enum Admission {
    /// Somebody who may enter.
    Admitted(Principal),
    /// Somebody who may enter, and whose client has made too many calls under this grant.
    Hurried {
        /// How long it has to wait until it may make another one.
        retry_after: Duration,
    },
    /// A valid token of somebody whom the allowlist does not hold, or who logged in at another
    /// provider than the configured one. They get a server that offers nothing.
    NotListed,
    /// No valid token: the answer to give.
    Challenged(Response),
}

/// The guard of the MCP endpoint.
#[derive(Clone, Debug)]
pub struct Guard {
    settings: Rc<OauthSettings>,
    state: AuthState,
    allowlist: Rc<Allowlist>,
    provider: ProviderKind,
    issuer: String,
    log: Rc<dyn EventLog>,
    request: Option<RequestId>,
}

impl Guard {
    /// A guard over `state`, for identities of one provider.
    #[must_use]
    pub fn new(
        settings: Rc<OauthSettings>,
        state: AuthState,
        allowlist: Rc<Allowlist>,
        (provider, issuer): (ProviderKind, String),
        log: Rc<dyn EventLog>,
    ) -> Self {
        Self {
            settings,
            state,
            allowlist,
            provider,
            issuer,
            log,
            request: None,
        }
    }

    /// The same guard, for one request: what it logs names the request.
    #[must_use]
    pub fn of_request(&self, request: &RequestId) -> Self {
        Self {
            log: RequestLog::over(&self.log, request),
            request: Some(request.clone()),
            ..self.clone()
        }
    }

    /// Decides about a request, in this order:
    ///
    /// 1. One `Authorization` header with the scheme `Bearer`, in any letter case (RFC 6750
    ///    section 2.1). Tokens in queries and bodies are not looked at.
    /// 2. The token belongs to a live grant for this resource.
    /// 3. The grant's identity is of the configured provider and issuer, and the allowlist admits it
    ///    now: by its id, or by a name that is pinned to it. A 401 never depends on this: logging in
    ///    again would change nothing.
    /// 4. The grant has not made too many calls.
    /// 5. Access is the least that token, allowlist and vault allow.
    pub async fn admit(&self, request: &Request) -> Admission {
        // (1) Every login begins like this, so it is no event.
        let Some(token) = bearer(request) else {
            return Admission::Challenged(self.challenge(Refusal::NoToken));
        };
        // (2)
        let grant = match self.state.admit_call(token).await {
            Ok(Some(grant)) => grant,
            Ok(None) => {
                self.log
                    .record(&AuthEvent::new(Endpoint::Mcp, "token_refused"));
                return Admission::Challenged(self.challenge(Refusal::InvalidToken));
            }
            // The token may well be good: telling the client otherwise would make it drop it.
            Err(error) => {
                let event = AuthEvent::new(Endpoint::Mcp, "state_unavailable");
                self.log.record(&event.detail(&error));
                return Admission::Challenged(unavailable());
            }
        };
        // (3)
        if !self.is_of_provider(&grant) {
            self.record("provider_changed", &grant);
            return Admission::NotListed;
        }
        let Some(listed) = self.listed(&grant) else {
            self.record("allowlist_denied", &grant);
            return Admission::NotListed;
        };
        // (4)
        if let Some(retry_after) = grant.retry_after {
            self.record("rate_limited", &grant);
            return Admission::Hurried { retry_after };
        }
        // (5)
        Admission::Admitted(Principal {
            access: self.least(&grant, listed),
            could_write: listed.min(self.vault()) == Access::ReadWrite,
            permit: self.permit(&grant),
            identity: grant.identity,
            client_name: grant.client_name,
            grant_id: grant.grant_id,
        })
    }

    /// What a grant's person may do now, through this grant; `None` where they may not enter.
    fn access(&self, grant: &ActiveGrant) -> Option<Access> {
        let listed = self.listed(grant).filter(|_| self.is_of_provider(grant))?;
        Some(self.least(grant, listed))
    }

    fn is_of_provider(&self, grant: &ActiveGrant) -> bool {
        grant.identity.provider == self.provider && grant.identity.issuer == self.issuer
    }

    fn listed(&self, grant: &ActiveGrant) -> Option<Access> {
        self.allowlist.access(&grant.identity, grant.pinned)
    }

    fn least(&self, grant: &ActiveGrant, listed: Access) -> Access {
        let granted = match grant.scope {
            Scope::Read => Access::ReadOnly,
            Scope::ReadWrite => Access::ReadWrite,
        };
        listed.min(granted).min(self.vault())
    }

    fn vault(&self) -> Access {
        if self.settings.read_only_vault {
            Access::ReadOnly
        } else {
            Access::ReadWrite
        }
    }

    /// What to answer to a change that `principal`'s token does not allow, where
    /// [`Principal::could_be_granted_more`]: a challenge for the full set of scopes (RFC 6750
    /// section 3.1).
    #[must_use]
    pub fn step_up(&self, principal: &Principal) -> Response {
        let event = AuthEvent::new(Endpoint::Mcp, "insufficient_scope");
        self.log.record(&event.grant(principal.grant_id()));
        self.challenge(Refusal::InsufficientScope)
    }

    fn record(&self, reason: &'static str, grant: &ActiveGrant) {
        let person = Pseudonym::of(&grant.identity, &self.settings.sealing_key);
        let event = AuthEvent::new(Endpoint::Mcp, reason).client(&grant.client_id);
        self.log
            .record(&event.grant(&grant.grant_id).person(person));
    }
}

/// The bearer token of a request, if it has exactly one `Authorization` header of that scheme.
fn bearer(request: &Request) -> Option<&str> {
    let mut values = request.headers().get_all(header::AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}
