//! Consent that a browser remembers, where the deployer lets it.

use http::{Method, StatusCode, header};
use serde_json::{Value, json};
use vault_mcp::{
    base_url::BaseUrl,
    http::Response,
    login::LoginError,
    oauth::{OauthSettings, RedirectHosts, RefreshReuse, SealingKey, state::Instance},
    runtime::Timestamp,
    secret::Secret,
};

use crate::support::oauth::{
    Browser, CLAUDE, Callback, LOOPBACK, START, Server, fields, get, handle, location, request,
    text,
};

const REMEMBER: &[(&str, &str)] = &[("decision", "approve"), ("remember", "on")];
const BOX: &str = "name=\"remember\"";
const COOKIE: &str = "__Host-vmcp_remembered_";
const DAYS_30: u64 = 30 * 24 * 60 * 60;
const PEOPLE: &str = "owner@example.test reader@example.test";

fn server() -> Server {
    Server::with(|setup| setup.settings.remember_consent = true)
}

/// A browser whose owner agreed to Claude for good, and the client.
async fn remembering<'a>(
    server: &'a Server,
    parameters: &[(&str, &str)],
    fields: &[(&str, &str)],
) -> (Browser<'a>, String) {
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(server);
    let page = browser
        .authorize(&request(&client, CLAUDE, parameters))
        .await;
    let sent = browser
        .decide(&handle(&page), &[REMEMBER, fields].concat())
        .await;
    Callback::of(&browser.come_back(&sent).await).one("code");
    (browser, client)
}

fn remembers(browser: &Browser<'_>) -> bool {
    browser.cookies.keys().any(|name| name.starts_with(COOKIE))
}

