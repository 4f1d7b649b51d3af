//! What is searched for.

use super::{
    class::{Class, class},
    fold::fold,
    token::{TokenKind, runs},
};

/// The longest query, in characters.
pub const MAX_QUERY_CHARACTERS: usize = 1_000;
/// The most pieces and phrases that a query has.
pub const MAX_CLAUSES: usize = 32;

/// A query: clauses that must all be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    text: String,
    clauses: Vec<Clause>,
}

/// A piece, or a phrase of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Folded, none of them empty, without white space; at least one.
    pieces: Vec<String>,
    /// Whether the last piece may end inside a word.
    is_prefix: bool,
}

/// A text that is no query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// There is nothing to search for.
    #[error("is empty: give a word or a part of the text to search for")]
    Empty,
    /// It is longer than [`MAX_QUERY_CHARACTERS`].
    #[error("has {characters} characters, more than {MAX_QUERY_CHARACTERS}")]
    TooLong {
        /// Its length.
        characters: usize,
    },
    /// It has more pieces than [`MAX_CLAUSES`].
    #[error("has {clauses} words and phrases, more than {MAX_CLAUSES}")]
    TooMany {
        /// How many it has.
        clauses: usize,
    },
}

/// Something that the index of an engine can look up: a token that a note must have so that a piece
/// can be found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What it is made of.
    pub kind: TokenKind,
    /// Its characters.
    pub text: String,
    /// Whether the token may go on after them. A run may begin before them where the term is the
    /// first of its piece; a word may not.
    pub is_open: bool,
}

/// How an engine finds a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The terms of each piece, in order. In a text that holds the piece they follow each other with
    /// nothing between them.
    pub pieces: Vec<Vec<Term>>,
    /// Whether that is all there is to the clause: the terms of one piece, or the words of several
    /// as neighbours. Otherwise it only narrows down where [`Clause::find`] has to look.
    pub is_exact: bool,
}

impl Lookup {
    /// The words and unspaced runs of the clause, in stretches. In a text that holds the clause,
    /// those of a stretch follow each other with nothing between them but symbols and white space.
    #[must_use]
    pub fn neighbours(&self) -> Vec<Vec<&Term>> {
        let terms = self.pieces.iter().flatten();
        let words: Vec<&Term> = terms
            .filter(|term| term.kind != TokenKind::Symbols)
            .collect();
        // A part of a run does not say how far the run goes on before what follows.
        let may_go_on = |term: &Term| term.kind == TokenKind::Unspaced && term.is_open;
        words
            .chunk_by(|term, _| !may_go_on(term))
            .map(<[&Term]>::to_vec)
            .collect()
    }
}

impl Query {
    /// Reads a query.
    ///
    /// A double quote at the start of a piece opens a phrase if another one closes it; any other is
    /// a character like the rest.
    ///
    /// # Errors
    /// [`QueryError`].
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let characters = text.chars().count();
        if characters > MAX_QUERY_CHARACTERS {
            return Err(QueryError::TooLong { characters });
        }
        let folded = fold(text);
        let mut clauses: Vec<Clause> = Vec::new();
        let mut rest = folded.trim_start();
        while !rest.is_empty() {
            let (clause, after) = next_clause(rest);
            rest = after.trim_start();
            let clause = Clause {
                is_prefix: clause.is_prefix && rest.is_empty(),
                ..clause
            };
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
        match clauses.len() {
            0 => Err(QueryError::Empty),
            count if count > MAX_CLAUSES => Err(QueryError::TooMany { clauses: count }),
            _ => Ok(Self {
                text: text.to_owned(),
                clauses,
            }),
        }
    }

    /// The query as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What must be found; at least one clause.
    #[must_use]
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }
}

