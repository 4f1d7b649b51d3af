//! What a person sees of their grants.

use http::StatusCode;
use serde_json::json;
use vault_mcp::oauth::state::Instance;

use super::signed_in;
use crate::support::oauth::{
    CLAUDE, LOOPBACK, START, Server, Tokens, fields, handle, request, text,
};

/// The words of a page.
fn words(html: &str) -> String {
    let mut words = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                words.push(' ');
            }
            c if !inside => words.push(c),
            _ => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn e15_a_grant_is_shown_with_all_that_it_can_be_judged_by() {
    let server = Server::new();
    let hosted = server.sign_in().await;
    server.wait(7_200);
    let local = server.sign_in_at(LOOPBACK).await;
    server.wait(60);

    let (_, page) = signed_in(&server, "owner@example.test").await;
    assert_eq!(page.status(), StatusCode::OK);
    let seen = words(&text(&page));
    assert!(
        seen.contains("You are logged in as owner@example.test . 2 programs may use Test vault"),
        "{seen}"
    );
    // What was used last comes first.
    assert!(
        seen.contains(
            "Claude unverified name Answers to localhost (a program on your computer) \
             May list, read and search notes create, change and delete notes \
             Connected 2027-01-15 10:00 UTC Last used 2027-01-15 10:00 UTC End access \
             Claude unverified name Answers to claude.ai \
             May list, read and search notes create, change and delete notes \
             Connected 2027-01-15 08:00 UTC Last used 2027-01-15 08:00 UTC End access"
        ),
        "{seen}"
    );
    let html = text(&page);
    for secret in [&hosted.access, &hosted.refresh, &local.access] {
        assert!(!html.contains(secret.as_str()));
    }
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("form-action 'self';"), "{policy}");
    assert_eq!(page.headers()["cache-control"], "no-store");
}

#[tokio::test]
async fn e15_where_nothing_is_connected_the_page_says_so() {
    let server = Server::new();
    let (_, page) = signed_in(&server, "owner@example.test").await;
    assert!(words(&text(&page)).contains("No program may use Test vault in your name."));
    assert!(!text(&page).contains("/sessions/end"));
}

#[tokio::test]
async fn e15_nobody_sees_the_grants_of_somebody_else() {
    let server = Server::new();
    server.log_in_as("reader@example.test");
    server.sign_in().await;
    let (_, page) = signed_in(&server, "owner@example.test").await;
    assert!(words(&text(&page)).contains("No program may use"));

    server.log_in_as("owner@example.test");
    server.sign_in_at(LOOPBACK).await;
    let (_, page) = signed_in(&server, "reader@example.test").await;
    assert_eq!(fields(&page, "grant").len(), 1);
    assert!(!text(&page).contains("owner@example.test"));
    assert!(!text(&page).contains("localhost"));
}

/// What a grant allows is what it would allow now.
#[tokio::test]
async fn f3_access_is_shown_as_it_is_now() {
    let server = Server::new();
    server.sign_in().await;
    let writes = "create, change and delete notes";
    for (list, read_only_vault, shown) in [
        ("owner@example.test", false, true),
        ("owner@example.test:read", false, false),
        ("owner@example.test", true, false),
    ] {
        let changed =
            server.redeployed(|settings| settings.read_only_vault = read_only_vault, list);
        let (_, page) = signed_in(&changed, "owner@example.test").await;
        assert_eq!(
            text(&page).contains(writes),
            shown,
            "{list} {read_only_vault}"
        );
    }
    let reading = Server::new();
    let client = reading.client(CLAUDE).await;
    let callback = reading
        .authorize_with(&client, CLAUDE, &[("scope", "vault:read")])
        .await;
    reading.redeem(&client, &callback.one("code"), CLAUDE).await;
    let (_, page) = signed_in(&reading, "owner@example.test").await;
    assert!(!text(&page).contains(writes));
}

