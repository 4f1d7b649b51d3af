//! What the full-text index is given, and what it is asked.
//!
//! Both come from the one analysis of [`crate::vault::text`]. Words go in as they are. A run of a
//! script that is written without spaces goes in as its pairs of neighbouring characters and, last,
//! its last character alone: `日本語` is `日本 本語 語`. Any part of the run is then found exactly, a
//! part of one character as what begins with it, a longer part as its pairs in a row.
//!
//! Runs of symbols go into a column of their own, in the same form, each different run of a note
//! once: there are few of them, and only whether a note has one is ever asked.

use std::collections::BTreeSet;

use crate::{
    runtime::{Sql, SqlError, SqlValue},
    vault::{
        markdown::Metadata,
        path::VaultPath,
        text::{Clause, Query, Term, TokenKind, fold, searchable_path, symbol_runs, tokens},
    },
};

/// Stands between texts of one column, so that no phrase goes across. It is a noncharacter, which
/// the analysis takes for a symbol: no query has it as a term.
const BREAK: &str = "\u{fdd1}";

/// Stands before a symbol of ASCII, which the engine's tokenizer would take for white space. It is
/// a noncharacter too, and stands before itself.
const ESCAPE: char = '\u{fdd0}';

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
        let symbols = [&path, &text, &title].into_iter().chain(&aliases);
        let columns = [
            analysed([&title]),
            analysed(&aliases),
            analysed(&headings),
            analysed([&path]),
            analysed([&text]),
            analysed_symbols(symbols),
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
        let statement = "INSERT INTO search(rowid, title, aliases, headings, path, body, symbols)
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
            match token.kind {
                TokenKind::Word => push_term(&mut terms, token.text),
                TokenKind::Unspaced => push_run(&mut terms, token.text, true),
            }
        }
    }
    terms
}

/// The different runs of symbols in folded texts, as the index takes them.
fn analysed_symbols<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let runs: BTreeSet<&str> = texts.flat_map(|text| symbol_runs(text)).collect();
    let mut terms = String::new();
    for run in runs {
        let mut run_terms = String::new();
        push_run(&mut run_terms, run, true);
        push_term(&mut terms, &escaped(&run_terms));
    }
    terms
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

/// Terms of symbols in characters that the engine's tokenizer keeps. No term's form is the beginning
/// of another's unless the terms are.
fn escaped(terms: &str) -> String {
    let mut escaped = String::with_capacity(terms.len() * 2);
    for character in terms.chars() {
        match character {
            ' ' => escaped.push(' '),
            ESCAPE => escaped.extend([ESCAPE, ESCAPE]),
            _ if character.is_ascii() => {
                // Latin letters from U+0100 on, one for each character of ASCII.
                let stand_in = char::from_u32(0x100 + u32::from(character));
                escaped.extend([Some(ESCAPE), stand_in].into_iter().flatten());
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A question to the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    /// What to match.
    pub(super) text: String,
    /// Whether what matches is what is searched for. Otherwise it only may be.
    pub(super) is_exact: bool,
}

/// Turns a query into a question to the index. Nothing in it is the engine's syntax: every term is
/// made by the analysis and stands in double quotes, of which none has one inside.
///
/// Every clause asks for something: it has at least one piece, and a piece has words or symbols.
pub(super) fn expression(query: &Query) -> Expression {
    let mut parts = Vec::new();
    let mut is_exact = true;
    for clause in query.clauses() {
        is_exact &= add_clause(clause, &mut parts);
    }
    Expression {
        text: parts.join(" AND "),
        is_exact,
    }
}

/// Adds what a clause asks for to `parts`, and says whether that is all there is to it.
fn add_clause(clause: &Clause, parts: &mut Vec<String>) -> bool {
    let lookup = clause.lookup();
    if lookup.is_exact {
        let terms = lookup.pieces.iter().flat_map(|piece| &piece.terms);
        parts.extend(phrase(terms));
    } else {
        parts.extend(
            lookup
                .pieces
                .iter()
                .filter_map(|piece| phrase(&piece.terms)),
        );
    }
    let symbols = lookup.pieces.iter().flat_map(|piece| &piece.symbols);
    parts.extend(symbols.map(|run| {
        let mut terms = String::new();
        push_run(&mut terms, run, false);
        if terms.is_empty() {
            format!("symbols : \"{}\"*", escaped(run))
        } else {
            format!("symbols : \"{}\"", escaped(&terms))
        }
    }));
    lookup.is_exact
}

/// Terms as neighbours in the index; `None` without any.
fn phrase<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Option<String> {
    let mut phrase = String::new();
    let mut is_open = false;
    for term in terms {
        is_open = false;
        match term {
            Term::Word(word) => push_term(&mut phrase, word),
            Term::Prefix(word) => {
                push_term(&mut phrase, word);
                is_open = true;
            }
            Term::End(run) => push_run(&mut phrase, run, true),
            Term::Part(run) if run.chars().nth(1).is_some() => push_run(&mut phrase, run, false),
            Term::Part(character) => {
                push_term(&mut phrase, character);
                is_open = true;
            }
        }
    }
    let star = if is_open { "*" } else { "" };
    (!phrase.is_empty()).then(|| format!("\"{phrase}\"{star}"))
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
        assert_eq!(analysed(&texts), "a b \u{fdd1} c");
    }

    #[test]
    fn symbols_go_in_once_in_characters_that_the_engine_keeps() {
        let text = "[[ → [[ ![[ \u{fdd0}".to_owned();
        let bracket = "\u{fdd0}\u{15b}";
        let mark = "\u{fdd0}\u{121}";
        assert_eq!(
            analysed_symbols([&text].into_iter()),
            format!(
                "{mark}{bracket} {bracket}{bracket} {bracket} \
                 {bracket}{bracket} {bracket} → \u{fdd0}\u{fdd0}"
            )
        );
    }

    #[test]
    fn queries_become_quoted_terms() {
        let ascii = |symbols: &str| escaped(symbols);
        for (query, text, is_exact) in [
            ("engine oil", "\"engine\" AND \"oil\"*".to_owned(), true),
            ("\"engine oil\"", "\"engine oil\"".to_owned(), true),
            ("日", "\"日\"*".to_owned(), true),
            ("日本", "\"日本\"".to_owned(), true),
            ("日本語", "\"日本 本語\"".to_owned(), true),
            ("語x", "\"語 x\"*".to_owned(), false),
            ("x日本", "\"x 日本\"".to_owned(), false),
            ("[", format!("symbols : \"{}\"*", ascii("[")), true),
            ("[[", format!("symbols : \"{}\"", ascii("[[")), true),
            ("![[", format!("symbols : \"{}\"", ascii("![ [[")), true),
            ("→", "symbols : \"→\"*".to_owned(), true),
            (
                "C++",
                format!("\"c\" AND symbols : \"{}\"", ascii("++")),
                false,
            ),
            (
                "NEAR(a OR b",
                format!(
                    "\"near a\" AND symbols : \"{}\"* AND \"or\" AND \"b\"*",
                    ascii("(")
                ),
                false,
            ),
        ] {
            let expression = expression(&Query::parse(query).unwrap());
            assert_eq!(
                (expression.text, expression.is_exact),
                (text, is_exact),
                "{query}"
            );
        }
    }
}
