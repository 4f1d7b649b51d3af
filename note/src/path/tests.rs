use super::{DirPath, MAX_PATH_BYTES, PathError, VaultPath, fold};

fn refused(path: &str) -> PathError {
    VaultPath::parse(path).unwrap_err()
}

#[test]
fn the_error_names_the_part_that_fails() {
    let cases = [
        ("", "the path is empty"),
        (
            "a/../b.md",
            r#"segment 2 is ".."; dot segments are not resolved"#,
        ),
        (
            "./a.md",
            r#"segment 1 is "."; dot segments are not resolved"#,
        ),
        ("a//b.md", "segment 2 is empty"),
        ("a/b.md/", "segment 3 is empty"),
        ("a\nb.md", "the path holds the character U+000A"),
        ("a\u{9f}b.md", "the path holds the character U+009F"),
        ("a\u{10ffff}.md", "the path holds the character U+10FFFF"),
        (
            "a\\b.md",
            "the path holds a backslash; segments are divided by a slash",
        ),
        (
            "%2e%2e%2fx.md",
            r#"percent-decoded, the path would be "../x.md", which leaves the vault"#,
        ),
    ];
    for (path, message) in cases {
        assert_eq!(refused(path).to_string(), message, "{path:?}");
    }
}

#[test]
fn absolute_paths_are_called_absolute() {
    for path in [
        "/etc/x.md",
        "//srv/share/x.md",
        "\\\\srv\\share\\x.md",
        "\\x.md",
        "C:\\x.md",
        "c:/x.md",
        "file:///x.md",
        "FILE:/x.md",
    ] {
        assert_eq!(refused(path), PathError::Absolute, "{path:?}");
    }
}

#[test]
fn a_colon_in_a_name_does_not_make_it_a_drive() {
    for path in ["Q: why.md", "C:x.md", "Notes:/a.md", "a/C:/x.md"] {
        assert_eq!(VaultPath::parse(path).unwrap().as_str(), path);
    }
}

#[test]
fn a_path_has_a_longest_length() {
    let longest = "a".repeat(MAX_PATH_BYTES);
    assert_eq!(VaultPath::parse(&longest).unwrap().as_str(), longest);
    assert_eq!(
        refused(&format!("{longest}a")),
        PathError::TooLong {
            bytes: MAX_PATH_BYTES + 1
        }
    );
}

#[test]
fn parts_of_a_path() {
    let path = VaultPath::parse("a/b c/d.md").unwrap();
    assert_eq!(path.segments().collect::<Vec<_>>(), ["a", "b c", "d.md"]);
    assert_eq!(path.file_name(), "d.md");
    assert_eq!(path.parent().as_str(), "a/b c");
    let top = VaultPath::parse("d.md").unwrap();
    assert_eq!(top.file_name(), "d.md");
    assert!(top.parent().is_root());
}

#[test]
fn parts_of_a_folder() {
    let dir = DirPath::parse("a/b/").unwrap();
    assert_eq!(dir.as_str(), "a/b");
    assert_eq!(dir.segments().collect::<Vec<_>>(), ["a", "b"]);
    let above = dir.parent().unwrap();
    assert_eq!(above.as_str(), "a");
    let root = above.parent().unwrap();
    assert!(root.is_root());
    assert_eq!(root.parent(), None);
    assert_eq!(root.segments().count(), 0);
}

#[test]
fn a_folder_covers_whole_segments_only() {
    let notes = DirPath::parse("notes").unwrap();
    assert!(notes.covers("notes") && notes.covers("notes/a.md") && notes.covers("notes/b/c.md"));
    assert!(!notes.covers("notes2.md") && !notes.covers("notes-private/x.md"));
    assert!(!notes.covers("Notes/a.md") && !notes.covers("a/notes/b.md"));
    assert!(DirPath::root().covers("anything/at all.md"));
    assert_eq!(notes.strip("notes/b/c.md"), Some("b/c.md"));
    assert_eq!(notes.strip("notes"), None);
}

#[test]
fn twins_have_one_fold() {
    let cases = [
        ("Note.md", "NOTE.MD"),
        ("Café.md", "CAFE\u{301}.md"),
        ("Straße.md", "STRASSE.md"),
        ("Σίσυφος.md", "ΣΊΣΥΦΟΣ.md"),
        ("\u{1fc3}.md", "\u{3b7}\u{345}.md"),
        (
            "한국어.md",
            "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}.md",
        ),
    ];
    for (one, other) in cases {
        assert_eq!(fold(one), fold(other));
    }
    assert_ne!(fold("Cafe.md"), fold("Café.md"));
    // Compatibility forms are other names: git and GitHub keep them apart.
    assert_ne!(fold("①.md"), fold("1.md"));
    assert_ne!(fold("Ａ.md"), fold("A.md"));
}

#[test]
fn serde_goes_through_the_parser() {
    assert_eq!(
        serde_json::from_str::<VaultPath>(r#""a/b.md""#).unwrap(),
        VaultPath::parse("a/b.md").unwrap()
    );
    serde_json::from_str::<VaultPath>(r#""../b.md""#).unwrap_err();
    serde_json::from_str::<DirPath>(r#""/b""#).unwrap_err();
}
