//! Coming back from the login provider: who gets a code, and who does not.

use http::StatusCode;
use vault_mcp::{
    login::{Caution, Identity, LoginError},
    oauth::state::Instance,
};

use crate::support::oauth::{
    Browser, CLAUDE, Callback, Server, handle, person, request, text, upstream_state,
};

const APPROVE: &[(&str, &str)] = &[("decision", "approve")];

/// A browser that has said yes, and where it was sent.
async fn approved<'a>(server: &'a Server, fields: &[(&str, &str)]) -> (Browser<'a>, String) {
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(server);
    let page = browser.authorize(&request(&client, CLAUDE, &[])).await;
    let sent = browser
        .decide(&handle(&page), &[APPROVE, fields].concat())
        .await;
    let state = upstream_state(&sent);
    (browser, state)
}

fn grants(server: &Server) -> i64 {
    server.objects.rows(Instance::Grants, "grants")
}

#[tokio::test]
async fn c8_another_browser_gets_nothing_and_spoils_nothing() {
    let server = Server::new();
    let (mut browser, state) = approved(&server, &[]).await;
    let query = format!("code=upstream-code&state={state}");
    let refused = Browser::new(&server).callback(&query).await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);

    // Not with a cookie of its own making either.
    let mut thief = Browser::new(&server);
    thief.cookies = browser
        .cookies
        .keys()
        .map(|name| (name.clone(), "1.x".to_owned()))
        .collect();
    let refused = thief.callback(&query).await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert_eq!((grants(&server), server.provider.identified.get()), (0, 0));

    assert!(
        Callback::of(&browser.callback(&query).await)
            .one("code")
            .starts_with("vmcp_ac_1.")
    );
}

#[tokio::test]
async fn c8_a_login_counts_once() {
    let server = Server::new();
    let (mut browser, state) = approved(&server, &[]).await;
    let cookies = browser.cookies.clone();
    let query = format!("code=upstream-code&state={state}");
    Callback::of(&browser.callback(&query).await).one("code");
    browser.cookies = cookies;
    let again = browser.callback(&query).await;
    assert_eq!(again.status(), StatusCode::BAD_REQUEST);
    assert_eq!((grants(&server), server.provider.identified.get()), (1, 1));
}

/// Whatever comes of a login, its cookie goes with it. One that is still there keeps its cookie.
#[tokio::test]
async fn c8_a_spent_login_leaves_no_cookie() {
    let spend = |server: &Server, kind| match kind {
        "declined" => "error=access_denied",
        "stranger" => {
            server.log_in_as("stranger@example.test");
            "code=upstream-code"
        }
        "late" => {
            server.wait(600);
            "code=upstream-code"
        }
        "outage" => {
            server.objects.down.set(true);
            "code=upstream-code"
        }
        _ => "code=upstream-code",
    };
    for (kind, kept) in [
        ("let in", false),
        ("declined", false),
        ("stranger", false),
        ("late", false),
        ("outage", true),
    ] {
        let server = Server::new();
        let (mut browser, state) = approved(&server, &[]).await;
        assert_eq!(browser.cookies.len(), 1);
        let query = spend(&server, kind);
        browser.callback(&format!("{query}&state={state}")).await;
        assert_eq!(!browser.cookies.is_empty(), kept, "{kind}");
    }
}

#[tokio::test]
async fn c8_a_login_has_to_be_over_in_ten_minutes() {
    let server = Server::new();
    let (mut browser, state) = approved(&server, &[]).await;
    server.wait(600);
    let late = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(late.status(), StatusCode::BAD_REQUEST);
    assert_eq!((grants(&server), server.provider.identified.get()), (0, 0));
}

#[tokio::test]
async fn c8_what_is_no_answer_of_a_login_is_refused() {
    let server = Server::new();
    let (mut browser, state) = approved(&server, &[]).await;
    for (query, status) in [
        (String::new(), StatusCode::BAD_REQUEST),
        ("code=upstream-code".to_owned(), StatusCode::BAD_REQUEST),
        (
            format!("code=upstream-code&state={state}&state={state}"),
            StatusCode::BAD_REQUEST,
        ),
        (
            format!("code=a&code=b&state={state}"),
            StatusCode::BAD_REQUEST,
        ),
        (
            format!("code=upstream-code&state={state}x"),
            StatusCode::FORBIDDEN,
        ),
    ] {
        assert_eq!(browser.callback(&query).await.status(), status, "{query}");
    }
    assert_eq!((grants(&server), server.provider.identified.get()), (0, 0));
}

#[tokio::test]
async fn c10_a_declined_login_is_told_to_the_client() {
    let server = Server::new();
    let (mut browser, state) = approved(&server, &[]).await;
    let back = browser
        .callback(&format!("error=access_denied&state={state}"))
        .await;
    let callback = Callback::of(&back);
    assert_eq!(callback.one("error"), "access_denied");
    assert_eq!(callback.one("state"), "client state");
    assert_eq!(callback.one("iss"), "https://vault.example");
    assert_eq!(grants(&server), 0);
}

