//! The authorization endpoint: what is shown here, what goes back to the client, and the scope.

use http::{StatusCode, header};
use serde_json::json;
use vault_mcp::oauth::{RedirectHosts, state::Instance};

use crate::support::oauth::{
    BASE, Browser, CHALLENGE, CLAUDE, Callback, LOOPBACK, RESOURCE, Server, request, text,
};

const NOTHING: [i64; 7] = [0; 7];

#[tokio::test]
async fn c1_an_error_before_the_redirect_uri_is_trusted_is_shown_here() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    for query in [
        String::new(),
        request("", CLAUDE, &[("client_id", "")]),
        request("dcr_unknown", CLAUDE, &[]),
        format!("{}&client_id={client}", request(&client, CLAUDE, &[])),
        request(&client, "", &[("redirect_uri", "")]),
        request(&client, "https://claude.ai/other", &[]),
        request(&client, "https://evil.example/cb", &[]),
        request(&client, "javascript:alert(1)", &[]),
        format!("{}&redirect_uri={CLAUDE}", request(&client, CLAUDE, &[])),
        format!("{}&x=%FF", request(&client, CLAUDE, &[])),
    ] {
        let page = Browser::new(&server).authorize(&query).await;
        assert_eq!(page.status(), StatusCode::BAD_REQUEST, "{query}");
        assert!(!page.headers().contains_key(header::LOCATION), "{query}");
        assert!(!page.headers().contains_key(header::SET_COOKIE), "{query}");
        assert!(!text(&page).contains("<form"), "{query}");
    }
    let page = Browser::new(&server)
        .authorize(&request("dcr_unknown", CLAUDE, &[]))
        .await;
    assert!(
        text(&page).contains("Remove this server"),
        "{}",
        text(&page)
    );
    assert_eq!(server.footprint(), NOTHING);
}

#[tokio::test]
async fn c1_c2_an_error_of_the_request_goes_to_the_client() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let long = "s".repeat(4097);
    let ok = request(&client, CLAUDE, &[]);
    for (query, error) in [
        (
            request(&client, CLAUDE, &[("response_type", "")]),
            "invalid_request",
        ),
        (
            request(&client, CLAUDE, &[("response_type", "token")]),
            "unsupported_response_type",
        ),
        (
            request(&client, CLAUDE, &[("response_mode", "fragment")]),
            "invalid_request",
        ),
        (
            request(&client, CLAUDE, &[("code_challenge", "")]),
            "invalid_request",
        ),
        (
            request(&client, CLAUDE, &[("code_challenge", "short")]),
            "invalid_request",
        ),
        (
            request(&client, CLAUDE, &[("code_challenge_method", "")]),
            "invalid_request",
        ),
        (
            request(&client, CLAUDE, &[("code_challenge_method", "plain")]),
            "invalid_request",
        ),
        (
            request(&client, CLAUDE, &[("code_challenge_method", "s256")]),
            "invalid_request",
        ),
        (
            request(
                &client,
                CLAUDE,
                &[("resource", "https://other.example/mcp")],
            ),
            "invalid_target",
        ),
        (format!("{ok}&resource={RESOURCE}"), "invalid_target"),
        (
            format!("{ok}&code_challenge={CHALLENGE}"),
            "invalid_request",
        ),
        (format!("{ok}&scope=a&scope=b"), "invalid_request"),
        (format!("{ok}&anything=1&anything=2"), "invalid_request"),
    ] {
        let callback = Callback::of(&Browser::new(&server).authorize(&query).await);
        assert!(callback.0.as_str().starts_with(CLAUDE), "{query}");
        assert_eq!(callback.one("error"), error, "{query}");
        assert!(!callback.one("error_description").is_empty());
        assert_eq!(callback.one("state"), "client state", "{query}");
        assert_eq!(callback.one("iss"), BASE, "{query}");
        assert!(callback.all("code").is_empty());
    }
    // A state that cannot be given back is left out.
    for query in [
        request(&client, CLAUDE, &[("state", &long)]),
        format!("{ok}&state=two"),
    ] {
        let callback = Callback::of(&Browser::new(&server).authorize(&query).await);
        assert_eq!(callback.one("error"), "invalid_request");
        assert!(callback.all("state").is_empty());
    }
    assert_eq!(server.footprint(), NOTHING);
}

#[tokio::test]
async fn c2_unknown_scopes_are_dropped_and_none_means_all() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    for (scope, writes) in [
        ("", true),
        ("claudeai", true),
        ("offline_access", true),
        ("vault:read vault:write offline_access", true),
        ("vault:write", true),
        ("vault:read", false),
        ("vault:read claudeai", false),
    ] {
        let query = request(&client, CLAUDE, &[("scope", scope)]);
        let page = Browser::new(&server).authorize(&query).await;
        assert_eq!(page.status(), StatusCode::OK, "{scope}");
        assert_eq!(
            text(&page).contains("create, change and delete"),
            writes,
            "{scope}"
        );
    }
}

