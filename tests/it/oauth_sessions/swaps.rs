//! A login for a client and a login for the person's own page, each tried in the place of the other.

use futures_util::future::join_all;
use http::{StatusCode, header};

use super::{grants, sessions};
use crate::support::oauth::{
    Browser, CLAUDE, Callback, Server, handle, location, request, text, upstream_state,
};

/// Renames the browser's cookies from one kind of transaction to the other.
fn rename(browser: &mut Browser<'_>, from: &str, to: &str) {
    let renamed = browser
        .cookies
        .iter()
        .map(|(name, value)| (name.replace(from, to), value.clone()));
    browser.cookies = renamed.collect();
}

async fn begin_client_login(server: &Server) -> (Browser<'_>, String) {
    let client = server.client(CLAUDE).await;
    let mut browser = Browser::new(server);
    let page = browser.authorize(&request(&client, CLAUDE, &[])).await;
    let sent = browser
        .decide(&handle(&page), &[("decision", "approve")])
        .await;
    let state = upstream_state(&sent);
    (browser, state)
}

async fn begin_session_login(server: &Server) -> (Browser<'_>, String) {
    let mut browser = Browser::new(server);
    let sent = browser.send_form("/sessions/sign-in", &[]).await;
    let state = upstream_state(&sent);
    (browser, state)
}

/// Nothing came of it, for anybody.
fn assert_nothing(server: &Server, answer: &vault_mcp::http::Response, reason: &str) {
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{}", text(answer));
    assert!(!answer.headers().contains_key(header::LOCATION));
    // Nothing but that the browser may forget the login.
    for cookie in answer.headers().get_all(header::SET_COOKIE) {
        assert!(cookie.to_str().unwrap().contains("Max-Age=0"), "{cookie:?}");
    }
    assert_eq!((grants(server), sessions(server)), (0, 0));
    assert_eq!(
        server.provider.identified.get(),
        0,
        "the provider is not asked"
    );
    assert_eq!(server.events.last().reason, reason);
}

#[tokio::test]
async fn e15_a_clients_login_makes_no_session() {
    let server = Server::new();
    let (mut browser, state) = begin_client_login(&server).await;
    rename(&mut browser, "vmcp_login_", "vmcp_signin_");
    let answer = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_nothing(&server, &answer, "login_unreadable");
}

#[tokio::test]
async fn e15_a_login_at_the_page_makes_no_code() {
    let server = Server::new();
    let (mut browser, state) = begin_session_login(&server).await;
    rename(&mut browser, "vmcp_signin_", "vmcp_login_");
    let answer = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_nothing(&server, &answer, "login_unknown");
}

/// With the cookies of both kinds, and with a login of each kind under way.
#[tokio::test]
async fn e15_both_at_once_stay_apart() {
    let server = Server::new();
    let (client, client_state) = begin_client_login(&server).await;
    let (person, person_state) = begin_session_login(&server).await;
    let mut browser = Browser::new(&server);
    browser.cookies = client.cookies.into_iter().chain(person.cookies).collect();

    let back = browser
        .callback(&format!("code=upstream-code&state={person_state}"))
        .await;
    assert_eq!(location(&back), "https://vault.example/sessions");
    assert_eq!((grants(&server), sessions(&server)), (0, 1));
    let back = browser
        .callback(&format!("code=upstream-code&state={client_state}"))
        .await;
    assert!(Callback::of(&back).one("code").starts_with("vmcp_ac_1."));
    assert_eq!((grants(&server), sessions(&server)), (1, 1));

    // A cookie of the other kind beside the right one: whichever is looked at, nothing is swapped.
    let (mut browser, state) = begin_session_login(&server).await;
    let mut both = browser.cookies.clone();
    rename(&mut browser, "vmcp_signin_", "vmcp_login_");
    both.append(&mut browser.cookies);
    browser.cookies = both;
    let answer = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    assert_eq!((grants(&server), sessions(&server)), (1, 1));
}

/// The page takes no parameter that says where to go, and a login there goes back to it alone.
#[tokio::test]
async fn e15_there_is_no_return_url() {
    let server = Server::new();
    let elsewhere = "https://evil.example/";
    let fields: Vec<_> = [
        "return_to",
        "redirect_uri",
        "next",
        "url",
        "state",
        "client_id",
    ]
    .map(|name| (name, elsewhere))
    .to_vec();
    let mut browser = Browser::new(&server);
    let sent = browser.send_form("/sessions/sign-in", &fields).await;
    assert!(!location(&sent).contains("evil"), "{}", location(&sent));
    let state = upstream_state(&sent);
    let query =
        format!("code=upstream-code&state={state}&return_to={elsewhere}&redirect_uri={elsewhere}");
    let back = browser.callback(&query).await;
    assert_eq!(back.status(), StatusCode::SEE_OTHER);
    assert_eq!(location(&back), "https://vault.example/sessions");
}

/// As a client's login is: once, within ten minutes, in the browser that began it.
#[tokio::test]
async fn c8_a_login_at_the_page_counts_once_in_its_browser_and_time() {
    let server = Server::new();
    let (mut browser, state) = begin_session_login(&server).await;
    let query = format!("code=upstream-code&state={state}");
    let mut thief = Browser::new(&server);
    assert_eq!(thief.callback(&query).await.status(), StatusCode::FORBIDDEN);
    // With a cookie of that name: made up, changed, or of another login, which the state is not for.
    let (name, good) = browser.cookies.first_key_value().unwrap();
    let (other, _) = begin_session_login(&server).await;
    let flipped = good.replacen(
        &good[40..41],
        if &good[40..41] == "A" { "B" } else { "A" },
        1,
    );
    for value in [
        "1.x",
        "",
        ".",
        &good[..good.len() - 4],
        &flipped,
        other.cookies.values().next().unwrap(),
    ] {
        assert_ne!(value, good);
        thief.cookies = [(name.clone(), value.to_owned())].into();
        let refused = thief.callback(&query).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{value}");
        assert_eq!(server.events.last().reason, "login_unreadable");
    }
    assert_eq!(sessions(&server), 0);
    assert_eq!(server.footprint(), [0; 7]);
    assert_eq!(server.provider.identified.get(), 0);

    let cookies = browser.cookies.clone();
    assert_eq!(
        browser.callback(&query).await.status(),
        StatusCode::SEE_OTHER
    );
    browser.cookies = cookies;
    assert_eq!(
        browser.callback(&query).await.status(),
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        (sessions(&server), server.provider.identified.get()),
        (1, 1)
    );

    let (mut browser, state) = begin_session_login(&server).await;
    server.wait(600);
    let late = browser
        .callback(&format!("code=upstream-code&state={state}"))
        .await;
    assert_eq!(late.status(), StatusCode::BAD_REQUEST);
    assert_eq!(
        (sessions(&server), server.provider.identified.get()),
        (1, 1)
    );
}

/// Two answers with one cookie at the same moment: one of them counts.
#[tokio::test]
async fn c8_a_login_at_the_page_counts_once_in_a_race() {
    let server = Server::new();
    let (browser, state) = begin_session_login(&server).await;
    let query = format!("code=upstream-code&state={state}");
    let mut racers: Vec<_> = (0..10).map(|_| Browser::new(&server)).collect();
    for racer in &mut racers {
        racer.cookies.clone_from(&browser.cookies);
    }
    let answers = join_all(racers.iter_mut().map(|racer| racer.callback(&query))).await;
    let entered = answers.iter().filter(|answer| answer.status() == 303);
    assert_eq!((entered.count(), sessions(&server)), (1, 1));
    assert_eq!(server.provider.identified.get(), 1);
}
