//! Searching the notes.
//!
//! The full-text index says which notes hold a query, but for phrases with symbols and for notes with
//! very many of them: there it narrows down which notes have to be looked at. What is found is what
//! [`text::search`] finds when it looks at every note.

use std::time::Duration;

use super::{
    VaultIndex,
    conditions::Conditions,
    facts::Stage,
    rows::number,
    schema::Fault,
    terms::{Certainty, DENSE, Expression, expression},
};
use crate::{
    runtime::SqlValue,
    vault::{
        filter::NoteFilter,
        path::DirPath,
        storage::{CommitId, StorageError},
        text::{self, Document, Hit, Query},
    },
};

/// How often, and after how long each, a search looks whether the index has been built.
const BUILD_LOOKS: u32 = 20;
const BUILD_LOOK: Duration = Duration::from_millis(250);

/// What title, aliases, headings, path, text and compounds weigh against each other in the order of
/// the hits. The words of compounds stand in the other columns too.
const ORDER: &str = "bm25(search, 10.0, 8.0, 4.0, 5.0, 1.0, 0.1), search.rowid";

/// A page of what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The commit that was searched; while the index is being built, the one that it held last.
    pub commit: Option<CommitId>,
    /// How far the index is. Until it is ready, notes may be missing.
    pub stage: Stage,
    /// How many notes hold the query.
    pub total: usize,
    /// Those of them that were asked for, the best first.
    pub hits: Vec<Hit>,
    /// How many notes were searched.
    pub searched: u64,
    /// How many notes were searched by their path only, because their text is too large or is no
    /// text.
    pub by_path_only: u64,
}

/// Which of the hits to give out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many of the best to leave out.
    pub offset: usize,
    /// How many to give out at the most.
    pub limit: usize,
}

impl Page {
    fn holds(self, position: usize) -> bool {
        (self.offset..self.offset.saturating_add(self.limit)).contains(&position)
    }
}

impl VaultIndex {
    /// Searches the notes below `dir` that the policy shows and `filter` admits.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading. That GitHub cannot be reached is none: the index answers.
    pub async fn find(
        &self,
        query: &Query,
        dir: &DirPath,
        filter: &NoteFilter,
        page: Page,
    ) -> Result<Found, StorageError> {
        self.freshen().await?;
        let question = expression(query);
        let doubtful = self.doubtful(question.certainty)?;
        let (total, hits) = match doubtful {
            None => self.page_of_exact(query, &question, (dir, filter), page)?,
            Some(doubtful) => {
                self.page_of_doubtful(query, &question, &doubtful, (dir, filter), page)?
            }
        };
        let (commit, stage) = self.facts.read(|facts| (facts.head.clone(), facts.stage));
        let searched = Conditions::of(dir, filter);
        let mut by_path_only = searched.clone();
        by_path_only.add("notes.kind <> 0", []);
        Ok(Found {
            commit,
            stage,
            total,
            hits,
            searched: self.rows.count_of(&searched)?,
            by_path_only: self.rows.count_of(&by_path_only)?,
        })
    }

    /// Waits a little for a build to end. Most vaults are built in less time than it takes to say
    /// that they are not.
    ///
    /// # Errors
    /// Any [`StorageError`] of looking at the branch.
    pub(super) async fn settle(&self) -> Result<(), StorageError> {
        for _ in 0..BUILD_LOOKS {
            if self.freshen().await? {
                break;
            }
            self.sleep.sleep(BUILD_LOOK).await;
        }
        Ok(())
    }

    /// The page where the index knows what holds the query: only the notes on it are looked at.
    fn page_of_exact(
        &self,
        query: &Query,
        question: &Expression,
        (dir, filter): (&DirPath, &NoteFilter),
        page: Page,
    ) -> Result<(usize, Vec<Hit>), Fault> {
        let (source, mut parameters) = source(question, dir, filter);
        let rows = self
            .sql
            .exec(&format!("SELECT count(*) {source}"), &parameters)?;
        let total = rows.first().map_or(Ok(0), |row| row.integer(0))?;
        parameters.extend([number(page.limit), number(page.offset)]);
        let statement = format!("SELECT search.rowid {source} ORDER BY {ORDER} LIMIT ? OFFSET ?");
        let mut hits = Vec::new();
        for row in self.sql.exec(&statement, &parameters)? {
            hits.extend(self.hit(query, row.integer(0)?)?);
        }
        Ok((usize::try_from(total).unwrap_or(0), hits))
    }

    /// Which notes may match without holding the query, as a condition on rows of `search`; `None`
    /// where no note does.
    fn doubtful(&self, certainty: Certainty) -> Result<Option<String>, Fault> {
        let dense = format!("SELECT rowid FROM search WHERE search MATCH '{DENSE}'");
        match certainty {
            Certainty::Exact => Ok(None),
            Certainty::ExceptDense => {
                let some = self.sql.exec(&format!("{dense} LIMIT 1"), &[])?;
                Ok((!some.is_empty()).then(|| format!("search.rowid IN ({dense})")))
            }
            Certainty::Narrowing => Ok(Some("1".to_owned())),
        }
    }

    /// The page where the index does not know of every note whether it holds the query: those that
    /// are `doubtful` are looked at.
    fn page_of_doubtful(
        &self,
        query: &Query,
        question: &Expression,
        doubtful: &str,
        (dir, filter): (&DirPath, &NoteFilter),
        page: Page,
    ) -> Result<(usize, Vec<Hit>), Fault> {
        let (source, parameters) = source(question, dir, filter);
        let statement = format!("SELECT search.rowid, {doubtful} {source} ORDER BY {ORDER}");
        let (mut total, mut hits) = (0, Vec::new());
        for row in self.sql.exec(&statement, &parameters)? {
            let (id, is_doubtful) = (row.integer(0)?, row.integer(1)? != 0);
            let is_found = if page.holds(total) {
                // Looking for the place tells as much as asking whether there is one.
                let hit = self.hit(query, id)?;
                let is_found = !is_doubtful || hit.is_some();
                hits.extend(hit);
                is_found
            } else {
                !is_doubtful || self.holds(query, id)?
            };
            total += usize::from(is_found);
        }
        Ok((total, hits))
    }

    /// Whether one note holds the query.
    fn holds(&self, query: &Query, id: i64) -> Result<bool, Fault> {
        let note = self.rows.text(id)?;
        Ok(note.is_some_and(|(path, text)| {
            let document = Document {
                path: &path,
                text: &text,
            };
            text::holds(query, &document)
        }))
    }

    /// The hit in one note, if it holds the query.
    fn hit(&self, query: &Query, id: i64) -> Result<Option<Hit>, Fault> {
        let Some((path, text)) = self.rows.text(id)? else {
            return Ok(None);
        };
        let document = Document {
            path: &path,
            text: &text,
        };
        Ok(text::search(query, [document]).pop())
    }
}

/// The `FROM` and `WHERE` of a question, with their parameters.
fn source(question: &Expression, dir: &DirPath, filter: &NoteFilter) -> (String, Vec<SqlValue>) {
    let mut source = "FROM search".to_owned();
    let mut parameters = vec![question.text.as_str().into()];
    let conditions = Conditions::of(dir, filter);
    if conditions.is_empty() {
        source.push_str(" WHERE search MATCH ?");
    } else {
        source.push_str(" JOIN notes ON notes.id = search.rowid WHERE search MATCH ?");
        source.push_str(conditions.sql());
        parameters.extend(conditions.into_parameters());
    }
    (source, parameters)
}
