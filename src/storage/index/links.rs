//! Where links lead, out of the rows.

use std::collections::BTreeSet;

use serde_json::json;

use super::{VaultIndex, schema::Fault};
use crate::vault::{
    links::Targets,
    markdown::name_of,
    storage::{Backlink, LinkQuery, Links, NoteLinks},
};

/// The notes of some names, of which links to them have no more.
const NOTES_NAMED: &str = "SELECT path FROM notes WHERE name IN (SELECT value FROM json_each(?))";

/// The links that name a note by one name, with the notes that they are in.
const LINKS_NAMED: &str = "SELECT notes.path, notes.title, links.target, links.line
     FROM links JOIN notes ON notes.id = links.note
     WHERE links.name = ? ORDER BY notes.path, links.line";

/// Every statement here, for whoever wants to see how the database goes about it.
pub const STATEMENTS: [&str; 2] = [NOTES_NAMED, LINKS_NAMED];

impl VaultIndex {
    /// The answer to `query`.
    pub(super) fn links_of_rows(&self, query: &LinkQuery<'_>) -> Result<Links<String>, Fault> {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for note in query.notes {
            names.insert(name_of(note.path.as_str()));
            names.extend(note.targets.iter().map(|target| name_of(target)));
        }
        let rows = self
            .sql
            .exec(NOTES_NAMED, &[json!(names).to_string().into()])?;
        let paths = rows.iter().map(|row| Ok(row.text(0)?));
        let targets = Targets::of(paths.collect::<Result<Vec<_>, Fault>>()?);
        let notes = query.notes.iter().map(|note| {
            let from = note.path.as_str();
            let resolved = note.targets.iter().map(|target| {
                let found = targets.resolve(from, target);
                found.map(str::to_owned)
            });
            let mut links = NoteLinks {
                resolved: resolved.collect(),
                backlinks_total: 0,
                backlinks: Vec::new(),
            };
            if query.backlinks > 0 {
                self.add_backlinks(from, &targets, query.backlinks, &mut links)?;
            }
            Ok(links)
        });
        Ok(Links {
            notes: notes.collect::<Result<_, Fault>>()?,
            commit: self.head(),
        })
    }

    /// Adds the first `most` notes that link to the one at `to`, and how many there are.
    fn add_backlinks(
        &self,
        to: &str,
        targets: &Targets<'_>,
        most: usize,
        links: &mut NoteLinks<String>,
    ) -> Result<(), Fault> {
        let mut last = String::new();
        for row in self.sql.exec(LINKS_NAMED, &[name_of(to).into()])? {
            let from = row.text(0)?;
            // A note stands once, by its first link.
            if from == to || from == last || targets.resolve(from, row.text(2)?) != Some(to) {
                continue;
            }
            from.clone_into(&mut last);
            links.backlinks_total += 1;
            if links.backlinks.len() < most {
                links.backlinks.push(Backlink {
                    path: from.to_owned(),
                    title: row.text(1)?.to_owned(),
                    line: usize::try_from(row.integer(3)?).unwrap_or(1),
                });
            }
        }
        Ok(())
    }
}
