//! Names that some platform cannot hold. A note so called may exist, and may then be read and
//! changed; making another one would break the vault for everybody who checks it out there.

use crate::vault::{echo::Echo, path::VaultPath};

/// The longest segment that may be created, in bytes: the limit of Linux, macOS and Windows file
/// systems, each counting in another unit of which bytes are the strictest.
pub const CREATABLE_SEGMENT_BYTES: usize = 255;

/// The longest path that may be created, in bytes: macOS takes 1,024 with the vault's own folder
/// in front.
pub const CREATABLE_PATH_BYTES: usize = 1_000;

/// What is wrong with a name that is otherwise a path in plain form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameProblem {
    /// Windows keeps the name for a device, with any extension.
    #[error("{} is a device name on Windows", Echo(segment))]
    DeviceName {
        /// The segment.
        segment: String,
    },
    /// Windows takes the character for something else.
    #[error(
        "{} holds {character:?}, which Windows does not take in names",
        Echo(segment)
    )]
    ForbiddenCharacter {
        /// The segment.
        segment: String,
        /// The character.
        character: char,
    },
    /// Windows cuts trailing dots and spaces off, and would open another file.
    #[error("{} ends in a dot or a space", Echo(segment))]
    TrailingDotOrSpace {
        /// The segment.
        segment: String,
    },
    /// The segment is longer than [`CREATABLE_SEGMENT_BYTES`].
    #[error(
        "{} has {bytes} bytes, more than {CREATABLE_SEGMENT_BYTES}",
        Echo(segment)
    )]
    SegmentTooLong {
        /// The segment.
        segment: String,
        /// Its length.
        bytes: usize,
    },
    /// The path is longer than [`CREATABLE_PATH_BYTES`].
    #[error("the path has {bytes} bytes, more than {CREATABLE_PATH_BYTES}")]
    PathTooLong {
        /// Its length.
        bytes: usize,
    },
    /// Obsidian's wikilinks give the character a meaning, so no link reaches the note.
    #[error(
        "{} holds {character:?}, so wikilinks cannot address it",
        Echo(segment)
    )]
    Unlinkable {
        /// The segment.
        segment: String,
        /// The character.
        character: char,
    },
}

/// Whether a path can be created on every platform.
///
/// # Errors
/// The first [`NameProblem`] that is in the way; never [`NameProblem::Unlinkable`].
pub(super) fn check_creatable(path: &VaultPath) -> Result<(), NameProblem> {
    let bytes = path.as_str().len();
    if bytes > CREATABLE_PATH_BYTES {
        return Err(NameProblem::PathTooLong { bytes });
    }
    path.segments().try_for_each(check_segment)
}

/// The character for which wikilinks cannot address a path, where there is one.
pub(super) fn unlinkable(path: &VaultPath) -> Option<NameProblem> {
    path.segments().find_map(|segment| {
        let character = segment
            .chars()
            .find(|c| matches!(c, '#' | '^' | '[' | ']' | '|'))?;
        Some(NameProblem::Unlinkable {
            segment: segment.to_owned(),
            character,
        })
    })
}

fn check_segment(segment: &str) -> Result<(), NameProblem> {
    let owned = || segment.to_owned();
    if segment.len() > CREATABLE_SEGMENT_BYTES {
        return Err(NameProblem::SegmentTooLong {
            segment: owned(),
            bytes: segment.len(),
        });
    }
    let forbidden = segment
        .chars()
        .find(|c| matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*'));
    if let Some(character) = forbidden {
        return Err(NameProblem::ForbiddenCharacter {
            segment: owned(),
            character,
        });
    }
    if segment.ends_with(['.', ' ']) {
        return Err(NameProblem::TrailingDotOrSpace { segment: owned() });
    }
    if is_device_name(segment) {
        return Err(NameProblem::DeviceName { segment: owned() });
    }
    Ok(())
}

/// Whether Windows takes a segment for a device: `CON`, `con.md`, `COM1.tar.md`, `LPT² .md`.
///
/// Source: Microsoft's "Naming Files, Paths, and Namespaces"; the digits ¹²³ count as digits there,
/// and everything from the first dot on is ignored, as are spaces before it.
fn is_device_name(segment: &str) -> bool {
    let stem = segment
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end_matches(' ');
    let stem = stem.to_ascii_uppercase();
    match stem.as_str() {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" => true,
        _ => stem
            .strip_prefix("COM")
            .or_else(|| stem.strip_prefix("LPT"))
            .is_some_and(|port| {
                let mut characters = port.chars();
                matches!(
                    (characters.next(), characters.next()),
                    (Some('1'..='9' | '¹' | '²' | '³'), None)
                )
            }),
    }
}

#[cfg(test)]
mod tests {
    use super::{NameProblem, check_creatable, is_device_name, unlinkable};
    use crate::vault::path::VaultPath;

    fn problem(path: &str) -> Option<NameProblem> {
        check_creatable(&VaultPath::parse(path).unwrap()).err()
    }

    #[test]
    fn device_names_with_any_extension_at_any_depth() {
        for name in [
            "CON",
            "con.md",
            "Aux.md",
            "nul.tar.md",
            "prn .md",
            "COM1.md",
            "lpt9.md",
            "COM².md",
        ] {
            assert!(is_device_name(name), "{name}");
        }
        for name in [
            "CONS.md", "COM.md", "COM0.md", "COM10.md", "com-1.md", "icon.md", "lpt.md",
        ] {
            assert!(!is_device_name(name), "{name}");
        }
        assert!(problem("a/aux/b.md").is_some());
        assert!(problem("CONIN$.md").is_some());
    }

    #[test]
    fn characters_that_windows_does_not_take() {
        for character in ['<', '>', ':', '"', '|', '?', '*'] {
            let segment = format!("a{character}b.md");
            assert_eq!(
                problem(&format!("x/{segment}")),
                Some(NameProblem::ForbiddenCharacter { segment, character })
            );
        }
    }

    #[test]
    fn trailing_dots_and_spaces_of_folders() {
        for path in ["a./b.md", "a /b.md", "a. ./b.md"] {
            assert!(
                matches!(problem(path), Some(NameProblem::TrailingDotOrSpace { .. })),
                "{path}"
            );
        }
        assert_eq!(problem("a .md"), None);
        assert_eq!(problem(" a.md"), None);
    }

    #[test]
    fn lengths_are_counted_in_bytes() {
        assert_eq!(problem(&format!("{}.md", "é".repeat(126))), None);
        let long = format!("{}d.md", "é".repeat(126));
        let bytes = long.len();
        assert_eq!(
            problem(&long),
            Some(NameProblem::SegmentTooLong {
                segment: long,
                bytes
            })
        );
        let deep = "a/".repeat(498);
        assert_eq!(problem(&format!("{deep}a.md")), None);
        assert_eq!(
            problem(&format!("{deep}aa.md")),
            Some(NameProblem::PathTooLong { bytes: 1_001 })
        );
    }

    #[test]
    fn names_that_wikilinks_cannot_address_are_warned_about_only() {
        for path in ["C# notes.md", "a^b.md", "[x].md", "#inbox/a.md"] {
            assert_eq!(problem(path), None, "{path}");
            assert!(
                unlinkable(&VaultPath::parse(path).unwrap()).is_some(),
                "{path}"
            );
        }
        assert_eq!(
            unlinkable(&VaultPath::parse("50% plan & more, (1).md").unwrap()),
            None
        );
    }
}
