//! What a place that keeps notes has to do: [`VaultStorage`], written as a specification.
//!
//! A backend moves bytes and decides nothing. It cannot be asked for a path that the policy has not
//! passed, because its methods take the policy's witnesses; and it cannot hand out a path that the
//! policy hides, because the paths in its answers are witnesses too, made by the caller's [`Sieve`].

mod catalog;
mod history;
mod links;
mod object_id;
mod sweep;

use std::{fmt, time::Duration};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use super::denial::{AppProblem, Denial};
use super::{
    filter::NoteFilter,
    path::{DirPath, VaultPath},
    permit::Permit,
    policy::{Visible, Writable},
    text::{Excerpt, Hit, Query},
};
pub use catalog::{
    BrowsePage, BrowseQuery, CatalogEntry, CompletionPage, CompletionQuery, FolderCount, Indexed,
    Order, Overview, OverviewQuery, RECENT, TOP_TAGS, TagCount,
};
pub use history::{ChangeKind, HistoryPage, HistoryQuery, MAX_DIFF_BYTES, NoteChange, NoteCommit};
pub use links::{Backlink, LinkQuery, LinkedNote, Links, NoteLinks};
pub use object_id::{CommitId, NotAnObjectId, Revision};
pub use sweep::{SweepPage, SweepQuery};

/// Decides which paths may leave a backend. The policy is its only implementation.
pub trait Sieve {
    /// The witness for `path`, or `None` where the policy does not show it or it is no note.
    fn admit(&self, path: &str) -> Option<Visible>;

    /// Whether the policy keeps `path` from view whatever kind of file it is: an attachment beside a
    /// note is neither shown nor hidden.
    fn hides(&self, path: &str) -> bool;
}

/// Which notes to list.
#[derive(Clone)]
pub struct ListQuery<'a> {
    /// What may be shown at all.
    pub sieve: &'a dyn Sieve,
    /// Only notes below this folder, at any depth; the root lists all.
    pub dir: DirPath,
    /// The commit to list, which must be the head or an ancestor of it; the head where `None`.
    pub at: Option<CommitId>,
}

impl fmt::Debug for ListQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListQuery")
            .field("dir", &self.dir)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

/// A note as a listing knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: Visible,
    /// Its revision.
    pub revision: Revision,
    /// Its size in bytes.
    pub bytes: u64,
}

/// All notes below a folder at one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The commit that was listed; `None` while the repository has no commit at all.
    pub commit: Option<CommitId>,
    /// The notes in ascending order of their path's bytes, each once.
    pub entries: Vec<Entry>,
}

/// A note with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredNote {
    /// Where it is.
    pub path: Visible,
    /// Its revision; always [`Revision::of`] `content`.
    pub revision: Revision,
    /// Its bytes, exactly as stored.
    pub content: Vec<u8>,
}

/// What a backend has for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The commit that was looked into; `None` while the repository has no commit at all.
    pub commit: Option<CommitId>,
    /// The note at exactly this path.
    pub note: Option<StoredNote>,
    /// Where there is no such note: every note whose path differs only in letter case or in
    /// Unicode normalization ([`Visible::fold`] is equal), in ascending order. Otherwise empty.
    pub twins: Vec<Visible>,
}

impl Lookup {
    /// The size of the note, where there is one.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.note.as_ref().map_or(0, |note| note.content.len())
    }
}

/// What a backend has for several paths. A note above the backend's limit has
/// [`StorageError::TooLarge`] in its place, and nothing else is an error there.
pub type Lookups = Vec<Result<Lookup, StorageError>>;

/// How many bytes of notes are read together. No answer to a caller holds as many.
pub const ENOUGH_BYTES: usize = 1_000_000;

/// What to search for, and which of the hits to give out.
#[derive(Clone)]
pub struct SearchQuery<'a> {
    /// What may be shown at all.
    pub sieve: &'a dyn Sieve,
    /// What has to be found.
    pub query: &'a Query,
    /// Only notes below this folder, at any depth; the root searches all.
    pub dir: DirPath,
    /// Only notes that meet this.
    pub filter: &'a NoteFilter,
    /// How many of the best hits to leave out.
    pub offset: usize,
    /// How many hits to give out at the most.
    pub limit: usize,
}

impl fmt::Debug for SearchQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchQuery")
            .field("dir", &self.dir)
            .field("offset", &self.offset)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// A note in which a query was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchHit<P = Visible> {
    /// Where it is.
    pub path: P,
    /// Its title.
    pub title: String,
    /// The place in its text that says most about the query; `None` where the path alone does.
    pub excerpt: Option<Excerpt>,
}

