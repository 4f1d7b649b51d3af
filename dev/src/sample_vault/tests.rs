use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use super::*;
use crate::seed::Mode;

fn by_path() -> BTreeMap<String, SeedFile> {
    files()
        .into_iter()
        .map(|file| (file.path.clone(), file))
        .collect()
}

fn bytes_of(path: &str) -> Vec<u8> {
    by_path()
        .remove(path)
        .unwrap_or_else(|| panic!("{path:?} is missing"))
        .bytes
}

fn is_hidden(path: &str) -> bool {
    path.split('/')
        .any(|segment| segment.trim_start_matches('\u{200c}').starts_with('.'))
}

fn is_named_like_a_note(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("md") || it.eq_ignore_ascii_case("markdown"))
}

fn is_note(file: &SeedFile) -> bool {
    matches!(file.mode, Mode::Regular | Mode::Executable) && is_named_like_a_note(&file.path)
}

fn contains(bytes: &[u8], word: &str) -> bool {
    bytes
        .windows(word.len())
        .any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

#[test]
fn no_path_occurs_twice_and_none_is_a_folder_of_another() {
    let files = files();
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths.len(), files.len());
    for path in &paths {
        for (end, _) in path.match_indices('/') {
            assert!(!paths.contains(&path[..end]), "{path:?} lies under a file");
        }
        let segments_hold = path
            .split('/')
            .all(|s| !matches!(s, "" | "." | "..") && s.len() <= 255);
        assert!(segments_hold, "{path:?} is no path that git stores");
    }
}

#[test]
fn the_table_lists_every_file_of_the_folder() {
    fn walk(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = format!("{prefix}{name}");
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{path}/"), found);
            } else if name != ".DS_Store" {
                found.insert(path.nfc().collect());
            }
        }
    }
    let mut on_disk = BTreeSet::new();
    walk(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("vault"),
        "",
        &mut on_disk,
    );
    let in_table: BTreeSet<String> = ordinary::files()
        .into_iter()
        .map(|file| file.path)
        .collect();
    assert_eq!(in_table, on_disk);
}

#[test]
fn files_of_the_folder_survive_a_checkout_on_every_platform() {
    for file in ordinary::files() {
        let path = &file.path;
        assert!(
            is_nfc(path),
            "{path:?} would be renamed by some file systems"
        );
        assert!(
            !path.contains(['<', '>', ':', '"', '\\', '|', '?', '*']),
            "{path:?} on Windows"
        );
        assert!(
            path.split('/').all(|s| s.trim_end_matches([' ', '.']) == s),
            "{path:?} on Windows"
        );
        assert!(!is_hidden(path), "{path:?}");
        if is_named_like_a_note(path) {
            let text = String::from_utf8(file.bytes).unwrap();
            assert!(
                !text.contains('\r') && text.ends_with('\n'),
                "{path:?} was converted"
            );
        }
    }
}

#[test]
fn the_marker_is_in_every_hidden_file_and_nowhere_else() {
    for file in files() {
        let marked =
            contains(&file.bytes, HIDDEN_MARKER) || contains(file.path.as_bytes(), HIDDEN_MARKER);
        assert_eq!(marked, is_hidden(&file.path), "{:?}", file.path);
    }
}

#[test]
fn the_count_of_visible_notes_holds() {
    let visible = files()
        .iter()
        .filter(|file| is_note(file) && !is_hidden(&file.path))
        .count();
    assert_eq!(visible, VISIBLE_NOTES);
}

#[test]
fn nothing_depends_on_when_it_is_called() {
    assert_eq!(files(), files());
}

#[test]
fn the_large_note_is_over_a_megabyte_and_ends_with_its_last_line() {
    let text = String::from_utf8(bytes_of(LARGE_NOTE)).unwrap();
    assert!(
        (1_200_000..1_400_000).contains(&text.len()),
        "{} bytes",
        text.len()
    );
    assert_eq!(text.matches(LARGE_NOTE_LAST_LINE).count(), 1);
    assert!(text.ends_with(&format!("{LARGE_NOTE_LAST_LINE}\n")));
    let longest = files().into_iter().filter(is_note).map(|file| {
        file.bytes
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::len)
            .max()
            .unwrap_or(0)
    });
    assert!(longest.max().unwrap() > 50_000);
}

