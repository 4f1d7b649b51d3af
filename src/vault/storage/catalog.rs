//! What only a backend with an index knows: titles, tags, properties, when notes were changed.
//!
//! Answers are generic in their paths: witnesses where policy has spoken, texts on the way between
//! the object and the Worker.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{CommitId, Progress, Revision, Sieve};
use crate::{
    runtime::Timestamp,
    vault::{filter::NoteFilter, path::DirPath, policy::Visible},
};

/// An answer that needs an index, or how far that is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Indexed<T> {
    /// The answer.
    Answer(T),
    /// There is none yet.
    Building(Progress),
}

impl<T> Indexed<T> {
    /// There is none, and it is not known when there will be.
    pub const NOT_YET: Self = Self::Building(Progress {
        indexed: 0,
        total: None,
    });

    /// The same with another answer.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Indexed<U> {
        match self {
            Self::Answer(answer) => Indexed::Answer(map(answer)),
            Self::Building(progress) => Indexed::Building(progress),
        }
    }
}

/// The order of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// In ascending order of the path's bytes.
    #[default]
    Path,
    /// Last changed first; those of which that is not known last; then by path.
    Modified,
}

/// Which notes to browse, and which of them to give out.
#[derive(Clone)]
pub struct BrowseQuery<'a> {
    /// What may be shown at all.
    pub sieve: &'a dyn Sieve,
    /// Only notes below this folder; the root browses all.
    pub dir: DirPath,
    /// How many levels of folders to go into: 1 takes only what lies directly in `dir`. All where
    /// `None`.
    pub depth: Option<usize>,
    /// Only notes that meet this.
    pub filter: &'a NoteFilter,
    /// The order.
    pub order: Order,
    /// How many notes to leave out.
    pub offset: usize,
    /// How many notes to give out at the most.
    pub limit: usize,
}

impl fmt::Debug for BrowseQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowseQuery")
            .field("dir", &self.dir)
            .field("depth", &self.depth)
            .field("filter", &self.filter)
            .field("order", &self.order)
            .field("offset", &self.offset)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl BrowseQuery<'_> {
    /// The level at which browsing stops, counted from the root, where it does.
    #[must_use]
    pub fn last_level(&self) -> Option<usize> {
        let level = self.dir.segments().count();
        self.depth.map(|depth| level + depth.saturating_sub(1))
    }

    /// How many segments the folders have that a page counts: they lie at the level where browsing
    /// stops, or directly in `dir` where it does not stop.
    #[must_use]
    pub fn folder_level(&self) -> usize {
        self.dir.segments().count() + self.depth.unwrap_or(1)
    }
}

/// A note as a catalog knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogEntry<P = Visible> {
    /// Where it is.
    pub path: P,
    /// Its title, perhaps cut.
    pub title: String,
    /// Its revision.
    pub revision: Revision,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last changed, where known.
    pub modified: Option<Timestamp>,
}

/// A folder with the number of notes below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderCount {
    /// The folder's path.
    pub path: String,
    /// How many of the notes that are meant lie below it, at any depth.
    pub notes: usize,
}

/// A page of notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrowsePage<P = Visible> {
    /// The commit that was browsed; `None` while the repository has no commit at all.
    pub commit: Option<CommitId>,
    /// How many notes are meant.
    pub total: usize,
    /// Those of them that were asked for.
    pub entries: Vec<CatalogEntry<P>>,
    /// The folders at [`BrowseQuery::folder_level`], in ascending order of their path's bytes.
    pub folders: Vec<FolderCount>,
    /// How many notes would be meant or ordered otherwise if it were known when they were changed;
    /// 0 where nothing asks for that.
    pub undated: usize,
}

/// A path to complete, and how.
#[derive(Clone, Copy)]
pub struct CompletionQuery<'a> {
    /// What may be shown at all.
    pub sieve: &'a dyn Sieve,
    /// What was typed.
    pub typed: &'a str,
    /// How many paths to give out at the most.
    pub limit: usize,
}

