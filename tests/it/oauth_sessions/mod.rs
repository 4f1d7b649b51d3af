//! The page on which people see their own grants and end them.

mod coverage;
mod ending;
mod entering;
mod listing;
mod swaps;

use vault_mcp::{http::Response, oauth::state::Instance};

use crate::support::oauth::{Browser, Server, fields};

const END: &str = "/sessions/end";
const SIGN_OUT: &str = "/sessions/sign-out";

/// A browser whose person has just logged in at the page, and the page.
async fn signed_in<'a>(server: &'a Server, name: &str) -> (Browser<'a>, Response) {
    server.log_in_as(name);
    let mut browser = Browser::new(server);
    browser.sign_in().await;
    let page = browser.sessions().await;
    (browser, page)
}

/// The token that every form of a page carries.
fn token(page: &Response) -> String {
    let tokens = fields(page, "form_token");
    assert!(tokens.iter().all(|token| *token == tokens[0]));
    tokens[0].clone()
}

fn sessions(server: &Server) -> i64 {
    server.objects.rows(Instance::Grants, "sessions")
}

fn grants(server: &Server) -> i64 {
    server.objects.rows(Instance::Grants, "grants")
}
