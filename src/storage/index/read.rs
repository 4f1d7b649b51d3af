//! Reads notes out of the rows, or in their place from GitHub.

use super::{VaultIndex, schema::Fault};
use crate::{
    storage::github::{Located, read_places},
    vault::{
        policy::Visible,
        storage::{CommitId, Lookups, Revision, Sieve, StorageError},
    },
};

impl VaultIndex {
    /// Reads notes, all at one commit: see
    /// [`VaultStorage::read_together`](crate::vault::storage::VaultStorage::read_together).
    pub(super) async fn read_rows(
        &self,
        sieve: &dyn Sieve,
        notes: &[Visible],
        at: Option<&CommitId>,
    ) -> Result<Lookups, StorageError> {
        let places = if self.answers(at).await? {
            let places = notes.iter().map(|note| self.locate(sieve, note));
            places.collect::<Result<_, _>>()?
        } else {
            self.instead(self.github.locate(sieve, notes, at)).await?
        };
        read_places(notes, places, async |note, revision| {
            self.content(note, revision).await
        })
        .await
    }

    /// Finds a note in the rows.
    fn locate(&self, sieve: &dyn Sieve, note: &Visible) -> Result<Located, Fault> {
        let row = self.rows.find(note)?;
        let twins = match row {
            Some(_) => Vec::new(),
            None => self.rows.with_fold(&note.fold())?,
        };
        Ok(Located {
            commit: self.head(),
            file: row.map(|row| (row.revision, row.bytes)),
            twins: twins.iter().filter_map(|path| sieve.admit(path)).collect(),
        })
    }

    /// The bytes of a note, from its row or from GitHub. A row is right whatever commit it was
    /// made for: it hashes to the revision that is asked for.
    async fn content(&self, note: &Visible, revision: &Revision) -> Result<Vec<u8>, StorageError> {
        match self.rows.content(note.as_str(), revision)? {
            Some(bytes) => Ok(bytes),
            None => Ok(self.github.api().blob(revision).await?.into()),
        }
    }
}
