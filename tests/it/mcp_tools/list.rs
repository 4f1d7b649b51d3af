//! `list_notes`: pages, totals, folders, and cursors that are worth something for one query only.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use vault_mcp::{storage::memory::File, vault::storage::Revision};

use crate::support::app::{Bearer, TestApp};

fn vault(notes: usize) -> TestApp {
    let paths: Vec<String> = (0..notes)
        .map(|number| format!("Folder {}/Note {number:04}.md", number % 7))
        .collect();
    let notes: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "text")).collect();
    TestApp::of(&notes)
}

/// All pages, and how many there were. Every page has to give the same total and commit.
async fn walk(owner: &Bearer<'_>, arguments: Value) -> (Vec<String>, usize) {
    let mut paths = Vec::new();
    let mut cursor = Value::Null;
    let mut seen = BTreeSet::new();
    for pages in 1.. {
        let mut arguments = arguments.clone();
        arguments["cursor"] = cursor;
        let facts = owner.call("list_notes", arguments).await.facts();
        seen.insert((facts["total"].as_u64(), facts["commit"].to_string()));
        assert_eq!(seen.len(), 1, "{seen:?}");
        let notes = facts["notes"].as_array().unwrap();
        paths.extend(
            notes
                .iter()
                .map(|note| note["path"].as_str().unwrap().to_owned()),
        );
        // Folders stand on the first page alone.
        assert!(pages == 1 || facts.get("folders").is_none());
        cursor = facts["next_cursor"].clone();
        if cursor.is_null() {
            assert_eq!(seen.first().unwrap().0, Some(paths.len() as u64));
            return (paths, pages);
        }
        assert!(!notes.is_empty(), "a page that brings nothing and goes on");
    }
    unreachable!()
}

#[tokio::test]
async fn what_a_listing_says() {
    let app = TestApp::of(&[
        ("Areas/Home/Boiler.md", "x"),
        ("Areas/Plan.markdown", "12345"),
        ("Inbox.MD", ""),
        ("photo.png", "no note"),
        (".obsidian/app.md", "hidden"),
    ]);
    let facts = app
        .owner()
        .await
        .call("list_notes", json!({}))
        .await
        .facts();
    let note = |path: &str, title: &str, text: &str| {
        let revision = Revision::of(text.as_bytes());
        json!({ "path": path, "title": title, "bytes": text.len(), "revision": revision })
    };
    assert_eq!(
        facts,
        json!({
            "dir": "",
            "total": 3,
            "notes": [
                note("Areas/Home/Boiler.md", "Boiler", "x"),
                note("Areas/Plan.markdown", "Plan", "12345"),
                note("Inbox.MD", "Inbox", ""),
            ],
            "folders": [{ "path": "Areas", "notes": 2 }],
            "commit": app.storage.inner().head(),
        })
    );
}

#[tokio::test]
async fn pages_of_every_size_hold_the_same_notes_in_the_same_order() {
    let app = vault(40);
    let owner = app.owner().await;
    let (all, pages) = walk(&owner, json!({})).await;
    assert_eq!((all.len(), pages), (40, 1));
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert_eq!(all, sorted);
    for limit in [1, 2, 7, 39, 40, 41, 1000] {
        let (paths, pages) = walk(&owner, json!({ "limit": limit })).await;
        assert_eq!(paths, all, "{limit}");
        assert_eq!(pages, 40_usize.div_ceil(limit), "{limit}");
    }
    let (folder, pages) = walk(&owner, json!({ "dir": "Folder 3", "limit": 2 })).await;
    assert_eq!((folder.len(), pages), (6, 3));
}

#[tokio::test]
async fn an_empty_vault_has_no_notes_and_an_unknown_folder_is_an_error() {
    let app = TestApp::of::<&str>(&[]);
    let owner = app.owner().await;
    let facts = owner.call("list_notes", json!({})).await.facts();
    assert_eq!(
        facts,
        json!({ "dir": "", "total": 0, "notes": [], "commit": null })
    );
    let app = vault(3);
    let owner = app.owner().await;
    for dir in ["Folder", "Folder 9", "folder 1/x"] {
        let answer = owner.call("list_notes", json!({ "dir": dir })).await;
        assert_eq!(answer.code(), "NOT_FOUND", "{dir}");
    }
}

