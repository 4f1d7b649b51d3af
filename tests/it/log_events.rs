//! H1: what the log says of authorization. One event a line, each with the request that it is about
//! and a reason that never changes its name.

use std::collections::BTreeSet;

use http::{Method, header};
use serde_json::{Value, json};
use vault_mcp::{
    http::routes::{Endpoint, ROUTES, Route},
    mcp::Era,
    oauth::event::AuthEvent,
};

use crate::support::{
    app::{Post, TestApp},
    oauth::{CLAUDE, LOOPBACK, VERIFIER, form, request},
};

fn app() -> TestApp {
    TestApp::of(&[("Note.md", "x")])
}

/// The events of one request.
async fn events(app: &TestApp, post: &Post) -> Vec<AuthEvent> {
    let before = app.server.events.all().len();
    app.respond(&post.request()).await;
    app.server.events.all().split_off(before)
}

fn form_post(path: &str, fields: &[(&str, &str)]) -> Post {
    Post::raw(form(fields))
        .header("content-type", "application/x-www-form-urlencoded")
        .to(path)
}

fn page(path_and_query: &str) -> Post {
    Post::raw("").method(&Method::GET).to(path_and_query)
}

/// Requests that have to be told of: refused and carried out, at every endpoint.
async fn requests(app: &TestApp) -> Vec<Post> {
    let owner = app.owner().await;
    let reading = app.owner_reading().await;
    let (client, code) = app.server.code(LOOPBACK).await;
    let tokens = app.server.sign_in_at(LOOPBACK).await;
    let expired = app.server.sign_in_at(LOOPBACK).await.access;
    let revoke = [("client_id", tokens.client.as_str()), ("token", &expired)];
    assert_eq!(app.server.revoke(&revoke).await, 200);
    let bearer = |token: &str, post: Post| post.header("authorization", &format!("Bearer {token}"));
    let write = Post::call(
        Era::Modern,
        "write_note",
        &json!({ "path": "a.md", "content": "x" }),
    );
    let redeem = [
        ("grant_type", "authorization_code"),
        ("client_id", &client),
        ("code", &code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", LOOPBACK),
    ];
    let refresh = [
        ("grant_type", "refresh_token"),
        ("client_id", &tokens.client),
        ("refresh_token", &tokens.refresh),
    ];
    let revoke = [
        ("client_id", tokens.client.as_str()),
        ("token", &tokens.refresh),
    ];
    vec![
        bearer("junk", Post::legacy("ping", &json!({}))),
        bearer(&expired, Post::legacy("ping", &json!({}))),
        bearer(reading.token(), write.clone()),
        page("/authorize"),
        page(&format!("/authorize?{}", request("dcr_no", CLAUDE, &[]))),
        page(&format!(
            "/authorize?{}",
            request(&client, LOOPBACK, &[("resource", "https://evil.example")])
        )),
        form_post("/consent", &[]),
        form_post("/consent", &[("handle", "x"), ("decision", "approve")])
            .header("origin", "https://vault.example"),
        page("/callback"),
        page("/callback?state=x&code=y"),
        form_post("/token", &[]),
        form_post("/token", &redeem),
        form_post("/token", &redeem),
        form_post("/token", &refresh),
        form_post("/token", &refresh),
        Post::json(&json!({ "redirect_uris": ["https://evil.example/cb"] })).to("/register"),
        Post::json(&json!({ "redirect_uris": [] })).to("/register"),
        form_post("/revoke", &[]),
        form_post("/revoke", &revoke),
        form_post("/revoke", &revoke),
        form_post("/sessions/end", &[]),
        // Last: from here on the state is down.
        bearer(owner.token(), Post::legacy("ping", &json!({}))),
    ]
}

#[tokio::test]
async fn h1_every_event_names_its_request() {
    let app = app();
    let requests = requests(&app).await;
    let mut names = BTreeSet::new();
    let mut endpoints = BTreeSet::new();
    let last = requests.len() - 1;
    for (index, post) in requests.iter().enumerate() {
        app.server.objects.down.set(index == last);
        let events = events(&app, post).await;
        assert!(!events.is_empty(), "{post:?}");
        let of_this: BTreeSet<_> = events.iter().map(name).collect();
        assert_eq!(of_this.len(), 1, "{events:?}");
        let new = names.insert(of_this.first().unwrap().clone());
        assert!(new, "two requests have one name");
        for event in events {
            assert!(is_slug(event.reason), "{}", event.reason);
            let line = serde_json::to_value(&event).unwrap();
            assert_eq!(line["request"], name(&event));
            endpoints.insert(line["endpoint"].as_str().unwrap().to_owned());
        }
    }
    let expected = [
        "authorize",
        "callback",
        "consent",
        "mcp",
        "register",
        "revoke",
        "sessions",
        "token",
    ];
    assert_eq!(endpoints.into_iter().collect::<Vec<_>>(), expected);
}

fn name(event: &AuthEvent) -> String {
    let request = event.request.as_ref();
    request
        .unwrap_or_else(|| panic!("{event:?} names no request"))
        .as_str()
        .to_owned()
}

fn is_slug(reason: &str) -> bool {
    let mut words = reason.split('_');
    words.all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// No route is left out of the test above by being new: each one is asked something senseless, and
/// whatever it says about that names the request.
#[tokio::test]
async fn h1_no_route_logs_past_the_request() {
    let app = app();
    for Route {
        path,
        methods,
        endpoint,
        ..
    } in ROUTES
    {
        for body in ["", "=", "{", "{}"] {
            let post = Post::raw(body).method(&methods[0]).to(path);
            let post = if matches!(endpoint, Endpoint::Register | Endpoint::Mcp) {
                post
            } else {
                post.header("content-type", "application/x-www-form-urlencoded")
            };
            let post = post.header("authorization", "Bearer junk");
            for event in events(&app, &post).await {
                name(&event);
            }
        }
    }
}

/// Cloudflare's name for a request is what its own logs and error pages show.
#[tokio::test]
async fn h1_a_request_has_the_name_that_cloudflare_gave_it() {
    let app = app();
    let ask = Post::legacy("ping", &json!({})).header("authorization", "Bearer junk");
    let named = events(&app, &ask.clone().header("cf-ray", "8f3a21c9bd0e4c55-FRA")).await;
    assert_eq!(name(&named[0]), "8f3a21c9bd0e4c55-FRA");
    for odd in ["", " ", "a b", "x\"y", "a,b", "é", &"a".repeat(65)] {
        let named = events(&app, &ask.clone().header("cf-ray", odd)).await;
        assert_ne!(name(&named[0]), odd);
        assert_eq!(name(&named[0]).len(), 16, "{odd}");
    }
    app.server.rng.broken.set(true);
    assert_eq!(name(&events(&app, &ask).await[0]), "none");
}

/// Neither tokens nor codes, verifiers, secrets or addresses.
#[tokio::test]
async fn h1_no_line_holds_what_lets_somebody_in_or_says_who_it_is() {
    let app = app();
    let requests = requests(&app).await;
    for post in &requests {
        app.respond(&post.request()).await;
    }
    let log = app.server.events.as_text();
    for word in ["vmcp_", "owner@", "example.test", VERIFIER, "upstream-code"] {
        assert!(!log.contains(word), "{word}");
    }
    for post in &requests {
        let request = post.request();
        let authorization = request.headers().get(header::AUTHORIZATION);
        if let Some(token) = authorization.and_then(|value| value.to_str().ok()) {
            let token = token.trim_start_matches("Bearer ");
            assert!(!log.contains(token) || token == "junk");
        }
    }
    // Every line is one JSON object on its own.
    for event in app.server.events.all() {
        let line = serde_json::to_string(&event).unwrap();
        assert!(!line.contains('\n'));
        assert!(serde_json::from_str::<Value>(&line).unwrap().is_object());
    }
}
