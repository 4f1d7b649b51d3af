//! Every error of a backend, as a model reads it: a stable code, what happened, what to do next;
//! and nothing that only an operator may know.

use std::{collections::BTreeSet, fmt::Write as _, time::Duration};

use serde_json::json;
use vault_mcp::{
    mcp::{Era, VaultServer, respond},
    storage::memory::File,
    vault::{path::DirPath, storage::StorageError},
};

use super::failing::{TOKEN, When, changing, denials, looking, said};
use crate::support::{
    app::{Post, TestApp},
    docs::OPERATIONS,
};

fn check(error: &str) {
    let (code, sentence) = error.split_once(": ").expect("a code and a sentence");
    assert!(
        code.bytes()
            .all(|b| b.is_ascii_uppercase() || b == b'_' || b == b'8'),
        "{error}"
    );
    assert!(sentence.ends_with('.'), "{error}");
    assert!(!error.contains("github_pat_"), "{error}");
    assert!(!error.contains("Authorization"), "{error}");
    // What happened is one sentence at least, and what to do is another, or its second half.
    assert!(
        sentence.contains(". ") || sentence.contains("; "),
        "{error}"
    );
}

/// The documentation's table of what only the deployer can help with: the beginning of each
/// sentence, up to where its own words start.
fn documented() -> Vec<String> {
    let (_, section) = OPERATIONS
        .split_once("\n## What a tool says, and what to do about it\n")
        .expect("a section on it");
    let section = section.split("\n## ").next().unwrap();
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(beginning, _)| beginning.to_owned())
        .collect()
}

/// What a person reads on a telephone must be in the documentation, and what is there must be said.
#[tokio::test]
async fn the_documentation_has_a_row_for_every_sentence_of_the_upstream() {
    let rows = documented();
    let mut unused: BTreeSet<&str> = rows.iter().map(String::as_str).collect();
    assert_eq!(unused.len(), rows.len(), "a row stands twice");
    for (name, error) in changing("write_note", "Note.md") {
        let said = said(When::Changing, &error, "write_note", "Note.md").await;
        let upstreams = ["UPSTREAM_DENIED", "UPSTREAM_UNAVAILABLE", "RATE_LIMITED"];
        if !upstreams.iter().any(|code| said.starts_with(code)) {
            continue;
        }
        let row: Vec<_> = rows.iter().filter(|row| said.starts_with(*row)).collect();
        assert_eq!(row.len(), 1, "{name}: {row:?} for {said}");
        unused.remove(row[0].as_str());
    }
    let building = said(When::Building, &StorageError::NotFound, "search_notes", "").await;
    unused.retain(|row| !building.starts_with(row));
    let retry_after = Duration::from_secs(1);
    let call = Post::call(Era::Modern, "list_notes", &json!({}));
    let hurried = respond(VaultServer::hurried(retry_after), &call.request()).await;
    let hurried = String::from_utf8_lossy(hurried.body()).into_owned();
    unused.retain(|row| !hurried.contains(row));
    assert_eq!(unused, BTreeSet::new(), "said by nothing");
}

#[tokio::test]
async fn every_error_says_what_happened_and_what_to_do() {
    let mut table = String::new();
    for tool in ["list_notes", "search_notes", "read_note"] {
        writeln!(table, "# {tool}\n").unwrap();
        for (name, error) in looking() {
            // Only a note can be too large.
            if tool != "read_note" && matches!(error, StorageError::TooLarge { .. }) {
                continue;
            }
            let said = said(When::Looking, &error, tool, "Note.md").await;
            check(&said);
            writeln!(table, "{name}\n    {said}").unwrap();
        }
        table.push('\n');
    }
    for (tool, path) in [
        ("write_note", "Note.md"),
        ("write_note", "New.md"),
        ("delete_note", "Note.md"),
    ] {
        writeln!(table, "# {tool} {path}\n").unwrap();
        for (name, error) in changing(tool, path) {
            let said = said(When::Changing, &error, tool, path).await;
            check(&said);
            writeln!(table, "{name}\n    {said}").unwrap();
        }
        table.push('\n');
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("mcp_errors", table));
}

