//! Environments for tests: a deployment that is right, and what a test makes of it.

use std::collections::BTreeMap;

use vault_mcp::config::{Config, ConfigError, Environment, KEYS};
use vault_mcp_dev::app;

use crate::support::docs;

/// An environment in a map.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables(BTreeMap<String, String>);

impl Environment for Variables {
    fn get(&self, key: &str) -> Option<String> {
        assert!(KEYS.contains(&key), "{key} is read, and not listed");
        self.0.get(key).cloned()
    }
}

impl Variables {
    /// The local stack's.
    pub(super) fn local() -> Self {
        Self(docs::example_variables().into_iter().collect())
    }

    /// Those of a deployment, with login by `provider`; `app` is one that reaches its vault by a
    /// GitHub App.
    pub(super) fn deployed(provider: &str) -> Self {
        if provider == "app" {
            return Self::deployed("oidc")
                .unset("VAULT_GITHUB_TOKEN")
                .set("VAULT_GITHUB_APP_ID", &app::ID.to_string())
                .set(
                    "VAULT_GITHUB_APP_INSTALLATION_ID",
                    &app::INSTALLATION_ID.to_string(),
                )
                .set("VAULT_GITHUB_APP_PRIVATE_KEY", app::PRIVATE_KEY);
        }
        let common = [
            ("PUBLIC_BASE_URL", "https://notes.test"),
            (
                "COOKIE_ENCRYPTION_KEY",
                "a key that nobody else has: 0123456789",
            ),
            ("VAULT_OWNER", "octocat"),
            ("VAULT_REPO", "notes"),
            ("VAULT_GITHUB_TOKEN", "github_pat_11AAAA_deployed"),
        ];
        let login = match provider {
            "oidc" => [
                ("OIDC_ISSUER", "https://login.example"),
                ("OIDC_CLIENT_ID", "client"),
                ("OIDC_CLIENT_SECRET", "oidc secret"),
                ("VAULT_ALLOWED_OIDC_EMAILS", "owner@example.test"),
            ],
            "google" => [
                ("GOOGLE_HOSTED_DOMAIN", "example.test"),
                ("GOOGLE_CLIENT_ID", "client"),
                ("GOOGLE_CLIENT_SECRET", "google secret"),
                ("VAULT_ALLOWED_GOOGLE_EMAILS", "owner@example.test"),
            ],
            _ => [
                ("GITHUB_API_URL", "https://api.github.com"),
                ("GITHUB_CLIENT_ID", "client"),
                ("GITHUB_CLIENT_SECRET", "github secret"),
                ("VAULT_ALLOWED_GITHUB_LOGINS", "octocat"),
            ],
        };
        let mut variables = Self::default();
        for (key, value) in common.into_iter().chain(login) {
            variables = variables.set(key, value);
        }
        variables.set("AUTH_PROVIDER", provider)
    }

    pub(super) fn set(mut self, key: &str, value: &str) -> Self {
        self.0.insert(key.to_owned(), value.to_owned());
        self
    }

    pub(super) fn unset(mut self, key: &str) -> Self {
        self.0.remove(key);
        self
    }

    pub(super) fn read(&self) -> Result<Config, ConfigError> {
        Config::read(self)
    }
}
