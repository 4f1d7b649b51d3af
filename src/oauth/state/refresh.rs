//! Refresh tokens, in `grants`: one family a grant, each used once, and told apart when not.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    Instance, NewTokens, Transition, access, first, pins, record, time,
    tokens::{insert_access_token, insert_refresh_token},
};
use crate::{
    login::pin::PinnedTo,
    oauth::{
        grant::{Grant, Presented, RefreshStage, RefreshToken},
        settings::RefreshReuse,
        token::GrantId,
        types::{ClientId, Digest, Scope},
    },
    runtime::{Sql, SqlError, SqlRow, SqlValue, Timestamp},
};

/// The most access tokens of one grant at a time. The ones that expire first give way.
const MAX_ACCESS_TOKENS: i64 = 100;
/// The most used refresh tokens of one grant that are remembered. An older one is unknown then: it
/// is refused all the same, and only no longer taken for a sign of theft.
const MAX_USED_REFRESH_TOKENS: i64 = 500;

/// Presents a refresh token.
#[derive(Debug, Serialize, Deserialize)]
pub struct Refresh {
    /// The grant that the token says it belongs to.
    pub id: GrantId,
    /// The digest of the presented token.
    pub token: Digest,
    /// The client that authenticated.
    pub client: ClientId,
    /// A lesser scope for the new access token.
    pub scope: Option<Scope>,
    /// This server's resource.
    pub resource: String,
    /// The successors to issue, if the token gets any.
    pub successors: NewTokens,
    /// Both successors, sealed under a key that only the presented token yields.
    pub sealed: String,
    /// How long a used token gives the same successors again.
    pub grace: Duration,
    /// What reuse leads to.
    pub on_reuse: RefreshReuse,
    /// Grants made before this time are void.
    pub revoke_before: Option<Timestamp>,
}

/// What came of presenting a refresh token.
#[derive(Debug, Serialize, Deserialize)]
pub enum Refreshed {
    /// The successors are issued.
    Rotated {
        /// The grant.
        grant: Grant,
        /// Whom its person's name is pinned to.
        pinned: PinnedTo,
        /// The new access token's scope.
        scope: Scope,
        /// When the new access token expires.
        access_expires_at: Timestamp,
    },
    /// The token was used before; the successors of that time are given again.
    Repeated {
        /// The grant.
        grant: Grant,
        /// Whom its person's name is pinned to.
        pinned: PinnedTo,
        /// The successors, as they were sealed then.
        sealed: String,
        /// Which access token goes with them.
        access: RepeatedAccess,
        /// That access token's scope.
        scope: Scope,
        /// When that access token expires.
        access_expires_at: Timestamp,
    },
    /// The token is in two hands.
    Reused {
        /// The grant.
        grant: Grant,
        /// Whether the grant was revoked for it.
        revoked: bool,
    },
    /// Nothing is issued.
    Refused(RefreshRefusal),
}

/// Which access token goes with repeated successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RepeatedAccess {
    /// The one that was sealed with them.
    Sealed,
    /// The one that this request brought along: the sealed one is dead by now.
    Fresh,
}

/// Why a refresh token is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefreshRefusal {
    /// It is not known (any more): revoked, or of a grant that ended.
    Unknown,
    /// It was not used in time.
    Expired,
    /// It was issued to another client. It stays as it is.
    WrongClient,
    /// It was issued for another resource.
    WrongResource,
}

/// A refresh token's row.
struct Stored {
    grant: Grant,
    token: RefreshToken,
    generation: i64,
    successor: Option<String>,
    successor_access: Option<String>,
}

impl Transition for Refresh {
    const NAME: &'static str = "refresh";
    const INSTANCE: Instance = Instance::Grants;
    type Outcome = Refreshed;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Refreshed, SqlError> {
        let Some(stored) = self.find(sql)? else {
            return Ok(Refreshed::Refused(RefreshRefusal::Unknown));
        };
        if stored.grant.client.id != self.client {
            return Ok(Refreshed::Refused(RefreshRefusal::WrongClient));
        }
        if stored.grant.resource != self.resource {
            return Ok(Refreshed::Refused(RefreshRefusal::WrongResource));
        }
        if stored.grant.is_void(self.revoke_before, now) {
            access::delete_grant(sql, self.id.as_str())?;
            return Ok(Refreshed::Refused(RefreshRefusal::Unknown));
        }
        match (stored.token.present(self.grace, now), &stored.successor) {
            (Presented::Expired, _) => Ok(Refreshed::Refused(RefreshRefusal::Expired)),
            (Presented::Rotates, _) => self.rotate(sql, stored, now),
            (Presented::Repeats, Some(_)) => self.repeat(sql, stored, now),
            // Dropped under a shorter grace than is configured now. No sign of theft.
            (Presented::Repeats, None) => Ok(Refreshed::Refused(RefreshRefusal::Unknown)),
            (Presented::Reused, _) => self.reused(sql, stored),
        }
    }
}

impl Refresh {
    fn find(&self, sql: &dyn Sql) -> Result<Option<Stored>, SqlError> {
        let rows = sql.exec(
            "SELECT g.record, t.generation, t.expires_at, t.rotated_at, t.successor,
                t.successor_access, coalesce(s.used, 1)
             FROM refresh_tokens t
             JOIN grants g ON g.id = t.grant_id
             LEFT JOIN refresh_tokens s
                ON s.grant_id = t.grant_id AND s.generation = t.generation + 1
             WHERE t.digest = ? AND t.grant_id = ?",
            &[self.token.as_str().into(), self.id.as_str().into()],
        )?;
        first(rows).map(|row| Stored::read(&row)).transpose()
    }

