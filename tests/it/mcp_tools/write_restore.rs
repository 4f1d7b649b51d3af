//! `write_note` with mode `restore`: what was, is again.

use serde_json::{Value, json};
use vault_mcp::{storage::memory::File, vault::storage::Revision};

use crate::support::{app::TestApp, vaults::push};

fn restore(path: &str, at: &impl ToString) -> Value {
    json!({ "path": path, "mode": "restore", "at": at.to_string() })
}

#[tokio::test]
async fn every_byte_comes_back() {
    let bytes: &[u8] = b"\xef\xbb\xbfcaf\xe9 \r\n\0 no newline";
    let app = TestApp::of(&[("Boat.md", bytes)]);
    let first = app.storage.inner().head().unwrap();
    push(app.storage.inner(), "Boat.md", "new\n");
    let owner = app.owner().await;
    let facts = owner
        .call("write_note", restore("Boat.md", &first))
        .await
        .facts();
    assert_eq!(facts["revision"], json!(Revision::of(bytes)));
    assert_eq!(facts["replaced"]["revision"], json!(Revision::of(b"new\n")));
    // It is no text, so there is no diff.
    assert_eq!(facts.get("diff"), None);
    let again = owner
        .call("write_note", restore("Boat.md", &first))
        .await
        .facts();
    assert_eq!(again["unchanged"], true);
}

#[tokio::test]
async fn what_a_write_replaced_is_brought_back_by_its_answer() {
    let app = TestApp::of(&[("Boat.md", "one\n")]);
    let owner = app.owner().await;
    let call = json!({ "path": "Boat.md", "content": "two\n" });
    let replaced = owner.call("write_note", call).await.facts()["replaced"].clone();
    let at = replaced["commit"].as_str().unwrap();
    let answer = owner.call("write_note", restore("Boat.md", &at)).await;
    assert_eq!(answer.facts()["revision"], replaced["revision"]);
    assert_eq!(answer.texts(), ["@@ -1 +1 @@\n-two\n+one\n"]);
}

#[tokio::test]
async fn what_cannot_be_restored_is_refused_and_nothing_is_written() {
    let app = TestApp::of(&[("Boat.md", "one")]);
    let first = app.storage.inner().head().unwrap();
    push(app.storage.inner(), "Later.md", "x");
    app.storage.inner().push(|files| {
        files.remove("Boat.md");
        files.insert("Boat.md/Hull.md".to_owned(), File::regular("x"));
        files.insert("AGENTS.md".to_owned(), File::regular("x"));
    });
    let head = app.storage.inner().head().unwrap();
    let owner = app.owner().await;
    let stale = json!({
        "path": "Later.md", "mode": "restore", "at": head.to_string(),
        "expected_revision": Revision::of(b"y"),
    });
    for (arguments, code, says) in [
        (
            restore("Later.md", &first),
            "INVALID_ARGUMENT",
            "does not hold this note",
        ),
        (
            restore("Never.md", &first),
            "INVALID_ARGUMENT",
            "does not hold this note",
        ),
        (
            restore("Boat.md", &"1".repeat(40)),
            "INVALID_ARGUMENT",
            "not a commit of the branch's history",
        ),
        (
            restore("Boat.md", &first),
            "ALREADY_EXISTS",
            "a folder of that name",
        ),
        (
            restore("AGENTS.md", &head),
            "INVALID_PATH",
            "instructions for agents",
        ),
        (
            restore(".obsidian/x.md", &head),
            "INVALID_PATH",
            "nothing may be written",
        ),
        (stale, "CONFLICT", "has changed"),
    ] {
        let answer = owner.call("write_note", arguments.clone()).await;
        assert_eq!(answer.code(), code, "{arguments}");
        assert!(
            answer.error().contains(says),
            "{arguments}: {}",
            answer.error()
        );
    }
    assert_eq!(app.storage.inner().head(), Some(head));
}
