//! The token endpoint with authorization codes, and the tokens themselves.

use futures_util::future::join_all;
use http::{StatusCode, header};
use serde_json::{Value, json};
use vault_mcp::oauth::state::Instance;

use crate::support::oauth::{
    CLAUDE, LOOPBACK, RESOURCE, Server, Tokens, VERIFIER, answer, form_request,
};

fn tokens(server: &Server) -> (i64, i64) {
    (
        server.objects.rows(Instance::Grants, "access_tokens"),
        server.objects.rows(Instance::Grants, "refresh_tokens"),
    )
}

/// The fields of a right request, with some changed: an empty value takes one away.
fn fields<'a>(
    client: &'a str,
    code: &'a str,
    change: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", CLAUDE),
        ("resource", RESOURCE),
    ];
    for (name, value) in change {
        fields.retain(|(present, _)| present != name);
        if !value.is_empty() {
            fields.push((name, value));
        }
    }
    fields
}

fn error(answered: &(StatusCode, Value)) -> (u16, &str) {
    (
        answered.0.as_u16(),
        answered.1["error"].as_str().unwrap_or_default(),
    )
}

#[tokio::test]
async fn e2_a_code_is_exchanged_for_tokens() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let (status, body) = server.token(&fields(&client, &code, &[])).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(body["token_type"], "Bearer");
    assert_eq!(body["expires_in"], 3600);
    assert_eq!(body["scope"], "vault:read vault:write");
    let access = body["access_token"].as_str().unwrap();
    assert!(access.starts_with("vmcp_at_1."));
    assert!(
        body["refresh_token"]
            .as_str()
            .unwrap()
            .starts_with("vmcp_rt_1.")
    );
    let grant = server.access(access).await.unwrap();
    assert_eq!(grant.identity.name, "owner@example.test");
    assert_eq!(grant.expires_at.unix_seconds(), 1_800_003_600);
}

#[tokio::test]
async fn e2_a_client_that_registered_without_refresh_tokens_gets_none() {
    let server = Server::new();
    let metadata = json!({
        "redirect_uris": [CLAUDE],
        "grant_types": ["authorization_code"],
        "token_endpoint_auth_method": "none",
    });
    let (_, registered) = server.register(&metadata).await;
    assert_eq!(registered["grant_types"], json!(["authorization_code"]));
    let client = registered["client_id"].as_str().unwrap();
    let code = server.authorize(client, CLAUDE).await.one("code");
    let (status, body) = server.token(&fields(client, &code, &[])).await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.get("refresh_token").is_none());
    assert_eq!(tokens(&server), (1, 0));
    let refused = server.refresh(client, "vmcp_rt_1.x").await;
    assert_eq!(error(&refused), (400, "unauthorized_client"));
}

#[tokio::test]
async fn e1_requests_that_are_no_token_requests_are_refused() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let ok = fields(&client, &code, &[]);
    for (change, expected) in [
        ([("grant_type", "")], (400, "invalid_request")),
        (
            [("grant_type", "password")],
            (400, "unsupported_grant_type"),
        ),
        (
            [("grant_type", "client_credentials")],
            (400, "unsupported_grant_type"),
        ),
        ([("code", "")], (400, "invalid_request")),
        ([("code_verifier", "")], (400, "invalid_request")),
        ([("code_verifier", "short")], (400, "invalid_request")),
        ([("client_id", "")], (401, "invalid_client")),
        ([("client_id", "dcr_unknown")], (401, "invalid_client")),
        (
            [("resource", "https://other.example/mcp")],
            (400, "invalid_target"),
        ),
    ] {
        let answered = server.token(&fields(&client, &code, &change)).await;
        assert_eq!(error(&answered), expected, "{change:?}");
    }
    for extra in [
        ("code", code.as_str()),
        ("grant_type", "refresh_token"),
        ("client_id", &client),
    ] {
        let repeated: Vec<_> = ok.iter().copied().chain([extra]).collect();
        assert_eq!(
            error(&server.token(&repeated).await),
            (400, "invalid_request"),
            "{extra:?}"
        );
    }
    let two_resources: Vec<_> = ok.iter().copied().chain([("resource", RESOURCE)]).collect();
    assert_eq!(
        error(&server.token(&two_resources).await),
        (400, "invalid_target")
    );

    let mut other_type = form_request("/token", &ok);
    other_type
        .headers_mut()
        .insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
    let (status, body) = answer(&server.oauth.token(&other_type).await);
    assert_eq!(
        (status.as_u16(), &body["error"]),
        (400, &json!("invalid_request"))
    );

    let mut bodiless = form_request("/token", &[]);
    bodiless.headers_mut().remove(header::CONTENT_TYPE);
    assert_eq!(
        server.oauth.token(&bodiless).await.status(),
        StatusCode::BAD_REQUEST
    );

    assert_eq!(tokens(&server), (0, 0));
    // None of it has cost the code.
    assert_eq!(server.token(&ok).await.0, StatusCode::OK);
}

