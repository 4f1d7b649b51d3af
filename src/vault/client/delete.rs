//! Deleting a note.

use super::{
    VaultClient,
    change::{Replaced, check_expected},
};
use crate::vault::{
    commit::Action,
    error::VaultError,
    path::VaultPath,
    storage::{Committed, StorageError},
};

/// How often the note is looked up before contention is reported as a conflict.
const ATTEMPTS: usize = 4;

/// What to delete.
#[derive(Clone, Copy, Debug)]
pub struct DeleteRequest<'a> {
    /// The note's path, exactly.
    pub path: &'a str,
    /// The revision that the note must have for the deletion to happen.
    pub expected_revision: Option<&'a str>,
    /// The first line of the commit's message; our own where `None` or blank.
    pub message: Option<&'a str>,
}

/// What a deletion did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Where the note was.
    pub path: VaultPath,
    /// The commit that removed it.
    pub committed: Committed,
    /// What it held, and where that can still be read.
    pub replaced: Replaced,
}

impl VaultClient {
    /// Deletes a note: one commit. What it held stays in the repository's history.
    ///
    /// Only the note at exactly this path is deleted, never a twin of it.
    ///
    /// # Errors
    /// - `READ_ONLY` where this caller may not write.
    /// - `INVALID_PATH`, `NOT_A_NOTE` for what policy does not let be written, whatever is there.
    /// - `INVALID_ARGUMENT` for an expected revision that is none.
    /// - `NOT_FOUND` where there is no such note, naming its twins.
    /// - `CONFLICT` where the note does not have the expected revision, with the current one.
    /// - What the backend reports.
    pub async fn delete(&self, request: &DeleteRequest<'_>) -> Result<Deleted, VaultError> {
        let note = self.writable(request.path)?;
        let expected = Self::expected(request.expected_revision)?;
        let info = self
            .author
            .commit(Action::Delete, note.path(), request.message);
        let mut attempts_left = ATTEMPTS;
        loop {
            attempts_left -= 1;
            let lookup = self.lookup(note.visible(), None).await?;
            let Some(current) = lookup.note else {
                return Err(VaultError::not_found(request.path, &lookup.twins));
            };
            check_expected(&note, expected.as_ref(), Some(&current.revision))?;
            match self.storage.delete(&note, &current.revision, &info).await {
                Ok(committed) => {
                    return Ok(Deleted {
                        path: note.path().clone(),
                        committed,
                        replaced: Replaced {
                            revision: current.revision,
                            commit: lookup.commit,
                            bytes: current.content.len(),
                        },
                    });
                }
                // The caller said which note, not which text: look again at what it holds now.
                Err(StorageError::Conflict { .. }) if expected.is_none() && attempts_left > 0 => {}
                Err(StorageError::Conflict { current }) => {
                    return Err(VaultError::Conflict {
                        path: request.path.to_owned(),
                        expected,
                        current,
                    });
                }
                Err(error) => return Err(VaultError::from_change(request.path, error)),
            }
        }
    }
}
