//! Completing the path of a note.

use super::VaultClient;
use crate::vault::{
    completion,
    error::VaultError,
    path::{DirPath, VaultPath},
    policy::Visible,
    storage::{CompletionQuery, Indexed},
};

/// The longest text that is completed, in bytes: no path that can be made is longer.
const MAX_TYPED: usize = 1_000;

/// The paths that hold what was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// How many there are.
    pub total: usize,
    /// The best of them: see [`completion::complete`].
    pub paths: Vec<VaultPath>,
}

impl VaultClient {
    /// The notes whose path holds `typed`, `limit` of them at the most.
    ///
    /// A text that no path can hold is no error: a person is typing.
    ///
    /// # Errors
    /// What the backend reports.
    pub async fn complete(&self, typed: &str, limit: usize) -> Result<Completions, VaultError> {
        if typed.len() > MAX_TYPED || typed.chars().any(char::is_control) {
            return Ok(Completions::default());
        }
        let query = CompletionQuery {
            sieve: &*self.policy,
            typed,
            limit,
        };
        let found = self.storage.complete(&query).await;
        let found = found.map_err(|error| VaultError::from_storage(typed, error))?;
        let (total, paths) = match found {
            Indexed::Answer(found) => (found.total, found.paths),
            Indexed::Building(_) => {
                let listing = self.listing(&DirPath::root(), None).await?;
                let paths = listing.entries.into_iter().map(|entry| entry.path);
                let found = completion::complete(typed, paths);
                (found.len(), found.into_iter().take(limit).collect())
            }
        };
        let shown = paths.iter().filter(|path| self.readmit(path));
        Ok(Completions {
            total,
            paths: shown.map(Visible::path).cloned().collect(),
        })
    }
}
