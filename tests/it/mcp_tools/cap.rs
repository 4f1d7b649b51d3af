//! No answer is over 50,000 characters, whatever the vault holds; and what is left out can be had.

use serde_json::{Value, json};

use vault_mcp::{storage::memory::File, vault::storage::CommitInfo};

use crate::support::{
    app::{Bearer, TestApp},
    storage::info,
};

const CAP: usize = 50_000;

/// A note's whole text, window by window, none of them over the cap; and how many there were.
async fn whole(owner: &Bearer<'_>, path: &str) -> (String, usize) {
    let mut text = String::new();
    let mut lines = Value::Null;
    for windows in 1..200 {
        let answer = owner
            .call("read_note", json!({ "path": path, "lines": lines }))
            .await;
        assert!(
            answer.characters() <= CAP,
            "{} characters",
            answer.characters()
        );
        assert!(
            !answer.texts()[0].is_empty(),
            "a window that brings nothing"
        );
        text.push_str(&answer.texts()[0]);
        let facts = answer.facts();
        lines = facts["next"].clone();
        if lines.is_null() {
            return (text, windows);
        }
    }
    panic!("the windows of {path:?} do not end");
}

#[tokio::test]
async fn h4_a_long_note_comes_in_windows() {
    let lines: Vec<String> = (0..20_000)
        .map(|line| format!("line {line} of many\n"))
        .collect();
    let many_lines = lines.concat();
    let one_line = "0123456789".repeat(12_000);
    let one_over = format!("first\n{}\nlast", "x".repeat(CAP));
    let crlf = format!("{}\r\n", "y".repeat(99)).repeat(2_000);
    let wide = "🗺️é日".repeat(30_000);
    for (name, text) in [
        ("many lines", many_lines),
        ("one line", one_line),
        ("one line over the cap", one_over),
        ("windows line ends", crlf),
        ("wide characters", wide),
    ] {
        let app = TestApp::of(&[("Note.md", text.as_str())]);
        let owner = app.owner().await;
        let (read, windows) = whole(&owner, "Note.md").await;
        assert!(
            read == text,
            "{name}: the windows put together are not the note"
        );
        let least = text.chars().count().div_ceil(CAP);
        assert!(
            windows >= least && windows <= least + 2,
            "{name}: {windows} windows"
        );
    }
}

/// One character less, exactly, and one more than fits.
#[tokio::test]
async fn h4_notes_around_the_cap() {
    for characters in (CAP - 6_000..=CAP + 1)
        .step_by(500)
        .chain([CAP - 1, CAP, CAP + 1])
    {
        let text = "z".repeat(characters);
        let app = TestApp::of(&[("Note.md", text.as_str())]);
        let owner = app.owner().await;
        assert_eq!(whole(&owner, "Note.md").await.0.len(), characters);
    }
}

/// A path may have 4,096 bytes, and stands in the facts beside the text.
#[tokio::test]
async fn a_long_note_at_a_long_path() {
    let path = format!("{}a.md", "\"/".repeat(2_046));
    let title = "t".repeat(60_000);
    for text in [
        "x".repeat(120_000),
        format!("# {title}\n{}", "y".repeat(60_000)),
    ] {
        let app = TestApp::of(&[(path.as_str(), text.as_str())]);
        let owner = app.owner().await;
        let (read, _) = whole(&owner, &path).await;
        assert!(read == text);
    }
}

/// Every page is under the cap, brings something, and says that it goes on.
async fn pages(app: &TestApp, arguments: &Value) -> (usize, usize) {
    let owner = app.owner().await;
    let mut notes = 0;
    let mut cursor = Value::Null;
    for pages in 1..2_000 {
        let mut arguments = arguments.clone();
        arguments["cursor"] = cursor;
        let answer = owner.call("list_notes", arguments).await;
        assert!(
            answer.characters() <= CAP,
            "{} characters",
            answer.characters()
        );
        let facts = answer.facts();
        notes += facts["notes"].as_array().unwrap().len();
        cursor = facts["next_cursor"].clone();
        if cursor.is_null() {
            assert_eq!(facts["total"], notes);
            return (notes, pages);
        }
    }
    panic!("the pages do not end");
}

fn app_of(paths: &[String]) -> TestApp {
    let notes: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
    TestApp::of(&notes)
}

#[tokio::test]
async fn h4_a_long_list_comes_in_pages_that_fit() {
    let paths: Vec<String> = (0..3_000)
        .map(|number| format!("Some Folder/A note with a name of usual length {number:05}.md"))
        .collect();
    let (notes, pages) = pages(&app_of(&paths), &json!({ "limit": 1000 })).await;
    assert_eq!(notes, 3_000);
    assert!((12..=20).contains(&pages), "{pages} pages");
}

