//! Whether there is room for a new note.

use super::VaultClient;
use crate::vault::{
    error::VaultError,
    path::{DirPath, VaultPath},
};

impl VaultClient {
    /// Refuses a new note that would stand where a folder is, below a note, or in a twin of a
    /// folder that exists: `schemas/a.md` beside `Schemas/b.md` would be one folder on some devices
    /// and two on others.
    ///
    /// Only what is visible is looked at. Twins of the note itself were looked for before.
    pub(super) async fn check_room(&self, path: &VaultPath) -> Result<(), VaultError> {
        let in_the_way = |existing: Vec<String>| VaultError::AlreadyExists {
            path: path.as_str().to_owned(),
            existing,
            revision: None,
        };
        let as_folder = DirPath::from(path.clone());
        if !self.listing(&as_folder, None).await?.entries.is_empty() {
            return Err(in_the_way(vec![format!("{path}/")]));
        }
        let parent = path.parent();
        // A folder that exists was not a twin's twin when it was made; there is nothing to compare.
        if parent.is_root() || !self.listing(&parent, None).await?.entries.is_empty() {
            return Ok(());
        }
        let entries = self.listing(&DirPath::root(), None).await?.entries;
        let folders = std::iter::successors(Some(parent), DirPath::parent);
        for folder in folders.take_while(|folder| !folder.is_root()) {
            let fold = folder.fold();
            let notes = entries.iter().filter(|entry| entry.path.fold() == fold);
            let existing: Vec<String> = self
                .folder_twins(&folder, &entries)
                .into_iter()
                .map(|twin| format!("{twin}/"))
                .chain(notes.map(|entry| entry.path.as_str().to_owned()))
                .collect();
            if !existing.is_empty() {
                return Err(in_the_way(existing));
            }
        }
        Ok(())
    }
}

/// Something that is no note stands in the way of one.
pub(super) fn obstructed(path: &VaultPath) -> VaultError {
    VaultError::AlreadyExists {
        path: path.as_str().to_owned(),
        existing: Vec::new(),
        revision: None,
    }
}
