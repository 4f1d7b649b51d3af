//! Refresh tokens: rotation, repetition, reuse.

use futures_util::future::join_all;
use http::StatusCode;
use serde_json::Value;
use vault_mcp::{
    oauth::{RefreshReuse, state::Instance},
    runtime::Timestamp,
};

use crate::support::oauth::{CLAUDE, LOOPBACK, RESOURCE, START, Server, Tokens, lifetimes};

fn error(answered: &(StatusCode, Value)) -> (u16, &str) {
    (
        answered.0.as_u16(),
        answered.1["error"].as_str().unwrap_or_default(),
    )
}

async fn refreshed(server: &Server, tokens: &Tokens) -> Tokens {
    let (status, body) = server.refresh(&tokens.client, &tokens.refresh).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    Tokens::of(&tokens.client, &body)
}

async fn is_dead(server: &Server, tokens: &Tokens) -> bool {
    server.access(&tokens.access).await.is_none()
        && server.refresh(&tokens.client, &tokens.refresh).await.0 == StatusCode::BAD_REQUEST
}

#[tokio::test]
async fn e6_every_refresh_rotates() {
    let server = Server::new();
    let first = server.sign_in().await;
    let second = refreshed(&server, &first).await;
    let third = refreshed(&server, &second).await;
    let all = [&first, &second, &third];
    for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        assert_ne!(all[a].access, all[b].access);
        assert_ne!(all[a].refresh, all[b].refresh);
    }
    for tokens in all {
        assert!(server.access(&tokens.access).await.is_some());
    }
}

#[tokio::test]
async fn e6_resource_is_optional_and_mapped_and_a_wrong_one_costs_nothing() {
    let server = Server::new();
    let mut tokens = server.sign_in().await;
    let request = |token: &str, resource: &str| {
        let fields = [
            ("grant_type", "refresh_token"),
            ("client_id", tokens.client.as_str()),
            ("refresh_token", token),
            ("resource", resource),
        ];
        fields.map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    let send = async |fields: [(String, String); 4]| {
        let fields: Vec<_> = fields
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_str()))
            .collect();
        server.token(&fields).await
    };
    let wrong = send(request(&tokens.refresh, "https://other.example")).await;
    assert_eq!(error(&wrong), (400, "invalid_target"));
    for resource in ["", RESOURCE, "https://vault.example/"] {
        let (status, body) = send(request(&tokens.refresh, resource)).await;
        assert_eq!(status, StatusCode::OK, "{resource}");
        tokens.refresh = body["refresh_token"].as_str().unwrap().to_owned();
    }
}

#[tokio::test]
async fn e6_scope_may_narrow_the_access_token_and_never_widen_it() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let with_scope = async |token: &str, scope: &str| {
        let fields = [
            ("grant_type", "refresh_token"),
            ("client_id", tokens.client.as_str()),
            ("refresh_token", token),
            ("scope", scope),
        ];
        let (status, body) = server.token(&fields).await;
        assert_eq!(status, StatusCode::OK, "{scope}");
        let access = body["access_token"].as_str().unwrap();
        let granted = server.access(access).await.unwrap().scope;
        assert_eq!(body["scope"], granted.as_str());
        (
            body["refresh_token"].as_str().unwrap().to_owned(),
            granted.as_str(),
        )
    };
    let (next, scope) = with_scope(&tokens.refresh, "vault:read").await;
    assert_eq!(scope, "vault:read");
    // The grant itself has not shrunk.
    let (next, scope) = with_scope(&next, "vault:read vault:write offline_access").await;
    assert_eq!(scope, "vault:read vault:write");
    let (_, scope) = with_scope(&next, "claudeai").await;
    assert_eq!(scope, "vault:read vault:write");

    server.log_in_as("reader@example.test");
    let reader = server.sign_in_at(LOOPBACK).await;
    let fields = [
        ("grant_type", "refresh_token"),
        ("client_id", reader.client.as_str()),
        ("refresh_token", &reader.refresh),
        ("scope", "vault:read vault:write"),
    ];
    let (_, body) = server.token(&fields).await;
    assert_eq!(body["scope"], "vault:read");
}

