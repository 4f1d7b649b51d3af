//! The consent page and the decision on it.

use http::{StatusCode, header};
use serde_json::json;
use vault_mcp::{base_url::BaseUrl, login::LoginError, oauth::state::Instance};

use crate::support::oauth::{
    Browser, CLAUDE, Callback, LOOPBACK, Server, handle, location, request, text, upstream_state,
};

const APPROVE: &[(&str, &str)] = &[("decision", "approve")];
const DENY: &[(&str, &str)] = &[("decision", "deny")];

fn logins(server: &Server) -> i64 {
    server.objects.rows(Instance::Front, "logins")
}

#[tokio::test]
async fn c5_the_page_names_all_that_the_decision_depends_on() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let page = text(
        &Browser::new(&server)
            .authorize(&request(&client, CLAUDE, &[]))
            .await,
    );
    for part in [
        "Give access to Test vault?",
        "The program gave itself this name",
        "unverified name",
        "claude.ai",
        "list, read and search notes",
        "create, change and delete notes",
        "login.example",
        "action=\"https://vault.example/consent\"",
        "<button class=\"primary\" type=\"submit\" name=\"decision\" value=\"approve\"",
        "name=\"decision\" value=\"deny\"",
        "<input type=\"checkbox\" name=\"read_only\" value=\"on\">",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains("role=\"alert\""));
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("src="));
}

#[tokio::test]
async fn c5_a_program_on_the_persons_own_computer_is_warned_of() {
    let server = Server::new();
    let client = server.client(LOOPBACK).await;
    let page = text(
        &Browser::new(&server)
            .authorize(&request(&client, LOOPBACK, &[]))
            .await,
    );
    assert!(
        page.contains("role=\"alert\"") && page.contains("localhost"),
        "{page}"
    );
}

#[tokio::test]
async fn c5_a_hostile_name_stays_text() {
    let server = Server::new();
    let metadata = json!({
        "redirect_uris": [CLAUDE],
        "client_name": "<script>alert(1)</script>\u{202e}\"'\n",
        "token_endpoint_auth_method": "none",
    });
    let (_, body) = server.register(&metadata).await;
    let client = body["client_id"].as_str().unwrap();
    let page = text(
        &Browser::new(&server)
            .authorize(&request(client, CLAUDE, &[]))
            .await,
    );
    assert!(
        !page.contains("<script") && !page.contains('\u{202e}'),
        "{page}"
    );
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[tokio::test]
async fn c6_every_page_has_the_headers() {
    let server = Server::new();
    let client = server.client(LOOPBACK).await;
    let consent = Browser::new(&server)
        .authorize(&request(&client, LOOPBACK, &[]))
        .await;
    let problem = Browser::new(&server).authorize("").await;
    for page in [&consent, &problem] {
        let of = |name: &str| page.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(of("x-frame-options"), "DENY");
        assert_eq!(of("referrer-policy"), "no-referrer");
        assert_eq!(of("x-content-type-options"), "nosniff");
        assert_eq!(of("cache-control"), "no-store");
        assert_eq!(of("cross-origin-opener-policy"), "same-origin");
        assert_eq!(of("content-type"), "text/html; charset=utf-8");
        assert!(!page.headers().contains_key("access-control-allow-origin"));
        let policy = of("content-security-policy");
        for part in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        let (_, nonce) = policy.split_once("style-src 'nonce-").unwrap();
        let nonce = nonce.split_once('\'').unwrap().0;
        assert!(
            text(page).contains(&format!("<style nonce=\"{nonce}\">")),
            "{policy}"
        );
    }
    let form_action = |page: &vault_mcp::http::Response| {
        let policy = page.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .to_owned();
        let (_, rest) = policy.split_once("form-action ").unwrap();
        rest.split_once(';').unwrap().0.to_owned()
    };
    assert_eq!(
        form_action(&consent),
        "'self' https: http://localhost:53124"
    );
    assert_eq!(form_action(&problem), "'none'");

    let hosted = server.client(CLAUDE).await;
    let page = Browser::new(&server)
        .authorize(&request(&hosted, CLAUDE, &[]))
        .await;
    assert_eq!(form_action(&page), "'self' https:");
}

#[tokio::test]
async fn c7_the_cookie_is_tied_to_this_host() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let page = Browser::new(&server)
        .authorize(&request(&client, CLAUDE, &[]))
        .await;
    let cookie = page.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.starts_with("__Host-vmcp_consent_"), "{cookie}");
    for attribute in [
        "HttpOnly",
        "Secure",
        "SameSite=Lax",
        "Path=/",
        "Max-Age=600",
    ] {
        assert!(cookie.contains(attribute), "{attribute} in {cookie}");
    }
    assert!(!cookie.contains("Domain"));

    let local = Server::with(|setup| {
        setup.settings.base_url = BaseUrl::parse("http://localhost:8787").unwrap();
    });
    let client = local.client(CLAUDE).await;
    let query = request(&client, CLAUDE, &[("resource", "")]);
    let page = Browser::new(&local).authorize(&query).await;
    let cookie = page.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(
        cookie.starts_with("vmcp_consent_") && !cookie.contains("Secure"),
        "{cookie}"
    );
}

