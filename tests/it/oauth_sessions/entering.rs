//! Who gets in, for how long, and what the browser keeps of it.

use http::{StatusCode, header};
use vault_mcp::{
    base_url::BaseUrl,
    login::{Identity, LoginError},
    oauth::{SealingKey, state::Instance},
    runtime::Sql,
    secret::Secret,
};

use super::{END, SIGN_OUT, grants, sessions, signed_in, token};
use crate::support::oauth::{Browser, CLAUDE, START, Server, fields, location, person, text};

const COOKIE: &str = "__Host-vmcp_session";
const SIGN_IN: &str = "action=\"https://vault.example/sessions/sign-in\"";

#[tokio::test]
async fn e15_a_stranger_is_offered_to_log_in_and_nothing_is_written() {
    let server = Server::new();
    let page = Browser::new(&server).sessions().await;
    assert_eq!(page.status(), StatusCode::OK);
    assert!(text(&page).contains(SIGN_IN), "{}", text(&page));
    assert!(!text(&page).contains("<script"));
    assert!(server.objects.calls.borrow().is_empty());
    assert!(!page.headers().contains_key(header::SET_COOKIE));
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("form-action 'self' https:;"), "{policy}");
}

#[tokio::test]
async fn e15_the_cookie_is_sealed_tied_to_this_host_and_lives_thirty_minutes() {
    for (base, name, secure) in [
        ("https://vault.example", COOKIE, true),
        ("http://localhost:8787", "vmcp_session", false),
    ] {
        let server = Server::with(|setup| setup.settings.base_url = BaseUrl::parse(base).unwrap());
        let mut browser = Browser::new(&server);
        let back = browser.sign_in().await;
        assert_eq!(location(&back), format!("{base}/sessions"));
        let set = back.headers().get_all(header::SET_COOKIE).iter();
        let cookies: Vec<&str> = set.map(|value| value.to_str().unwrap()).collect();
        let cookie = cookies
            .iter()
            .find(|cookie| cookie.starts_with(&format!("{name}=")))
            .unwrap_or_else(|| panic!("{cookies:?}"));
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=1800"] {
            assert!(cookie.contains(attribute), "{attribute} in {cookie}");
        }
        assert_eq!(cookie.contains("Secure"), secure, "{cookie}");
        assert!(!cookie.contains("Domain"), "{cookie}");
        // The transaction's own cookie is gone.
        assert_eq!(browser.cookies.keys().collect::<Vec<_>>(), [name]);
        for secret in browser.cookies.values() {
            assert!(!server.objects.everything().contains(secret));
        }
    }
}

#[tokio::test]
async fn e15_a_session_ends_after_thirty_minutes_whatever_is_done_in_it() {
    let server = Server::new();
    server.sign_in().await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let cookies = browser.cookies.clone();
    let form = [("form_token", token(&page)), ("all", "yes".to_owned())];
    let form = form.each_ref().map(|(name, value)| (*name, value.as_str()));

    server.wait(1_799);
    assert!(!text(&browser.sessions().await).contains(SIGN_IN));
    server.wait(1);
    let page = browser.sessions().await;
    assert!(text(&page).contains(SIGN_IN));
    assert!(browser.cookies.is_empty(), "the cookie is of no use");

    browser.cookies = cookies;
    let refused = browser.send_form(END, &form).await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert!(text(&refused).contains("href=\"/sessions\""));
    assert_eq!(grants(&server), 1);
    assert_eq!(server.events.last().reason, "session_over");
}

#[tokio::test]
async fn e15_a_cookie_that_was_not_made_here_is_nobodys() {
    let server = Server::new();
    server.sign_in().await;
    let (browser, page) = signed_in(&server, "owner@example.test").await;
    let token = token(&page);
    let good = browser.cookies[COOKIE].clone();

    let elsewhere = Server::with(|setup| {
        setup.settings.sealing_key =
            SealingKey::new(&Secret::new("another key of 32 bytes or more"));
    });
    let (foreign, _) = signed_in(&elsewhere, "owner@example.test").await;
    let client = server.client(CLAUDE).await;
    let consent = Browser::new(&server)
        .authorize(&crate::support::oauth::request(&client, CLAUDE, &[]))
        .await;
    let mut flipped = good.clone().into_bytes();
    flipped[40] ^= 1;
    for cookie in [
        foreign.cookies[COOKIE].clone(),
        // Sealed here, for another use.
        fields(&consent, "handle").remove(0),
        String::from_utf8(flipped).unwrap(),
        good[..good.len() - 4].to_owned(),
        "junk".to_owned(),
        String::new(),
    ] {
        let mut browser = Browser::new(&server);
        browser.cookies.insert(COOKIE.to_owned(), cookie.clone());
        assert!(
            text(&browser.sessions().await).contains(SIGN_IN),
            "{cookie}"
        );
        browser.cookies.insert(COOKIE.to_owned(), cookie.clone());
        for path in [END, SIGN_OUT] {
            let refused = browser
                .send_form(path, &[("form_token", &token), ("all", "yes")])
                .await;
            assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{path} {cookie}");
        }
    }
    // Another name, such as the one without the prefix, does not count either.
    let mut browser = Browser::new(&server);
    browser.cookies.insert("vmcp_session".to_owned(), good);
    assert!(text(&browser.sessions().await).contains(SIGN_IN));
    assert_eq!((grants(&server), sessions(&server)), (1, 1));
}