#[tokio::test]
async fn e6_another_client_gets_nothing_and_spoils_nothing() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let other = server.client(LOOPBACK).await;
    let answered = server.refresh(&other, &tokens.refresh).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    refreshed(&server, &tokens).await;
}

#[tokio::test]
async fn e7_refreshes_that_race_all_get_the_same_successors() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let answers = join_all((0..20).map(|_| server.refresh(&tokens.client, &tokens.refresh))).await;
    let successors: Vec<Tokens> = answers
        .iter()
        .map(|(status, body)| {
            assert_eq!(*status, StatusCode::OK, "{body}");
            Tokens::of(&tokens.client, body)
        })
        .collect();
    assert!(successors.iter().all(|pair| *pair == successors[0]));
    assert_eq!(server.objects.rows(Instance::Grants, "refresh_tokens"), 2);
    assert_eq!(server.objects.rows(Instance::Grants, "access_tokens"), 2);
    refreshed(&server, &successors[0]).await;
}

#[tokio::test]
async fn e7_within_the_grace_a_used_token_gives_its_successors_again_even_if_they_are_in_use() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let second = refreshed(&server, &tokens).await;
    assert!(server.access(&second.access).await.is_some());
    let third = refreshed(&server, &second).await;
    server.wait(599);
    assert_eq!(refreshed(&server, &tokens).await, second);
    assert_eq!(refreshed(&server, &second).await, third);
    let (_, body) = server.refresh(&tokens.client, &tokens.refresh).await;
    assert_eq!(body["expires_in"], 3_600 - 599);
}

#[tokio::test]
async fn e8_as_long_as_the_successors_were_not_used_the_token_before_stays_good() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let lost = refreshed(&server, &tokens).await;
    // The answer got lost. Days later the client tries again: the access token has expired and is
    // made anew, the refresh token is the same.
    server.wait(3 * 24 * 60 * 60);
    let again = refreshed(&server, &tokens).await;
    assert_eq!(again.refresh, lost.refresh);
    assert_ne!(again.access, lost.access);
    assert!(server.access(&again.access).await.is_some());
    refreshed(&server, &again).await;
}

#[tokio::test]
async fn e9_reuse_after_the_grace_ends_the_grant() {
    for use_access in [true, false] {
        let server = Server::new();
        let tokens = server.sign_in().await;
        let second = refreshed(&server, &tokens).await;
        let newest = if use_access {
            assert!(server.access(&second.access).await.is_some());
            second.clone()
        } else {
            refreshed(&server, &second).await
        };
        server.wait(600);
        let answered = server.refresh(&tokens.client, &tokens.refresh).await;
        assert_eq!(error(&answered), (400, "invalid_grant"));
        let event = server.events.last();
        assert_eq!(event.reason, "refresh_reused");
        assert!(event.grant.is_some() && event.person.is_some());
        assert!(is_dead(&server, &newest).await);
        assert_eq!(server.objects.rows(Instance::Grants, "grants"), 0);
    }
}

#[tokio::test]
async fn e9_a_deployer_may_have_only_the_reuse_itself_fail() {
    let server = Server::with(|setup| setup.settings.refresh_reuse = RefreshReuse::Reject);
    let tokens = server.sign_in().await;
    let second = refreshed(&server, &tokens).await;
    assert!(server.access(&second.access).await.is_some());
    server.wait(600);
    let answered = server.refresh(&tokens.client, &tokens.refresh).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert_eq!(server.events.last().reason, "refresh_reuse_rejected");
    assert!(server.access(&second.access).await.is_some());
    refreshed(&server, &second).await;
}

