//! The tables of the index.

use crate::{
    runtime::{Sql, SqlError, SqlValue},
    vault::storage::StorageError,
};

/// The layout below. A database of another one is emptied: everything in it can be had again.
const VERSION: &str = "9";

/// The statements that make the layout.
///
/// `notes` holds one row for every note that the policy shows, and nothing else. A note's text
/// stands last, so that reading the columns before it does not touch its pages. `name` is what links
/// to it have in common; `level` is how many
/// folders are above it; `modified` when it was changed last, in seconds since the Unix epoch, where
/// that is known; `composed` whether path and text are in NFC. The few notes whose text no row holds have an index of their own: every search
/// counts them.
///
/// `tags`, `properties` and `links` hold what the notes say of themselves, in the forms in which it
/// is compared.
///
/// `search` is the full-text index of those rows by their `id`. What goes into it has been analysed
/// before and is words divided by spaces; the tokenizer `ascii` takes every other character as it
/// is, whereas `unicode61` knows only the Unicode of its own day. It keeps no copy of the texts.
///
/// A row that goes takes all of that along.
///
/// `obstacles` holds digests of the paths of other files and of their folders. `writes` holds when
/// changes were made.
const LAYOUT: [&str; 17] = [
    "CREATE TABLE notes(
       id INTEGER PRIMARY KEY,
       path TEXT NOT NULL UNIQUE,
       fold TEXT NOT NULL,
       name TEXT NOT NULL,
       dir TEXT NOT NULL,
       level INTEGER NOT NULL,
       sha TEXT NOT NULL,
       size INTEGER NOT NULL,
       kind INTEGER NOT NULL,
       title TEXT NOT NULL,
       modified INTEGER,
       composed INTEGER NOT NULL,
       body TEXT
     )",
    "CREATE INDEX notes_fold ON notes(fold)",
    "CREATE INDEX notes_name ON notes(name)",
    "CREATE INDEX notes_dir ON notes(dir)",
    "CREATE INDEX notes_modified ON notes(modified)",
    "CREATE INDEX notes_without_text ON notes(kind) WHERE kind <> 0",
    "CREATE TABLE tags(
       tag TEXT NOT NULL, note INTEGER NOT NULL, shown TEXT NOT NULL,
       PRIMARY KEY(tag, note)
     ) WITHOUT ROWID",
    "CREATE INDEX tags_note ON tags(note)",
    "CREATE TABLE properties(
       key TEXT NOT NULL, value TEXT NOT NULL, note INTEGER NOT NULL,
       PRIMARY KEY(key, value, note)
     ) WITHOUT ROWID",
    "CREATE INDEX properties_note ON properties(note)",
    "CREATE TABLE links(
       name TEXT NOT NULL, note INTEGER NOT NULL, target TEXT NOT NULL, line INTEGER NOT NULL,
       PRIMARY KEY(name, note, target)
     ) WITHOUT ROWID",
    "CREATE INDEX links_note ON links(note)",
    "CREATE VIRTUAL TABLE search USING fts5(
       title, aliases, headings, path, body, compounds,
       content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '2 3'
     )",
    "CREATE TRIGGER notes_gone AFTER DELETE ON notes BEGIN
       DELETE FROM search WHERE rowid = old.id;
       DELETE FROM tags WHERE note = old.id;
       DELETE FROM properties WHERE note = old.id;
       DELETE FROM links WHERE note = old.id;
     END",
    "CREATE TABLE obstacles(digest INTEGER PRIMARY KEY)",
    "CREATE TABLE writes(id INTEGER PRIMARY KEY, at INTEGER NOT NULL)",
    "CREATE INDEX writes_at ON writes(at)",
];

/// The tables of every layout there has been, in an order in which they can be dropped.
const TABLES: [&str; 7] = [
    "notes",
    "tags",
    "properties",
    "links",
    "search",
    "obstacles",
    "writes",
];

/// The database failed, or holds what this code does not write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("index: {0}")]
pub(super) struct Fault(String);

impl Fault {
    /// A fault that says what `error` says.
    pub(super) fn of(error: &dyn std::error::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Self {
        Self(error.to_string())
    }
}

impl From<Fault> for StorageError {
    fn from(fault: Fault) -> Self {
        Self::Unexpected(fault.to_string())
    }
}

/// Makes the layout where it is missing or of another version.
pub(super) fn prepare(sql: &dyn Sql) -> Result<(), Fault> {
    sql.exec(
        "CREATE TABLE IF NOT EXISTS meta(k TEXT PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID",
        &[],
    )?;
    if meta(sql, "schema")?.as_deref() == Some(VERSION) {
        return Ok(());
    }
    for table in TABLES {
        sql.exec(&format!("DROP TABLE IF EXISTS {table}"), &[])?;
    }
    sql.exec("DELETE FROM meta", &[])?;
    for statement in LAYOUT {
        sql.exec(statement, &[])?;
    }
    set_meta(sql, "schema", VERSION)
}

/// A value of the table `meta`.
pub(super) fn meta(sql: &dyn Sql, key: &str) -> Result<Option<String>, Fault> {
    let rows = sql.exec("SELECT v FROM meta WHERE k = ?", &[key.into()])?;
    Ok(rows
        .first()
        .map(|row| row.text(0))
        .transpose()?
        .map(str::to_owned))
}

/// Keeps a value in the table `meta`.
pub(super) fn set_meta(sql: &dyn Sql, key: &str, value: &str) -> Result<(), Fault> {
    let parameters: [SqlValue; 2] = [key.into(), value.into()];
    sql.exec(
        "INSERT OR REPLACE INTO meta(k, v) VALUES (?, ?)",
        &parameters,
    )?;
    Ok(())
}
