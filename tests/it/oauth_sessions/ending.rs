//! How grants are ended, and how they are not.

use http::{Method, StatusCode};
use vault_mcp::oauth::state::Instance;

use super::{END, SIGN_OUT, grants, sessions, signed_in, token};
use crate::support::{
    app::{Post, TestApp},
    oauth::{Browser, CLAUDE, LOOPBACK, Server, fields, location, text},
};

/// The grant behind an access token.
async fn grant_of(server: &Server, access: &str) -> String {
    server.access(access).await.unwrap().grant_id.to_string()
}

#[tokio::test]
async fn e15_one_grant_is_ended_with_all_its_tokens_and_no_other() {
    let server = Server::new();
    let gone = server.sign_in().await;
    let stays = server.sign_in_at(LOOPBACK).await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let grant = grant_of(&server, &gone.access).await;
    assert!(fields(&page, "grant").contains(&grant));
    let form = [("form_token", &*token(&page)), ("grant", &*grant)];
    let back = browser.send_form(END, &form).await;
    assert_eq!(back.status(), StatusCode::SEE_OTHER);
    assert_eq!(location(&back), "https://vault.example/sessions");

    assert!(server.access(&gone.access).await.is_none());
    let (status, body) = server.refresh(&gone.client, &gone.refresh).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::BAD_REQUEST, &"invalid_grant".into())
    );
    assert!(server.access(&stays.access).await.is_some());
    assert_eq!(fields(&browser.sessions().await, "grant").len(), 1);

    // Sent again, as by a second click, it is as it should be.
    assert_eq!(
        browser.send_form(END, &form).await.status(),
        StatusCode::SEE_OTHER
    );
    assert_eq!(grants(&server), 1);
}

/// On the very next request, at the endpoint that the tokens are for.
#[tokio::test]
async fn e12_what_is_ended_is_ended_for_the_mcp_endpoint() {
    let app = TestApp::of(&[("Note.md", "x")]);
    let client = app.owner().await;
    let ping = Post::legacy("ping", &serde_json::json!({}));
    assert_eq!(client.send(&ping).await.status(), 200);
    let (mut browser, page) = signed_in(&app.server, "owner@example.test").await;
    browser
        .send_form(END, &[("form_token", &token(&page)), ("all", "yes")])
        .await;
    app.storage.take_calls();
    assert_eq!(client.send(&ping).await.outcome(), "401 invalid_token");
    assert!(app.storage.take_calls().is_empty());
}

#[tokio::test]
async fn e15_all_means_all_of_the_persons_and_nobody_elses() {
    let server = Server::new();
    server.log_in_as("reader@example.test");
    let reader = server.sign_in().await;
    server.log_in_as("owner@example.test");
    server.sign_in().await;
    server.sign_in_at(LOOPBACK).await;
    let (client, code) = server.code(LOOPBACK).await;
    let (mut elsewhere, _) = signed_in(&server, "owner@example.test").await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    assert_eq!(fields(&page, "grant").len(), 3);
    browser
        .send_form(END, &[("form_token", &token(&page)), ("all", "yes")])
        .await;

    assert_eq!(grants(&server), 1);
    assert!(server.access(&reader.access).await.is_some());
    let (status, _) = server.redeem(&client, &code, LOOPBACK).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "a code is ended too");
    assert!(text(&browser.sessions().await).contains("No program"));
    assert!(text(&elsewhere.sessions().await).contains("sign-in"));
    let reasons = server.events.reasons();
    let ended = reasons.iter().filter(|reason| **reason == "grant_ended");
    assert_eq!(ended.count(), 3);
}

/// The answer is the same as for a grant that never was.
#[tokio::test]
async fn e15_somebody_elses_grant_cannot_be_ended_or_told_from_none() {
    let server = Server::new();
    server.log_in_as("reader@example.test");
    let reader = server.sign_in().await;
    let theirs = grant_of(&server, &reader.access).await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let token = token(&page);
    let mut answers = Vec::new();
    for grant in [&*theirs, "AAAAAAAAAAAAAAAAAAAAAA"] {
        let answer = browser
            .send_form(END, &[("form_token", &token), ("grant", grant)])
            .await;
        assert_eq!(server.events.last().reason, "grant_unknown");
        assert_eq!(server.events.last().grant, None);
        answers.push((answer.status(), answer.headers().clone(), text(&answer)));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].0, StatusCode::SEE_OTHER);
    assert!(server.access(&reader.access).await.is_some());
    assert_eq!(server.objects.rows(Instance::Grants, "withdrawals"), 0);
}

#[tokio::test]
async fn e15_a_form_without_the_token_of_this_very_session_is_refused() {
    let server = Server::new();
    server.sign_in().await;
    let (_, elsewhere) = signed_in(&server, "owner@example.test").await;
    let (_, somebody) = signed_in(&server, "reader@example.test").await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let good = token(&page);
    assert_ne!(good, token(&elsewhere));
    let cookie = browser.cookies.values().next().unwrap().clone();
    for path in [END, SIGN_OUT] {
        for wrong in [
            "",
            "x",
            &token(&elsewhere),
            &token(&somebody),
            &good[1..],
            &format!("{good}A"),
            &cookie,
        ] {
            let form = [("form_token", wrong), ("all", "yes")];
            let refused = browser.send_form(path, &form).await;
            assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{path} {wrong}");
            assert_eq!(server.events.last().reason, "session_form_refused");
        }
        let refused = browser.send_form(path, &[("all", "yes")]).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN);
        let twice = [
            ("form_token", &*good),
            ("form_token", &*good),
            ("all", "yes"),
        ];
        let refused = browser.send_form(path, &twice).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    }
    assert_eq!((grants(&server), sessions(&server)), (1, 3));
}

