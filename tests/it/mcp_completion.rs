//! `completion/complete`: the paths of notes, for the template and for prompts.

use serde_json::{Value, json};
use vault_mcp::{
    mcp::Era,
    storage::memory::{File, MemoryStorage},
    vault::{
        completion,
        policy::Visible,
        storage::{CompletionQuery, Indexed, VaultStorage},
    },
};

use crate::support::{
    app::{Bearer, Post, TestApp},
    index::{AtIndex, note, notes},
    recording::Everywhere,
    storage::{open_policy, run},
};

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

fn template() -> Value {
    json!({ "type": "ref/resource", "uri": "vault://note/{path}" })
}

fn prompt(name: &str) -> Value {
    json!({ "type": "ref/prompt", "name": name })
}

fn params(reference: &Value, argument: &str, value: &str) -> Value {
    json!({ "ref": reference, "argument": { "name": argument, "value": value } })
}

async fn complete(bearer: &Bearer<'_>, era: Era, typed: &str) -> Value {
    let params = params(&template(), "path", typed);
    let mut result = bearer.result(era, "completion/complete", &params).await;
    result["completion"].take()
}

#[tokio::test]
async fn a_path_is_completed_for_the_template_and_for_a_prompt() {
    let app = TestApp::of(&[
        ("Projects/Boat.md", ""),
        ("Boat log.md", ""),
        ("Café/Menü.md", ""),
        ("a/My boat.md", ""),
    ]);
    let owner = app.owner().await;
    for era in ERAS {
        for (typed, paths) in [
            (
                "BOAT",
                vec!["Boat log.md", "Projects/Boat.md", "a/My boat.md"],
            ),
            ("projects/", vec!["Projects/Boat.md"]),
            ("cafe\u{301}/menu\u{308}", vec!["Café/Menü.md"]),
            ("%", vec![]),
            ("../", vec![]),
            ("bo\0at", vec![]),
            ("\n", vec![]),
        ] {
            let expected = json!({ "values": paths, "total": paths.len(), "hasMore": false });
            assert_eq!(complete(&owner, era, typed).await, expected, "{typed}");
            let params = params(&prompt("summarize_note"), "path", typed);
            let result = owner.result(era, "completion/complete", &params).await;
            assert_eq!(result["completion"], expected, "{typed}");
        }
        assert_eq!(complete(&owner, era, "").await["total"], 4);
        assert_eq!(complete(&owner, era, &"a".repeat(5_000)).await["total"], 0);
    }
}

#[tokio::test]
async fn a_hundred_are_named_and_the_others_counted() {
    let names: Vec<String> = (0..130).map(|n| format!("{n:03}.md")).collect();
    let notes: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let app = TestApp::of(&notes);
    let completion = complete(&app.owner().await, Era::Modern, "").await;
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&completion["total"], &completion["hasMore"]),
        (&json!(130), &json!(true))
    );
}

#[tokio::test]
async fn what_is_hidden_is_neither_completed_nor_counted() {
    let files = [
        "secret.md",
        "Private/secret.md",
        ".obsidian/secret.md",
        "secret.txt",
        "a/.git/secret.md",
    ];
    let files = files.map(|path| (path.to_owned(), File::regular("")));
    let app = TestApp::deployed(MemoryStorage::with(files), |deployment| {
        deployment.denied = "Private";
    });
    let owner = app.owner().await;
    for era in ERAS {
        for typed in ["secret", "", "s"] {
            let expected = json!({ "values": ["secret.md"], "total": 1, "hasMore": false });
            assert_eq!(complete(&owner, era, typed).await, expected);
        }
        for typed in ["Private/", "private", ".obs", "a/.git", "txt"] {
            assert_eq!(complete(&owner, era, typed).await["total"], 0, "{typed}");
        }
    }
}

#[tokio::test]
async fn nothing_else_is_completed() {
    let app = TestApp::over(Everywhere);
    let owner = app.owner().await;
    for era in ERAS {
        for (reference, argument) in [
            (
                json!({ "type": "ref/resource", "uri": "vault://note/Note.md" }),
                "path",
            ),
            (
                json!({ "type": "ref/resource", "uri": "file:///{path}" }),
                "path",
            ),
            (template(), "name"),
            (prompt("no_such_prompt"), "path"),
            (prompt("summarize_note"), "topic"),
            (prompt("find_in_vault"), "path"),
        ] {
            let post = Post::of(
                era,
                "completion/complete",
                &params(&reference, argument, "N"),
            );
            assert_eq!(
                owner.send(&post).await.failure(),
                (200, -32602),
                "{reference}"
            );
        }
        // What a person says in words of their own cannot be guessed.
        for (name, argument) in [("find_in_vault", "topic"), ("weekly_review", "since")] {
            let params = params(&prompt(name), argument, "N");
            let result = owner.result(era, "completion/complete", &params).await;
            let nothing = json!({ "values": [], "total": 0, "hasMore": false });
            assert_eq!(result["completion"], nothing);
        }
    }
    assert_eq!(app.storage.take_calls(), [""; 0]);
}

/// The index asks nobody, and finds what the measure finds, in its order.
#[test]
fn the_index_completes_as_the_measure_does_and_costs_nothing() {
    run(async {
        let mut files = notes(40);
        for path in [
            "Boat.md",
            "a/Boat.md",
            "boat/%_.md",
            "my boat.md",
            "É/ß.md",
            "x/É.md",
        ] {
            files.push(note(path, "x"));
        }
        let mut paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
        paths.sort();
        let vault = AtIndex::built(files).await;
        let policy = open_policy();
        for typed in [
            "", "boat", "BOAT", "/", "a/", "e\u{301}", "SS", "%", "_", "'", "\"", "1.md", "none",
        ] {
            let query = CompletionQuery {
                sieve: &policy,
                typed,
                limit: 10,
            };
            let Indexed::Answer(page) = vault.index.complete(&query).await.unwrap() else {
                panic!("an index that is built");
            };
            let measure = completion::complete(typed, &paths);
            let found: Vec<_> = page.paths.iter().map(Visible::as_str).collect();
            let expected: Vec<_> = measure.iter().take(10).map(|path| path.as_str()).collect();
            assert_eq!((page.total, found), (measure.len(), expected), "{typed}");
        }
        assert_eq!(vault.counted(), 0);
    });
}

/// Without an index the tree is asked.
#[test]
fn a_vault_that_is_not_indexed_yet_is_completed_all_the_same() {
    run(async {
        let vault = crate::support::github::AtGithub::start(notes(25)).await;
        let app = TestApp::over(vault.storage);
        let completion = complete(&app.owner().await, Era::Modern, "folder 1/").await;
        let expected = ["folder 1/1.md", "folder 1/11.md", "folder 1/21.md"];
        assert_eq!(completion["values"], json!(expected));
    });
}
