//! Writing a note: whole, or a part of it.

use super::{
    VaultClient,
    change::{Change, Written},
    content::{TextChange, with_properties},
};
use crate::vault::{
    commit::Action,
    edit::PropertyEdit,
    error::VaultError,
    policy::Writable,
    storage::{CommitId, StoredNote},
};

/// What to write.
#[derive(Clone, Copy, Debug)]
pub struct WriteRequest<'a> {
    /// The note's path.
    pub path: &'a str,
    /// What to do to its text.
    pub text: TextChange<'a>,
    /// What to do to its properties, after that.
    pub properties: &'a [PropertyEdit],
    /// The revision that the note must have for the write to happen.
    pub expected_revision: Option<&'a str>,
    /// Whether to stop before anything is sent: what would be done is the answer. Who may not write
    /// may not try either.
    pub dry_run: bool,
    /// The first line of the commit's message; our own where `None` or blank.
    pub message: Option<&'a str>,
}

impl VaultClient {
    /// Writes a note: one commit, or none where the note holds exactly this already.
    ///
    /// An existing note is found exactly, or else by its only twin, and the answer says which path
    /// was used and what was replaced. It may also be one that could not be created; and one that is
    /// not text, where the caller replaces it whole.
    ///
    /// What the note shall hold is computed from what it holds at the head, and committed only if
    /// that is still so (see [`TextChange`]).
    ///
    /// # Errors
    /// - `READ_ONLY` where this caller may not write.
    /// - `INVALID_PATH`, `NOT_A_NOTE` for what policy does not let be written, whatever is there.
    /// - `INVALID_ARGUMENT` for an expected revision that is none, or that makes no sense with
    ///   [`TextChange::Create`], and for edits that contradict each other.
    /// - `CONFLICT` where the note does not have the expected revision, with the current one.
    /// - `ALREADY_EXISTS` where something is in the way of a new note, naming it.
    /// - `NOT_FOUND` where the note is missing whose text was to be edited, or the section;
    ///   `AMBIGUOUS_SECTION` where several have the name.
    /// - `EDIT_NOT_FOUND`, `EDIT_NOT_UNIQUE` for an edit that says not exactly what it replaces.
    /// - `NOT_UTF8` for a part of a note that is not text.
    /// - `INVALID_ARGUMENT` for properties that cannot be changed without damage, and where the
    ///   frontmatter is no YAML.
    /// - `TOO_LARGE` above [`super::MAX_NOTE_BYTES`].
    /// - What the backend reports. Nothing was changed, except where `outcome_unknown` says that
    ///   this could not be found out.
    pub async fn write(&self, request: &WriteRequest<'_>) -> Result<Written, VaultError> {
        let note = self.writable(request.path)?;
        let expected = Self::expected(request.expected_revision)?;
        if matches!(request.text, TextChange::Create { .. }) && expected.is_some() {
            return Err(VaultError::InvalidArgument {
                argument: "expected_revision",
                problem: "makes no sense with mode \"create\": a new note has none".to_owned(),
            });
        }
        let (earlier, action) = match request.text {
            TextChange::Restore { at } => {
                let at = Self::commit("at", at)?;
                (self.note_at(&note, &at).await?, Action::Restore)
            }
            TextChange::Create { .. }
            | TextChange::Overwrite { .. }
            | TextChange::Append { .. }
            | TextChange::Prepend { .. }
            | TextChange::Edit { .. }
            | TextChange::Keep => (None, Action::Update),
        };
        self.change(&Change {
            note: &note,
            expected: expected.as_ref(),
            action,
            message: request.message,
            dry_run: request.dry_run,
            compute: &|current| {
                let content = request
                    .text
                    .apply(request.path, current, earlier.as_ref())?;
                with_properties(&note, content, request.properties)
            },
        })
        .await
    }

    /// The note as it was at an earlier commit: exactly, or by its only twin of then.
    async fn note_at(
        &self,
        note: &Writable,
        at: &CommitId,
    ) -> Result<Option<StoredNote>, VaultError> {
        let lookup = self.lookup(note.visible(), Some(at)).await?;
        match (lookup.note, lookup.twins.as_slice()) {
            (None, [twin]) => Ok(self.lookup(twin, Some(at)).await?.note),
            (note, _) => Ok(note),
        }
    }
}