impl From<Hit> for SearchHit<VaultPath> {
    fn from(hit: Hit) -> Self {
        Self {
            path: hit.path,
            title: hit.title,
            excerpt: hit.excerpt,
        }
    }
}

impl<P> SearchHit<P> {
    /// The same with another form of the path; `None` where the path has none.
    pub fn with_path<Q>(self, convert: impl Fn(P) -> Option<Q>) -> Option<SearchHit<Q>> {
        Some(SearchHit {
            path: convert(self.path)?,
            title: self.title,
            excerpt: self.excerpt,
        })
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchPage<P = Visible> {
    /// The commit that was searched; `None` while the repository has no commit at all.
    pub commit: Option<CommitId>,
    /// How many notes hold the query.
    pub total: usize,
    /// Those of them that were asked for, the best first.
    pub hits: Vec<SearchHit<P>>,
    /// How many notes were searched.
    pub searched: u64,
    /// How many of those were searched by their path alone, because their text is too large or is
    /// no text.
    pub by_path_only: u64,
    /// Where not all notes could be searched yet: how far the backend is. The rest then says what
    /// was found so far, and must not be taken for the whole.
    pub unfinished: Option<Progress>,
}

impl<P> SearchPage<P> {
    /// What a search in a repository without commits finds.
    #[must_use]
    pub const fn of_nothing() -> Self {
        Self {
            commit: None,
            total: 0,
            hits: Vec::new(),
            searched: 0,
            by_path_only: 0,
            unfinished: None,
        }
    }

    /// The same with other paths; where `convert` has none, the hit is left out.
    #[must_use]
    pub fn with_paths<Q>(self, convert: impl Fn(P) -> Option<Q>) -> SearchPage<Q> {
        let hits = self.hits.into_iter();
        SearchPage {
            hits: hits.filter_map(|hit| hit.with_path(&convert)).collect(),
            commit: self.commit,
            total: self.total,
            searched: self.searched,
            by_path_only: self.by_path_only,
            unfinished: self.unfinished,
        }
    }
}

/// How far a backend is with what it needs for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Notes that can be searched.
    pub indexed: u64,
    /// Notes that there are, where known.
    pub total: Option<u64>,
}

/// Who makes a change, and how its commit reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitInfo {
    /// The author's name: one line.
    pub author_name: String,
    /// The author's e-mail address: one line.
    pub author_email: String,
    /// The whole message, trailers included.
    pub message: String,
    /// What the change shows when its turn has come.
    pub permit: Permit,
}

/// A change that is in the repository's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    /// The commit that holds the change.
    pub commit: CommitId,
    /// Where a person can look at it.
    pub url: Option<String>,
    /// Whether a note was made where, to the backend's knowledge, one was expected: it had been
    /// deleted by somebody else, and the write brought the path back.
    pub recreated: bool,
}

