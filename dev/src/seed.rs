//! The files a repository starts with.

use std::fmt;

/// How git records a file: the first column of `git ls-tree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// `100644`, an ordinary file.
    #[default]
    Regular,
    /// `100755`, a file with the executable bit.
    Executable,
    /// `120000`, a symbolic link; the bytes are its target.
    Symlink,
    /// `160000`, a submodule; the bytes are the 40 hexadecimal digits of its commit.
    Submodule,
}

impl Mode {
    /// The six octal digits that git prints.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One file of a repository's first commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedFile {
    /// Path from the repository's root, `/` between segments, exactly the bytes git will store.
    pub path: String,
    /// The content, byte for byte; for links and submodules see [`Mode`].
    pub bytes: Vec<u8>,
    /// How git records the file.
    pub mode: Mode,
}

impl SeedFile {
    /// An ordinary file.
    pub fn regular(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            mode: Mode::Regular,
        }
    }

    /// A symbolic link at `path` that points at `target`.
    pub fn symlink(path: impl Into<String>, target: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: target.into(),
            mode: Mode::Symlink,
        }
    }
}
