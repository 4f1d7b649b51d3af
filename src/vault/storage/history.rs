//! The commits that touched one note.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{CommitId, Revision, Sieve};
use crate::{runtime::Timestamp, vault::policy::Visible};

/// The most bytes of a diff. A longer one is left out.
pub const MAX_DIFF_BYTES: usize = 48 * 1024;

/// Which commits to list.
#[derive(Clone)]
pub struct HistoryQuery<'a> {
    /// What may be shown at all.
    pub sieve: &'a dyn Sieve,
    /// The note.
    pub note: &'a Visible,
    /// The commit from which to look back, which must be the head or an ancestor of it; the head
    /// where `None`.
    pub from: Option<CommitId>,
    /// How many pages of this size to leave out.
    pub page: usize,
    /// How many commits a page holds.
    pub limit: usize,
    /// Whether to tell how each commit changed the text.
    pub diff: bool,
}

impl fmt::Debug for HistoryQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HistoryQuery")
            .field("note", &self.note)
            .field("from", &self.from)
            .field("page", &self.page)
            .field("limit", &self.limit)
            .field("diff", &self.diff)
            .finish_non_exhaustive()
    }
}

/// A page of commits, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryPage<P = Visible> {
    /// The commit that was looked back from; `None` while the repository has no commit at all.
    pub from: Option<CommitId>,
    /// The commits of this page.
    pub commits: Vec<NoteCommit<P>>,
    /// Whether more follow.
    pub has_more: bool,
}

/// A commit, as far as it concerns one note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteCommit<P = Visible> {
    /// Which.
    pub commit: CommitId,
    /// When it was committed, where known.
    pub at: Option<Timestamp>,
    /// The author's name, as the commit has it.
    pub author: String,
    /// Its message. `None` where the commit also touched what the sieve hides, where it is not known
    /// all that it touched, and for a merge, whose message may speak of either side.
    pub message: Option<String>,
    /// What it did to the note; `None` where that is not known.
    pub change: Option<NoteChange<P>>,
}

/// What a commit did to a note, seen from its first parent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteChange<P = Visible> {
    /// In a word.
    pub kind: ChangeKind,
    /// The note's revision since then; `None` where it is gone.
    pub revision: Option<Revision>,
    /// What the note was called before, where the commit renamed it and the sieve shows that.
    pub renamed_from: Option<P>,
    /// The hunks of a unified diff, where asked for. `None` where there is none to show: the change
    /// is too large, is not one of text, or would show what the sieve hides.
    pub diff: Option<String>,
}

/// What became of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeKind {
    /// It was made, or came to be called so.
    Added,
    /// Its text changed.
    Changed,
    /// It was deleted, or came to be called otherwise.
    Deleted,
}

impl<P> HistoryPage<P> {
    /// The history of a path that has none.
    #[must_use]
    pub const fn of_nothing(from: Option<CommitId>) -> Self {
        Self {
            from,
            commits: Vec::new(),
            has_more: false,
        }
    }

    /// The same with another form of the paths, without what has none.
    pub fn with_paths<Q>(self, convert: impl Fn(P) -> Option<Q>) -> HistoryPage<Q> {
        let commits = self.commits.into_iter().map(|commit| NoteCommit {
            commit: commit.commit,
            at: commit.at,
            author: commit.author,
            message: commit.message,
            change: commit.change.map(|change| NoteChange {
                kind: change.kind,
                revision: change.revision,
                renamed_from: change.renamed_from.and_then(&convert),
                diff: change.diff,
            }),
        });
        HistoryPage {
            from: self.from,
            commits: commits.collect(),
            has_more: self.has_more,
        }
    }
}
