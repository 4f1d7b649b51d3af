//! Listing the notes of a folder.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
};

use super::VaultClient;
use crate::vault::{
    cursor::{Cursor, QueryFingerprint},
    error::VaultError,
    path::{DirPath, VaultPath},
    storage::{CommitId, Entry, ListQuery, Listing, Revision, StorageError},
    title,
};

/// The most notes that one page holds.
pub const MAX_PAGE: usize = 1_000;

/// What to list.
#[derive(Clone, Copy, Debug)]
pub struct ListRequest<'a> {
    /// The folder; the whole vault where empty.
    pub dir: &'a str,
    /// How many levels of folders to go into: 1 lists only what lies directly in `dir`. All of
    /// them where `None`.
    pub depth: Option<usize>,
    /// The most notes that a page holds, from 1 to [`MAX_PAGE`].
    pub limit: usize,
    /// The `next` of the page before; the first page where `None`.
    pub cursor: Option<&'a str>,
}

/// A page of the notes of a folder, in ascending order of their path's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotePage {
    /// The folder that was listed. It differs from the one that was asked for where only a twin
    /// of that exists.
    pub dir: DirPath,
    /// The commit whose state this is; all pages show the same. `None` in a vault without commits.
    pub commit: Option<CommitId>,
    /// How many notes all pages hold together.
    pub total: usize,
    /// The notes of this page.
    pub notes: Vec<ListedNote>,
    /// The folders at the level where listing stops (directly in `dir` where it does not stop),
    /// in ascending order of their path's bytes. On the first page only.
    pub folders: Vec<FolderSummary>,
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
    /// What the cursor belongs to.
    query: QueryFingerprint,
}

impl NotePage {
    /// Keeps the first `count` notes, at least one; the next page then starts after them. For
    /// whoever has less room than the page needs.
    pub fn shorten(&mut self, count: usize) {
        let count = count.max(1);
        if count < self.notes.len() {
            self.notes.truncate(count);
            self.next = next_cursor(self.notes.last(), self.commit.as_ref(), &self.query);
        }
    }
}

/// The cursor of what follows `last`.
fn next_cursor(
    last: Option<&ListedNote>,
    commit: Option<&CommitId>,
    query: &QueryFingerprint,
) -> Option<String> {
    let cursor = Cursor {
        commit: commit?.clone(),
        after: last?.path.as_str().to_owned(),
    };
    Some(cursor.encode(query))
}

/// A note as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedNote {
    /// Where it is.
    pub path: VaultPath,
    /// Its file name without the extension: a listing reads no note, so it knows no other title.
    pub title: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its revision.
    pub revision: Revision,
}

/// A folder with the number of notes below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderSummary {
    /// The folder's path.
    pub path: DirPath,
    /// How many visible notes lie below it, at any depth.
    pub notes: usize,
}

/// A folder's visible notes.
pub(super) struct Folder {
    pub(super) dir: DirPath,
    commit: Option<CommitId>,
    entries: Vec<Entry>,
}

impl VaultClient {
    /// Lists the notes of a folder, a page at a time.
    ///
    /// The folder is found exactly, or else by its only twin: the folder whose path differs in
    /// letter case or Unicode normalization alone. A folder without visible notes does not exist;
    /// only the root always does. With a cursor, the state of the cursor's commit is listed.
    ///
    /// # Errors
    /// - `INVALID_PATH` for a folder that is not in plain form.
    /// - `NOT_FOUND` for a folder that does not exist or that policy does not show.
    /// - `INVALID_ARGUMENT` for a limit or depth out of bounds and for a cursor that is not of this
    ///   query or whose commit has left the branch's history.
    /// - What the backend reports.
    pub async fn list(&self, request: &ListRequest<'_>) -> Result<NotePage, VaultError> {
        let asked = self.dir(request.dir)?;
        check_bounds(request)?;
        let depth = request
            .depth
            .map_or_else(String::new, |depth| depth.to_string());
        let query = QueryFingerprint::of(&["list", asked.as_str(), &depth]);
        let cursor = match request.cursor {
            None => None,
            Some(text) => Some(Cursor::decode(text, &query).map_err(bad_cursor)?),
        };
        let at = cursor.as_ref().map(|cursor| &cursor.commit);

        let folder = self.folder(&asked, at).await?;
        let listed: Vec<&Entry> = folder
            .entries
            .iter()
            .filter(|entry| within_depth(&folder.dir, entry, request.depth))
            .collect();
        let start = match &cursor {
            None => 0,
            Some(cursor) => {
                listed.partition_point(|entry| entry.path.as_str() <= cursor.after.as_str())
            }
        };
        let notes: Vec<ListedNote> = listed
            .iter()
            .skip(start)
            .take(request.limit)
            .copied()
            .map(listed_note)
            .collect();
        let is_last = start + notes.len() >= listed.len();
        let next = if is_last {
            None
        } else {
            next_cursor(notes.last(), folder.commit.as_ref(), &query)
        };
        let folders = match cursor {
            None => summarize(&folder, request.depth.unwrap_or(1)),
            Some(_) => Vec::new(),
        };
        Ok(NotePage {
            total: listed.len(),
            notes,
            folders,
            next,
            commit: folder.commit,
            dir: folder.dir,
            query,
        })
    }

