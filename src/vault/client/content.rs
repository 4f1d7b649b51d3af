//! What a note shall hold, given what it holds.

use super::read;
use crate::vault::{
    edit::{Edit, append, prepend, replace},
    error::VaultError,
    storage::StoredNote,
};

/// What to do to a note's text. Text that is put in is kept as it is, but for its line ends, which
/// become those of the note where only a part of it is changed.
#[derive(Clone, Copy, Debug)]
pub enum TextChange<'a> {
    /// Make a note that holds exactly this; refuse where it or a twin of it exists.
    Create {
        /// The whole text. May be empty.
        content: &'a str,
    },
    /// Make the note hold exactly this, whether it exists or not.
    Overwrite {
        /// The whole text. May be empty.
        content: &'a str,
    },
    /// Put this after the end, on lines of its own: see [`append`]. Makes a note that is missing.
    Append {
        /// What to add.
        content: &'a str,
    },
    /// Put this at the start of the body, on lines of its own: see [`prepend`]. Makes a note that is
    /// missing.
    Prepend {
        /// What to add.
        content: &'a str,
    },
    /// Replace what is quoted: see [`replace`]. All edits are made in what the note says at the
    /// head, or none.
    Edit {
        /// The edits, each made in what the one before left.
        edits: &'a [Edit<'a>],
    },
}

impl TextChange<'_> {
    /// What a note shall hold that holds `current`; `None` is a note that is not there. `path` is
    /// the one that the caller named.
    pub(super) fn apply(
        &self,
        path: &str,
        current: Option<&StoredNote>,
    ) -> Result<Vec<u8>, VaultError> {
        let text = match (self, current) {
            (Self::Create { .. }, Some(there)) => {
                return Err(VaultError::AlreadyExists {
                    path: path.to_owned(),
                    existing: vec![there.path.as_str().to_owned()],
                    revision: Some(there.revision.clone()),
                });
            }
            (
                Self::Create { content } | Self::Append { content } | Self::Prepend { content },
                None,
            )
            | (Self::Overwrite { content }, _) => (*content).to_owned(),
            (Self::Edit { .. }, None) => return Err(VaultError::missing(path)),
            (Self::Append { content }, Some(there)) => append(read::text(there)?, content),
            (Self::Prepend { content }, Some(there)) => prepend(read::text(there)?, content),
            (Self::Edit { edits }, Some(there)) => {
                let text = read::text(there)?;
                replace(text, 0..text.len(), edits).map_err(|error| VaultError::Edit {
                    path: there.path.as_str().to_owned(),
                    error,
                })?
            }
        };
        Ok(text.into_bytes())
    }
}