/// The clause at the start of a text, and what follows it.
fn next_clause(text: &str) -> (Clause, &str) {
    if let Some((inside, after)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        let pieces: Vec<String> = inside.split_whitespace().map(str::to_owned).collect();
        if !pieces.is_empty() {
            return (
                Clause {
                    pieces,
                    is_prefix: false,
                },
                after,
            );
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (piece, after) = text.split_at(end);
    (
        Clause {
            pieces: vec![piece.to_owned()],
            is_prefix: true,
        },
        after,
    )
}

impl Clause {
    /// Where the clause is first found in a folded text from `from` on, as a range of bytes.
    #[must_use]
    pub fn find(&self, folded: &str, from: usize) -> Option<(usize, usize)> {
        let (first, others) = self.pieces.split_first()?;
        let mut at = from;
        loop {
            let start = at + folded.get(at..)?.find(first.as_str())?;
            if let Some(end) = self.end_of_phrase(folded, start, first, others) {
                return Some((start, end));
            }
            at = start + folded.get(start..)?.chars().next()?.len_utf8();
        }
    }

    /// Where the phrase ends, if its first piece, which stands at `start`, and the others follow.
    fn end_of_phrase(
        &self,
        folded: &str,
        start: usize,
        first: &str,
        others: &[String],
    ) -> Option<usize> {
        let mut end = self.end_of_piece(folded, start, first, others.is_empty())?;
        for (index, piece) in others.iter().enumerate() {
            let is_last = index + 1 == others.len();
            end = gap(folded, end)
                .find_map(|start| self.end_of_piece(folded, start, piece, is_last))?;
        }
        Some(end)
    }

    /// Where a piece ends, if it stands at `start` and no word is cut.
    fn end_of_piece(
        &self,
        folded: &str,
        start: usize,
        piece: &str,
        is_last: bool,
    ) -> Option<usize> {
        folded.get(start..)?.strip_prefix(piece)?;
        let end = start + piece.len();
        let may_go_on = is_last && self.is_prefix;
        (!is_inside_word(folded, start) && (may_go_on || !is_inside_word(folded, end)))
            .then_some(end)
    }

    /// How an engine finds the clause.
    #[must_use]
    pub fn lookup(&self) -> Lookup {
        let last = self.pieces.len() - 1;
        let pieces: Vec<Vec<Term>> = self
            .pieces
            .iter()
            .enumerate()
            .map(|(index, piece)| terms_of_piece(piece, self.is_prefix && index == last))
            .collect();
        // Between the pieces of a phrase there may be symbols and white space, or nothing. Words
        // stay neighbours then; what else a piece is made of does not say enough.
        let is_word =
            |terms: &Vec<Term>| matches!(terms.as_slice(), [term] if term.kind == TokenKind::Word);
        Lookup {
            is_exact: last == 0 || pieces.iter().all(is_word),
            pieces,
        }
    }
}

/// The terms of a piece. Where it is `open`, its last word may go on.
fn terms_of_piece(piece: &str, open: bool) -> Vec<Term> {
    runs(piece)
        .map(|run| Term {
            kind: run.kind,
            text: run.text.to_owned(),
            is_open: run.end() == piece.len() && (open || run.kind != TokenKind::Word),
        })
        .collect()
}

/// Every place from `from` on where the next piece of a phrase may start: as far as there are only
/// symbols and white space.
fn gap(folded: &str, from: usize) -> impl Iterator<Item = usize> {
    let rest = folded.get(from..).unwrap_or_default();
    let length = rest
        .find(|c| class(c) != Class::Other)
        .unwrap_or(rest.len());
    let ends = rest
        .char_indices()
        .map(|(offset, _)| offset)
        .chain([rest.len()]);
    ends.take_while(move |offset| *offset <= length)
        .map(move |offset| from + offset)
}

/// Whether a word goes on across an offset.
fn is_inside_word(folded: &str, offset: usize) -> bool {
    let (Some(before), Some(after)) = (folded.get(..offset), folded.get(offset..)) else {
        return false;
    };
    let is_word = |character: Option<char>| character.is_some_and(|c| class(c) == Class::Word);
    is_word(before.chars().next_back()) && is_word(after.chars().next())
}

#[cfg(test)]
mod tests;
