//! The configuration: every key in every way that it can be wrong.
//!
//! Whatever is wrong is found before anything is served, and told by key and remedy; a value is
//! never shown, because it may be a secret and the page that tells it is public.

mod rows;
mod variables;

use std::collections::BTreeSet;

use vault_mcp::{
    config::{Environment, KEYS, LoginSettings},
    login::{ProviderKind, allowlist::Access, pin::PinnedTo},
    oauth::{Lifetimes, RedirectHosts, RefreshReuse},
    storage::github::Credential,
};
use vault_mcp_dev::app;

use self::{
    rows::{ROWS, Row},
    variables::Variables,
};
use crate::support::oauth::person;

#[test]
fn every_key_has_a_row() {
    let keys: BTreeSet<&str> = KEYS.iter().copied().collect();
    assert_eq!(keys.len(), KEYS.len(), "a key stands twice");
    let rows: BTreeSet<&str> = ROWS.iter().map(|row| row.key).collect();
    assert_eq!(rows.len(), ROWS.len(), "a row stands twice");
    assert_eq!(keys, rows);
}

#[test]
fn what_the_tests_start_from_is_right() {
    Variables::local().read().unwrap();
    for (provider, kind) in [
        ("oidc", ProviderKind::Oidc),
        ("google", ProviderKind::Google),
        ("github", ProviderKind::Github),
    ] {
        let config = Variables::deployed(provider).read().unwrap();
        assert_eq!(config.login.kind(), kind);
        assert!(!config.allowlist.is_empty());
    }
}

#[test]
fn d3_a_wrong_value_is_refused_by_its_key_and_never_shown() {
    for Row {
        key,
        provider,
        wrong,
        ..
    } in ROWS
    {
        for value in *wrong {
            let error = Variables::deployed(provider).set(key, value).read();
            let error = error
                .map(|_| ())
                .expect_err(&format!("{key}={value:?} was taken"));
            assert_eq!(error.key, *key, "{value:?}: {error}");
            let shown = error.to_string();
            assert!(shown.starts_with(&format!("{key} ")), "{shown}");
            assert!(error.problem.len() > 10, "{shown}");
            assert!(!error.problem.ends_with('.'), "{shown}");
            // Words that the remedy has to name are not the value: `true`, `oidc`.
            let named = ["client_id", "redirect_uris", "secret_sha256", "https://"];
            let secrets = value
                .split([',', ' ', '"'])
                .filter(|part| part.len() > 6 && !named.contains(part) && !key.contains(part));
            for part in secrets {
                assert!(!shown.contains(part), "{key} shows {part:?}: {shown}");
            }
        }
    }
}

#[test]
fn d3_what_has_to_be_set_is_missed_by_name() {
    for Row {
        key,
        provider,
        required,
        ..
    } in ROWS
    {
        for cleared in [None, Some(""), Some("  \n")] {
            let variables = Variables::deployed(provider);
            let variables = match cleared {
                None => variables.unset(key),
                Some(value) => variables.set(key, value),
            };
            match variables.read() {
                Ok(_) => assert!(!required, "{key} was not missed"),
                Err(error) => {
                    assert!(required, "{error}");
                    assert_eq!((error.key, error.problem.as_str()), (*key, "is not set"));
                }
            }
        }
    }
}

#[test]
fn only_the_keys_of_the_chosen_provider_are_asked_for() {
    for provider in ["oidc", "google", "github"] {
        let mut variables = Variables::deployed(provider);
        for Row {
            key, provider: of, ..
        } in ROWS
        {
            let belongs_to_another = ["OIDC_", "GOOGLE_", "GITHUB_CLIENT"]
                .iter()
                .any(|start| key.starts_with(start) && of != &provider);
            if belongs_to_another {
                variables = variables.unset(key);
            }
        }
        variables.read().unwrap();
    }
}

#[test]
fn white_space_around_a_value_does_not_count() {
    let padded = Variables::deployed("oidc")
        .set("PUBLIC_BASE_URL", " https://notes.test\n")
        .set("VAULT_READ_ONLY", " TRUE ");
    let config = padded.read().unwrap();
    assert_eq!(config.oauth.base_url.origin(), "https://notes.test");
    assert!(config.policy.is_read_only() && config.oauth.read_only_vault);
}

