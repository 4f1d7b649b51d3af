//! A backend that hands out what nobody asked for: the client judges every path again.

use std::{cell::RefCell, rc::Rc};

use async_trait::async_trait;
use vault_mcp::{
    login::allowlist::Access,
    vault::{
        VaultClient, VaultError,
        client::HistoryRequest,
        commit::Author,
        path::VaultPath,
        policy::{VaultPolicy, Visible, Writable, parse_prefixes},
        storage::{
            ChangeKind, CommitId, CommitInfo, Committed, Entry, HistoryPage, HistoryQuery,
            ListQuery, Listing, Lookup, NoteChange, NoteCommit, Revision, Sieve, StorageError,
            StoredNote, VaultStorage,
        },
    },
};

use crate::support::vaults::{all_of, create, delete, overwrite};

/// A backend that makes its own witnesses and answers every question with all it has.
#[derive(Default)]
struct Leaky {
    /// What every listing holds.
    listed: Vec<&'static str>,
    /// The note that every path leads to.
    note: Option<&'static str>,
    /// What every path that leads to no note is said to have for twins.
    twins: Vec<&'static str>,
    /// The paths that were read, each with the commit it was asked for at.
    reads: RefCell<Vec<(String, Option<CommitId>)>>,
}

fn witness(path: &str) -> Visible {
    let everything = VaultPolicy::new(Vec::new(), &[], false);
    everything.read(&VaultPath::parse(path).unwrap()).unwrap()
}

fn head() -> CommitId {
    CommitId::of(b"head")
}

impl Leaky {
    fn client(self: &Rc<Self>) -> VaultClient {
        let allowed = parse_prefixes("A").unwrap();
        let policy = VaultPolicy::new(allowed, &parse_prefixes("A/Private").unwrap(), false);
        let storage: Rc<dyn VaultStorage> = Rc::<Self>::clone(self);
        let author = Author::new("A. Writer", "writer@example.test", "Test");
        VaultClient::new(storage, Rc::new(policy), Access::ReadWrite, author)
    }
}

#[async_trait(?Send)]
impl VaultStorage for Leaky {
    async fn list(&self, _query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        let entries = self.listed.iter().map(|path| Entry {
            path: witness(path),
            revision: Revision::of(b""),
            bytes: 0,
        });
        Ok(Listing {
            commit: Some(head()),
            entries: entries.collect(),
        })
    }

    async fn read(
        &self,
        _sieve: &dyn Sieve,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        self.reads
            .borrow_mut()
            .push((note.as_str().to_owned(), at.cloned()));
        let note = self.note.map(|path| StoredNote {
            path: witness(path),
            revision: Revision::of(b"secret"),
            content: b"secret".to_vec(),
        });
        let twins = self.twins.iter().map(|path| witness(path)).collect();
        Ok(Lookup {
            commit: Some(head()),
            note,
            twins,
        })
    }

    async fn history(&self, _query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        Ok(HistoryPage {
            from: Some(head()),
            commits: vec![NoteCommit {
                commit: head(),
                at: None,
                author: String::new(),
                message: None,
                change: Some(NoteChange {
                    kind: ChangeKind::Added,
                    revision: None,
                    renamed_from: self.note.map(witness),
                    diff: None,
                }),
            }],
            has_more: false,
        })
    }

    async fn create(
        &self,
        _sieve: &dyn Sieve,
        _note: &Writable,
        _content: &[u8],
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        Ok(Committed {
            commit: head(),
            url: None,
            recreated: false,
        })
    }

    async fn update(
        &self,
        _note: &Writable,
        _base: &Revision,
        _content: &[u8],
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        Err(StorageError::Unexpected(
            "token github_pat_x refused".to_owned(),
        ))
    }

    async fn delete(
        &self,
        _note: &Writable,
        _base: &Revision,
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        Err(StorageError::Unexpected(
            "token github_pat_x refused".to_owned(),
        ))
    }
}

fn missing(path: &str) -> VaultError {
    VaultError::NotFound {
        path: path.to_owned(),
        near: Vec::new(),
    }
}

