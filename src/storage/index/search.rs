//! Searching the notes.
//!
//! The full-text index narrows down which notes can hold a query, and says so exactly for queries
//! of words; whatever else there is to a query is looked for in the notes that are left. What is
//! found is what [`text::search`] finds when it looks at every note.

use std::time::Duration;

use super::{
    VaultIndex,
    facts::Stage,
    schema::Fault,
    terms::{Expression, expression},
};
use crate::{
    runtime::SqlValue,
    vault::{
        path::DirPath,
        storage::{CommitId, StorageError},
        text::{self, Document, Hit, Query},
    },
};

/// How often, and after how long each, a search looks whether the index has been built.
const BUILD_LOOKS: u32 = 20;
const BUILD_LOOK: Duration = Duration::from_millis(250);

/// What a title, a path and a text weigh against each other in the order of the hits.
const ORDER: &str = "bm25(search, 8.0, 5.0, 1.0), search.rowid";

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
    /// Searches the notes below `dir` that the policy shows.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading. That GitHub cannot be reached is none: the index answers.
    pub async fn find(
        &self,
        query: &Query,
        dir: &DirPath,
        page: Page,
    ) -> Result<Found, StorageError> {
        self.freshen().await?;
        let question = expression(query);
        let (total, hits) = if question.is_exact {
            self.page_of_exact(query, &question, dir, page)?
        } else {
            self.page_of_looked_at(query, &question, dir, page)?
        };
        let (commit, stage) = self.facts.read(|facts| (facts.head.clone(), facts.stage));
        let (searched, by_path_only) = (self.rows.count()?, self.rows.without_text()?);
        Ok(Found {
            commit,
            stage,
            total,
            hits,
            searched,
            by_path_only,
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
        dir: &DirPath,
        page: Page,
    ) -> Result<(usize, Vec<Hit>), Fault> {
        let (source, mut parameters) = source(question, dir);
        let rows = self
            .sql
            .exec(&format!("SELECT count(*) {source}"), &parameters)?;
        let total = rows.first().map_or(Ok(0), |row| row.integer(0))?;
        let number = |number: usize| SqlValue::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        parameters.extend([number(page.limit), number(page.offset)]);
        let statement = format!("SELECT search.rowid {source} ORDER BY {ORDER} LIMIT ? OFFSET ?");
        let mut hits = Vec::new();
        for row in self.sql.exec(&statement, &parameters)? {
            hits.extend(self.hit(query, row.integer(0)?)?);
        }
        Ok((usize::try_from(total).unwrap_or(0), hits))
    }

    /// The page where the index only knows what may hold the query: all of that is looked at.
    fn page_of_looked_at(
        &self,
        query: &Query,
        question: &Expression,
        dir: &DirPath,
        page: Page,
    ) -> Result<(usize, Vec<Hit>), Fault> {
        let (source, parameters) = source(question, dir);
        let order = if question.text.is_some() {
            ORDER
        } else {
            "notes.path"
        };
        let id = if question.text.is_some() {
            "search.rowid"
        } else {
            "notes.id"
        };
        let statement = format!("SELECT {id} {source} ORDER BY {order}");
        let (mut total, mut hits) = (0, Vec::new());
        for row in self.sql.exec(&statement, &parameters)? {
            if let Some(hit) = self.hit(query, row.integer(0)?)? {
                if page.holds(total) {
                    hits.push(hit);
                }
                total += 1;
            }
        }
        Ok((total, hits))
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
fn source(question: &Expression, dir: &DirPath) -> (String, Vec<SqlValue>) {
    let mut parameters = Vec::new();
    let mut source = String::new();
    match &question.text {
        Some(text) if dir.is_root() => {
            source.push_str("FROM search WHERE search MATCH ?");
            parameters.push(text.as_str().into());
        }
        Some(text) => {
            source
                .push_str("FROM search JOIN notes ON notes.id = search.rowid WHERE search MATCH ?");
            parameters.push(text.as_str().into());
        }
        None => source.push_str("FROM notes WHERE 1"),
    }
    if !dir.is_root() {
        source.push_str(" AND notes.path >= ? AND notes.path < ?");
        let dir = dir.as_str();
        parameters.extend([format!("{dir}/").into(), format!("{dir}0").into()]);
    }
    (source, parameters)
}