/// Plain http, and the example's key, are for this machine alone.
#[test]
fn a6_what_is_taken_on_loopback_is_not_taken_elsewhere() {
    for (base, taken) in [
        ("http://localhost:8787", true),
        ("http://127.0.0.1:8787", true),
        ("http://[::1]:8787", true),
        ("https://notes.test", false),
        ("https://localhost.example", false),
    ] {
        let read = Variables::local().set("PUBLIC_BASE_URL", base).read();
        assert_eq!(read.is_ok(), taken, "{base}");
        // Each of these alone is enough.
        for key in [
            "COOKIE_ENCRYPTION_KEY",
            "GITHUB_API_URL",
            "GITHUB_WEB_URL",
            "OIDC_ISSUER",
        ] {
            let value = Variables::local().get(key).unwrap();
            let read = Variables::deployed("oidc")
                .set("PUBLIC_BASE_URL", base)
                .set(key, &value)
                .read();
            match read {
                Ok(_) => assert!(taken, "{base} took {key}"),
                Err(error) => assert_eq!((error.key, taken), (key, false), "{error}"),
            }
        }
    }
    // A server on this machine does not make another machine's plain http safe.
    for key in ["GITHUB_API_URL", "GITHUB_WEB_URL", "OIDC_ISSUER"] {
        let error = Variables::local()
            .set(key, "http://github.test")
            .read()
            .unwrap_err();
        assert_eq!(error.key, key);
    }
}

#[test]
fn d3_an_empty_or_missing_allowlist_admits_nobody() {
    for list in [None, Some(""), Some(" , ,\n")] {
        let variables = Variables::deployed("oidc");
        let variables = match list {
            None => variables.unset("VAULT_ALLOWED_OIDC_EMAILS"),
            Some(list) => variables.set("VAULT_ALLOWED_OIDC_EMAILS", list),
        };
        let config = variables.read().unwrap();
        assert!(config.allowlist.is_empty(), "{list:?}");
        assert_eq!(
            config
                .allowlist
                .access(&person("owner@example.test"), PinnedTo::ThisPerson),
            None
        );
    }
    // The list of another provider is no substitute.
    let other = Variables::deployed("oidc")
        .unset("VAULT_ALLOWED_OIDC_EMAILS")
        .set("VAULT_ALLOWED_GOOGLE_EMAILS", "owner@example.test");
    assert!(other.read().unwrap().allowlist.is_empty());
}

#[test]
fn the_local_stack_admits_whom_its_documentation_names() {
    let allowlist = Variables::local().read().unwrap().allowlist;
    let access = |name: &str| {
        let mut identity = person(name);
        identity.name_verified = name != "unverified@example.test";
        allowlist.access(&identity, PinnedTo::ThisPerson)
    };
    assert_eq!(access("owner@example.test"), Some(Access::ReadWrite));
    assert_eq!(access("OWNER@example.test"), Some(Access::ReadWrite));
    assert_eq!(access("reader@example.test"), Some(Access::ReadOnly));
    assert_eq!(access("stranger@example.test"), None);
    assert_eq!(access("unverified@example.test"), None);
}

#[test]
fn what_is_not_set_has_a_safe_default() {
    let config = Variables::deployed("oidc").read().unwrap();
    assert_eq!(config.oauth.lifetimes, Lifetimes::default());
    assert_eq!(config.oauth.refresh_reuse, RefreshReuse::Revoke);
    assert_eq!(config.oauth.revoke_before, None);
    assert_eq!(config.oauth.redirect_hosts, RedirectHosts::default());
    assert!(config.oauth.static_clients.is_empty());
    assert!(config.allowed_origins.is_empty());
    assert!(!config.policy.is_read_only());
    assert_eq!(config.repository.branch, None);
    assert_eq!(
        config.repository.api_url.as_str(),
        "https://api.github.com/"
    );
    assert_eq!(config.repository.web_url.as_str(), "https://github.com/");
    let LoginSettings::Oidc(login) = config.login else {
        panic!("another provider")
    };
    assert!(!login.allow_unverified_email);
    assert_eq!(login.redirect_uri.as_str(), "https://notes.test/callback");
}

