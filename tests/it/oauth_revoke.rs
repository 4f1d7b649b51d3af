//! Token revocation: RFC 7009.

use http::{StatusCode, header};
use serde_json::Value;

use crate::support::oauth::{LOOPBACK, Server, Tokens, answer, form_request};

async fn error(server: &Server, fields: &[(&str, &str)]) -> (u16, Value) {
    let (status, body) = answer(&server.oauth.revoke(&form_request("/revoke", fields)).await);
    (status.as_u16(), body["error"].clone())
}

#[tokio::test]
async fn e12_a_refresh_token_takes_the_whole_grant_along() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let fields = [
        ("client_id", tokens.client.as_str()),
        ("token", &tokens.refresh),
    ];
    let response = server.oauth.revoke(&form_request("/revoke", &fields)).await;
    assert_eq!(
        (response.status(), response.body().len()),
        (StatusCode::OK, 0)
    );
    assert!(server.access(&tokens.access).await.is_none());
    let (status, body) = server.refresh(&tokens.client, &tokens.refresh).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::BAD_REQUEST, &Value::from("invalid_grant"))
    );
    // Once more changes nothing.
    assert_eq!(server.revoke(&fields).await, StatusCode::OK);
}

#[tokio::test]
async fn e12_a_used_refresh_token_does_so_too() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let (_, body) = server.refresh(&tokens.client, &tokens.refresh).await;
    let next = Tokens::of(&tokens.client, &body);
    let fields = [
        ("client_id", tokens.client.as_str()),
        ("token", &tokens.refresh),
    ];
    assert_eq!(server.revoke(&fields).await, StatusCode::OK);
    assert!(server.access(&next.access).await.is_none());
}

#[tokio::test]
async fn e12_an_access_token_goes_alone_whatever_the_hint() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let fields = [
        ("client_id", tokens.client.as_str()),
        ("token", &tokens.access),
        ("token_type_hint", "refresh_token"),
    ];
    assert_eq!(server.revoke(&fields).await, StatusCode::OK);
    assert!(server.access(&tokens.access).await.is_none());
    assert_eq!(
        server.refresh(&tokens.client, &tokens.refresh).await.0,
        StatusCode::OK
    );
}

#[tokio::test]
async fn e12_tokens_that_are_unknown_or_anothers_are_answered_alike_and_left_alone() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let other = server.client(LOOPBACK).await;
    for token in [
        tokens.access.as_str(),
        &tokens.refresh,
        "unknown",
        "vmcp_rt_1.x.y",
    ] {
        let fields = [("client_id", other.as_str()), ("token", token)];
        assert_eq!(server.revoke(&fields).await, StatusCode::OK, "{token}");
    }
    assert!(server.access(&tokens.access).await.is_some());
    assert_eq!(
        server.refresh(&tokens.client, &tokens.refresh).await.0,
        StatusCode::OK
    );
}

#[tokio::test]
async fn e12_the_client_has_to_say_who_it_is_and_what_to_revoke() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let (client, token) = (tokens.client.as_str(), tokens.access.as_str());
    for (fields, expected) in [
        (vec![("token", token)], (401, "invalid_client")),
        (
            vec![("client_id", "dcr_unknown"), ("token", token)],
            (401, "invalid_client"),
        ),
        (vec![("client_id", client)], (400, "invalid_request")),
        (
            vec![("client_id", client), ("token", token), ("token", token)],
            (400, "invalid_request"),
        ),
    ] {
        let answered = error(&server, &fields).await;
        assert_eq!(
            (answered.0, answered.1.as_str().unwrap()),
            expected,
            "{fields:?}"
        );
    }
    assert!(server.access(token).await.is_some());
}

#[tokio::test]
async fn e5_an_outage_is_answered_as_one() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    server.objects.down.set(true);
    let fields = [
        ("client_id", tokens.client.as_str()),
        ("token", &tokens.access),
    ];
    let response = server.oauth.revoke(&form_request("/revoke", &fields)).await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(response.headers().contains_key(header::RETRY_AFTER));
}
