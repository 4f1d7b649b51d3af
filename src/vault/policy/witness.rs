//! The witnesses: paths that the policy has passed.
//!
//! Their fields are private and their constructors are visible in [`super`] alone. Whoever holds
//! one holds the proof that the path was judged.

use crate::vault::path::VaultPath;

use super::NameProblem;

/// The path of a note that may be shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Visible(VaultPath);

impl Visible {
    pub(super) const fn new(path: VaultPath) -> Self {
        Self(path)
    }

    /// The path, byte for byte.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The path.
    #[must_use]
    pub const fn path(&self) -> &VaultPath {
        &self.0
    }

    /// What the path and its twins have in common: see [`crate::vault::path::fold`].
    #[must_use]
    pub fn fold(&self) -> String {
        self.0.fold()
    }
}

impl AsRef<str> for Visible {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// The path of a note that may be changed or removed where it exists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Writable(Visible);

impl Writable {
    pub(super) const fn new(visible: Visible) -> Self {
        Self(visible)
    }

    /// The path, byte for byte.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The path.
    #[must_use]
    pub const fn path(&self) -> &VaultPath {
        self.0.path()
    }

    /// What may be changed may be read.
    #[must_use]
    pub const fn visible(&self) -> &Visible {
        &self.0
    }

    /// What the path and its twins have in common: see [`crate::vault::path::fold`].
    #[must_use]
    pub fn fold(&self) -> String {
        self.0.fold()
    }
}

/// The path of a note that may be made where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creatable {
    note: Writable,
    unlinkable: Option<NameProblem>,
}

impl Creatable {
    pub(super) const fn new(note: Writable, unlinkable: Option<NameProblem>) -> Self {
        Self { note, unlinkable }
    }

    /// What may be created may be changed.
    #[must_use]
    pub const fn writable(&self) -> &Writable {
        &self.note
    }

    /// Why wikilinks will not reach the note, where they will not: a warning to pass on.
    #[must_use]
    pub const fn unlinkable(&self) -> Option<&NameProblem> {
        self.unlinkable.as_ref()
    }
}
