//! Whether there is room for a new note, as far as the index can tell without GitHub.

use super::{VaultIndex, obstacles, schema::Fault};
use crate::{
    storage::github::Place,
    vault::{
        policy::Writable,
        room,
        storage::{Sieve, StorageError},
    },
};

impl VaultIndex {
    /// Refuses a new note that something is in the way of. A note at the very path is GitHub's to
    /// compare.
    pub(super) async fn check_room(
        &self,
        sieve: &dyn Sieve,
        note: &Writable,
    ) -> Result<(), StorageError> {
        if self.is_crowded(sieve, note)? {
            Err(StorageError::NoRoom)
        } else if self.is_obstructed(note).await? {
            Err(StorageError::AlreadyExists { revision: None })
        } else if self.may_have_a_twin(note)? {
            self.refuse_twin(sieve, note).await
        } else {
            Ok(())
        }
    }

    /// Whether something that is no note may be another spelling of the note, or of a folder that it
    /// would make. A folder that is there is not made, nor are those above it.
    fn may_have_a_twin(&self, note: &Writable) -> Result<bool, Fault> {
        if obstacles::may_have_fold(&*self.sql, &note.fold())? {
            return Ok(true);
        }
        for folder in room::folders(note.path()) {
            let path = folder.as_str();
            if self.rows.any_below(path)? || obstacles::has_folder(&*self.sql, path)? {
                return Ok(false);
            }
            if obstacles::may_have_fold(&*self.sql, &folder.fold())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Has GitHub say what it is, if it is there.
    async fn refuse_twin(&self, sieve: &dyn Sieve, note: &Writable) -> Result<(), StorageError> {
        let Some(head) = self.head() else {
            return Ok(());
        };
        let tree = self.github.tree(&head).await?;
        self.github.drop_tree();
        tree.refuse_twin(note.path(), sieve)
    }

    /// What [`room::obstacles`] says of the notes in the index, by their folds. The numbers are
    /// those of its rules.
    fn is_crowded(&self, sieve: &dyn Sieve, note: &Writable) -> Result<bool, Fault> {
        let any_shown = |paths: Vec<String>| {
            let mut others = paths.iter().filter(|path| *path != note.as_str());
            others.any(|path| sieve.admit(path).is_some())
        };
        let fold = note.fold();
        // (1), (2)
        if any_shown(self.rows.with_fold(&fold)?) || any_shown(self.rows.below_fold(&fold)?) {
            return Ok(true);
        }
        for folder in room::folders(note.path()) {
            let fold = folder.fold();
            // (3)
            if any_shown(self.rows.with_fold(&fold)?) {
                return Ok(true);
            }
            // (4)
            if !self.rows.any_below(folder.as_str())? && any_shown(self.rows.below_fold(&fold)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether something that is no note stands at the path, or something that is no folder above
    /// it. What has notes below it is a folder; what else there may be, only GitHub knows.
    async fn is_obstructed(&self, note: &Writable) -> Result<bool, StorageError> {
        let path = note.as_str();
        let Some(head) = self.head() else {
            return Ok(false);
        };
        for folder in room::folders(note.path()) {
            if obstacles::may_be_at(&*self.sql, folder.as_str())?
                && self.github.api().place(folder.as_str(), &head).await? == Place::Taken
            {
                return Ok(true);
            }
        }
        // Where the path is free or a note's, GitHub's own comparison does the rest.
        let impostors = self.facts.read(|facts| facts.impostors);
        Ok(impostors
            && self.rows.find(note.visible())?.is_none()
            && self.github.api().place(path, &head).await? != Place::Free)
    }
}