/// Whether a request led to the login provider without a question.
fn skipped(response: &Response) -> bool {
    match response.status() {
        StatusCode::SEE_OTHER => location(response).starts_with("https://login.example/"),
        StatusCode::OK => {
            assert!(text(response).contains("name=\"decision\""));
            false
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn c11_off_unless_the_deployer_turns_it_on() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let query = request(&client, CLAUDE, &[]);
    let page = browser.authorize(&query).await;
    assert!(!text(&page).contains(BOX));
    // Nor does a form that was made up.
    let sent = browser.decide(&handle(&page), REMEMBER).await;
    browser.come_back(&sent).await;
    assert!(!remembers(&browser));
    assert!(!skipped(&browser.authorize(&query).await));

    // What was remembered while it was on is of no use once it is off.
    let on = server.redeployed(|settings| settings.remember_consent = true, PEOPLE);
    let (kept, client) = remembering(&on, &[], &[]).await;
    let mut browser = Browser::new(&server);
    browser.cookies = kept.cookies;
    let query = request(&client, CLAUDE, &[]);
    assert!(!skipped(&browser.authorize(&query).await));
}

#[tokio::test]
async fn c11_the_person_has_to_tick_a_box_and_then_is_not_asked_for_thirty_days() {
    let server = server();
    let client = server.client(CLAUDE).await;
    let query = request(&client, CLAUDE, &[]);
    let mut browser = Browser::new(&server);
    let page = browser.authorize(&query).await;
    assert!(text(&page).contains("<input type=\"checkbox\" name=\"remember\" value=\"on\">"));
    let sent = browser
        .decide(&handle(&page), &[("decision", "approve")])
        .await;
    browser.come_back(&sent).await;
    assert!(!remembers(&browser) && !skipped(&browser.authorize(&query).await));

    let (mut browser, _) = remembering(&server, &[], &[]).await;
    let consents = server.objects.rows(Instance::Front, "consents");
    let before = server.footprint();
    let sent = browser.authorize(&query).await;
    assert!(skipped(&sent));
    assert_eq!(server.events.last().reason, "consent_remembered");
    let back = Callback::of(&browser.come_back(&sent).await);
    assert_eq!(back.one("state"), "client state");
    let (status, body) = server.redeem(&client, &back.one("code"), CLAUDE).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(body["scope"], "vault:read vault:write");
    assert_eq!(server.objects.rows(Instance::Front, "consents"), consents);
    assert_ne!(server.footprint(), before);

    // It counts from the day of the decision, however often it was of use.
    server.wait(DAYS_30 - 1);
    assert!(skipped(&browser.authorize(&query).await));
    server.wait(1);
    assert!(!skipped(&browser.authorize(&query).await));
}

#[tokio::test]
async fn c11_the_cookie_is_sealed_tied_to_this_host_and_says_nothing() {
    let server = server();
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(&server);
    let page = browser.authorize(&request(&client, CLAUDE, &[])).await;
    let sent = browser.decide(&handle(&page), REMEMBER).await;
    assert!(!remembers(&browser), "nobody has logged in yet");
    let back = browser.come_back(&sent).await;
    let cookies = back.headers().get_all(header::SET_COOKIE).iter();
    let mut cookies = cookies.map(|value| value.to_str().unwrap());
    let cookie = cookies.find(|cookie| cookie.starts_with(COOKIE)).unwrap();
    for attribute in [
        "HttpOnly",
        "Secure",
        "SameSite=Lax",
        "Path=/",
        "Max-Age=2592000",
    ] {
        assert!(cookie.contains(attribute), "{attribute} in {cookie}");
    }
    assert!(cookie.len() < 400, "{cookie}");
}

/// What the person chose is what is remembered.
#[tokio::test]
async fn c11_read_only_stays_read_only() {
    let server = server();
    let (mut browser, client) = remembering(&server, &[], &[("read_only", "on")]).await;
    let sent = browser.authorize(&request(&client, CLAUDE, &[])).await;
    assert!(skipped(&sent));
    let code = Callback::of(&browser.come_back(&sent).await).one("code");
    let (_, body) = server.redeem(&client, &code, CLAUDE).await;
    assert_eq!(body["scope"], "vault:read");
}

/// A consent to one request is a consent to no other.
#[tokio::test]
async fn c11_every_part_of_the_request_counts() {
    let other_uri = "https://claude.ai/api/mcp/other";
    let server = Server::with(|setup| {
        setup.settings.remember_consent = true;
        setup.settings.redirect_hosts = RedirectHosts::Any;
    });
    let metadata = |name: &str| {
        json!({
            "redirect_uris": [CLAUDE, other_uri],
            "client_name": name,
            "token_endpoint_auth_method": "none",
        })
    };
    let id = |body: &Value| body["client_id"].as_str().unwrap().to_owned();
    let client = id(&server.register(&metadata("One")).await.1);
    let another = id(&server.register(&metadata("Two")).await.1);

    let mut browser = Browser::new(&server);
    let reading = [("scope", "vault:read")];
    let query = request(&client, CLAUDE, &reading);
    let page = browser.authorize(&query).await;
    let sent = browser.decide(&handle(&page), REMEMBER).await;
    browser.come_back(&sent).await;
    let cookies = browser.cookies.clone();
    assert_eq!(cookies.len(), 1);
    let value = cookies.values().next().unwrap();

    for (what, query, expected) in [
        ("the same", query.clone(), true),
        (
            "state and challenge may differ",
            request(&client, CLAUDE, &[reading[0], ("state", "x")]),
            true,
        ),
        ("client", request(&another, CLAUDE, &reading), false),
        ("redirect URI", request(&client, other_uri, &reading), false),
        ("wider scope", request(&client, CLAUDE, &[]), false),
        (
            "the client wants the page",
            request(&client, CLAUDE, &[reading[0], ("prompt", "login consent")]),
            false,
        ),
        (
            "another prompt",
            request(&client, CLAUDE, &[reading[0], ("prompt", "login")]),
            true,
        ),
    ] {
        let mut browser = Browser::new(&server);
        browser.cookies.clone_from(&cookies);
        // Whatever name the cookie is given.
        if !expected {
            let mut probe = Browser::new(&server);
            let page = probe.authorize(&query).await;
            let sent = probe.decide(&handle(&page), REMEMBER).await;
            probe.come_back(&sent).await;
            let name = probe.cookies.keys().next().unwrap().clone();
            browser.cookies.insert(name, value.clone());
        }
        assert_eq!(
            skipped(&browser.authorize(&query).await),
            expected,
            "{what}"
        );
    }

    // A `HEAD` looks, and begins nothing.
    let before = server.footprint();
    let mut head = get(&format!("/authorize?{query}"), &browser.cookie_header());
    *head.method_mut() = Method::HEAD;
    assert!(!skipped(&server.oauth.authorize(&head).await));
    assert_eq!(server.footprint(), before);
}

/// Another deployment of the same state.
#[tokio::test]
async fn c11_what_the_deployer_changes_voids_it() {
    type Change = fn(&mut OauthSettings);
    let server = server();
    let (kept, client) = remembering(&server, &[], &[]).await;
    let changes: [(&str, Change, bool); 5] = [
        ("nothing", |_| {}, true),
        (
            "another key",
            |settings| {
                settings.sealing_key =
                    SealingKey::new(&Secret::new("another key, as long as it takes"));
            },
            false,
        ),
        (
            "another resource",
            |settings| settings.base_url = BaseUrl::parse("https://moved.example").unwrap(),
            false,
        ),
        (
            "REVOKE_BEFORE",
            |settings| settings.revoke_before = Some(Timestamp::from_unix_seconds(START + 1)),
            false,
        ),
        (
            "something else",
            |settings| settings.refresh_reuse = RefreshReuse::Reject,
            true,
        ),
    ];
    for (what, change, expected) in changes {
        let deployed = server.redeployed(change, PEOPLE);
        let mut browser = Browser::new(&deployed);
        browser.cookies.clone_from(&kept.cookies);
        let query = request(&client, CLAUDE, &[("resource", "")]);
        assert_eq!(
            skipped(&browser.authorize(&query).await),
            expected,
            "{what}"
        );
    }
}

/// Who agrees is known only after the login. Somebody else, in the same browser, is asked.
#[tokio::test]
async fn c11_somebody_else_is_asked_and_gets_no_code_before() {
    let server = server();
    let (mut browser, client) = remembering(&server, &[], &[("read_only", "on")]).await;
    let before = server.footprint();
    server.log_in_as("reader@example.test");
    let sent = browser.authorize(&request(&client, CLAUDE, &[])).await;
    assert!(skipped(&sent));
    let page = browser.come_back(&sent).await;
    assert_eq!(page.status(), StatusCode::OK);
    assert!(text(&page).contains("Give access to Test vault?"));
    // What the other person had chosen is theirs.
    assert!(text(&page).contains("create, change and delete notes"));
    assert_eq!(server.events.last().reason, "consent_of_another");
    assert_eq!(server.footprint()[2..], before[2..], "no grant and no code");
    assert!(
        !remembers(&browser),
        "this browser has more than one person"
    );

    // Their own decision counts, by a login of its own.
    let identified = server.provider.identified.get();
    let sent = browser
        .decide(&handle(&page), &[("decision", "approve")])
        .await;
    let code = Callback::of(&browser.come_back(&sent).await).one("code");
    assert_eq!(server.provider.identified.get(), identified + 1);
    let (_, body) = server.redeem(&client, &code, CLAUDE).await;
    let access = server.access(body["access_token"].as_str().unwrap()).await;
    assert_eq!(access.unwrap().identity.name, "reader@example.test");
}

#[tokio::test]
async fn c11_whoever_is_off_the_list_gets_the_page_that_says_so() {
    let server = server();
    let (browser, client) = remembering(&server, &[], &[]).await;
    let removed = server.redeployed(|_| {}, "reader@example.test");
    let mut again = Browser::new(&removed);
    again.cookies = browser.cookies;
    let sent = again.authorize(&request(&client, CLAUDE, &[])).await;
    let page = again.come_back(&sent).await;
    assert_eq!(page.status(), StatusCode::FORBIDDEN);
    assert!(text(&page).contains("owner@example.test"));
}

/// Any program on somebody's own computer can ask under any name.
#[tokio::test]
async fn c11_programs_on_the_persons_own_computer_are_asked_about_always() {
    let server = server();
    let client = server.client(LOOPBACK).await;
    let query = request(&client, LOOPBACK, &[]);
    let mut browser = Browser::new(&server);
    let page = browser.authorize(&query).await;
    assert!(!text(&page).contains(BOX));
    let sent = browser.decide(&handle(&page), REMEMBER).await;
    browser.come_back(&sent).await;
    assert!(!remembers(&browser));
    assert!(!skipped(&browser.authorize(&query).await));
}

/// To end a grant is to take back what led to it, in every browser.
#[tokio::test]
async fn c11_whoever_ends_a_grant_is_asked_again_everywhere() {
    for which in ["one", "all"] {
        let server = server();
        let (mut browser, client) = remembering(&server, &[], &[]).await;
        let (mut bystander, _) = {
            server.log_in_as("reader@example.test");
            remembering(&server, &[], &[]).await
        };
        server.log_in_as("owner@example.test");
        server.wait(5);
        // From another browser.
        let mut elsewhere = Browser::new(&server);
        elsewhere.sign_in().await;
        let page = elsewhere.sessions().await;
        let token = fields(&page, "form_token").remove(0);
        let grant = fields(&page, "grant").remove(0);
        let named = if which == "one" {
            ("grant", &*grant)
        } else {
            ("all", "yes")
        };
        elsewhere
            .send_form("/sessions/end", &[("form_token", &token), named])
            .await;

        let before = server.footprint();
        let sent = browser.authorize(&request(&client, CLAUDE, &[])).await;
        assert!(skipped(&sent), "this browser cannot know");
        let page = browser.come_back(&sent).await;
        assert_eq!(page.status(), StatusCode::OK);
        assert_eq!(server.events.last().reason, "consent_withdrawn");
        assert_eq!(server.footprint()[2..], before[2..]);
        assert!(!remembers(&browser));

        // Nobody else took anything back.
        server.log_in_as("reader@example.test");
        let sent = bystander.authorize(&request(&client, CLAUDE, &[])).await;
        Callback::of(&bystander.come_back(&sent).await).one("code");

        // A later consent counts again.
        server.log_in_as("owner@example.test");
        server.wait(1);
        let (mut browser, _) = remembering(&server, &[], &[]).await;
        let sent = browser.authorize(&request(&client, CLAUDE, &[])).await;
        Callback::of(&browser.come_back(&sent).await).one("code");
    }
}

/// The browser in which a grant is ended forgets at once; so does one in which the answer was no.
#[tokio::test]
async fn c11_the_last_decision_counts() {
    let server = server();
    for (fields, remembered) in [
        (&[("decision", "deny")][..], false),
        (&[("decision", "approve")], false),
        (REMEMBER, true),
    ] {
        let (mut browser, client) = remembering(&server, &[], &[]).await;
        let query = request(&client, CLAUDE, &[("prompt", "consent")]);
        let page = browser.authorize(&query).await;
        let sent = browser.decide(&handle(&page), fields).await;
        if fields[0].1 == "approve" {
            browser.come_back(&sent).await;
        }
        assert_eq!(remembers(&browser), remembered, "{fields:?}");
    }
    let (mut browser, _) = remembering(&server, &[], &[]).await;
    browser.sign_in().await;
    let token = fields(&browser.sessions().await, "form_token").remove(0);
    browser
        .send_form("/sessions/end", &[("form_token", &token), ("all", "yes")])
        .await;
    assert!(!remembers(&browser));
}

#[tokio::test]
async fn c11_an_outage_is_told_and_a_provider_that_fails_is_told_to_the_client() {
    let server = server();
    let (mut browser, client) = remembering(&server, &[], &[]).await;
    let query = request(&client, CLAUDE, &[]);
    *server.provider.closed.borrow_mut() = Some(LoginError::Unavailable("x".into()));
    let told = Callback::of(&browser.authorize(&query).await);
    assert_eq!(told.one("error"), "temporarily_unavailable");
    assert_eq!(server.events.last().reason, "provider_unavailable");
    *server.provider.closed.borrow_mut() = None;
    server.objects.down.set(true);
    let page = browser.authorize(&query).await;
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
}

/// Each client that is remembered adds a cookie to every request; the first ones give way.
#[tokio::test]
async fn c11_a_browser_remembers_eight_clients() {
    let server = server();
    let mut browser = Browser::new(&server);
    for index in 0..10 {
        server.wait(61);
        let metadata = json!({
            "redirect_uris": [CLAUDE],
            "client_name": format!("Client {index}"),
            "token_endpoint_auth_method": "none",
        });
        let (_, body) = server.register(&metadata).await;
        let client = body["client_id"].as_str().unwrap();
        let page = browser.authorize(&request(client, CLAUDE, &[])).await;
        let sent = browser.decide(&handle(&page), REMEMBER).await;
        browser.come_back(&sent).await;
        assert!(browser.cookies.len() <= 8, "{}", browser.cookies.len());
    }
    assert_eq!(browser.cookies.len(), 8);
}
