//! Reading one note.

use super::VaultClient;
use crate::vault::{
    error::VaultError,
    path::VaultPath,
    policy::Visible,
    storage::{CommitId, Lookup, Revision, StoredNote},
    title,
};

/// A note with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it is. It differs from the path that was asked for where only a twin of that exists.
    pub path: VaultPath,
    /// Its title: see [`title::of_note`].
    pub title: String,
    /// Its revision, which a change may be based on.
    pub revision: Revision,
    /// The commit at which it was read.
    pub commit: Option<CommitId>,
    /// Its text, byte for byte: a byte order mark, line ends and a missing final newline are as
    /// they are stored. Empty for an empty note.
    pub text: String,
}

impl VaultClient {
    /// Reads a note.
    ///
    /// It is found exactly, or else by its only twin: the visible note whose path differs in letter
    /// case or Unicode normalization alone. The answer says which path was used.
    ///
    /// `at` is a commit from the branch's history; the head where `None`.
    ///
    /// # Errors
    /// - `INVALID_PATH`, `NOT_A_NOTE` for what cannot be a note's path.
    /// - `NOT_FOUND` for a note that does not exist or that policy does not show, naming the twins
    ///   where there are several.
    /// - `NOT_UTF8` for a note that is not text.
    /// - `TOO_LARGE` for a note that the backend cannot carry.
    /// - `INVALID_ARGUMENT` for a commit that is not in the branch's history.
    /// - What the backend reports.
    pub async fn read(&self, path: &str, at: Option<&str>) -> Result<Note, VaultError> {
        let asked = self.visible(path)?;
        let at = at.map(|commit| Self::commit("at", commit)).transpose()?;
        let lookup = self.lookup(&asked, at.as_ref()).await?;
        match (lookup.note, lookup.twins.as_slice()) {
            (Some(note), _) => as_text(&note, lookup.commit),
            (None, [twin]) => {
                // Pinned, so that the twin is read from the state in which it was the only one.
                let found = self.lookup(twin, lookup.commit.as_ref()).await?;
                match found.note {
                    Some(note) => as_text(&note, found.commit),
                    None => Err(VaultError::missing(path)),
                }
            }
            (None, twins) => Err(VaultError::NotFound {
                path: path.to_owned(),
                near: twins.iter().map(|twin| twin.as_str().to_owned()).collect(),
            }),
        }
    }

    /// What the backend has for a path, judged again: a note is at exactly this path, and twins
    /// are visible and really twins.
    pub(super) async fn lookup(
        &self,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, VaultError> {
        let mut lookup = self
            .storage
            .read(&*self.policy, note, at)
            .await
            .map_err(|error| VaultError::from_storage(note.as_str(), error))?;
        lookup.note = lookup.note.filter(|found| found.path == *note);
        let fold = note.fold();
        lookup
            .twins
            .retain(|twin| twin != note && twin.fold() == fold && self.readmit(twin));
        Ok(lookup)
    }
}

/// What a note says, if its bytes are UTF-8.
pub(super) fn text(note: &StoredNote) -> Result<&str, VaultError> {
    str::from_utf8(&note.content).map_err(|error| VaultError::NotUtf8 {
        path: note.path.as_str().to_owned(),
        revision: note.revision.clone(),
        bytes: note.content.len(),
        offset: error.valid_up_to(),
    })
}

/// The note as a reader gets it.
fn as_text(note: &StoredNote, commit: Option<CommitId>) -> Result<Note, VaultError> {
    let text = text(note)?;
    Ok(Note {
        title: title::of_note(note.path.path(), text),
        path: note.path.path().clone(),
        revision: note.revision.clone(),
        commit,
        text: text.to_owned(),
    })
}