#[tokio::test]
async fn e3_a_code_is_bound_to_client_redirect_uri_and_challenge() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let other = server.client(LOOPBACK).await;
    let wrong_verifier = "w".repeat(43);
    for change in [
        ("client_id", other.as_str()),
        ("redirect_uri", "https://claude.ai/other"),
        ("code_verifier", &wrong_verifier),
    ] {
        let answered = server.token(&fields(&client, &code, &[change])).await;
        assert_eq!(error(&answered), (400, "invalid_grant"), "{change:?}");
        assert_eq!(tokens(&server), (0, 0));
    }
    // Three mistakes do not cost the person a login, and an omitted redirect_uri is none.
    let (status, _) = server
        .token(&fields(&client, &code, &[("redirect_uri", "")]))
        .await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn e3_the_port_of_a_loopback_redirect_uri_counts_here() {
    let server = Server::new();
    let client = server.client(LOOPBACK).await;
    let code = server
        .authorize(&client, "http://localhost:40001/callback")
        .await
        .one("code");
    let answered = server
        .redeem(&client, &code, "http://localhost:40002/callback")
        .await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    let (status, _) = server
        .redeem(&client, &code, "http://localhost:40001/callback")
        .await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn e3_five_mistakes_are_the_end_of_a_code() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let wrong = "w".repeat(43);
    for _ in 0..5 {
        let answered = server
            .token(&fields(&client, &code, &[("code_verifier", &wrong)]))
            .await;
        assert_eq!(error(&answered), (400, "invalid_grant"));
    }
    let answered = server.token(&fields(&client, &code, &[])).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert_eq!(tokens(&server), (0, 0));
    assert_eq!(server.objects.rows(Instance::Grants, "grants"), 0);
}

#[tokio::test]
async fn e3_a_code_lives_for_five_minutes() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    server.wait(300);
    let answered = server.token(&fields(&client, &code, &[])).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert_eq!(tokens(&server), (0, 0));
}

#[tokio::test]
async fn e4_a_replayed_code_ends_the_grant() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let (_, body) = server.token(&fields(&client, &code, &[])).await;
    let issued = Tokens::of(&client, &body);
    assert!(server.access(&issued.access).await.is_some());

    let answered = server.token(&fields(&client, &code, &[])).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert_eq!(server.events.last().reason, "code_replayed");
    assert!(server.access(&issued.access).await.is_none());
    let refreshed = server.refresh(&client, &issued.refresh).await;
    assert_eq!(error(&refreshed), (400, "invalid_grant"));
    assert_eq!(tokens(&server), (0, 0));
}

#[tokio::test]
async fn e4_a_replay_is_noticed_long_after_the_code_has_expired() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let (_, body) = server.token(&fields(&client, &code, &[])).await;
    server.wait(3_000);
    let answered = server.token(&fields(&client, &code, &[])).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert!(
        server
            .access(body["access_token"].as_str().unwrap())
            .await
            .is_none()
    );
}

#[tokio::test]
async fn e4_of_fifty_redemptions_that_race_one_succeeds_and_its_tokens_are_dead() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let request = fields(&client, &code, &[]);
    let answers = join_all((0..50).map(|_| server.token(&request))).await;
    let (granted, refused): (Vec<_>, Vec<_>) = answers
        .iter()
        .partition(|(status, _)| *status == StatusCode::OK);
    assert_eq!((granted.len(), refused.len()), (1, 49));
    for answered in refused {
        assert_eq!(error(answered), (400, "invalid_grant"));
    }
    let issued = Tokens::of(&client, &granted[0].1);
    assert!(server.access(&issued.access).await.is_none());
    assert_eq!(
        error(&server.refresh(&client, &issued.refresh).await),
        (400, "invalid_grant")
    );
    assert_eq!(tokens(&server), (0, 0));
}

