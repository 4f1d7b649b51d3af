//! G1 to G4, H3: hosts, origins, methods, and the headers that say what a body is.

use http::Method;
use serde_json::json;
use vault_mcp::{
    mcp::{Era, METHODS},
    storage::memory::MemoryStorage,
};

use super::{ERAS, app, list_tools};
use crate::support::app::{MODERN, Post, TestApp};

/// A request with every defect at once. Taking them away one after another shows which is told
/// first: nobody learns of a later check before an earlier one is passed.
#[tokio::test]
async fn g1_the_order_of_checks() {
    let app = app();
    let owner = app.owner().await;
    let everything = Post::raw("{")
        .method(&Method::GET)
        .header("host", "evil.example")
        .header("origin", "https://evil.example")
        .header("accept", "text/html")
        .header("content-type", "text/plain");

    let preflight = everything.clone().method(&Method::OPTIONS);
    assert_eq!(app.anonymous().send(&preflight).await.status(), 204);

    let post = everything;
    assert_eq!(app.anonymous().send(&post).await.outcome(), "403 forbidden");
    let post = post.header("host", "vault.example");
    assert_eq!(app.anonymous().send(&post).await.outcome(), "403 forbidden");
    let post = post.without_header("origin");
    let answer = app.anonymous().send(&post).await;
    assert_eq!(answer.outcome(), "401 unauthorized");
    let answer = owner.send(&post).await;
    assert_eq!(answer.outcome(), "405 method_not_allowed");

    let post = post.method(&Method::POST);
    assert_eq!(owner.send(&post).await.failure(), (406, -32600));
    let post = post.header("accept", "*/*");
    assert_eq!(owner.send(&post).await.failure(), (415, -32600));
    let post = post.header("content-type", "application/json");
    assert_eq!(owner.send(&post).await.failure(), (400, -32700));

    // The body is right from here on; version, mirrored headers and method are not.
    let request = Post::modern("no/such", &json!({}))
        .header("mcp-protocol-version", "2099-01-01")
        .header("mcp-method", "tools/list");
    assert_eq!(owner.send(&request).await.failure(), (400, -32020));
    let request = request.header("mcp-protocol-version", MODERN);
    assert_eq!(owner.send(&request).await.failure(), (400, -32020));
    let request = request.header("mcp-method", "no/such");
    assert_eq!(owner.send(&request).await.failure(), (404, -32601));
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

#[tokio::test]
async fn g2_only_pages_of_known_origins_may_call() {
    let app = TestApp::deployed(MemoryStorage::empty(), |deployment| {
        deployment.allowed_origins = &["https://tool.example"];
    });
    let owner = app.owner().await;
    for (origin, status) in [
        ("https://vault.example", 200),
        ("https://claude.ai", 200),
        ("https://claude.com", 200),
        ("http://localhost:6274", 200),
        ("http://127.0.0.1:3000", 200),
        ("http://[::1]:3000", 200),
        ("https://localhost", 200),
        ("https://tool.example", 200),
        ("null", 403),
        ("", 403),
        ("https://evil.example", 403),
        ("http://vault.example", 403),
        ("https://vault.example:8443", 403),
        ("https://vault.example.evil.example", 403),
        ("https://evil.example/https://claude.ai", 403),
        ("http://claude.ai", 403),
        ("https://sub.claude.ai", 403),
        ("https://tool.example.evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://2130706433", 403),
        ("chrome-extension://abcdefgh", 403),
    ] {
        for era in ERAS {
            let post = list_tools(era).header("origin", origin);
            assert_eq!(owner.send(&post).await.status(), status, "{origin:?}");
        }
    }
    for era in ERAS {
        let none = owner.send(&list_tools(era)).await;
        assert_eq!(none.status(), 200);
        let two = list_tools(era)
            .header("origin", "https://claude.ai")
            .and_header("origin", "https://claude.ai");
        assert_eq!(owner.send(&two).await.status(), 403);
    }
}

#[tokio::test]
async fn g2_only_our_own_host_is_served() {
    let app = app();
    let owner = app.owner().await;
    for (host, status) in [
        ("vault.example", 200),
        ("VAULT.EXAMPLE", 200),
        ("vault.example:443", 200),
        ("vault.example:8443", 403),
        ("vault.example.", 403),
        ("evil.example", 403),
        ("localhost", 403),
        ("127.0.0.1", 403),
        ("vault.example@evil.example", 403),
        ("", 403),
    ] {
        let post = list_tools(Era::Legacy)
            .header("host", host)
            .header("x-forwarded-host", "vault.example");
        assert_eq!(owner.send(&post).await.status(), status, "{host:?}");
    }
    let without = list_tools(Era::Legacy).without_header("host");
    assert_eq!(owner.send(&without).await.status(), 403);
    // HTTP/2 has the host in the request target.
    let http2 = without.to("https://vault.example/mcp");
    assert_eq!(owner.send(&http2).await.status(), 200);
}

#[tokio::test]
async fn g3_other_methods_are_405_once_the_token_is_known() {
    let app = app();
    let owner = app.owner().await;
    for method in [
        Method::GET,
        Method::DELETE,
        Method::PUT,
        Method::PATCH,
        Method::TRACE,
        Method::from_bytes(b"PURGE").unwrap(),
    ] {
        for path in ["/mcp", "/mcp/"] {
            let post = list_tools(Era::Legacy).to(path).method(&method);
            let answer = owner.send(&post).await;
            assert_eq!(answer.outcome(), "405 method_not_allowed", "{method}");
            assert_eq!(answer.header("allow"), Some("POST"));
            let answer = app.anonymous().send(&post).await;
            assert_eq!(answer.outcome(), "401 unauthorized", "{method}");
            assert_eq!(answer.header("allow"), None);
        }
    }
}

#[tokio::test]
async fn g4_accept_is_read_leniently_and_an_explicit_refusal_is_honoured() {
    let app = app();
    let owner = app.owner().await;
    for (accept, status) in [
        ("application/json, text/event-stream", 200),
        ("application/json", 200),
        ("text/event-stream, application/json", 200),
        ("APPLICATION/JSON", 200),
        ("application/json; charset=utf-8", 200),
        ("application/json;q=0.1", 200),
        ("*/*", 200),
        ("*/*;q=0.8", 200),
        ("application/*", 200),
        ("application/*, text/*", 200),
        ("text/html, image/gif, */*; q=.2", 200),
        ("", 200),
        (" , ", 200),
        ("text/html;q=0, */*", 200),
        ("text/html", 406),
        ("text/*", 406),
        ("text/event-stream", 406),
        ("application/json;q=0", 406),
        ("application/json;q=0.0, text/html", 406),
        ("application/xml", 406),
        ("*/*;q=0", 406),
        // The more specific range decides (RFC 9110 section 12.5.1).
        ("application/json;q=0, */*", 406),
        ("*/*, application/json;q=0", 406),
        ("application/*;q=0, */*;q=1", 406),
        ("*/*;q=0, application/json", 200),
    ] {
        for era in ERAS {
            let answer = owner.send(&list_tools(era).header("accept", accept)).await;
            assert_eq!(answer.status(), status, "{accept:?} {era:?}");
            if status == 406 {
                assert_eq!(answer.failure(), (406, -32600), "{accept:?}");
            }
        }
    }
    let absent = list_tools(Era::Modern).without_header("accept");
    assert_eq!(owner.send(&absent).await.status(), 200);
    let in_two = list_tools(Era::Modern)
        .header("accept", "text/event-stream")
        .and_header("accept", "application/json");
    assert_eq!(owner.send(&in_two).await.status(), 200);
}

#[tokio::test]
async fn g4_the_body_has_to_be_declared_as_json() {
    let app = app();
    let owner = app.owner().await;
    for (kind, status) in [
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("Application/JSON;charset=\"utf-8\"", 200),
        (" application/json ", 200),
        ("text/plain", 415),
        ("text/json", 415),
        ("application/json-rpc", 415),
        ("application/jsonrequest", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/json, text/plain", 415),
        ("json", 415),
        ("", 415),
    ] {
        for era in ERAS {
            let post = list_tools(era).header("content-type", kind);
            let answer = owner.send(&post).await;
            assert_eq!(answer.status(), status, "{kind:?}");
            if status == 415 {
                assert_eq!(answer.failure(), (415, -32600), "{kind:?}");
            }
        }
    }
    let none = list_tools(Era::Legacy).without_header("content-type");
    assert_eq!(owner.send(&none).await.failure(), (415, -32600));
    let two = list_tools(Era::Legacy).and_header("content-type", "text/plain");
    assert_eq!(owner.send(&two).await.failure(), (415, -32600));
}

/// Some clients add a slash. A redirect would lose the body.
#[tokio::test]
async fn h3_the_endpoint_with_a_slash_is_the_same_endpoint() {
    let app = app();
    let owner = app.owner().await;
    for era in ERAS {
        let post = list_tools(era);
        let bare = owner.send(&post).await;
        let slash = owner.send(&post.clone().to("/mcp/")).await;
        assert_eq!(bare.status(), 200);
        assert_eq!(slash.text(), bare.text());
        let with_query = owner.send(&post.to("/mcp?debug=1")).await;
        assert_eq!(with_query.text(), bare.text());
    }
    let anonymous = app.anonymous();
    let bare = anonymous.send(&list_tools(Era::Legacy)).await;
    let slash = anonymous.send(&list_tools(Era::Legacy).to("/mcp/")).await;
    assert_eq!(slash.status(), 401);
    assert_eq!(
        slash.header("www-authenticate"),
        bare.header("www-authenticate")
    );
}

/// No answer goes on: none can outlive the grant that it was given under, and there is nothing to
/// break off when somebody is taken off the list.
#[tokio::test]
async fn g13_no_answer_is_a_stream_whatever_is_asked_for() {
    let app = app();
    let owner = app.owner().await;
    for era in ERAS {
        for method in METHODS {
            let params = json!({
                "_meta": { "progressToken": 1 },
                "name": "read_note",
                "arguments": { "path": "Note.md" },
                "uri": "vault://note/Note.md",
                "notifications": { "toolsListChanged": true },
            });
            let post = Post::of(era, method.name, &params)
                .edit(|message| message["params"]["_meta"]["progressToken"] = json!(1))
                .header("accept", "text/event-stream, application/json;q=0.1");
            let answer = owner.send(&post).await;
            assert_eq!(answer.header("content-type"), Some("application/json"));
            assert!(answer.json().is_object(), "{}", method.name);
        }
    }
}
