//! Clients that are known by a document of their own.

use http::{Method, StatusCode, header};
use serde_json::{Value, json};
use vault_mcp::{http::Response, oauth::state::Instance};

use crate::support::oauth::{Browser, CLAUDE, LOOPBACK, Server, Tokens, VERIFIER, request, text};

const DOCUMENT: &str = "https://client.dev/oauth/client.json";
const CLAUDE_DOCUMENT: &str = "https://claude.ai/oauth/mcp-oauth-client-metadata";
const CLAUDE_CODE_DOCUMENT: &str = "https://claude.ai/oauth/claude-code-client-metadata";

fn document() -> Value {
    json!({
        "client_id": DOCUMENT,
        "client_name": "Dev client",
        "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut document = document();
    document[name] = value;
    document
}

fn publish(server: &Server, document: &Value) {
    server
        .web
        .publish(DOCUMENT, 200, "max-age=3600", &document.to_string());
}

async fn ask(server: &Server, client: &str, redirect_uri: &str) -> Response {
    Browser::new(server)
        .authorize(&request(client, redirect_uri, &[]))
        .await
}

fn fetches(server: &Server) -> usize {
    server.web.requests.borrow().len()
}

#[tokio::test]
async fn b1_a_document_is_fetched_and_makes_a_client() {
    let server = Server::new();
    publish(&server, &document());
    let page = ask(&server, DOCUMENT, LOOPBACK).await;
    assert_eq!(page.status(), StatusCode::OK, "{}", text(&page));
    let html = text(&page);
    assert!(
        html.contains("Dev client") && html.contains("vouched for by client.dev"),
        "{html}"
    );

    let requests = server.web.requests.borrow();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].method(), Method::GET);
    assert_eq!(requests[0].headers()[header::ACCEPT], "application/json");
    let agent = requests[0].headers()[header::USER_AGENT].to_str().unwrap();
    assert!(
        agent.starts_with("vault-mcp/") && agent.contains("https://vault.example"),
        "{agent}"
    );
    assert!(!requests[0].headers().contains_key(header::COOKIE));
}

#[tokio::test]
async fn b1_a_document_that_cannot_be_fetched_is_an_outage_and_not_remembered() {
    for (status, body) in [
        (302, document().to_string()),
        (404, document().to_string()),
        (503, String::new()),
        (200, "<html>Are you human?</html>".to_owned()),
        (200, "[]".to_owned()),
        (200, String::new()),
        (200, with("x", json!("x".repeat(5 * 1024))).to_string()),
    ] {
        let server = Server::new();
        server.web.publish(DOCUMENT, status, "max-age=3600", &body);
        let page = ask(&server, DOCUMENT, LOOPBACK).await;
        assert_eq!(
            page.status(),
            StatusCode::SERVICE_UNAVAILABLE,
            "{status} {body}"
        );
        assert_eq!(page.headers()[header::RETRY_AFTER], "30");
        assert!(!page.headers().contains_key(header::LOCATION));
        assert_eq!(fetches(&server), 1, "redirects are not followed");
        assert_eq!(server.objects.rows(Instance::Front, "documents"), 0);

        publish(&server, &document());
        assert_eq!(
            ask(&server, DOCUMENT, LOOPBACK).await.status(),
            StatusCode::OK
        );
    }
}

#[tokio::test]
async fn b2_a_document_that_is_not_in_order_is_refused() {
    for document in [
        with("client_id", json!("https://client.dev/oauth/other.json")),
        with("client_id", json!("https://client.dev/oauth/client.json/")),
        with("client_id", Value::Null),
        with("client_name", json!(" ")),
        with("client_name", Value::Null),
        with("redirect_uris", json!([])),
        with("redirect_uris", Value::Null),
        with("redirect_uris", json!("http://localhost/callback")),
        with("redirect_uris", json!(["https://evil.dev/callback"])),
        with("client_secret", json!("s")),
        with("client_secret_expires_at", json!(0)),
        with("token_endpoint_auth_method", json!("client_secret_basic")),
        with("token_endpoint_auth_method", json!("client_secret_jwt")),
        with("token_endpoint_auth_method", json!("private_key_jwt")),
        with(
            "jwks",
            json!({ "keys": [{ "kty": "RSA", "n": "x", "e": "AQAB", "d": "x" }] }),
        ),
        with("jwks", json!({ "keys": [{ "kty": "oct", "k": "x" }] })),
        with("grant_types", json!(["client_credentials"])),
        with("response_types", json!(["token"])),
    ] {
        let server = Server::new();
        publish(&server, &document);
        let page = ask(&server, DOCUMENT, LOOPBACK).await;
        assert_eq!(page.status(), StatusCode::BAD_REQUEST, "{document}");
        assert!(!page.headers().contains_key(header::LOCATION));
        assert_eq!(server.objects.rows(Instance::Front, "documents"), 0);
        assert_eq!(server.events.last().reason, "cimd_refused");
    }
}

