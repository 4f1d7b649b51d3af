//! G8 to G12: the revision without `initialize`, whose headers mirror its bodies.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use vault_mcp::mcp::{Era, METHODS};

use super::{ERAS, app, list_tools};
use crate::support::app::{LEGACY, MODERN, Post, TestApp};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

fn meta(message: &mut Value) -> &mut serde_json::Map<String, Value> {
    message["params"]["_meta"].as_object_mut().unwrap()
}

fn read_note() -> Post {
    Post::call(Era::Modern, "read_note", &json!({ "path": "Note.md" }))
}

#[tokio::test]
async fn discovery_names_the_versions_and_is_for_the_asking_client_alone() {
    let app = app();
    let result = app
        .owner()
        .await
        .result(Era::Modern, "server/discover", &json!({}))
        .await;
    assert_eq!(
        result["supportedVersions"],
        json!([
            "2024-11-05",
            "2025-03-26",
            "2025-06-18",
            "2025-11-25",
            "2026-07-28"
        ])
    );
    assert_eq!(
        result["capabilities"],
        json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {} })
    );
    assert!(result["instructions"].as_str().unwrap().contains("vault"));
}

#[tokio::test]
async fn g8_what_every_request_carries() {
    let app = app();
    let owner = app.owner().await;
    let post = list_tools(Era::Modern);
    owner.send(&post).await.result();
    let client_info = "io.modelcontextprotocol/clientInfo";
    let without = |key: &'static str| {
        post.clone().edit(move |message| {
            meta(message).remove(key);
        })
    };
    owner.send(&without(client_info)).await.result();
    for post in [
        without(VERSION),
        without(CAPABILITIES),
        post.clone().edit(|message| meta(message).clear()),
        post.clone().edit(|message| {
            message["params"].as_object_mut().unwrap().remove("_meta");
        }),
        post.clone().edit(|message| {
            message.as_object_mut().unwrap().remove("params");
        }),
        post.clone()
            .edit(|message| message["params"]["_meta"] = json!(7)),
        post.clone()
            .edit(|message| meta(message)[VERSION] = json!(20_260_728)),
        post.clone()
            .edit(|message| meta(message)[CAPABILITIES] = json!([])),
        post.clone()
            .edit(|message| meta(message)[CAPABILITIES] = Value::Null),
        // Not modern by its header, but by its method.
        Post::modern("server/discover", &json!({}))
            .without_header("mcp-protocol-version")
            .edit(|message| meta(message).clear()),
    ] {
        let answer = owner.send(&post).await;
        assert_eq!(answer.failure(), (400, -32602), "{post:?}");
        assert_eq!(answer.json()["id"], 1);
    }
}

#[tokio::test]
async fn g8_header_and_body_name_the_same_version() {
    let app = app();
    let owner = app.owner().await;
    let post = list_tools(Era::Modern);
    for post in [
        post.clone().without_header("mcp-protocol-version"),
        post.clone().header("mcp-protocol-version", LEGACY),
        post.clone().header("mcp-protocol-version", "2025-03-26"),
        post.clone().header("mcp-protocol-version", "2099-01-01"),
        post.clone().header("mcp-protocol-version", ""),
        post.clone().and_header("mcp-protocol-version", MODERN),
        post.clone()
            .header("mcp-protocol-version", "2026-07-28, 2026-07-28"),
        post.clone()
            .edit(|message| meta(message)[VERSION] = json!(LEGACY)),
    ] {
        let answer = owner.send(&post).await;
        assert_eq!(answer.failure(), (400, -32020), "{post:?}");
        assert_eq!(answer.json()["id"], 1);
    }
    let spaced = post.header("mcp-protocol-version", "\t2026-07-28 ");
    owner.send(&spaced).await.result();
}

#[tokio::test]
async fn g8_a_version_that_nobody_speaks_is_told_the_list() {
    let app = app();
    let owner = app.owner().await;
    let discovered = owner
        .result(Era::Modern, "server/discover", &json!({}))
        .await;
    for version in ["2026-07-29", "2099-01-01", "draft"] {
        for method in ["tools/list", "server/discover", "no/such"] {
            let post = Post::modern(method, &json!({}))
                .edit(|message| meta(message)[VERSION] = json!(version))
                .header("mcp-protocol-version", version);
            let answer = owner.send(&post).await;
            assert_eq!(answer.failure(), (400, -32022), "{version:?}");
            let data = &answer.json()["error"]["data"];
            assert_eq!(data["requested"], version);
            assert_eq!(data["supported"], discovered["supportedVersions"]);
        }
    }
}

