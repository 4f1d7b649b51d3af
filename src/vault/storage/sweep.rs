//! A search for a pattern, as far as one call goes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{CommitId, SearchHit, Sieve};
use crate::vault::{filter::NoteFilter, path::DirPath, policy::Visible, text::Pattern};

/// Which notes to look through for a pattern, and how far to go.
#[derive(Clone)]
pub struct SweepQuery<'a> {
    /// What may be shown at all.
    pub sieve: &'a dyn Sieve,
    /// What has to be found.
    pub pattern: &'a Pattern,
    /// Only notes below this folder, at any depth; the root has all.
    pub dir: DirPath,
    /// Only notes that meet this.
    pub filter: &'a NoteFilter,
    /// Only notes after this one, in the order of their path's bytes.
    pub after: Option<Visible>,
    /// How many hits to give out at the most.
    pub limit: usize,
    /// How many bytes of paths and texts to look at. One note is looked at, whatever it takes.
    pub budget: u64,
}

impl fmt::Debug for SweepQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SweepQuery")
            .field("pattern", &self.pattern.as_str())
            .field("dir", &self.dir)
            .field("filter", &self.filter)
            .field("after", &self.after)
            .field("limit", &self.limit)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// What was found on the way, and how far that went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepPage<P = Visible> {
    /// The commit that was searched; `None` while the repository has no commit at all.
    pub commit: Option<CommitId>,
    /// How many notes hold the pattern, of those that this call went through.
    pub found: usize,
    /// The first of them, in ascending order of their path's bytes.
    pub hits: Vec<SearchHit<P>>,
    /// How many notes lie before the place where this call ended, from the first on; calls before
    /// this one went through some of them.
    pub searched: u64,
    /// How many of those were searched by their path alone, because their text is too large or is
    /// no text.
    pub by_path_only: u64,
    /// How many notes lie behind that place.
    pub unsearched: u64,
    /// The last note before that place, where there are any behind it: whoever goes on, goes on
    /// after it.
    pub stopped_at: Option<P>,
}

impl<P> SweepPage<P> {
    /// What is found in a repository without commits.
    #[must_use]
    pub const fn of_nothing() -> Self {
        Self {
            commit: None,
            found: 0,
            hits: Vec::new(),
            searched: 0,
            by_path_only: 0,
            unsearched: 0,
            stopped_at: None,
        }
    }

    /// The same with other paths; where `convert` has none, the hit is left out.
    #[must_use]
    pub fn with_paths<Q>(self, convert: impl Fn(P) -> Option<Q>) -> SweepPage<Q> {
        let hits = self.hits.into_iter();
        SweepPage {
            hits: hits.filter_map(|hit| hit.with_path(&convert)).collect(),
            commit: self.commit,
            found: self.found,
            searched: self.searched,
            by_path_only: self.by_path_only,
            unsearched: self.unsearched,
            stopped_at: self.stopped_at.and_then(convert),
        }
    }
}
