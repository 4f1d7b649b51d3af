//! Arguments: strict in meaning, lenient in form.

use serde_json::{Value, json};
use vault_mcp::mcp::tools::ToolName;

use crate::support::app::TestApp;

fn app() -> TestApp {
    TestApp::of(&[("a/1.md", "one"), ("a/2.md", "two"), ("b.md", "three")])
}

/// Whole numbers come as numbers, texts and floating-point numbers; null stands for nothing.
#[tokio::test]
async fn numbers_are_taken_in_every_form_that_clients_send() {
    let app = app();
    let owner = app.owner().await;
    for (limit, shown) in [
        (json!(2), 2),
        (json!("2"), 2),
        (json!(" 2 "), 2),
        (json!(2.0), 2),
        (json!("2.0"), 2),
        (json!(2e0), 2),
        (json!(null), 3),
        (json!(1000), 3),
        (json!("1000"), 3),
    ] {
        let facts = owner
            .call("list_notes", json!({ "limit": limit }))
            .await
            .facts();
        assert_eq!(facts["notes"].as_array().unwrap().len(), shown, "{limit}");
        assert_eq!(facts["total"], 3, "{limit}");
    }
    for (depth, total) in [
        (json!(1), 1),
        (json!("1"), 1),
        (json!(1.0), 1),
        (json!(2), 3),
        (json!(null), 3),
        (json!(1_000_000_000), 3),
        (json!(u64::MAX), 3),
    ] {
        let facts = owner
            .call("list_notes", json!({ "depth": depth }))
            .await
            .facts();
        assert_eq!(facts["total"], total, "{depth}");
    }
}

