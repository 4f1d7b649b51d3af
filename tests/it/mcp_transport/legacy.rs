//! G7, G10: the revisions that open with `initialize`.

use serde_json::{Value, json};
use vault_mcp::mcp::Era;

use super::app;
use crate::support::app::{LEGACY, MODERN, Post};

fn initialize(version: &str) -> Post {
    let params = json!({
        "protocolVersion": version,
        "capabilities": { "roots": { "listChanged": true }, "sampling": {}, "x": { "y": 1 } },
        "clientInfo": { "name": "Anthropic/ClaudeAI", "version": "1.0.0" },
    });
    Post::legacy("initialize", &params)
}

#[tokio::test]
async fn g7_initialize_settles_on_a_version_whatever_is_asked_for() {
    let app = app();
    let owner = app.owner().await;
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("2024-10-07", "2025-11-25"),
        ("1", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let result = owner.send(&initialize(asked)).await.result();
        assert_eq!(result["protocolVersion"], answered, "{asked:?}");
        assert!(result["capabilities"]["tools"].is_object());
        assert_eq!(result["serverInfo"]["name"], "vault-mcp");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(result["instructions"].as_str().unwrap().contains("vault"));
        assert_eq!(result["resultType"], Value::Null, "{asked:?}");
    }
}

/// Some clients repeat in a header what they ask for, or what they learned from `server/discover`.
#[tokio::test]
async fn g7_initialize_is_answered_whatever_version_a_header_names() {
    let app = app();
    let owner = app.owner().await;
    for header in [
        "2024-11-05",
        LEGACY,
        MODERN,
        "2099-01-01",
        "1999-01-01",
        "next",
    ] {
        for asked in [LEGACY, MODERN, "2099-01-01"] {
            let post = initialize(asked).header("mcp-protocol-version", header);
            let result = owner.send(&post).await.result();
            assert_eq!(result["protocolVersion"], LEGACY, "{header} {asked}");
        }
    }
}

#[tokio::test]
async fn g7_initialize_needs_its_parameters() {
    let app = app();
    let owner = app.owner().await;
    for params in [
        json!({}),
        json!({ "protocolVersion": LEGACY }),
        json!({ "protocolVersion": 7, "capabilities": {}, "clientInfo": {} }),
    ] {
        let answer = owner.send(&Post::legacy("initialize", &params)).await;
        assert_eq!(answer.failure(), (200, -32602), "{params}");
    }
}

#[tokio::test]
async fn g7_every_known_version_is_served_and_an_unknown_one_is_told_the_list() {
    let app = app();
    let owner = app.owner().await;
    let ping = Post::legacy("ping", &json!({}));
    for version in [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        " 2025-06-18 ",
    ] {
        let post = ping.clone().header("mcp-protocol-version", version);
        assert_eq!(owner.send(&post).await.result(), json!({}), "{version:?}");
    }
    let post = ping.clone().without_header("mcp-protocol-version");
    assert_eq!(owner.send(&post).await.result(), json!({}));

    for version in ["2024-10-07", "2025-12-31", "1999-01-01", "2025-06-18x", ""] {
        let post = ping.clone().header("mcp-protocol-version", version);
        let answer = owner.send(&post).await;
        let (status, code) = answer.failure();
        assert_eq!((status, code), (400, -32600), "{version:?}");
        let error = &answer.json()["error"]["data"];
        assert_eq!(error["requested"], version);
        assert_eq!(
            error["supported"],
            json!([
                "2024-11-05",
                "2025-03-26",
                "2025-06-18",
                "2025-11-25",
                "2026-07-28"
            ])
        );
    }
    let twice = ping.and_header("mcp-protocol-version", "2025-06-18");
    assert_eq!(owner.send(&twice).await.failure().0, 400);
}

/// A session of another server, or of an earlier life, is no reason to refuse anything.
#[tokio::test]
async fn g7_there_are_no_sessions() {
    let app = app();
    let owner = app.owner().await;
    for session in ["from-another-life", "", "a b c"] {
        for post in [
            initialize(LEGACY),
            Post::legacy("ping", &json!({})),
            Post::modern("tools/list", &json!({})),
        ] {
            let post = post
                .header("mcp-session-id", session)
                .header("last-event-id", "42");
            // `send` sees that no session is given out.
            owner.send(&post).await.result();
        }
    }
}

#[tokio::test]
async fn g10_an_unknown_method_is_told_in_a_200() {
    let app = app();
    let owner = app.owner().await;
    for method in [
        "no/such",
        "tools/unheard_of",
        "Tools/list",
        "",
        "tasks/list",
        "tasks/result",
        "skills/list",
        "subscriptions/listen",
        "rpc.discover",
    ] {
        let answer = owner
            .send(&Post::legacy(method, &json!({})).id(&json!("x")))
            .await;
        assert_eq!(answer.failure(), (200, -32601), "{method:?}");
        assert_eq!(answer.json()["id"], "x");
    }
}

#[tokio::test]
async fn g11_results_of_the_legacy_era_look_as_they_always_did() {
    let app = app();
    let owner = app.owner().await;
    let list = owner.result(Era::Legacy, "tools/list", &json!({})).await;
    assert_eq!(list.get("resultType"), None);
    let call = json!({ "name": "list_notes" });
    let call = owner.result(Era::Legacy, "tools/call", &call).await;
    assert_eq!(call.get("resultType"), None);
    assert_eq!(
        owner.result(Era::Legacy, "ping", &json!({})).await,
        json!({})
    );
}
