//! Clients' documents as they were last fetched, in `front`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Instance, Transition, count, first, json, record, time};
use crate::{
    oauth::{client::Client, types::ClientId},
    runtime::{Sql, SqlError, Timestamp},
};

/// The most documents that are kept; the ones that were fetched longest ago give way.
const MAX_DOCUMENTS: i64 = 500;
/// The most documents that are fetched within [`CEILING_WINDOW`]. Everybody can have one fetched,
/// and this server is not to be a hammer in somebody's hand.
const CEILING: i64 = 60;
/// The length of that window.
const CEILING_WINDOW: Duration = Duration::from_mins(1);

/// Asks for a client's document, and for leave to fetch it where it is not fresh.
#[derive(Debug, Serialize, Deserialize)]
pub struct ConsultDocument {
    /// The client.
    pub id: ClientId,
}

/// What is known of a document.
#[derive(Debug, Serialize, Deserialize)]
pub enum Consulted {
    /// It is fresh.
    Fresh(Client),
    /// It has to be fetched; this was the last good one.
    Fetch(Option<LastGood>),
    /// It has to be fetched, but too many are at the moment.
    Busy(Option<LastGood>),
}

/// The last good document of a client.
#[derive(Debug, Serialize, Deserialize)]
pub struct LastGood {
    /// The client as it described it.
    pub client: Client,
    /// When it can no longer stand in for one that cannot be fetched.
    pub stale_at: Timestamp,
}

impl Transition for ConsultDocument {
    const NAME: &'static str = "consult_document";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = Consulted;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Consulted, SqlError> {
        let rows = sql.exec(
            "SELECT record, fresh_until, expires_at FROM documents
             WHERE id = ? AND expires_at > ?",
            &[self.id.as_str().into(), now.into()],
        )?;
        let last = match first(rows) {
            None => None,
            Some(row) if now < time(&row, 1)? => return Ok(Consulted::Fresh(record(&row, 0)?)),
            Some(row) => Some(LastGood {
                client: record(&row, 0)?,
                stale_at: time(&row, 2)?,
            }),
        };
        sql.exec(
            "DELETE FROM document_fetches WHERE begun_at <= ?",
            &[now.before(CEILING_WINDOW).into()],
        )?;
        if count(sql.exec("SELECT count(*) FROM document_fetches", &[])?)? >= CEILING {
            return Ok(Consulted::Busy(last));
        }
        sql.exec(
            "INSERT INTO document_fetches (begun_at) VALUES (?)",
            &[now.into()],
        )?;
        Ok(Consulted::Fetch(last))
    }
}

/// Keeps a client's document.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeepDocument {
    /// The client as the document describes it.
    pub client: Client,
    /// Until when it counts without being fetched again.
    pub fresh_until: Timestamp,
    /// Until when it can stand in for one that cannot be fetched.
    pub stale_at: Timestamp,
}

impl Transition for KeepDocument {
    const NAME: &'static str = "keep_document";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = ();

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<(), SqlError> {
        sql.exec(
            "INSERT INTO documents (id, record, kept_at, fresh_until, expires_at)
             VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET record = excluded.record, kept_at = excluded.kept_at,
                fresh_until = excluded.fresh_until, expires_at = excluded.expires_at",
            &[
                self.client.id.as_str().into(),
                json(&self.client)?.into(),
                now.into(),
                self.fresh_until.into(),
                self.stale_at.max(self.fresh_until).into(),
            ],
        )?;
        sql.exec(
            "DELETE FROM documents WHERE id IN (
                SELECT id FROM documents ORDER BY kept_at DESC LIMIT -1 OFFSET ?)",
            &[MAX_DOCUMENTS.into()],
        )?;
        Ok(())
    }
}
