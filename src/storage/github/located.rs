//! Notes that were found, and how they are read.

use super::{MAX_NOTE_BYTES, Tree};
use crate::vault::{
    policy::Visible,
    storage::{CommitId, ENOUGH_BYTES, Lookup, Lookups, Revision, Sieve, StorageError, StoredNote},
};

/// Where a note is, and where it is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::storage) struct Located {
    /// The commit that was looked into; `None` while there is none.
    pub(in crate::storage) commit: Option<CommitId>,
    /// The note's revision and its size in bytes, where there is one.
    pub(in crate::storage) file: Option<(Revision, u64)>,
    /// Where there is none: the visible notes that are called the same but for letter case and
    /// normalization.
    pub(in crate::storage) twins: Vec<Visible>,
}

impl Located {
    /// Finds a note in the tree of a commit.
    pub(super) fn at(commit: &CommitId, tree: &Tree, sieve: &dyn Sieve, note: &Visible) -> Self {
        let file = tree.file(note.as_str());
        let file = file.map(|(revision, bytes)| (revision.clone(), bytes));
        let twins = match file {
            Some(_) => Vec::new(),
            None => twins(tree, sieve, note),
        };
        Self {
            commit: Some(commit.clone()),
            file,
            twins,
        }
    }

    /// The note's revision, where there is one.
    ///
    /// # Errors
    /// [`StorageError::TooLarge`] for a note of more than [`MAX_NOTE_BYTES`].
    pub(in crate::storage) fn readable(&self) -> Result<Option<Revision>, StorageError> {
        match &self.file {
            Some((_, bytes)) if *bytes > MAX_NOTE_BYTES => {
                Err(StorageError::TooLarge { bytes: *bytes })
            }
            file => Ok(file.as_ref().map(|(revision, _)| revision.clone())),
        }
    }
}

/// Reads notes where they are, in their order, until they are enough; `content` brings the bytes of
/// one.
pub(in crate::storage) async fn read_places(
    notes: &[Visible],
    places: Vec<Located>,
    content: impl AsyncFn(&Visible, &Revision) -> Result<Vec<u8>, StorageError>,
) -> Result<Lookups, StorageError> {
    let mut lookups = Lookups::new();
    let mut bytes = 0;
    for (path, place) in notes.iter().zip(places) {
        if bytes >= ENOUGH_BYTES {
            break;
        }
        let note = match place.readable() {
            Ok(None) => None,
            Ok(Some(revision)) => Some(StoredNote {
                path: path.clone(),
                content: content(path, &revision).await?,
                revision,
            }),
            Err(too_large) => {
                lookups.push(Err(too_large));
                continue;
            }
        };
        let lookup = Lookup {
            commit: place.commit,
            note,
            twins: place.twins,
        };
        bytes += lookup.bytes();
        lookups.push(Ok(lookup));
    }
    Ok(lookups)
}

/// The answer about the only path that was asked for.
pub(in crate::storage) fn alone(lookups: Lookups) -> Result<Lookup, StorageError> {
    let nothing = || StorageError::Unexpected("no answer about a path".to_owned());
    lookups.into_iter().next().ok_or_else(nothing)?
}

/// The visible notes of `tree` that are called like `note` but for case and normalization.
fn twins(tree: &Tree, sieve: &dyn Sieve, note: &Visible) -> Vec<Visible> {
    let fold = note.fold();
    let shown = tree.files().filter_map(|(path, ..)| sieve.admit(path));
    shown
        .filter(|other| other.fold() == fold && other != note)
        .collect()
}