#[tokio::test]
async fn c3_every_usual_spelling_of_the_resource_is_taken_for_the_resource() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    for resource in [
        "",
        RESOURCE,
        BASE,
        "https://vault.example/",
        "https://vault.example/mcp/",
        "HTTPS://VAULT.example/mcp",
    ] {
        let callback = server
            .authorize_with(&client, CLAUDE, &[("resource", resource)])
            .await;
        let code = callback.one("code");
        let (_, body) = server.redeem(&client, &code, CLAUDE).await;
        let access = body["access_token"].as_str().unwrap();
        assert!(server.access(access).await.is_some(), "{resource}");
    }
}

#[tokio::test]
async fn c4_success_carries_code_state_and_issuer_once_each() {
    let server = Server::new();
    let client = server.client("https://claude.ai/cb?keep=1").await;
    let state = "a+b c&=%\u{20ac}\"";
    let callback = server
        .authorize_with(&client, "https://claude.ai/cb?keep=1", &[("state", state)])
        .await;
    assert_eq!(callback.one("keep"), "1");
    assert!(callback.one("code").starts_with("vmcp_ac_1."));
    assert_eq!(callback.one("state"), state);
    assert_eq!(callback.one("iss"), BASE);
    assert!(callback.all("error").is_empty());

    let callback = server
        .authorize_with(&client, "https://claude.ai/cb?keep=1", &[("state", "")])
        .await;
    assert!(callback.all("state").is_empty());
}

#[tokio::test]
async fn b5_a_loopback_client_comes_with_any_port() {
    let server = Server::new();
    let client = server.client("http://localhost:50001/callback").await;
    let callback = server
        .authorize(&client, "http://localhost:61234/callback")
        .await;
    assert!(
        callback
            .0
            .as_str()
            .starts_with("http://localhost:61234/callback?")
    );
    let other = request(&client, "http://127.0.0.1:61234/callback", &[]);
    let page = Browser::new(&server).authorize(&other).await;
    assert_eq!(page.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn b6_a_listed_uri_that_nobody_may_use_is_not_used() {
    let server = Server::new();
    let metadata = json!({
        "redirect_uris": ["cursor://callback", CLAUDE],
        "token_endpoint_auth_method": "none",
    });
    let (_, body) = server.register(&metadata).await;
    let client = body["client_id"].as_str().unwrap();
    let page = Browser::new(&server)
        .authorize(&request(client, "cursor://callback", &[]))
        .await;
    assert_eq!(page.status(), StatusCode::BAD_REQUEST);
    let page = Browser::new(&server)
        .authorize(&request(client, CLAUDE, &[]))
        .await;
    assert_eq!(page.status(), StatusCode::OK);
}

#[tokio::test]
async fn b10_a_host_that_is_no_longer_allowed_gets_no_code() {
    let open = Server::with(|setup| setup.settings.redirect_hosts = RedirectHosts::Any);
    let client = open.client("https://partner.example/cb").await;
    let query = request(&client, "https://partner.example/cb", &[]);
    assert_eq!(
        Browser::new(&open).authorize(&query).await.status(),
        StatusCode::OK
    );
    let closed = open.redeployed(
        |settings| settings.redirect_hosts = RedirectHosts::default(),
        "owner@example.test",
    );
    let page = Browser::new(&closed).authorize(&query).await;
    assert_eq!(page.status(), StatusCode::BAD_REQUEST);
    assert!(text(&page).contains("MCP_REDIRECT_HOSTS"));
}

#[tokio::test]
async fn c7_asking_writes_nothing_and_can_be_repeated() {
    let server = Server::new();
    let client = server.client(LOOPBACK).await;
    let calls = server.objects.calls.borrow().len();
    let mut browser = Browser::new(&server);
    for _ in 0..3 {
        let page = browser
            .authorize(&request(&client, LOOPBACK, &[("prompt", "consent")]))
            .await;
        assert_eq!(page.status(), StatusCode::OK);
    }
    assert_eq!(server.footprint(), NOTHING);
    assert_eq!(server.objects.rows(Instance::Front, "clients"), 1);
    let since: Vec<_> = server.objects.calls.borrow()[calls..].to_vec();
    assert_eq!(since, ["find_client"; 3]);
}

#[tokio::test]
async fn e5_an_outage_at_the_door_is_a_page_that_says_so() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    server.objects.down.set(true);
    let page = Browser::new(&server)
        .authorize(&request(&client, CLAUDE, &[]))
        .await;
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(page.headers()[header::RETRY_AFTER], "30");
    assert!(!page.headers().contains_key(header::LOCATION));
}

#[tokio::test]
async fn nothing_is_issued_without_randomness() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    server.rng.broken.set(true);
    let page = Browser::new(&server)
        .authorize(&request(&client, CLAUDE, &[]))
        .await;
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(!page.headers().contains_key(header::SET_COOKIE));
}