#[tokio::test]
async fn b2_documents_may_offer_more_than_is_used_here() {
    let mut chatgpt = with("token_endpoint_auth_method", json!("private_key_jwt"));
    chatgpt["token_endpoint_auth_methods_supported"] = json!(["none", "private_key_jwt"]);
    chatgpt["jwks_uri"] = json!("https://client.dev/jwks.json");
    for document in [
        chatgpt,
        with("token_endpoint_auth_method", json!("none")),
        with(
            "grant_types",
            json!(["authorization_code", "refresh_token", "urn:x"]),
        ),
        with("response_types", json!(["code", "id_token"])),
        with(
            "redirect_uris",
            json!(["cursor://x", "http://localhost/callback"]),
        ),
        with(
            "jwks",
            json!({ "keys": [{ "kty": "RSA", "n": "x", "e": "AQAB" }] }),
        ),
        with("logo_uri", json!("https://client.dev/logo.png")),
    ] {
        let server = Server::new();
        publish(&server, &document);
        let page = ask(&server, DOCUMENT, LOOPBACK).await;
        assert_eq!(page.status(), StatusCode::OK, "{document}");
        assert_eq!(fetches(&server), 1, "nothing else is fetched");
    }
}

#[tokio::test]
async fn b3_nothing_but_public_documents_is_fetched() {
    let server = Server::new();
    for id in [
        "http://client.dev/x",
        "https://127.0.0.1/x",
        "https://169.254.169.254/latest/meta-data",
        "https://localhost/x",
        "https://intranet/x",
        "https://db.internal/x",
        "https://client.dev:8443/x",
        "https://vault.example/x",
    ] {
        let page = ask(&server, id, LOOPBACK).await;
        assert_eq!(page.status(), StatusCode::BAD_REQUEST, "{id}");
    }
    assert_eq!(fetches(&server), 0);
}

#[tokio::test]
async fn b3_a_flood_of_documents_is_dammed() {
    let server = Server::new();
    publish(&server, &document());
    for number in 0..70 {
        ask(&server, &format!("https://client.dev/{number}"), LOOPBACK).await;
    }
    assert_eq!(fetches(&server), 60);
    let page = ask(&server, DOCUMENT, LOOPBACK).await;
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
    // Claude's own are not shut out by it.
    assert_eq!(
        ask(&server, CLAUDE_CODE_DOCUMENT, LOOPBACK).await.status(),
        StatusCode::OK
    );
    server.wait(60);
    assert_eq!(
        ask(&server, DOCUMENT, LOOPBACK).await.status(),
        StatusCode::OK
    );
}

#[tokio::test]
async fn b4_a_document_is_kept_as_long_as_it_is_fresh() {
    let server = Server::new();
    server
        .web
        .publish(DOCUMENT, 200, "max-age=600", &document().to_string());
    for (wait, expected) in [(0, 1), (599, 1), (1, 2), (10, 2)] {
        server.wait(wait);
        assert_eq!(
            ask(&server, DOCUMENT, LOOPBACK).await.status(),
            StatusCode::OK
        );
        assert_eq!(fetches(&server), expected);
    }
}

