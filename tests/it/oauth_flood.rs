//! B8, B9, C7: what anybody can cause stays under its cap, and costs those who are in nothing.

use serde_json::json;
use vault_mcp::{mcp::Era, oauth::state::Instance, runtime::Sql};

use crate::support::{
    app::{Bearer, Post, TestApp},
    oauth::{Browser, CLAUDE, Callback, GRANTS_TABLES, Server, handle, request, upstream_state},
};

/// Everything that is kept of what anybody can cause, and the most rows of each.
const CAPS: [(&str, i64); 6] = [
    ("clients", 5_000),
    ("documents", 500),
    ("document_fetches", 60),
    ("consents", 20_000),
    ("logins", 5_000),
    ("session_logins", 20_000),
];

/// What is asked of the object that anybody can reach.
const OF_ANYBODY: [&str; 6] = [
    "register_client",
    "find_client",
    "consult_document",
    "keep_document",
    "spend_consent",
    "spend_session_login",
];

fn metadata(n: usize) -> serde_json::Value {
    json!({
        "client_name": format!("Client {n}"),
        "redirect_uris": [CLAUDE],
        "token_endpoint_auth_method": "none",
    })
}

fn assert_under_caps(server: &Server) {
    for (table, cap) in CAPS {
        let rows = server.objects.rows(Instance::Front, table);
        assert!(rows <= cap, "{table}: {rows}");
    }
}

/// Everything that `grants` holds.
fn grants(server: &Server) -> [i64; 7] {
    GRANTS_TABLES.map(|table| server.objects.rows(Instance::Grants, table))
}

/// What a call of somebody who is in costs.
async fn cost_of_a_call(app: &TestApp, owner: &Bearer<'_>) -> Vec<String> {
    app.server.objects.calls.take();
    let read = Post::call(Era::Modern, "read_note", &json!({ "path": "Note.md" }));
    assert_eq!(owner.send(&read).await.outcome(), "ok");
    app.server.objects.calls.take()
}

/// Fills a table nearly to its cap, so that the flood has to break it.
fn nearly_fill(server: &Server) {
    let until = i64::MAX;
    let series = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
    for (statement, rows) in [
        (
            "INSERT INTO logins (state, binding, sealed, expires_at)
             SELECT 'state ' || i, 'x', 'x', ? FROM n",
            4_950_i64,
        ),
        (
            "INSERT INTO consents (handle, expires_at) SELECT 'handle ' || i, ? FROM n",
            19_950,
        ),
        (
            "INSERT INTO session_logins (state, expires_at) SELECT 'state ' || i, ? FROM n",
            19_950,
        ),
        (
            "INSERT INTO clients (id, record, created_at, used_at, expires_at)
             SELECT 'dcr_old' || i, '{}', 1, NULL, ? FROM n",
            4_950,
        ),
    ] {
        let front = server.objects.sql(Instance::Front);
        let filled = front.exec(
            &format!("{series} {statement}"),
            &[rows.into(), until.into()],
        );
        filled.unwrap();
    }
}

