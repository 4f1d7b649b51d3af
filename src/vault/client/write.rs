//! Writing a whole note.

use super::{
    VaultClient,
    change::{Change, Written},
};
use crate::vault::{error::VaultError, storage::StoredNote};

/// What a write does where the note exists, and where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// Makes a note, and fails where it or a twin of it exists.
    Create,
    /// Replaces what the note holds, and makes it where it does not exist.
    Overwrite,
}

/// What to write.
#[derive(Clone, Copy, Debug)]
pub struct WriteRequest<'a> {
    /// The note's path.
    pub path: &'a str,
    /// What it shall hold, as it is: nothing is trimmed, converted or added. May be empty.
    pub content: &'a str,
    /// What to do where it exists, and where not.
    pub mode: WriteMode,
    /// The revision that the note must have for the write to happen.
    pub expected_revision: Option<&'a str>,
    /// The first line of the commit's message; our own where `None` or blank.
    pub message: Option<&'a str>,
}

impl VaultClient {
    /// Writes a note: one commit, or none where the note holds exactly this already.
    ///
    /// An existing note is found exactly, or else by its only twin, and the answer says which path
    /// was used and what was replaced. It may also be one that could not be created, or that is not
    /// text: the caller replaces it whole.
    ///
    /// # Errors
    /// - `READ_ONLY` where this caller may not write.
    /// - `INVALID_PATH`, `NOT_A_NOTE` for what policy does not let be written, whatever is there.
    /// - `INVALID_ARGUMENT` for an expected revision that is none, or that makes no sense with
    ///   [`WriteMode::Create`].
    /// - `CONFLICT` where the note does not have the expected revision, with the current one.
    /// - `ALREADY_EXISTS` where something is in the way of a new note, naming it.
    /// - `TOO_LARGE` above [`super::MAX_NOTE_BYTES`].
    /// - What the backend reports. Nothing was changed, except where `outcome_unknown` says that
    ///   this could not be found out.
    pub async fn write(&self, request: &WriteRequest<'_>) -> Result<Written, VaultError> {
        let note = self.writable(request.path)?;
        let expected = Self::expected(request.expected_revision)?;
        if request.mode == WriteMode::Create && expected.is_some() {
            return Err(VaultError::InvalidArgument {
                argument: "expected_revision",
                problem: "makes no sense with mode \"create\": a new note has none".to_owned(),
            });
        }
        let compute = |current: Option<&StoredNote>| match (request.mode, current) {
            (WriteMode::Create, Some(there)) => Err(VaultError::AlreadyExists {
                path: request.path.to_owned(),
                existing: vec![there.path.as_str().to_owned()],
                revision: Some(there.revision.clone()),
            }),
            (WriteMode::Create, None) | (WriteMode::Overwrite, _) => {
                Ok(request.content.as_bytes().to_vec())
            }
        };
        self.change(&Change {
            note: &note,
            expected: expected.as_ref(),
            message: request.message,
            compute: &compute,
        })
        .await
    }
}