#[tokio::test]
async fn c7_a_handle_without_its_cookie_is_refused() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut victim = Browser::new(&server);
    let page = victim.authorize(&request(&client, CLAUDE, &[])).await;
    let mut attacker = Browser::new(&server);
    attacker.authorize(&request(&client, CLAUDE, &[])).await;
    let refused = attacker.decide(&handle(&page), APPROVE).await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert_eq!(server.footprint(), [0; 7]);
    assert_eq!(
        server.events.reasons().last(),
        Some(&"consent_other_browser")
    );
}

#[tokio::test]
async fn c7_a_form_from_another_site_is_refused() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let handle = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
    for headers in [
        [
            ("origin", "https://evil.example"),
            ("sec-fetch-site", "cross-site"),
        ]
        .as_slice(),
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("sec-fetch-site", "same-site")],
    ] {
        let refused = browser.decide_from(&handle, APPROVE, headers).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{headers:?}");
    }
    assert_eq!(server.footprint(), [0; 7]);
    // The person's own decision still counts.
    let sent = browser.decide(&handle, APPROVE).await;
    assert_eq!(sent.status(), StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn c7_a_handle_counts_once() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    for decision in [APPROVE, DENY] {
        let mut browser = Browser::new(&server);
        let handle = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
        let cookies = browser.cookies.clone();
        let first = browser.decide(&handle, decision).await;
        assert_eq!(first.status(), StatusCode::SEE_OTHER);
        let before = server.footprint();
        browser.cookies = cookies;
        let second = browser.decide(&handle, APPROVE).await;
        assert_eq!(second.status(), StatusCode::BAD_REQUEST);
        assert_eq!(server.footprint(), before);
    }
}

#[tokio::test]
async fn c7_a_handle_expires_and_cannot_be_changed() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let handle = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
    let mut changed = handle.clone();
    changed.replace_range(40..41, if &handle[40..41] == "A" { "B" } else { "A" });
    for (handle, decision) in [
        (changed.as_str(), APPROVE),
        ("", APPROVE),
        (&handle, &[]),
        (&handle, &[("decision", "maybe")]),
    ] {
        let refused = browser.decide(handle, decision).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    }
    server.wait(600);
    let refused = browser.decide(&handle, APPROVE).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    assert_eq!(server.footprint(), [0; 7]);
}

#[tokio::test]
async fn c7_a_browser_keeps_at_most_eight_transaction_cookies() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let mut newest = String::new();
    for _ in 0..20 {
        server.wait(1);
        newest = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
    }
    assert_eq!(browser.cookies.len(), 8);
    assert_eq!(
        browser.decide(&newest, APPROVE).await.status(),
        StatusCode::SEE_OTHER
    );
}

