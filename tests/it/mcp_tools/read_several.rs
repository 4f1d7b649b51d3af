//! `read_note` of several notes: one call, one commit, and no more than fits.

use serde_json::{Value, json};
use vault_mcp::vault::storage::Revision;

use crate::support::app::{TestApp, ToolAnswer};

const CAP: usize = 50_000;

/// The paths of the notes that are shown, with their texts.
fn shown(answer: &ToolAnswer) -> Vec<(String, String)> {
    let facts = answer.facts();
    let notes = facts["notes"].as_array().unwrap().iter();
    let shown = notes.filter(|note| note["error"].is_null()).map(|note| {
        let block = usize::try_from(note["text_block"].as_u64().unwrap()).unwrap();
        let path = note["path"].as_str().unwrap().to_owned();
        (path, answer.texts()[block - 1].clone())
    });
    shown.collect()
}

#[tokio::test]
async fn several_notes_come_in_their_order_with_their_texts() {
    let app = TestApp::of(&[
        ("a.md", "# A\n\none\n"),
        ("b/Two.md", ""),
        ("c.md", "three"),
    ]);
    let owner = app.owner().await;
    let paths = json!(["c.md", "b/two.md", "a.md", "c.md"]);
    let answer = owner.call("read_note", json!({ "paths": paths })).await;
    assert_eq!(
        answer.facts(),
        json!({
            "commit": app.storage.inner().head(),
            "notes": [
                { "path": "c.md", "title": "c", "revision": Revision::of(b"three"), "bytes": 5,
                  "total_lines": 1, "lines": "1-1", "text_block": 1 },
                { "path": "b/Two.md", "title": "Two", "revision": Revision::of(b""), "bytes": 0,
                  "total_lines": 0, "text_block": 2 },
                { "path": "a.md", "title": "A", "revision": Revision::of(b"# A\n\none\n"), "bytes": 9,
                  "total_lines": 3, "lines": "1-3", "text_block": 3 },
                { "path": "c.md", "title": "c", "revision": Revision::of(b"three"), "bytes": 5,
                  "total_lines": 1, "lines": "1-1", "text_block": 4 },
            ],
        })
    );
    assert_eq!(answer.texts(), ["three", "", "# A\n\none\n", "three"]);
    // A list of one is a list; so is what a client writes as text.
    for paths in [json!(["c.md"]), json!("c.md"), json!("[\"c.md\"]")] {
        let answer = owner.call("read_note", json!({ "paths": paths })).await;
        assert_eq!(shown(&answer), [("c.md".to_owned(), "three".to_owned())]);
    }
}

/// Hidden and missing are one answer, and nothing is asked of the vault for what is refused.
#[tokio::test]
async fn what_is_wrong_with_one_does_not_keep_the_others_away() {
    let app = TestApp::of(&[
        ("a.md", "one".as_bytes()),
        (".obsidian/x.md", b"secret"),
        ("A.md", b"large"),
        ("Latin.md", b"caf\xe9"),
        ("x.md", b"1"),
        ("X.md", b"2"),
    ]);
    let owner = app.owner().await;
    app.storage.take_calls();
    let paths = [
        ".obsidian/x.md",
        "../a.md",
        "a.md",
        "nowhere.md",
        "picture.png",
        "Latin.md",
        "",
        "x.MD",
        "A.md",
    ];
    let answer = owner.call("read_note", json!({ "paths": paths })).await;
    assert_eq!(
        app.storage.take_calls(),
        [
            "read a.md",
            "read nowhere.md",
            "read Latin.md",
            "read x.MD",
            "read A.md"
        ]
    );
    let facts = answer.facts();
    let notes = facts["notes"].as_array().unwrap();
    let outcome = |note: &Value| match note["error"].as_str() {
        Some(error) => error.split(':').next().unwrap().to_owned(),
        None => "ok".to_owned(),
    };
    let outcomes: Vec<_> = notes.iter().map(outcome).collect();
    assert_eq!(
        outcomes,
        [
            "NOT_FOUND",
            "INVALID_PATH",
            "ok",
            "NOT_FOUND",
            "NOT_A_NOTE",
            "NOT_UTF8",
            "INVALID_PATH",
            "NOT_FOUND",
            "ok",
        ]
    );
    for (note, path) in notes.iter().zip(paths) {
        assert_eq!(note["path"], path);
    }
    let said = |number: usize| {
        let text = notes[number]["error"].as_str().unwrap();
        text.replace(paths[number], "PATH")
    };
    assert_eq!(said(0), said(3), "hidden and missing");
    assert_eq!(answer.texts(), ["one", "large"]);
    assert!(!facts.to_string().contains("secret"));
    let nothing = owner
        .call("read_note", json!({ "paths": [".git/x.md"] }))
        .await;
    assert_eq!(nothing.facts()["commit"], Value::Null);
    assert_eq!(nothing.texts(), [""; 0]);
}

