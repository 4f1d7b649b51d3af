//! Consents that were taken back, in `grants`.
//!
//! A browser may remember that its person agreed to a client. Whoever ends a grant means that the
//! client is to ask again, also in the browsers that are not at hand.

use std::time::Duration;

use super::first;
use crate::runtime::{Sql, SqlError, Timestamp};

/// How long a browser remembers a consent, and so how long it matters that one was taken back.
pub const CONSENT_MEMORY: Duration = Duration::from_hours(30 * 24);

/// Takes back all that `person` agreed to until now.
pub(super) fn withdraw(sql: &dyn Sql, person: &str, now: Timestamp) -> Result<(), SqlError> {
    sql.exec(
        "INSERT INTO withdrawals (person, at, expires_at) VALUES (?, ?, ?)
         ON CONFLICT (person) DO UPDATE SET at = excluded.at, expires_at = excluded.expires_at",
        &[person.into(), now.into(), now.after(CONSENT_MEMORY).into()],
    )?;
    Ok(())
}

/// Whether what `person` agreed to at `given_at` was taken back since.
pub(super) fn is_withdrawn(
    sql: &dyn Sql,
    person: &str,
    given_at: Timestamp,
) -> Result<bool, SqlError> {
    let rows = sql.exec(
        "SELECT 1 FROM withdrawals WHERE person = ? AND at >= ?",
        &[person.into(), given_at.into()],
    )?;
    Ok(first(rows).is_some())
}
