//! What the full-text index is given, and what it is asked.
//!
//! Both come from the one analysis of [`crate::vault::text`]. Words go in as they are. A run of a
//! script that is written without spaces goes in as its pairs of neighbouring characters and, last,
//! its last character alone: `日本語` is `日本 本語 語`. Any part of the run is then found exactly, a
//! part of one character as what begins with it, a longer part as its pairs in a row.
//!
//! That leaves out symbols, and with them what stands next to what: `C++` and `C, +` are the same
//! words. So the stretches without white space that are more than a word go into a column of their
//! own, each different one of a note once, with their symbols in the form of unspaced runs. A piece
//! of a query is a part of such a stretch, and is found exactly too.

use std::collections::BTreeSet;

use crate::{
    runtime::{Sql, SqlError, SqlValue},
    vault::{
        markdown::Metadata,
        path::VaultPath,
        text::{
            Clause, Query, Term, Token, TokenKind, compounds, fold, runs, searchable_path, tokens,
        },
    },
};

/// Stands between texts of one column, so that no phrase goes across. No folded text has a capital
/// letter, so no query has it as a term.
const BREAK: &str = "Α";

/// Stands in the column of compounds where they are too many. A capital letter too.
const TOO_MANY: &str = "Ω";

/// What finds the notes whose compounds are too many: they have to be looked at.
pub(super) const DENSE: &str = "compounds : \"Ω\"";

/// The most bytes of terms that one column takes: Durable Objects bind no larger text. Scripts
/// without spaces more than double, so a text that fits into its row may be too large for this.
const MAX_TERMS: usize = 2_000_000;

/// A note as the index takes it.
pub(super) struct Entry {
    columns: [String; 6],
}

impl Entry {
    /// The entry of the note at `path` that says `text`, which is empty where it is not at hand: the
    /// note is then found by its path.
    pub(super) fn of(path: &VaultPath, text: &str, metadata: &Metadata) -> Self {
        let path = fold(searchable_path(path));
        let text = fold(text);
        let title = fold(&metadata.title);
        let aliases: Vec<String> = metadata.aliases.iter().map(|alias| fold(alias)).collect();
        let headings: Vec<String> = metadata.headings.iter().map(|h| fold(&h.text)).collect();
        let compounds = [&path, &text, &title].into_iter().chain(&aliases);
        let columns = [
            analysed([&title]),
            analysed(&aliases),
            analysed(&headings),
            analysed([&path]),
            analysed([&text]),
            analysed_compounds(compounds),
        ];
        Self { columns }
    }

    /// Whether the index can take it.
    pub(super) fn fits(&self) -> bool {
        self.columns.iter().all(|terms| terms.len() <= MAX_TERMS)
    }

    /// Puts it into the index under `id`.
    pub(super) fn put(self, sql: &dyn Sql, id: i64) -> Result<(), SqlError> {
        let columns: Vec<SqlValue> = [id.into()]
            .into_iter()
            .chain(self.columns.map(SqlValue::from))
            .collect();
        let statement = "INSERT INTO search(rowid, title, aliases, headings, path, body, compounds)
                         VALUES (?, ?, ?, ?, ?, ?, ?)";
        sql.exec(statement, &columns)?;
        Ok(())
    }
}

/// Folded texts as the index takes them: terms divided by spaces.
fn analysed<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    let mut terms = String::new();
    for (index, text) in texts.into_iter().enumerate() {
        if index > 0 {
            push_term(&mut terms, BREAK);
        }
        terms.reserve(text.len());
        for token in tokens(text) {
            push_token(&mut terms, &token);
        }
    }
    terms
}

/// The different compounds of folded texts, as the index takes them.
fn analysed_compounds<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let different: BTreeSet<&str> = texts.flat_map(|text| compounds(text)).collect();
    let mut terms = String::new();
    for compound in different {
        if !terms.is_empty() {
            push_term(&mut terms, BREAK);
        }
        for token in runs(compound) {
            push_token(&mut terms, &token);
        }
        if terms.len() > MAX_TERMS {
            return TOO_MANY.to_owned();
        }
    }
    terms
}

fn push_token(terms: &mut String, token: &Token<'_>) {
    match token.kind {
        TokenKind::Word => push_term(terms, token.text),
        TokenKind::Unspaced => push_run(terms, token.text, true),
        TokenKind::Symbols => push_run(terms, &spelled(token.text), true),
    }
}

