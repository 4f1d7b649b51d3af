//! What a note shall hold, given what it holds.

use super::read;
use crate::vault::{
    edit::{
        Edit, PropertyEdit, append, append_to, edit_properties, overwrite_in, prepend, prepend_to,
        replace,
    },
    error::VaultError,
    markdown::Section,
    policy::Writable,
    storage::{Revision, StoredNote},
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
        /// Only what stands below this heading: see [`overwrite_in`].
        section: Option<&'a str>,
    },
    /// Put this after the end, on lines of its own: see [`append`]. Makes a note that is missing.
    Append {
        /// What to add.
        content: &'a str,
        /// The section at whose end: see [`append_to`].
        section: Option<&'a str>,
    },
    /// Put this at the start of the body, on lines of its own: see [`prepend`]. Makes a note that is
    /// missing.
    Prepend {
        /// What to add.
        content: &'a str,
        /// The section at whose start: see [`prepend_to`].
        section: Option<&'a str>,
    },
    /// Replace what is quoted: see [`replace`]. All edits are made in what the note says at the
    /// head, or none.
    Edit {
        /// The edits, each made in what the one before left.
        edits: &'a [Edit<'a>],
        /// The section that they are kept to.
        section: Option<&'a str>,
    },
    /// Leave the text of a note that is there as it is, and change its properties alone.
    Keep,
    /// Make the note hold what it held at an earlier commit, byte for byte; also a note that is gone.
    Restore {
        /// The commit.
        at: &'a str,
    },
}

impl<'a> TextChange<'a> {
    /// What a note shall hold that holds `current`; `None` is a note that is not there. `path` is
    /// the one that the caller named, and `earlier` the note at the commit to restore.
    pub(super) fn apply(
        &self,
        path: &str,
        current: Option<&StoredNote>,
        earlier: Option<&StoredNote>,
    ) -> Result<Vec<u8>, VaultError> {
        match (*self, current) {
            (Self::Restore { at }, _) => earlier
                .map(|note| note.content.clone())
                .ok_or_else(|| not_held(at)),
            (Self::Create { .. }, Some(there)) => Err(VaultError::AlreadyExists {
                path: path.to_owned(),
                existing: vec![there.path.as_str().to_owned()],
                revision: Some(there.revision.clone()),
            }),
            (
                Self::Create { content }
                | Self::Overwrite {
                    content,
                    section: None,
                },
                _,
            )
            | (
                Self::Append {
                    content,
                    section: None,
                }
                | Self::Prepend {
                    content,
                    section: None,
                },
                None,
            ) => Ok(content.as_bytes().to_vec()),
            (_, None) => Err(VaultError::missing(path)),
            (_, Some(there)) => self.apply_to(there).map(String::into_bytes),
        }
    }

    /// What becomes of the text of a note that is there.
    fn apply_to(&self, note: &StoredNote) -> Result<String, VaultError> {
        let path = note.path.as_str();
        let text = read::text(note)?;
        let section = self.section().map(|address| {
            Section::find(text, address)
                .map_err(|error| VaultError::no_section(path, address, error))
        });
        let section = section.transpose()?;
        Ok(match (*self, &section) {
            (Self::Append { content, .. }, Some(section)) => append_to(text, section, content),
            (Self::Append { content, .. }, None) => append(text, content),
            (Self::Prepend { content, .. }, Some(section)) => prepend_to(text, section, content),
            (Self::Prepend { content, .. }, None) => prepend(text, content),
            (Self::Overwrite { content, .. }, Some(section)) => {
                overwrite_in(text, section, content)
                    .map_err(|error| VaultError::invalid("content", &error))?
            }
            (Self::Edit { edits, .. }, section) => {
                let within = section
                    .as_ref()
                    .map_or(0..text.len(), |section| section.range.clone());
                replace(text, within, edits).map_err(|error| VaultError::Edit {
                    path: path.to_owned(),
                    error,
                })?
            }
            (Self::Create { content } | Self::Overwrite { content, .. }, _) => content.to_owned(),
            (Self::Restore { .. } | Self::Keep, _) => text.to_owned(),
        })
    }

    /// The section that it is kept to.
    const fn section(&self) -> Option<&'a str> {
        match self {
            Self::Overwrite { section, .. }
            | Self::Append { section, .. }
            | Self::Prepend { section, .. }
            | Self::Edit { section, .. } => *section,
            Self::Create { .. } | Self::Restore { .. } | Self::Keep => None,
        }
    }
}

/// The content after changes of its properties.
pub(super) fn with_properties(
    note: &Writable,
    content: Vec<u8>,
    edits: &[PropertyEdit],
) -> Result<Vec<u8>, VaultError> {
    if edits.is_empty() {
        return Ok(content);
    }
    let text = String::from_utf8(content).map_err(|error| VaultError::NotUtf8 {
        path: note.as_str().to_owned(),
        revision: Revision::of(error.as_bytes()),
        bytes: error.as_bytes().len(),
        offset: error.utf8_error().valid_up_to(),
    })?;
    edit_properties(&text, edits)
        .map(String::into_bytes)
        .map_err(|error| VaultError::Properties {
            path: note.as_str().to_owned(),
            error,
        })
}

/// The commit to restore a note from does not hold it.
fn not_held(at: &str) -> VaultError {
    VaultError::InvalidArgument {
        argument: "at",
        problem: format!(
            "names commit {at}, which does not hold this note; the commit that a write or a deletion \
             names as replaced does"
        ),
    }
}
