//! How fast changes may follow each other.
//!
//! GitHub allows 80 requests that make content a minute and 500 an hour, and wants a second between
//! two of them (GitHub's documentation of "Rate limits for the REST API" and "Best practices for
//! using the REST API"). Staying below is cheaper than being told: a secondary limit locks the
//! token's user out of everything else too.

use std::{cell::Cell, time::Duration};

use async_trait::async_trait;

use super::schema::{self, Fault};
use crate::{
    runtime::{Clock, Sleep, Sql, SqlValue, Timestamp},
    storage::github,
    vault::{
        permit::{Permit, PermitCheck},
        storage::StorageError,
    },
};

/// How fast changes may follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// How many may follow each other at once; after them, one a second.
    pub burst: u32,
    /// How many there may be in any minute.
    pub per_minute: u32,
    /// How many there may be in any hour.
    pub per_hour: u32,
}

impl Pacing {
    /// What GitHub bears, with something left for whoever else writes with the same account.
    pub const GITHUB: Self = Self {
        burst: 5,
        per_minute: 60,
        per_hour: 450,
    };
}

/// The longest that a change waits for its time.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where the second is kept from which on a change does not draw on the burst: the "theoretical
/// arrival time" of the generic cell rate algorithm (ITU-T I.371).
const ARRIVAL: &str = "next_write";

/// The requests of one change, each in its time and as long as the change is permitted.
pub(super) struct Pace<'a> {
    pacing: Pacing,
    sql: &'a dyn Sql,
    clock: &'a dyn Clock,
    sleep: &'a dyn Sleep,
    permit: (&'a dyn PermitCheck, &'a Permit),
    refused: Cell<bool>,
}

impl<'a> Pace<'a> {
    pub(super) fn new(
        pacing: Pacing,
        sql: &'a dyn Sql,
        clock: &'a dyn Clock,
        sleep: &'a dyn Sleep,
        permit: (&'a dyn PermitCheck, &'a Permit),
    ) -> Self {
        Self {
            pacing,
            sql,
            clock,
            sleep,
            permit,
            refused: Cell::new(false),
        }
    }

    /// Whether a request was refused here: then it is not GitHub that asks to wait.
    pub(super) fn has_refused(&self) -> bool {
        self.refused.get()
    }

    /// Whoever asked for the change may have lost the right to it while it waited.
    async fn check_permit(&self) -> Result<(), StorageError> {
        let (check, permit) = self.permit;
        let error = match check.is_valid(permit).await {
            Ok(true) => return Ok(()),
            Ok(false) => StorageError::Withdrawn,
            Err(_) => StorageError::Unavailable {
                outcome_unknown: false,
            },
        };
        self.refused.set(true);
        Err(error)
    }

    /// How long the next request has to wait; `None` where it may be sent at once.
    fn wait(&self) -> Result<Option<Duration>, Fault> {
        let now = self.clock.now().unix_seconds();
        let burst = u64::from(self.pacing.burst);
        let mut free = self.arrival()?.saturating_sub(burst.saturating_sub(1));
        for (window, most) in [
            (Duration::from_mins(1), self.pacing.per_minute),
            (Duration::from_hours(1), self.pacing.per_hour),
        ] {
            let since = Timestamp::from_unix_seconds(now).before(window);
            let before_it: [SqlValue; 2] = [since.into(), i64::from(most.saturating_sub(1)).into()];
            let rows = self.sql.exec(
                "SELECT at FROM writes WHERE at > ? ORDER BY at DESC LIMIT 1 OFFSET ?",
                &before_it,
            )?;
            if let Some(row) = rows.first() {
                free = free.max(row.integer(0)?.unsigned_abs() + window.as_secs());
            }
        }
        Ok((free > now).then(|| Duration::from_secs(free - now)))
    }

    /// Takes in that a request is being sent.
    fn count(&self) -> Result<(), Fault> {
        let now = self.clock.now();
        let arrival = self.arrival()?.max(now.unix_seconds()) + 1;
        schema::set_meta(self.sql, ARRIVAL, &arrival.to_string())?;
        self.sql
            .exec("INSERT INTO writes(at) VALUES (?)", &[now.into()])?;
        self.sql.exec(
            "DELETE FROM writes WHERE at <= ?",
            &[now.before(Duration::from_hours(1)).into()],
        )?;
        Ok(())
    }

    fn arrival(&self) -> Result<u64, Fault> {
        let kept = schema::meta(self.sql, ARRIVAL)?;
        Ok(kept.and_then(|text| text.parse().ok()).unwrap_or(0))
    }
}

#[async_trait(?Send)]
impl github::Pace for Pace<'_> {
    async fn admit(&self) -> Result<(), StorageError> {
        while let Some(left) = self.wait()? {
            if left > PATIENCE {
                self.refused.set(true);
                return Err(StorageError::RateLimited { retry_after: left });
            }
            self.sleep.sleep(left).await;
        }
        self.check_permit().await?;
        Ok(self.count()?)
    }
}
