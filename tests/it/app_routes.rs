//! The routes around the MCP endpoint: what is public, what scripts may read, and what is not there.

use http::Method;
use serde_json::json;
use vault_mcp::{
    config::ConfigError,
    http::{
        misconfigured,
        routes::{Endpoint, ROUTES},
    },
};

use crate::support::{
    app::{Answer, Post, TestApp},
    oauth::SeededRng,
};

fn app() -> TestApp {
    TestApp::of(&[("Secret plans.md", "x")])
}

async fn get(app: &TestApp, path: &str) -> Answer {
    app.respond(&Post::raw("").method(&Method::GET).to(path).request())
        .await
}

#[tokio::test]
async fn a9_the_home_page_says_how_to_connect_and_nothing_of_the_vault() {
    let app = app();
    let page = get(&app, "/").await;
    assert_eq!(page.status(), 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let text = page.text();
    assert!(
        text.contains("claude mcp add --transport http vault https://vault.example/mcp"),
        "{text}"
    );
    for word in ["Secret", "owner@example.test", "<script", "http://"] {
        assert!(!text.contains(word), "{word}");
    }
    let (_, nonce) = text.split_once("<style nonce=\"").expect("a style");
    let nonce = nonce.split('"').next().unwrap();
    assert!(nonce.len() >= 22, "{nonce}");
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; form-action 'none'; \
         frame-ancestors 'none'; base-uri 'none'"
    );
    assert_eq!(
        page.header("content-security-policy"),
        Some(policy.as_str())
    );
    let again = get(&app, "/").await;
    assert!(!again.text().contains(nonce), "a nonce is used once");
    for (name, value) in [
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
}

#[tokio::test]
async fn a9_health_holds_no_secret() {
    let answer = get(&app(), "/healthz").await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.json(), json!({ "status": "ok" }));
}

