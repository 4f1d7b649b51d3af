//! `write_note` on a part of a note, and which arguments go together.

use serde_json::{Value, json};
use vault_mcp::vault::storage::Revision;

use crate::support::app::TestApp;

fn revision(text: &str) -> Value {
    json!(Revision::of(text.as_bytes()))
}

/// What the vault was asked that could change it.
fn changes(app: &TestApp) -> Vec<String> {
    let mut calls = app.storage.take_calls();
    calls.retain(|call| !call.starts_with("read ") && !call.starts_with("list "));
    calls
}

#[tokio::test]
async fn a_part_is_changed_and_the_rest_stays() {
    let text = "\u{feff}---\r\ntitle: 'Boat'\r\n---\r\n# Boat\r\n\r\n- oak\r\n- oak\r\nno newline";
    let app = TestApp::of(&[("Boat.md", text)]);
    let owner = app.owner().await;
    for (arguments, expected) in [
        (
            json!({ "mode": "append", "content": "- teak" }),
            format!("{text}\r\n- teak"),
        ),
        (
            json!({ "mode": "prepend", "content": "> note\n> more\n" }),
            text.replace("---\r\n# Boat", "---\r\n> note\r\n> more\r\n# Boat"),
        ),
        (
            json!({ "mode": "edit", "edits": [{ "old": "# Boat\n\n- oak", "new": "# Ship\n\n- elm" }] }),
            text.replace("# Boat\r\n\r\n- oak", "# Ship\r\n\r\n- elm"),
        ),
        (
            json!({ "mode": "edit", "edits": [{ "old": "- oak", "new": "- elm", "all": true }] }),
            text.replace("- oak", "- elm"),
        ),
        // In every form that clients send.
        (
            json!({ "mode": "edit", "edits": { "old": "# Boat", "new": "# Ship" } }),
            text.replace("# Boat", "# Ship"),
        ),
        (
            json!({ "mode": "edit", "edits": "[{\"old\": \"- oak\", \"new\": \"\", \"all\": \"true\"}]" }),
            text.replace("- oak", ""),
        ),
    ] {
        app.storage.inner().push(|files| {
            let note = vault_mcp::storage::memory::File::regular(text);
            files.insert("Boat.md".to_owned(), note);
        });
        let mut call = arguments.clone();
        call["path"] = json!("Boat.md");
        let facts = owner.call("write_note", call).await.facts();
        assert_eq!(facts["created"], false, "{arguments}");
        assert_eq!(facts["replaced"]["revision"], revision(text), "{arguments}");
        assert_eq!(facts["revision"], revision(&expected), "{arguments}");
        assert_eq!(facts["bytes"], expected.len(), "{arguments}");
        let read = owner.call("read_note", json!({ "path": "Boat.md" })).await;
        assert_eq!(read.texts(), [expected], "{arguments}");
    }
}

#[tokio::test]
async fn adding_to_a_missing_note_says_that_it_was_created() {
    let app = TestApp::of(&[("Other.md", "x")]);
    let arguments = json!({ "path": "Daily/2026-01-02.md", "mode": "append", "content": "- up" });
    let facts = app
        .owner()
        .await
        .call("write_note", arguments)
        .await
        .facts();
    assert_eq!(facts["created"], true);
    assert_eq!(facts.get("replaced"), None);
}

#[tokio::test]
async fn an_edit_that_cannot_be_made_says_why_and_where() {
    let text = "# Boat\n\nThe hull is oak.\nThe mast is pine.\nThe hull leaks.\n";
    let app = TestApp::of(&[("Boat.md", text)]);
    let before = app.storage.inner().head();
    let owner = app.owner().await;
    app.storage.take_calls();
    for (edits, code, says) in [
        (
            json!([{ "old": "The hull", "new": "x" }]),
            "EDIT_NOT_UNIQUE",
            "edit 1 is in \"Boat.md\" more than once, on lines 3, 5.",
        ),
        (
            json!([{ "old": "keel", "new": "x" }]),
            "EDIT_NOT_FOUND",
            "edit 1 is not in \"Boat.md\". Nothing was written",
        ),
        (
            json!([{ "old": "the mast", "new": "x" }]),
            "EDIT_NOT_FOUND",
            "it is on line 4 with other letter case.",
        ),
        (
            json!([{ "old": "oak.\nThe  mast", "new": "x" }]),
            "EDIT_NOT_FOUND",
            "it is on line 3 with other white space.",
        ),
        (
            json!([{ "old": "The mast is pine.\nThe sail", "new": "x" }]),
            "EDIT_NOT_FOUND",
            "its first line is on line 4, but not the lines after it.",
        ),
        (
            json!([{ "old": "oak", "new": "elm" }, { "old": "pine", "new": "x" }, { "old": "elm", "new": "x" }]),
            "INVALID_ARGUMENT",
            "edit 3 takes in what edit 1 changes",
        ),
        (
            json!([{ "old": "", "new": "x" }]),
            "INVALID_ARGUMENT",
            "the old text of edit 1 is empty",
        ),
    ] {
        let arguments = json!({ "path": "Boat.md", "mode": "edit", "edits": edits });
        let answer = owner.call("write_note", arguments).await;
        assert_eq!(answer.code(), code, "{edits}");
        assert!(answer.error().contains(says), "{edits}: {}", answer.error());
        assert!(
            answer.error().contains("Nothing was written"),
            "{}",
            answer.error()
        );
    }
    assert_eq!(changes(&app), [""; 0]);
    assert_eq!(app.storage.inner().head(), before);
}

