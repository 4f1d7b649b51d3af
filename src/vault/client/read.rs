//! Reading notes.

use super::VaultClient;
use crate::vault::{
    error::VaultError,
    path::VaultPath,
    policy::Visible,
    storage::{CommitId, Lookup, Revision, StorageError, StoredNote},
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

/// What came of one of several paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadNote {
    /// The path as it was asked for.
    pub asked: String,
    /// The note, or why there is none to show.
    pub note: Result<Note, VaultError>,
}

/// Several notes, all as they were at one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The commit; `None` in a vault without commits, and where no path could be looked up.
    pub commit: Option<CommitId>,
    /// What came of the first paths, in their order: at least of one, and of so many that their notes
    /// are more than an answer holds, or of all.
    pub notes: Vec<ReadNote>,
}

impl VaultClient {
    /// Reads a note.
    ///
    /// It is found exactly, or else by its only twin: the visible note whose path differs in letter
    /// case or Unicode normalization alone. The answer says which path was used.
    ///
    /// `at` is a commit from the branch's history; the head where `None`. A note that was deleted
    /// since can be read at a commit that holds it.
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
        let at = at.map(|commit| Self::commit("at", commit)).transpose()?;
        let mut found = self.read_once(&[path], at.as_ref()).await?.notes;
        found
            .pop()
            .map_or(Err(VaultError::missing(path)), |found| found.note)
    }

    /// Reads several notes as they were at one commit. What is wrong with one of them does not keep
    /// the others from being read.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a commit that is not in the branch's history, and what the backend
    /// reports of more than one note.
    pub async fn read_together(
        &self,
        paths: &[&str],
        at: Option<&str>,
    ) -> Result<Reading, VaultError> {
        let at = at.map(|commit| Self::commit("at", commit)).transpose()?;
        self.read_once(paths, at.as_ref()).await
    }

    /// 1. Judge every path; what the policy refuses is not asked for.
    /// 2. Look the others up, at one commit.
    /// 3. Where only a twin is there, look that up, at the same commit: in the state in which it was
    ///    the only one.
    async fn read_once(
        &self,
        paths: &[&str],
        at: Option<&CommitId>,
    ) -> Result<Reading, VaultError> {
        // (1)
        let judged: Vec<_> = paths.iter().map(|path| self.visible(path)).collect();
        let asked: Vec<Visible> = judged.iter().flatten().cloned().collect();
        // (2)
        let lookups = self.lookups(&asked, at).await?;
        let first = lookups.iter().flatten().next();
        let commit = first.and_then(|lookup| lookup.commit.clone());
        // (3)
        let only_twin = |lookup: &Lookup| match (&lookup.note, lookup.twins.as_slice()) {
            (None, [twin]) => Some(twin.clone()),
            _ => None,
        };
        let twins: Vec<Visible> = lookups.iter().flatten().filter_map(only_twin).collect();
        let mut of_twins = self.lookups(&twins, commit.as_ref()).await?.into_iter();

        let mut lookups = lookups.into_iter();
        let mut notes = Vec::new();
        for (path, judged) in paths.iter().zip(judged) {
            let note = match judged {
                Err(refused) => Err(refused),
                Ok(asked) => match lookups.next() {
                    // There was enough before it.
                    None => break,
                    Some(Ok(lookup)) if only_twin(&lookup).is_some() => match of_twins.next() {
                        None => break,
                        Some(lookup) => found(path, &asked, lookup),
                    },
                    Some(lookup) => found(path, &asked, lookup),
                },
            };
            notes.push(ReadNote {
                asked: (*path).to_owned(),
                note,
            });
        }
        Ok(Reading { commit, notes })
    }

    /// What the backend has for a path, judged again: a note is at exactly this path, and twins
    /// are visible and really twins.
    pub(super) async fn lookup(
        &self,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, VaultError> {
        let lookup = self.storage.read(&*self.policy, note, at).await;
        let lookup = lookup.map_err(|error| VaultError::from_storage(note.as_str(), error))?;
        Ok(self.judged(note, lookup))
    }

    /// The same of several paths; nothing is asked where there are none.
    async fn lookups(
        &self,
        notes: &[Visible],
        at: Option<&CommitId>,
    ) -> Result<Vec<Result<Lookup, StorageError>>, VaultError> {
        let Some(first) = notes.first() else {
            return Ok(Vec::new());
        };
        let lookups = self.storage.read_together(&*self.policy, notes, at).await;
        let lookups = lookups.map_err(|error| VaultError::from_storage(first.as_str(), error))?;
        let judged = notes.iter().zip(lookups);
        Ok(judged
            .map(|(note, lookup)| Ok(self.judged(note, lookup?)))
            .collect())
    }

    fn judged(&self, note: &Visible, mut lookup: Lookup) -> Lookup {
        lookup.note = lookup.note.filter(|found| found.path == *note);
        let fold = note.fold();
        lookup
            .twins
            .retain(|twin| twin != note && twin.fold() == fold && self.readmit(twin));
        lookup
    }
}

/// The note that was found for `asked`, which the caller calls `path`.
fn found(
    path: &str,
    asked: &Visible,
    lookup: Result<Lookup, StorageError>,
) -> Result<Note, VaultError> {
    let lookup = lookup.map_err(|error| VaultError::from_storage(asked.as_str(), error))?;
    match lookup.note {
        Some(note) => as_text(&note, lookup.commit),
        None => Err(VaultError::not_found(path, &lookup.twins)),
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
