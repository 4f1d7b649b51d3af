//! How a text ends its lines.

use std::borrow::Cow;

/// How a text ends its lines. A carriage return alone ends none, as in Obsidian and in git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl LineEnding {
    /// The one that most lines of `text` have; where both are as many, the one of the first line.
    /// `None` for a text without a line break.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let first = text.find('\n')?;
        let all = text.matches('\n').count();
        let crlf = text.matches("\r\n").count();
        Some(match crlf.cmp(&(all - crlf)) {
            std::cmp::Ordering::Less => Self::Lf,
            std::cmp::Ordering::Greater => Self::CrLf,
            std::cmp::Ordering::Equal => {
                let is_crlf = text
                    .get(..first)
                    .is_some_and(|before| before.ends_with('\r'));
                if is_crlf { Self::CrLf } else { Self::Lf }
            }
        })
    }

    /// Its characters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }

    /// `text` with every line ended like this.
    #[must_use]
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        if !text.contains('\n') {
            return Cow::Borrowed(text);
        }
        let flat = text.replace("\r\n", "\n");
        Cow::Owned(match self {
            Self::Lf => flat,
            Self::CrLf => flat.replace('\n', "\r\n"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::LineEnding::{self, CrLf, Lf};

    #[test]
    fn most_lines_decide_then_the_first() {
        for (text, ending) in [
            ("", None),
            ("a", None),
            ("a\rb", None),
            ("a\n", Some(Lf)),
            ("a\r\n", Some(CrLf)),
            ("a\r\nb\nc\n", Some(Lf)),
            ("a\nb\r\nc\r\n", Some(CrLf)),
            ("a\r\nb\n", Some(CrLf)),
            ("a\nb\r\n", Some(Lf)),
            ("\n", Some(Lf)),
        ] {
            assert_eq!(LineEnding::of(text), ending, "{text:?}");
        }
    }

    #[test]
    fn every_line_is_ended_alike() {
        assert_eq!(Lf.apply("a\r\nb\n\r\nc\rd"), "a\nb\n\nc\rd");
        assert_eq!(CrLf.apply("a\r\nb\n\r\nc\rd"), "a\r\nb\r\n\r\nc\rd");
        assert_eq!(CrLf.apply("one line"), "one line");
    }
}