fn push_term(terms: &mut String, term: &str) {
    if !terms.is_empty() {
        terms.push(' ');
    }
    terms.push_str(term);
}

/// The pairs of neighbouring characters of a run and, where it is `complete`, its last character.
fn push_run(terms: &mut String, run: &str, complete: bool) {
    let mut characters = run.char_indices().peekable();
    while let Some((start, last)) = characters.next() {
        match characters.peek() {
            Some((next, character)) => {
                let end = next + character.len_utf8();
                push_term(terms, run.get(start..end).unwrap_or_default());
            }
            None if complete => push_term(terms, last.encode_utf8(&mut [0; 4])),
            None => {}
        }
    }
}

/// Symbols in characters that the engine's tokenizer keeps: it takes those of ASCII for white space.
fn spelled(symbols: &str) -> String {
    symbols.chars().map(stand_in).collect()
}

/// For a character of ASCII that is no letter and no digit, a letter that folding leaves in no text:
/// a capital, or `ß`. Every other character stands for itself.
fn stand_in(symbol: char) -> char {
    let code = u32::from(symbol);
    let letter = match code {
        0..0x30 => 0x400 + code,           // Cyrillic
        0x3a..0x60 => 0x531 + code - 0x3a, // Armenian
        0x60..0x80 => 0xc0 + code - 0x60,  // Latin
        _ => return symbol,
    };
    char::from_u32(letter).unwrap_or(symbol)
}

/// A question to the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    /// What to match.
    pub(super) text: String,
    /// How far what matches is what is searched for.
    pub(super) certainty: Certainty,
}

/// How far what matches an [`Expression`] is what is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// It is.
    Exact,
    /// It is, but for notes that [`DENSE`] finds: those only may be.
    ExceptDense,
    /// It only may be.
    Narrowing,
}

/// Turns a query into a question to the index. Nothing in it is the engine's syntax: every term is
/// made by the analysis and stands in double quotes, of which none has one inside.
///
/// Every clause asks for something: it has at least one piece, and a piece has words or symbols.
pub(super) fn expression(query: &Query) -> Expression {
    let mut parts = Vec::new();
    let certainties = query.clauses().iter();
    let certainty = certainties
        .map(|clause| add_clause(clause, &mut parts))
        .max();
    Expression {
        text: parts.join(" AND "),
        certainty: certainty.unwrap_or(Certainty::Narrowing),
    }
}

/// Adds what a clause asks for to `parts`, and says how far that is all there is to it.
///
/// Its words are asked for even where its compounds say all: they order the hits, and narrow down
/// the dense notes.
fn add_clause(clause: &Clause, parts: &mut Vec<String>) -> Certainty {
    let lookup = clause.lookup();
    let is_compound =
        |terms: &&Vec<Term>| !matches!(terms.as_slice(), [term] if term.kind != TokenKind::Symbols);
    let words = lookup.neighbours();
    parts.extend(words.into_iter().map(phrase));
    let before = parts.len();
    let compounds = lookup.pieces.iter().filter(is_compound);
    parts.extend(compounds.map(|terms| format!("(compounds : {} OR {DENSE})", phrase(terms))));
    match lookup.is_exact {
        true if parts.len() == before => Certainty::Exact,
        true => Certainty::ExceptDense,
        false => Certainty::Narrowing,
    }
}

