//! Archives made by git itself, and broken ones.

use std::process::Command;

use super::*;

/// A gzipped archive of a commit that holds `files`, as `git archive` writes it.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let dir = std::env::temp_dir().join(format!("unpack-{}-{}", std::process::id(), files.len()));
    std::fs::create_dir_all(&dir).unwrap();
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .current_dir(&dir)
            .args(args)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    git(&["init", "--quiet"]);
    for (path, content) in files {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    std::os::unix::fs::symlink("a.md", dir.join("link.md")).unwrap();
    git(&["add", "--all"]);
    let person = ["-c", "user.name=A", "-c", "user.email=a@example.test"];
    git(&[&person[..], &["commit", "--quiet", "--message", "x"]].concat());
    let archive = git(&[
        "archive",
        "--format=tar.gz",
        "--prefix=o-r-1234567/",
        "HEAD",
    ]);
    std::fs::remove_dir_all(&dir).unwrap();
    archive
}

fn unpack(
    archive: &[u8],
    piece: usize,
    wanted: &dyn Fn(&str, u64) -> bool,
) -> Result<Vec<Unpacked>, ArchiveError> {
    let mut unpacker = Unpacker::new(wanted);
    let mut files = Vec::new();
    for piece in archive.chunks(piece) {
        files.extend(unpacker.push(piece)?);
    }
    files.extend(unpacker.finish()?);
    Ok(files)
}

fn notes(path: &str, _: u64) -> bool {
    path != "picture.png"
}

#[test]
fn an_archive_comes_apart_the_same_however_it_is_cut() {
    let long = format!(
        "{}/{}.md",
        "a folder of a long name ".repeat(4),
        "ein sehr langer Name ".repeat(8)
    );
    let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    let files: [(&str, &[u8]); 6] = [
        ("a.md", b"a"),
        ("empty.md", b""),
        ("picture.png", &[1, 2, 3]),
        ("日本語/ភាសា 🗺.md", b"path in a pax header"),
        (&long, b"long"),
        ("large.md", &large),
    ];
    let archive = archive(&files);
    let whole = unpack(&archive, usize::MAX, &notes).unwrap();
    for (path, content) in files.iter().filter(|(path, _)| notes(path, 0)) {
        let found = whole.iter().find(|file| file.path == *path).expect(path);
        assert!(found.content == *content, "{path} has other bytes");
    }
    assert_eq!(whole.len(), 5, "neither the picture nor the link");
    for piece in [1, 511, 4_096] {
        assert!(
            unpack(&archive, piece, &notes).unwrap() == whole,
            "in pieces of {piece}"
        );
    }
}

#[test]
fn an_archive_that_ends_early_is_not_taken_for_whole() {
    let archive = archive(&[("a.md", &[7; 5_000]), ("b.md", b"b"), ("c.md", b"c")]);
    for length in 0..archive.len() {
        assert!(
            unpack(&archive[..length], 64, &notes).is_err(),
            "cut at {length}"
        );
    }
    assert_eq!(unpack(&archive, 64, &notes).unwrap().len(), 3);
}

#[test]
fn a_flipped_bit_is_noticed() {
    let archive = archive(&[("a.md", b"some text that compresses, text text text")]);
    for position in 10..archive.len() {
        let mut broken = archive.clone();
        broken[position] ^= 0x10;
        let same = unpack(&archive, 64, &notes).unwrap();
        assert!(
            unpack(&broken, 64, &notes).is_err() || unpack(&broken, 64, &notes).unwrap() == same
        );
    }
}

#[test]
fn only_what_is_wanted_is_held() {
    let archive = archive(&[("a.md", b"aa"), ("b.md", b"b")]);
    let found = unpack(&archive, 100, &|path, bytes| path == "a.md" && bytes == 2).unwrap();
    assert_eq!(
        found,
        [Unpacked {
            path: "a.md".to_owned(),
            content: b"aa".to_vec()
        }]
    );
}