#[tokio::test]
async fn b4_a_changed_document_counts_when_it_is_fetched_again() {
    let server = Server::new();
    publish(&server, &document());
    assert_eq!(
        ask(&server, DOCUMENT, LOOPBACK).await.status(),
        StatusCode::OK
    );
    publish(
        &server,
        &with("redirect_uris", json!(["http://localhost/other"])),
    );
    assert_eq!(
        ask(&server, DOCUMENT, LOOPBACK).await.status(),
        StatusCode::OK
    );
    server.wait(3_600);
    assert_eq!(
        ask(&server, DOCUMENT, LOOPBACK).await.status(),
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn b4_the_last_good_document_stands_in_for_a_week() {
    let server = Server::new();
    publish(&server, &document());
    assert_eq!(
        ask(&server, DOCUMENT, LOOPBACK).await.status(),
        StatusCode::OK
    );
    server.web.publish(DOCUMENT, 503, "", "");
    let day = 24 * 60 * 60;
    for _ in 0..6 {
        server.wait(day);
        assert_eq!(
            ask(&server, DOCUMENT, LOOPBACK).await.status(),
            StatusCode::OK
        );
    }
    assert_eq!(server.events.reasons().last(), Some(&"cimd_fetch_failed"));
    let before = fetches(&server);
    assert_eq!(
        ask(&server, DOCUMENT, LOOPBACK).await.status(),
        StatusCode::OK
    );
    assert_eq!(
        fetches(&server),
        before,
        "an outage does not cost every login a fetch"
    );
    server.wait(day);
    let page = ask(&server, DOCUMENT, LOOPBACK).await;
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn b4_a_document_that_is_gone_breaks_neither_code_nor_refresh() {
    let server = Server::new();
    publish(&server, &document());
    let code = server.authorize(DOCUMENT, LOOPBACK).await.one("code");
    server.web.documents.borrow_mut().clear();
    let before = fetches(&server);
    let (status, body) = server.redeem(DOCUMENT, &code, LOOPBACK).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let tokens = Tokens::of(DOCUMENT, &body);
    server.wait(20 * 24 * 60 * 60);
    let (status, body) = server.refresh(DOCUMENT, &tokens.refresh).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert_eq!(fetches(&server), before);
    let fields = [
        ("client_id", DOCUMENT),
        ("token", body["access_token"].as_str().unwrap()),
    ];
    assert_eq!(server.revoke(&fields).await, StatusCode::OK);
}

#[tokio::test]
async fn b4_a_code_of_one_document_is_not_anothers() {
    let server = Server::new();
    publish(&server, &document());
    let code = server.authorize(DOCUMENT, LOOPBACK).await.one("code");
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", CLAUDE_CODE_DOCUMENT),
        ("code", &code),
        ("code_verifier", VERIFIER),
    ];
    let (status, body) = server.token(&fields).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::BAD_REQUEST, &json!("invalid_grant"))
    );
}

#[tokio::test]
async fn b4a_claudes_clients_are_known_when_their_documents_cannot_be_fetched() {
    for (id, redirect_uri, name) in [
        (CLAUDE_DOCUMENT, CLAUDE, "Claude"),
        (
            CLAUDE_DOCUMENT,
            "https://claude.com/api/mcp/auth_callback",
            "Claude",
        ),
        (
            CLAUDE_CODE_DOCUMENT,
            "http://localhost:3118/callback",
            "Claude Code",
        ),
        (
            CLAUDE_CODE_DOCUMENT,
            "http://127.0.0.1:61000/callback",
            "Claude Code",
        ),
    ] {
        let server = Server::new();
        server.web.publish(id, 200, "", "<html>bot wall</html>");
        let page = ask(&server, id, redirect_uri).await;
        assert_eq!(page.status(), StatusCode::OK, "{id}");
        assert!(text(&page).contains(&format!("<strong>{name}</strong>")));
        ask(&server, id, redirect_uri).await;
        assert_eq!(fetches(&server), 1);
        let page = ask(&server, id, "http://localhost:1/other").await;
        assert_eq!(page.status(), StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn b4a_the_real_document_counts_where_it_can_be_fetched() {
    let server = Server::new();
    let real = json!({
        "client_id": CLAUDE_DOCUMENT,
        "client_name": "Claude, renamed",
        "redirect_uris": ["https://claude.ai/new_callback"],
    });
    server
        .web
        .publish(CLAUDE_DOCUMENT, 200, "", &real.to_string());
    let page = ask(&server, CLAUDE_DOCUMENT, "https://claude.ai/new_callback").await;
    assert!(text(&page).contains("Claude, renamed"));
    let page = ask(&server, CLAUDE_DOCUMENT, CLAUDE).await;
    assert_eq!(page.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn e14_installs_that_share_a_document_keep_their_grants() {
    let server = Server::new();
    let mut grants = Vec::new();
    for port in ["50001", "50002"] {
        let redirect_uri = format!("http://localhost:{port}/callback");
        let code = server
            .authorize(CLAUDE_CODE_DOCUMENT, &redirect_uri)
            .await
            .one("code");
        let (_, body) = server
            .redeem(CLAUDE_CODE_DOCUMENT, &code, &redirect_uri)
            .await;
        grants.push(Tokens::of(CLAUDE_CODE_DOCUMENT, &body));
    }
    for tokens in &grants {
        assert!(server.access(&tokens.access).await.is_some());
    }
}
