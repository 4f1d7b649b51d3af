//! The backends that the storage contract is held against, each with somebody else who pushes.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::task::LocalSet;
use vault_mcp::{
    runtime::{Clock, Sleep, Timestamp},
    storage::memory::{File, MemoryStorage},
    vault::{
        path::{DirPath, VaultPath},
        permit::Permit,
        policy::{VaultPolicy, Visible, Writable},
        storage::{CommitId, CommitInfo, ListQuery, Listing, Lookup, StorageError, VaultStorage},
    },
};
use vault_mcp_dev::{Mode, SeedFile};

/// A vault under test.
#[async_trait(?Send)]
pub(crate) trait Subject {
    /// The backend.
    fn storage(&self) -> &dyn VaultStorage;

    /// Waits as long as a refusal asks to, at the pace of tests.
    async fn wait(&self, duration: Duration) {
        ShortSleep.sleep(duration).await;
    }

    /// Whether it knows which notes link to which.
    fn knows_links(&self) -> bool {
        true
    }

    /// A commit by somebody else: `Some` writes a path, `None` deletes it.
    async fn push(&self, changes: &[(&str, Option<&[u8]>)]);
}

/// A vault in memory.
#[derive(Debug)]
pub(crate) struct InMemory(MemoryStorage);

impl InMemory {
    /// A vault whose first commit holds `files`; without files there is no commit.
    pub(crate) fn start(files: Vec<SeedFile>) -> Self {
        if files.is_empty() {
            return Self(MemoryStorage::empty());
        }
        Self(MemoryStorage::with(files.into_iter().map(|file| {
            let kind = match file.mode {
                Mode::Regular | Mode::Executable => File::regular(file.bytes),
                Mode::Symlink => File::Symlink,
                Mode::Submodule => File::Submodule,
            };
            (file.path, kind)
        })))
    }
}

#[async_trait(?Send)]
impl Subject for InMemory {
    fn storage(&self) -> &dyn VaultStorage {
        &self.0
    }

    async fn push(&self, changes: &[(&str, Option<&[u8]>)]) {
        self.0.push(|files| {
            for (path, content) in changes {
                match content {
                    Some(bytes) => files.insert((*path).to_owned(), File::regular(bytes)),
                    None => files.remove(*path),
                };
            }
        });
    }
}

/// The time of this machine.
#[derive(Debug)]
pub(crate) struct HostClock;

impl Clock for HostClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap();
        Timestamp::from_unix_seconds(since.as_secs())
    }
}

/// Waits a fiftieth of what it is asked to, so that pauses keep their order and tests their pace.
#[derive(Debug)]
pub(crate) struct ShortSleep;

#[async_trait(?Send)]
impl Sleep for ShortSleep {
    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration / 50).await;
    }
}

/// Runs a test on a runtime of its own.
pub(crate) fn run(case: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, case);
}

/// The policy that hides nothing but what every policy hides.
pub(crate) fn open_policy() -> VaultPolicy {
    VaultPolicy::new(Vec::new(), &[], false)
}

/// The witness that lets `path` be read.
pub(crate) fn visible(path: &str) -> Visible {
    open_policy()
        .read(&VaultPath::parse(path).unwrap())
        .unwrap()
}

/// The witness that lets `path` be written.
pub(crate) fn writable(path: &str) -> Writable {
    open_policy()
        .write(&VaultPath::parse(path).unwrap())
        .unwrap()
}

/// What a commit says in these tests.
pub(crate) fn info(message: &str) -> CommitInfo {
    CommitInfo {
        author_name: "A. Writer".to_owned(),
        author_email: "writer@example.test".to_owned(),
        message: message.to_owned(),
        permit: Permit::default(),
    }
}

/// Reads `path` at the head.
pub(crate) async fn read(storage: &dyn VaultStorage, path: &str) -> Result<Lookup, StorageError> {
    storage.read(&open_policy(), &visible(path), None).await
}

/// Lists everything below `dir` at `at`.
pub(crate) async fn list(
    storage: &dyn VaultStorage,
    dir: &str,
    at: Option<CommitId>,
) -> Result<Listing, StorageError> {
    let policy = open_policy();
    storage
        .list(&ListQuery {
            sieve: &policy,
            dir: DirPath::parse(dir).unwrap(),
            at,
        })
        .await
}

/// The paths of a listing.
pub(crate) fn paths(listing: &Listing) -> Vec<&str> {
    listing
        .entries
        .iter()
        .map(|entry| entry.path.as_str())
        .collect()
}
