//! Why a text is no path.

use super::MAX_PATH_BYTES;
use crate::echo::Echo;

/// Why a text is not a path in plain form. Each names the part that fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is nothing at all.
    #[error("the path is empty")]
    Empty,
    /// The path starts at a root, a drive or a `file:` URL.
    #[error(
        "the path is absolute; paths are relative to the vault's root, without a leading slash"
    )]
    Absolute,
    /// The path is longer than [`MAX_PATH_BYTES`].
    #[error("the path has {bytes} bytes, more than {MAX_PATH_BYTES}")]
    TooLong {
        /// The path's length in bytes.
        bytes: usize,
    },
    /// A control character, a line break, or a noncharacter.
    #[error("the path holds the character U+{:04X}", u32::from(*character))]
    Unprintable {
        /// The character.
        character: char,
    },
    /// A backslash; segments are divided by `/`.
    #[error(r"the path holds a backslash; segments are divided by a slash")]
    Backslash,
    /// Two slashes in a row, or a slash at the end of a file's path.
    #[error("segment {position} is empty")]
    EmptySegment {
        /// Which segment, counted from 1.
        position: usize,
    },
    /// A segment `.` or `..`.
    #[error(
        "segment {position} is {}; dot segments are not resolved",
        Echo(segment)
    )]
    DotSegment {
        /// The segment.
        segment: String,
        /// Which segment, counted from 1.
        position: usize,
    },
    /// Percent-decoding would make the path climb, absolute, or end at a NUL.
    #[error(
        "percent-decoded, the path would be {}, which leaves the vault",
        Echo(decoded)
    )]
    EncodedTraversal {
        /// The path with every percent-encoding decoded.
        decoded: String,
    },
}
