//! Where links lead, as Obsidian finds it.
//!
//! Wikilinks and relative Markdown links are resolved alike (`getFirstLinkpathDest` of Obsidian's
//! API): by a name where that is enough, by a path or the end of one, relative to the linking note
//! where the target has `.` or `..` in it, and from the vault's root where it begins with `/`. Aliases
//! are names for people; no link leads by one.

use std::{cmp::Reverse, collections::HashMap};

use super::{
    markdown::{name_of, without_extension},
    path::fold,
};

/// The notes that links may lead to.
#[derive(Clone, Debug, Default)]
pub struct Targets<'a> {
    by_name: HashMap<String, Vec<Target<'a>>>,
}

#[derive(Clone, Debug)]
struct Target<'a> {
    path: &'a str,
    fold: String,
}

/// Which of the notes of one name a link means.
enum Wanted {
    /// The one at this path.
    At(String),
    /// The one whose path ends so.
    Ending(String),
}

impl<'a> Targets<'a> {
    /// The notes at `paths`: all those of a vault, or at least all those that have the name of any
    /// link that will be asked for.
    pub fn of(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut by_name: HashMap<String, Vec<Target<'a>>> = HashMap::new();
        for path in paths {
            by_name.entry(name_of(path)).or_default().push(Target {
                path,
                fold: fold(path),
            });
        }
        Self { by_name }
    }

    /// The note that a link in the note at `from` leads to; `None` where it leads to none.
    ///
    /// Of several notes that fit, the first in this order: the one whose whole path is the target, one
    /// below the folder of the linking note, the one with the shortest path, the one that is called so
    /// to the letter.
    #[must_use]
    pub fn resolve(&self, from: &str, target: &str) -> Option<&'a str> {
        let candidates = self.by_name.get(&name_of(target))?;
        let wanted = Wanted::of(from, target)?;
        let folder = fold(from.rsplit_once('/').map_or("", |(folder, _)| folder));
        let is_near = |candidate: &Target<'_>| {
            folder.is_empty()
                || candidate
                    .fold
                    .strip_prefix(&folder)
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        let fitting = candidates
            .iter()
            .filter_map(|candidate| Some((wanted.fits(&candidate.fold)?, candidate)));
        let best = fitting.min_by_key(|(is_whole, candidate)| {
            let to_the_letter = candidate.path.contains(target.trim_start_matches('/'));
            (
                Reverse(*is_whole),
                Reverse(is_near(candidate)),
                candidate.fold.chars().count(),
                Reverse(to_the_letter),
                candidate.path,
            )
        });
        best.map(|(_, candidate)| candidate.path)
    }
}

impl Wanted {
    /// What a target in the note at `from` means; `None` where it leads out of the vault.
    fn of(from: &str, target: &str) -> Option<Self> {
        if let Some(path) = target.strip_prefix('/') {
            return Some(Self::At(fold(path)));
        }
        let is_relative = target.split('/').any(|part| matches!(part, "." | ".."));
        if !is_relative {
            return Some(Self::Ending(fold(target)));
        }
        let mut path: Vec<&str> = from.split('/').collect();
        path.pop();
        for part in target.split('/') {
            match part {
                "." => {}
                ".." => drop(path.pop()?),
                name => path.push(name),
            }
        }
        Some(Self::At(fold(&path.join("/"))))
    }

    /// Whether a note with this folded path fits, and if so, whether the whole path does.
    fn fits(&self, path: &str) -> Option<bool> {
        let forms = [path, without_extension(path)];
        match self {
            Self::At(wanted) => forms.contains(&wanted.as_str()).then_some(true),
            Self::Ending(wanted) => {
                if forms.contains(&wanted.as_str()) {
                    return Some(true);
                }
                let ends = |form: &str| {
                    form.strip_suffix(wanted.as_str())
                        .is_some_and(|before| before.ends_with('/'))
                };
                forms.into_iter().any(ends).then_some(false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Targets;

    const VAULT: [&str; 13] = [
        "Index.md",
        "Boat.md",
        "Projects/Boat.md",
        "Projects/Boat/Engine.md",
        "Projects/Boat/Old/Engine.md",
        "Areas/Engine.md",
        "Areas/deep/er/Plan.md",
        "Xreas/Plan.md",
        "v1.2.md",
        "Cafe\u{301}.md",
        "twins/note.md",
        "twins/Note.md",
        "Long.markdown",
    ];

    fn resolve(from: &str, target: &str) -> Option<&'static str> {
        Targets::of(VAULT).resolve(from, target)
    }

    #[test]
    fn a_name_is_enough_where_it_is_the_only_one() {
        for target in ["Index", "index", "INDEX.md", "/Index", "/index.md"] {
            assert_eq!(resolve("Areas/x.md", target), Some("Index.md"), "{target}");
        }
        assert_eq!(resolve("x.md", "v1.2"), Some("v1.2.md"));
        assert_eq!(resolve("x.md", "café"), Some("Cafe\u{301}.md"));
        assert_eq!(resolve("x.md", "Long"), Some("Long.markdown"));
        assert_eq!(resolve("x.md", "Long.markdown"), Some("Long.markdown"));
        for target in ["", "Nowhere", "Index.png", "Long.md", "/", "v1"] {
            assert_eq!(resolve("x.md", target), None, "{target:?}");
        }
    }

    #[test]
    fn of_several_the_nearest_and_then_the_shortest_is_meant() {
        for (from, target, found) in [
            ("x.md", "Engine", "Areas/Engine.md"),
            ("Projects/Boat/x.md", "Engine", "Projects/Boat/Engine.md"),
            (
                "Projects/Boat/Old/x.md",
                "Engine",
                "Projects/Boat/Old/Engine.md",
            ),
            ("Areas/x.md", "engine.md", "Areas/Engine.md"),
            // The whole path, before what is near.
            ("Projects/x.md", "Boat", "Boat.md"),
            ("x.md", "Projects/Boat", "Projects/Boat.md"),
            ("Areas/x.md", "boat/engine", "Projects/Boat/Engine.md"),
            ("Xreas/x.md", "Old/Engine.md", "Projects/Boat/Old/Engine.md"),
            // Whole segments: `Xreas` does not end in `reas`.
            ("x.md", "er/Plan", "Areas/deep/er/Plan.md"),
            // To the letter, before its twin.
            ("x.md", "note", "twins/note.md"),
            ("x.md", "Note", "twins/Note.md"),
        ] {
            assert_eq!(resolve(from, target), Some(found), "{from}: {target}");
        }
        assert_eq!(resolve("x.md", "reas/Plan"), None);
    }

    #[test]
    fn dots_are_relative_to_the_linking_note() {
        for (from, target, found) in [
            ("Projects/Boat/x.md", "../Boat.md", Some("Projects/Boat.md")),
            ("Projects/Boat/x.md", "../../Boat", Some("Boat.md")),
            (
                "Projects/Boat/x.md",
                "./Engine",
                Some("Projects/Boat/Engine.md"),
            ),
            (
                "Projects/x.md",
                "Boat/Old/../Engine.md",
                Some("Projects/Boat/Engine.md"),
            ),
            ("Areas/x.md", "./Boat.md", None),
            ("x.md", "../Boat.md", None),
            ("Areas/x.md", "../../../Boat.md", None),
            ("Areas/x.md", "/Engine", None),
            ("Areas/x.md", "..", None),
        ] {
            assert_eq!(resolve(from, target), found, "{from}: {target}");
        }
    }
}