#[tokio::test]
async fn e5_an_outage_never_looks_like_a_dead_token() {
    let server = Server::new();
    let issued = server.sign_in().await;
    let code = server.authorize(&issued.client, CLAUDE).await.one("code");
    server.objects.down.set(true);
    for request in [
        fields(&issued.client, &code, &[]),
        vec![
            ("grant_type", "refresh_token"),
            ("client_id", issued.client.as_str()),
            ("refresh_token", &issued.refresh),
        ],
    ] {
        let response = server.oauth.token(&form_request("/token", &request)).await;
        assert_eq!(response.headers()[header::RETRY_AFTER], "30");
        assert_eq!(error(&answer(&response)), (503, "temporarily_unavailable"));
    }
    assert!(server.oauth.state.admit_call(&issued.access).await.is_err());
    server.objects.down.set(false);
    assert!(server.access(&issued.access).await.is_some());
}

#[tokio::test]
async fn e11_a_person_taken_off_the_list_before_the_exchange_gets_nothing() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let changed = server.redeployed(|_| {}, "somebody-else@example.test");
    let answered = changed.token(&fields(&client, &code, &[])).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert_eq!(tokens(&server), (0, 0));
    assert_eq!(server.objects.rows(Instance::Grants, "grants"), 0);
}

#[tokio::test]
async fn e13_tokens_are_stored_as_digests_and_never_logged() {
    let server = Server::new();
    let (client, code) = server.code(CLAUDE).await;
    let stored = server.objects.everything();
    let (_, body) = server.token(&fields(&client, &code, &[])).await;
    let issued = Tokens::of(&client, &body);
    let (_, body) = server.refresh(&client, &issued.refresh).await;
    let next = Tokens::of(&client, &body);
    let everything = [stored, server.objects.everything(), server.events.as_text()].concat();
    for token in [
        &code,
        &issued.access,
        &issued.refresh,
        &next.access,
        &next.refresh,
    ] {
        let secret = token.rsplit('.').next().unwrap();
        assert!(!everything.contains(secret), "{token}");
    }
    assert!(!everything.contains(VERIFIER));
}

#[tokio::test]
async fn e13_what_was_never_issued_costs_no_call_to_the_grants() {
    let server = Server::new();
    let issued = server.sign_in().await;
    let before = server.objects.calls.borrow().len();
    let forged = {
        let mut forged = issued.access.clone();
        let last = if forged.ends_with('A') { 'B' } else { 'A' };
        forged.pop();
        forged.push(last);
        forged
    };
    for token in [
        "",
        "x",
        &forged,
        &issued.refresh,
        &issued.access.replace("_at_", "_rt_"),
    ] {
        assert!(server.access(token).await.is_none());
    }
    assert_eq!(server.objects.calls.borrow().len(), before);
    let answered = server.refresh(&issued.client, &forged).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    let answered = server.redeem(&issued.client, &forged, CLAUDE).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert!(
        server.objects.calls.borrow()[before..]
            .iter()
            .all(|call| call == "find_client")
    );
}

#[tokio::test]
async fn e13_an_access_check_is_one_call() {
    let server = Server::new();
    let issued = server.sign_in().await;
    let before = server.objects.calls.borrow().len();
    assert!(server.access(&issued.access).await.is_some());
    assert_eq!(server.objects.calls.borrow()[before..], ["check_access"]);
}

#[tokio::test]
async fn f2_an_access_token_expires_and_is_for_this_resource_only() {
    let server = Server::new();
    let issued = server.sign_in().await;
    let moved = server.redeployed(
        |settings| {
            settings.base_url = vault_mcp::base_url::BaseUrl::parse("https://new.example").unwrap();
        },
        "owner@example.test",
    );
    assert!(moved.access(&issued.access).await.is_none());
    let answered = moved.refresh(&issued.client, &issued.refresh).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));

    server.wait(3_599);
    assert!(server.access(&issued.access).await.is_some());
    server.wait(1);
    assert!(server.access(&issued.access).await.is_none());
}

#[tokio::test]
async fn e14_logging_in_again_at_the_same_place_replaces_the_grant_and_no_other() {
    let server = Server::new();
    let first = server.sign_in().await;
    let elsewhere = server
        .sign_in_at("https://claude.com/api/mcp/auth_callback")
        .await;
    server.log_in_as("reader@example.test");
    let other_person = server.sign_in().await;
    server.log_in_as("owner@example.test");
    let second = server.sign_in().await;
    assert!(server.access(&first.access).await.is_none());
    for kept in [&elsewhere, &other_person, &second] {
        assert!(server.access(&kept.access).await.is_some());
    }
}

#[tokio::test]
async fn e14_programs_on_peoples_own_machines_keep_their_grants() {
    let server = Server::new();
    let first = server.sign_in_at(LOOPBACK).await;
    let second = server.sign_in_at(LOOPBACK).await;
    for kept in [&first, &second] {
        assert!(server.access(&kept.access).await.is_some());
    }
}