#[tokio::test]
async fn g9_mcp_method_mirrors_the_method() {
    let app = app();
    let owner = app.owner().await;
    let post = read_note();
    for (value, right) in [
        ("tools/call", true),
        (" tools/call\t", true),
        ("tools/list", false),
        ("Tools/Call", false),
        ("tools/call,tools/call", false),
        ("", false),
    ] {
        let answer = owner.send(&post.clone().header("mcp-method", value)).await;
        if right {
            answer.result();
        } else {
            assert_eq!(answer.failure(), (400, -32020), "{value:?}");
        }
    }
    let missing = post.clone().without_header("mcp-method");
    assert_eq!(owner.send(&missing).await.failure(), (400, -32020));
    let twice = post.and_header("mcp-method", "tools/call");
    assert_eq!(owner.send(&twice).await.failure(), (400, -32020));
    assert_eq!(app.storage.take_calls().len(), 2, "refusals cost nothing");
}

#[tokio::test]
async fn g9_mcp_name_mirrors_the_name_plain_or_encoded() {
    let app = app();
    let owner = app.owner().await;
    let encoded = |text: &str| format!("=?base64?{}?=", BASE64_STANDARD.encode(text));
    for (value, right) in [
        ("read_note".to_owned(), true),
        (" read_note ".to_owned(), true),
        (encoded("read_note"), true),
        (encoded("write_note"), false),
        (encoded(" read_note"), false),
        ("write_note".to_owned(), false),
        ("READ_NOTE".to_owned(), false),
        ("read_note,read_note".to_owned(), false),
        (String::new(), false),
        ("=?base64?cmVhZF9ub3Rl".to_owned(), false),
        ("=?base64?cmVhZF9ub3R?=".to_owned(), false),
        ("=?base64?cmVhZF9ub3Rl=?=".to_owned(), false),
        ("=?base64?cmVh ZF9ub3Rl?=".to_owned(), false),
        ("=?base64?!!!!?=".to_owned(), false),
        ("=?base64?/w==?=".to_owned(), false),
        ("=?base64??=".to_owned(), false),
        ("=?base64?=".to_owned(), false),
        ("r\u{e9}ad_note".to_owned(), false),
    ] {
        let answer = owner.send(&read_note().header("mcp-name", &value)).await;
        if right {
            answer.result();
        } else {
            assert_eq!(answer.failure(), (400, -32020), "{value:?}");
            assert_eq!(answer.json()["id"], 1);
        }
    }
    let missing = read_note().without_header("mcp-name");
    assert_eq!(owner.send(&missing).await.failure(), (400, -32020));
    let twice = read_note().and_header("mcp-name", "read_note");
    assert_eq!(owner.send(&twice).await.failure(), (400, -32020));
}

#[tokio::test]
async fn g9_what_mcp_name_mirrors_depends_on_the_method() {
    let app = TestApp::of(&[("Note.md", ""), ("日本語.md", "")]);
    let owner = app.owner().await;
    for (method, params) in [
        ("tools/call", json!({ "name": "list_notes" })),
        ("prompts/get", json!({ "name": "weekly_review" })),
        ("resources/read", json!({ "uri": "vault://note/Note.md" })),
        ("resources/read", json!({ "uri": "vault://note/日本語.md" })),
        ("tasks/get", json!({ "taskId": "7" })),
        ("tasks/update", json!({ "taskId": "7" })),
        ("tasks/cancel", json!({ "taskId": "7" })),
    ] {
        let name = ["name", "uri", "taskId"]
            .iter()
            .find_map(|key| params[key].as_str());
        let encoded = format!("=?base64?{}?=", BASE64_STANDARD.encode(name.unwrap()));
        let post = Post::modern(method, &params).header("mcp-name", &encoded);
        let outcome = owner.send(&post).await.outcome();
        assert!(
            ["ok", "404 -32601"].contains(&outcome.as_str()),
            "{method}: {outcome}"
        );
        let missing = post.without_header("mcp-name");
        assert_eq!(
            owner.send(&missing).await.failure(),
            (400, -32020),
            "{method}"
        );
    }
    // A header that a method has no name for mirrors nothing.
    let stray = list_tools(Era::Modern).header("mcp-name", "stray");
    owner.send(&stray).await.result();
}

#[tokio::test]
async fn g9_header_names_know_no_case_and_other_headers_do_not_matter() {
    let app = app();
    let owner = app.owner().await;
    let post = read_note()
        .header("mcp-param-path", "Other.md")
        .header(
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        )
        .header("mcp-session-id", "x");
    owner.send(&post).await.result();
    // The legacy era mirrors nothing.
    let legacy = Post::legacy("tools/list", &json!({})).header("mcp-method", "tools/call");
    owner.send(&legacy).await.result();
}