#[tokio::test]
async fn e9_without_grace_a_used_token_is_good_until_its_successors_are_used() {
    let settings = lifetimes([3600, 86_400, 86_400, 0]);
    let server = Server::with(|setup| setup.settings.lifetimes = settings);
    let tokens = server.sign_in().await;
    let second = refreshed(&server, &tokens).await;
    assert_eq!(refreshed(&server, &tokens).await, second);
    assert!(server.access(&second.access).await.is_some());
    let answered = server.refresh(&tokens.client, &tokens.refresh).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert!(is_dead(&server, &second).await);
}

#[tokio::test]
async fn e10_idle_time_starts_anew_with_every_use_and_the_grant_ends_all_the_same() {
    let day = 24 * 60 * 60;
    let settings = lifetimes([3600, 10 * day, 25 * day, 600]);
    let server = Server::with(|setup| setup.settings.lifetimes = settings);
    let mut tokens = server.sign_in().await;
    for _ in 0..3 {
        server.wait(8 * day);
        tokens = refreshed(&server, &tokens).await;
    }
    // One second before the end there still is an answer, for one second.
    server.wait(day - 1);
    let (status, body) = server.refresh(&tokens.client, &tokens.refresh).await;
    assert_eq!(
        (status, &body["expires_in"]),
        (StatusCode::OK, &Value::from(1))
    );
    server.wait(1);
    let last = Tokens::of(&tokens.client, &body);
    assert!(is_dead(&server, &last).await);

    let idle = server.sign_in().await;
    server.wait(10 * day);
    assert_eq!(
        error(&server.refresh(&idle.client, &idle.refresh).await),
        (400, "invalid_grant")
    );
}

#[tokio::test]
async fn e11_a_person_taken_off_the_list_is_out_at_the_next_refresh() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let changed = server.redeployed(|_| {}, "reader@example.test");
    let answered = changed.refresh(&tokens.client, &tokens.refresh).await;
    assert_eq!(error(&answered), (400, "invalid_grant"));
    assert_eq!(changed.events.last().reason, "allowlist_denied");
    // The grant is gone for good, also when the person is put back.
    assert!(is_dead(&server, &tokens).await);
    assert_eq!(server.objects.rows(Instance::Grants, "grants"), 0);
}

#[tokio::test]
async fn e15_grants_made_before_revoke_before_are_void() {
    let server = Server::new();
    let old = server.sign_in_at(LOOPBACK).await;
    server.wait(10);
    let limit = Timestamp::from_unix_seconds(START + 10);
    let changed = server.redeployed(
        |settings| settings.revoke_before = Some(limit),
        "owner@example.test",
    );
    let new = changed.sign_in_at(LOOPBACK).await;
    assert!(changed.access(&old.access).await.is_none());
    assert_eq!(
        error(&changed.refresh(&old.client, &old.refresh).await),
        (400, "invalid_grant")
    );
    assert!(changed.access(&new.access).await.is_some());
    let (client, code) = server.code(CLAUDE).await;
    let limit = Timestamp::from_unix_seconds(START + 11);
    let later = server.redeployed(
        |settings| settings.revoke_before = Some(limit),
        "owner@example.test",
    );
    assert_eq!(
        error(&later.redeem(&client, &code, CLAUDE).await),
        (400, "invalid_grant")
    );
}

#[tokio::test]
async fn e7_a_family_does_not_grow_without_bound() {
    let settings = lifetimes([3600, 86_400, 86_400, 0]);
    let server = Server::with(|setup| setup.settings.lifetimes = settings);
    let mut tokens = server.sign_in().await;
    for _ in 0..600 {
        tokens = refreshed(&server, &tokens).await;
    }
    assert!(server.objects.rows(Instance::Grants, "refresh_tokens") <= 502);
    assert!(server.objects.rows(Instance::Grants, "access_tokens") <= 100);
    assert!(server.access(&tokens.access).await.is_some());
}
