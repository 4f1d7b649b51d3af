//! What is wrong for every key.

/// A key, whether it has to be set, and values that are wrong for it.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) key: &'static str,
    /// The deployment in which the key is read: a login provider, or `app` for one whose vault is
    /// reached by a GitHub App.
    pub(super) provider: &'static str,
    pub(super) required: bool,
    pub(super) wrong: &'static [&'static str],
}

const fn row(key: &'static str, wrong: &'static [&'static str]) -> Row {
    Row {
        key,
        provider: "oidc",
        required: false,
        wrong,
    }
}

const fn required(key: &'static str, wrong: &'static [&'static str]) -> Row {
    Row {
        required: true,
        ..row(key, wrong)
    }
}

const fn of(provider: &'static str, row: Row) -> Row {
    Row { provider, ..row }
}

const WRONG_FLAGS: &[&str] = &["yes", "on", "1", "ture", "\"true\"", "true false"];
const WRONG_URLS: &[&str] = &[
    "github.test",
    "http://github.test",
    "ftp://github.test",
    "https://",
    "https://github.test?page=1",
    "https://github.test#top",
    "https://user:secret@github.test",
    "http://localhost:8789",
];
const WRONG_EMAILS: &[&str] = &[
    "owner",
    "@example.test",
    "*@example.test",
    "owner@example.test:write",
    "owner@example.test:READ",
    "owner@example.test:read:read",
    "owner@example.test;reader@example.test",
    "id:583231",
    "sub:",
    "owner@example.test, nobody",
];
const WRONG_PREFIXES: &[&str] = &[
    "../x",
    "/Private",
    "a//b",
    "a/./b",
    "a\\b",
    "Private,,Daily",
    "Private,",
    "a\u{7}b",
    "C:/x",
];

/// What is wrong for every key there is.
pub(super) const ROWS: &[Row] = &[
    required(
        "PUBLIC_BASE_URL",
        &[
            "notes.test",
            "http://notes.test",
            "https://notes.test/",
            "https://notes.test/mcp",
            "https://notes.test?x=1",
            "https://notes.test#x",
            "https://user@notes.test",
            "ftp://notes.test",
            "https://",
            "//notes.test",
            "https://notes.test https://b.example",
        ],
    ),
    required(
        "AUTH_PROVIDER",
        &["saml", "OIDC", "GitHub", "oidc,github", "oidc google"],
    ),
    required(
        "OIDC_ISSUER",
        &[
            "login.example",
            "http://login.example",
            "http://localhost:8788",
            "https://login.example?tenant=1",
            "https://login.example#x",
            "https://user:secret@login.example",
            "https://login.microsoftonline.com/{tenantid}/v2.0",
            "https://login.microsoftonline.com/common/v2.0",
            "https://login.microsoftonline.com/organizations/v2.0",
            "https://login.example/.well-known/openid-configuration",
        ],
    ),
    required("OIDC_CLIENT_ID", &[]),
    required("OIDC_CLIENT_SECRET", &[]),
    row("OIDC_ALLOW_UNVERIFIED_EMAIL", WRONG_FLAGS),
    of("github", required("GITHUB_CLIENT_ID", &[])),
    of("github", required("GITHUB_CLIENT_SECRET", &[])),
    of("google", required("GOOGLE_CLIENT_ID", &[])),
    of("google", required("GOOGLE_CLIENT_SECRET", &[])),
    of(
        "google",
        row(
            "GOOGLE_HOSTED_DOMAIN",
            &[
                "@example.test",
                "https://example.test",
                "*.example.test",
                "owner@example.test",
                "a.test,b.test",
            ],
        ),
    ),
    row("VAULT_ALLOWED_OIDC_EMAILS", WRONG_EMAILS),
    of(
        "github",
        row(
            "VAULT_ALLOWED_GITHUB_LOGINS",
            &[
                "owner@example.test",
                "octocat:write",
                "octocat:READ",
                "octo cat!",
                "sub:1",
                "id:x",
                "id:",
                "@octocat",
            ],
        ),
    ),
    of("google", row("VAULT_ALLOWED_GOOGLE_EMAILS", WRONG_EMAILS)),
    required(
        "COOKIE_ENCRYPTION_KEY",
        &[
            "short",
            "0123456789-0123456789-012345678",
            "example-key-for-loopback-only-0123456789abcdef",
        ],
    ),
    required(
        "VAULT_OWNER",
        &[
            "octo/cat",
            "-octocat",
            "octo cat",
            "..",
            "https://github.com/octocat",
        ],
    ),
    required(
        "VAULT_REPO",
        &[
            "octocat/notes",
            "..",
            "my notes",
            "notes?x",
            "https://github.com/a/b",
        ],
    ),
    row(
        "VAULT_BRANCH",
        &[
            "a..b",
            "-x",
            "refs/heads/",
            "a b",
            "a~1",
            "x.lock",
            "HEAD",
            "@",
        ],
    ),
    required(
        "VAULT_GITHUB_TOKEN",
        &[
            "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
            "gho_0123456789abcdefghijklmnopqrstuvwxyz",
            "ghu_0123456789abcdefghijklmnopqrstuvwxyz",
            "ghs_0123456789abcdefghijklmnopqrstuvwxyz",
            "ghr_0123456789abcdefghijklmnopqrstuvwxyz",
            "0123456789abcdef0123456789abcdef01234567",
            "Bearer github_pat_0123456789",
            "GITHUB_PAT_0123456789",
        ],
    ),
    of(
        "app",
        required(
            "VAULT_GITHUB_APP_ID",
            &[
                "vault-reader",
                "100001x",
                "-1",
                "Iv23li/../x",
                "https://github.com/settings/apps/vault",
            ],
        ),
    ),
    of(
        "app",
        required(
            "VAULT_GITHUB_APP_INSTALLATION_ID",
            &[
                "my-account",
                "-1",
                "1.5",
                "https://github.com/settings/installations/200002",
            ],
        ),
    ),
    of(
        "app",
        required(
            "VAULT_GITHUB_APP_PRIVATE_KEY",
            &[
                "SHA256:k2aTOIU6hhF5GPVkxqP1yLLlDbQdSFuVyTLkUIL5xXs=",
                "-----BEGIN RSA PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789\n-----END RSA PRIVATE KEY-----",
                include_str!("../../../dev/keys/app.public.pem"),
                include_str!("../../fixtures/github-app/elliptic.pem"),
                include_str!("../../fixtures/github-app/encrypted.pem"),
            ],
        ),
    ),
    row("VAULT_ALLOWED_PREFIXES", WRONG_PREFIXES),
    row("VAULT_DENIED_PREFIXES", WRONG_PREFIXES),
    row("VAULT_READ_ONLY", WRONG_FLAGS),
    row("REMEMBER_CONSENT", WRONG_FLAGS),
    row("GITHUB_API_URL", WRONG_URLS),
    row(
        "GITHUB_WEBHOOK_SECRET",
        &["short", "0123456789-0123456789-012345678"],
    ),
    row("GITHUB_WEB_URL", WRONG_URLS),
    row(
        "ACCESS_TTL",
        &[
            "an hour", "-1", "59", "86401", "3600s", "1e3", "36.5", "0x10",
        ],
    ),
    row(
        "REFRESH_IDLE_TTL",
        &["a month", "3599", "31536001", "15552001"],
    ),
    row("REFRESH_ABSOLUTE_TTL", &["half a year", "3599", "63072001"]),
    row("REFRESH_GRACE", &["ten", "3601", "-600"]),
    row(
        "REFRESH_REUSE",
        &["revok", "Revoke", "reject revoke", "off"],
    ),
    row("REVOKE_BEFORE", &["yesterday", "-1", "2026-11-30", "1.5"]),
    row(
        "MCP_REDIRECT_HOSTS",
        &[
            "https://tool.example",
            "tool.example:8443",
            "tool.example/path",
            "192.0.2.1",
            "[2001:db8::1]",
            "*.example.test",
            "a_b!.example",
        ],
    ),
    row(
        "MCP_STATIC_CLIENTS",
        &[
            "secret-client",
            "{\"client_id\":\"secret-client\"}",
            "[{\"client_id\":\"secret-client\"}]",
            r#"[{"client_id":"secret-client","name":"x","redirect_uris":[]}]"#,
            r#"[{"client_id":"secret-client","name":"x","redirect_uris":["http://evil.example/cb"]}]"#,
            r#"[{"client_id":"secret client","name":"x","redirect_uris":["https://a.example/cb"]}]"#,
            r#"[{"client_id":"secret-client","name":"x","redirect_uris":["https://a.example/cb"],"secret":"in the clear"}]"#,
            r#"[{"client_id":"secret-client","name":"x","redirect_uris":["https://a.example/cb"],"secret_sha256":"in the clear"}]"#,
        ],
    ),
    row(
        "MCP_ALLOWED_ORIGINS",
        &[
            "tool.example",
            "http://tool.example",
            "https://tool.example/",
            "null",
            "*",
            "https://a.example,b.example",
        ],
    ),
];
