//! Pins, in `grants`: whom a name belonged to when it first logged in.

use serde::{Deserialize, Serialize};

use super::first;
use crate::{
    login::{Identity, pin::PinnedTo},
    oauth::types::Scope,
    runtime::{Sql, SqlError, Timestamp},
};

/// A name of the allowlist, to be tied to the person who logs in with it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pin {
    /// The most that the person may be granted if the name turns out to mean somebody else; `None`
    /// where nothing but the name would admit them.
    pub otherwise: Option<Scope>,
}

/// Ties the name of `identity` to the person, unless it is tied already, and says to whom it is.
pub(super) fn pin(
    sql: &dyn Sql,
    identity: &Identity,
    now: Timestamp,
) -> Result<PinnedTo, SqlError> {
    sql.exec(
        "INSERT INTO pins (name, subject, pinned_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        &[
            identity.pinned_name().into(),
            identity.subject.as_str().into(),
            now.into(),
        ],
    )?;
    pinned_to(sql, identity)
}

/// Whom the name of `identity` is pinned to.
pub(super) fn pinned_to(sql: &dyn Sql, identity: &Identity) -> Result<PinnedTo, SqlError> {
    let rows = sql.exec(
        "SELECT subject FROM pins WHERE name = ?",
        &[identity.pinned_name().into()],
    )?;
    let row = first(rows);
    let pinned = row.as_ref().map(|row| row.text(0)).transpose()?;
    Ok(PinnedTo::of(pinned, &identity.subject))
}
