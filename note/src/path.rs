//! Paths inside the vault: [`VaultPath`] for notes, [`DirPath`] for folders.
//!
//! Both are made by parsing only, and both keep the bytes they were given. A path that is not in
//! plain form is refused: rewriting it would check one path and use another. What a path may be
//! used for is not decided here but by the vault's policy.

mod encoded;
mod error;
mod fold;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use error::PathError;
pub use fold::fold;

/// The longest path that is looked at, in bytes; git itself handles none above 4,096.
pub const MAX_PATH_BYTES: usize = 4_096;

/// The path of a file in the vault, relative to the repository's root.
///
/// # Invariants
/// - Not empty, and at most [`MAX_PATH_BYTES`] bytes.
/// - Segments are divided by `/`; none is empty, `.` or `..`.
/// - Not absolute: no leading `/`, no drive (`C:/…`), no `file:` URL.
/// - No backslash, no control character (C0, DEL, C1), no line or paragraph separator, no Unicode
///   noncharacter.
/// - Percent-decoding it, even repeatedly, does not make it climb (`%2e%2e%2f`), absolute
///   (`%2fetc`) or cut short by NUL (`%00`). The path itself is never decoded: `50% plan.md`,
///   `100%25.md` and `a%3Db.md` are names like any other.
/// - The bytes are those that were parsed.
///
/// ```
/// use vault_mcp_note::path::VaultPath;
///
/// assert_eq!(VaultPath::parse("Projects/Plan.md")?.as_str(), "Projects/Plan.md");
/// assert_eq!(VaultPath::parse("50% plan.md")?.as_str(), "50% plan.md");
/// # Ok::<(), vault_mcp_note::path::PathError>(())
/// ```
///
/// Everything else is refused, never repaired:
///
/// ```
/// use vault_mcp_note::path::VaultPath;
///
/// for path in [
///     "", "/etc/x.md", "//srv/x.md", "C:/x.md", "C:\\x.md", "\\\\srv\\x.md", "file:///x.md",
///     "a/../b.md", "./a.md", "a//b.md", "a/", "a\\b.md", "a\nb.md", "a\0.md", "a\u{fffe}.md",
///     "%2e%2e%2fsecret.md", "%252e%252e%252fsecret.md", "a/..%5Cb.md", "%2fetc/x.md",
/// ] {
///     VaultPath::parse(path).unwrap_err();
/// }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VaultPath(String);

impl VaultPath {
    /// Parses a path.
    ///
    /// # Errors
    /// [`PathError`] naming the first part that breaks an invariant.
    pub fn parse(path: &str) -> Result<Self, PathError> {
        check(path)?;
        Ok(Self(path.to_owned()))
    }

    /// The path, byte for byte as it was parsed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The segments from the root down; there is at least one.
    #[must_use]
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last segment.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0
            .rsplit_once('/')
            .map_or(self.0.as_str(), |(_, name)| name)
    }

    /// The folder that holds the file.
    #[must_use]
    pub fn parent(&self) -> DirPath {
        DirPath(
            self.0
                .rsplit_once('/')
                .map_or_else(String::new, |(folder, _)| folder.to_owned()),
        )
    }

    /// The path as it is compared without regard to letter case and Unicode normalization: see
    /// [`fold()`]. Two paths with one fold are twins.
    #[must_use]
    pub fn fold(&self) -> String {
        fold(&self.0)
    }
}

/// The path of a folder in the vault, relative to the repository's root.
///
/// The invariants are those of [`VaultPath`], with two differences: the root is the empty string,
/// and one trailing `/` says again that a folder is meant and is not part of the path. The root
/// cannot be spelled `/` or `.`: absolute paths and dot segments are refused here too.
///
/// ```
/// use vault_mcp_note::path::DirPath;
///
/// assert!(DirPath::parse("")?.is_root());
/// assert_eq!(DirPath::parse("Projects/")?, DirPath::parse("Projects")?);
/// for dir in ["/", ".", "..", "./", "/Projects", "Projects//", "Projects/..", "../x"] {
///     DirPath::parse(dir).unwrap_err();
/// }
/// # Ok::<(), vault_mcp_note::path::PathError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DirPath(String);

