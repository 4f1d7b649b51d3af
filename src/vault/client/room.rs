//! What is in the way of a new note.

use super::VaultClient;
use crate::vault::{
    error::VaultError,
    path::{DirPath, VaultPath},
    room::{Obstacle, obstacles, shows_below},
};

impl VaultClient {
    /// What a caller is told whose new note the backend found no room for. `None` where a new
    /// attempt tells better: what was in the way is gone again, or it is a twin of the note itself,
    /// which an attempt finds.
    pub(super) async fn refused_room(
        &self,
        path: &VaultPath,
    ) -> Result<Option<VaultError>, VaultError> {
        let entries = self.listing(&DirPath::root(), None).await?.entries;
        let found = obstacles(path, entries.iter().map(|entry| entry.path.path()));
        let fold = path.fold();
        let is_twin = |obstacle: &Obstacle| match obstacle {
            Obstacle::Note(note) => note.fold() == fold,
            Obstacle::Folder(_) => false,
        };
        if found.is_empty() || found.iter().any(is_twin) {
            return Ok(None);
        }
        Ok(Some(VaultError::AlreadyExists {
            path: path.as_str().to_owned(),
            existing: found.iter().map(ToString::to_string).collect(),
            revision: None,
        }))
    }

    /// What a caller is told whose new note would make another spelling of `folder`, of which the
    /// backend says so.
    pub(super) fn beside(&self, path: &VaultPath, folder: &DirPath) -> VaultError {
        if !shows_below(&*self.policy, folder.as_str()) {
            return obstructed(path);
        }
        VaultError::AlreadyExists {
            path: path.as_str().to_owned(),
            existing: vec![Obstacle::Folder(folder.clone()).to_string()],
            revision: None,
        }
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