    /// The token is used for the first time.
    fn rotate(self, sql: &dyn Sql, stored: Stored, now: Timestamp) -> Result<Refreshed, SqlError> {
        let id = SqlValue::from(self.id.as_str());
        let successor = stored.generation + 1;
        sql.exec(
            "UPDATE refresh_tokens SET used = 1, rotated_at = ?, successor = ?,
                successor_access = ? WHERE digest = ?",
            &[
                now.into(),
                self.sealed.as_str().into(),
                self.successors.access.as_str().into(),
                self.token.as_str().into(),
            ],
        )?;
        self.forget(sql, stored.generation, now)?;

        let scope = self.scope(&stored.grant);
        let access_expires_at = stored
            .grant
            .access_expires_at(self.successors.access_lifetime, now);
        let expires_at = stored
            .grant
            .refresh_expires_at(self.successors.refresh_idle, now);
        insert_refresh_token(sql, &id, &self.successors.refresh, successor, expires_at)?;
        let access = &self.successors.access;
        insert_access_token(sql, &id, access, successor, scope, access_expires_at)?;
        sql.exec(
            "UPDATE grants SET used_at = ?, expires_at = ? WHERE id = ?",
            &[now.into(), expires_at.max(access_expires_at).into(), id],
        )?;
        Ok(Refreshed::Rotated {
            pinned: pins::pinned_to(sql, &stored.grant.identity)?,
            grant: stored.grant,
            scope,
            access_expires_at,
        })
    }

    /// The token was used before, and its successors are given once more.
    fn repeat(self, sql: &dyn Sql, stored: Stored, now: Timestamp) -> Result<Refreshed, SqlError> {
        let sealed = stored.successor.unwrap_or_default();
        let live = sql.exec(
            "SELECT scope, expires_at FROM access_tokens WHERE digest = ? AND expires_at > ?",
            &[
                stored.successor_access.unwrap_or_default().into(),
                now.into(),
            ],
        )?;
        if let Some(row) = first(live) {
            return Ok(Refreshed::Repeated {
                pinned: pins::pinned_to(sql, &stored.grant.identity)?,
                grant: stored.grant,
                sealed,
                access: RepeatedAccess::Sealed,
                scope: access::scope(&row, 0)?,
                access_expires_at: time(&row, 1)?,
            });
        }
        let id = SqlValue::from(self.id.as_str());
        let scope = self.scope(&stored.grant);
        let access_expires_at = stored
            .grant
            .access_expires_at(self.successors.access_lifetime, now);
        self.forget(sql, stored.generation, now)?;
        let access = &self.successors.access;
        insert_access_token(
            sql,
            &id,
            access,
            stored.generation + 1,
            scope,
            access_expires_at,
        )?;
        sql.exec(
            "UPDATE grants SET used_at = ?, expires_at = max(expires_at, ?) WHERE id = ?",
            &[now.into(), access_expires_at.into(), id],
        )?;
        Ok(Refreshed::Repeated {
            pinned: pins::pinned_to(sql, &stored.grant.identity)?,
            grant: stored.grant,
            sealed,
            access: RepeatedAccess::Fresh,
            scope,
            access_expires_at,
        })
    }

    /// The token is in two hands, and nobody can tell which of them is the thief's.
    fn reused(&self, sql: &dyn Sql, stored: Stored) -> Result<Refreshed, SqlError> {
        let revoked = match self.on_reuse {
            RefreshReuse::Revoke => {
                access::delete_grant(sql, self.id.as_str())?;
                true
            }
            RefreshReuse::Reject => false,
        };
        Ok(Refreshed::Reused {
            grant: stored.grant,
            revoked,
        })
    }

    /// The scope of a new access token: what was asked for, never more than the grant.
    fn scope(&self, grant: &Grant) -> Scope {
        self.scope
            .map_or(grant.scope, |asked| asked.min(grant.scope))
    }

    /// Keeps the grant's rows within their limits, and drops sealed successors that no longer can
    /// be asked for: those before `generation`, once their grace is over.
    fn forget(&self, sql: &dyn Sql, generation: i64, now: Timestamp) -> Result<(), SqlError> {
        let id = SqlValue::from(self.id.as_str());
        sql.exec(
            "UPDATE refresh_tokens SET successor = NULL
             WHERE grant_id = ? AND generation < ? AND rotated_at <= ? AND successor IS NOT NULL",
            &[id.clone(), generation.into(), now.before(self.grace).into()],
        )?;
        sql.exec(
            "DELETE FROM refresh_tokens WHERE grant_id = ? AND generation < ?",
            &[id.clone(), (generation - MAX_USED_REFRESH_TOKENS).into()],
        )?;
        sql.exec(
            "DELETE FROM access_tokens WHERE digest IN (
                SELECT digest FROM access_tokens WHERE grant_id = ?
                ORDER BY expires_at DESC LIMIT -1 OFFSET ?)",
            &[id, (MAX_ACCESS_TOKENS - 1).into()],
        )?;
        Ok(())
    }
}

impl Stored {
    fn read(row: &SqlRow) -> Result<Self, SqlError> {
        let rotated_at = match row.0.get(3) {
            Some(SqlValue::Null) => None,
            _ => Some(time(row, 3)?),
        };
        // A successor that is gone was used: only used ones are ever forgotten.
        let successor_used = row.integer(6)? != 0;
        Ok(Self {
            grant: record(row, 0)?,
            generation: row.integer(1)?,
            token: RefreshToken {
                expires_at: time(row, 2)?,
                stage: rotated_at.map_or(RefreshStage::Current, |at| RefreshStage::Rotated {
                    at,
                    successor_used,
                }),
            },
            successor: row.optional_text(4)?.map(str::to_owned),
            successor_access: row.optional_text(5)?.map(str::to_owned),
        })
    }
}
