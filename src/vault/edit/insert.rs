//! Putting lines into a text.

use std::ops::Range;

use super::LineEnding;
use crate::vault::markdown::frontmatter;

/// `text` with `content` after its end.
///
/// `content` begins on a line of its own: where the last line of `text` is not ended, it is ended
/// first. The result ends with a newline exactly if `text` did or `content` does. Nothing is trimmed
/// and no blank line is added. An empty `content` changes nothing.
///
/// ```
/// use vault_mcp::vault::edit::append;
///
/// assert_eq!(append("line", "next"), "line\nnext");
/// assert_eq!(append("line\n", "next"), "line\nnext\n");
/// assert_eq!(append("line\r\n", "\n## New\n"), "line\r\n\r\n## New\r\n");
/// ```
#[must_use]
pub fn append(text: &str, content: &str) -> String {
    insert(text, text.len(), content)
}

/// `text` with `content` at the start of its body: behind the frontmatter, where there is one, or
/// else behind a byte order mark. `content` stands on lines of its own, as with [`append`].
#[must_use]
pub fn prepend(text: &str, content: &str) -> String {
    let body = frontmatter::split(text).body;
    insert(text, text.len() - body.len(), content)
}

/// `text` with `content` on lines of its own at `at`, which is where a line starts or the text ends.
pub(super) fn insert(text: &str, at: usize, content: &str) -> String {
    splice(text, at..at, content)
}

/// `text` with `content` on lines of its own in place of whole lines.
pub(super) fn splice(text: &str, lines: Range<usize>, content: &str) -> String {
    let before = text.get(..lines.start).unwrap_or_default();
    let after = text.get(lines.end..).unwrap_or_default();
    if content.is_empty() {
        return [before, after].concat();
    }
    let ending = LineEnding::of(text);
    let content = ending.map_or(content.into(), |ending| ending.apply(content));
    let line_break = ending
        .or_else(|| LineEnding::of(&content))
        .unwrap_or(LineEnding::Lf)
        .as_str();
    let is_first = before.trim_start_matches('\u{feff}').is_empty();
    let is_line_start = before.ends_with('\n');
    let is_ended = text.ends_with('\n');
    let is_followed = !after.is_empty();
    let mut result = String::with_capacity(text.len() + content.len() + 2 * line_break.len());
    result.push_str(before);
    if !is_first && !is_line_start {
        result.push_str(line_break);
    }
    result.push_str(&content);
    if !content.ends_with('\n') && (is_followed || is_ended) {
        result.push_str(line_break);
    }
    result.push_str(after);
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{append, insert, prepend};

    #[test]
    fn appended_text_starts_on_a_line_of_its_own() {
        for (text, content, result) in [
            ("", "a", "a"),
            ("", "a\r\nb", "a\r\nb"),
            ("\u{feff}", "a", "\u{feff}a"),
            ("line", "next", "line\nnext"),
            ("line", "next\n", "line\nnext\n"),
            ("line\n", "next", "line\nnext\n"),
            ("line\n", "next\n", "line\nnext\n"),
            ("line\n\n", "next", "line\n\nnext\n"),
            ("line\n", "\nnext", "line\n\nnext\n"),
            ("line", "\nnext", "line\n\nnext"),
            ("line", "a\r\nb", "line\r\na\r\nb"),
            ("a\r\nb", "c\nd", "a\r\nb\r\nc\r\nd"),
            ("a\r\n", "c\n", "a\r\nc\r\n"),
            ("a\n", "c\r\nd", "a\nc\nd\n"),
            ("---\na: 1\n---", "x", "---\na: 1\n---\nx"),
            ("a", "", "a"),
            ("a\n", "\n", "a\n\n"),
        ] {
            assert_eq!(append(text, content), result, "{text:?} and {content:?}");
        }
    }

    #[test]
    fn prepended_text_stands_behind_the_frontmatter() {
        for (text, content, result) in [
            ("", "a", "a"),
            ("body", "a", "a\nbody"),
            ("body\n", "a\n", "a\nbody\n"),
            ("\u{feff}body", "a", "\u{feff}a\nbody"),
            ("---\na: 1\n---\nbody", "x", "---\na: 1\n---\nx\nbody"),
            ("---\na: 1\n---\n\nbody", "x", "---\na: 1\n---\nx\n\nbody"),
            ("---\na: 1\n---\n", "x", "---\na: 1\n---\nx\n"),
            ("---\na: 1\n---", "x", "---\na: 1\n---\nx"),
            (
                "\u{feff}---\r\na: 1\r\n--- \r\nbody",
                "x\ny",
                "\u{feff}---\r\na: 1\r\n--- \r\nx\r\ny\r\nbody",
            ),
            ("---\nno end\n", "x", "x\n---\nno end\n"),
            ("body", "", "body"),
        ] {
            assert_eq!(prepend(text, content), result, "{text:?} and {content:?}");
        }
    }

    proptest! {
        /// Everything before and behind the place is there as it was, and the content stands alone
        /// on its lines.
        #[test]
        fn what_stands_around_stays(
            lines in prop::collection::vec(("[a ]{0,3}", "\r?\n"), 0..6),
            last in "[a ]{0,3}",
            content in "[b\u{e9}\n]{1,8}",
            place in any::<prop::sample::Index>(),
        ) {
            let mut starts = vec![0];
            let mut text = String::new();
            for (line, ending) in lines {
                text.push_str(&line);
                text.push_str(&ending);
                starts.push(text.len());
            }
            text.push_str(&last);
            starts.push(text.len());
            let at = *place.get(&starts);
            let result = insert(&text, at, &content);
            prop_assert!(result.starts_with(&text[..at]));
            prop_assert!(result.ends_with(&text[at..]));
            let middle = &result[at..result.len() - (text.len() - at)];
            let breaks = |text: &str| text.matches('\n').count();
            let added = breaks(middle) - breaks(&content);
            prop_assert!(added <= 2);
            prop_assert_eq!(middle.replace(['\r', '\n'], ""), content.replace('\n', ""));
            if !text[..at].is_empty() && !text[..at].ends_with('\n') {
                prop_assert!(middle.starts_with(['\r', '\n']));
            }
            if at < text.len() {
                prop_assert!(middle.ends_with('\n'));
            }
        }
    }
}