/// 401, 403 and 404 of GitHub have three different remedies.
#[tokio::test]
async fn each_denial_has_its_own_remedy() {
    let mut sentences = std::collections::BTreeSet::new();
    let all: Vec<_> = changing("write_note", "Note.md")
        .into_iter()
        .filter(|(_, error)| matches!(error, StorageError::Denied(_)))
        .collect();
    for (name, error) in &all {
        let said = said(When::Changing, error, "write_note", "Note.md").await;
        assert!(said.starts_with("UPSTREAM_DENIED: "), "{name}: {said}");
        assert!(sentences.insert(said), "{name} reads like another denial");
    }
    assert_eq!(all.len(), denials().count());
    assert!(all.len() > 15);
}

/// A change whose outcome is not known must not be said to have failed, nor be tried again blindly.
#[tokio::test]
async fn an_unknown_outcome_is_told_as_one() {
    for error in [
        StorageError::Unavailable {
            outcome_unknown: true,
        },
        StorageError::Unexpected(TOKEN.to_owned()),
    ] {
        for tool in ["write_note", "delete_note"] {
            let said = said(When::Changing, &error, tool, "Note.md").await;
            assert!(said.starts_with("UPSTREAM_UNAVAILABLE: "), "{said}");
            assert!(!said.contains("Nothing was changed"), "{said}");
            assert!(
                said.contains("Read the note before you try again"),
                "{said}"
            );
        }
    }
}

/// What is in the way of a new note, as far as it may be told.
#[tokio::test]
async fn what_is_in_the_way_is_named() {
    let app = TestApp::of(&[
        ("Index.md", "x"),
        ("Projects/a.md", "x"),
        ("Plan.md/b.md", "x"),
    ]);
    app.storage.inner().push(|files| {
        files.insert("Link.md".to_owned(), File::Symlink);
        files.insert("Pictures/x.png".to_owned(), File::regular("x"));
    });
    let owner = app.owner().await;
    for (path, said) in [
        ("Index.md", "\"Index.md\" exists already (revision"),
        ("INDEX.md", "would differ from \"Index.md\" in letter case"),
        (
            "projects/b.md",
            "would differ from \"Projects/\" in letter case",
        ),
        (
            "pictures/b.md",
            "would differ from \"Pictures/\" in letter case",
        ),
        ("Plan.md", "a folder of that name exists"),
        (
            "Index.md/a.md",
            "\"Index.md\" is a note, and a note holds no others",
        ),
        ("Link.md", "something that is no note is in its way"),
        ("Link.md/a.md", "something that is no note is in its way"),
    ] {
        let arguments = json!({ "path": path, "content": "x", "mode": "create" });
        let answer = owner.call("write_note", arguments).await;
        assert_eq!(answer.code(), "ALREADY_EXISTS", "{path}");
        assert!(answer.error().contains(said), "{path}: {}", answer.error());
        assert!(
            answer.error().contains("Nothing was written"),
            "{}",
            answer.error()
        );
    }
}

/// The policy has the last word on a name that a backend gives, as on every path.
#[tokio::test]
async fn a_hidden_folder_that_a_backend_names_is_not_named() {
    for (folder, said_instead) in [
        ("Pictures", "would differ from \"Pictures/\""),
        (".obsidian", "something that is no note is in its way"),
    ] {
        let error = StorageError::FolderTwin(DirPath::parse(folder).unwrap());
        let said = said(When::Changing, &error, "write_note", "New.md").await;
        assert!(said.contains(said_instead), "{folder}: {said}");
        assert_eq!(said.contains(folder), folder == "Pictures", "{said}");
    }
}

/// A client reads the note that a path hides in an error without its own terminal obeying it.
#[tokio::test]
async fn paths_are_shown_escaped() {
    let app = TestApp::of(&[("Note.md", "x")]);
    let owner = app.owner().await;
    for (path, shown) in [
        ("a\nb.md", r#""a\u{a}b.md""#),
        ("a\u{1b}[2J.md", r#""a\u{1b}[2J.md""#),
        ("say \"hi\".md", r#""say \"hi\".md""#),
        ("a\u{202e}dm.exe.md", r#""a\u{202e}dm.exe.md""#),
    ] {
        for tool in ["read_note", "delete_note"] {
            let answer = owner.call(tool, json!({ "path": path })).await;
            assert!(answer.error().contains(shown), "{}", answer.error());
        }
    }
}
