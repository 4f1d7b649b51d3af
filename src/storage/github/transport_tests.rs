//! Requests as they go out, against answers that are written down.

use std::collections::VecDeque;

use async_trait::async_trait;
use http::{Method, Request};

use super::*;
use crate::{
    runtime::{FetchError, Limits, Timestamp},
    secret::Secret,
    storage::github::{
        credential::Credential,
        rest::TIMEOUT,
        settings::{OwnerName, RepoName},
    },
};

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_seconds(1_796_000_000)
    }
}

/// Gives its answers in order and keeps what it was asked.
#[derive(Default)]
struct Script {
    answers: RefCell<VecDeque<Result<Response<Bytes>, FetchError>>>,
    requests: RefCell<Vec<Request<Bytes>>>,
}

#[async_trait(?Send)]
impl HttpClient for Script {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: Limits,
    ) -> Result<Response<Bytes>, FetchError> {
        assert_eq!(limits.timeout, TIMEOUT);
        self.requests.borrow_mut().push(request);
        self.answers.borrow_mut().pop_front().expect("an answer")
    }
}

fn answer(status: u16, location: Option<&str>) -> Response<Bytes> {
    let mut answer = Response::builder().status(status);
    if let Some(location) = location {
        answer = answer.header("location", location);
    }
    answer.body(Bytes::from_static(b"{}")).unwrap()
}

fn transport(
    api: &str,
    answers: impl IntoIterator<Item = Result<Response<Bytes>, FetchError>>,
) -> (Transport, Rc<Script>) {
    let script = Rc::new(Script::default());
    script.answers.borrow_mut().extend(answers);
    let repository = GithubRepository {
        owner: OwnerName::parse("octo").unwrap(),
        repo: RepoName::parse("vault").unwrap(),
        branch: None,
        credential: Credential::Token(Secret::new("github_pat_x")),
        api_url: Url::parse(api).unwrap(),
        web_url: Url::parse("https://github.com").unwrap(),
    };
    (
        Transport::new(Rc::clone(&script) as _, Rc::new(FixedClock), repository),
        script,
    )
}

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    futures_util::FutureExt::now_or_never(future).expect("nothing to wait for")
}

fn sent(script: &Script) -> Vec<String> {
    let requests = script.requests.borrow();
    requests
        .iter()
        .map(|request| format!("{} {}", request.method(), request.uri()))
        .collect()
}

fn put() -> Call {
    let mut call = Call::get("contents/a%20b.md".to_owned());
    call.method = Method::PUT;
    call.body = Bytes::from_static(b"{\"message\":\"m\"}");
    call
}

const API: &str = "https://api.github.com";

#[test]
fn every_request_says_who_asks_and_for_what() {
    let (transport, script) = transport(API, [answer(200, None), answer(201, None)].map(Ok));
    now(transport.send(Call::get(String::new()))).unwrap();
    now(transport.send(put())).unwrap();
    assert_eq!(
        sent(&script),
        [
            "GET https://api.github.com/repos/octo/vault",
            "PUT https://api.github.com/repos/octo/vault/contents/a%20b.md",
        ]
    );
    let requests = script.requests.borrow();
    for request in requests.iter() {
        let header = |name: &str| request.headers()[name].to_str().unwrap();
        assert_eq!(
            header("user-agent"),
            concat!("vault-mcp/", env!("CARGO_PKG_VERSION"))
        );
        assert_eq!(header("accept"), "application/vnd.github+json");
        assert_eq!(header("x-github-api-version"), "2022-11-28");
        assert_eq!(header("authorization"), "Bearer github_pat_x");
        assert!(request.headers()["authorization"].is_sensitive());
    }
    assert_eq!(requests[0].headers().get("content-type"), None);
    assert_eq!(requests[1].headers()["content-type"], "application/json");
}

#[test]
fn an_enterprise_server_keeps_the_root_of_its_api() {
    let moved = "https://ghe.example/api/v3/repositories/7/git/trees/x";
    let answers = [
        answer(301, Some(moved)),
        answer(200, None),
        answer(200, None),
    ];
    let (transport, script) = transport("https://ghe.example/api/v3/", answers.map(Ok));
    now(transport.send(Call::get("git/trees/x".to_owned()))).unwrap();
    now(transport.send(Call::get("git/trees/y".to_owned()))).unwrap();
    assert_eq!(
        sent(&script),
        [
            "GET https://ghe.example/api/v3/repos/octo/vault/git/trees/x",
            "GET https://ghe.example/api/v3/repositories/7/git/trees/x",
            "GET https://ghe.example/api/v3/repositories/7/git/trees/y",
        ]
    );
}

#[test]
fn a_redirected_change_keeps_method_and_body() {
    let moved = "https://api.github.com/repositories/7/contents/a%20b.md";
    let (transport, script) = transport(API, [answer(307, Some(moved)), answer(200, None)].map(Ok));
    now(transport.send(put())).unwrap();
    assert_eq!(sent(&script)[1], format!("PUT {moved}"));
    let requests = script.requests.borrow();
    assert_eq!(requests[1].body(), requests[0].body());
    assert!(!requests[1].body().is_empty());
}

#[test]
fn the_token_never_goes_to_another_origin() {
    for elsewhere in [
        "https://evil.example/repositories/7",
        "http://api.github.com/repositories/7",
        "https://api.github.com:8443/repositories/7",
        "//evil.example/x",
    ] {
        let (transport, script) = transport(API, [Ok(answer(301, Some(elsewhere)))]);
        let refused = now(transport.send(Call::get(String::new()))).unwrap_err();
        assert_eq!(refused, internal("redirect to another host"), "{elsewhere}");
        assert_eq!(script.requests.borrow().len(), 1);
    }
}

#[test]
fn redirects_come_to_an_end() {
    let circle = || answer(301, Some("/repositories/7"));
    let (transport, script) = transport(API, [circle(), circle(), circle(), circle()].map(Ok));
    let refused = now(transport.send(Call::get(String::new()))).unwrap_err();
    assert_eq!(refused, internal("too many redirects"));
    assert_eq!(script.requests.borrow().len(), 4);
}

#[test]
fn not_modified_is_an_answer_only_to_who_asked() {
    let mut conditional = Call::get("git/ref/heads/main".to_owned());
    conditional.if_none_match = Some("\"tag\"".to_owned());
    let (transport, script) = transport(API, [answer(304, None), answer(304, None)].map(Ok));
    assert_eq!(
        now(transport.send(conditional)).unwrap().status(),
        StatusCode::NOT_MODIFIED
    );
    assert_eq!(
        script.requests.borrow()[0].headers()["if-none-match"],
        "\"tag\""
    );
    assert!(now(transport.send(Call::get("git/ref/heads/main".to_owned()))).is_err());
}

#[test]
fn a_lost_answer_leaves_a_change_open_and_an_oversized_one_too() {
    for lost in [
        FetchError::Timeout,
        FetchError::TooLarge,
        FetchError::Network("reset".to_owned()),
    ] {
        let (transport, _) = transport(API, [Err(lost)]);
        assert_eq!(now(transport.send(put())).unwrap_err(), Refusal::NoOutcome);
    }
    let (transport, _) = transport(API, [Err(FetchError::TooLarge)]);
    let oversized = now(transport.send(Call::get(String::new()))).unwrap_err();
    assert_eq!(oversized, internal("answer over the size limit"));
}