/// The notes that were promised by a total stay the same while somebody else writes.
#[tokio::test]
async fn a_cursor_is_tied_to_its_commit() {
    let app = vault(10);
    let owner = app.owner().await;
    let first = owner
        .call("list_notes", json!({ "limit": 4 }))
        .await
        .facts();
    app.storage.inner().push(|files| {
        files.insert("Folder 0/A new note.md".to_owned(), File::regular("x"));
        files.insert("Folder 6/Z new note.md".to_owned(), File::regular("x"));
        files.remove("Folder 6/Note 0006.md");
    });
    let rest = json!({ "limit": 100, "cursor": first["next_cursor"] });
    let second = owner.call("list_notes", rest).await.facts();
    assert_eq!(second["commit"], first["commit"]);
    assert_eq!(
        (first["total"].as_u64(), second["total"].as_u64()),
        (Some(10), Some(10))
    );
    assert_eq!(second["notes"].as_array().unwrap().len(), 6);
    assert!(!second.to_string().contains("new note"));
    let now = owner.call("list_notes", json!({})).await.facts();
    assert_eq!(now["total"], 11);
}

#[tokio::test]
async fn a_cursor_is_refused_for_another_query() {
    let app = vault(20);
    let owner = app.owner().await;
    let arguments = json!({ "dir": "Folder 1", "limit": 1 });
    let cursor = owner.call("list_notes", arguments).await.facts()["next_cursor"].clone();
    for arguments in [
        json!({ "limit": 1 }),
        json!({ "dir": "Folder 2", "limit": 1 }),
        json!({ "dir": "Folder 1", "limit": 1, "depth": 1 }),
    ] {
        let mut arguments = arguments;
        arguments["cursor"] = cursor.clone();
        let answer = owner.call("list_notes", arguments.clone()).await;
        assert_eq!(answer.code(), "INVALID_ARGUMENT", "{arguments}");
        assert!(answer.error().contains("cursor"), "{}", answer.error());
    }
    // The size of a page is no part of the query.
    let arguments = json!({ "dir": "Folder 1", "limit": 50, "cursor": cursor });
    let facts = owner.call("list_notes", arguments).await.facts();
    assert_eq!(facts["notes"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_cursor_of_a_commit_that_is_gone_is_refused() {
    let app = vault(5);
    let cursor = {
        let arguments = json!({ "limit": 1 });
        app.owner()
            .await
            .call("list_notes", arguments)
            .await
            .facts()["next_cursor"]
            .clone()
    };
    // The same query in a vault with another history.
    let other = vault(6);
    let arguments = json!({ "limit": 1, "cursor": cursor });
    let answer = other.owner().await.call("list_notes", arguments).await;
    assert_eq!(answer.code(), "INVALID_ARGUMENT");
    assert!(answer.error().contains("history"), "{}", answer.error());
}

/// Counting what is hidden would tell that it is there.
#[tokio::test]
async fn what_is_hidden_is_neither_shown_nor_counted() {
    let app = TestApp::of(&[
        ("Projects/Plan.md", "x"),
        ("Projects/Private/Secret.md", "x"),
        ("Projects/.git/config.md", "x"),
        (".trash/Old.md", "x"),
    ])
    .redeployed(|deployment| deployment.denied = "Projects/Private");
    let owner = app.owner().await;
    for arguments in [json!({}), json!({ "dir": "Projects" })] {
        let answer = owner.call("list_notes", arguments).await;
        let facts = answer.facts();
        assert_eq!(facts["total"], 1);
        for hidden in ["Private", "Secret", "config", "trash", "Old"] {
            assert!(!facts.to_string().contains(hidden), "{hidden}");
        }
    }
    let denied = owner
        .call("list_notes", json!({ "dir": "Projects/Private" }))
        .await;
    let missing = owner
        .call("list_notes", json!({ "dir": "Projects/Missing" }))
        .await;
    assert_eq!(
        denied.error().replace("Private", "Missing"),
        missing.error()
    );
}

#[tokio::test]
async fn folders_are_summed_up_where_listing_stops() {
    let app = TestApp::of(&[
        ("a/1.md", "x"),
        ("a/b/2.md", "x"),
        ("a/b/c/3.md", "x"),
        ("d/4.md", "x"),
        ("5.md", "x"),
    ]);
    let owner = app.owner().await;
    for (arguments, total, folders) in [
        (
            json!({ "depth": 1 }),
            1,
            json!([{ "path": "a", "notes": 3 }, { "path": "d", "notes": 1 }]),
        ),
        (
            json!({ "depth": 2 }),
            3,
            json!([{ "path": "a/b", "notes": 2 }]),
        ),
        (
            json!({ "depth": 1, "dir": "a" }),
            1,
            json!([{ "path": "a/b", "notes": 2 }]),
        ),
        (
            json!({}),
            5,
            json!([{ "path": "a", "notes": 3 }, { "path": "d", "notes": 1 }]),
        ),
    ] {
        let facts = owner.call("list_notes", arguments.clone()).await.facts();
        assert_eq!(facts["total"], total, "{arguments}");
        assert_eq!(facts["folders"], folders, "{arguments}");
    }
}
