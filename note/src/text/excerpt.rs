//! Showing where something was found.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

use crate::{ignorable::is_ignorable, markdown::Heading};

/// The most characters of a snippet on each side of what was found.
const CONTEXT: usize = 80;
/// The most characters of what was found that a snippet shows.
const SHOWN: usize = 160;

/// A place in a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// The heading it stands under, or on; `None` above the first.
    pub section: Option<String>,
    /// The text around it, on one line; `…` where the line goes on.
    pub snippet: String,
}

impl Excerpt {
    /// The excerpt around `found`, a range of bytes in `text`.
    pub(super) fn around(text: &str, headings: &[Heading], found: Range<usize>) -> Self {
        let before = text.get(..found.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let above = headings
            .iter()
            .take_while(|heading| heading.line <= line)
            .last();
        Self {
            line,
            section: above.map(|heading| heading.text.clone()),
            snippet: snippet(text, found),
        }
    }
}

/// The found text with what stands around it on its lines.
fn snippet(text: &str, found: Range<usize>) -> String {
    let shown_end = forward(text, found.start, SHOWN).min(found.end);
    let line_start = text
        .get(..found.start)
        .and_then(|t| t.rfind('\n'))
        .map_or(0, |at| at + 1);
    let line_end = text
        .get(shown_end..)
        .and_then(|t| t.find('\n'))
        .map_or(text.len(), |at| shown_end + at);
    let start = backward(text, found.start, CONTEXT).max(line_start);
    let end = forward(text, shown_end, CONTEXT).min(line_end);
    let middle: Vec<&str> = text
        .get(start..end)
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let mut snippet = String::new();
    if start > line_start {
        snippet.push('…');
    }
    snippet.push_str(&middle.join(" "));
    if end < line_end {
        snippet.push('…');
    }
    snippet
}

/// The offset `count` characters before `from`, moved on to where a character stands by itself.
fn backward(text: &str, from: usize, count: usize) -> usize {
    let before = text.get(..from).unwrap_or_default();
    let mut places = before.char_indices().rev().skip(count.saturating_sub(1));
    places
        .find(|(at, _)| may_cut(text, *at))
        .map_or(0, |(at, _)| at)
}

/// The offset `count` characters after `from`, moved on to where a character stands by itself.
fn forward(text: &str, from: usize, count: usize) -> usize {
    let after = text.get(from..).unwrap_or_default();
    let mut places = after.char_indices().skip(count).map(|(at, _)| from + at);
    places.find(|at| may_cut(text, *at)).unwrap_or(text.len())
}

/// Whether a text may be cut at an offset without parting what is seen as one character.
fn may_cut(text: &str, offset: usize) -> bool {
    let after = text.get(offset..).and_then(|rest| rest.chars().next());
    let before = text.get(..offset).and_then(|rest| rest.chars().next_back());
    let continues = |c: char| is_combining_mark(c) || is_ignorable(c) || is_skin_tone(c);
    !after.is_some_and(continues) && before != Some('\u{200d}')
}

/// Modifiers that join the emoji before them (UTS #51).
fn is_skin_tone(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

#[cfg(test)]
mod tests {
    use super::Excerpt;
    use crate::markdown::headings;

    fn excerpt(text: &str, found: &str) -> Excerpt {
        let start = text.find(found).unwrap();
        Excerpt::around(text, &headings(text), start..start + found.len())
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        let text = "# A\r\n\r\nOne  two\tthree\r\n## B\r\nfour";
        let found = excerpt(text, "two");
        assert_eq!((found.line, found.section.as_deref()), (3, Some("A")));
        assert_eq!(found.snippet, "One two three");
        let found = excerpt(text, "four");
        assert_eq!((found.line, found.section.as_deref()), (5, Some("B")));
        let on_heading = excerpt(text, "B");
        assert_eq!(
            (on_heading.line, on_heading.section.as_deref()),
            (4, Some("B"))
        );
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let text = format!("{} needle {}", "é".repeat(300), "ü".repeat(300));
        let found = excerpt(&text, "needle");
        assert_eq!(
            found.snippet,
            format!("…{} needle {}…", "é".repeat(79), "ü".repeat(79))
        );
        assert_eq!(found.section, None);
    }

    #[test]
    fn what_is_seen_as_one_character_is_not_cut() {
        let family = "👩\u{200d}👩\u{200d}👧";
        let text = format!("{}x{}", family.repeat(50), "हि".repeat(100));
        let found = excerpt(&text, "x");
        let inside = found.snippet.trim_matches('…');
        let (before, after) = inside.split_once('x').unwrap();
        assert_eq!(before.replace(family, ""), "");
        assert_eq!(after.replace("हि", ""), "");
    }

    #[test]
    fn what_was_found_over_two_lines_is_shown_on_one() {
        assert_eq!(excerpt("a b\nc d\ne", "b\nc").snippet, "a b c d");
        let long = format!("x{}y", " word".repeat(100));
        assert!(excerpt(&long, &long).snippet.chars().count() < 300);
    }
}
