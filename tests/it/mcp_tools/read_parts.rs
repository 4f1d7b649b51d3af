//! `read_note` of a part of a note: a section, or its outline; and of a note as it was.

use serde_json::{Value, json};
use vault_mcp::{storage::memory::File, vault::storage::CommitId};

use crate::support::app::TestApp;

const NOTE: &str = "---\r\n# no: heading\r\n---\r\n# Projects\r\n## Boat\r\nsail\r\n```\r\n## Boat\r\n```\r\n### Plans\r\nsoon\r\n## Garden\r\n### Plans\r\nlater\r\n\r\nAreas\r\n=====\r\nno end";

#[tokio::test]
async fn a_section_comes_verbatim_with_its_lines() {
    let app = TestApp::of(&[("Note.md", NOTE)]);
    let owner = app.owner().await;
    let boat = "## Boat\r\nsail\r\n```\r\n## Boat\r\n```\r\n### Plans\r\nsoon\r\n";
    for (section, text, lines) in [
        ("Boat", boat, "5-11"),
        ("## boat", boat, "5-11"),
        ("Projects#Boat", boat, "5-11"),
        ("Projects > Boat", boat, "5-11"),
        ("Boat#Plans", "### Plans\r\nsoon\r\n", "10-11"),
        ("Garden#Plans", "### Plans\r\nlater\r\n\r\n", "13-15"),
        ("areas", "Areas\r\n=====\r\nno end", "16-18"),
    ] {
        let arguments = json!({ "path": "Note.md", "section": section });
        let answer = owner.call("read_note", arguments).await;
        assert_eq!(answer.texts(), [text], "{section}");
        let facts = answer.facts();
        assert_eq!(facts["lines"], lines, "{section}");
        assert_eq!(facts["total_lines"], 18, "{section}");
        assert_eq!(facts["next"], Value::Null, "{section}");
        // What the facts say is what the lines are.
        let again = json!({ "path": "Note.md", "lines": lines });
        assert_eq!(owner.call("read_note", again).await.texts(), [text]);
    }
}

#[tokio::test]
async fn a_section_that_is_not_one_is_answered_with_those_that_are() {
    let app = TestApp::of(&[("Note.md", NOTE), ("Plain.md", "# \n\ntext")]);
    let owner = app.owner().await;
    let ask = |path: &str, section: &str| {
        owner.call("read_note", json!({ "path": path, "section": section }))
    };
    let missing = ask("Note.md", "Bout").await;
    assert_eq!(missing.code(), "NOT_FOUND");
    for heading in [
        "\"Projects\" (line 4)",
        "\"Boat\" (line 5)",
        "\"Areas\" (line 16)",
    ] {
        assert!(missing.error().contains(heading), "{}", missing.error());
    }
    let several = ask("Note.md", "Plans").await;
    assert_eq!(several.code(), "AMBIGUOUS_SECTION");
    for name in [
        "\"Projects#Boat#Plans\" (line 10)",
        "\"Projects#Garden#Plans\" (line 13)",
    ] {
        assert!(several.error().contains(name), "{}", several.error());
    }
    assert_eq!(ask("Note.md", "no: heading").await.code(), "NOT_FOUND");
    assert_eq!(ask("Plain.md", "text").await.code(), "NOT_FOUND");
    for section in ["", " ", "##"] {
        assert_eq!(
            ask("Note.md", section).await.code(),
            "INVALID_ARGUMENT",
            "{section:?}"
        );
    }
    // However many headings there are, and however long.
    let many: Vec<String> = (0..3_000)
        .map(|n| format!("# {n} {}\n", "x".repeat(300)))
        .collect();
    let app = TestApp::of(&[("Note.md", many.concat())]);
    let owner = app.owner().await;
    let arguments = json!({ "path": "Note.md", "section": "none" });
    let answer = owner.call("read_note", arguments).await;
    assert!(
        answer.error().contains("and 2970 more"),
        "{}",
        answer.error()
    );
    assert!(answer.characters() < 10_000, "{}", answer.characters());
}

/// A section that does not fit comes in windows, which end where it does.
#[tokio::test]
async fn a_long_section_comes_in_windows() {
    let body: Vec<String> = (0..8_000).map(|n| format!("line {n} of it\n")).collect();
    let section = format!("## Long\n{}", body.concat());
    let text = format!("# One\n\n{section}## After\nnot this\n");
    let app = TestApp::of(&[("Note.md", text.as_str())]);
    let owner = app.owner().await;
    let first = json!({ "path": "Note.md", "section": "Long" });
    let mut answer = owner.call("read_note", first).await;
    let mut whole = String::new();
    for _ in 0..10 {
        assert!(answer.characters() <= 50_000);
        whole.push_str(&answer.texts()[0]);
        let next = answer.facts()["next"].clone();
        if next.is_null() {
            break;
        }
        answer = owner
            .call("read_note", json!({ "path": "Note.md", "lines": next }))
            .await;
    }
    assert!(whole == section);
}

