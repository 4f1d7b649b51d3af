//! Looking through the notes for a pattern.
//!
//! The words of the full-text index are of no help: a pattern may match inside of words. So the
//! engine itself looks in the texts for what every match has to have, as far as that is known, and
//! only the notes that have it are looked at. What is found is what a
//! [`Matcher`](crate::vault::text::Matcher) finds that looks at every note.

use super::{VaultIndex, conditions::Conditions, schema::Fault};
use crate::{
    runtime::SqlValue,
    vault::{
        path::VaultPath,
        storage::{SearchHit, SweepPage, SweepQuery},
        text::{Document, Letter, Literal, Needed, Sweep},
    },
};

/// The most literals that the engine is asked to look for. Each is two parameters of a statement,
/// which takes 100.
const MAX_LITERALS: usize = 30;

impl VaultIndex {
    /// The part of the vault that one call looks through.
    pub(super) fn sweep_rows(&self, query: &SweepQuery<'_>) -> Result<SweepPage<String>, Fault> {
        // 1. The notes to look at: those after the last one, with what every match has to have.
        let meant = Conditions::of(&query.dir, query.filter);
        let mut candidates = meant.clone();
        if let Some(after) = &query.after {
            candidates.add("notes.path > ?", [after.as_str().into()]);
        }
        let needed = query
            .pattern
            .needed()
            .filter(|needed| count(needed) <= MAX_LITERALS);
        if let Some(needed) = needed {
            // Only of texts in NFC the engine sees what the pattern is compared with.
            let (condition, parameters) = either(&needed);
            candidates.add(&format!("(NOT notes.composed OR {condition})"), parameters);
        }
        let statement = format!(
            "SELECT notes.id, notes.path, CASE notes.kind WHEN 0 THEN notes.size ELSE 0 END
             FROM notes WHERE 1{} ORDER BY notes.path",
            candidates.sql()
        );
        // 2. Looking at them, as long as the budget lasts.
        let mut sweep = Sweep::new(query.pattern, query.limit, query.budget)
            .map_err(|error| Fault::of(&error))?;
        let mut end = None;
        for row in self.sql.exec(&statement, candidates.parameters())? {
            let path = row.text(1)?;
            if !sweep.affords(path.len() as u64 + row.integer(2)?.unsigned_abs()) {
                end = Some(path.to_owned());
                break;
            }
            if let Some((path, text)) = self.rows.text(row.integer(0)?)? {
                sweep.look_at(&Document {
                    path: &path,
                    text: &text,
                });
            }
        }
        // 3. What that covers: every note that is meant before the one that was not looked at.
        let all = self.rows.count_of(&meant)?;
        let mut covered = meant;
        let (searched, stopped_at) = match end {
            None => (all, None),
            Some(end) => {
                covered.add("notes.path < ?", [end.into()]);
                (self.rows.count_of(&covered)?, self.rows.last_of(&covered)?)
            }
        };
        covered.add("notes.kind <> 0", []);
        let (hits, found) = sweep.into_found();
        let as_text = |path: VaultPath| Some(path.as_str().to_owned());
        let hits = hits.into_iter().map(SearchHit::from);
        Ok(SweepPage {
            commit: self.head(),
            found,
            hits: hits.filter_map(|hit| hit.with_path(as_text)).collect(),
            searched,
            by_path_only: self.rows.count_of(&covered)?,
            unsearched: all.saturating_sub(searched),
            stopped_at,
        })
    }
}

/// How many literals are needed.
fn count(needed: &Needed) -> usize {
    match needed {
        Needed::Literal(_) => 1,
        Needed::All(parts) | Needed::Any(parts) => parts.iter().map(count).sum(),
    }
}

/// That a note's text or its path has what is needed, as a condition with its parameters.
fn either(needed: &Needed) -> (String, Vec<SqlValue>) {
    let mut parameters = Vec::new();
    let text = has("ifnull(notes.body, '')", needed, &mut parameters);
    let path = has("notes.path", needed, &mut parameters);
    (format!("({text} OR {path})"), parameters)
}

/// That a column has what is needed.
fn has(column: &str, needed: &Needed, parameters: &mut Vec<SqlValue>) -> String {
    let (parts, word) = match needed {
        Needed::Literal(literal) => {
            let Some(text) = literal.as_text() else {
                parameters.push(like(literal).into());
                return format!("{column} LIKE ? ESCAPE '\\'");
            };
            parameters.push(text.into());
            return format!("instr({column}, ?) > 0");
        }
        Needed::All(parts) => (parts, " AND "),
        Needed::Any(parts) => (parts, " OR "),
    };
    let parts: Vec<String> = parts
        .iter()
        .map(|part| has(column, part, parameters))
        .collect();
    format!("({})", parts.join(word))
}

/// A literal as a pattern of the engine's `LIKE`, which is blind to the case of ASCII and takes `_`
/// for any character. It is at most 50 bytes long, which is what Durable Objects take: a literal has
/// no more than 12 characters.
fn like(literal: &Literal) -> String {
    let mut pattern = "%".to_owned();
    for letter in &literal.0 {
        match letter {
            Letter::Exactly(character) | Letter::EitherCase(character) => {
                if matches!(character, '%' | '_' | '\\') {
                    pattern.push('\\');
                }
                pattern.push(*character);
            }
            Letter::Unknown => pattern.push('_'),
        }
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::{MAX_LITERALS, count, either};
    use crate::{runtime::SqlValue, vault::text::Pattern};

    #[test]
    fn the_engine_looks_for_what_every_match_has_in_text_or_path() {
        let needed = Pattern::parse("C\\+{2}((?i)deed|100%_\\dx(?i)a)")
            .unwrap()
            .needed();
        let (condition, parameters) = either(&needed.unwrap());
        let of = |column: &str| {
            let choice = format!("({column} LIKE ? ESCAPE '\\' OR {column} LIKE ? ESCAPE '\\')");
            format!("({choice} AND instr({column}, ?) > 0)")
        };
        let (text, path) = (of("ifnull(notes.body, '')"), of("notes.path"));
        assert_eq!(condition, format!("({text} OR {path})"));
        let literals = ["%deed%", "%100\\%\\__xa%", "C++"].map(SqlValue::from);
        assert_eq!(parameters, [literals.clone(), literals].concat());
    }

    #[test]
    fn choices_of_choices_are_too_many_to_ask_for() {
        let choices: Vec<String> = (0..8)
            .map(|n| format!("({n}a.|{n}b.|{n}c.|{n}d.|{n}e.)"))
            .collect();
        let needed = Pattern::parse(&choices.join("")).unwrap().needed().unwrap();
        assert!(count(&needed) > MAX_LITERALS, "{needed:?}");
    }
}