/// A wrong combination costs nothing, and the sentence says what the mode takes.
#[tokio::test]
async fn arguments_that_do_not_go_together_are_refused_by_name() {
    let app = TestApp::of(&[("Boat.md", "x")]);
    let owner = app.owner().await;
    app.storage.take_calls();
    let edits = json!([{ "old": "x", "new": "y" }]);
    for (mut arguments, says) in [
        (json!({}), "content is missing for mode \"overwrite\""),
        (
            json!({ "mode": "create" }),
            "content is missing for mode \"create\"",
        ),
        (
            json!({ "mode": "append" }),
            "content is missing for mode \"append\"",
        ),
        (
            json!({ "mode": "prepend" }),
            "content is missing for mode \"prepend\"",
        ),
        (
            json!({ "mode": "edit" }),
            "edits is missing for mode \"edit\", which takes path, edits",
        ),
        (
            json!({ "edits": edits }),
            "content is missing for mode \"overwrite\"",
        ),
        (
            json!({ "content": "y", "edits": edits }),
            "edits does not go with mode \"overwrite\"",
        ),
        (
            json!({ "mode": "append", "content": "y", "edits": edits }),
            "edits does not go with mode \"append\"",
        ),
        (
            json!({ "mode": "restore" }),
            "at is missing for mode \"restore\", which takes path, at, expected_revision (optional)",
        ),
        (
            json!({ "mode": "restore", "at": "1".repeat(40), "content": "y" }),
            "content does not go with mode \"restore\"",
        ),
        (
            json!({ "mode": "restore", "at": "HEAD" }),
            "at must be a commit id: 40 hexadecimal digits",
        ),
        (
            json!({ "content": "y", "at": "1".repeat(40) }),
            "at does not go with mode \"overwrite\"",
        ),
        (
            json!({ "mode": "create", "content": "y", "section": "A" }),
            "section does not go with mode \"create\"",
        ),
        (
            json!({ "content": "y", "dry_run": "perhaps" }),
            "dry_run: expected true or false",
        ),
        (
            json!({ "mode": "edit", "content": "y", "edits": edits }),
            "content does not go with mode \"edit\"",
        ),
        (json!({ "mode": "edit", "edits": [] }), "edits is empty"),
        (
            json!({ "mode": "edit", "edits": vec![&edits[0]; 101] }),
            "edits are 101, and 100 is the most",
        ),
        (
            json!({ "mode": "create", "content": "y", "expected_revision": revision("x") }),
            "expected_revision does not go with mode \"create\"",
        ),
        (json!({ "mode": "edit", "edits": "x" }), "edits: "),
        (
            json!({ "mode": "edit", "edits": [{ "old": "x" }] }),
            "edits: missing field `new`",
        ),
        (
            json!({ "mode": "edit", "edits": [{ "old": "x", "new": "y", "replace_all": true }] }),
            "edits: unknown field `replace_all`, expected one of `old`, `new`, `all`",
        ),
        (
            json!({ "mode": "edit", "edits": [{ "old": "x", "new": "y", "all": "maybe" }] }),
            "expected true or false, got \"maybe\"",
        ),
        (
            json!({ "mode": "edit", "edits": 7 }),
            "edits: expected a list, got 7",
        ),
    ] {
        arguments["path"] = json!("Boat.md");
        let answer = owner.call("write_note", arguments.clone()).await;
        assert_eq!(answer.code(), "INVALID_ARGUMENT", "{arguments}");
        assert!(
            answer.error().contains(says),
            "{arguments}: {}",
            answer.error()
        );
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}
