//! The one way to the notes: [`VaultClient`].
//!
//! Every operation has the same shape. The caller's strings are parsed, the policy judges them,
//! and only then is the backend asked; a refusal costs no call. What the backend hands back is
//! judged again before it leaves.

mod change;
mod complete;
mod content;
mod delete;
mod filter;
mod folder;
mod history;
mod links;
mod list;
mod overview;
mod read;
mod room;
mod search;
mod sweep;
mod write;

use std::{fmt, rc::Rc};

pub use change::{MAX_NOTE_BYTES, Replaced, WriteOutcome, Written};
pub use complete::Completions;
pub use content::TextChange;
pub use delete::{DeleteRequest, Deleted};
pub use filter::FilterRequest;
pub use history::{HistoryRequest, MAX_COMMITS, NoteHistory, TouchingCommit};
pub use links::{Backlinks, Linked, MAX_BACKLINKS};
pub use list::{FolderSummary, ListRequest, ListedNote, MAX_PAGE, NotePage};
pub use overview::{IndexedFacts, VaultOverview};
pub use read::{Note, ReadNote, Reading};
pub use search::{FoundNote, FoundPage, MAX_HITS, SearchMode, SearchRequest};
pub use write::WriteRequest;

use super::{
    commit::Author,
    error::{ReadOnly, VaultError},
    path::{DirPath, VaultPath},
    policy::{VaultPolicy, Visible, Writable},
    storage::{CommitId, Revision, VaultStorage},
};
use crate::login::allowlist::Access;

/// The vault as one caller may use it. The only caller of [`VaultStorage`].
#[derive(Clone)]
pub struct VaultClient {
    storage: Rc<dyn VaultStorage>,
    policy: Rc<VaultPolicy>,
    access: Access,
    author: Author,
}

impl fmt::Debug for VaultClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultClient")
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

impl VaultClient {
    /// The vault that `storage` keeps, under `policy`, for somebody with `access` whose changes
    /// are made in the name of `author`.
    #[must_use]
    pub fn new(
        storage: Rc<dyn VaultStorage>,
        policy: Rc<VaultPolicy>,
        access: Access,
        author: Author,
    ) -> Self {
        Self {
            storage,
            policy,
            access,
            author,
        }
    }

    /// Whether this caller may change anything at all.
    #[must_use]
    pub fn may_write(&self) -> bool {
        self.check_writable().is_ok()
    }

    /// The policy that every path is judged by.
    #[must_use]
    pub fn policy(&self) -> &VaultPolicy {
        &self.policy
    }

    /// The person in whose name changes are made, and the client through which.
    #[must_use]
    pub const fn author(&self) -> &Author {
        &self.author
    }

    /// Whether this caller may change anything.
    ///
    /// # Errors
    /// `READ_ONLY`, with the reason.
    pub fn check_writable(&self) -> Result<(), VaultError> {
        self.read_only()
            .map_or(Ok(()), |reason| Err(VaultError::ReadOnly(reason)))
    }

    /// Why this caller may change nothing; `None` where they may.
    fn read_only(&self) -> Option<ReadOnly> {
        if self.policy.is_read_only() {
            return Some(ReadOnly::Vault);
        }
        match self.access {
            Access::ReadWrite => None,
            Access::ReadOnly => Some(ReadOnly::Login),
        }
    }

    /// The note that `path` names, if it may be shown.
    fn visible(&self, path: &str) -> Result<Visible, VaultError> {
        let parsed = VaultPath::parse(path).map_err(|error| VaultError::malformed(path, error))?;
        self.policy
            .read(&parsed)
            .map_err(|denied| VaultError::unreadable(path, &denied))
    }

    /// The note that `path` names, if this caller may change it where it exists. Invariants of the
    /// whole vault come first, then the path; what the backend holds plays no part.
    fn writable(&self, path: &str) -> Result<Writable, VaultError> {
        self.check_writable()?;
        let parsed = VaultPath::parse(path).map_err(|error| VaultError::malformed(path, error))?;
        self.policy
            .write(&parsed)
            .map_err(|denied| VaultError::unwritable(path, denied))
    }

    /// The folder that `dir` names, if it may be listed.
    fn dir(&self, dir: &str) -> Result<DirPath, VaultError> {
        let parsed = DirPath::parse(dir).map_err(|error| VaultError::malformed(dir, error))?;
        self.policy
            .dir(&parsed)
            .map_err(|denied| VaultError::unreadable(dir, &denied))?;
        Ok(parsed)
    }

    /// A path that came back from the backend, if this client's own policy shows it.
    fn readmit(&self, path: &Visible) -> bool {
        self.policy.read(path.path()).is_ok()
    }

    /// The same, and whether it lies below `dir`.
    fn is_shown_below(&self, dir: &DirPath, path: &Visible) -> bool {
        self.readmit(path) && dir.strip(path.as_str()).is_some()
    }

    /// The commit that a caller names.
    fn commit(argument: &'static str, commit: &str) -> Result<CommitId, VaultError> {
        CommitId::parse(commit).map_err(|_| VaultError::InvalidArgument {
            argument,
            problem: "must be a commit id: 40 hexadecimal digits".to_owned(),
        })
    }

    /// The revision that a caller expects a note to have.
    fn expected(revision: Option<&str>) -> Result<Option<Revision>, VaultError> {
        revision
            .map(Revision::parse)
            .transpose()
            .map_err(|_| VaultError::InvalidArgument {
                argument: "expected_revision",
                problem: "must be a note's revision as read_note returns it: 40 hexadecimal digits"
                    .to_owned(),
            })
    }
}

/// Refuses a page of nothing, and one of more than `most`.
fn check_limit(limit: usize, most: usize) -> Result<(), VaultError> {
    if (1..=most).contains(&limit) {
        return Ok(());
    }
    let problem = format!("must be from 1 to {most}");
    Err(VaultError::invalid("limit", &problem))
}