#[tokio::test]
async fn e15_signing_out_is_for_whoever_else_has_the_cookie_too() {
    let server = Server::new();
    server.sign_in().await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    let copied = browser.cookies.clone();
    let back = browser
        .send_form(SIGN_OUT, &[("form_token", &token(&page))])
        .await;
    assert_eq!(back.status(), StatusCode::SEE_OTHER);
    assert_eq!(location(&back), "https://vault.example/sessions");
    assert_eq!(server.events.last().reason, "session_ended");
    assert!(browser.cookies.is_empty());
    assert_eq!(sessions(&server), 0);

    browser.cookies = copied;
    let refused = browser
        .send_form(END, &[("form_token", &token(&page)), ("all", "yes")])
        .await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert!(text(&browser.sessions().await).contains(SIGN_IN));
    assert_eq!(grants(&server), 1, "to sign out ends no grant");
}

#[tokio::test]
async fn c13_whoever_is_not_on_the_list_sees_the_page_that_says_so_and_is_not_signed_in() {
    let server = Server::new();
    server.log_in_as("stranger@example.test");
    let mut browser = Browser::new(&server);
    let page = browser.sign_in().await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    for part in [
        "stranger@example.test",
        "VAULT_ALLOWED_OIDC_EMAILS",
        "href=\"/sessions\"",
    ] {
        assert!(text(&page).contains(part), "{part} in {}", text(&page));
    }
    assert!(!browser.cookies.contains_key(COOKIE));
    assert_eq!(sessions(&server), 0);
    assert_eq!(server.objects.rows(Instance::Grants, "pins"), 0);
    assert_eq!(server.events.last().reason, "allowlist_denied");
}

/// The list is asked on every request, and so is the provider that vouched for the person.
#[tokio::test]
async fn e15_whoever_may_not_enter_any_more_is_out_at_once() {
    let owner = person("owner@example.test");
    let of_another_issuer = Identity {
        issuer: "https://former.example".to_owned(),
        ..owner.clone()
    };
    let everybody = "owner@example.test reader@example.test";
    for (identity, list, statement, reason) in [
        (&owner, "reader@example.test", "", "allowlist_denied"),
        (&of_another_issuer, everybody, "", "allowlist_denied"),
        // As if somebody else had been the first with the name, and as if nobody had.
        (
            &owner,
            everybody,
            "UPDATE pins SET subject = 'of its first owner'",
            "pinned_to_another",
        ),
        (&owner, everybody, "DELETE FROM pins", "allowlist_denied"),
    ] {
        let server = Server::new();
        server.log_in(identity.clone());
        let tokens = server.sign_in().await;
        let mut browser = Browser::new(&server);
        browser.sign_in().await;
        let signed_in = browser.cookies.clone();
        assert!(signed_in.contains_key(COOKIE));
        // A page of the configured issuer alone has forms.
        let page = browser.sessions().await;
        let form_token = match page.status() {
            StatusCode::OK => token(&page),
            _ => "none".to_owned(),
        };
        if !statement.is_empty() {
            let grants = server.objects.sql(Instance::Grants);
            grants.exec(statement, &[]).unwrap();
        }
        let changed = server.redeployed(|_| {}, list);
        let mut browser = Browser::new(&changed);
        browser.cookies.clone_from(&signed_in);
        let page = browser.sessions().await;
        assert_eq!(page.status(), StatusCode::FORBIDDEN, "{reason}");
        for part in ["owner@example.test", "VAULT_ALLOWED_OIDC_EMAILS"] {
            assert!(text(&page).contains(part), "{part} in {}", text(&page));
        }
        assert_eq!(server.events.last().reason, reason);
        assert!(browser.cookies.is_empty(), "another account may try");

        // With a form that was good while they were in.
        browser.cookies = signed_in;
        let form = [("form_token", &*form_token), ("all", "yes")];
        let refused = browser.send_form(END, &form).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN);
        assert_eq!(server.events.last().reason, reason);
        assert!(server.access(&tokens.access).await.is_some());
    }
}

