//! What a text must have for a pattern to be found in it.
//!
//! Every step only ever loses what it is not sure of: a text that has not what is needed does not
//! match, and of one that has it nothing is said.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// How many characters of a run of them are worth asking for.
const MAX_CHARACTERS: usize = 12;
/// How many choices, and how many parts, are worth asking for.
const MAX_BRANCHES: usize = 8;

/// What a text has to have, all of it in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needed {
    /// These characters in a row.
    Literal(Literal),
    /// All of these.
    All(Vec<Needed>),
    /// One of these at least.
    Any(Vec<Needed>),
}

/// Characters in a row. The first and the last are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literal(pub Vec<Letter>);

/// One character of a [`Literal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// This one.
    Exactly(char),
    /// This letter of ASCII, small or capital.
    EitherCase(char),
    /// Any one.
    Unknown,
}

impl Literal {
    /// Whether it is one text and no other.
    #[must_use]
    pub fn as_text(&self) -> Option<String> {
        let exact = |letter: &Letter| match letter {
            Letter::Exactly(character) => Some(*character),
            Letter::EitherCase(_) | Letter::Unknown => None,
        };
        self.0.iter().map(exact).collect()
    }
}

/// What every text has to have in which `hir` is found; `None` where nothing is known.
pub(super) fn needed(hir: &Hir) -> Option<Needed> {
    let mut row = Row::default();
    row.add(hir);
    row.end();
    match row.parts.len() {
        0 | 1 => row.parts.pop(),
        _ => {
            // The longest say most.
            row.parts
                .sort_by_key(|part| std::cmp::Reverse(weight(part)));
            row.parts.truncate(MAX_BRANCHES);
            Some(Needed::All(row.parts))
        }
    }
}

/// How rare a text is that has what is needed: the least number of characters that it fixes.
fn weight(needed: &Needed) -> usize {
    match needed {
        Needed::Literal(literal) => {
            let known = literal.0.iter().filter(|l| **l != Letter::Unknown);
            known.count()
        }
        Needed::All(parts) => parts.iter().map(weight).max().unwrap_or_default(),
        Needed::Any(parts) => parts.iter().map(weight).min().unwrap_or_default(),
    }
}

/// A pattern read from left to right: what is needed so far, and the characters that the next one
/// follows directly.
#[derive(Default)]
struct Row {
    parts: Vec<Needed>,
    letters: Vec<Letter>,
}

impl Row {
    fn add(&mut self, hir: &Hir) {
        match hir.kind() {
            // What has no width parts nothing.
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                let text = str::from_utf8(&literal.0).unwrap_or_default();
                self.letters.extend(text.chars().map(Letter::Exactly));
            }
            HirKind::Class(class) => self.letters.push(letter(class)),
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.add(part)),
            HirKind::Repetition(repetition) => self.add_repetition(repetition),
            HirKind::Alternation(choices) => {
                self.end();
                let needed: Option<Vec<Needed>> = choices.iter().map(needed).collect();
                let needed = needed.filter(|choices| choices.len() <= MAX_BRANCHES);
                self.parts.extend(needed.map(Needed::Any));
            }
        }
    }

    fn add_repetition(&mut self, repetition: &Repetition) {
        let least = repetition.min;
        let is_fixed = repetition.max == Some(least);
        let times = usize::try_from(least)
            .unwrap_or(usize::MAX)
            .min(MAX_CHARACTERS);
        for _ in 0..times {
            self.add(&repetition.sub);
        }
        // More of them may follow before the next character.
        if !is_fixed || least as usize > times {
            self.end();
        }
    }

    /// Ends the row of characters.
    fn end(&mut self) {
        let is_known = |letter: &Letter| *letter != Letter::Unknown;
        let letters = std::mem::take(&mut self.letters);
        let mut letters: Vec<Letter> = letters
            .into_iter()
            .skip_while(|letter| !is_known(letter))
            .take(MAX_CHARACTERS)
            .collect();
        let known = letters
            .iter()
            .rposition(is_known)
            .map_or(0, |last| last + 1);
        letters.truncate(known);
        if known > 0 {
            self.parts.push(Needed::Literal(Literal(letters)));
        }
    }
}

/// What is known of a character of a class.
fn letter(class: &Class) -> Letter {
    let Class::Unicode(class) = class else {
        return Letter::Unknown;
    };
    // A letter that also has a form beyond ASCII (`k`, `s`) stays unknown.
    match class.ranges() {
        [one] if one.len() == 1 => Letter::Exactly(one.start()),
        [capital, small]
            if capital.len() == 1
                && small.len() == 1
                && capital.start().is_ascii_uppercase()
                && capital.start().to_ascii_lowercase() == small.start() =>
        {
            Letter::EitherCase(small.start())
        }
        _ => Letter::Unknown,
    }
}
