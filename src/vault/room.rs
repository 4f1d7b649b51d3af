//! Whether there is room for a new note.
//!
//! Vaults are checked out on file systems that overlook letter case and Unicode normalization
//! (macOS, Windows) and on some that do not. Two names that differ in nothing else are one file
//! there and two here, and what is written to one of them is lost in the other. So a new note must
//! not make a second spelling of anything.

use std::{collections::BTreeSet, fmt};

use super::{
    path::{DirPath, VaultPath, fold},
    storage::Sieve,
};

/// Something that a new note cannot stand beside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// A note.
    Note(VaultPath),
    /// A folder.
    Folder(DirPath),
}

impl fmt::Display for Obstacle {
    /// The path; a folder's ends in `/`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Note(path) => path.fmt(f),
            Self::Folder(path) => write!(f, "{path}/"),
        }
    }
}

/// What of `notes` stands in the way of a new note at `path`; nothing where there is room.
///
/// 1. The note itself, or a twin of it: another note whose path has the same fold.
/// 2. A folder where the note would be, or a twin of such a folder.
/// 3. A note where a folder of the new note would be, or a twin of such a note.
/// 4. A twin of a folder that the new note would make. A folder that exists is not made, and its
///    twins were there before.
///
/// `notes` are those that the policy shows: what it hides must not be told by a refusal.
///
/// ```
/// use vault_mcp::vault::{path::VaultPath, room::obstacles};
///
/// let there = VaultPath::parse("Schemas/Research.md")?;
/// let way = obstacles(&VaultPath::parse("schemas/New.md")?, [&there]);
/// assert_eq!(way.first().map(ToString::to_string).as_deref(), Some("Schemas/"));
/// # Ok::<(), vault_mcp::vault::path::PathError>(())
/// ```
#[must_use]
pub fn obstacles<'a>(
    path: &VaultPath,
    notes: impl IntoIterator<Item = &'a VaultPath>,
) -> BTreeSet<Obstacle> {
    let fold = path.fold();
    let mut folders: Vec<Folder> = folders(path).map(Folder::new).collect();
    let mut found = BTreeSet::new();
    for note in notes {
        let other = note.fold();
        if other == fold {
            // (1)
            found.insert(Obstacle::Note(note.clone()));
        } else if is_below(&other, &fold) {
            // (2)
            let level = path.segments().count();
            found.extend(at_level(note, level).map(Obstacle::Folder));
        }
        for folder in &mut folders {
            if other == folder.fold {
                // (3)
                found.insert(Obstacle::Note(note.clone()));
            } else if folder.path.strip(note.as_str()).is_some() {
                folder.exists = true;
            } else if is_below(&other, &folder.fold) {
                let level = folder.path.segments().count();
                folder.twins.extend(at_level(note, level));
            }
        }
    }
    // (4)
    let made = folders.into_iter().filter(|folder| !folder.exists);
    found.extend(made.flat_map(|folder| folder.twins).map(Obstacle::Folder));
    found
}

/// What of `others` is another spelling of a new note at `path`, or of a folder that the note would
/// make. `others` are the paths of all that is in the repository, folders too: files that are no notes
/// stand in the way of [`obstacles`]'s kind as well, and so do folders that hold nothing else.
///
/// What the policy hides is in nobody's way, as it must not be told by a refusal: only what would show
/// notes below it counts.
#[must_use]
pub fn twin<'a>(
    path: &VaultPath,
    sieve: &dyn Sieve,
    others: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    struct Made<'a> {
        path: String,
        fold: String,
        exists: bool,
        twin: Option<&'a str>,
    }
    let above = folders(path).map(|folder| folder.as_str().to_owned());
    let mut made: Vec<_> = above
        .chain([path.as_str().to_owned()])
        .map(|path| Made {
            fold: fold(&path),
            path,
            exists: false,
            twin: None,
        })
        .collect();
    for other in others {
        let fold = fold(other);
        for place in made.iter_mut().filter(|place| place.fold == fold) {
            if other == place.path {
                place.exists = true;
            } else if place.twin.is_none() && shows_below(sieve, other) {
                place.twin = Some(other);
            }
        }
    }
    let mut made = made.into_iter().filter(|place| !place.exists);
    made.find_map(|place| place.twin)
}

/// Whether the policy would show a note below something at `path`.
#[must_use]
pub fn shows_below(sieve: &dyn Sieve, path: &str) -> bool {
    sieve.admit(&format!("{path}/note.md")).is_some()
}

/// The folders that hold `path`, the innermost first, without the root.
pub fn folders(path: &VaultPath) -> impl Iterator<Item = DirPath> {
    std::iter::successors(Some(path.parent()), DirPath::parent).take_while(|dir| !dir.is_root())
}

/// A folder of the new note.
struct Folder {
    path: DirPath,
    fold: String,
    exists: bool,
    twins: BTreeSet<DirPath>,
}

