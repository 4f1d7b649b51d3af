//! The part of a note's text that one answer carries.
//!
//! A window is given by lines, because that is how people and models speak of text. The text in a
//! window is verbatim, line ends included, so that consecutive windows put together are the note.

use std::{fmt, ops::Range, str::FromStr};

/// A place in a text: a line, and a character in it; both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    line: usize,
    character: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.character == 1 {
            write!(f, "{}", self.line)
        } else {
            write!(f, "{}.{}", self.line, self.character)
        }
    }
}

/// Which lines were asked for: `10-40`, `10-`, `10`, and `10.5001-` to go on inside a line that is
/// too long for one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineRange {
    start: Position,
    /// The last line; to the end where `None`.
    end: Option<usize>,
}

impl LineRange {
    /// The whole text.
    pub(crate) const ALL: Self = Self {
        start: Position {
            line: 1,
            character: 1,
        },
        end: None,
    };

    /// Whole lines, from `first` to `last`.
    pub(crate) const fn of_lines(first: usize, last: usize) -> Self {
        Self {
            start: Position {
                line: first,
                character: 1,
            },
            end: Some(last),
        }
    }

    /// Whether a line is in it.
    pub(crate) fn contains(&self, line: usize) -> bool {
        line >= self.start.line && self.end.is_none_or(|end| line <= end)
    }

    /// What is left of it from a line on, as it is asked for.
    pub(crate) fn from(&self, line: usize) -> String {
        let start = Position { line, character: 1 };
        self.rest(start)
    }

    fn rest(&self, start: Position) -> String {
        match self.end {
            Some(last) => format!("{start}-{last}"),
            None => format!("{start}-"),
        }
    }
}

/// A text that is no range of lines.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("lines must be like \"10-40\", \"10-\" or \"10\", counting from 1")]
pub(crate) struct NotALineRange;

impl FromStr for LineRange {
    type Err = NotALineRange;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| {
            text.trim()
                .parse::<usize>()
                .ok()
                .filter(|number| *number > 0)
                .ok_or(NotALineRange)
        };
        let (start, end) = match text.split_once('-') {
            None => (text, Some(text)),
            Some((start, end)) if end.trim().is_empty() => (start, None),
            Some((start, end)) => (start, Some(end)),
        };
        let start = match start.split_once('.') {
            None => Position {
                line: number(start)?,
                character: 1,
            },
            Some((line, character)) => Position {
                line: number(line)?,
                character: number(character)?,
            },
        };
        let end = match end {
            None => None,
            Some(end) => {
                // "10.5" alone names a line by its start.
                let line = number(end.split_once('.').map_or(end, |(line, _)| line))?;
                Some(line)
                    .filter(|line| *line >= start.line)
                    .map_or(Err(NotALineRange), |line| Ok(Some(line)))?
            }
        };
        Ok(Self { start, end })
    }
}

/// A window of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Window<'a> {
    /// The text in it, verbatim.
    pub(crate) text: &'a str,
    /// The lines it holds, such as `1-40`; `None` for an empty text.
    pub(crate) lines: Option<String>,
    /// The range to ask for next, where the asked-for range was cut short.
    pub(crate) next: Option<String>,
}

/// The asked-for lines lie behind the end of the text.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the note has {total_lines} lines")]
pub(crate) struct OutOfText {
    /// How many lines there are.
    pub(crate) total_lines: usize,
}

/// Cuts the asked-for lines out of `text`, at most `budget` characters of them.
///
/// Whole lines as far as they fit; when not even the first one does, as much of it as does.
pub(crate) fn cut(text: &str, range: LineRange, budget: usize) -> Result<Window<'_>, OutOfText> {
    let lines: Vec<Range<usize>> = line_ranges(text);
    let total_lines = lines.len();
    if total_lines == 0 && range == LineRange::ALL {
        return Ok(Window {
            text,
            lines: None,
            next: None,
        });
    }
    let first = lines
        .get(range.start.line - 1)
        .ok_or(OutOfText { total_lines })?;
    let last_line = range.end.unwrap_or(total_lines).min(total_lines);
    let start = first.start + offset_of(slice(text, first.clone()), range.start.character);

    let mut end = start;
    let mut left = budget;
    let mut shown = range.start.line;
    let mut next = None;
    for line in range.start.line..=last_line {
        let Some(bounds) = lines.get(line - 1) else {
            break;
        };
        let from = bounds.start.max(start);
        let size = slice(text, from..bounds.end).chars().count();
        if size <= left {
            left -= size;
            end = bounds.end;
            shown = line;
            continue;
        }
        let from_character = if line == range.start.line {
            range.start.character
        } else {
            1
        };
        if end == start {
            // Not even the first line fits.
            end = from + offset_of(slice(text, from..bounds.end), budget + 1);
            next = Some(Position {
                line,
                character: from_character + budget,
            });
        } else {
            next = Some(Position {
                line,
                character: from_character,
            });
        }
        break;
    }
    let next = next.map(|position| range.rest(position));
    Ok(Window {
        text: slice(text, start..end),
        lines: Some(format!("{}-{shown}", range.start)),
        next,
    })
}

/// How many lines a text has.
pub(crate) fn count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

/// The lines of a text, each with its line end; a line ends with LF, or with the text.
fn line_ranges(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}

/// The byte offset of the character `number` (from 1) in `line`; its end where it is shorter.
fn offset_of(line: &str, number: usize) -> usize {
    line.char_indices()
        .nth(number - 1)
        .map_or(line.len(), |(offset, _)| offset)
}

/// A part of `text`; empty where the bounds are none of it.
fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> LineRange {
        text.parse().unwrap()
    }

    #[test]
    fn ranges_are_read_and_others_refused() {
        for good in ["1", "10-40", "10-", " 3 - 4 ", "7.51-", "7.51-9", "7.51"] {
            assert!(good.parse::<LineRange>().is_ok(), "{good}");
        }
        for bad in [
            "", "-", "0", "0-3", "-3", "4-3", "a", "1-b", "1.0", "1.x-", "1,2", "1-2-3",
        ] {
            assert_eq!(bad.parse::<LineRange>(), Err(NotALineRange), "{bad}");
        }
    }

    #[test]
    fn a_window_holds_the_asked_for_lines_verbatim() {
        let text = "one\r\ntwo\nthree";
        let window = cut(text, range("2-3"), 100).unwrap();
        assert_eq!(
            (window.text, window.lines.as_deref()),
            ("two\nthree", Some("2-3"))
        );
        assert_eq!((count(text), window.next), (3, None));
        assert_eq!(cut(text, range("1"), 100).unwrap().text, "one\r\n");
        assert_eq!(
            cut(text, range("2-99"), 100).unwrap().lines.as_deref(),
            Some("2-3")
        );
        assert_eq!(
            cut(text, range("4"), 100),
            Err(OutOfText { total_lines: 3 })
        );
        assert_eq!(cut("", LineRange::ALL, 100).unwrap().text, "");
    }

    #[test]
    fn windows_of_every_size_put_together_are_the_text() {
        let text = "# 見出し\n\nkhmer ភាសា\r\n\n\nlast line is long: 0123456789 🗺️ and ends";
        for budget in 1..60 {
            let mut whole = String::new();
            let mut ask = LineRange::ALL;
            for _ in 0..200 {
                let window = cut(text, ask, budget).unwrap();
                assert!(window.text.chars().count() <= budget);
                whole.push_str(window.text);
                match window.next {
                    Some(next) => ask = range(&next),
                    None => break,
                }
            }
            assert_eq!(whole, text, "budget {budget}");
        }
    }
}
