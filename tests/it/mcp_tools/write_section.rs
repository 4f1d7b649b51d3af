//! `write_note` on one section: its text changes, everything around it stays.

use serde_json::json;
use vault_mcp::storage::memory::File;

use crate::support::app::TestApp;

const NOTE: &str = "# Log\r\nintro\r\n\r\n## Today\r\n- one\r\n- two\r\n\r\n## Later\r\n- one\r\n";

#[tokio::test]
async fn a_change_is_kept_to_its_section() {
    let app = TestApp::of(&[("Log.md", NOTE)]);
    let owner = app.owner().await;
    for (arguments, old, new) in [
        (
            json!({ "mode": "append", "section": "Today", "content": "- three" }),
            "- two\r\n",
            "- two\r\n- three\r\n",
        ),
        (
            json!({ "mode": "prepend", "section": "## Later", "content": "- zero\n" }),
            "## Later\r\n",
            "## Later\r\n- zero\r\n",
        ),
        (
            json!({ "section": "Log#Today", "content": "nothing\n\ntoday" }),
            "- one\r\n- two\r\n\r\n## Later",
            "nothing\r\n\r\ntoday\r\n\r\n## Later",
        ),
        (
            json!({ "mode": "edit", "section": "today", "edits": [{ "old": "- one", "new": "- 1" }] }),
            "- one\r\n- two",
            "- 1\r\n- two",
        ),
    ] {
        app.storage.inner().push(|files| {
            files.insert("Log.md".to_owned(), File::regular(NOTE));
        });
        let mut call = arguments.clone();
        call["path"] = json!("Log.md");
        owner.call("write_note", call).await.facts();
        let read = owner.call("read_note", json!({ "path": "Log.md" })).await;
        assert_eq!(read.texts(), [NOTE.replace(old, new)], "{arguments}");
    }
}

#[tokio::test]
async fn a_section_that_is_not_meant_clearly_is_not_changed() {
    let note = "# A\nx\n# B\n## A\ny\n";
    let app = TestApp::of(&[("Note.md", note)]);
    let before = app.storage.inner().head();
    let owner = app.owner().await;
    let edits = json!([{ "old": "x", "new": "z" }]);
    for (arguments, code, says) in [
        (
            json!({ "mode": "append", "section": "A", "content": "z" }),
            "AMBIGUOUS_SECTION",
            "B#A",
        ),
        (
            json!({ "mode": "append", "section": "C", "content": "z" }),
            "NOT_FOUND",
            "Its headings are",
        ),
        (
            json!({ "section": " ", "content": "z" }),
            "INVALID_ARGUMENT",
            "section ",
        ),
        (
            json!({ "section": "B#A", "content": "## A\nz" }),
            "INVALID_ARGUMENT",
            "content begins with the section's heading",
        ),
        (
            json!({ "mode": "edit", "section": "B", "edits": edits }),
            "EDIT_NOT_FOUND",
            "it is on line 2, outside of it",
        ),
    ] {
        let mut call = arguments.clone();
        call["path"] = json!("Note.md");
        let answer = owner.call("write_note", call).await;
        assert_eq!(answer.code(), code, "{arguments}: {}", answer.error());
        assert!(
            answer.error().contains(says),
            "{arguments}: {}",
            answer.error()
        );
    }
    for mode in ["overwrite", "append", "prepend"] {
        let call = json!({ "path": "New.md", "mode": mode, "section": "A", "content": "z" });
        assert_eq!(
            owner.call("write_note", call).await.code(),
            "NOT_FOUND",
            "{mode}"
        );
    }
    assert_eq!(app.storage.inner().head(), before);
}