#[tokio::test]
async fn d4_failures_of_the_provider_are_told_to_the_client_in_our_words() {
    for (error, code) in [
        (
            LoginError::Unavailable("secret upstream text".into()),
            "temporarily_unavailable",
        ),
        (
            LoginError::Untrusted("secret upstream text".into()),
            "server_error",
        ),
    ] {
        let server = Server::new();
        *server.provider.answer.borrow_mut() = Err(error);
        let (mut browser, state) = approved(&server, &[]).await;
        let back = browser
            .callback(&format!("code=upstream-code&state={state}"))
            .await;
        let callback = Callback::of(&back);
        assert_eq!(callback.one("error"), code);
        assert!(!callback.0.as_str().contains("secret"));
        assert_eq!(grants(&server), 0);
    }
}

#[tokio::test]
async fn c13_a_person_who_is_not_on_the_list_sees_a_page_and_gets_no_code() {
    let server = Server::new();
    server.log_in_as("stranger@example.test");
    let (mut browser, state) = approved(&server, &[]).await;
    let page = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    let html = text(&page);
    assert!(html.contains("stranger@example.test"), "{html}");
    assert!(html.contains("VAULT_ALLOWED_OIDC_EMAILS"), "{html}");
    assert!(
        !html.contains("owner@example.test"),
        "the list is nobody's business"
    );
    assert_eq!(grants(&server), 0);
    assert_eq!(server.objects.rows(Instance::Grants, "pins"), 0);
    let event = server.events.last();
    assert_eq!(event.reason, "allowlist_denied");
    assert!(event.person.is_some());
    assert!(!server.events.as_text().contains("stranger"));
}

#[tokio::test]
async fn d3_an_empty_list_admits_nobody() {
    let server = Server::with(|setup| setup.allowlist = String::new());
    let (mut browser, state) = approved(&server, &[]).await;
    let page = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    assert_eq!(grants(&server), 0);
}