#[tokio::test]
async fn d6_a_login_at_the_page_ties_the_name_as_any_other_does() {
    let server = Server::new();
    signed_in(&server, "owner@example.test").await;
    let impostor = Identity {
        subject: "another".to_owned(),
        ..person("owner@example.test")
    };
    server.log_in(impostor);
    let mut browser = Browser::new(&server);
    let page = browser.sign_in().await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    assert!(text(&page).contains("sub:another"), "{}", text(&page));
    assert_eq!(sessions(&server), 1);
    assert!(!browser.cookies.contains_key(COOKIE));
}

/// There is no client to tell: the person is, with a way back.
#[tokio::test]
async fn c10_a_login_that_fails_is_a_page() {
    let email = Some("owner@example.test".to_owned());
    for (error, status, reason) in [
        (LoginError::Declined("no".into()), 403, "login_declined"),
        (
            LoginError::Unavailable("secret text".into()),
            503,
            "provider_unavailable",
        ),
        (
            LoginError::Untrusted("secret text".into()),
            502,
            "provider_answer_refused",
        ),
        (
            LoginError::Misconfigured("set OIDC_ISSUER".into()),
            500,
            "provider_misconfigured",
        ),
        (
            LoginError::UnverifiedEmail {
                email,
                explicit: true,
            },
            403,
            "email_unverified",
        ),
        (
            LoginError::OtherOrganisation {
                email: "guest@other.test".into(),
            },
            403,
            "organisation_denied",
        ),
    ] {
        let server = Server::new();
        *server.provider.answer.borrow_mut() = Err(error.clone());
        let mut browser = Browser::new(&server);
        let page = browser.sign_in().await;
        assert_eq!(page.status(), status, "{error}");
        let html = text(&page);
        assert!(html.contains("href=\"/sessions\""), "{html}");
        assert!(!html.contains("secret text"), "{html}");
        assert_eq!(server.events.last().reason, reason);
        assert_eq!(sessions(&server), 0);

        // The provider may also fail before anybody is sent there.
        let server = Server::new();
        *server.provider.closed.borrow_mut() = Some(error);
        let mut browser = Browser::new(&server);
        let page = browser.send_form("/sessions/sign-in", &[]).await;
        assert_eq!(page.status(), status);
        assert_eq!(server.events.last().reason, reason);
        assert_eq!(server.footprint(), [0; 7]);
    }
}

#[tokio::test]
async fn e15_an_outage_is_a_page_and_ends_nothing() {
    let server = Server::new();
    server.sign_in().await;
    let (mut browser, page) = signed_in(&server, "owner@example.test").await;
    server.objects.down.set(true);
    let all = [("form_token", &*token(&page)), ("all", "yes")];
    for answer in [
        browser.sessions().await,
        browser.send_form(END, &all).await,
        browser.send_form(SIGN_OUT, &all).await,
        browser.sign_in().await,
    ] {
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(answer.headers().contains_key(header::RETRY_AFTER));
    }
    server.objects.down.set(false);
    assert_eq!(grants(&server), 1);
    assert!(!text(&browser.sessions().await).contains(SIGN_IN));
}

#[tokio::test]
async fn e15_revoke_before_ends_sessions_too() {
    let server = Server::new();
    let (browser, _) = signed_in(&server, "owner@example.test").await;
    let void = |at| {
        server.redeployed(
            |settings| {
                let at = vault_mcp::runtime::Timestamp::from_unix_seconds(at);
                settings.revoke_before = Some(at);
            },
            "owner@example.test",
        )
    };
    for (at, over) in [(START, false), (START + 1, true)] {
        let changed = void(at);
        let mut again = Browser::new(&changed);
        again.cookies.clone_from(&browser.cookies);
        assert_eq!(text(&again.sessions().await).contains(SIGN_IN), over);
    }
}

#[tokio::test]
async fn e15_sessions_of_one_person_are_bounded() {
    let server = Server::new();
    let (mut first, _) = signed_in(&server, "owner@example.test").await;
    for _ in 0..20 {
        server.wait(1);
        signed_in(&server, "owner@example.test").await;
    }
    assert_eq!(sessions(&server), 20);
    assert!(text(&first.sessions().await).contains(SIGN_IN));
}
