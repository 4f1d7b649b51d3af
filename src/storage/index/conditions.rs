//! Conditions on notes as SQL.

use super::rows::number;
use crate::{
    runtime::SqlValue,
    vault::{filter::NoteFilter, path::DirPath},
};

/// Conditions on rows of `notes`, each with ` AND ` before it, and their parameters.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    sql: String,
    parameters: Vec<SqlValue>,
}

impl Conditions {
    /// What a note below `dir` that `filter` admits has to meet.
    pub(super) fn of(dir: &DirPath, filter: &NoteFilter) -> Self {
        let mut conditions = Self::of_metadata(dir, filter);
        if let Some(since) = filter.modified_since() {
            conditions.add("notes.modified >= ?", [since.into()]);
        }
        conditions
    }

    /// The same, whenever the note was changed.
    pub(super) fn of_metadata(dir: &DirPath, filter: &NoteFilter) -> Self {
        let mut conditions = Self::default();
        if !dir.is_root() {
            let [from, to] = range_below(dir.as_str());
            conditions.add("notes.path >= ? AND notes.path < ?", [from, to]);
        }
        if let Some(tag) = filter.tag() {
            let [from, to] = range_below(tag);
            conditions.add(
                "notes.id IN (SELECT note FROM tags WHERE tag = ? OR (tag >= ? AND tag < ?))",
                [tag.into(), from, to],
            );
        }
        for (key, value) in filter.properties() {
            conditions.add(
                "notes.id IN (SELECT note FROM properties WHERE key = ? AND value = ?)",
                [key.as_str().into(), value.as_str().into()],
            );
        }
        conditions
    }

    /// Only notes down to a level, where there is one.
    pub(super) fn stop_at(&mut self, level: Option<usize>) {
        if let Some(level) = level {
            self.add("notes.level <= ?", [number(level)]);
        }
    }

    /// Adds a condition.
    pub(super) fn add(&mut self, condition: &str, parameters: impl IntoIterator<Item = SqlValue>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.parameters.extend(parameters);
    }

    /// Whether every note meets them.
    pub(super) const fn is_empty(&self) -> bool {
        self.sql.is_empty()
    }

    /// The conditions, to stand after another one.
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    /// Their parameters, in order.
    pub(super) fn parameters(&self) -> &[SqlValue] {
        &self.parameters
    }

    /// Their parameters, in order, for good.
    pub(super) fn into_parameters(self) -> Vec<SqlValue> {
        self.parameters
    }
}

/// From where to where everything sorts that begins with `prefix/`: `0` is the character after `/`.
fn range_below(prefix: &str) -> [SqlValue; 2] {
    [format!("{prefix}/").into(), format!("{prefix}0").into()]
}