#[tokio::test]
async fn e15_a_form_from_elsewhere_is_refused() {
    let server = Server::new();
    server.sign_in().await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let form = [("form_token", &*token(&page)), ("all", "yes")];
    let before = server.footprint();
    for headers in [
        [("origin", "https://evil.example")].as_slice(),
        &[("origin", "null")],
        &[("origin", "http://vault.example")],
        &[("origin", "https://vault.example:8443")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "none")],
        &[
            ("origin", "https://vault.example"),
            ("sec-fetch-site", "cross-site"),
        ],
        &[
            ("origin", "https://evil.example"),
            ("sec-fetch-site", "same-origin"),
        ],
    ] {
        for path in ["/sessions/sign-in", END, SIGN_OUT] {
            let refused = browser.post(path, &form, headers).await;
            assert_eq!(
                refused.status(),
                StatusCode::FORBIDDEN,
                "{path} {headers:?}"
            );
            assert_eq!(server.events.last().reason, "session_cross_site");
        }
    }
    assert_eq!(server.footprint(), before);
    assert_eq!(sessions(&server), 1);
}

#[tokio::test]
async fn e15_a_form_that_does_not_say_what_to_end_ends_nothing() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let token = token(&page);
    let grant = grant_of(&server, &tokens.access).await;
    for fields in [
        [].as_slice(),
        &[("grant", "")],
        &[("grant", "too-short")],
        &[("grant", "AAAAAAAAAAAAAAAAAAAAA'")],
        &[("all", "no")],
        &[("all", "yes"), ("grant", &grant)],
        &[("grant", &grant), ("grant", &grant)],
    ] {
        let form = [&[("form_token", &*token)], fields].concat();
        let refused = browser.send_form(END, &form).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{fields:?}");
        assert_eq!(server.events.last().reason, "session_unreadable");
    }
    assert_eq!(grants(&server), 1);
}

/// A link, an image or a preview changes nothing, whatever it names.
#[tokio::test]
async fn e15_a_get_changes_nothing() {
    let app = TestApp::of(&[("Note.md", "x")]);
    let client = app.owner().await;
    let (browser, page) = signed_in(&app.server, "owner@example.test").await;
    let grant = fields(&page, "grant").remove(0);
    let query = format!("form_token={}&grant={grant}&all=yes", token(&page));
    for method in [Method::GET, Method::HEAD] {
        for (path, status) in [
            ("/sessions", 200),
            (END, 405),
            (SIGN_OUT, 405),
            ("/sessions/sign-in", 405),
        ] {
            let post = Post::raw("")
                .method(&method)
                .to(&format!("{path}?{query}"))
                .header("cookie", &browser.cookie_header());
            let answer = app.respond(&post.request()).await;
            assert_eq!(answer.status(), status, "{method} {path}");
            assert_eq!(answer.header("set-cookie"), None);
        }
    }
    assert_eq!((grants(&app.server), sessions(&app.server)), (1, 1));
    assert!(app.server.access(client.token()).await.is_some());
}

/// One line an event, with a reason that stays and no name.
#[tokio::test]
async fn h1_the_log_tells_what_happened_and_not_to_whom() {
    let server = Server::new();
    server.sign_in_at(CLAUDE).await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let begun = server.events.last();
    assert_eq!(begun.reason, "session_begun");
    let (cookie, token) = (browser.cookie_header(), token(&page));
    let grant = fields(&page, "grant").remove(0);
    let form = [("form_token", &*token), ("grant", &*grant)];
    browser.send_form(END, &form).await;
    let ended = server.events.last();
    assert_eq!(ended.reason, "grant_ended");
    assert_eq!(ended.grant.unwrap().as_str(), grant);
    browser.send_form(SIGN_OUT, &[("form_token", &token)]).await;
    let signed_out = server.events.last();
    assert_eq!(signed_out.reason, "session_ended");
    assert!(begun.person.is_some());
    assert_eq!(begun.person, ended.person);
    assert_eq!(begun.person, signed_out.person);
    let log = server.events.as_text();
    assert!(log.contains("\"endpoint\":\"sessions\""), "{log}");
    for secret in [
        "owner",
        "example.test",
        &token,
        cookie.split_once('=').unwrap().1,
    ] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    let stored = server.objects.everything();
    assert!(!stored.contains(&token), "{stored}");
}

/// A browser with two people's pages open acts for whoever signed in last.
#[tokio::test]
async fn e15_the_page_of_one_person_is_no_form_of_the_next() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let stale = [("form_token", token(&page)), ("all", "yes".to_owned())];
    let stale = stale
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    server.log_in_as("reader@example.test");
    browser.sign_in().await;
    assert_eq!(
        browser.send_form(END, &stale).await.status(),
        StatusCode::FORBIDDEN
    );
    assert!(server.access(&tokens.access).await.is_some());
    let mut nobody = Browser::new(&server);
    assert_eq!(
        nobody.send_form(END, &stale).await.status(),
        StatusCode::FORBIDDEN
    );
}
