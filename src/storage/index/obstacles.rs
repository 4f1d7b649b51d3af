//! What stands in the way of new notes without being one.
//!
//! GitHub would put a note in the place of an attachment, a link or a submodule, and a folder too,
//! if a note's path asked for that. To be asked about each new folder would cost a request for every
//! note that opens one. So the index remembers what could be mistaken for a folder. It holds nothing
//! but notes: of everything else it keeps a digest, which tells that GitHub has to be asked after all.

use std::collections::BTreeSet;

use super::schema::Fault;
use crate::{
    runtime::{Sql, SqlValue},
    storage::github::Tree,
    vault::storage::{Revision, Sieve},
};

/// How many hexadecimal digits of a SHA-1 are kept: whole numbers are exact up to 2^53.
const DIGITS: usize = 12;

/// Makes what is remembered that of `tree`: all that is neither a folder nor a note with a row, where
/// the policy would show notes below a folder of that name.
pub(super) fn keep(sql: &dyn Sql, tree: &Tree, sieve: &dyn Sieve) -> Result<(), Fault> {
    let has_row = |path: &str| tree.file(path).is_some() && sieve.admit(path).is_some();
    let is_folder_to_be = |path: &str| sieve.admit(&format!("{path}/note.md")).is_some();
    let there: BTreeSet<i64> = tree
        .leaves()
        .filter(|path| !has_row(path) && is_folder_to_be(path))
        .map(digest)
        .collect();
    let mut kept = BTreeSet::new();
    for row in sql.exec("SELECT digest FROM obstacles", &[])? {
        kept.insert(row.integer(0)?);
    }
    for digest in kept.difference(&there) {
        sql.exec(
            "DELETE FROM obstacles WHERE digest = ?",
            &[(*digest).into()],
        )?;
    }
    for digest in there.difference(&kept) {
        sql.exec("INSERT INTO obstacles VALUES (?)", &[(*digest).into()])?;
    }
    Ok(())
}

/// Remembers nothing.
pub(super) fn clear(sql: &dyn Sql) -> Result<(), Fault> {
    sql.exec("DELETE FROM obstacles", &[])?;
    Ok(())
}

/// Whether something that is no folder may stand at `path`.
pub(super) fn may_be_at(sql: &dyn Sql, path: &str) -> Result<bool, Fault> {
    let statement = "SELECT 1 FROM obstacles WHERE digest = ?
                     UNION ALL SELECT 1 FROM notes WHERE path = ?";
    let parameters: [SqlValue; 2] = [digest(path).into(), path.into()];
    let rows = sql.exec(statement, &parameters)?;
    Ok(!rows.is_empty())
}

fn digest(path: &str) -> i64 {
    let hash = Revision::of(path.as_bytes());
    let digits = hash.as_str().get(..DIGITS).unwrap_or_default();
    // Twelve hexadecimal digits always are a number.
    i64::from_str_radix(digits, 16).unwrap_or_default()
}
