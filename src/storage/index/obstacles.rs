//! What stands in the way of new notes without being one.
//!
//! GitHub would put a note in the place of an attachment, a link or a submodule, and a folder too,
//! if a note's path asked for that; and beside a folder of attachments, another spelling of it. To be
//! asked about each new folder would cost a request for every note that opens one. So the index
//! remembers what could be mistaken for a folder of notes, or for a twin of one. It holds nothing but
//! notes: of everything else it keeps digests, which tell that GitHub has to be asked after all. They
//! are digests of
//!
//! - `path`, where something that is no folder stands;
//! - `path/`, where a folder holds something that is no note;
//! - `fold//`, whatever stands there, for what its path folds to.

use std::collections::BTreeSet;

use super::schema::Fault;
use crate::{
    runtime::{Sql, SqlValue},
    storage::github::{Tree, above},
    vault::{
        path::fold,
        room,
        storage::{Revision, Sieve},
    },
};

/// How many hexadecimal digits of a SHA-1 are kept: whole numbers are exact up to 2^53.
const DIGITS: usize = 12;

/// Makes what is remembered that of `tree`: all that is neither a folder nor a note with a row, and the
/// folders that hold it, where the policy would show notes below.
pub(super) fn keep(sql: &dyn Sql, tree: &Tree, sieve: &dyn Sieve) -> Result<(), Fault> {
    let has_row = |path: &str| tree.file(path).is_some() && sieve.admit(path).is_some();
    let others: BTreeSet<_> = tree.leaves().filter(|path| !has_row(path)).collect();
    let folders: BTreeSet<_> = others.iter().flat_map(|path| above(path)).collect();
    let leaves = others.into_iter().map(|path| (path, digest(path)));
    let folders = folders
        .into_iter()
        .map(|path| (path, digest(&format!("{path}/"))));
    let there: BTreeSet<i64> = leaves
        .chain(folders)
        .filter(|(path, _)| room::shows_below(sieve, path))
        .flat_map(|(path, itself)| [itself, fold_digest(&fold(path))])
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

/// Whether a folder that holds something else than notes stands at `path`.
pub(super) fn has_folder(sql: &dyn Sql, path: &str) -> Result<bool, Fault> {
    is_kept(sql, digest(&format!("{path}/")))
}

/// Whether something that is no note, or holds something else, may stand at a path with this fold.
pub(super) fn may_have_fold(sql: &dyn Sql, fold: &str) -> Result<bool, Fault> {
    is_kept(sql, fold_digest(fold))
}

fn is_kept(sql: &dyn Sql, digest: i64) -> Result<bool, Fault> {
    let statement = "SELECT 1 FROM obstacles WHERE digest = ?";
    Ok(!sql.exec(statement, &[digest.into()])?.is_empty())
}

fn fold_digest(fold: &str) -> i64 {
    digest(&format!("{fold}//"))
}

fn digest(path: &str) -> i64 {
    let hash = Revision::of(path.as_bytes());
    let digits = hash.as_str().get(..DIGITS).unwrap_or_default();
    // Twelve hexadecimal digits always are a number.
    i64::from_str_radix(digits, 16).unwrap_or_default()
}
