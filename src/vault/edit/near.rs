//! What almost is the text that an edit looks for and does not find.

use unicode_normalization::UnicodeNormalization;

/// The nearest thing to a text that is not there. Lines are counted from 1 in the whole note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Near {
    /// It is there but for this.
    Differs {
        /// The line it starts on.
        line: usize,
        /// The least that has to be overlooked to find it.
        by: Difference,
    },
    /// Only its first line is there.
    FirstLine {
        /// The line of the note.
        line: usize,
    },
    /// It is there, but not in the section that the edit is limited to.
    Elsewhere {
        /// The line it starts on.
        line: usize,
    },
}

/// In what a text that is there differs from the one that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// White space, or how characters are composed.
    WhiteSpace,
    /// Letter case too.
    LetterCase,
    /// Typography too: quotation marks, dashes, dots.
    Typography,
}

impl Near {
    /// The nearest thing to `old` in `text`, whose first line is line `first_line` of the note.
    /// Lines of both end with `\n`.
    pub(super) fn find(text: &str, old: &str, first_line: usize) -> Option<Self> {
        let differences = [
            Difference::WhiteSpace,
            Difference::LetterCase,
            Difference::Typography,
        ];
        let differs = differences.into_iter().find_map(|by| {
            let line = Folded::of(text, by).line_of(&Folded::of(old, by).text)?;
            Some(Self::Differs {
                line: first_line + line,
                by,
            })
        });
        differs.or_else(|| {
            let (first, rest) = old.trim_start().split_once('\n')?;
            let is_whole = rest.trim().is_empty() || first.trim().is_empty();
            let place = text.find(first.trim_end()).filter(|_| !is_whole)?;
            Some(Self::FirstLine {
                line: first_line + breaks_before(text, place),
            })
        })
    }
}

/// How many line breaks stand before an offset.
pub(super) fn breaks_before(text: &str, offset: usize) -> usize {
    text.get(..offset)
        .map_or(0, |before| before.matches('\n').count())
}

/// A text without what is to be overlooked.
struct Folded {
    text: String,
    /// Where the lines after the first start.
    starts: Vec<usize>,
}

impl Folded {
    fn of(text: &str, overlooked: Difference) -> Self {
        let mut folded = Self {
            text: String::with_capacity(text.len()),
            starts: Vec::new(),
        };
        let mut gap = false;
        for character in text.nfc() {
            if character == '\n' {
                folded.starts.push(folded.text.len());
            }
            if character.is_whitespace() {
                gap = !folded.text.is_empty();
                continue;
            }
            if std::mem::take(&mut gap) {
                folded.text.push(' ');
            }
            match overlooked {
                Difference::WhiteSpace => folded.text.push(character),
                Difference::LetterCase => folded.text.extend(character.to_lowercase()),
                Difference::Typography => match plain(character) {
                    Some(plain) => folded.text.push_str(plain),
                    None => folded.text.extend(character.to_lowercase()),
                },
            }
        }
        folded
    }

    /// The line on which `wanted` starts, counted from 0.
    fn line_of(&self, wanted: &str) -> Option<usize> {
        let at = self.text.find(wanted).filter(|_| !wanted.is_empty())?;
        Some(self.starts.partition_point(|start| *start <= at))
    }
}

/// What a typewriter has for a character.
const fn plain(character: char) -> Option<&'static str> {
    match character {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{b4}' | '`' => Some("'"),
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => Some("\""),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some("-"),
        '\u{2026}' => Some("..."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Difference, Near};

    #[test]
    fn the_least_difference_is_named_with_its_line() {
        let text =
            "# Boat\n\nThe  hull is\toak,\n“Built” 1898 — in Bergen…\nCafe\u{301}\n- one\n- two\n";
        let differs = |line, by| Some(Near::Differs { line, by });
        for (old, near) in [
            ("The hull is oak,", differs(3, Difference::WhiteSpace)),
            (
                "hull is oak,\n  “Built”",
                differs(3, Difference::WhiteSpace),
            ),
            (
                "\u{a0}oak, “Built” 1898\n",
                differs(3, Difference::WhiteSpace),
            ),
            ("Caf\u{e9}\n\n", differs(5, Difference::WhiteSpace)),
            ("the hull IS oak", differs(3, Difference::LetterCase)),
            (
                "\"built\" 1898 - in bergen...",
                differs(4, Difference::Typography),
            ),
            ("- one\n- three", Some(Near::FirstLine { line: 6 })),
            ("\n- one\n- three", Some(Near::FirstLine { line: 6 })),
            ("- one\n", differs(6, Difference::WhiteSpace)),
            ("keel", None),
            ("keel\nhull", None),
            (" \n", None),
        ] {
            assert_eq!(Near::find(text, old, 1), near, "{old:?}");
        }
    }

    #[test]
    fn lines_are_counted_from_the_first_of_the_note() {
        let near = Near::find("a\nb", "B", 11);
        assert_eq!(
            near,
            Some(Near::Differs {
                line: 12,
                by: Difference::LetterCase
            })
        );
    }
}