#[tokio::test]
async fn an_outline_stands_in_place_of_the_text() {
    let app = TestApp::of(&[("Note.md", NOTE), ("Plain.md", "text")]);
    let owner = app.owner().await;
    let heading =
        |level: u8, text: &str, line: usize| json!({ "level": level, "text": text, "line": line });
    let all = [
        heading(1, "Projects", 4),
        heading(2, "Boat", 5),
        heading(3, "Plans", 10),
        heading(2, "Garden", 12),
        heading(3, "Plans", 13),
        heading(1, "Areas", 16),
    ];
    for (arguments, shown) in [
        (json!({ "outline": true }), &all[..]),
        (json!({ "outline": "true" }), &all[..]),
        (json!({ "outline": true, "section": "Boat" }), &all[1..3]),
        (json!({ "outline": true, "lines": "11-" }), &all[3..]),
        (json!({ "outline": true, "path": "Plain.md" }), &[]),
    ] {
        let mut call = json!({ "path": "Note.md" });
        call.as_object_mut()
            .unwrap()
            .extend(arguments.as_object().unwrap().clone());
        let answer = owner.call("read_note", call).await;
        assert_eq!(answer.texts(), [""; 0]);
        assert_eq!(answer.facts()["outline"], json!(shown), "{arguments}");
        assert_eq!(answer.facts()["lines"], Value::Null);
    }
    let text = json!({ "path": "Note.md", "outline": false });
    assert_eq!(owner.call("read_note", text).await.texts(), [NOTE]);
}

#[tokio::test]
async fn an_outline_that_does_not_fit_goes_on() {
    let text: Vec<String> = (1..=2_000)
        .map(|n| format!("# \"{n}\" {}\n", "h".repeat(250)))
        .collect();
    let app = TestApp::of(&[("Note.md", text.concat())]);
    let owner = app.owner().await;
    let mut lines = Value::Null;
    let mut found = Vec::new();
    for _ in 0..30 {
        let arguments = json!({ "path": "Note.md", "outline": true, "lines": lines });
        let answer = owner.call("read_note", arguments).await;
        assert!(answer.characters() <= 50_000, "{}", answer.characters());
        let facts = answer.facts();
        let shown = facts["outline"].as_array().unwrap().clone();
        found.extend(
            shown
                .iter()
                .map(|heading| heading["line"].as_u64().unwrap()),
        );
        lines = facts["next"].clone();
        if lines.is_null() {
            break;
        }
    }
    assert!(
        found.iter().copied().eq(1..=2_000),
        "{} headings",
        found.len()
    );
}

#[tokio::test]
async fn a_note_is_read_as_it_was() {
    let app = TestApp::of(&[("Note.md", "one"), ("Gone.md", "gone")]);
    let vault = app.storage.inner();
    let first = vault.head().unwrap();
    vault.push(|files| {
        files.remove("Gone.md");
        files.insert("Note.md".to_owned(), File::regular("two"));
    });
    let owner = app.owner().await;
    let at = |path: &str, at: &Value| owner.call("read_note", json!({ "path": path, "at": at }));
    let old = json!(first);
    for (path, commit, text) in [
        ("Note.md", &old, "one"),
        ("Gone.md", &old, "gone"),
        ("Note.md", &json!(vault.head()), "two"),
        ("Note.md", &Value::Null, "two"),
        ("Note.md", &json!(first.as_str().to_uppercase()), "one"),
    ] {
        let answer = at(path, commit).await;
        assert_eq!(answer.texts(), [text], "{path} {commit}");
        let expected = if text == "two" {
            vault.head()
        } else {
            Some(first.clone())
        };
        assert_eq!(answer.facts()["commit"], json!(expected));
    }
    assert_eq!(at("Gone.md", &Value::Null).await.code(), "NOT_FOUND");
    assert_eq!(at("New.md", &old).await.code(), "NOT_FOUND");
    for elsewhere in [json!(CommitId::of(b"elsewhere")), json!("main"), json!("")] {
        let answer = at("Note.md", &elsewhere).await;
        assert_eq!(answer.code(), "INVALID_ARGUMENT", "{elsewhere}");
        assert!(answer.error().contains(": at "), "{}", answer.error());
    }
}

const HIDDEN: [(&str, &str); 4] = [
    (".obsidian/app.md", "# secret\n[[Note]]"),
    ("a/.trash/b.md", "# secret"),
    ("a/.Git/c.md", "# secret"),
    (".claude/d.md", "# secret"),
];

/// The past, a part and what links say are no ways around the policy.
#[tokio::test]
async fn what_is_hidden_is_so_in_every_part_and_at_every_commit() {
    let app = TestApp::of(&HIDDEN);
    let head = app.storage.inner().head();
    let owner = app.owner().await;
    app.storage.take_calls();
    for (path, _) in HIDDEN {
        for arguments in [
            json!({ "path": path, "at": head }),
            json!({ "path": path, "section": "secret" }),
            json!({ "path": path, "outline": true }),
            json!({ "path": path, "include": ["links", "backlinks"] }),
            json!({ "path": path, "lines": "1" }),
        ] {
            let answer = owner.call("read_note", arguments.clone()).await;
            assert_eq!(answer.code(), "NOT_FOUND", "{arguments}");
        }
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}