/// Every refusal names the argument and says what is expected, and costs the vault nothing.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table")]
async fn what_does_not_fit_is_refused_by_name() {
    let app = app();
    let owner = app.owner().await;
    app.storage.take_calls();
    let limit = |value: Value| ("list_notes", json!({ "limit": value }), "limit");
    let depth = |value: Value| ("list_notes", json!({ "depth": value }), "depth");
    for (tool, arguments, names) in [
        limit(json!(0)),
        limit(json!("0")),
        limit(json!(-1)),
        limit(json!("-1")),
        limit(json!(1.5)),
        limit(json!(1001)),
        limit(json!(1e9)),
        limit(json!(1e300)),
        limit(json!(u64::MAX)),
        limit(json!("ten")),
        limit(json!("")),
        limit(json!("1_0")),
        limit(json!("0x10")),
        limit(json!("+-1")),
        limit(json!("NaN")),
        limit(json!("inf")),
        limit(json!(true)),
        limit(json!([10])),
        limit(json!({ "value": 10 })),
        depth(json!(0)),
        depth(json!(-1)),
        depth(json!("all")),
        ("list_notes", json!({ "dir": 7 }), "dir"),
        ("list_notes", json!({ "dir": ["a"] }), "dir"),
        ("list_notes", json!({ "cursor": 7 }), "cursor"),
        ("list_notes", json!({ "cursor": "no cursor" }), "cursor"),
        ("list_notes", json!({ "cursor": "" }), "cursor"),
        ("list_notes", json!({ "directory": "a" }), "directory"),
        ("list_notes", json!({ "Dir": "a" }), "Dir"),
        ("read_note", json!({}), "path"),
        ("read_note", json!({ "path": null }), "path"),
        ("read_note", json!({ "path": 7 }), "path"),
        ("read_note", json!({ "path": ["a/1.md"] }), "path"),
        ("read_note", json!({ "file": "a/1.md" }), "file"),
        (
            "read_note",
            json!({ "path": "a/1.md", "lines": 3 }),
            "lines",
        ),
        (
            "read_note",
            json!({ "path": "a/1.md", "lines": "3-1" }),
            "lines",
        ),
        (
            "read_note",
            json!({ "path": "a/1.md", "lines": "all" }),
            "lines",
        ),
        (
            "read_note",
            json!({ "path": "b.md", "section": "A", "lines": "1" }),
            "section and lines",
        ),
        (
            "read_note",
            json!({ "path": "b.md", "paths": ["b.md"] }),
            "path and paths",
        ),
        ("read_note", json!({ "paths": [] }), "paths"),
        ("read_note", json!({ "paths": vec!["b.md"; 21] }), "paths"),
        ("read_note", json!({ "paths": ["b.md", 1] }), "paths"),
        ("read_note", json!({ "paths": { "a": "b.md" } }), "paths"),
        (
            "read_note",
            json!({ "path": "b.md", "outline": "maybe" }),
            "outline",
        ),
        (
            "read_note",
            json!({ "path": "b.md", "include": ["tags"] }),
            "include",
        ),
        ("read_note", json!({ "path": "b.md", "at": "HEAD" }), "at"),
        ("read_note", json!({ "path": "b.md", "at": 7 }), "at"),
        ("search_notes", json!({}), "query"),
        ("search_notes", json!({ "query": 7 }), "query"),
        ("search_notes", json!({ "query": "" }), "query"),
        ("search_notes", json!({ "query": " \t\n" }), "query"),
        ("search_notes", json!({ "query": "x", "limit": 0 }), "limit"),
        (
            "search_notes",
            json!({ "query": "x", "limit": "101" }),
            "limit",
        ),
        (
            "search_notes",
            json!({ "query": "x", "cursor": "5" }),
            "cursor",
        ),
        ("write_note", json!({}), "path"),
        ("write_note", json!({ "path": "a/1.md" }), "content"),
        ("write_note", json!({ "content": "x" }), "path"),
        (
            "write_note",
            json!({ "path": "a/1.md", "content": null }),
            "content",
        ),
        (
            "write_note",
            json!({ "path": "a/1.md", "content": { "text": "x" } }),
            "content",
        ),
        (
            "write_note",
            json!({ "path": "a/1.md", "content": "x", "mode": "replace" }),
            "mode",
        ),
        (
            "write_note",
            json!({ "path": "a/1.md", "content": "x", "mode": 1 }),
            "mode",
        ),
        (
            "write_note",
            json!({ "path": "a/1.md", "content": "x", "expected_revision": "HEAD" }),
            "expected_revision",
        ),
        (
            "write_note",
            json!({ "path": "a/1.md", "content": "x", "expected_revision": "" }),
            "expected_revision",
        ),
        (
            "write_note",
            json!({ "path": "a/1.md", "content": "x", "new_path": "a/3.md" }),
            "new_path",
        ),
        ("delete_note", json!({}), "path"),
        (
            "delete_note",
            json!({ "path": "a/1.md", "force": true }),
            "force",
        ),
        (
            "delete_note",
            json!({ "path": "a/1.md", "expected_revision": 7 }),
            "expected_revision",
        ),
    ] {
        let answer = owner.call(tool, arguments.clone()).await;
        assert_eq!(answer.code(), "INVALID_ARGUMENT", "{tool} {arguments}");
        let error = answer.error();
        assert!(error.contains(names), "{tool} {arguments}: {error}");
        assert!(error.ends_with('.'), "{error}");
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

/// An unknown argument is refused with the names that there are.
#[tokio::test]
async fn an_unknown_argument_is_answered_with_the_expected_ones() {
    let app = app();
    let owner = app.owner().await;
    for tool in ToolName::ALL {
        let schema = tool.definition().input_schema;
        let expected = schema["properties"].as_object().unwrap();
        let mut arguments = json!({ "no_such_argument": 1 });
        for required in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            arguments[required.as_str().unwrap()] = json!("a/1.md");
        }
        let answer = owner.call(tool.as_str(), arguments).await;
        let error = answer.error();
        assert!(error.starts_with("INVALID_ARGUMENT: "), "{error}");
        assert!(error.contains("no_such_argument"), "{error}");
        for name in expected.keys() {
            assert!(error.contains(&format!("`{name}`")), "{name}: {error}");
        }
    }
}

/// What is wrong is shown, as far as it helps: an argument of a megabyte is no reason for an answer
/// of a megabyte.
#[tokio::test]
async fn a_refusal_is_short_however_long_the_argument() {
    let app = app();
    let owner = app.owner().await;
    let long = "é".repeat(500_000);
    let mut arguments = vec![
        ("list_notes", json!({ "limit": long })),
        ("list_notes", json!({ "dir": long })),
        ("list_notes", json!({ "cursor": long })),
        ("search_notes", json!({ "query": long })),
        ("search_notes", json!({ "query": "x", "dir": long })),
        ("search_notes", json!({ "query": "x", "cursor": long })),
        ("read_note", json!({ "path": long })),
        ("read_note", json!({ "path": "a/1.md", "lines": long })),
        ("read_note", json!({ "path": "a/1.md", "section": long })),
        ("read_note", json!({ "path": "a/1.md", "at": long })),
        ("read_note", json!({ "path": "a/1.md", "include": [long] })),
        ("read_note", json!({ "paths": { "a": long } })),
        ("write_note", json!({ "path": long, "content": "" })),
        (
            "write_note",
            json!({ "path": "a.md", "content": "", "mode": long }),
        ),
        (
            "write_note",
            json!({ "path": "a.md", "content": "", "expected_revision": long }),
        ),
        ("delete_note", json!({ "path": long })),
    ];
    for tool in ToolName::ALL {
        let mut unknown = json!({});
        unknown[&long] = json!(1);
        arguments.push((tool.as_str(), unknown));
    }
    for (tool, arguments) in arguments {
        let answer = owner.call(tool, arguments).await;
        answer.error();
        assert!(
            answer.characters() < 1_000,
            "{tool}: {} characters",
            answer.characters()
        );
    }
}
