//! G5, G6, G14: what counts as a message, what is a notification, and how an answer carries an id.

use serde_json::{Value, json};
use vault_mcp::mcp::Era;

use super::{ERAS, app, list_tools};
use crate::support::app::{LEGACY, MODERN, Post, ToolAnswer};

#[tokio::test]
async fn g5_what_is_no_message_is_400_in_json() {
    let app = app();
    let owner = app.owner().await;
    let deep = "[".repeat(200_000);
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("not json", -32700),
        ("\u{feff}{}", -32700),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} trailing",
            -32700,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}",
            -32700,
        ),
        ("{'jsonrpc':'2.0'}", -32700),
        ("NaN", -32700),
        (deep.as_str(), -32700),
        ("[]", -32600),
        (
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            -32600,
        ),
        ("[1,2]", -32600),
        ("null", -32600),
        ("true", -32600),
        ("7", -32600),
        ("\"text\"", -32600),
        ("{}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1}", -32600),
        ("{\"id\":1,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"method\":7}", -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"method\":\"ping\"}",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":18446744073709551615,\"method\":\"ping\"}",
            -32600,
        ),
        // Answers to requests that this server never makes.
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"\"}}",
            -32600,
        ),
    ] {
        let shown: String = body.chars().take(60).collect();
        let answer = owner.send(&Post::raw(body.to_owned())).await;
        assert_eq!(answer.failure(), (400, code), "{shown}");
        let message = answer.json();
        assert_eq!(message["jsonrpc"], "2.0", "{shown}");
        assert_eq!(message["id"], Value::Null, "{shown}");
        assert!(message.get("result").is_none(), "{shown}");
    }
    let invalid_utf8 = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec();
    let answer = owner.send(&Post::raw(invalid_utf8)).await;
    assert_eq!(answer.failure(), (400, -32700));
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

