//! What an operator decides.

use vault_mcp::{
    login::ProviderKind,
    vault::policy::{VaultPolicy, parse_prefixes},
};

/// A configuration, as far as it concerns who sees what of the vault.
#[derive(Clone, Debug)]
pub(crate) struct Deployment {
    /// `VAULT_ALLOWED_PREFIXES`.
    pub(crate) allowed: &'static str,
    /// `VAULT_DENIED_PREFIXES`.
    pub(crate) denied: &'static str,
    /// `VAULT_READ_ONLY`.
    pub(crate) read_only: bool,
    /// The allowlist of the provider.
    pub(crate) allowlist: &'static str,
    /// `AUTH_PROVIDER`.
    pub(crate) provider: ProviderKind,
    /// Whom that provider's identities are of.
    pub(crate) issuer: &'static str,
    /// `MCP_ALLOWED_ORIGINS`.
    pub(crate) allowed_origins: &'static [&'static str],
    /// `GITHUB_WEBHOOK_SECRET`.
    pub(crate) webhook_secret: Option<&'static str>,
}

impl Default for Deployment {
    fn default() -> Self {
        Self {
            allowed: "",
            denied: "",
            read_only: false,
            allowlist: "owner@example.test reader@example.test:read",
            provider: ProviderKind::Oidc,
            issuer: "https://login.example",
            allowed_origins: &[],
            webhook_secret: Some("the secret of the webhook"),
        }
    }
}

impl Deployment {
    pub(super) fn policy(&self) -> VaultPolicy {
        VaultPolicy::new(
            parse_prefixes(self.allowed).unwrap(),
            &parse_prefixes(self.denied).unwrap(),
            self.read_only,
        )
    }
}
