//! Backends that tell what they were asked.

use std::{cell::RefCell, rc::Rc};

use async_trait::async_trait;
use vault_mcp::{
    runtime::Timestamp,
    vault::{
        policy::{Visible, Writable},
        storage::{
            BrowsePage, BrowseQuery, CommitId, CommitInfo, Committed, CompletionPage,
            CompletionQuery, Entry, HistoryPage, HistoryQuery, Indexed, LinkQuery, Links,
            ListQuery, Listing, Lookup, Lookups, NoteCommit, Overview, OverviewQuery, Revision,
            SearchHit, SearchPage, SearchQuery, Sieve, StorageError, StoredNote, SweepPage,
            SweepQuery, VaultStorage,
        },
    },
};

/// A backend, with a record of every call that reached it.
#[derive(Debug)]
pub(crate) struct Recording<S> {
    inner: S,
    calls: RefCell<Vec<String>>,
}

impl<S> Recording<S> {
    pub(crate) fn new(inner: S) -> Rc<Self> {
        Rc::new(Self {
            inner,
            calls: RefCell::default(),
        })
    }

    /// The backend itself.
    pub(crate) fn inner(&self) -> &S {
        &self.inner
    }

    /// The calls since the last time this was asked, such as `read a.md`.
    pub(crate) fn take_calls(&self) -> Vec<String> {
        self.calls.take()
    }

    fn record(&self, call: &str, path: &str) {
        self.calls.borrow_mut().push(format!("{call} {path}"));
    }
}

#[async_trait(?Send)]
impl<S: VaultStorage> VaultStorage for Recording<S> {
    async fn list(&self, query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        self.record("list", query.dir.as_str());
        self.inner.list(query).await
    }

    async fn read(
        &self,
        sieve: &dyn Sieve,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        self.record("read", note.as_str());
        self.inner.read(sieve, note, at).await
    }

    async fn read_together(
        &self,
        sieve: &dyn Sieve,
        notes: &[Visible],
        at: Option<&CommitId>,
    ) -> Result<Lookups, StorageError> {
        for note in notes {
            self.record("read", note.as_str());
        }
        self.inner.read_together(sieve, notes, at).await
    }

    async fn links(&self, query: &LinkQuery<'_>) -> Result<Indexed<Links>, StorageError> {
        for note in query.notes {
            self.record("links", note.path.as_str());
        }
        self.inner.links(query).await
    }

    async fn browse(&self, query: &BrowseQuery<'_>) -> Result<Indexed<BrowsePage>, StorageError> {
        self.record("browse", query.dir.as_str());
        self.inner.browse(query).await
    }

    async fn history(&self, query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        self.record("history", query.note.as_str());
        self.inner.history(query).await
    }

    async fn complete(
        &self,
        query: &CompletionQuery<'_>,
    ) -> Result<Indexed<CompletionPage>, StorageError> {
        self.record("complete", query.typed);
        self.inner.complete(query).await
    }

    async fn overview(&self, query: &OverviewQuery<'_>) -> Result<Indexed<Overview>, StorageError> {
        self.record("overview", "");
        self.inner.overview(query).await
    }

    async fn hear_of(&self, reference: &str, commit: &CommitId) -> Result<(), StorageError> {
        self.record("hear of", &format!("{reference} {commit}"));
        self.inner.hear_of(reference, commit).await
    }

    async fn search(&self, query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        self.record("search", query.query.as_str());
        self.inner.search(query).await
    }

    async fn sweep(&self, query: &SweepQuery<'_>) -> Result<Indexed<SweepPage>, StorageError> {
        self.record("sweep", query.pattern.as_str());
        self.inner.sweep(query).await
    }

    async fn create(
        &self,
        sieve: &dyn Sieve,
        note: &Writable,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.record("create", note.as_str());
        self.inner.create(sieve, note, content, info).await
    }

    async fn update(
        &self,
        note: &Writable,
        base: &Revision,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.record("update", note.as_str());
        self.inner.update(note, base, content, info).await
    }

    async fn delete(
        &self,
        note: &Writable,
        base: &Revision,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.record("delete", note.as_str());
        self.inner.delete(note, base, info).await
    }
}

/// A backend in which every path is a note and every folder holds one: whatever is refused over it
/// is refused by the policy.
#[derive(Debug)]
pub(crate) struct Everywhere;

/// The content of every note that is [`Everywhere`].
pub(crate) const EVERYWHERE: &[u8] = b"here\n";

fn head() -> CommitId {
    CommitId::of(b"head")
}

/// A change that was made.
pub(crate) fn committed() -> Committed {
    Committed {
        commit: CommitId::of(b"next"),
        url: None,
        recreated: false,
    }
}

#[async_trait(?Send)]
impl VaultStorage for Everywhere {
    async fn list(&self, query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        let path = if query.dir.is_root() {
            "Note.md".to_owned()
        } else {
            format!("{}/Note.md", query.dir)
        };
        let entries = query.sieve.admit(&path).map(|path| Entry {
            path,
            revision: Revision::of(EVERYWHERE),
            bytes: EVERYWHERE.len() as u64,
        });
        Ok(Listing {
            commit: Some(head()),
            entries: entries.into_iter().collect(),
        })
    }

    async fn read(
        &self,
        _sieve: &dyn Sieve,
        note: &Visible,
        _at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        let note = StoredNote {
            path: note.clone(),
            revision: Revision::of(EVERYWHERE),
            content: EVERYWHERE.to_vec(),
        };
        Ok(Lookup {
            commit: Some(head()),
            note: Some(note),
            twins: Vec::new(),
        })
    }

    async fn history(&self, query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        Ok(HistoryPage {
            from: Some(head()),
            commits: vec![NoteCommit {
                commit: head(),
                at: Some(Timestamp::from_unix_seconds(1_796_000_000)),
                author: "A. Writer".to_owned(),
                message: Some(format!("write {}", query.note.as_str())),
                change: None,
            }],
            has_more: false,
        })
    }

    async fn search(&self, query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        let asked = ListQuery {
            sieve: query.sieve,
            dir: query.dir.clone(),
            at: None,
        };
        let Listing { commit, entries } = self.list(&asked).await?;
        let hits = entries.into_iter().map(|entry| SearchHit {
            path: entry.path,
            title: "Note".to_owned(),
            excerpt: None,
        });
        let hits: Vec<SearchHit> = hits.collect();
        Ok(SearchPage {
            commit,
            total: hits.len(),
            searched: hits.len() as u64,
            hits,
            by_path_only: 0,
            unfinished: None,
        })
    }

    async fn create(
        &self,
        _sieve: &dyn Sieve,
        _note: &Writable,
        _content: &[u8],
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        Err(StorageError::AlreadyExists {
            revision: Some(Revision::of(EVERYWHERE)),
        })
    }

    async fn update(
        &self,
        _note: &Writable,
        _base: &Revision,
        _content: &[u8],
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        Ok(committed())
    }

    async fn delete(
        &self,
        _note: &Writable,
        _base: &Revision,
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        Ok(committed())
    }
}
