//! What the full-text index is given, and what it is asked.
//!
//! Both come from the one analysis of [`crate::vault::text`]. Words go in as they are. A run of a
//! script that is written without spaces goes in as its pairs of neighbouring characters and, last,
//! its last character alone: `日本語` is `日本 本語 語`. Any part of the run is then found exactly, a
//! part of one character as what begins with it, a longer part as its pairs in a row.

use crate::{
    runtime::{Sql, SqlError, SqlValue},
    vault::{
        path::VaultPath,
        text::{Clause, Query, Term, TokenKind, fold, searchable_path, tokens},
        title,
    },
};

/// Puts the words of a note into the index, in place of those that were there. A note whose text
/// is not at hand is found by its path.
pub(super) fn put(
    sql: &dyn Sql,
    id: i64,
    path: &VaultPath,
    text: Option<&str>,
) -> Result<(), SqlError> {
    let text = text.unwrap_or_default();
    let columns: [SqlValue; 4] = [
        id.into(),
        analysed(&title::of_note(path, text)).into(),
        analysed(searchable_path(path)).into(),
        analysed(text).into(),
    ];
    let statement = "INSERT OR REPLACE INTO search(rowid, title, path, body) VALUES (?, ?, ?, ?)";
    sql.exec(statement, &columns)?;
    Ok(())
}

/// A text as the index takes it: terms divided by spaces.
fn analysed(text: &str) -> String {
    let folded = fold(text);
    let mut terms = String::with_capacity(folded.len());
    for token in tokens(&folded) {
        match token.kind {
            TokenKind::Word => push_term(&mut terms, token.text),
            TokenKind::Unspaced => {
                pairs(token.text).for_each(|pair| push_term(&mut terms, pair));
                let last = token
                    .text
                    .char_indices()
                    .next_back()
                    .map_or(0, |(at, _)| at);
                push_term(&mut terms, token.text.get(last..).unwrap_or_default());
            }
        }
    }
    terms
}

fn push_term(terms: &mut String, term: &str) {
    if !terms.is_empty() {
        terms.push(' ');
    }
    terms.push_str(term);
}

/// The pairs of neighbouring characters of a run.
fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let starts = run.char_indices().map(|(at, _)| at);
    let ends = run
        .char_indices()
        .skip(2)
        .map(|(at, _)| at)
        .chain([run.len()]);
    let count = run.chars().count().saturating_sub(1);
    starts
        .zip(ends)
        .take(count)
        .filter_map(|(start, end)| run.get(start..end))
}

/// A question to the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    /// What to match; `None` where every note has to be looked at.
    pub(super) text: Option<String>,
    /// Whether what matches is what is searched for. Otherwise it only may be.
    pub(super) is_exact: bool,
}

/// Turns a query into a question to the index. Nothing in it is the engine's syntax: every term is
/// letters, digits and marks, in double quotes.
pub(super) fn expression(query: &Query) -> Expression {
    let mut parts = Vec::new();
    let mut is_exact = true;
    for clause in query.clauses() {
        is_exact &= expression_of(clause, &mut parts);
    }
    let text = (!parts.is_empty()).then(|| parts.join(" AND "));
    Expression { text, is_exact }
}

/// Adds what a clause asks for to `parts`, and says whether that is all there is to it.
fn expression_of(clause: &Clause, parts: &mut Vec<String>) -> bool {
    let lookup = clause.lookup();
    if lookup.is_exact {
        let (phrases, open): (Vec<_>, Vec<_>) = lookup.terms.iter().map(phrase).unzip();
        let star = if open.last() == Some(&true) { "*" } else { "" };
        parts.push(format!("\"{}\"{star}", phrases.join(" ")));
    } else {
        parts.extend(lookup.terms.iter().map(|term| {
            let (phrase, is_open) = phrase(term);
            format!("\"{phrase}\"{}", if is_open { "*" } else { "" })
        }));
    }
    lookup.is_exact
}

/// The terms of the index that stand for a term, and whether the last of them may go on.
fn phrase(term: &Term) -> (String, bool) {
    match term {
        Term::Word(word) => (word.clone(), false),
        Term::Prefix(word) => (word.clone(), true),
        Term::Part(run) => {
            let pairs: Vec<_> = pairs(run).collect();
            if pairs.is_empty() {
                (run.clone(), true)
            } else {
                (pairs.join(" "), false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(query: &str) -> (Option<String>, bool) {
        let Expression { text, is_exact } = expression(&Query::parse(query).unwrap());
        (text, is_exact)
    }

    #[test]
    fn runs_go_in_as_pairs_and_a_last_character() {
        assert_eq!(
            analysed("The Café, 日本語 x語"),
            "the cafe 日本 本語 語 x 語"
        );
        assert_eq!(analysed("  -- \n"), "");
    }

    #[test]
    fn queries_become_quoted_terms() {
        for (query, text, is_exact) in [
            ("engine oil", Some("\"engine\" AND \"oil\"*"), true),
            ("\"engine oil\"", Some("\"engine oil\""), true),
            ("日", Some("\"日\"*"), true),
            ("日本", Some("\"日本\""), true),
            ("日本語", Some("\"日本 本語\""), true),
            ("[[", None, false),
            ("C++", Some("\"c\""), false),
            (
                "NEAR(a OR b",
                Some("\"near\" AND \"a\" AND \"or\" AND \"b\"*"),
                false,
            ),
        ] {
            assert_eq!(asks(query), (text.map(str::to_owned), is_exact), "{query}");
        }
    }
}
