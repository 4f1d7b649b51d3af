//! What a backend that keeps an index answers about links.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{CommitId, Sieve};
use crate::vault::policy::Visible;

/// What to find out about the links from and to some notes.
#[derive(Clone, Copy)]
pub struct LinkQuery<'a> {
    /// What may be shown at all.
    pub sieve: &'a dyn Sieve,
    /// The notes.
    pub notes: &'a [LinkedNote],
    /// The most backlinks that are named of each; 0 where none are asked for.
    pub backlinks: usize,
}

impl fmt::Debug for LinkQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkQuery")
            .field("notes", &self.notes)
            .field("backlinks", &self.backlinks)
            .finish_non_exhaustive()
    }
}

/// A note and what it links to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedNote<P = Visible> {
    /// Where it is.
    pub path: P,
    /// The targets of its links that are to be found, as they are written.
    pub targets: Vec<String>,
}

/// Where links lead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links<P = Visible> {
    /// The commit at which they do; `None` while the repository has no commit at all.
    pub commit: Option<CommitId>,
    /// The notes that were asked for, in their order.
    pub notes: Vec<NoteLinks<P>>,
}

/// Where the links of one note lead, and which lead to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteLinks<P = Visible> {
    /// For every target, the note that it leads to; `None` where that is none that may be shown.
    pub resolved: Vec<Option<P>>,
    /// How many other notes link here.
    pub backlinks_total: usize,
    /// Those of them that are named, in ascending order of their paths.
    pub backlinks: Vec<Backlink<P>>,
}

/// A note that links to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backlink<P = Visible> {
    /// Where it is.
    pub path: P,
    /// Its title, perhaps cut.
    pub title: String,
    /// The line of its first link there.
    pub line: usize,
}

impl<P> LinkedNote<P> {
    /// The same with another form of the path; `None` where the path has none.
    pub fn with_path<Q>(self, convert: impl Fn(P) -> Option<Q>) -> Option<LinkedNote<Q>> {
        Some(LinkedNote {
            path: convert(self.path)?,
            targets: self.targets,
        })
    }
}

impl<P> Links<P> {
    /// The same with another form of the paths, without what has none.
    pub fn with_paths<Q>(self, convert: impl Fn(P) -> Option<Q>) -> Links<Q> {
        let backlink = |backlink: Backlink<P>| {
            Some(Backlink {
                path: convert(backlink.path)?,
                title: backlink.title,
                line: backlink.line,
            })
        };
        let notes = self.notes.into_iter().map(|note| NoteLinks {
            resolved: note
                .resolved
                .into_iter()
                .map(|path| path.and_then(&convert))
                .collect(),
            backlinks_total: note.backlinks_total,
            backlinks: note.backlinks.into_iter().filter_map(backlink).collect(),
        });
        Links {
            commit: self.commit,
            notes: notes.collect(),
        }
    }
}