#[tokio::test]
async fn a2_a5_metadata_is_public_at_both_places_and_nowhere_else() {
    let app = app();
    for name in ["oauth-protected-resource", "oauth-authorization-server"] {
        let root = get(&app, &format!("/.well-known/{name}")).await;
        let suffixed = get(&app, &format!("/.well-known/{name}/mcp")).await;
        assert_eq!(root.status(), 200);
        assert_eq!(root.text(), suffixed.text());
        let cache = root.header("cache-control").unwrap();
        assert_eq!(cache, "public, max-age=300");
        for path in ["/other", "/mcp/", "/", "x"] {
            let path = format!("/.well-known/{name}{path}");
            assert_eq!(get(&app, &path).await.status(), 404, "{path}");
        }
    }
    for path in [
        "/.well-known/openid-configuration",
        "/.well-known/jwks.json",
        "/.well-known",
    ] {
        assert_eq!(get(&app, path).await.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn g3_a_path_that_is_not_there_is_404_in_json_and_names_the_endpoint() {
    let app = app();
    for (method, path) in [
        (Method::GET, "/nowhere"),
        (Method::POST, "/"),
        (Method::DELETE, "/"),
        (Method::POST, "/sse"),
        (Method::GET, "/mcp/sse"),
        (Method::POST, "/MCP"),
        (Method::GET, "//mcp"),
        (Method::GET, "/mcp/../mcp"),
        (Method::GET, "/%6dcp"),
        (Method::OPTIONS, "/nowhere"),
        (Method::GET, "/.git/config"),
    ] {
        let post = Post::raw("").method(&method).to(path);
        let answer = app.respond(&post.request()).await;
        assert_eq!(answer.outcome(), "404 not_found", "{method} {path}");
        let said = answer.json()["error_description"].to_string();
        assert!(said.contains("https://vault.example/mcp"), "{said}");
    }
}

/// URLs that are handed out come from the configuration, never from a request.
#[tokio::test]
async fn a6_no_route_is_served_under_another_host() {
    let app = app();
    for route in ROUTES {
        let post = Post::raw("")
            .method(&route.methods[0])
            .to(route.path)
            .header("host", "evil.example")
            .header("x-forwarded-host", "vault.example")
            .header("forwarded", "host=vault.example");
        let answer = app.respond(&post.request()).await;
        assert_eq!(answer.outcome(), "403 forbidden", "{}", route.path);
        let ours = post
            .header("host", "vault.example")
            .header("x-forwarded-host", "evil.example")
            .header("x-forwarded-proto", "http")
            .header("forwarded", "host=evil.example");
        let answer = app.respond(&ours.request()).await;
        assert!(!answer.text().contains("evil.example"), "{}", route.path);
        if let Some(challenge) = answer.header("www-authenticate") {
            assert!(!challenge.contains("evil.example"), "{challenge}");
        }
    }
}

#[tokio::test]
async fn a7_scripts_of_any_origin_may_use_what_is_no_page() {
    let app = app();
    for route in ROUTES {
        let is_closed = matches!(
            route.endpoint,
            Endpoint::Home
                | Endpoint::Health
                | Endpoint::Authorize
                | Endpoint::Consent
                | Endpoint::Callback
                | Endpoint::Sessions
                | Endpoint::SignIn
                | Endpoint::EndGrants
                | Endpoint::SignOut
                | Endpoint::Webhook
        );
        assert_eq!(route.cors, !is_closed, "{}", route.path);
        let preflight = Post::raw("")
            .method(&Method::OPTIONS)
            .to(route.path)
            .header("origin", "https://inspector.example")
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization, mcp-method",
            );
        let answer = app.respond(&preflight.request()).await;
        if is_closed {
            assert!(
                [404, 405].contains(&answer.status().as_u16()),
                "{}",
                route.path
            );
            assert_eq!(answer.header("access-control-allow-origin"), None);
            let page = app.respond(&preflight.method(&Method::GET).request()).await;
            assert_eq!(page.header("access-control-allow-origin"), None);
            continue;
        }
        assert_eq!(
            (answer.status().as_u16(), answer.text()),
            (204, ""),
            "{}",
            route.path
        );
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(
            answer.header("access-control-allow-methods"),
            Some("GET, POST, DELETE, OPTIONS")
        );
        assert_eq!(answer.header("access-control-max-age"), Some("86400"));
        assert_eq!(answer.header("vary"), Some("Origin"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let allowed = answer.header("access-control-allow-headers").unwrap();
        for name in [
            "Authorization",
            "Content-Type",
            "Accept",
            "MCP-Protocol-Version",
            "Mcp-Method",
            "Mcp-Name",
            "Mcp-Session-Id",
            "Last-Event-ID",
        ] {
            assert!(allowed.split(", ").any(|header| header == name), "{name}");
        }
    }
}

/// A script that cannot read an error cannot act on it.
#[tokio::test]
async fn a7_errors_can_be_read_by_scripts_too() {
    let app = app();
    for route in ROUTES.iter().filter(|route| route.cors) {
        for (method, host) in [
            (Method::POST, "vault.example"),
            (Method::GET, "vault.example"),
            (Method::PUT, "vault.example"),
            (Method::POST, "evil.example"),
        ] {
            let post = Post::raw("")
                .method(&method)
                .to(route.path)
                .header("host", host);
            let answer = app.respond(&post.request()).await;
            assert_eq!(
                answer.header("access-control-allow-origin"),
                Some("*"),
                "{}",
                route.path
            );
            let exposed = answer.header("access-control-expose-headers").unwrap();
            for name in [
                "WWW-Authenticate",
                "MCP-Protocol-Version",
                "Mcp-Session-Id",
                "Retry-After",
            ] {
                assert!(exposed.contains(name), "{name}");
            }
            assert_eq!(answer.header("access-control-allow-credentials"), None);
        }
    }
}

#[tokio::test]
async fn a2_head_is_get_without_the_body() {
    let app = app();
    for route in ROUTES
        .iter()
        .filter(|route| route.methods.contains(&Method::GET))
    {
        let post = Post::raw("").to(route.path);
        let get = app
            .respond(&post.clone().method(&Method::GET).request())
            .await;
        let head = app.respond(&post.method(&Method::HEAD).request()).await;
        assert_eq!(head.status(), get.status(), "{}", route.path);
        assert_eq!(head.header("content-type"), get.header("content-type"));
        assert_eq!(head.text(), "");
    }
}

#[tokio::test]
async fn other_methods_are_405_and_say_which_there_are() {
    let app = app();
    for route in ROUTES {
        if matches!(route.endpoint, Endpoint::Mcp | Endpoint::Home) {
            continue;
        }
        for method in [Method::PUT, Method::DELETE, Method::PATCH] {
            let post = Post::raw("").method(&method).to(route.path);
            let answer = app.respond(&post.request()).await;
            assert_eq!(answer.outcome(), "405 method_not_allowed", "{}", route.path);
            assert_eq!(answer.header("allow"), Some(route.methods[0].as_str()));
        }
    }
}

#[test]
fn every_path_stands_once() {
    let mut paths: Vec<&str> = ROUTES.iter().map(|route| route.path).collect();
    let count = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), count);
    for path in ["/authorize", "/token", "/register", "/revoke"] {
        assert!(paths.contains(&path), "{path} has to be at the root");
    }
}

#[test]
fn d3_a_server_that_cannot_run_says_which_key_to_fix() {
    let error = ConfigError {
        key: "VAULT_OWNER",
        problem: "is not set <b>".to_owned(),
    };
    let page = misconfigured(&error, &SeededRng::default());
    assert_eq!(page.status(), 500);
    let text = std::str::from_utf8(page.body()).unwrap();
    assert!(
        text.contains("<code>VAULT_OWNER</code> is not set &lt;b&gt;."),
        "{text}"
    );
    assert!(
        text.contains("npx wrangler secret put VAULT_OWNER"),
        "{text}"
    );
    assert_eq!(page.headers()["cache-control"], "no-store");
}
