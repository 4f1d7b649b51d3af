//! Every error of a backend, as a model reads it: a stable code, what happened, what to do next;
//! and nothing that only an operator may know.

use std::{fmt::Write as _, time::Duration};

use async_trait::async_trait;
use serde_json::json;
use vault_mcp::{
    storage::memory::File,
    vault::{
        policy::{Visible, Writable},
        storage::{
            CommitId, CommitInfo, Committed, Denial, ListQuery, Listing, Lookup, Revision,
            SearchPage, SearchQuery, Sieve, StorageError, StoredNote, VaultStorage,
        },
    },
};

use crate::support::app::TestApp;

/// Secrets that a backend may come across. None may ever be shown.
const TOKEN: &str = "github_pat_11ABCDEFG0123456789_secret";

/// When a backend fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Looking,
    Changing,
}

/// A backend that fails.
#[derive(Debug)]
struct Failing {
    when: When,
    error: StorageError,
}

impl Failing {
    fn fail<T>(&self, when: When, otherwise: T) -> Result<T, StorageError> {
        if self.when == when {
            Err(self.error.clone())
        } else {
            Ok(otherwise)
        }
    }
}

fn committed() -> Committed {
    Committed {
        commit: CommitId::of(b"next"),
        url: None,
        recreated: false,
    }
}

#[async_trait(?Send)]
impl VaultStorage for Failing {
    async fn list(&self, _query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        let nothing = Listing {
            commit: Some(CommitId::of(b"head")),
            entries: Vec::new(),
        };
        self.fail(When::Looking, nothing)
    }

    async fn read(
        &self,
        _sieve: &dyn Sieve,
        note: &Visible,
        _at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        let there = (note.as_str() == "Note.md").then(|| StoredNote {
            path: note.clone(),
            revision: Revision::of(b"old"),
            content: b"old".to_vec(),
        });
        let lookup = Lookup {
            commit: Some(CommitId::of(b"head")),
            note: there,
            twins: Vec::new(),
        };
        self.fail(When::Looking, lookup)
    }

    async fn search(&self, _query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        let nothing = SearchPage {
            commit: Some(CommitId::of(b"head")),
            total: 0,
            hits: Vec::new(),
            searched: 0,
            by_path_only: 0,
            unfinished: None,
        };
        self.fail(When::Looking, nothing)
    }

    async fn create(
        &self,
        _sieve: &dyn Sieve,
        _note: &Writable,
        _content: &[u8],
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.fail(When::Changing, committed())
    }

    async fn update(
        &self,
        _note: &Writable,
        _base: &Revision,
        _content: &[u8],
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.fail(When::Changing, committed())
    }

    async fn delete(
        &self,
        _note: &Writable,
        _base: &Revision,
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.fail(When::Changing, committed())
    }
}

/// Every way in which a backend fails while it looks something up.
fn looking() -> Vec<(&'static str, StorageError)> {
    vec![
        ("too large", StorageError::TooLarge { bytes: 120_000_000 }),
        (
            "rate limited",
            StorageError::RateLimited {
                retry_after: Duration::from_secs(61),
            },
        ),
        (
            "rate limited, a moment",
            StorageError::RateLimited {
                retry_after: Duration::from_millis(300),
            },
        ),
        (
            "unavailable",
            StorageError::Unavailable {
                outcome_unknown: false,
            },
        ),
        (
            "unexpected",
            StorageError::Unexpected(format!("Authorization: token {TOKEN}")),
        ),
        (
            "bad credentials",
            StorageError::Denied(Denial::BadCredentials),
        ),
        (
            "no repository",
            StorageError::Denied(Denial::RepositoryNotFound),
        ),
        ("no branch", StorageError::Denied(Denial::BranchNotFound)),
        (
            "no permission",
            StorageError::Denied(Denial::MissingPermission),
        ),
        ("single sign-on", StorageError::Denied(Denial::SingleSignOn)),
    ]
}

/// Those in which a change fails, as far as the contract allows them for `tool` on `path`.
fn changing(tool: &str, path: &str) -> Vec<(&'static str, StorageError)> {
    let mut all = looking();
    all.retain(|(_, error)| !matches!(error, StorageError::TooLarge { .. }));
    all.extend([
        (
            "outcome unknown",
            StorageError::Unavailable {
                outcome_unknown: true,
            },
        ),
        ("archived", StorageError::Denied(Denial::Archived)),
        (
            "protected branch",
            StorageError::Denied(Denial::ProtectedBranch),
        ),
        (
            "rule",
            StorageError::Denied(Denial::RuleViolation(
                "commit message must match".to_owned(),
            )),
        ),
        (
            "secret",
            StorageError::Denied(Denial::SecretFound(
                "GitHub Personal Access Token".to_owned(),
            )),
        ),
    ]);
    let current = Some(Revision::of(b"theirs"));
    if path == "New.md" {
        all.push(("exists", StorageError::AlreadyExists { revision: current }));
        all.push(("obstructed", StorageError::AlreadyExists { revision: None }));
    } else {
        all.push(("conflict", StorageError::Conflict { current }));
        if tool == "delete_note" {
            all.push(("not found", StorageError::NotFound));
        } else {
            all.push(("gone", StorageError::Conflict { current: None }));
        }
    }
    all
}

/// What a tool says of a backend's error.
async fn said(when: When, error: &StorageError, tool: &str, path: &str) -> String {
    let app = TestApp::over(Failing {
        when,
        error: error.clone(),
    });
    let mut arguments = json!({});
    match tool {
        "list_notes" => {}
        "search_notes" => arguments = json!({ "query": "x" }),
        "write_note" => arguments = json!({ "path": path, "content": "new" }),
        _ => arguments = json!({ "path": path }),
    }
    let answer = app.owner().await.call(tool, arguments).await;
    answer.error().to_owned()
}

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
    let denials: Vec<_> = changing("write_note", "Note.md")
        .into_iter()
        .filter(|(_, error)| matches!(error, StorageError::Denied(_)))
        .collect();
    for (name, error) in &denials {
        let said = said(When::Changing, error, "write_note", "Note.md").await;
        assert!(said.starts_with("UPSTREAM_DENIED: "), "{name}: {said}");
        assert!(sentences.insert(said), "{name} reads like another denial");
    }
    assert_eq!(denials.len(), 9);
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
    });
    let owner = app.owner().await;
    for (path, said) in [
        ("Index.md", "\"Index.md\" exists already (revision"),
        ("INDEX.md", "would differ from \"Index.md\" in letter case"),
        (
            "projects/b.md",
            "would differ from \"Projects/\" in letter case",
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