impl Folder {
    fn new(path: DirPath) -> Self {
        Self {
            fold: path.fold(),
            path,
            exists: false,
            twins: BTreeSet::new(),
        }
    }
}

/// The folder of `note` that is `level` segments deep.
fn at_level(note: &VaultPath, level: usize) -> Option<DirPath> {
    folders(note).find(|dir| dir.segments().count() == level)
}

/// Whether a fold is of something below the folder with the fold `dir`. Folding keeps every `/` and
/// makes none.
fn is_below(fold: &str, dir: &str) -> bool {
    fold.strip_prefix(dir)
        .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(new: &str, there: &[&str]) -> Vec<String> {
        let parse = |path: &&str| VaultPath::parse(path).unwrap();
        let there: Vec<_> = there.iter().map(parse).collect();
        obstacles(&parse(&new), &there)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_second_spelling_of_what_is_no_note_is_in_the_way_too() {
        let denied = [DirPath::parse("Denied").unwrap()];
        let policy = crate::vault::policy::VaultPolicy::new(Vec::new(), &denied, false);
        for (new, there, expected) in [
            (
                "attachments/b.md",
                &["Attachments", "Attachments/x.png"][..],
                Some("Attachments"),
            ),
            (
                "attachments/deep/b.md",
                &["Attachments", "Attachments/x.png"],
                Some("Attachments"),
            ),
            ("a/B/c.md", &["a", "a/b", "a/b/x.png"], Some("a/b")),
            (
                "d\u{e9}/b.md",
                &["de\u{301}", "de\u{301}/x.png"],
                Some("de\u{301}"),
            ),
            ("Link.md", &["link.md"], Some("link.md")),
            ("scan/b.md", &["Scan"], Some("Scan")),
            // The folder is there already, in this very spelling.
            (
                "attachments/b.md",
                &["attachments", "attachments/x.png"],
                None,
            ),
            (
                "both/b.md",
                &["both", "Both", "Both/x.png", "both/x.png"],
                None,
            ),
            ("a.md", &["a", "x.png", "b/a.md"], None),
            // Nobody is told of what is hidden.
            (".Trash/b.md", &[".trash"], None),
            ("denied2/b.md", &["Denied", "Denied/x.png"], None),
        ] {
            let path = VaultPath::parse(new).unwrap();
            assert_eq!(
                twin(&path, &policy, there.iter().copied()),
                expected,
                "{new}"
            );
        }
        let hidden = VaultPath::parse("denied/b.md").unwrap();
        assert_eq!(twin(&hidden, &policy, ["Denied"]), None);
    }

    #[test]
    fn a_second_spelling_of_anything_is_in_the_way() {
        for (new, there, expected) in [
            // (1) notes
            ("a.md", &["a.md"][..], &["a.md"][..]),
            ("Note.md", &["note.md", "NOTE.md"], &["NOTE.md", "note.md"]),
            ("Caf\u{e9}.md", &["Cafe\u{301}.md"], &["Cafe\u{301}.md"]),
            ("x/STRASSE.md", &["x/straße.md"], &["x/straße.md"]),
            ("a.md", &["b.md", "a.markdown", "x/a.md"], &[]),
            // (2) folders where the note would be
            ("plan.md", &["plan.md/x.md"], &["plan.md/"]),
            ("plan.md", &["Plan.md/deep/x.md"], &["Plan.md/"]),
            ("plan.md", &["plan.md.md/x.md", "plan/x.md"], &[]),
            // (3) notes where a folder would be
            ("a.md/b.md", &["a.md"], &["a.md"]),
            ("A.md/deep/b.md", &["a.md"], &["a.md"]),
            // (4) folders
            ("foo/x.md", &["Foo/y.md"], &["Foo/"]),
            ("foo/x.md", &["foo2/y.md", "x/foo/y.md", "Foo.md"], &[]),
            ("foo/deep/x.md", &["Foo/y.md"], &["Foo/"]),
            ("a/B/x.md", &["a/b/y.md", "a/z.md"], &["a/b/"]),
            ("d\u{e9}/x.md", &["de\u{301}/y.md"], &["de\u{301}/"]),
            (
                "foo/bar/x.md",
                &["Foo/a.md", "FOO/Bar/a.md"],
                &["FOO/", "FOO/Bar/", "Foo/"],
            ),
            // Twins that were there before are no news where the folder itself is there too.
            ("foo/x.md", &["foo/y.md", "Foo/y.md"], &[]),
            ("foo/bar/x.md", &["foo/y.md", "Foo/bar/y.md"], &["Foo/bar/"]),
            ("foo/x.md", &["foo/y.md", "Foo/X.md"], &["Foo/X.md"]),
        ] {
            assert_eq!(way(new, there), expected, "{new} beside {there:?}");
        }
    }
}
