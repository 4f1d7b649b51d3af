//! Cutting a folded text into words and runs.

use super::class::{Class, class};

/// What a token is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word of a script that is written with spaces.
    Word,
    /// A run of scripts that are written without them.
    Unspaced,
}

/// A word or a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is made of.
    pub kind: TokenKind,
    /// Its characters.
    pub text: &'a str,
    /// Where it starts in the folded text, in bytes.
    pub start: usize,
}

impl Token<'_> {
    /// Where it ends in the folded text, in bytes.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The words and runs of a folded text, in order: the longest stretches of characters of one class.
pub fn tokens(folded: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = folded.get(at..)?;
            let first = class(rest.chars().next()?);
            let length = rest.find(|c| class(c) != first).unwrap_or(rest.len());
            let start = at;
            at += length;
            let kind = match first {
                Class::Other => continue,
                Class::Word => TokenKind::Word,
                Class::Unspaced => TokenKind::Unspaced,
            };
            return Some(Token {
                kind,
                text: rest.get(..length)?,
                start,
            });
        }
    })
}

/// The runs of symbols of a folded text, in order: the longest stretches of characters that are
/// neither part of a word nor white space.
pub fn symbol_runs(folded: &str) -> impl Iterator<Item = &str> {
    folded
        .split(|c: char| c.is_whitespace() || class(c) != Class::Other)
        .filter(|run| !run.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, symbol_runs, tokens};

    #[test]
    fn runs_of_symbols() {
        let found: Vec<_> = symbol_runs("- [ ] c++ [[a|b]] 。→ x").collect();
        assert_eq!(found, ["-", "[", "]", "++", "[[", "|", "]]", "。→"]);
        assert_eq!(symbol_runs(" a b ").count(), 0);
    }

    #[test]
    fn words_and_runs() {
        let found: Vec<_> =
            tokens("c++ foo_bar 2026-11-30 iphone15で撮る हिन्दी ភាសាខ្មែរ!").collect();
        let texts: Vec<_> = found.iter().map(|token| token.text).collect();
        assert_eq!(
            texts,
            [
                "c",
                "foo",
                "bar",
                "2026",
                "11",
                "30",
                "iphone15",
                "で撮る",
                "हिन्दी",
                "ភាសាខ្មែរ"
            ]
        );
        let unspaced: Vec<_> = found
            .iter()
            .filter(|token| token.kind == TokenKind::Unspaced)
            .map(|t| t.text)
            .collect();
        assert_eq!(unspaced, ["で撮る", "ភាសាខ្មែរ"]);
        assert_eq!(tokens(" -- ").count(), 0);
        assert_eq!(tokens("").count(), 0);
    }
}