#[tokio::test]
async fn c13_an_unverified_address_sees_a_page_that_says_so() {
    for (explicit, phrase) in [
        (true, "says that the address is not"),
        (false, "does not say that"),
    ] {
        let server = Server::with(|setup| setup.allowlist.push_str(" unverified@example.test"));
        let email = Some("unverified@example.test".to_owned());
        *server.provider.answer.borrow_mut() = Err(LoginError::UnverifiedEmail { email, explicit });
        let (mut browser, state) = approved(&server, &[]).await;
        let page = browser
            .callback(&format!("code=upstream-code&state={state}"))
            .await;
        assert_eq!(page.status(), StatusCode::FORBIDDEN);
        let html = text(&page);
        for part in [
            "unverified@example.test",
            "OIDC_ALLOW_UNVERIFIED_EMAIL",
            phrase,
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert_eq!(grants(&server), 0);
    }
}

#[tokio::test]
async fn c13_an_identity_with_an_unverified_name_is_not_admitted_by_it() {
    let server = Server::new();
    let unverified = Identity {
        name_verified: false,
        ..person("owner@example.test")
    };
    *server.provider.answer.borrow_mut() = Ok(unverified);
    let (mut browser, state) = approved(&server, &[]).await;
    let page = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    assert!(text(&page).contains("not verified"), "{}", text(&page));
    assert_eq!(grants(&server), 0);
}

#[tokio::test]
async fn f3_the_scope_is_the_least_of_request_choice_entry_and_vault() {
    for (who, asked, fields, read_only_vault, expected) in [
        (
            "owner@example.test",
            "",
            [].as_slice(),
            false,
            "vault:read vault:write",
        ),
        ("owner@example.test", "vault:read", &[], false, "vault:read"),
        (
            "owner@example.test",
            "",
            &[("read_only", "on")],
            false,
            "vault:read",
        ),
        ("reader@example.test", "", &[], false, "vault:read"),
        ("owner@example.test", "vault:write", &[], true, "vault:read"),
    ] {
        let server = Server::with(|setup| setup.settings.read_only_vault = read_only_vault);
        server.log_in_as(who);
        let client = server.client(CLAUDE).await;
        let mut browser = Browser::new(&server);
        let page = browser
            .authorize(&request(&client, CLAUDE, &[("scope", asked)]))
            .await;
        let sent = browser
            .decide(&handle(&page), &[APPROVE, fields].concat())
            .await;
        let code = Callback::of(&browser.come_back(&sent).await).one("code");
        let (_, body) = server.redeem(&client, &code, CLAUDE).await;
        assert_eq!(
            body["scope"], expected,
            "{who} {asked} {fields:?} {read_only_vault}"
        );
        let access = server
            .access(body["access_token"].as_str().unwrap())
            .await
            .unwrap();
        assert_eq!(access.scope.as_str(), expected);
        assert_eq!(access.identity, person(who));
        assert_eq!(
            (access.client_id.as_str(), access.client_name.as_str()),
            (client.as_str(), "Claude")
        );
    }
}

#[tokio::test]
async fn d1_every_login_has_values_of_its_own_and_the_browser_sees_only_the_state() {
    let server = Server::new();
    let (first, _) = approved(&server, &[]).await;
    let (_second, _) = approved(&server, &[]).await;
    let begun = server.provider.begun.borrow();
    assert_eq!(begun.len(), 2);
    let mut values: Vec<&String> = begun
        .iter()
        .flat_map(|(state, (nonce, verifier))| [state, nonce, verifier])
        .collect();
    assert!(values.iter().all(|value| value.len() == 43));
    values.sort();
    values.dedup();
    assert_eq!(values.len(), 6);
    let stored = server.objects.everything();
    for value in values {
        assert!(
            !stored.contains(value.as_str()),
            "a secret is stored in the clear"
        );
        assert!(
            first
                .cookies
                .values()
                .all(|cookie| !cookie.contains(value.as_str()))
        );
    }
}

#[tokio::test]
async fn d2_nothing_of_the_provider_is_kept_or_logged() {
    let server = Server::new();
    server.sign_in().await;
    for text in [server.objects.everything(), server.events.as_text()] {
        assert!(!text.contains("upstream-code"));
    }
}

#[tokio::test]
async fn d6_a_name_stays_with_the_subject_that_first_logged_in_with_it() {
    let server = Server::new();
    server.sign_in().await;
    let impostor = Identity {
        subject: "another".to_owned(),
        ..person("Owner@Example.test")
    };
    *server.provider.answer.borrow_mut() = Ok(impostor);
    let (mut browser, state) = approved(&server, &[]).await;
    let before = grants(&server);
    let page = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    assert!(text(&page).contains("sub:another"), "{}", text(&page));
    assert_eq!(grants(&server), before);
    assert_eq!(server.events.last().reason, "pinned_to_another");

    // The deployer can admit the new account by its subject.
    let changed = server.redeployed(|_| {}, "sub:another");
    let (mut browser, state) = approved(&changed, &[]).await;
    let back = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    Callback::of(&back).one("code");
}

#[tokio::test]
async fn d6_a_name_beside_the_subject_of_its_owner_is_tied_to_them() {
    let server = Server::new();
    let both = "owner@example.test sub:subject-of-owner@example.test";
    let server = server.redeployed(|_| {}, both);
    server.log_in_as("owner@example.test");
    server.sign_in().await;
    let successor = Identity {
        subject: "another".to_owned(),
        ..person("owner@example.test")
    };
    *server.provider.answer.borrow_mut() = Ok(successor);
    let (mut browser, state) = approved(&server, &[]).await;
    let page = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    assert_eq!(server.events.last().reason, "pinned_to_another");

    // Their subject admits the owner whatever became of the name.
    let renamed = Identity {
        name: "renamed@example.test".to_owned(),
        ..person("owner@example.test")
    };
    *server.provider.answer.borrow_mut() = Ok(renamed);
    let (mut browser, state) = approved(&server, &[]).await;
    let back = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    Callback::of(&back).one("code");
}

#[tokio::test]
async fn c13_a_person_of_another_organisation_sees_a_page_that_says_so() {
    let server = Server::new();
    let email = "guest@other.test".to_owned();
    *server.provider.answer.borrow_mut() = Err(LoginError::OtherOrganisation { email });
    let (mut browser, state) = approved(&server, &[]).await;
    let page = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    for part in ["guest@other.test", "GOOGLE_HOSTED_DOMAIN"] {
        assert!(text(&page).contains(part), "{part} in {}", text(&page));
    }
    assert_eq!(server.events.last().reason, "organisation_denied");
    assert_eq!(grants(&server), 0);
}

/// Where the entry is by subject, the address plays no part.
#[tokio::test]
async fn go3_an_address_of_another_authority_is_remarked_on_in_the_log() {
    for (list, remarked) in [
        ("owner@example.test", true),
        ("owner@example.test sub:subject-of-owner@example.test", true),
        ("sub:subject-of-owner@example.test", false),
    ] {
        let server = Server::with(|setup| setup.allowlist = list.to_owned());
        let caution = Some(Caution::AddressOfAnotherAuthority);
        server.provider.caution.set(caution);
        server.sign_in().await;
        let reasons = server.events.reasons();
        let found = reasons.contains(&"email_not_authoritative");
        assert_eq!(found, remarked, "{list}");
        assert!(
            reasons.contains(&"code_issued"),
            "{list}: nobody is refused"
        );
        assert!(!server.events.as_text().contains("owner@"));
    }
}

#[tokio::test]
async fn e5_an_outage_while_coming_back_is_a_page() {
    let server = Server::new();
    let (mut browser, state) = approved(&server, &[]).await;
    server.objects.down.set(true);
    let page = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(server.provider.identified.get(), 0);
}