#[tokio::test]
async fn g5_a_batch_is_refused_with_the_reason() {
    let app = app();
    let owner = app.owner().await;
    // 2025-03-26 still had batches.
    for version in ["2025-03-26", LEGACY, MODERN] {
        let post = Post::raw("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]")
            .header("mcp-protocol-version", version);
        let answer = owner.send(&post).await;
        assert_eq!(answer.failure(), (400, -32600));
        let text = answer.json()["error"]["message"].to_string();
        assert!(
            text.contains("batching was removed in 2025-06-18"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn g6_a_notification_is_accepted_without_a_body_and_does_nothing() {
    let app = app();
    let owner = app.owner().await;
    let write = json!({
        "name": "write_note",
        "arguments": { "path": "Note.md", "content": "overwritten by a notification" },
    });
    for (method, params) in [
        ("notifications/initialized", json!({})),
        (
            "notifications/cancelled",
            json!({ "requestId": 1, "reason": "x" }),
        ),
        ("notifications/cancelled", json!({})),
        (
            "notifications/progress",
            json!({ "progressToken": 1, "progress": 0.5 }),
        ),
        ("notifications/roots/list_changed", json!({})),
        ("notifications/of/the/future", json!({ "x": [1] })),
        ("tools/call", write.clone()),
    ] {
        for version in [Some(LEGACY), Some(MODERN), None] {
            let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
            let post = Post::json(&message);
            let post = match version {
                Some(version) => post.header("mcp-protocol-version", version),
                None => post,
            };
            let answer = owner.send(&post).await;
            assert_eq!(
                (answer.status().as_u16(), answer.text()),
                (202, ""),
                "{method}"
            );
        }
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
    let without_params = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(owner.send(&Post::json(&without_params)).await.status(), 202);
    let not_authenticated = app.anonymous().send(&Post::json(&without_params)).await;
    assert_eq!(not_authenticated.outcome(), "401 unauthorized");
}

#[tokio::test]
async fn an_answer_repeats_the_id_of_its_request() {
    let app = app();
    let owner = app.owner().await;
    for id in [
        json!(0),
        json!(-7),
        json!(9_007_199_254_740_993_i64),
        json!(i64::MAX),
        json!(""),
        json!("1"),
        json!("server-discover-probe-1"),
        json!("é \"quoted\" \u{0}"),
        json!("x".repeat(10_000)),
    ] {
        for era in ERAS {
            for post in [
                list_tools(era),
                Post::of(era, "no/such", &json!({})),
                Post::call(era, "no_such_tool", &json!({})),
                Post::of(era, "tools/call", &json!({ "name": 7 })),
                list_tools(era).header("mcp-protocol-version", "1999-01-01"),
            ] {
                let message = owner.send(&post.id(&id)).await.json();
                assert_eq!(message["id"], id);
                assert_eq!(message["jsonrpc"], "2.0");
            }
        }
    }
}

#[tokio::test]
async fn g14_an_unknown_tool_is_a_protocol_error_and_wrong_arguments_are_an_answer() {
    let app = app();
    let owner = app.owner().await;
    for era in ERAS {
        for name in [
            "no_such_tool",
            "rename_note",
            "move_note",
            "List_Notes",
            "list_notes ",
            "",
        ] {
            let answer = owner.send(&Post::call(era, name, &json!({}))).await;
            assert_eq!(answer.failure(), (200, -32602), "{name:?}");
        }
        let wrong = Post::call(era, "read_note", &json!({ "path": 7 }));
        let answer = ToolAnswer::of(&owner.send(&wrong).await.result());
        assert_eq!(answer.code(), "INVALID_ARGUMENT");
        for params in [
            json!({}),
            json!({ "name": 7 }),
            json!({ "name": "list_notes", "arguments": [] }),
            json!({ "name": "list_notes", "arguments": "dir" }),
        ] {
            let answer = owner.send(&Post::of(era, "tools/call", &params)).await;
            assert_eq!(answer.failure(), (200, -32602), "{params}");
        }
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

#[tokio::test]
async fn arguments_may_be_left_out_where_none_are_needed() {
    let app = app();
    let owner = app.owner().await;
    for era in ERAS {
        for params in [
            json!({ "name": "list_notes" }),
            json!({ "name": "list_notes", "arguments": null }),
            json!({ "name": "list_notes", "arguments": {} }),
        ] {
            let answer = owner.send(&Post::of(era, "tools/call", &params)).await;
            assert_eq!(ToolAnswer::of(&answer.result()).facts()["total"], 1);
        }
    }
    // A request of the legacy era may have no parameters at all.
    for method in ["ping", "tools/list"] {
        let post = Post::legacy(method, &json!({})).edit(|message| {
            message.as_object_mut().unwrap().remove("params");
        });
        owner.send(&post).await.result();
    }
}

/// There is one page of tools.
#[tokio::test]
async fn a_cursor_that_nobody_gave_is_invalid() {
    let app = app();
    let owner = app.owner().await;
    for era in ERAS {
        for cursor in ["page-2", ""] {
            let post = Post::of(era, "tools/list", &json!({ "cursor": cursor }));
            assert_eq!(owner.send(&post).await.failure(), (200, -32602), "{cursor}");
        }
    }
}

#[tokio::test]
async fn both_eras_answer_a_tool_call_alike() {
    let app = app();
    let owner = app.owner().await;
    for (tool, arguments) in [
        ("list_notes", json!({})),
        ("search_notes", json!({ "query": "text" })),
        ("read_note", json!({ "path": "Note.md" })),
        ("read_note", json!({ "path": "../Note.md" })),
        (
            "write_note",
            json!({ "path": "Note.md", "content": "text\n" }),
        ),
        ("delete_note", json!({ "path": "Missing.md" })),
    ] {
        let mut results = Vec::new();
        for era in [Era::Legacy, Era::Modern] {
            results.push(
                owner
                    .send(&Post::call(era, tool, &arguments))
                    .await
                    .result(),
            );
        }
        assert_eq!(results[0]["content"], results[1]["content"], "{tool}");
        assert_eq!(results[0]["isError"], results[1]["isError"], "{tool}");
    }
}