#[tokio::test]
async fn b8_b9_a_flood_stays_under_its_caps_and_does_not_reach_those_who_are_in() {
    let app = TestApp::of(&[("Note.md", "x")]);
    let server = &app.server;
    let owner = app.owner().await;
    let before = cost_of_a_call(&app, &owner).await;
    assert_eq!(before, ["check_access"]);
    let granted = grants(server);
    nearly_fill(server);
    assert_under_caps(server);

    // Registrations as fast as they come, for five minutes. In each, no more than 120 are new.
    let mut taken = 0;
    for n in 0..1_000 {
        if n % 200 == 0 {
            server.wait(61);
        }
        let (status, body) = server.register(&metadata(n)).await;
        match status.as_u16() {
            201 => taken += 1,
            429 => assert_eq!(body["error"], "temporarily_unavailable", "{body}"),
            other => panic!("{other}: {body}"),
        }
    }
    assert_eq!(taken, 5 * 120);
    assert_under_caps(server);

    // Registering what is there already is no flood: everybody's client does it all the time.
    let known = metadata(200);
    for _ in 0..300 {
        assert_eq!(server.register(&known).await.0, 201);
    }

    // Authorization requests, each of them approved, and as many that are left lying.
    server.wait(61);
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(server);
    for _ in 0..150 {
        let page = browser.authorize(&request(&client, CLAUDE, &[])).await;
        assert_eq!(page.status(), 200);
        let handle = handle(&page);
        browser.authorize(&request(&client, CLAUDE, &[])).await;
        // One cookie for each login under way would be too many for any browser.
        assert!(browser.cookies.len() <= 16, "{}", browser.cookies.len());
        browser.decide(&handle, &[("decision", "approve")]).await;
        browser.cookies.clear();
    }
    assert_under_caps(server);

    // Logins at the page of one's own grants, each of which comes back as nobody who may enter.
    server.log_in_as("stranger@example.test");
    for _ in 0..150 {
        let mut browser = Browser::new(server);
        assert_eq!(browser.sign_in().await.status(), 403);
    }
    server.log_in_as("owner@example.test");
    assert_under_caps(server);

    // Nothing of it touched what logins have brought about.
    for call in server.objects.calls.take() {
        assert!(OF_ANYBODY.contains(&call.as_str()), "{call}");
    }
    assert_eq!(grants(server), granted);
    assert_eq!(cost_of_a_call(&app, &owner).await, before);

    // And whoever comes with a browser of their own gets in, at the end of it.
    let newcomer = app.owner().await;
    assert_eq!(cost_of_a_call(&app, &newcomer).await, before);
}

/// Whoever only begins logins at the page of their own grants, or comes back with what nobody gave them,
/// has nothing written down, and pushes nobody else's login out.
#[tokio::test]
async fn b8_logins_that_are_begun_at_the_page_reach_no_object() {
    let server = Server::new();
    let client = server.client(CLAUDE).await;
    let mut person = Browser::new(&server);
    let page = person.authorize(&request(&client, CLAUDE, &[])).await;
    let sent = person
        .decide(&handle(&page), &[("decision", "approve")])
        .await;
    nearly_fill(&server);
    let footprint = server.footprint();
    server.objects.calls.take();

    let mut browser = Browser::new(&server);
    for n in 0..6_000 {
        let sent = browser.send_form("/sessions/sign-in", &[]).await;
        assert_eq!(sent.status(), 303);
        assert!(browser.cookies.len() <= 8, "{}", browser.cookies.len());
        let (name, _) = browser.cookies.first_key_value().unwrap();
        browser.cookies = [(name.clone(), format!("{n}.made-up"))].into();
        let state = upstream_state(&sent);
        let back = browser.callback(&format!("code=x&state={state}")).await;
        assert!(back.status().is_client_error(), "{}", back.status());
    }
    assert_eq!(*server.objects.calls.borrow(), [""; 0]);
    assert_eq!(server.footprint(), footprint);
    assert_eq!(server.provider.identified.get(), 0);

    let back = person.come_back(&sent).await;
    assert!(Callback::of(&back).one("code").starts_with("vmcp_ac_1."));
}

/// Tokens that were made up are turned away before anybody is asked; so are those of nobody's.
#[tokio::test]
async fn e13_a_flood_of_tokens_reaches_no_object() {
    let app = TestApp::of(&[("Note.md", "x")]);
    let good = app.owner().await.token().to_owned();
    let (head, secret) = good.rsplit_once('.').unwrap();
    app.server.objects.calls.take();
    for n in 0..1_000 {
        let made_up = format!("{head}.{n:0width$}", width = secret.len());
        let answer = app
            .bearer(made_up)
            .send(&Post::legacy("ping", &json!({})))
            .await;
        assert_eq!(answer.outcome(), "401 invalid_token");
    }
    assert_eq!(*app.server.objects.calls.borrow(), [""; 0]);
}