/// Nothing that cannot be used any more is shown.
#[tokio::test]
async fn e15_what_is_over_is_not_shown_and_what_is_not_redeemed_is_shown_as_such() {
    let server = Server::new();
    let (_, page) = {
        server.code(LOOPBACK).await;
        signed_in(&server, "owner@example.test").await
    };
    assert!(words(&text(&page)).contains("Last used not yet"));
    server.wait(300);
    let (_, page) = signed_in(&server, "owner@example.test").await;
    assert!(
        words(&text(&page)).contains("No program"),
        "the code expired"
    );

    server.sign_in().await;
    let after = |seconds| {
        server.redeployed(
            |settings| {
                let at = vault_mcp::runtime::Timestamp::from_unix_seconds(START + 300 + seconds);
                settings.revoke_before = Some(at);
            },
            "owner@example.test",
        )
    };
    let changed = after(1);
    server.wait(10);
    let (_, page) = signed_in(&changed, "owner@example.test").await;
    assert!(
        words(&text(&page)).contains("No program"),
        "void by REVOKE_BEFORE"
    );
}

/// Within some minutes: to note every use would be a write a request.
#[tokio::test]
async fn e15_the_last_use_is_the_last_call_not_the_last_refresh() {
    let server = Server::new();
    let tokens = server.sign_in().await;
    let used_at = || {
        let sql = server.objects.sql(Instance::Grants);
        let rows = vault_mcp::runtime::Sql::exec(&*sql, "SELECT used_at FROM grants", &[]).unwrap();
        u64::try_from(rows[0].integer(0).unwrap()).unwrap() - START
    };
    for (wait, noted) in [(299, 0), (1, 300), (200, 300), (600, 1_100)] {
        server.wait(wait);
        server.access(&tokens.access).await.unwrap();
        assert_eq!(used_at(), noted);
    }
    let (_, page) = signed_in(&server, "owner@example.test").await;
    assert!(
        words(&text(&page)).contains("Last used 2027-01-15 08:18 UTC"),
        "{}",
        text(&page)
    );
}

/// Who vouches for a name, and names that try to be more than text.
#[tokio::test]
async fn c5_a_client_cannot_dress_up() {
    let server = Server::new();
    let metadata = json!({
        "redirect_uris": [CLAUDE],
        "client_name": "<b>Bank</b>\u{202e}",
        "token_endpoint_auth_method": "none",
    });
    let (_, body) = server.register(&metadata).await;
    let client = body["client_id"].as_str().unwrap();
    let code = server.authorize(client, CLAUDE).await.one("code");
    server.redeem(client, &code, CLAUDE).await;

    let document = "https://tool.dev/client.json";
    let body = json!({
        "client_id": document,
        "client_name": "Tool",
        "redirect_uris": [LOOPBACK],
        "token_endpoint_auth_method": "none",
    });
    server
        .web
        .publish(document, 200, "max-age=600", &body.to_string());
    let mut browser = crate::support::oauth::Browser::new(&server);
    let page = browser.authorize(&request(document, LOOPBACK, &[])).await;
    let sent = browser
        .decide(&handle(&page), &[("decision", "approve")])
        .await;
    let back = crate::support::oauth::Callback::of(&browser.come_back(&sent).await);
    let (_, body) = server.redeem(document, &back.one("code"), LOOPBACK).await;
    assert!(!Tokens::of(document, &body).access.is_empty(), "{body}");

    let (_, page) = signed_in(&server, "owner@example.test").await;
    let html = text(&page);
    assert!(html.contains("&lt;b&gt;Bank&lt;/b&gt;"), "{html}");
    assert!(
        !html.contains("<b>") && !html.contains('\u{202e}'),
        "{html}"
    );
    let seen = words(&html);
    assert!(seen.contains("Tool vouched for by tool.dev"), "{seen}");
    assert!(
        seen.contains("&lt;b&gt;Bank&lt;/b&gt; unverified name"),
        "{seen}"
    );
}
