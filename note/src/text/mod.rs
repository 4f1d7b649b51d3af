//! What a search means: one analysis for notes and queries, and a plain scan that is the measure of
//! a complete answer. An index may answer faster; it may not answer otherwise.
//!
//! # Analysis
//! [`Folded`] is a text in the form in which it is compared: NFC, full case folding, accents folded
//! in Latin, Greek and Cyrillic (`Łódź` is `lodz`), invisible characters left out. Marks of other
//! scripts are kept: they are part of the word. [`tokens`] cuts it into runs:
//!
//! - *words*: letters, digits, marks and private-use characters of scripts that put spaces between
//!   words. A word is found whole, or as a prefix where it is the last of the query.
//! - *unspaced runs*: Han, Kana, Hangul, Thai, Lao, Khmer, Burmese and their like. Any part of such
//!   a run is found, from one character up.
//! - what is neither only divides them.
//!
//! # Queries
//! A [`Query`] is pieces divided by white space, and phrases in double quotes. All of them must be
//! found in a note, in any order, each in its path (without the extension), in its title, in one of
//! its aliases, or in its text.
//!
//! - A piece is found where its characters stand exactly so, symbols included: `C++`, `#tag/sub`,
//!   `[[link]]`. Where it begins or ends with a word's character, a word has to begin or end there,
//!   so that `art` is not found in `start`; the last piece of a query may end inside a word.
//! - The pieces of a phrase must follow each other with nothing but symbols and white space between
//!   them, so that a phrase is found across a line break and through emphasis.
//! - Nothing in a query is syntax but white space and pairs of double quotes.
//!
//! # Patterns
//! A [`Pattern`] is a regular expression, which is matched against lines as they are written: see
//! there. Nothing is folded for it but what it says itself.

mod class;
mod excerpt;
mod fold;
mod pattern;
mod query;
mod scan;
mod sweep;
mod token;

pub use class::{Class, class};
pub use excerpt::Excerpt;
pub use fold::{Folded, fold};
pub use pattern::{Letter, Literal, Matcher, Needed, Pattern, PatternError, is_composed};
pub use query::{Clause, Lookup, MAX_CLAUSES, MAX_QUERY_CHARACTERS, Query, QueryError, Term};
pub use scan::{Document, Hit, holds, search, searchable_path};
pub use sweep::Sweep;
pub use token::{Token, TokenKind, compounds, runs, tokens};