#[tokio::test]
async fn what_is_asked_of_one_is_asked_of_each() {
    let app = TestApp::of(&[
        ("a.md", "# A\n## Log\none\n# B\n"),
        ("b.md", "## Log\ntwo"),
        ("c.md", "none"),
    ]);
    let owner = app.owner().await;
    let paths = ["a.md", "c.md", "b.md"];
    let section = json!({ "paths": paths, "section": "log" });
    let answer = owner.call("read_note", section).await;
    assert_eq!(answer.texts(), ["## Log\none\n", "## Log\ntwo"]);
    let facts = answer.facts();
    assert_eq!(facts["notes"][0]["lines"], "2-3");
    assert!(
        facts["notes"][1]["error"]
            .as_str()
            .unwrap()
            .starts_with("NOT_FOUND: ")
    );
    assert_eq!(facts["notes"][2]["text_block"], 2);
    let lines = json!({ "paths": paths, "lines": "2" });
    let answer = owner.call("read_note", lines).await;
    assert_eq!(answer.texts(), ["## Log\n", "two"]);
    let error = answer.facts()["notes"][1]["error"].clone();
    assert!(
        error
            .as_str()
            .unwrap()
            .starts_with("INVALID_ARGUMENT: lines lie behind")
    );
    let outline = json!({ "paths": paths, "outline": true });
    let answer = owner.call("read_note", outline).await;
    assert_eq!(answer.texts(), [""; 0]);
    let levels = |number: usize| {
        answer.facts()["notes"][number]["outline"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!([levels(0), levels(1), levels(2)], [3, 0, 1]);
}

/// Everything can be had, whatever the sizes are: paths that did not come, and lines that did not.
#[tokio::test]
async fn what_does_not_fit_is_named_and_can_be_had() {
    let sizes = [
        100, 30_000, 10_000, 60_000, 5, 0, 49_000, 3_000, 1_200_000, 7, 20_000,
    ];
    let notes: Vec<(String, String)> = sizes
        .iter()
        .enumerate()
        .map(|(number, size)| {
            let text: String = "a line of text\n".chars().cycle().take(*size).collect();
            (format!("{number}.md"), text)
        })
        .collect();
    let of: Vec<(&str, &str)> = notes
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let app = TestApp::of(&of);
    let owner = app.owner().await;
    let mut left: Vec<String> = notes.iter().map(|(path, _)| path.clone()).collect();
    left.insert(3, "nowhere.md".to_owned());
    let mut read: Vec<(String, String)> = Vec::new();
    for _ in 0..30 {
        if left.is_empty() {
            break;
        }
        let answer = owner.call("read_note", json!({ "paths": left })).await;
        assert!(
            answer.characters() <= CAP,
            "{} characters",
            answer.characters()
        );
        let facts = answer.facts();
        let mut here = shown(&answer);
        assert!(!here.is_empty(), "an answer that brings nothing");
        for (path, text) in &mut here {
            let entries = facts["notes"].as_array().unwrap().iter();
            let mut next = entries
                .clone()
                .find(|note| note["path"] == *path)
                .map(|note| note["next"].clone())
                .unwrap();
            while !next.is_null() {
                let more = json!({ "path": path, "lines": next });
                let more = owner.call("read_note", more).await;
                text.push_str(&more.texts()[0]);
                next = more.facts()["next"].clone();
            }
        }
        read.extend(here);
        let next = facts.get("next_paths").cloned().unwrap_or(json!([]));
        left = serde_json::from_value(next).unwrap();
        assert_eq!(
            facts.get("left_out").and_then(Value::as_u64).unwrap_or(0),
            left.len() as u64
        );
    }
    assert!(read == notes, "other notes came");
}

/// Paths and errors of the greatest length.
#[tokio::test]
async fn long_paths_and_long_errors_fit_too() {
    let deep = "\"/".repeat(2_040);
    let paths: Vec<String> = (0..20)
        .map(|number| format!("{deep}{number:02}.md"))
        .collect();
    let headings: Vec<String> = (0..100)
        .map(|n| format!("# \"{n}\" {}\n", "\"".repeat(200)))
        .collect();
    let headings = headings.concat();
    let notes: Vec<(&str, &str)> = paths
        .iter()
        .map(|p| (p.as_str(), headings.as_str()))
        .collect();
    let app = TestApp::of(&notes);
    let owner = app.owner().await;
    let long: Vec<String> = (0..20).map(|_| "\u{1}".repeat(20_000)).collect();
    for arguments in [
        json!({ "paths": paths }),
        json!({ "paths": paths, "outline": true }),
        json!({ "paths": paths, "section": "nowhere" }),
        json!({ "paths": paths, "include": ["frontmatter", "links", "backlinks"] }),
        json!({ "paths": long }),
    ] {
        let answer = owner.call("read_note", arguments).await;
        assert!(
            answer.characters() <= CAP,
            "{} characters",
            answer.characters()
        );
        let facts = answer.facts();
        let came = facts["notes"].as_array().unwrap().len();
        assert!(came > 0);
        let left = facts.get("left_out").and_then(Value::as_u64).unwrap_or(0);
        assert_eq!(came as u64 + left, 20);
    }
}
