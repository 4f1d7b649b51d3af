//! `write_note` on properties: their lines change, and no byte of any other.

use serde_json::json;
use vault_mcp::storage::memory::File;

use crate::support::app::TestApp;

const NOTE: &str = "\u{feff}---\r\ntitle: 'Boat: a story' # mine\r\ntime: 12:30\r\ntags:\r\n- oak\r\ndue: 2026-01-02\r\n---\r\nbody\r\n";

#[tokio::test]
async fn properties_change_with_any_mode_or_alone() {
    let app = TestApp::of(&[("Boat.md", NOTE)]);
    let first = app.storage.inner().head().unwrap();
    let owner = app.owner().await;
    let due = ("due: 2026-01-02", "due: 2026-02-03");
    let set = json!({ "set": { "due": "2026-02-03" } });
    for (arguments, expected) in [
        (json!({ "frontmatter": set }), NOTE.replace(due.0, due.1)),
        (
            json!({ "mode": "overwrite", "frontmatter": set }),
            NOTE.replace(due.0, due.1),
        ),
        (
            json!({ "frontmatter": set.to_string() }),
            NOTE.replace(due.0, due.1),
        ),
        (
            json!({ "frontmatter": { "add": { "tags": ["#teak", "Oak"] }, "unset": "time" } }),
            NOTE.replace("- oak\r\n", "- oak\r\n- teak\r\n")
                .replace("time: 12:30\r\n", ""),
        ),
        (
            json!({ "frontmatter": { "remove": { "tags": "oak" }, "add": { "tags": "elm" } } }),
            NOTE.replace("- oak", "- elm"),
        ),
        (
            json!({ "frontmatter": { "set": { "TIME": "12:31", "rating": 4.0, "links": ["[[A]]"] } } }),
            NOTE.replace("12:30", "\"12:31\"").replace(
                "---\r\nbody",
                "links:\r\n  - \"[[A]]\"\r\nrating: 4\r\n---\r\nbody",
            ),
        ),
        (
            json!({ "mode": "append", "content": "more", "frontmatter": set }),
            NOTE.replace(due.0, due.1) + "more\r\n",
        ),
        (
            json!({ "mode": "edit", "edits": [{ "old": "body", "new": "text" }], "frontmatter": set }),
            NOTE.replace(due.0, due.1).replace("body", "text"),
        ),
        (
            json!({ "content": "# New\n", "frontmatter": set }),
            "---\ndue: 2026-02-03\n---\n# New\n".to_owned(),
        ),
        (
            json!({ "mode": "restore", "at": first, "frontmatter": set }),
            NOTE.replace(due.0, due.1),
        ),
    ] {
        app.storage.inner().push(|files| {
            files.insert("Boat.md".to_owned(), File::regular(NOTE));
        });
        let mut call = arguments.clone();
        call["path"] = json!("Boat.md");
        owner.call("write_note", call).await.facts();
        let read = owner.call("read_note", json!({ "path": "Boat.md" })).await;
        assert_eq!(read.texts(), [expected], "{arguments}");
    }
}

#[tokio::test]
async fn a_new_note_gets_its_properties_and_what_is_so_already_makes_no_commit() {
    let app = TestApp::of(&[("Boat.md", NOTE)]);
    let owner = app.owner().await;
    let set = json!({ "set": { "due": "2026-01-02", "title": "Boat: a story" }, "unset": ["x"] });
    let same = json!({ "path": "Boat.md", "frontmatter": set });
    assert_eq!(
        owner.call("write_note", same).await.facts()["unchanged"],
        true
    );
    let new = json!({
        "path": "Daily/1.md", "mode": "append", "content": "- up",
        "frontmatter": { "add": { "tags": ["daily"] } },
    });
    assert_eq!(owner.call("write_note", new).await.facts()["created"], true);
    let read = owner
        .call("read_note", json!({ "path": "Daily/1.md" }))
        .await;
    assert_eq!(read.texts(), ["---\ntags:\n  - daily\n---\n- up"]);
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table")]
async fn what_cannot_be_changed_is_refused_and_nothing_is_written() {
    let app = TestApp::of(&[
        ("Broken.md", "---\nok: 1\ntitle: A: B\n---\nbody\n"),
        ("Map.md", "---\ntags: {a: 1}\n---\n"),
        ("Twice.md", "---\na: 1\na: 2\n---\n"),
    ]);
    app.storage.inner().push(|files| {
        files.insert("Latin.md".to_owned(), File::regular(b"caf\xe9"));
    });
    let before = app.storage.inner().head();
    let owner = app.owner().await;
    for (path, frontmatter, code, says) in [
        (
            "Broken.md",
            json!({ "set": { "ok": 2 } }),
            "INVALID_ARGUMENT",
            "no valid YAML at line 3",
        ),
        (
            "Map.md",
            json!({ "add": { "tags": ["b"] } }),
            "INVALID_ARGUMENT",
            "\"tags\" of \"Map.md\" is no list",
        ),
        (
            "Twice.md",
            json!({ "set": { "a": 2 } }),
            "INVALID_ARGUMENT",
            "\"a\" more than once",
        ),
        (
            "Twice.md",
            json!({ "add": { "tags": ["two words"] } }),
            "INVALID_ARGUMENT",
            "a tag has no spaces",
        ),
        (
            "Map.md",
            json!({ "set": { "": 1 } }),
            "INVALID_ARGUMENT",
            "has no name",
        ),
        (
            "Gone.md",
            json!({ "set": { "a": 1 } }),
            "NOT_FOUND",
            "there is no",
        ),
        (
            "Latin.md",
            json!({ "set": { "a": 1 } }),
            "NOT_UTF8",
            "is not UTF-8",
        ),
        (
            "CLAUDE.md",
            json!({ "set": { "a": 1 } }),
            "INVALID_PATH",
            "instructions for agents",
        ),
        (
            "Map.md",
            json!({ "set": { "a": 1 }, "unset": ["a"] }),
            "INVALID_ARGUMENT",
            "two things about \"a\"",
        ),
        (
            "Map.md",
            json!({ "set": { "a": 1 }, "add": { "a": [1] } }),
            "INVALID_ARGUMENT",
            "two things about \"a\"",
        ),
        (
            "Map.md",
            json!({ "rename": { "a": "b" } }),
            "INVALID_ARGUMENT",
            "unknown field `rename`",
        ),
        (
            "Map.md",
            json!("status"),
            "INVALID_ARGUMENT",
            "frontmatter: expected an object",
        ),
        (
            "Map.md",
            json!({ "set": ["a"] }),
            "INVALID_ARGUMENT",
            "frontmatter: ",
        ),
    ] {
        let arguments = json!({ "path": path, "frontmatter": frontmatter });
        let answer = owner.call("write_note", arguments).await;
        assert_eq!(
            answer.code(),
            code,
            "{path} {frontmatter}: {}",
            answer.error()
        );
        assert!(
            answer.error().contains(says),
            "{path} {frontmatter}: {}",
            answer.error()
        );
    }
    assert_eq!(app.storage.inner().head(), before);
    // The rest of a note whose properties are broken can be changed.
    let edit =
        json!({ "path": "Broken.md", "mode": "edit", "edits": [{ "old": "A: B", "new": "A" }] });
    owner.call("write_note", edit).await.facts();
}
