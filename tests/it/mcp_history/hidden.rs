//! What a history must not tell.

use serde_json::json;
use vault_mcp_dev::Push;

use super::{Place, history, messages};
use crate::support::{index::note, storage::run};

/// A message may speak of everything that a commit touched.
#[test]
fn a_commit_that_touches_what_is_hidden_shows_no_message() {
    run(async {
        let bulk = (0..301).fold(Push::new(), |push, n| {
            push.put(format!("bulk/{n}.md"), "x\n")
        });
        let cases = vec![
            ("a note alone", Push::new(), true),
            ("another note", Push::new().put("Other.md", "1\n"), true),
            (
                "an attachment",
                Push::new().put("Pictures/boat.png", "1"),
                true,
            ),
            (
                "a denied folder",
                Push::new().put("Private/secret.md", "1\n"),
                false,
            ),
            (
                "a denied attachment",
                Push::new().put("PRIVATE/secret.png", "1"),
                false,
            ),
            (
                "a hidden folder",
                Push::new().put(".obsidian/app.json", "{}"),
                false,
            ),
            (
                "a folder hidden deep below",
                Push::new().put("a/.trash/x.md", "1\n"),
                false,
            ),
            ("a hidden file", Push::new().put(".gitignore", "x\n"), false),
            (
                "something hidden that goes",
                Push::new().delete("Private/old.md"),
                false,
            ),
            (
                "something that comes out of hiding",
                Push::new().rename("Private/long.md", "Long.md"),
                false,
            ),
            (
                "something that goes into hiding",
                Push::new().rename("Long.md", "Private/again.md"),
                false,
            ),
            ("more than one list holds", bulk, false),
        ];
        let secret = "a long text that git knows again where it is renamed\n".repeat(20);
        let pushes = cases.iter().enumerate().map(|(n, (name, push, _))| {
            push.clone()
                .put("Note.md", format!("{n}\n"))
                .message(format!("about {name}"))
        });
        let files = vec![
            note("Note.md", "start\n"),
            note("Private/old.md", "old\n"),
            note("Private/long.md", secret),
        ];
        let place = Place::with(files, pushes.collect()).await;
        let owner = place.app.owner().await;
        let facts = owner
            .call("note_history", json!({ "path": "Note.md", "limit": 30 }))
            .await
            .facts();
        let mut messages = messages(&facts);
        assert_eq!(
            messages.pop(),
            Some(None),
            "the first commit of all made what is hidden too"
        );
        messages.reverse();
        assert_eq!(messages.len(), cases.len());
        for ((name, _, shown), message) in cases.iter().zip(messages) {
            let expected = shown.then(|| format!("about {name}"));
            assert_eq!(message, expected.as_deref());
        }
        let text = facts.to_string();
        assert!(
            !text.contains("Private") && !text.contains("again.md"),
            "{text}"
        );
    });
}

/// GitHub lists the commits below a folder for the folder's path, whatever it is called: that there is
/// a folder with something hidden in it is nobody's business.
#[test]
fn a_folder_that_is_called_like_a_note_has_no_history() {
    run(async {
        let bulk = (0..301).fold(Push::new(), |push, n| {
            push.put(format!("bulk/{n}.md"), "x\n")
        });
        let place = Place::with(
            vec![
                note("a.md", "x\n"),
                note("Was.md", "a note\n"),
                note("Kept.md", "x\n"),
            ],
            vec![
                Push::new()
                    .put("Hidden.md/.secret/x.md", "1\n")
                    .message("one secret"),
                bulk.clone()
                    .put("Bulk.md/.secret/x.md", "1\n")
                    .put("Kept.md", "y\n")
                    .message("many secrets"),
                Push::new().delete("Was.md"),
                Push::new()
                    .put("Was.md/.secret/x.md", "1\n")
                    .message("a secret where a note was"),
                Push::new().put("Shown.md/x.md", "1\n"),
            ],
        )
        .await;
        let owner = place.app.owner().await;
        for path in ["Hidden.md", "Bulk.md", "Shown.md"] {
            let answer = owner.call("note_history", json!({ "path": path })).await;
            let missing = owner
                .call("note_history", json!({ "path": "Never.md" }))
                .await;
            assert_eq!(
                answer.error().replace(path, "Never.md"),
                missing.error(),
                "{path}"
            );
        }
        let changes = async |path: &str| {
            let facts = history(&owner, path).await;
            let commits = facts["commits"].as_array().unwrap().iter();
            commits
                .map(|commit| commit["change"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(changes("Was.md").await, ["deleted", "added"]);
        // What became of a note among too many files is not known, but that something did is.
        assert_eq!(changes("Kept.md").await, [json!(null), json!("added")]);
    });
}

/// A merge speaks of both sides, and its list of files knows only one.
#[test]
fn a_merge_shows_no_message() {
    run(async {
        let place = Place::with(
            vec![note("a.md", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")],
            vec![
                Push::new()
                    .branch("side")
                    .put("a.md", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
                    .message("side"),
                Push::new()
                    .put("a.md", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
                    .message("main"),
            ],
        )
        .await;
        // Both changes: the merge is like neither of its parents, and so in the list.
        let merged = Push::new()
            .branch("merged")
            .put("a.md", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
        place.vault.push_unseen(merged).await;
        let commit = place.git(&[
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.test",
            "commit-tree",
            "merged^{tree}",
            "-p",
            "main",
            "-p",
            "side",
            "-m",
            "Merge side\n\n# Conflicts:\n#\tPrivate/x.md",
        ]);
        place.git(&["update-ref", "refs/heads/main", &commit]);
        place.vault.grow_old();
        let owner = place.app.owner().await;
        let facts = history(&owner, "a.md").await;
        assert_eq!(facts["commits"][0]["sha"], commit);
        let mut messages = messages(&facts);
        messages.sort_unstable();
        let expected = [None, Some("Start the vault"), Some("main"), Some("side")];
        assert_eq!(messages, expected);
        assert!(!facts.to_string().contains("Private"));
    });
}
