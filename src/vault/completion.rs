//! Completing a path that somebody types: which paths hold the text, and which of them come first.

use super::path::fold;

/// How a path holds the typed text; the better ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// It begins with it.
    Beginning,
    /// A folder or the note itself does.
    Segment,
    /// It stands somewhere.
    Inside,
}

/// How the fold of a path holds the fold of what was typed.
fn matched(typed: &str, path: &str) -> Option<Match> {
    let at = path.find(typed)?;
    Some(if at == 0 {
        Match::Beginning
    } else if path.contains(&format!("/{typed}")) {
        Match::Segment
    } else {
        Match::Inside
    })
}

/// The paths that hold `typed` without regard to letter case and normalization: first those that
/// begin with it, then those of which a segment does, then the others, each in ascending order of
/// their bytes. An index that answers the same question is held to this.
pub fn complete<T: AsRef<str>>(typed: &str, paths: impl IntoIterator<Item = T>) -> Vec<T> {
    let typed = fold(typed);
    let mut found: Vec<(Match, T)> = paths
        .into_iter()
        .filter_map(|path| Some((matched(&typed, &fold(path.as_ref()))?, path)))
        .collect();
    found.sort_by(|(a, left), (b, right)| a.cmp(b).then_with(|| left.as_ref().cmp(right.as_ref())));
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::complete;

    #[test]
    fn what_begins_with_the_text_comes_first() {
        let paths = [
            "a/note.md",
            "b/Boat.md",
            "Boat.md",
            "boat/x.md",
            "a/my boat.md",
            "\u{c9}.md",
        ];
        let boats = ["Boat.md", "boat/x.md", "b/Boat.md", "a/my boat.md"];
        assert_eq!(complete("BOAT", paths), boats);
        assert_eq!(complete("e\u{301}", paths), ["\u{c9}.md"]);
        assert_eq!(complete("", paths).len(), paths.len());
        assert_eq!(complete("a/", paths), ["a/my boat.md", "a/note.md"]);
        assert_eq!(complete("%", paths), [""; 0]);
    }
}