#[tokio::test]
async fn c8_state_and_cookie_of_the_login_come_after_approval_only() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let page = browser.authorize(&request(&client, CLAUDE, &[])).await;
    assert!(server.provider.begun.borrow().is_empty());
    assert!(browser.cookies.keys().all(|name| !name.contains("login")));

    let sent = browser.decide(&handle(&page), APPROVE).await;
    assert_eq!(logins(&server), 1);
    let names: Vec<_> = browser.cookies.keys().collect();
    assert_eq!(names.len(), 1);
    assert!(names[0].starts_with("__Host-vmcp_login_"));
    assert!(upstream_state(&sent).len() >= 43);
}

#[tokio::test]
async fn c9_a_form_is_never_posted_on() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    for decision in [APPROVE, DENY] {
        let mut browser = Browser::new(&server);
        let handle = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
        assert_eq!(
            browser.decide(&handle, decision).await.status(),
            StatusCode::SEE_OTHER
        );
    }
}

#[tokio::test]
async fn c10_a_no_goes_to_the_client() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let handle = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
    let callback = Callback::of(&browser.decide(&handle, DENY).await);
    assert!(callback.0.as_str().starts_with(CLAUDE));
    assert_eq!(callback.one("error"), "access_denied");
    assert_eq!(callback.one("state"), "client state");
    assert_eq!(callback.one("iss"), "https://vault.example");
    assert!(browser.cookies.is_empty());
    assert_eq!(logins(&server), 0);
    assert!(server.provider.begun.borrow().is_empty());
}

#[tokio::test]
async fn c12_two_tabs_do_not_disturb_each_other() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let one = handle(
        &browser
            .authorize(&request(&client, CLAUDE, &[("state", "one")]))
            .await,
    );
    let two = handle(
        &browser
            .authorize(&request(&client, CLAUDE, &[("state", "two")]))
            .await,
    );
    let sent_two = browser.decide(&two, APPROVE).await;
    let sent_one = browser.decide(&one, APPROVE).await;
    let back_one = Callback::of(&browser.come_back(&sent_one).await);
    let back_two = Callback::of(&browser.come_back(&sent_two).await);
    assert_eq!(
        (back_one.one("state"), back_two.one("state")),
        ("one".into(), "two".into())
    );
    assert_ne!(back_one.one("code"), back_two.one("code"));
    assert!(browser.cookies.is_empty());
}

#[tokio::test]
async fn d4_a_provider_that_cannot_be_reached_or_believed_is_told_to_the_client() {
    let what = || "its discovery document".to_owned();
    for (error, code, reason) in [
        (
            LoginError::Unavailable(what()),
            "temporarily_unavailable",
            "provider_unavailable",
        ),
        (
            LoginError::Untrusted(what()),
            "server_error",
            "provider_answer_refused",
        ),
    ] {
        let server = Server::new();
        let client = server.client(CLAUDE).await;
        server.provider.closed.replace(Some(error));
        let mut browser = Browser::new(&server);
        let handle = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
        let callback = Callback::of(&browser.decide(&handle, APPROVE).await);
        assert_eq!(callback.one("error"), code);
        assert_eq!(server.events.last().reason, reason);
        assert_eq!(logins(&server), 0);
    }
}

#[tokio::test]
async fn d3_a_provider_that_is_not_set_up_right_is_a_page_that_says_what_to_do() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let what = "set OIDC_ISSUER to https://login.example/".to_owned();
    server
        .provider
        .closed
        .replace(Some(LoginError::Misconfigured(what.clone())));
    let mut browser = Browser::new(&server);
    let handle = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
    let page = browser.decide(&handle, APPROVE).await;
    assert_eq!(page.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert!(text(&page).contains(&what));
    assert_eq!(logins(&server), 0);
}

#[tokio::test]
async fn e5_a_decision_during_an_outage_is_not_lost() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let handle = handle(&browser.authorize(&request(&client, CLAUDE, &[])).await);
    server.objects.down.set(true);
    let page = browser.decide(&handle, APPROVE).await;
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
    server.objects.down.set(false);
    let sent = browser.decide(&handle, APPROVE).await;
    assert!(location(&sent).starts_with("https://login.example/"));
}
