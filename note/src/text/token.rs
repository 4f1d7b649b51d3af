//! Cutting a folded text into words and runs.

use super::class::{Class, class};

/// What a token is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word of a script that is written with spaces.
    Word,
    /// A run of scripts that are written without them.
    Unspaced,
    /// A run of what is neither, and no white space.
    Symbols,
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

/// The words and runs of a folded text, in order: the longest stretches of characters of one kind.
/// Only white space is left out.
pub fn runs(folded: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at;
            let rest = folded.get(at..)?;
            let first = kind(rest.chars().next()?);
            let length = rest.find(|c| kind(c) != first).unwrap_or(rest.len());
            at += length;
            if let Some(kind) = first {
                let text = rest.get(..length)?;
                return Some(Token { kind, text, start });
            }
        }
    })
}

/// What a token with this character is made of; `None` for white space.
fn kind(character: char) -> Option<TokenKind> {
    match class(character) {
        Class::Word => Some(TokenKind::Word),
        Class::Unspaced => Some(TokenKind::Unspaced),
        Class::Other if character.is_whitespace() => None,
        Class::Other => Some(TokenKind::Symbols),
    }
}

/// The words and unspaced runs of a folded text, in order.
pub fn tokens(folded: &str) -> impl Iterator<Item = Token<'_>> {
    runs(folded).filter(|token| token.kind != TokenKind::Symbols)
}

/// The stretches of a folded text without white space that are more than one word or one unspaced
/// run: those with symbols in them, and those where a word and an unspaced run meet.
pub fn compounds(folded: &str) -> impl Iterator<Item = &str> {
    folded.split_whitespace().filter(|piece| {
        let mut runs = runs(piece);
        let is_plain = |token: Token<'_>| token.kind != TokenKind::Symbols;
        !runs.next().is_some_and(is_plain) || runs.next().is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, compounds, runs, tokens};

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

    #[test]
    fn symbols_are_runs_too() {
        let found: Vec<_> = runs("- [ ] c++ [[a|b]] 。→ x")
            .map(|run| run.text)
            .collect();
        let expected = "- [ ] c ++ [[ a | b ]] 。→ x".split(' ');
        assert_eq!(found, expected.collect::<Vec<_>>());
        assert_eq!(runs(" \t\n").count(), 0);
        let last = runs("a 系c++").last().unwrap();
        assert_eq!((last.text, last.start, last.end()), ("++", 6, 8));
    }

    #[test]
    fn compounds_are_more_than_one_word() {
        let text = "plain 系統 c++\u{a0}- boat, x系\t[[a|b]] हिन्दी";
        let found: Vec<_> = compounds(text).collect();
        assert_eq!(found, ["c++", "-", "boat,", "x系", "[[a|b]]"]);
    }
}
