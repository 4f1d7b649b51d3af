//! Forgetting what has expired.
//!
//! Nothing depends on it: every transition looks at the time itself. It keeps the databases small.

use std::time::Duration;

use super::{Instance, access, first};
use crate::runtime::{Sql, SqlError, SqlValue, Timestamp};

/// The least time between two rounds: each wakes an object up.
const INTERVAL: Duration = Duration::from_mins(10);

/// Deletes what has expired at `now`, and answers when to come again; `None` where nothing is left
/// that expires.
///
/// The object calls it from its alarm and sets the next alarm to the answer. An object that has no
/// alarm set calls it after a transition.
///
/// # Errors
/// [`SqlError`] when the database fails; calling again is safe.
pub fn expire(
    instance: Instance,
    sql: &dyn Sql,
    now: Timestamp,
) -> Result<Option<Timestamp>, SqlError> {
    let next = sweep(instance, sql, now)?;
    Ok(next.map(|time| time.max(now.after(INTERVAL))))
}

fn sweep(instance: Instance, sql: &dyn Sql, now: Timestamp) -> Result<Option<Timestamp>, SqlError> {
    let now = SqlValue::from(now);
    match instance {
        Instance::Front => {
            for statement in [
                "DELETE FROM clients WHERE expires_at <= ?",
                "DELETE FROM documents WHERE expires_at <= ?",
                "DELETE FROM consents WHERE expires_at <= ?",
                "DELETE FROM logins WHERE expires_at <= ?",
                "DELETE FROM session_logins WHERE expires_at <= ?",
            ] {
                sql.exec(statement, std::slice::from_ref(&now))?;
            }
            next(
                sql,
                "SELECT min(t) FROM (SELECT min(expires_at) AS t FROM clients
                 UNION ALL SELECT min(expires_at) FROM documents
                 UNION ALL SELECT min(expires_at) FROM consents
                 UNION ALL SELECT min(expires_at) FROM logins
                 UNION ALL SELECT min(expires_at) FROM session_logins)",
            )
        }
        Instance::Grants => {
            let ended = sql.exec(
                "SELECT id FROM grants WHERE expires_at <= ?",
                std::slice::from_ref(&now),
            )?;
            for row in &ended {
                access::delete_grant(sql, row.text(0)?)?;
            }
            for statement in [
                "DELETE FROM access_tokens WHERE expires_at <= ?",
                "DELETE FROM refresh_tokens WHERE expires_at <= ?",
                "DELETE FROM sessions WHERE expires_at <= ?",
                "DELETE FROM withdrawals WHERE expires_at <= ?",
            ] {
                sql.exec(statement, std::slice::from_ref(&now))?;
            }
            next(
                sql,
                "SELECT min(t) FROM (SELECT min(expires_at) AS t FROM grants
                 UNION ALL SELECT min(expires_at) FROM access_tokens
                 UNION ALL SELECT min(expires_at) FROM refresh_tokens
                 UNION ALL SELECT min(expires_at) FROM sessions
                 UNION ALL SELECT min(expires_at) FROM withdrawals)",
            )
        }
    }
}

fn next(sql: &dyn Sql, statement: &str) -> Result<Option<Timestamp>, SqlError> {
    let Some(row) = first(sql.exec(statement, &[])?) else {
        return Ok(None);
    };
    match row.0.first() {
        Some(SqlValue::Null) => Ok(None),
        _ => super::time(&row, 0).map(Some),
    }
}
