//! Vaults in memory, and clients of them.

use std::{cell::RefCell, collections::VecDeque, fmt, rc::Rc};

use async_trait::async_trait;
use vault_mcp::{
    login::allowlist::Access,
    storage::memory::{File, MemoryStorage},
    vault::{
        VaultClient,
        client::{DeleteRequest, FilterRequest, ListRequest, TextChange, WriteRequest},
        commit::Author,
        policy::{VaultPolicy, Visible, Writable, parse_prefixes},
        storage::{
            BrowsePage, BrowseQuery, CommitId, CommitInfo, Committed, CompletionPage,
            CompletionQuery, HistoryPage, HistoryQuery, Indexed, LinkQuery, Links, ListQuery,
            Listing, Lookup, Order, Overview, OverviewQuery, Revision, SearchPage, SearchQuery,
            Sieve, StorageError, VaultStorage,
        },
    },
};

/// A vault whose first commit holds `notes`; without notes there is no commit.
pub(crate) fn vault<B: AsRef<[u8]>>(notes: &[(&str, B)]) -> Rc<Vault> {
    let inner = if notes.is_empty() {
        MemoryStorage::empty()
    } else {
        let files = notes
            .iter()
            .map(|(path, text)| ((*path).to_owned(), File::regular(text)));
        MemoryStorage::with(files)
    };
    Rc::new(Vault {
        inner,
        interruptions: RefCell::default(),
    })
}

/// Somebody else, at work between a client's look at a note and its change.
type Interruption = Box<dyn FnOnce(&MemoryStorage)>;

/// A vault in memory in which somebody else can come between.
pub(crate) struct Vault {
    inner: MemoryStorage,
    interruptions: RefCell<VecDeque<Interruption>>,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl Vault {
    /// The backend, past every policy.
    pub(crate) fn inner(&self) -> &MemoryStorage {
        &self.inner
    }

    /// Lets somebody else do something just before the next change reaches the backend. Given
    /// again, it waits for the change after that.
    pub(crate) fn interrupt(&self, interruption: impl FnOnce(&MemoryStorage) + 'static) {
        self.interruptions
            .borrow_mut()
            .push_back(Box::new(interruption));
    }

    /// Somebody else writes a note.
    pub(crate) fn push(&self, path: &str, text: &str) -> CommitId {
        push(&self.inner, path, text)
    }

    /// A client that may do everything.
    pub(crate) fn client(self: &Rc<Self>) -> VaultClient {
        self.client_under("", "", Access::ReadWrite)
    }

    /// A client under a policy.
    pub(crate) fn client_under(
        self: &Rc<Self>,
        allowed: &str,
        denied: &str,
        access: Access,
    ) -> VaultClient {
        let allowed = parse_prefixes(allowed).unwrap();
        let policy = VaultPolicy::new(allowed, &parse_prefixes(denied).unwrap(), false);
        let storage: Rc<dyn VaultStorage> = Rc::<Self>::clone(self);
        let author = Author::new("A. Writer", "writer@example.test", "Test client");
        VaultClient::new(storage, Rc::new(policy), access, author)
    }

    fn be_interrupted(&self) {
        let interruption = self.interruptions.borrow_mut().pop_front();
        if let Some(interruption) = interruption {
            interruption(&self.inner);
        }
    }
}

/// Somebody else writes a note.
pub(crate) fn push(storage: &MemoryStorage, path: &str, text: &str) -> CommitId {
    storage.push(|files| {
        files.insert(path.to_owned(), File::regular(text));
    })
}

#[async_trait(?Send)]
impl VaultStorage for Vault {
    async fn list(&self, query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        self.inner.list(query).await
    }

    async fn read(
        &self,
        sieve: &dyn Sieve,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        self.inner.read(sieve, note, at).await
    }

    async fn browse(&self, query: &BrowseQuery<'_>) -> Result<Indexed<BrowsePage>, StorageError> {
        self.inner.browse(query).await
    }

    async fn history(&self, query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        self.inner.history(query).await
    }

    async fn complete(
        &self,
        query: &CompletionQuery<'_>,
    ) -> Result<Indexed<CompletionPage>, StorageError> {
        self.inner.complete(query).await
    }

    async fn overview(&self, query: &OverviewQuery<'_>) -> Result<Indexed<Overview>, StorageError> {
        self.inner.overview(query).await
    }

    async fn links(&self, query: &LinkQuery<'_>) -> Result<Indexed<Links>, StorageError> {
        self.inner.links(query).await
    }

    async fn search(&self, query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        self.inner.search(query).await
    }

    async fn create(
        &self,
        sieve: &dyn Sieve,
        note: &Writable,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.be_interrupted();
        self.inner.create(sieve, note, content, info).await
    }

    async fn update(
        &self,
        note: &Writable,
        base: &Revision,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.be_interrupted();
        self.inner.update(note, base, content, info).await
    }

    async fn delete(
        &self,
        note: &Writable,
        base: &Revision,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.be_interrupted();
        self.inner.delete(note, base, info).await
    }
}

/// A whole folder on one page.
pub(crate) fn all_of(dir: &str) -> ListRequest<'_> {
    ListRequest {
        dir,
        depth: None,
        filter: FilterRequest::default(),
        order: Order::Path,
        limit: 1_000,
        cursor: None,
    }
}

/// Changes the text of a note, whatever it holds.
pub(crate) fn change<'a>(path: &'a str, text: TextChange<'a>) -> WriteRequest<'a> {
    WriteRequest {
        path,
        text,
        properties: &[],
        expected_revision: None,
        dry_run: false,
        message: None,
    }
}

/// Overwrites a note, whatever it holds.
pub(crate) fn overwrite<'a>(path: &'a str, content: &'a str) -> WriteRequest<'a> {
    change(
        path,
        TextChange::Overwrite {
            content,
            section: None,
        },
    )
}

/// Makes a new note.
pub(crate) fn create<'a>(path: &'a str, content: &'a str) -> WriteRequest<'a> {
    change(path, TextChange::Create { content })
}

/// Deletes a note, whatever it holds.
pub(crate) fn delete(path: &str) -> DeleteRequest<'_> {
    DeleteRequest {
        path,
        expected_revision: None,
        message: None,
    }
}