#[test]
fn what_is_set_is_taken() {
    let config = Variables::deployed("oidc")
        .set(
            "MCP_ALLOWED_ORIGINS",
            "https://a.example, http://localhost:6274 https://b.example:8443",
        )
        .set("MCP_REDIRECT_HOSTS", "tool.example other.example")
        .set("ACCESS_TTL", "60")
        .set("REFRESH_GRACE", "0")
        .set("REFRESH_REUSE", "reject")
        .set("REVOKE_BEFORE", "1800000000")
        .set("VAULT_BRANCH", "feature/x")
        .set("VAULT_DENIED_PREFIXES", "Private/, Daily notes")
        .set("GITHUB_API_URL", "https://github.test/api/v3")
        .read()
        .unwrap();
    assert_eq!(
        config.allowed_origins,
        [
            "https://a.example",
            "http://localhost:6274",
            "https://b.example:8443"
        ]
    );
    assert_eq!(config.oauth.lifetimes.access.as_secs(), 60);
    assert_eq!(config.oauth.lifetimes.refresh_grace.as_secs(), 0);
    assert_eq!(config.oauth.refresh_reuse, RefreshReuse::Reject);
    assert!(config.oauth.revoke_before.is_some());
    assert_eq!(config.repository.branch.unwrap().as_str(), "feature/x");
    assert_eq!(
        config.repository.api_url.as_str(),
        "https://github.test/api/v3"
    );
    let hosts = ["claude.ai", "claude.com", "tool.example", "other.example"];
    let listed = RedirectHosts::Listed(hosts.map(str::to_owned).to_vec());
    assert_eq!(config.oauth.redirect_hosts, listed);
}

/// One of the two, so that nobody wonders which one is used.
#[test]
fn a_token_and_an_app_exclude_each_other() {
    for key in [
        "VAULT_GITHUB_APP_ID",
        "VAULT_GITHUB_APP_INSTALLATION_ID",
        "VAULT_GITHUB_APP_PRIVATE_KEY",
    ] {
        let value = Variables::deployed("app").get(key).unwrap();
        let error = Variables::deployed("oidc").set(key, &value).read();
        let error = error.unwrap_err();
        assert_eq!(error.key, "VAULT_GITHUB_TOKEN");
        assert!(error.problem.contains(key), "{error}");
    }
    let neither = Variables::deployed("oidc").unset("VAULT_GITHUB_TOKEN");
    assert_eq!(neither.read().unwrap_err().key, "VAULT_GITHUB_TOKEN");
}

#[test]
fn an_app_s_key_may_come_in_any_form_that_a_secret_can_be_pasted_in() {
    let one_line = app::PRIVATE_KEY.trim().replace('\n', "\\n");
    let dos = app::PRIVATE_KEY.replace('\n', "\r\n");
    for key in [
        app::PRIVATE_KEY,
        app::PRIVATE_KEY_PKCS8,
        &one_line,
        &dos,
        &format!("\n  {}\n\n", app::PRIVATE_KEY.trim()),
    ] {
        let variables = Variables::deployed("app").set("VAULT_GITHUB_APP_PRIVATE_KEY", key);
        let config = variables.read().unwrap();
        assert!(matches!(config.repository.credential, Credential::App(_)));
    }
    let by_client = Variables::deployed("app").set("VAULT_GITHUB_APP_ID", app::CLIENT_ID);
    by_client.read().unwrap();
}

/// A configuration ends up in an error or a log sooner or later.
#[test]
fn no_secret_is_in_the_debug_output() {
    let shown = format!("{:?}", Variables::deployed("app").read().unwrap());
    for line in app::PRIVATE_KEY.lines().filter(|line| line.len() > 20) {
        assert!(!shown.contains(line), "{shown}");
    }
    for provider in ["oidc", "google", "github"] {
        let shown = format!("{:?}", Variables::deployed(provider).read().unwrap());
        for secret in [
            "a key that nobody else has",
            "github_pat_11AAAA_deployed",
            &format!("{provider} secret"),
        ] {
            assert!(!shown.contains(secret), "{provider}: {secret}");
        }
    }
}

/// Each kind of token that is refused has its own reason; what is none of GitHub's has a general one.
#[test]
fn a_token_of_the_wrong_kind_is_told_what_it_is() {
    for (token, said) in [
        ("ghp_0123456789", "is a classic token"),
        ("gho_0123456789", "is no personal access token"),
        ("ghu_0123456789", "is no personal access token"),
        ("ghs_0123456789", "is no personal access token"),
        ("ghr_0123456789", "is no personal access token"),
        ("0123456789", "must be a fine-grained token"),
    ] {
        let variables = Variables::deployed("oidc").set("VAULT_GITHUB_TOKEN", token);
        let error = variables.read().unwrap_err();
        assert!(error.problem.starts_with(said), "{error}");
    }
}