/// Terms as neighbours in the index.
fn phrase<'a>(terms: impl IntoIterator<Item = &'a Term>) -> String {
    let mut phrase = String::new();
    let mut is_open = false;
    for term in terms {
        let run = match term.kind {
            TokenKind::Word | TokenKind::Unspaced => term.text.clone(),
            TokenKind::Symbols => spelled(&term.text),
        };
        let is_part = term.is_open && term.kind != TokenKind::Word;
        let is_pairs = is_part && run.chars().nth(1).is_some();
        // What begins with the term is asked for, unless its last pair says enough.
        is_open = term.is_open && !is_pairs;
        match term.kind {
            TokenKind::Word => push_term(&mut phrase, &run),
            TokenKind::Unspaced | TokenKind::Symbols => push_run(&mut phrase, &run, !is_pairs),
        }
    }
    let star = if is_open { "*" } else { "" };
    format!("\"{phrase}\"{star}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysed_one(text: &str) -> String {
        analysed([&fold(text)])
    }

    #[test]
    fn runs_go_in_as_pairs_and_a_last_character() {
        assert_eq!(
            analysed_one("The Café, 日本語 x語"),
            "the cafe 日本 本語 語 x 語"
        );
        assert_eq!(analysed_one("  -- \n"), "");
        let texts = ["a b".to_owned(), "c".to_owned()];
        assert_eq!(analysed(&texts), format!("a b {BREAK} c"));
    }

    #[test]
    fn compounds_go_in_once_and_apart() {
        let text = "→ c++ a x語 → c++".to_owned();
        let plus = stand_in('+');
        assert_eq!(
            analysed_compounds([&text].into_iter()),
            format!("c {plus}{plus} {plus} {BREAK} x 語 {BREAK} →")
        );
        let many = "+-".repeat(210_000);
        assert_eq!(analysed_compounds([&many].into_iter()), TOO_MANY);
    }

    #[test]
    fn symbols_stand_in_letters_that_no_folded_text_has() {
        let symbols = (0_u8..128).map(char::from);
        let symbols: Vec<char> = symbols.filter(|c| !c.is_ascii_alphanumeric()).collect();
        let letters: BTreeSet<char> = symbols.iter().map(|c| stand_in(*c)).collect();
        assert_eq!(letters.len(), symbols.len());
        for letter in letters
            .into_iter()
            .map(String::from)
            .chain([BREAK.into(), TOO_MANY.into()])
        {
            assert!(letter.chars().all(char::is_alphabetic), "{letter}");
            assert!(!fold(&letter).contains(&letter), "{letter}");
            assert!(!symbols.iter().any(|c| spelled(&c.to_string()) == BREAK));
        }
    }

    /// An expression with its symbols as they are, and without what finds dense notes.
    fn readable(expression: &str) -> String {
        let symbols: Vec<char> = (0_u8..128).map(char::from).collect();
        let plain = expression.replace(&format!(" OR {DENSE}"), "");
        let symbol_of = |letter| symbols.iter().find(|symbol| stand_in(**symbol) == letter);
        plain
            .chars()
            .map(|letter| *symbol_of(letter).unwrap_or(&letter))
            .collect()
    }

    #[test]
    fn queries_become_quoted_terms() {
        for (query, text, certainty) in [
            ("engine oil", r#""engine" AND "oil"*"#, Certainty::Exact),
            ("\"engine oil\"", r#""engine oil""#, Certainty::Exact),
            ("日", r#""日"*"#, Certainty::Exact),
            ("日本", r#""日本""#, Certainty::Exact),
            ("日本語", r#""日本 本語""#, Certainty::Exact),
            (
                "語x",
                r#""語 x"* AND (compounds : "語 x"*)"#,
                Certainty::ExceptDense,
            ),
            (
                "x日本",
                r#""x 日本" AND (compounds : "x 日本")"#,
                Certainty::ExceptDense,
            ),
            ("[", r#"(compounds : "["*)"#, Certainty::ExceptDense),
            ("[[", r#"(compounds : "[[")"#, Certainty::ExceptDense),
            ("![[", r#"(compounds : "![ [[")"#, Certainty::ExceptDense),
            ("→", r#"(compounds : "→"*)"#, Certainty::ExceptDense),
            (
                "C++",
                r#""c" AND (compounds : "c ++")"#,
                Certainty::ExceptDense,
            ),
            (
                "`x`",
                r#""x" AND (compounds : "` x `"*)"#,
                Certainty::ExceptDense,
            ),
            (
                "\"日本 (x)\"",
                r#""日本" AND "x" AND (compounds : "( x )"*)"#,
                Certainty::Narrowing,
            ),
            (
                "NEAR(a OR b",
                r#""near a" AND (compounds : "near ( a") AND "or" AND "b"*"#,
                Certainty::ExceptDense,
            ),
        ] {
            let expression = expression(&Query::parse(query).unwrap());
            assert_eq!(
                (readable(&expression.text).as_str(), expression.certainty),
                (text, certainty),
                "{query}"
            );
        }
    }
}
