//! Faults of discovery, keys and token endpoint.

use serde_json::{Value, json};
use vault_mcp::runtime::FetchError;

use super::{
    Outcome::{LoggedIn, Misconfigured, Unavailable, Untrusted},
    Row, row, table,
};
use crate::support::openid::{Answer, CLIENT_SECRET};

/// More than is taken of any answer.
fn too_much() -> Value {
    "x".repeat(256 * 1024).into()
}

#[tokio::test]
async fn o1_o2_o8_discovery_faults_end_before_anything_is_sent() {
    let rows = [
        row("another issuer", Untrusted, |it| {
            it.discovery("issuer", "https://evil.example");
        }),
        row("a slash more", Misconfigured, |it| {
            it.discovery("issuer", "https://id.example/");
        }),
        row("many tenants", Misconfigured, |it| {
            it.discovery(
                "issuer",
                "https://login.microsoftonline.com/{tenantid}/v2.0",
            );
        }),
        row("token endpoint over http", Untrusted, |it| {
            it.discovery("token_endpoint", "http://id.example/token");
        }),
        row("keys over http", Untrusted, |it| {
            it.discovery("jwks_uri", "http://id.example/jwks");
        }),
        row("token endpoint on this machine", Untrusted, |it| {
            it.discovery("token_endpoint", "http://localhost/token");
        }),
        row("no token endpoint", Misconfigured, |it| {
            it.discovery("token_endpoint", Value::Null);
        }),
        row("no client secrets", Misconfigured, |it| {
            let methods = json!(["private_key_jwt"]);
            it.discovery("token_endpoint_auth_methods_supported", methods);
        }),
        row("not found", Misconfigured, |it| {
            it.answer("discovery", Answer::Status(404));
        }),
        row("moved", Unavailable, |it| {
            it.answer("discovery", Answer::Status(301));
        }),
        row("failing", Unavailable, |it| {
            it.answer("discovery", Answer::Status(500));
        }),
        row("too busy", Unavailable, |it| {
            it.answer("discovery", Answer::Status(429));
        }),
        row("too slow", Unavailable, |it| {
            it.answer("discovery", Answer::Fails(FetchError::Timeout));
        }),
        row("out of reach", Unavailable, |it| {
            it.answer(
                "discovery",
                Answer::Fails(FetchError::Network("no route".into())),
            );
        }),
        row("too large", Unavailable, |it| {
            it.discovery("padding", too_much());
        }),
        row("a page for people", Unavailable, |it| {
            it.answer("discovery", Answer::Text("<html>"));
        }),
    ];
    table(
        "login_oidc_discovery",
        &rows.map(|row| row.asking("discovery")),
        |_| {},
    )
    .await;
}

#[tokio::test]
async fn d4_token_endpoint_faults_end_the_login() {
    let rows = [
        row("invalid_grant", Untrusted, |it| {
            it.answer(
                "token",
                Answer::Json(400, json!({ "error": "invalid_grant" })),
            );
        }),
        row("invalid_client", Misconfigured, |it| {
            it.answer(
                "token",
                Answer::Json(401, json!({ "error": "invalid_client" })),
            );
        }),
        row("unauthorized_client", Misconfigured, |it| {
            it.answer(
                "token",
                Answer::Json(400, json!({ "error": "unauthorized_client" })),
            );
        }),
        row("an error that repeats a secret", Untrusted, |it| {
            let body = json!({ "error": "x", "error_description": CLIENT_SECRET });
            it.answer("token", Answer::Json(400, body));
        }),
        row("failing", Unavailable, |it| {
            it.answer("token", Answer::Status(502));
        }),
        row("redirect", Unavailable, |it| {
            it.answer("token", Answer::Status(307));
        }),
        row("too slow", Unavailable, |it| {
            it.answer("token", Answer::Fails(FetchError::Timeout));
        }),
        row("too large", Unavailable, |it| {
            it.token("padding", too_much());
        }),
        row("a page for people", Untrusted, |it| {
            it.answer("token", Answer::Text("<html>"));
        }),
        row("no access token", Untrusted, |it| {
            it.token("access_token", Value::Null);
        }),
    ];
    table(
        "login_oidc_token",
        &rows.map(|row| row.asking("discovery token")),
        |_| {},
    )
    .await;
}

#[tokio::test]
async fn o8_without_keys_nobody_is_believed() {
    const ROWS: [Row; 5] = [
        row("failing", Unavailable, |it| {
            it.answer("jwks", Answer::Status(500));
        }),
        row("not found", Unavailable, |it| {
            it.answer("jwks", Answer::Status(404));
        }),
        row("moved", Unavailable, |it| {
            it.answer("jwks", Answer::Status(302));
        }),
        row("a page for people", Unavailable, |it| {
            it.answer("jwks", Answer::Text("<html>"));
        }),
        row("to be had", LoggedIn, |_| {}),
    ];
    table("login_oidc_key_document", &ROWS, |_| {}).await;
}