#[test]
fn bytes_are_as_odd_as_they_claim() {
    let crlf = String::from_utf8(bytes_of("Odd bytes/Windows line ends.md")).unwrap();
    assert_eq!(crlf.matches("\r\n").count(), crlf.matches('\n').count());
    assert!(bytes_of("Odd bytes/Byte order mark.md").starts_with(b"\xef\xbb\xbf---\n"));
    assert!(bytes_of("Odd bytes/Byte order mark and CRLF.md").starts_with(b"\xef\xbb\xbf---\r\n"));
    assert_eq!(bytes_of("Odd bytes/Empty.md"), b"");
    assert_eq!(bytes_of("Odd bytes/No final newline.md"), b"line");
    let not_utf8: Vec<String> = files()
        .into_iter()
        .filter(|file| is_note(file) && str::from_utf8(&file.bytes).is_err())
        .map(|file| file.path)
        .collect();
    let expected = [
        "Odd bytes/Latin-1.md",
        "Odd bytes/UTF-16.md",
        "Odd bytes/Cut in the middle.md",
    ];
    assert_eq!(not_utf8, expected);
}

#[test]
fn names_are_as_odd_as_they_claim() {
    let paths = by_path();
    assert!(paths.contains_key("Odd names/Cafe\u{301}.md"));
    assert!(
        !paths.contains_key("Odd names/Caf\u{e9}.md"),
        "a twin would make the name ambiguous"
    );
    let longest = paths
        .keys()
        .flat_map(|path| path.split('/'))
        .map(str::len)
        .max();
    assert_eq!(longest, Some(255));
    for path in [
        "AGENTS.md",
        "CLAUDE.md",
        "Odd names/Note.MD",
        "Odd names/x.markdown",
        "Odd names/a+b.md",
    ] {
        assert!(paths.contains_key(path), "{path:?}");
    }
}

#[test]
fn every_mode_of_git_occurs_under_a_note_name() {
    let modes: BTreeMap<String, Mode> = files()
        .into_iter()
        .filter(|file| file.mode != Mode::Regular)
        .inspect(|file| assert!(is_named_like_a_note(&file.path), "{:?}", file.path))
        .map(|file| (file.path, file.mode))
        .collect();
    assert_eq!(modes.get("Linked.md"), Some(&Mode::Symlink));
    assert_eq!(bytes_of("Linked.md"), b"Index.md");
    assert_eq!(modes.get("Reference/Charts.md"), Some(&Mode::Submodule));
    assert_eq!(
        modes.get("Archive/From the old laptop.md"),
        Some(&Mode::Executable)
    );
}

#[test]
fn properties_come_in_every_style() {
    for (path, style) in [
        (
            "Projects/Boat refit/Boat refit.md",
            "tags:\n  - project/boat\n",
        ),
        (
            "Projects/Boat refit/Engine.md",
            "tags: [project/boat, engine, \"2-stroke\"]\n",
        ),
        (
            "Projects/Boat refit/Shopping list.md",
            "tags: project/boat, shopping\n",
        ),
        (
            "Projects/Repair café.md",
            "date: \"2026-12-05\"\ntime: 18:30\n",
        ),
        ("Projects/Garden plan 2027.md", "summary: >-\n"),
        ("Areas/Health.md", "---\n---\n"),
        ("Daily/2026-11-25.md", "wake: '07:15'\ntags: []\n"),
        ("Recipes/Soda bread.md", "time:\n  prep: 10\n"),
        ("Reading/A quiet room.md", "title: A quiet room: essays\n"),
    ] {
        let text = String::from_utf8(bytes_of(path)).unwrap();
        assert!(
            text.starts_with("---\n") && text.contains(style),
            "{path:?}"
        );
    }
    for path in ["Inbox.md", "Daily/2026-11-26.md"] {
        assert!(
            !bytes_of(path).starts_with(b"---"),
            "{path:?} has no properties"
        );
    }
}
