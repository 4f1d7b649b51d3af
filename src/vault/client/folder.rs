//! Finding a folder, exactly or by its twin.

use std::collections::{BTreeMap, BTreeSet};

use super::{FolderSummary, VaultClient};
use crate::vault::{
    error::VaultError,
    path::DirPath,
    storage::{CommitId, Entry, ListQuery, Listing, StorageError},
};

/// A folder's visible notes.
pub(super) struct Folder {
    pub(super) dir: DirPath,
    pub(super) commit: Option<CommitId>,
    pub(super) entries: Vec<Entry>,
}

impl VaultClient {
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
                let problem = "is of a commit that has left the branch's history";
                VaultError::invalid("cursor", &problem)
            } else {
                VaultError::from_storage(dir.as_str(), error)
            }
        })?;
        listing
            .entries
            .retain(|entry| self.is_shown_below(dir, &entry.path));
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

/// The first `level` segments of a path, where a file lies below them.
fn ancestor(path: &str, level: usize) -> Option<&str> {
    let (end, _) = path.match_indices('/').nth(level.checked_sub(1)?)?;
    path.get(..end)
}

/// The folders `level` levels below `dir`, with their notes counted.
pub(super) fn summarize(dir: &DirPath, entries: &[Entry], level: usize) -> Vec<FolderSummary> {
    let level = dir.segments().count() + level;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in entries
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
