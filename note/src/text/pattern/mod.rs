//! Regular expressions, matched a line at a time.
//!
//! # What a pattern is matched against
//! - Each line of a note's text, frontmatter included, without its line break (`\n` or `\r\n`); so
//!   `^` and `$` stand at the ends of a line, and nothing matches across two. And the note's path
//!   without the extension, as if it were a line.
//! - Case matters unless the pattern says `(?i)`. Texts and pattern are compared in NFC: what looks
//!   the same is the same, however it was typed.
//! - `\w`, `\d`, `\s`, `\b`, `.` and case are Unicode's (UTS #18, level 1).
//! - A match may be empty: `^$` finds notes with an empty line, and `x*` finds every note.
//!
//! The engine is a simulation of a finite automaton: its time is linear in the text, whatever the
//! pattern. There is no look-around and there are no backreferences.

mod literals;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, ops::Range};

use regex_automata::{
    Input,
    hybrid::dfa::{self, DFA},
    nfa::thompson::{self, NFA, WhichCaptures, pikevm::PikeVM},
};
use regex_syntax::{
    ParserBuilder,
    hir::{Hir, HirKind},
};
use unicode_normalization::{UnicodeNormalization, is_nfc};

pub use literals::{Letter, Literal, Needed};

use super::{
    excerpt::Excerpt,
    query::MAX_QUERY_CHARACTERS,
    scan::{Document, Hit, searchable_path},
};
use crate::{
    markdown::{Properties, headings},
    title,
};

/// How deep the parts of a pattern may lie in each other.
const MAX_NESTING: u32 = 50;
/// The most memory of a compiled pattern, in bytes.
const MAX_PROGRAM: usize = 1 << 20;
/// The most memory for what the engine learns while it matches, in bytes.
const MAX_CACHE: usize = 2 << 20;
/// How often the engine may run out of that memory, if it then learnt little, before it is slower
/// than its simpler half.
const MAX_CACHE_CLEARS: usize = 8;
const MIN_BYTES_PER_STATE: usize = 10;

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    hir: Hir,
    nfa: NFA,
}

/// A text that is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is nothing to search for.
    #[error("is empty: give a regular expression to search for")]
    Empty,
    /// It is longer than a query may be.
    #[error("has {characters} characters, more than {MAX_QUERY_CHARACTERS}")]
    TooLong {
        /// Its length.
        characters: usize,
    },
    /// It is no regular expression of this engine.
    #[error(
        "is no regular expression: {reason} (at character {at}); put a backslash before a symbol \
         that is meant as itself, or leave mode out to search for the text as it is"
    )]
    Invalid {
        /// What the engine says.
        reason: String,
        /// Where, counted from 1.
        at: usize,
    },
    /// It asks for a line break, which no line has.
    #[error(
        "asks for a line break, but lines are matched one at a time and without it; ^ and $ stand \
         at the ends of a line"
    )]
    LineBreak,
    /// The automaton that it is compiled to would be too large.
    #[error("is too large once compiled; use smaller counts in braces, or fewer classes")]
    TooLarge,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`PatternError`].
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let characters = text.chars().count();
        if characters > MAX_QUERY_CHARACTERS {
            return Err(PatternError::TooLong { characters });
        }
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let composed: String = text.nfc().collect();
        let hir = ParserBuilder::new()
            .nest_limit(MAX_NESTING)
            .build()
            .parse(&composed)
            .map_err(|error| invalid(&error))?;
        if has_line_break(&hir) {
            return Err(PatternError::LineBreak);
        }
        let config = thompson::Config::new()
            .nfa_size_limit(Some(MAX_PROGRAM))
            .which_captures(WhichCaptures::Implicit);
        let nfa = thompson::Compiler::new()
            .configure(config)
            .build_from_hir(&hir)
            .map_err(|_| PatternError::TooLarge)?;
        Ok(Self {
            text: text.to_owned(),
            hir,
            nfa,
        })
    }

    /// The pattern as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What every text has to have in which the pattern is found, as far as that is plain.
    #[must_use]
    pub fn needed(&self) -> Option<Needed> {
        literals::needed(&self.hir)
    }

    /// What looks for the pattern.
    ///
    /// # Errors
    /// [`PatternError::TooLarge`].
    pub fn matcher(&self) -> Result<Matcher, PatternError> {
        let config = DFA::config()
            .unicode_word_boundary(true)
            .cache_capacity(MAX_CACHE)
            .minimum_cache_clear_count(Some(MAX_CACHE_CLEARS))
            .minimum_bytes_per_state(Some(MIN_BYTES_PER_STATE));
        let dfa = DFA::builder()
            .configure(config)
            .build_from_nfa(self.nfa.clone())
            .map_err(|_| PatternError::TooLarge)?;
        let vm = PikeVM::new_from_nfa(self.nfa.clone()).map_err(|_| PatternError::TooLarge)?;
        Ok(Matcher {
            dfa_cache: dfa.create_cache(),
            vm_cache: vm.create_cache(),
            dfa,
            vm,
        })
    }
}

