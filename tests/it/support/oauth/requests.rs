//! Requests and answers, put together and taken apart.

use std::time::Duration;

use http::{Method, StatusCode, header};
use serde_json::Value;
use url::form_urlencoded;
use vault_mcp::{
    http::{Request, Response},
    oauth::Lifetimes,
};

use super::{CHALLENGE, RESOURCE};

/// The query of an authorization request in order, with parameters changed: an empty value takes
/// one away.
pub(crate) fn request(client: &str, redirect_uri: &str, change: &[(&str, &str)]) -> String {
    let mut parameters = vec![
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", redirect_uri),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "client state"),
        ("resource", RESOURCE),
    ];
    for (name, value) in change {
        parameters.retain(|(present, _)| present != name);
        if !value.is_empty() {
            parameters.push((name, value));
        }
    }
    form(&parameters)
}

pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}

pub(crate) fn form_request(path: &str, fields: &[(&str, &str)]) -> Request {
    http::Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(form(fields).into())
        .unwrap()
}

pub(crate) fn json_request(body: &[u8]) -> Request {
    http::Request::builder()
        .method(Method::POST)
        .uri("/register")
        .header(header::CONTENT_TYPE, "application/json; charset=utf-8")
        .body(body.to_vec().into())
        .unwrap()
}

/// A `GET` with cookies.
pub(crate) fn get(path_and_query: &str, cookies: &str) -> Request {
    let request = http::Request::builder().uri(path_and_query);
    request
        .header(header::COOKIE, cookies)
        .body(Vec::new().into())
        .unwrap()
}

pub(crate) fn text(response: &Response) -> String {
    String::from_utf8(response.body().to_vec()).unwrap()
}

pub(crate) fn location(response: &Response) -> String {
    response.headers()[header::LOCATION]
        .to_str()
        .unwrap()
        .to_owned()
}

/// Status and JSON body.
pub(crate) fn answer(response: &Response) -> (StatusCode, Value) {
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    (
        response.status(),
        serde_json::from_slice(response.body()).unwrap(),
    )
}

/// The handle in a consent page's form.
pub(crate) fn handle(page: &Response) -> String {
    fields(page, "handle").remove(0)
}

/// The values of the fields of that name in a page's forms; there is at least one.
pub(crate) fn fields(page: &Response, name: &str) -> Vec<String> {
    let html = text(page);
    let field = format!("name=\"{name}\" value=\"");
    let values: Vec<String> = html
        .split(&field)
        .skip(1)
        .map(|rest| rest.split_once('"').unwrap().0.to_owned())
        .collect();
    assert!(!values.is_empty(), "no form has {name}: {html}");
    values
}

/// Lifetimes in seconds: access, idle, absolute, grace.
pub(crate) fn lifetimes([access, idle, absolute, grace]: [u64; 4]) -> Lifetimes {
    Lifetimes {
        access: Duration::from_secs(access),
        refresh_idle: Duration::from_secs(idle),
        refresh_absolute: Duration::from_secs(absolute),
        refresh_grace: Duration::from_secs(grace),
    }
}
