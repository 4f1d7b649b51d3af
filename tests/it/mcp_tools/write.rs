//! `write_note` and `delete_note`: what was done, what was replaced, and how to get it back.

use serde_json::{Value, json};
use vault_mcp::vault::storage::Revision;

use crate::support::{app::TestApp, vaults::push};

fn revision(text: &str) -> Value {
    json!(Revision::of(text.as_bytes()))
}

#[tokio::test]
async fn a_new_note() {
    let app = TestApp::of(&[("Other.md", "x")]);
    let arguments = json!({ "path": "Projects/Boat.md", "content": "# Boat\n" });
    let answer = app.owner().await.call("write_note", arguments).await;
    assert_eq!(
        answer.facts(),
        json!({
            "path": "Projects/Boat.md",
            "created": true,
            "revision": revision("# Boat\n"),
            "bytes": 7,
            "commit": app.storage.inner().head(),
        })
    );
    assert_eq!(answer.texts(), [""; 0]);
}

#[tokio::test]
async fn a_note_that_is_replaced_is_named() {
    let app = TestApp::of(&[("Boat.md", "old text")]);
    let before = app.storage.inner().head();
    let arguments = json!({ "path": "Boat.md", "content": "new" });
    let answer = app.owner().await.call("write_note", arguments).await;
    assert_eq!(
        answer.facts(),
        json!({
            "path": "Boat.md",
            "created": false,
            "revision": revision("new"),
            "bytes": 3,
            "commit": app.storage.inner().head(),
            "replaced": { "revision": revision("old text"), "commit": before, "bytes": 8 },
            "diff": { "added": 1, "removed": 1 },
        })
    );
    let end = "\\ No newline at end of file\n";
    assert_eq!(
        answer.texts(),
        [format!("@@ -1 +1 @@\n-old text\n{end}+new\n{end}")]
    );
}

#[tokio::test]
async fn the_same_content_makes_no_commit() {
    let app = TestApp::of(&[("Boat.md", "text")]);
    let before = app.storage.inner().head();
    let arguments = json!({ "path": "Boat.md", "content": "text" });
    let facts = app
        .owner()
        .await
        .call("write_note", arguments)
        .await
        .facts();
    assert_eq!(
        facts,
        json!({
            "path": "Boat.md",
            "created": false,
            "unchanged": true,
            "revision": revision("text"),
            "bytes": 4,
            "commit": before,
        })
    );
    assert_eq!(app.storage.inner().head(), before);
}

/// What is written is what is read back, byte for byte.
#[tokio::test]
async fn content_is_stored_as_it_is() {
    let app = TestApp::of(&[("Other.md", "x")]);
    let owner = app.owner().await;
    for content in [
        "",
        "no newline",
        "crlf\r\n",
        "\u{feff}bom",
        "  spaces  \n\n",
        "日本語 🗺️",
    ] {
        for path in ["New/Note.md", "Café.md", "50% plan.md"] {
            let arguments = json!({ "path": path, "content": content });
            let facts = owner.call("write_note", arguments).await.facts();
            assert_eq!(facts["bytes"], content.len());
            let answer = owner.call("read_note", json!({ "path": path })).await;
            assert_eq!(answer.texts(), [content]);
            assert_eq!(answer.facts()["revision"], facts["revision"]);
        }
    }
}

#[tokio::test]
async fn create_does_not_touch_what_is_there() {
    let app = TestApp::of(&[("Boat.md", "old")]);
    let before = app.storage.inner().head();
    let arguments = json!({ "path": "Boat.md", "content": "new", "mode": "create" });
    let answer = app.owner().await.call("write_note", arguments).await;
    assert_eq!(answer.code(), "ALREADY_EXISTS");
    let there = Revision::of(b"old").to_string();
    assert!(answer.error().contains(&there), "{}", answer.error());
    assert_eq!(app.storage.inner().head(), before);
}

#[tokio::test]
async fn a_stale_revision_is_a_conflict_that_names_the_current_one() {
    let app = TestApp::of(&[("Boat.md", "old")]);
    push(app.storage.inner(), "Boat.md", "by somebody else");
    let before = app.storage.inner().head();
    let owner = app.owner().await;
    let stale = revision("old");
    for (tool, arguments) in [
        (
            "write_note",
            json!({ "path": "Boat.md", "content": "mine", "expected_revision": stale }),
        ),
        (
            "delete_note",
            json!({ "path": "Boat.md", "expected_revision": stale }),
        ),
    ] {
        let answer = owner.call(tool, arguments).await;
        assert_eq!(answer.code(), "CONFLICT", "{tool}");
        let current = Revision::of(b"by somebody else").to_string();
        assert!(answer.error().contains(&current), "{}", answer.error());
        assert!(answer.error().contains("Nothing was"), "{}", answer.error());
    }
    assert_eq!(app.storage.inner().head(), before);
    let fresh = json!({
        "path": "Boat.md", "content": "mine", "expected_revision": revision("by somebody else"),
    });
    assert_eq!(
        owner.call("write_note", fresh).await.facts()["created"],
        false
    );
}

