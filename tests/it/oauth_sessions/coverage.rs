//! Every route that a session is for, with every kind of bad session: what is answered, and whether
//! a grant ended. The rows come from the table of routes, so none can be left out.

use std::fmt::Write as _;

use http::{Method, header};
use vault_mcp::{
    http::routes::{ROUTES, Requirement, Route},
    login::ProviderKind,
    oauth::state::Instance,
    runtime::Sql,
};

use super::{END, SIGN_OUT, signed_in, token};
use crate::support::{
    app::{Post, TestApp},
    oauth::Browser,
};

/// What is wrong with a request, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    NoCookie,
    MadeUpCookie,
    Expired,
    SignedOut,
    IdentityRemoved,
    ProviderChanged,
    PinnedToAnother,
    BadOrigin,
    BadHost,
    NoFormToken,
    TokenOfAnotherSession,
    Good,
}

const CASES: [Case; 12] = [
    Case::NoCookie,
    Case::MadeUpCookie,
    Case::Expired,
    Case::SignedOut,
    Case::IdentityRemoved,
    Case::ProviderChanged,
    Case::PinnedToAnother,
    Case::BadOrigin,
    Case::BadHost,
    Case::NoFormToken,
    Case::TokenOfAnotherSession,
    Case::Good,
];

/// The answer to one request in a world of its own.
async fn outcome(route: &Route, case: Case) -> String {
    let mut app = TestApp::of(&[("Note.md", "x")]);
    let client = app.owner().await.token().to_owned();
    let (mut browser, page) = signed_in(&app.server, "owner@example.test").await;
    let mut form_token = token(&page);
    let mut cookie = browser.cookie_header();
    let mut header = ("origin", "https://vault.example");
    match case {
        Case::Good => {}
        Case::NoCookie => cookie = String::new(),
        Case::MadeUpCookie => cookie = "__Host-vmcp_session=AAAA".to_owned(),
        Case::Expired => app.server.wait(1_800),
        Case::SignedOut => {
            browser
                .send_form(SIGN_OUT, &[("form_token", &form_token)])
                .await;
        }
        Case::IdentityRemoved => {
            app = app.redeployed(|deployment| deployment.allowlist = "reader@example.test");
        }
        Case::ProviderChanged => {
            app = app.redeployed(|deployment| deployment.provider = ProviderKind::Google);
        }
        Case::PinnedToAnother => {
            let grants = app.server.objects.sql(Instance::Grants);
            grants.exec("UPDATE pins SET subject = 'x'", &[]).unwrap();
        }
        Case::BadOrigin => header = ("origin", "https://evil.example"),
        Case::BadHost => header = ("host", "evil.example"),
        Case::NoFormToken => form_token = String::new(),
        Case::TokenOfAnotherSession => {
            let mut other = Browser::new(&app.server);
            other.sign_in().await;
            form_token = token(&other.sessions().await);
        }
    }
    let body = match route.path {
        "/sessions" => String::new(),
        END | SIGN_OUT => format!("form_token={form_token}&all=yes"),
        path => panic!("{path} has no request to try it with: add its row"),
    };
    let grants = || app.server.objects.rows(Instance::Grants, "grants");
    let before = grants();
    let post = Post::raw(body)
        .to(route.path)
        .method(&route.methods[0])
        .header("content-type", "application/x-www-form-urlencoded")
        .header("cookie", &cookie)
        .header(header.0, header.1);
    let answer = app.respond(&post.request()).await;
    let what = if answer.text().contains("/sessions/sign-in") {
        "offers to log in"
    } else if grants() < before {
        "ends the grants"
    } else if answer.header(header::LOCATION.as_str()).is_some() {
        "back to the page"
    } else if answer.status() == 200 {
        "shows the grants"
    } else {
        "refused"
    };
    // What was not ended is as good as before.
    if grants() == before {
        assert!(app.server.access(&client).await.is_some(), "{case:?}");
    }
    format!("{} {what}", answer.status().as_u16())
}

#[tokio::test]
async fn e15_every_route_of_a_session_with_every_kind_of_session() {
    let routes = ROUTES
        .iter()
        .filter(|route| route.requirement == Requirement::Session);
    let mut table = String::new();
    for route in routes {
        writeln!(table, "{} {}", route.methods[0], route.path).unwrap();
        for case in CASES {
            let case_name = format!("{case:?}");
            let outcome = outcome(route, case).await;
            writeln!(table, "    {case_name:<22} {outcome}").unwrap();
            // The rules behind the table, so that no careless acceptance can break them.
            let ends = case == Case::Good && route.path == END;
            assert_eq!(outcome.contains("ends"), ends, "{case:?} {}", route.path);
            let shown = route.methods[0] == Method::GET
                && matches!(
                    case,
                    Case::Good | Case::BadOrigin | Case::NoFormToken | Case::TokenOfAnotherSession
                );
            assert_eq!(outcome.contains("shows"), shown, "{case:?} {}", route.path);
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("session_coverage", table));
}
