//! The sample vault: what the look-alike holds until somebody brings a vault of their own.
//!
//! It reads like one person's vault and holds what breaks servers like ours, so that a person trying
//! the server and a test driving it look at the same notes. Ordinary notes are files under
//! `dev/vault/`; whatever a checkout on some platform, or an editor on any, could change or refuse is
//! made here by code.
//!
//! | module | holds |
//! | --- | --- |
//! | `ordinary` | the files of `dev/vault/` |
//! | `odd_names` | names that need escaping, folding or care, and agent instruction files |
//! | `odd_bytes` | line ends, byte order marks, other encodings, missing newlines |
//! | `large` | a note over one megabyte, and a line over the size of one result |
//! | `special_modes` | symbolic links, a submodule, an executable note |
//! | `hidden` | what must never show |

mod hidden;
mod large;
mod odd_bytes;
mod odd_names;
mod ordinary;
mod special_modes;

#[cfg(test)]
mod tests;

pub use hidden::HIDDEN_MARKER;
pub use large::{LARGE_NOTE, LARGE_NOTE_LAST_LINE};

use crate::seed::SeedFile;

/// How many notes a reader whose policy denies nothing further sees: regular and executable `.md` and
/// `.markdown` files, in any letter case, with no hidden segment in their path.
pub const VISIBLE_NOTES: usize = 94;

/// Every file of the sample vault, hidden ones included; no path occurs twice. The same bytes in the
/// same order on every call and every platform.
#[must_use]
pub fn files() -> Vec<SeedFile> {
    [
        ordinary::files(),
        odd_names::files(),
        odd_bytes::files(),
        large::files(),
        special_modes::files(),
        hidden::files(),
    ]
    .concat()
}