#[tokio::test]
async fn a_deleted_note_can_be_brought_back() {
    let app = TestApp::of(&[("Boat.md", "text"), ("Other.md", "x")]);
    let before = app.storage.inner().head().unwrap();
    let owner = app.owner().await;
    let facts = owner
        .call("delete_note", json!({ "path": "Boat.md" }))
        .await
        .facts();
    let restore = facts["restore"].as_str().unwrap();
    assert!(restore.contains(before.as_str()), "{restore}");
    assert!(
        restore.contains(Revision::of(b"text").as_str()),
        "{restore}"
    );
    assert_eq!(
        facts,
        json!({
            "path": "Boat.md",
            "deleted": true,
            "commit": app.storage.inner().head(),
            "replaced": { "revision": revision("text"), "commit": before, "bytes": 4 },
            "restore": restore,
        })
    );
    let gone = owner.call("read_note", json!({ "path": "Boat.md" })).await;
    assert_eq!(gone.code(), "NOT_FOUND");
    let back = json!({ "path": "Boat.md", "mode": "restore", "at": before });
    let facts = owner.call("write_note", back).await.facts();
    assert_eq!(
        (&facts["created"], &facts["revision"]),
        (&json!(true), &revision("text"))
    );
    let info = app.storage.inner().head_info().unwrap();
    assert!(
        info.message.starts_with("Restore Boat.md\n"),
        "{}",
        info.message
    );
}

#[tokio::test]
async fn only_the_exact_note_is_deleted() {
    let app = TestApp::of(&[("Boat.md", "text")]);
    let owner = app.owner().await;
    let answer = owner
        .call("delete_note", json!({ "path": "boat.md" }))
        .await;
    assert_eq!(answer.code(), "NOT_FOUND");
    assert!(answer.error().contains("\"Boat.md\""), "{}", answer.error());
    let twin = json!({ "path": "BOAT.md", "content": "x", "mode": "create" });
    let answer = owner.call("write_note", twin).await;
    assert_eq!(answer.code(), "ALREADY_EXISTS");
    assert!(answer.error().contains("\"Boat.md\""), "{}", answer.error());
}

/// The person is the author; the client is named in a trailer that no message can forge.
#[tokio::test]
async fn a_commit_says_who_wanted_it_and_through_what() {
    let app = TestApp::of(&[("Other.md", "x")]);
    let owner = app.owner().await;
    let arguments = json!({
        "path": "Boat.md",
        "content": "x",
        "message": "Add the boat\n\nVault-Client: somebody else\nCo-authored-by: Eve <eve@example.test>",
    });
    owner.call("write_note", arguments).await.facts();
    let info = app.storage.inner().head_info().unwrap();
    assert_eq!(info.author_name, "owner@example.test");
    assert_eq!(info.author_email, "owner@example.test");
    let lines: Vec<&str> = info.message.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines[0].starts_with("Add the boat Vault-Client: somebody else"),
        "{lines:?}"
    );
    assert_eq!(lines[2], "Vault-Client: Claude");

    owner
        .call("delete_note", json!({ "path": "Boat.md" }))
        .await
        .facts();
    let info = app.storage.inner().head_info().unwrap();
    assert_eq!(info.message, "Delete Boat.md\n\nVault-Client: Claude\n");
}

#[tokio::test]
async fn a_name_that_wikilinks_cannot_reach_is_made_with_a_warning() {
    let app = TestApp::of(&[("Other.md", "x")]);
    let owner = app.owner().await;
    let arguments = json!({ "path": "C# notes.md", "content": "x" });
    let facts = owner.call("write_note", arguments).await.facts();
    assert!(
        facts["warnings"][0].as_str().unwrap().contains("wikilinks"),
        "{facts}"
    );
    let arguments = json!({ "path": "What is this?.md", "content": "x" });
    let answer = owner.call("write_note", arguments).await;
    assert_eq!(answer.code(), "INVALID_PATH");
}

#[tokio::test]
async fn a_note_that_is_too_large_is_refused_with_both_sizes() {
    let app = TestApp::of(&[("Other.md", "x")]);
    let arguments = json!({ "path": "Boat.md", "content": "é".repeat(500_001) });
    let answer = app.owner().await.call("write_note", arguments).await;
    assert_eq!(answer.code(), "TOO_LARGE");
    for size in ["1000002", "1000000"] {
        assert!(answer.error().contains(size), "{}", answer.error());
    }
}

#[tokio::test]
async fn the_first_write_of_an_empty_repository() {
    let app = TestApp::of::<&str>(&[]);
    let owner = app.owner().await;
    let arguments = json!({ "path": "First.md", "content": "x" });
    assert_eq!(
        owner.call("write_note", arguments).await.facts()["created"],
        true
    );
    assert_eq!(
        owner.call("list_notes", json!({})).await.facts()["total"],
        1
    );
}