impl fmt::Debug for CompletionQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompletionQuery")
            .field("typed", &self.typed)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// The paths that hold what was typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionPage<P = Visible> {
    /// How many there are.
    pub total: usize,
    /// The best of them, in order.
    pub paths: Vec<P>,
}

impl<P> CompletionPage<P> {
    /// The same with another form of the paths, without what has none.
    pub fn with_paths<Q>(self, convert: impl Fn(P) -> Option<Q>) -> CompletionPage<Q> {
        CompletionPage {
            total: self.total,
            paths: self.paths.into_iter().filter_map(convert).collect(),
        }
    }
}

/// What to sum up.
#[derive(Clone, Copy)]
pub struct OverviewQuery<'a> {
    /// What may be shown at all.
    pub sieve: &'a dyn Sieve,
    /// Folds of paths whose notes the answer is to name.
    pub named: &'a [&'a str],
}

impl fmt::Debug for OverviewQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverviewQuery")
            .field("named", &self.named)
            .finish_non_exhaustive()
    }
}

/// How many tags an overview names.
pub const TOP_TAGS: usize = 30;
/// How many of the last changed notes an overview names.
pub const RECENT: usize = 10;

/// How often a tag is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagCount {
    /// The tag, as one of the notes writes it.
    pub tag: String,
    /// How many notes have it; those that have one below it are not counted.
    pub notes: usize,
}

/// The vault summed up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview<P = Visible> {
    /// The commit that is summed up; `None` while the repository has no commit at all.
    pub commit: Option<CommitId>,
    /// How many notes there are.
    pub notes: usize,
    /// Their size together, in bytes.
    pub bytes: u64,
    /// The folders at the root.
    pub folders: Vec<FolderCount>,
    /// The tags that most notes have, in that order.
    pub tags: Vec<TagCount>,
    /// How many different tags there are.
    pub distinct_tags: usize,
    /// The notes that were last changed, the last one first.
    pub recent: Vec<CatalogEntry<P>>,
    /// Of how many notes it is not known when they were changed.
    pub undated: usize,
    /// The notes that were asked for by name.
    pub named: Vec<CatalogEntry<P>>,
    /// When the answer was given, where the backend knows the time.
    pub answered_at: Option<Timestamp>,
    /// When the backend last heard from where the notes are kept.
    pub checked_at: Option<Timestamp>,
    /// When the vault token expires, where known.
    pub token_expires_at: Option<Timestamp>,
}

impl<P> CatalogEntry<P> {
    /// The same with another form of the path; `None` where the path has none.
    fn with_path<Q>(self, convert: &impl Fn(P) -> Option<Q>) -> Option<CatalogEntry<Q>> {
        Some(CatalogEntry {
            path: convert(self.path)?,
            title: self.title,
            revision: self.revision,
            bytes: self.bytes,
            modified: self.modified,
        })
    }
}

fn with_paths<P, Q>(
    entries: Vec<CatalogEntry<P>>,
    convert: &impl Fn(P) -> Option<Q>,
) -> Vec<CatalogEntry<Q>> {
    entries
        .into_iter()
        .filter_map(|entry| entry.with_path(convert))
        .collect()
}

impl<P> BrowsePage<P> {
    /// The same with another form of the paths, without what has none.
    pub fn with_paths<Q>(self, convert: impl Fn(P) -> Option<Q>) -> BrowsePage<Q> {
        BrowsePage {
            commit: self.commit,
            total: self.total,
            entries: with_paths(self.entries, &convert),
            folders: self.folders,
            undated: self.undated,
        }
    }
}

impl<P> Overview<P> {
    /// The same with another form of the paths, without what has none.
    pub fn with_paths<Q>(self, convert: impl Fn(P) -> Option<Q>) -> Overview<Q> {
        Overview {
            commit: self.commit,
            notes: self.notes,
            bytes: self.bytes,
            folders: self.folders,
            tags: self.tags,
            distinct_tags: self.distinct_tags,
            recent: with_paths(self.recent, &convert),
            undated: self.undated,
            named: with_paths(self.named, &convert),
            answered_at: self.answered_at,
            checked_at: self.checked_at,
            token_expires_at: self.token_expires_at,
        }
    }
}
