//! How fast changes may follow each other.
//!
//! GitHub allows 80 requests that make content a minute and 500 an hour, and wants a second between
//! two of them (GitHub's documentation of "Rate limits for the REST API" and "Best practices for
//! using the REST API"). Staying below is cheaper than being told: a secondary limit locks the
//! token's user out of everything else too.

use std::time::Duration;

use super::schema::{self, Fault};
use crate::runtime::{Sql, SqlValue, Timestamp};

/// How many changes may follow each other at once; after them, one a second.
const BURST: u64 = 5;

/// In each window, at most so many changes.
const WINDOWS: [(Duration, i64); 2] =
    [(Duration::from_mins(1), 60), (Duration::from_hours(1), 450)];

/// Where the second is kept from which on a change does not draw on the burst: the "theoretical
/// arrival time" of the generic cell rate algorithm (ITU-T I.371).
const ARRIVAL: &str = "next_write";

/// How long the next change has to wait; `None` where it may be made at once.
pub(super) fn wait(sql: &dyn Sql, now: Timestamp) -> Result<Option<Duration>, Fault> {
    let now = now.unix_seconds();
    let mut free = arrival(sql)?.saturating_sub(BURST - 1);
    for (window, most) in WINDOWS {
        let since = Timestamp::from_unix_seconds(now).before(window);
        let parameters: [SqlValue; 2] = [since.into(), (most - 1).into()];
        let rows = sql.exec(
            "SELECT at FROM writes WHERE at > ? ORDER BY at DESC LIMIT 1 OFFSET ?",
            &parameters,
        )?;
        if let Some(row) = rows.first() {
            free = free.max(row.integer(0)?.unsigned_abs() + window.as_secs());
        }
    }
    Ok((free > now).then(|| Duration::from_secs(free - now)))
}

/// Takes in that a change is being made.
pub(super) fn count(sql: &dyn Sql, now: Timestamp) -> Result<(), Fault> {
    let arrival = arrival(sql)?.max(now.unix_seconds()) + 1;
    schema::set_meta(sql, ARRIVAL, &arrival.to_string())?;
    sql.exec("INSERT INTO writes(at) VALUES (?)", &[now.into()])?;
    sql.exec(
        "DELETE FROM writes WHERE at <= ?",
        &[now.before(Duration::from_hours(1)).into()],
    )?;
    Ok(())
}

fn arrival(sql: &dyn Sql) -> Result<u64, Fault> {
    let kept = schema::meta(sql, ARRIVAL)?;
    Ok(kept.and_then(|text| text.parse().ok()).unwrap_or(0))
}
