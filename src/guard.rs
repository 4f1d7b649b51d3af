//! Who is asking: from a bearer token to a [`Principal`], or to the challenge that says what to bring.
//!
//! Access is never remembered. On every request it is the least of three things as they are now:
//! the scope of the token, the allowlist's entry for the identity, and the vault's read-only switch.

use std::rc::Rc;

use ::http::{StatusCode, header};
use serde_json::json as object;
use url::Url;

use crate::{
    base_url::BaseUrl,
    http::{Request, Response, json},
    login::{
        Identity, ProviderKind,
        allowlist::{Access, Allowlist},
    },
    oauth::{
        state::{ActiveGrant, AuthState},
        token::GrantId,
        types::Scope,
    },
    vault::commit::Author,
};

/// The authenticated party of one request: a person, the client that acts for them, and what they
/// may do. Only the [`Guard`] makes one.
#[derive(Clone, Debug)]
pub struct Principal {
    identity: Identity,
    client_name: String,
    grant_id: GrantId,
    access: Access,
    could_write: bool,
}

impl Principal {
    /// The person.
    #[must_use]
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// What the client calls itself; nobody vouches for it.
    #[must_use]
    pub fn client_name(&self) -> &str {
        &self.client_name
    }

    /// The grant that the token belongs to.
    #[must_use]
    pub const fn grant_id(&self) -> &GrantId {
        &self.grant_id
    }

    /// What this request may do.
    #[must_use]
    pub const fn access(&self) -> Access {
        self.access
    }

    /// Whether this person could be granted more than this token allows: the allowlist and the vault
    /// let them write.
    #[must_use]
    pub const fn could_write(&self) -> bool {
        self.could_write
    }

    /// The person as the author of commits, and the client for their trailer.
    ///
    /// Git wants an address. Where the login gave none, it is one that nobody can receive mail at:
    /// GitHub's own form for its accounts, or the subject at the issuer's host.
    #[must_use]
    pub fn author(&self) -> Author {
        let Identity {
            issuer,
            subject,
            name,
            display_name,
            ..
        } = &self.identity;
        let shown = display_name.as_deref().filter(|name| !name.is_empty());
        let named = Some(name.as_str()).filter(|name| !name.is_empty());
        let host = Url::parse(issuer)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        let host = host.as_deref().unwrap_or("invalid");
        let email = match self.identity.provider {
            ProviderKind::Github => format!("{subject}+{name}@users.noreply.{host}"),
            ProviderKind::Google | ProviderKind::Oidc => {
                named.map_or_else(|| format!("{subject}@{host}"), str::to_owned)
            }
        };
        Author::new(
            shown.or(named).unwrap_or(subject),
            &email,
            &self.client_name,
        )
    }
}

/// What the guard makes of a request.
#[derive(Debug)]
pub enum Admission {
    /// Somebody who may enter.
    Admitted(Principal),
    /// A valid token of somebody whom the allowlist does not hold, or who logged in at another
    /// provider than the configured one. They get a server that offers nothing.
    NotListed,
    /// No valid token: the answer to give.
    Challenged(Response),
}

/// The guard of the MCP endpoint.
#[derive(Clone, Debug)]
pub struct Guard {
    base_url: BaseUrl,
    state: AuthState,
    allowlist: Rc<Allowlist>,
    provider: ProviderKind,
    issuer: String,
    read_only_vault: bool,
}

/// Why a request has no principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// No bearer token was brought (RFC 6750 section 3: then there is no error code).
    NoToken,
    /// The token is malformed, unknown, expired, revoked, or for another resource.
    InvalidToken,
    /// The token is good, and does not allow this; another one of this person could.
    InsufficientScope,
}

impl Guard {
    /// A guard over `state`, for identities of one provider.
    #[must_use]
    pub fn new(
        base_url: BaseUrl,
        state: AuthState,
        allowlist: Rc<Allowlist>,
        (provider, issuer): (ProviderKind, String),
        read_only_vault: bool,
    ) -> Self {
        Self {
            base_url,
            state,
            allowlist,
            provider,
            issuer,
            read_only_vault,
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
    /// 4. Access is the least that token, allowlist and vault allow.
    pub async fn admit(&self, request: &Request) -> Admission {
        // (1)
        let Some(token) = bearer(request) else {
            return Admission::Challenged(self.challenge(Refusal::NoToken));
        };
        // (2)
        let grant = match self.state.check_access(token).await {
            Ok(Some(grant)) => grant,
            Ok(None) => return Admission::Challenged(self.challenge(Refusal::InvalidToken)),
            // The token may well be good: telling the client otherwise would make it drop it.
            Err(_) => return Admission::Challenged(unavailable()),
        };
        // (3)
        let same_provider =
            grant.identity.provider == self.provider && grant.identity.issuer == self.issuer;
        let Some(listed) = self
            .allowlist
            .access(&grant.identity, grant.pinned)
            .filter(|_| same_provider)
        else {
            return Admission::NotListed;
        };
        // (4)
        Admission::Admitted(self.principal(grant, listed))
    }

    fn principal(&self, grant: ActiveGrant, listed: Access) -> Principal {
        let granted = match grant.scope {
            Scope::Read => Access::ReadOnly,
            Scope::ReadWrite => Access::ReadWrite,
        };
        let vault = if self.read_only_vault {
            Access::ReadOnly
        } else {
            Access::ReadWrite
        };
        Principal {
            identity: grant.identity,
            client_name: grant.client_name,
            grant_id: grant.grant_id,
            access: listed.min(granted).min(vault),
            could_write: listed.min(vault) == Access::ReadWrite,
        }
    }

    /// What to answer to a change that `principal`'s token does not allow: a challenge for the full
    /// set of scopes where the person could be granted it (RFC 6750 section 3.1), and `None` where
    /// they could not. A challenge would send their client into a loop of logins.
    #[must_use]
    pub fn step_up(&self, principal: &Principal) -> Option<Response> {
        (principal.access == Access::ReadOnly && principal.could_write)
            .then(|| self.challenge(Refusal::InsufficientScope))
    }

    /// A challenge that says where to get a token (RFC 9728 section 5.1) and which scopes to ask for.
    fn challenge(&self, refusal: Refusal) -> Response {
        let scopes = if self.read_only_vault {
            Scope::Read
        } else {
            Scope::ReadWrite
        };
        let metadata = self
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

/// The state cannot be asked right now.
fn unavailable() -> Response {
    let body = object!({
        "error": "temporarily_unavailable",
        "error_description": "the server cannot check tokens right now; try again in a few seconds",
    });
    let mut response = json(StatusCode::SERVICE_UNAVAILABLE, &body);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, header::HeaderValue::from_static("5"));
    response
}
