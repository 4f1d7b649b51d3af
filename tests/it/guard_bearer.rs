//! F1, F2: how a token is brought, and what is said when it is not.

use serde_json::json;
use vault_mcp::mcp::Era;

use crate::support::app::{Post, TestApp};

fn app() -> TestApp {
    TestApp::of(&[("Note.md", "x")])
}

fn ping() -> Post {
    Post::legacy("ping", &json!({}))
}

#[tokio::test]
async fn f1_without_a_token_the_challenge_has_no_error_code() {
    let app = app();
    let token = app.owner().await.token().to_owned();
    for authorization in [
        None,
        Some(String::new()),
        Some("Bearer".to_owned()),
        Some("Basic b3duZXI6cGFzc3dvcmQ=".to_owned()),
        Some(format!("Token {token}")),
        Some(token.clone()),
        Some(format!("Bearer:{token}")),
        Some(format!("BearerX {token}")),
        Some(format!("\"Bearer {token}\"")),
    ] {
        let post = match &authorization {
            Some(value) => ping().header("authorization", value),
            None => ping(),
        };
        let answer = app.anonymous().send(&post).await;
        assert_eq!(answer.outcome(), "401 unauthorized", "{authorization:?}");
        assert_eq!(
            answer.header("www-authenticate"),
            Some(
                "Bearer realm=\"mcp\", resource_metadata=\
                 \"https://vault.example/.well-known/oauth-protected-resource/mcp\", \
                 scope=\"vault:read vault:write\""
            )
        );
        assert!(!answer.text().contains(&token));
    }
}

#[tokio::test]
async fn f2_a_token_that_is_not_valid_is_said_to_be_so() {
    let app = app();
    let good = app.owner().await.token().to_owned();
    let (shape, secret) = good.rsplit_once('.').unwrap();
    for token in [
        "junk".to_owned(),
        "é".to_owned(),
        good.to_uppercase(),
        format!("{good}A"),
        good[..good.len() - 1].to_owned(),
        format!("{shape}.{}", "A".repeat(secret.len())),
        good.replace("_at_", "_rt_"),
        good.replace("_at_", "_ac_"),
        good.replace("at_1", "at_2"),
        format!("{good}, {good}"),
        format!("{good} {good}"),
        "A".repeat(100_000),
    ] {
        let answer = app.bearer(token.as_str()).send(&ping()).await;
        // What is no text is no token at all.
        let expected = if token.is_ascii() {
            "401 invalid_token"
        } else {
            "401 unauthorized"
        };
        assert_eq!(answer.outcome(), expected, "{token}");
        let challenge = answer.header("www-authenticate").unwrap();
        if token.is_ascii() {
            assert!(
                challenge.ends_with(
                    ", error=\"invalid_token\", error_description=\
                     \"the access token is not valid; refresh it or log in again\""
                ),
                "{challenge}"
            );
        }
        assert!(challenge.contains("resource_metadata="), "{challenge}");
        assert!(!answer.text().contains(&token));
    }
}

#[tokio::test]
async fn f2_the_scheme_knows_no_case_and_spaces_around_the_token_do_not_count() {
    let app = app();
    let token = app.owner().await.token().to_owned();
    for value in [
        format!("Bearer {token}"),
        format!("bearer {token}"),
        format!("BEARER {token}"),
        format!("Bearer   {token} "),
    ] {
        let answer = app
            .anonymous()
            .send(&ping().header("authorization", &value))
            .await;
        assert_eq!(answer.status(), 200, "{value}");
    }
}

#[tokio::test]
async fn f2_a_token_anywhere_else_is_none() {
    let app = app();
    let token = app.owner().await.token().to_owned();
    let in_query = ping().to(&format!("/mcp?access_token={token}"));
    let in_body = Post::raw(format!("access_token={token}"))
        .header("content-type", "application/x-www-form-urlencoded");
    let in_cookie = ping().header("cookie", &format!("access_token={token}"));
    let in_parameters = Post::legacy("ping", &json!({ "access_token": token }));
    for post in [in_query, in_body, in_cookie, in_parameters] {
        let answer = app.anonymous().send(&post).await;
        assert_eq!(answer.outcome(), "401 unauthorized");
        assert!(!answer.text().contains(&token));
    }
    let value = format!("Bearer {token}");
    let twice = ping()
        .header("authorization", &value)
        .and_header("authorization", &value);
    assert_eq!(
        app.anonymous().send(&twice).await.outcome(),
        "401 unauthorized"
    );
}

/// `initialize` without a token is where a client learns that it has to log in.
#[tokio::test]
async fn f1_nothing_at_all_is_answered_without_a_token() {
    let app = app();
    for post in [
        Post::legacy("initialize", &json!({})),
        Post::modern("server/discover", &json!({})),
        Post::raw(""),
        Post::raw("{"),
        Post::raw("[]").header("accept", "text/html"),
    ] {
        let answer = app.anonymous().send(&post).await;
        assert_eq!(answer.outcome(), "401 unauthorized");
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

/// Junk does not reach the object that holds grants: whoever makes tokens up costs it nothing.
#[tokio::test]
async fn e13_junk_is_turned_away_before_the_state_is_asked() {
    let app = app();
    let good = app.owner().await.token().to_owned();
    app.server.objects.calls.take();
    for token in [
        "junk",
        &good.replace("_at_", "_rt_"),
        &format!("{good}A"),
        "",
    ] {
        app.bearer(token).send(&ping()).await;
    }
    assert_eq!(*app.server.objects.calls.borrow(), [""; 0]);
    app.bearer(good).send(&ping()).await.result();
    assert_eq!(*app.server.objects.calls.borrow(), ["check_access"]);
}

/// The token may well be good: a client that is told otherwise drops it.
#[tokio::test]
async fn e5_an_outage_is_answered_as_one() {
    let app = app();
    let owner = app.owner().await;
    app.server.objects.down.set(true);
    let answer = owner.send(&ping()).await;
    assert_eq!(answer.outcome(), "503 temporarily_unavailable");
    assert_eq!(answer.header("retry-after"), Some("5"));
    assert_eq!(answer.header("www-authenticate"), None);
    app.server.objects.down.set(false);
    owner.send(&ping()).await.result();
}

#[tokio::test]
async fn e12_a_revocation_is_effective_on_the_next_request() {
    let app = app();
    app.server.log_in_as("owner@example.test");
    let tokens = app.server.sign_in().await;
    let bearer = app.bearer(tokens.access.as_str());
    bearer.result(Era::Modern, "tools/list", &json!({})).await;
    let fields = [
        ("client_id", tokens.client.as_str()),
        ("token", &tokens.refresh),
    ];
    assert_eq!(app.server.revoke(&fields).await, 200);
    assert_eq!(bearer.send(&ping()).await.outcome(), "401 invalid_token");
}

#[tokio::test]
async fn e10_an_access_token_lives_an_hour() {
    let app = app();
    let owner = app.owner().await;
    app.server.wait(3_599);
    owner.send(&ping()).await.result();
    app.server.wait(1);
    assert_eq!(owner.send(&ping()).await.outcome(), "401 invalid_token");
}
