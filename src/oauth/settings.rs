//! What the deployer decides about authorization.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    redirect_uri::{RedirectHosts, RedirectUri},
    seal::SealingKey,
    types::{ClientId, Digest, Scope},
};
use crate::{base_url::BaseUrl, runtime::Timestamp};

/// The settings of the authorization server, validated where the configuration is read.
#[derive(Clone, Debug)]
pub struct OauthSettings {
    /// The public origin: the issuer, and the prefix of every URL that is stated.
    pub base_url: BaseUrl,
    /// What every sealing key is derived from (`COOKIE_ENCRYPTION_KEY`).
    pub sealing_key: SealingKey,
    /// How long things live.
    pub lifetimes: Lifetimes,
    /// What the reuse of a refresh token leads to (`REFRESH_REUSE`).
    pub refresh_reuse: RefreshReuse,
    /// Grants made before this time are void (`REVOKE_BEFORE`).
    pub revoke_before: Option<Timestamp>,
    /// Where authorization responses may go (`MCP_REDIRECT_HOSTS`).
    pub redirect_hosts: RedirectHosts,
    /// The clients that the deployer registered (`MCP_STATIC_CLIENTS`).
    pub static_clients: Vec<StaticClient>,
    /// Whether a person may have their browser remember a consent (`REMEMBER_CONSENT`).
    pub remember_consent: bool,
    /// Whether nobody may write (`VAULT_READ_ONLY`).
    pub read_only_vault: bool,
    /// What the server calls itself on pages and in its metadata.
    pub resource_name: String,
}

impl OauthSettings {
    /// The most that anybody can be granted.
    #[must_use]
    pub const fn widest_scope(&self) -> Scope {
        if self.read_only_vault {
            Scope::Read
        } else {
            Scope::ReadWrite
        }
    }
}

/// How long tokens live. The bounds are checked where the configuration is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetimes {
    /// An access token (`ACCESS_TTL`).
    pub access: Duration,
    /// A refresh token that is not used; each use starts anew (`REFRESH_IDLE_TTL`).
    pub refresh_idle: Duration,
    /// A grant, however often it is refreshed (`REFRESH_ABSOLUTE_TTL`).
    pub refresh_absolute: Duration,
    /// How long a refresh token that was already used gives its successor again
    /// (`REFRESH_GRACE`).
    pub refresh_grace: Duration,
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self {
            access: Duration::from_hours(1),
            refresh_idle: Duration::from_hours(30 * 24),
            refresh_absolute: Duration::from_hours(180 * 24),
            refresh_grace: Duration::from_mins(10),
        }
    }
}

/// What happens when a refresh token comes back although its successor is already in use, which
/// means that two parties hold it (RFC 9700 section 4.14.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefreshReuse {
    /// The whole grant dies.
    #[default]
    Revoke,
    /// Only that request fails: for machines on which many idle programs share one stored token.
    Reject,
}

/// A client that the deployer registered by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticClient {
    /// Its identifier.
    pub id: ClientId,
    /// The digest of its secret; a public client has none.
    pub secret: Option<Digest>,
    /// What to call it.
    pub name: String,
    /// Where its authorization responses go.
    pub redirect_uris: Vec<RedirectUri>,
}