#[tokio::test]
async fn a_listing_loses_what_policy_hides_and_what_lies_elsewhere() {
    let storage = Rc::new(Leaky {
        listed: vec![
            "A/B/a.md",
            "A/Private/x.md",
            "A/b.md",
            "A/private/y.md",
            "B/a.md",
        ],
        ..Leaky::default()
    });
    let client = storage.client();
    let page = client.list(&all_of("A/B")).await.unwrap();
    let paths: Vec<_> = page.notes.iter().map(|note| note.path.as_str()).collect();
    assert_eq!((paths, page.total), (vec!["A/B/a.md"], 1));
    let page = client.list(&all_of("")).await.unwrap();
    assert_eq!(page.total, 2);
    let folders: Vec<_> = page
        .folders
        .iter()
        .map(|f| (f.path.as_str(), f.notes))
        .collect();
    assert_eq!(folders, [("A", 2)]);
}

#[tokio::test]
async fn a_history_does_not_name_what_policy_hides() {
    for (before, shown) in [("A/Private/x.md", None), ("A/y.md", Some("A/y.md"))] {
        let storage = Rc::new(Leaky {
            note: Some(before),
            ..Leaky::default()
        });
        let request = HistoryRequest {
            path: "A/x.md",
            limit: 10,
            cursor: None,
            diff: false,
        };
        let history = storage.client().history(&request).await.unwrap();
        let renamed_from = history.commits[0].renamed_from.as_ref();
        assert_eq!(renamed_from.map(VaultPath::as_str), shown);
    }
}

#[tokio::test]
async fn a_note_from_another_path_is_not_shown_changed_or_deleted() {
    let storage = Rc::new(Leaky {
        note: Some("A/Private/x.md"),
        ..Leaky::default()
    });
    let client = storage.client();
    assert_eq!(client.read("A/x.md", None).await, Err(missing("A/x.md")));
    assert_eq!(
        client.delete(&delete("A/x.md")).await,
        Err(missing("A/x.md"))
    );
    // Not an update of the other note, but a note of its own.
    client.write(&create("A/x.md", "mine")).await.unwrap();
}

#[tokio::test]
async fn twins_are_twins_and_visible() {
    let storage = Rc::new(Leaky {
        twins: vec!["A/Private/x.md", "A/other.md", "a/X.md", "A/x.md"],
        ..Leaky::default()
    });
    let client = storage.client();
    assert_eq!(client.read("A/x.md", None).await, Err(missing("A/x.md")));
    assert_eq!(
        client.delete(&delete("A/x.md")).await,
        Err(missing("A/x.md"))
    );
    let storage = Rc::new(Leaky {
        twins: vec!["A/other.md", "A/X.md"],
        ..Leaky::default()
    });
    let error = storage
        .client()
        .delete(&delete("A/x.md"))
        .await
        .unwrap_err();
    assert_eq!(
        error,
        VaultError::NotFound {
            path: "A/x.md".to_owned(),
            near: vec!["A/X.md".to_owned()]
        }
    );
}

#[tokio::test]
async fn a_twin_is_read_from_the_commit_in_which_it_was_the_only_one() {
    let storage = Rc::new(Leaky {
        twins: vec!["A/X.md"],
        ..Leaky::default()
    });
    assert_eq!(
        storage.client().read("A/x.md", None).await,
        Err(missing("A/x.md"))
    );
    let expected = [
        ("A/x.md".to_owned(), None),
        ("A/X.md".to_owned(), Some(head())),
    ];
    assert_eq!(storage.reads.take(), expected);
    let gone = storage
        .client()
        .write(&overwrite("A/x.md", "new"))
        .await
        .unwrap_err();
    assert_eq!(storage.reads.take(), expected);
    assert_eq!(gone.code().as_str(), "NOT_FOUND");
}

#[tokio::test]
async fn an_answer_that_nobody_expects_leaves_the_outcome_open_and_says_no_more() {
    let storage = Rc::new(Leaky {
        note: Some("A/x.md"),
        ..Leaky::default()
    });
    let client = storage.client();
    for error in [
        client.write(&overwrite("A/x.md", "new")).await.unwrap_err(),
        client.delete(&delete("A/x.md")).await.unwrap_err(),
    ] {
        assert!(
            matches!(
                &error,
                VaultError::UpstreamUnavailable {
                    outcome_unknown: true,
                    detail: Some(_)
                }
            ),
            "{error:?}"
        );
        assert!(!error.to_string().contains("github_pat"), "{error}");
    }
}