#[tokio::test]
async fn g10_a_method_that_is_gone_or_unknown_is_404() {
    let app = app();
    let owner = app.owner().await;
    let gone = METHODS
        .iter()
        .filter(|method| !method.eras.contains(&Era::Modern))
        .map(|method| method.name);
    let gone: Vec<_> = gone.collect();
    for expected in [
        "initialize",
        "logging/setLevel",
        "ping",
        "resources/subscribe",
        "resources/unsubscribe",
    ] {
        assert!(gone.contains(&expected), "{expected}");
    }
    let unknown = [
        "no/such",
        "Tools/List",
        "",
        "rpc.discover",
        "tasks/list",
        "skills/list",
    ];
    for method in gone.into_iter().chain(unknown) {
        // With parameters or without: what does not exist does not look at them.
        for params in [
            json!({}),
            json!({ "level": "info", "protocolVersion": MODERN }),
        ] {
            let post = Post::modern(method, &params).id(&json!("x"));
            let answer = owner.send(&post).await;
            assert_eq!(answer.failure(), (404, -32601), "{method:?}");
            assert_eq!(answer.json()["id"], "x");
        }
    }
}

#[tokio::test]
async fn g10_what_this_server_does_not_offer_is_not_found_either() {
    let app = app();
    let owner = app.owner().await;
    for (method, params) in [
        ("subscriptions/listen", json!({ "notifications": {} })),
        (
            "subscriptions/listen",
            json!({ "notifications": { "resourceSubscriptions": ["vault://note/Note.md"] } }),
        ),
    ] {
        let answer = owner.send(&Post::modern(method, &params)).await;
        assert_eq!(answer.failure(), (404, -32601), "{method}");
    }
}

#[tokio::test]
async fn g11_f5_results_say_what_they_are_and_how_long_they_may_be_kept() {
    let app = app();
    let owner = app.owner().await;
    let note = json!({ "uri": "vault://note/Note.md" });
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", note),
        ("prompts/list", json!({})),
    ] {
        let result = owner.result(Era::Modern, method, &params).await;
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["cacheScope"], "private", "{method}");
        let ttl = result["ttlMs"].as_u64().unwrap();
        assert!(ttl <= 60_000, "{method}: {ttl}");
    }
    for call in [
        json!({ "name": "list_notes" }),
        json!({ "name": "read_note", "arguments": { "path": "Missing.md" } }),
    ] {
        let result = owner.result(Era::Modern, "tools/call", &call).await;
        assert_eq!(result["resultType"], "complete", "{call}");
        assert!(result.get("cacheScope").is_none(), "{call}");
    }
}

/// -32000 to -32019 belong to the implementation and -32002 and -32042 to older revisions: nobody
/// could tell what they mean. Of those, the legacy era has the one for a resource that is not there.
#[tokio::test]
async fn g12_no_error_code_is_one_that_the_protocol_left_open() {
    let app = app();
    let owner = app.owner().await;
    for method in METHODS.iter().map(|method| method.name).chain(["no/such"]) {
        for era in ERAS {
            for params in [
                json!({}),
                json!({ "name": "x", "uri": "vault://note/Missing.md", "taskId": "1" }),
                json!({ "name": 7, "uri": 7, "cursor": 7, "ref": 7, "level": 7 }),
            ] {
                let answer = owner.send(&Post::of(era, method, &params)).await;
                let Some(code) = answer.json()["error"]["code"].as_i64() else {
                    continue;
                };
                if (method, era) == ("resources/read", Era::Legacy) && code == -32002 {
                    continue;
                }
                assert!(
                    [-32600, -32601, -32602, -32020, -32021, -32022].contains(&code),
                    "{method} {era:?}: {code}"
                );
            }
        }
    }
}

/// A client that declares nothing gets everything that there is.
#[tokio::test]
async fn g15_nothing_needs_a_capability_of_the_client() {
    let app = app();
    let owner = app.owner().await;
    for method in METHODS {
        let params = json!({ "name": "read_note", "arguments": { "path": "Note.md" } });
        let post = Post::modern(method.name, &params)
            .edit(|message| assert_eq!(meta(message)[CAPABILITIES], json!({})));
        let answer = owner.send(&post).await;
        assert_ne!(answer.json()["error"]["code"], -32021, "{}", method.name);
    }
    let read = owner.send(&read_note()).await;
    assert_eq!(read.outcome(), "ok");
}