/// What looks for a pattern, and remembers between texts what it learnt of it.
#[derive(Debug)]
pub struct Matcher {
    dfa: DFA,
    dfa_cache: dfa::Cache,
    vm: PikeVM,
    vm_cache: thompson::pikevm::Cache,
}

impl Matcher {
    /// Whether a note's text or path has the pattern.
    pub fn holds(&mut self, document: &Document<'_>) -> bool {
        self.first_line(&composed(document.text)).is_some() || self.is_named(document)
    }

    /// The hit in a note, if its text or path has the pattern. Its excerpt shows the first match.
    pub fn hit(&mut self, document: &Document<'_>) -> Option<Hit> {
        let text = composed(document.text);
        let found = self.first(&text);
        if found.is_none() && !self.is_named(document) {
            return None;
        }
        let headings = headings(document.text);
        let properties = Properties::of(document.text);
        Some(Hit {
            path: document.path.clone(),
            title: title::from(document.path, &properties, &headings),
            excerpt: found.map(|found| Excerpt::around(&text, &headings, found)),
        })
    }

    fn is_named(&mut self, document: &Document<'_>) -> bool {
        self.is_match(&composed(searchable_path(document.path)))
    }

    /// Where the pattern first matches.
    fn first(&mut self, text: &str) -> Option<Range<usize>> {
        let (start, line) = self.first_line(text)?;
        let found = self.vm.find(&mut self.vm_cache, line)?;
        Some(start + found.start()..start + found.end())
    }

    /// The first line that has the pattern, with where it starts.
    fn first_line<'t>(&mut self, text: &'t str) -> Option<(usize, &'t str)> {
        lines(text).find(|(_, line)| self.is_match(line))
    }

    fn is_match(&mut self, line: &str) -> bool {
        let input = Input::new(line).earliest(true);
        match self.dfa.try_search_fwd(&mut self.dfa_cache, &input) {
            Ok(found) => found.is_some(),
            // It knows no word boundaries beside characters beyond ASCII, and gives up where it
            // would only learn. The other half is slower and does everything.
            Err(_) => self.vm.is_match(&mut self.vm_cache, input),
        }
    }
}

/// The lines of a text without their breaks, each with where it starts. A mark of byte order is no
/// part of the first.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |whole| {
        let mut start = at;
        at += whole.len();
        let line = whole
            .strip_suffix('\n')
            .map_or(whole, |line| line.strip_suffix('\r').unwrap_or(line));
        let unmarked = line.strip_prefix('\u{feff}').filter(|_| start == 0);
        if let Some(unmarked) = unmarked {
            start += line.len() - unmarked.len();
        }
        (start, unmarked.unwrap_or(line))
    })
}

/// A text in NFC.
fn composed(text: &str) -> Cow<'_, str> {
    if is_composed(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Whether a text is in NFC, as patterns are compared with it.
#[must_use]
pub fn is_composed(text: &str) -> bool {
    text.is_ascii() || is_nfc(text)
}

fn invalid(error: &regex_syntax::Error) -> PatternError {
    let (reason, offset) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.column),
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), error.span().start.column)
        }
        other => (other.to_string(), 1),
    };
    PatternError::Invalid { reason, at: offset }
}

/// Whether a part of the pattern is a line break and nothing else.
fn has_line_break(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.iter().any(|byte| matches!(byte, b'\n' | b'\r')),
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => false,
        HirKind::Repetition(repetition) => has_line_break(&repetition.sub),
        HirKind::Capture(capture) => has_line_break(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_line_break),
    }
}
