//! Registered clients, in `front`.

use serde::{Deserialize, Serialize};

use super::{Instance, Transition, count, first, json, record, time};
use crate::{
    oauth::{client::Client, types::ClientId},
    runtime::{Sql, SqlError, SqlValue, Timestamp},
};

/// The most registrations that are kept.
const MAX_CLIENTS: i64 = 5_000;
/// The most new registrations within [`CEILING_WINDOW`], from everybody together: all users of one
/// hosted client register from the same few addresses, so a ceiling for each address would lock
/// them out. Registering what is registered already does not count.
const CEILING: i64 = 120;
/// The length of that window.
const CEILING_WINDOW: std::time::Duration = std::time::Duration::from_mins(1);
/// A registration younger than this makes no room for another one: its login may be under way.
const PROTECTED_AGE: std::time::Duration = std::time::Duration::from_hours(1);

/// Keeps a registration. Registering the same identifier again keeps it for longer.
#[derive(Debug, Serialize, Deserialize)]
pub struct RegisterClient {
    /// The client.
    pub client: Client,
    /// When it is forgotten unless it is used.
    pub expires_at: Timestamp,
}

/// What came of a registration.
#[derive(Debug, Serialize, Deserialize)]
pub enum Registered {
    /// The client is registered, since then.
    Since(Timestamp),
    /// There are too many new registrations at the moment, or altogether.
    Refused {
        /// Seconds after which trying again makes sense.
        retry_after: u64,
    },
}

impl Transition for RegisterClient {
    const NAME: &'static str = "register_client";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = Registered;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Registered, SqlError> {
        let id = SqlValue::from(self.client.id.as_str());
        sql.exec(
            "DELETE FROM clients WHERE id = ? AND expires_at <= ?",
            &[id.clone(), now.into()],
        )?;
        let known = sql.exec(
            "UPDATE clients SET expires_at = max(expires_at, ?) WHERE id = ? RETURNING created_at",
            &[self.expires_at.into(), id.clone()],
        )?;
        if let Some(row) = first(known) {
            return Ok(Registered::Since(time(&row, 0)?));
        }
        let recent = sql.exec(
            "SELECT count(*) FROM clients WHERE created_at > ?",
            &[now.before(CEILING_WINDOW).into()],
        )?;
        if count(recent)? >= CEILING {
            return Ok(Registered::Refused {
                retry_after: CEILING_WINDOW.as_secs(),
            });
        }
        if count(sql.exec("SELECT count(*) FROM clients", &[])?)? >= MAX_CLIENTS {
            let made_room = sql.exec(
                "DELETE FROM clients WHERE id IN (
                    SELECT id FROM clients WHERE used_at IS NULL AND created_at <= ?
                    ORDER BY created_at LIMIT 100) RETURNING id",
                &[now.before(PROTECTED_AGE).into()],
            )?;
            if made_room.is_empty() {
                return Ok(Registered::Refused {
                    retry_after: PROTECTED_AGE.as_secs(),
                });
            }
        }
        sql.exec(
            "INSERT INTO clients (id, record, created_at, used_at, expires_at)
             VALUES (?, ?, ?, NULL, ?)",
            &[
                id,
                json(&self.client)?.into(),
                now.into(),
                self.expires_at.into(),
            ],
        )?;
        Ok(Registered::Since(now))
    }
}

/// Looks a registered client up.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindClient {
    /// Its identifier.
    pub id: ClientId,
}

/// A registered client.
#[derive(Debug, Serialize, Deserialize)]
pub struct FoundClient {
    /// The client.
    pub client: Client,
    /// When tokens were last issued to it.
    pub used_at: Option<Timestamp>,
}

impl Transition for FindClient {
    const NAME: &'static str = "find_client";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = Option<FoundClient>;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Option<FoundClient>, SqlError> {
        let rows = sql.exec(
            "SELECT record, used_at FROM clients WHERE id = ? AND expires_at > ?",
            &[self.id.as_str().into(), now.into()],
        )?;
        let Some(row) = first(rows) else {
            return Ok(None);
        };
        let used_at = match row.0.get(1) {
            Some(SqlValue::Null) => None,
            _ => Some(time(&row, 1)?),
        };
        Ok(Some(FoundClient {
            client: record(&row, 0)?,
            used_at,
        }))
    }
}

/// Notes that tokens were issued to a client, and keeps it for longer.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeepClient {
    /// Its identifier.
    pub id: ClientId,
    /// When it is forgotten unless it is used again.
    pub expires_at: Timestamp,
}

impl Transition for KeepClient {
    const NAME: &'static str = "keep_client";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = ();

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<(), SqlError> {
        sql.exec(
            "UPDATE clients SET used_at = ?, expires_at = max(expires_at, ?) WHERE id = ?",
            &[now.into(), self.expires_at.into(), self.id.as_str().into()],
        )?;
        Ok(())
    }
}