/// A place that keeps the notes of one vault.
///
/// Only regular files count: symbolic links, submodules and folders are never listed, found, read
/// or changed. `at` selects a commit; a backend answers [`StorageError::UnknownCommit`] when it is
/// neither the head nor an ancestor of it.
#[async_trait(?Send)]
pub trait VaultStorage {
    /// Lists the notes below a folder.
    ///
    /// # Behavior
    /// - The answer is complete, or it is an error: never a listing cut short.
    /// - A repository without commits has no notes.
    /// - A folder that does not exist has no notes.
    ///
    /// # Errors
    /// Any [`StorageError`] but `NotFound`, `AlreadyExists`, `NoRoom`, `FolderTwin` and `Conflict`.
    async fn list(&self, query: &ListQuery<'_>) -> Result<Listing, StorageError>;

    /// Looks a path up, and reads the note that is exactly there.
    ///
    /// # Behavior
    /// - A missing note is not an error: `note` is `None`, and `twins` says what is almost there.
    /// - `content` hashes to `revision`; a backend checks what it was sent.
    ///
    /// # Errors
    /// [`StorageError::TooLarge`] for a note above the backend's limit, and any other but
    /// `NotFound`, `AlreadyExists`, `NoRoom`, `FolderTwin` and `Conflict`.
    async fn read(
        &self,
        sieve: &dyn Sieve,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError>;

    /// Looks several paths up, in their order and all at one commit.
    ///
    /// # Behavior
    /// - For every path what [`Self::read`] answers.
    /// - It ends early, but not before the first note, once the notes have [`ENOUGH_BYTES`] together.
    ///
    /// # Errors
    /// As of [`Self::read`], but for a note that is too large.
    async fn read_together(
        &self,
        sieve: &dyn Sieve,
        notes: &[Visible],
        at: Option<&CommitId>,
    ) -> Result<Lookups, StorageError> {
        let mut at = at.cloned();
        let mut lookups = Lookups::new();
        let mut bytes = 0;
        for note in notes {
            if bytes >= ENOUGH_BYTES {
                break;
            }
            match self.read(sieve, note, at.as_ref()).await {
                Ok(lookup) => {
                    at = at.or_else(|| lookup.commit.clone());
                    bytes += lookup.bytes();
                    lookups.push(Ok(lookup));
                }
                Err(error @ StorageError::TooLarge { .. }) => lookups.push(Err(error)),
                Err(error) => return Err(error),
            }
        }
        Ok(lookups)
    }

    /// Finds out where links lead.
    ///
    /// # Behavior
    /// - Of the head, which the answer names.
    /// - A target leads where [`Targets::resolve`](super::links::Targets::resolve) finds it among the
    ///   notes that the sieve shows.
    /// - A note whose text is not known links to nothing.
    /// - A backend that does not know enough at the moment says so. One that never does has this
    ///   default.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading.
    async fn links(&self, _query: &LinkQuery<'_>) -> Result<Indexed<Links>, StorageError> {
        Ok(Indexed::NOT_YET)
    }

    /// Takes in that a branch or tag, by its full name such as `refs/heads/main`, is said to be at
    /// `commit` now. Whoever says so need not be believed: a backend that keeps something looks for
    /// itself, and the next answer is as fresh as that look. One that keeps nothing has this default.
    ///
    /// # Errors
    /// [`StorageError::Unexpected`] when the backend fails.
    async fn hear_of(&self, _reference: &str, _commit: &CommitId) -> Result<(), StorageError> {
        Ok(())
    }

    /// Finds the notes that hold a query.
    ///
    /// # Behavior
    /// - What is found is exactly what [`text::search`](super::text::search) finds when it looks at
    ///   every note that the filter admits; the order of the hits may differ.
    /// - A backend that cannot search everything at the moment says so in `unfinished`. One that
    ///   cannot search at all has this default.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading.
    async fn search(&self, _query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        Ok(SearchPage {
            unfinished: Some(Progress {
                indexed: 0,
                total: None,
            }),
            ..SearchPage::of_nothing()
        })
    }

    /// Looks through notes for a pattern, in the order of their path's bytes, as far as a budget goes.
    ///
    /// # Behavior
    /// - The head is searched, and the answer names it.
    /// - What is found is exactly what a [`Matcher`](super::text::Matcher) finds that looks at every
    ///   note that the filter admits, up to where the call ended. Where that is depends on the backend:
    ///   one that knows where not to look gets further.
    /// - Notes that the sieve does not let through are neither looked at nor counted, and cost nothing.
    /// - A backend that does not know enough at the moment says so. One that never does has this
    ///   default.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading.
    async fn sweep(&self, _query: &SweepQuery<'_>) -> Result<Indexed<SweepPage>, StorageError> {
        Ok(Indexed::NOT_YET)
    }

    /// Lists a page of notes with what they say of themselves.
    ///
    /// # Behavior
    /// - The head is browsed, and the answer names it.
    /// - Every note of [`Self::list`] is there, its title by
    ///   [`title::of_note`](super::title::of_note), unless the filter does not admit it.
    /// - A backend that does not know enough at the moment says so. One that never does has this
    ///   default.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading.
    async fn browse(&self, _query: &BrowseQuery<'_>) -> Result<Indexed<BrowsePage>, StorageError> {
        Ok(Indexed::NOT_YET)
    }

    /// Sums the vault up, as far as the sieve shows it.
    ///
    /// # Behavior
    /// As of [`Self::browse`].
    ///
    /// # Errors
    /// Any [`StorageError`] of reading.
    async fn overview(
        &self,
        _query: &OverviewQuery<'_>,
    ) -> Result<Indexed<Overview>, StorageError> {
        Ok(Indexed::NOT_YET)
    }

    /// Completes the path of a note.
    ///
    /// # Behavior
    /// - The paths are those that [`completion::complete`](super::completion::complete) finds among
    ///   the notes of the head, in its order.
    /// - A backend that does not know them without reading a whole tree has this default.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading.
    async fn complete(
        &self,
        _query: &CompletionQuery<'_>,
    ) -> Result<Indexed<CompletionPage>, StorageError> {
        Ok(Indexed::NOT_YET)
    }

    /// Lists the commits that touched the path of a note, a page at a time.
    ///
    /// # Behavior
    /// - The newest comes first. Merges are listed where git's own list of a path's commits has
    ///   them.
    /// - A note that was deleted has a history; a path that never was a file has none, nor has one
    ///   at which something stands that is no note.
    /// - The message of a commit is there only if it is known that the commit touched nothing that
    ///   the sieve hides.
    /// - A diff holds text of this note alone.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading but `TooLarge`.
    async fn history(&self, query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError>;

    /// Makes a note where there is none, if there is room for it.
    ///
    /// # Behavior
    /// - Whether there is room is judged by [`room::obstacles`](super::room::obstacles) of the notes
    ///   that `sieve` admits, as they are when the change is made and not before: of two new notes
    ///   that are twins of each other one is made, however close together they come.
    /// - Something that is no note is never replaced by one, nor is a note put below it, nor beside
    ///   it where [`room::twin`](super::room::twin) finds the one a spelling of the other.
    ///
    /// # Errors
    /// [`StorageError::AlreadyExists`] with the revision of the note that is there, or without one
    /// where something is that is no note; [`StorageError::NoRoom`] where another note is in the
    /// way, [`StorageError::FolderTwin`] where a folder without notes is: nothing was changed. Any
    /// other but `NotFound` and `Conflict`.
    async fn create(
        &self,
        sieve: &dyn Sieve,
        note: &Writable,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError>;

    /// Replaces the note whose revision is `base`.
    ///
    /// # Errors
    /// [`StorageError::Conflict`] when the note has another revision now, or is gone: nothing was
    /// changed. Any other but `AlreadyExists`, `NoRoom`
    /// and `FolderTwin`.
    async fn update(
        &self,
        note: &Writable,
        base: &Revision,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError>;

    /// Removes the note whose revision is `base`.
    ///
    /// # Errors
    /// [`StorageError::Conflict`] when the note has another revision now, [`StorageError::NotFound`]
    /// when it is gone already: nothing was changed. Any other but `AlreadyExists`, `NoRoom`
    /// and `FolderTwin`.
    async fn delete(
        &self,
        note: &Writable,
        base: &Revision,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError>;
}

/// Why a backend could not do what it was asked. Each says what was *not* done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum StorageError {
    /// There is no such note.
    #[error("note not found")]
    NotFound,
    /// A note is there already.
    #[error("note exists already")]
    AlreadyExists {
        /// The revision of the note that is there, where known.
        revision: Option<Revision>,
    },
    /// Notes that differ from the new one in name are in its way; a listing shows them.
    #[error("no room for the note")]
    NoRoom,
    /// A folder that holds no note is another spelling of a folder of the new note. The policy shows
    /// it.
    #[error("the folder exists in another spelling")]
    FolderTwin(DirPath),
    /// The note is not what the caller based its change on.
    #[error("note has changed")]
    Conflict {
        /// The note's revision now; `None` when it is gone.
        current: Option<Revision>,
    },
    /// The asked-for commit is neither the head nor an ancestor of it.
    #[error("unknown commit")]
    UnknownCommit,
    /// The note is larger than the backend can carry.
    #[error("note too large: {bytes} bytes")]
    TooLarge {
        /// The note's size.
        bytes: u64,
    },
    /// The permit for a change was not good any more when its turn had come. Nothing was changed.
    #[error("the permit was withdrawn")]
    Withdrawn,
    /// Upstream asks to wait. Nothing was changed.
    #[error("rate limited")]
    RateLimited {
        /// How long to wait before the next try.
        retry_after: Duration,
    },
    /// Upstream cannot be reached or fails; a change may or may not have been made only where
    /// `outcome_unknown` says so.
    #[error("upstream unavailable")]
    Unavailable {
        /// Whether a change was sent whose outcome could not be found out.
        outcome_unknown: bool,
    },
    /// Upstream refuses, and will go on refusing until somebody changes a setting.
    #[error("upstream denied: {0}")]
    Denied(Denial),
    /// Upstream would not have a file of that path. Nothing was changed.
    #[error("upstream refuses the path")]
    PathRefused,
    /// Upstream would not have the request, for a reason that no setting changes. Nothing was changed.
    /// The text is for the operator's log only.
    #[error("upstream rejected the request: {0}")]
    Rejected(String),
    /// Upstream answered what nobody expects; of a change, the outcome is unknown. The text is for
    /// the operator's log only.
    #[error("unexpected upstream answer: {0}")]
    Unexpected(String),
}