    /// The visible notes of `asked`, or of its only twin.
    pub(super) async fn folder(
        &self,
        asked: &DirPath,
        at: Option<&CommitId>,
    ) -> Result<Folder, VaultError> {
        let listing = self.listing(asked, at).await?;
        if asked.is_root() || !listing.entries.is_empty() {
            let Listing { commit, entries } = listing;
            return Ok(Folder {
                dir: asked.clone(),
                commit,
                entries,
            });
        }
        // Pinned to the commit that has just been seen, so that both listings show one state.
        let at = listing.commit.as_ref();
        let Listing { commit, entries } = self.listing(&DirPath::root(), at).await?;
        let mut twins: Vec<DirPath> = self.folder_twins(asked, &entries).into_iter().collect();
        match (twins.pop(), twins.is_empty()) {
            (Some(dir), true) => {
                let entries = entries
                    .into_iter()
                    .filter(|entry| dir.strip(entry.path.as_str()).is_some())
                    .collect();
                Ok(Folder {
                    dir,
                    commit,
                    entries,
                })
            }
            (last, _) => Err(VaultError::NotFound {
                path: asked.as_str().to_owned(),
                near: twins.into_iter().chain(last).map(String::from).collect(),
            }),
        }
    }

    /// What the backend lists below `dir`, judged again.
    pub(super) async fn listing(
        &self,
        dir: &DirPath,
        at: Option<&CommitId>,
    ) -> Result<Listing, VaultError> {
        let query = ListQuery {
            sieve: &*self.policy,
            dir: dir.clone(),
            at: at.cloned(),
        };
        let mut listing = self.storage.list(&query).await.map_err(|error| {
            // The only commits that a listing is asked for come out of cursors.
            if error == StorageError::UnknownCommit {
                bad_cursor("is of a commit that has left the branch's history")
            } else {
                VaultError::from_storage(dir.as_str(), error)
            }
        })?;
        listing
            .entries
            .retain(|entry| self.readmit(&entry.path) && dir.strip(entry.path.as_str()).is_some());
        Ok(listing)
    }

    /// The folders among those of `entries` that differ from `dir` in letter case or normalization
    /// only, without `dir` itself.
    pub(super) fn folder_twins(&self, dir: &DirPath, entries: &[Entry]) -> BTreeSet<DirPath> {
        let level = dir.segments().count();
        let fold = dir.fold();
        let mut twins = BTreeSet::new();
        let mut seen = "";
        for entry in entries {
            let Some(folder) = ancestor(entry.path.as_str(), level) else {
                continue;
            };
            if folder == seen {
                continue;
            }
            seen = folder;
            let Ok(folder) = DirPath::parse(folder) else {
                continue;
            };
            if folder != *dir && folder.fold() == fold && self.policy.dir(&folder).is_ok() {
                twins.insert(folder);
            }
        }
        twins
    }
}

/// Refuses a page or a depth of nothing.
fn check_bounds(request: &ListRequest<'_>) -> Result<(), VaultError> {
    if !(1..=MAX_PAGE).contains(&request.limit) {
        return Err(VaultError::InvalidArgument {
            argument: "limit",
            problem: format!("must be from 1 to {MAX_PAGE}"),
        });
    }
    if request.depth == Some(0) {
        return Err(VaultError::InvalidArgument {
            argument: "depth",
            problem: "must be at least 1".to_owned(),
        });
    }
    Ok(())
}

fn bad_cursor(problem: impl Display) -> VaultError {
    VaultError::InvalidArgument {
        argument: "cursor",
        problem: problem.to_string(),
    }
}

/// Whether a note lies at most `depth` levels below `dir`.
fn within_depth(dir: &DirPath, entry: &Entry, depth: Option<usize>) -> bool {
    depth.is_none_or(|depth| {
        dir.strip(entry.path.as_str())
            .is_some_and(|inside| inside.split('/').count() <= depth)
    })
}

/// The first `level` segments of a path, where a file lies below them.
fn ancestor(path: &str, level: usize) -> Option<&str> {
    let (end, _) = path.match_indices('/').nth(level.checked_sub(1)?)?;
    path.get(..end)
}

/// The folders `level` levels below the listed one, with their notes counted.
fn summarize(folder: &Folder, level: usize) -> Vec<FolderSummary> {
    let level = folder.dir.segments().count() + level;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in folder
        .entries
        .iter()
        .filter_map(|entry| ancestor(entry.path.as_str(), level))
    {
        *counts.entry(path).or_default() += 1;
    }
    counts
        .into_iter()
        .filter_map(|(path, notes)| {
            Some(FolderSummary {
                path: DirPath::parse(path).ok()?,
                notes,
            })
        })
        .collect()
}

fn listed_note(entry: &Entry) -> ListedNote {
    ListedNote {
        path: entry.path.path().clone(),
        title: title::of_file_name(entry.path.path()).to_owned(),
        bytes: entry.bytes,
        revision: entry.revision.clone(),
    }
}
