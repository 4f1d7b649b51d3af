//! Hidden segments, and the disguises in which file systems take them for the real thing.
//!
//! A segment is hidden when it starts with a dot: `.git`, `.obsidian`, `.trash`, `.github`, the
//! folders of agents. No list of names is kept. GitHub compares bytes and is never deceived, but
//! the repository is also checked out, and there another segment may open a hidden folder. git
//! guards `.git` against the same disguises (`verify_path`, `core.protectHFS`,
//! `core.protectNTFS`); here every hidden name is guarded.

use std::borrow::Cow;

use vault_mcp_note::ignorable::is_ignorable;

/// Whether a file's path has a hidden segment; the last segment is the file's name.
pub(super) fn hides_file<'a>(segments: impl DoubleEndedIterator<Item = &'a str>) -> bool {
    let mut segments = segments;
    let file = segments.next_back();
    file.is_some_and(is_hidden) || hides_folder(segments)
}

/// Whether a folder's path has a hidden segment.
pub(super) fn hides_folder<'a>(mut segments: impl Iterator<Item = &'a str>) -> bool {
    segments.any(|segment| is_hidden(segment) || is_short_name(segment))
}

/// Whether a segment starts with a dot, as HFS+ sees it or as a person does, or addresses an NTFS
/// stream by its type (`x::$INDEX_ALLOCATION` opens the folder `x`).
///
/// Letter case, trailing dots and trailing spaces need no look: they change nothing about a
/// leading dot.
fn is_hidden(segment: &str) -> bool {
    without_ignorable(segment).starts_with('.') || segment.contains(":$")
}

/// Whether a folder's name has the form of an NTFS short name: `GIT~1` opens `.git`, and `OBSIDI~1`
/// opens `.obsidian`.
///
/// Windows drops the leading dot when it makes one, and what the long name was cannot be told from
/// the short one, so every such folder is hidden. The forms are `BASE~N` with at most eight
/// characters, and at most three more after a dot. File names are not looked at: a note called
/// `draft~1.md` opens no folder.
fn is_short_name(segment: &str) -> bool {
    let plain = without_ignorable(segment);
    let plain = plain
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches(['.', ' ']);
    let (stem, extension) = plain.split_once('.').unwrap_or((plain, ""));
    let Some((base, number)) = stem.rsplit_once('~') else {
        return false;
    };
    !base.is_empty()
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && stem.chars().count() <= 8
        && extension.chars().count() <= 3
        && !extension.contains('.')
}

/// The segment without the characters that are not seen: Unicode's default-ignorable code points,
/// among them all that HFS+ skips when it compares names.
pub(super) fn without_ignorable(segment: &str) -> Cow<'_, str> {
    if segment.is_ascii() {
        return Cow::Borrowed(segment);
    }
    Cow::Owned(
        segment
            .chars()
            .filter(|character| !is_ignorable(*character))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::{hides_file, hides_folder, is_hidden, is_short_name};

    #[test]
    fn a_leading_dot_hides_in_every_disguise() {
        for segment in [
            ".git",
            ".Git",
            ".GIT ",
            ".git.",
            ".git . .",
            "...",
            ".. ",
            ".obsidian",
            ".a.md",
            "\u{200c}.git",
            "\u{feff}\u{200d}.git",
            ".g\u{200c}it",
            "\u{ad}.git",
            "\u{2060}.git",
            ".git::$INDEX_ALLOCATION",
            "git~1::$INDEX_ALLOCATION",
            "note.md::$DATA",
            "note:$i30:$INDEX_ALLOCATION",
        ] {
            assert!(is_hidden(segment), "{segment:?}");
        }
    }

    #[test]
    fn short_names_are_recognised() {
        for segment in [
            "GIT~1",
            "git~1",
            "GIT~2",
            "GIT~1.",
            "GIT~1 ",
            "GIT~1:x",
            "G\u{200c}IT~1",
            "OBSIDI~1",
            "CLAUDE~1",
            "GI7EBA~1",
            "FOO~1.BAR",
            "AB~123",
        ] {
            assert!(is_short_name(segment), "{segment:?}");
        }
        for segment in [
            "~1",
            "git~",
            "git~x",
            "git~1x",
            "Obsidian~1",
            "a~1.html",
            "a~1.b.c",
            "~",
            "ab",
            "v~ 1",
        ] {
            assert!(!is_short_name(segment), "{segment:?}");
        }
    }

    #[test]
    fn every_segment_counts_and_a_file_is_no_folder() {
        assert!(hides_file("a/b/.c/d.md".split('/')));
        assert!(hides_file("a/.d.md".split('/')));
        assert!(hides_file("a/GIT~1/d.md".split('/')));
        assert!(!hides_file("a/draft~1.md".split('/')));
        assert!(!hides_file("a/b.c/d.e.md".split('/')));
        assert!(hides_folder("a/GIT~1".split('/')));
        assert!(!hides_folder("a/b.c".split('/')));
        assert!(!hides_file("a/👩\u{200d}👩\u{200d}👧.md".split('/')));
    }
}