impl DirPath {
    /// The vault's root folder.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Parses a folder's path.
    ///
    /// # Errors
    /// [`PathError`] naming the first part that breaks an invariant.
    pub fn parse(dir: &str) -> Result<Self, PathError> {
        if dir.is_empty() {
            return Ok(Self::root());
        }
        let path = match dir.strip_suffix('/') {
            Some("") | None => dir,
            Some(path) => path,
        };
        check(path)?;
        Ok(Self(path.to_owned()))
    }

    /// The path, without a trailing `/`; empty for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the vault's root.
    #[must_use]
    pub const fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The segments from the root down; none for the root itself.
    #[must_use]
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// The folder that holds this one; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(Self(
            self.0
                .rsplit_once('/')
                .map_or_else(String::new, |(above, _)| above.to_owned()),
        ))
    }

    /// What `path` is called inside this folder; `None` where it is not below it. Whole segments
    /// are compared, exactly: `notes` holds `notes/a.md`, not `notes2/a.md`.
    #[must_use]
    pub fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        if self.is_root() {
            return Some(path);
        }
        path.strip_prefix(self.as_str())?.strip_prefix('/')
    }

    /// Whether `path` is this folder or lies below it, compared like [`Self::strip`].
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        path == self.as_str() || self.strip(path).is_some()
    }

    /// The path as it is compared without regard to letter case and Unicode normalization.
    #[must_use]
    pub fn fold(&self) -> String {
        fold(&self.0)
    }
}

macro_rules! shows_as_text {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = PathError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(path: $name) -> Self {
                path.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), self.0)
            }
        }
    };
}

/// The folder that would stand where the file does.
impl From<VaultPath> for DirPath {
    fn from(path: VaultPath) -> Self {
        Self(path.0)
    }
}

shows_as_text!(VaultPath);
shows_as_text!(DirPath);

/// Holds `path` against the invariants that files and folders share.
fn check(path: &str) -> Result<(), PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(PathError::TooLong { bytes: path.len() });
    }
    if let Some(character) = path.chars().find(|character| is_unprintable(*character)) {
        return Err(PathError::Unprintable { character });
    }
    // Before backslashes and empty segments, so that `C:\x.md` and `file:///x.md` are called what
    // they are.
    if is_absolute(path) {
        return Err(PathError::Absolute);
    }
    if path.contains('\\') {
        return Err(PathError::Backslash);
    }
    for (index, segment) in path.split('/').enumerate() {
        match segment {
            "" => {
                return Err(PathError::EmptySegment {
                    position: index + 1,
                });
            }
            "." | ".." => {
                return Err(PathError::DotSegment {
                    segment: segment.to_owned(),
                    position: index + 1,
                });
            }
            _ => {}
        }
    }
    encoded::check(path)
}

/// Whether a path starts at the root of something: `/x`, `\x`, `C:/x`, `C:\x`, `file:/x`.
///
/// Only a first segment that is nothing but a drive or `file:` counts: `Q: why.md` is a name.
fn is_absolute(path: &str) -> bool {
    let Some((first, _)) = path.split_once(['/', '\\']) else {
        return false;
    };
    match first.strip_suffix(':') {
        None => first.is_empty(),
        Some(name) => {
            name.eq_ignore_ascii_case("file")
                || (name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphabetic()))
        }
    }
}

/// Whether a character has no place in a path: control characters, what breaks a line, and code
/// points that Unicode sets aside for ever (noncharacters).
#[must_use]
pub fn is_unprintable(character: char) -> bool {
    let code = u32::from(character);
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{fdd0}'..='\u{fdef}')
        || code & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests;
