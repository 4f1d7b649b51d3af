//! Entries of a git tree that are not ordinary files, all of them named like notes.

use crate::seed::{Mode, SeedFile};

/// Links within the vault, into a hidden folder and out of the repository; a submodule; and a note
/// that a copy from a FAT disk made executable, which is a note like any other.
pub(super) fn files() -> Vec<SeedFile> {
    let entry = |path: &str, content: &str, mode| SeedFile {
        path: path.to_owned(),
        bytes: content.as_bytes().to_vec(),
        mode,
    };
    vec![
        SeedFile::symlink("Linked.md", "Index.md"),
        SeedFile::symlink("Projects/Shortcut.md", ".private/secret.md"),
        SeedFile::symlink("Reference/Outside.md", "../../elsewhere.md"),
        entry(
            "Reference/Charts.md",
            "8d1c0e5b7f3a92646c0b1d2e3f4a5968778695a4",
            Mode::Submodule,
        ),
        entry(
            "Archive/From the old laptop.md",
            "# From the old laptop\n\nThe disk was FAT, so everything on it could be executed.\n",
            Mode::Executable,
        ),
    ]
}
