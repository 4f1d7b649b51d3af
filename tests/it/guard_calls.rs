//! F6: how many calls a connection may make. A person's agent may read a whole vault; a program that
//! has run wild is stopped, and nobody else with it.

use serde_json::{Value, json};
use vault_mcp::{
    mcp::{Era, METHODS},
    oauth::state::{BURST, PER_SECOND},
};

use crate::support::app::{Bearer, Post, TestApp};

fn app() -> TestApp {
    TestApp::of(&[("Note.md", "x")])
}

fn read_note() -> Post {
    Post::call(Era::Modern, "read_note", &json!({ "path": "Note.md" }))
}

/// Makes `calls` calls that must all be answered.
async fn spend(bearer: &Bearer<'_>, calls: u32) {
    let ping = Post::legacy("ping", &json!({}));
    for call in 0..calls {
        let answer = bearer.send(&ping).await;
        assert_eq!(answer.status(), 200, "call {call}");
    }
}

#[tokio::test]
async fn f6_a_whole_vault_can_be_read_in_two_minutes() {
    let app = app();
    let owner = app.owner().await;
    for call in 0..2_000 {
        if call % 20 == 0 {
            app.server.wait(1);
        }
        let answer = owner.send(&read_note()).await;
        assert_eq!(answer.outcome(), "ok", "call {call}");
    }
}

#[tokio::test]
async fn f6_a_loop_is_stopped_and_a_model_reads_what_to_do() {
    let app = app();
    let owner = app.owner().await;
    let other = app.owner().await;
    spend(&owner, BURST).await;
    app.storage.take_calls();

    for era in [Era::Legacy, Era::Modern] {
        for (tool, arguments) in [
            ("read_note", json!({ "path": "Note.md" })),
            ("write_note", json!({ "path": "Note.md", "content": "y" })),
            ("delete_note", json!({ "path": "Note.md" })),
            ("no_such_tool", json!({})),
        ] {
            let answer = owner.send(&Post::call(era, tool, &arguments)).await;
            assert_eq!(answer.outcome(), "RATE_LIMITED", "{tool}");
            let text = answer.result()["content"][0]["text"].clone();
            assert!(
                text.as_str().unwrap().contains("try again in 1 seconds"),
                "{text}"
            );
        }
    }
    assert_eq!(app.storage.take_calls(), [""; 0], "nothing was asked of it");

    // It is a matter of one connection, not of the person and not of the address.
    assert_eq!(other.send(&read_note()).await.outcome(), "ok");

    // Whoever waits goes on, slowly.
    app.server.wait(1);
    spend(&owner, PER_SECOND).await;
    assert_eq!(owner.send(&read_note()).await.outcome(), "RATE_LIMITED");
    app.server.wait(u64::from(BURST / PER_SECOND));
    spend(&owner, BURST).await;

    let limited = app.server.events.reasons();
    assert!(limited.contains(&"rate_limited"), "{limited:?}");
}

/// Whatever is no call of a tool says it in HTTP's own words.
#[tokio::test]
async fn f6_every_method_counts() {
    let app = app();
    let owner = app.owner().await;
    spend(&owner, BURST).await;
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let methods = METHODS.iter().filter(|method| method.name != "tools/call");
    let posts = methods
        .map(|method| Post::legacy(method.name, &Value::Object(serde_json::Map::new())))
        .chain([Post::json(&notification), Post::raw("{")]);
    for post in posts {
        let answer = owner.send(&post).await;
        assert_eq!(answer.outcome(), "429 too_many_requests", "{post:?}");
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(answer.header("www-authenticate"), None);
    }
}

/// A limit tells nothing to whoever may not know that there is a vault.
#[tokio::test]
async fn f6_the_empty_server_stays_empty() {
    let app = app();
    let owner = app.owner().await;
    spend(&owner, BURST).await;
    let app = app.redeployed(|deployment| deployment.allowlist = "reader@example.test");
    let stranger = app.bearer(owner.token());
    assert_eq!(stranger.tools().await, [""; 0]);
    assert_eq!(stranger.send(&read_note()).await.outcome(), "-32602");
}

#[tokio::test]
async fn f6_only_a_good_token_is_counted_and_counting_costs_no_call() {
    let app = app();
    let owner = app.owner().await;
    let mut forged = owner.token().to_owned();
    let last = forged.pop().unwrap();
    forged.push(if last == 'A' { 'B' } else { 'A' });
    for _ in 0..BURST {
        let answer = app.bearer(forged.as_str()).send(&read_note()).await;
        assert_eq!(answer.outcome(), "401 invalid_token");
    }
    app.server.objects.calls.take();
    assert_eq!(owner.send(&read_note()).await.outcome(), "ok");
    assert_eq!(*app.server.objects.calls.borrow(), ["check_access"]);
}