#[tokio::test]
async fn paths_of_the_greatest_length_fit_too() {
    // Every quotation mark takes two characters in JSON, and once more in the cursor.
    let deep = "\"/".repeat(2_040);
    let paths: Vec<String> = (0..40)
        .map(|number| format!("{deep}{number:02}.md"))
        .collect();
    let dir = deep.trim_end_matches('/');
    for arguments in [
        json!({ "limit": 1000 }),
        json!({ "limit": 1000, "dir": dir }),
    ] {
        let (notes, _) = pages(&app_of(&paths), &arguments).await;
        assert_eq!(notes, 40);
    }
    let names: Vec<String> = (0..20)
        .map(|number| format!("{}{number:02}.md", "\"".repeat(4_090)))
        .collect();
    assert_eq!(
        pages(&app_of(&names), &json!({ "limit": 1000 })).await.0,
        20
    );
}

/// Folders that do not fit are counted, and leave room for notes.
#[tokio::test]
async fn folders_over_the_cap_are_left_out_by_number() {
    let paths: Vec<String> = (0..2_000)
        .map(|number| format!("A folder with a rather long name, number {number:04}/n.md"))
        .collect();
    let app = app_of(&paths);
    let answer = app
        .owner()
        .await
        .call("list_notes", json!({ "limit": 1000 }))
        .await;
    assert!(
        answer.characters() <= CAP,
        "{} characters",
        answer.characters()
    );
    let facts = answer.facts();
    let shown = facts["folders"].as_array().unwrap().len();
    let left_out = facts["folders_left_out"].as_u64().unwrap();
    assert_eq!(shown as u64 + left_out, 2_000);
    assert!(shown > 100, "{shown} folders");
    assert!(facts["notes"].as_array().unwrap().len() > 50);
    assert_eq!(facts["total"], 2_000);

    let depth_one = app
        .owner()
        .await
        .call("list_notes", json!({ "depth": 1 }))
        .await;
    assert!(depth_one.characters() <= CAP);
    assert_eq!(depth_one.facts()["total"], 0);
    assert!(depth_one.facts()["folders_left_out"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn errors_that_name_many_notes_fit_too() {
    // 2^11 spellings of one name: a reader who asks for none of them exactly gets them to choose from.
    let paths: Vec<String> = (0..1_u32 << 11)
        .map(|bits| {
            let letters = (0..11).map(|bit| if bits >> bit & 1 == 1 { 'A' } else { 'a' });
            format!("{}{}.md", "long".repeat(60), letters.collect::<String>())
        })
        .collect();
    let asked = paths[5].replacen('l', "L", 1);
    let app = app_of(&paths);
    let owner = app.owner().await;
    for (tool, arguments) in [
        ("read_note", json!({ "path": asked })),
        ("write_note", json!({ "path": asked, "content": "x" })),
        ("delete_note", json!({ "path": asked })),
    ] {
        let answer = owner.call(tool, arguments).await;
        answer.error();
        assert!(
            answer.characters() <= CAP,
            "{tool}: {} characters",
            answer.characters()
        );
    }
}

#[tokio::test]
async fn hits_with_long_paths_and_titles_fit_too() {
    let deep = "\"/".repeat(1_900);
    let paths: Vec<String> = (0..16)
        .map(|number| format!("{deep}{number:02}.md"))
        .collect();
    let text = format!("# {}\n\nneedle\n", "t\"".repeat(1_000));
    let notes: Vec<(&str, &str)> = paths
        .iter()
        .map(|path| (path.as_str(), text.as_str()))
        .collect();
    let app = TestApp::of(&notes);
    let owner = app.owner().await;
    let mut cursor = Value::Null;
    let mut hits = 0;
    for _ in 0..100 {
        let arguments = json!({ "query": "needle", "limit": 100, "cursor": cursor });
        let answer = owner.call("search_notes", arguments).await;
        assert!(
            answer.characters() <= CAP,
            "{} characters",
            answer.characters()
        );
        let facts = answer.facts();
        hits += facts["hits"].as_array().unwrap().len();
        cursor = facts["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(hits, 16);
}

/// Messages and names are somebody else's, and may be as long as they like.
#[tokio::test]
async fn a_history_with_long_messages_and_diffs_fits_too() {
    let path = format!("{}Note.md", "a folder of many letters/".repeat(35));
    let app = TestApp::of(&[(path.as_str(), "0\n")]);
    for (n, unit) in ["\"\\", "\u{1}", "line\n", "日本"]
        .into_iter()
        .cycle()
        .take(40)
        .enumerate()
    {
        let info = CommitInfo {
            author_name: unit.repeat(3_000),
            ..info(&unit.repeat(3_000))
        };
        app.storage.inner().push_as(&info, |files| {
            files.insert(
                path.clone(),
                File::regular(format!("{n}\n{}", "a line\n".repeat(200))),
            );
        });
    }
    let owner = app.owner().await;
    for diff in [false, true] {
        let arguments = json!({ "path": path, "limit": 30, "diff": diff });
        let answer = owner.call("note_history", arguments).await;
        assert!(
            answer.characters() <= CAP,
            "{} characters",
            answer.characters()
        );
        let facts = answer.facts();
        assert_eq!(facts["commits"].as_array().unwrap().len(), 30);
        assert!(facts["next_cursor"].is_string());
        assert_eq!(answer.texts().is_empty(), !diff);
    }
}
