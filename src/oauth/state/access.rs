//! Access tokens, and the end of tokens and grants, in `grants`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CallMeter, Instance, Transition, first, pins, record, time};
use crate::{
    login::{Identity, pin::PinnedTo},
    oauth::{
        grant::Grant,
        token::{GrantId, TokenKind},
        types::{ClientId, Digest, Scope},
    },
    runtime::{Sql, SqlError, SqlRow, SqlValue, Timestamp},
};

/// How exactly it is known when a grant was last used: noting every use would be a write a request.
const USE_INTERVAL: Duration = Duration::from_mins(5);

/// Looks an access token up.
#[derive(Debug, Serialize, Deserialize)]
pub struct CheckAccess {
    /// The grant that the token says it belongs to.
    pub grant: GrantId,
    /// The token's digest.
    pub token: Digest,
    /// This server's resource.
    pub resource: String,
    /// Grants made before this time are void.
    pub revoke_before: Option<Timestamp>,
    /// Whether this is one of the grant's calls, of which there must not be too many.
    pub counts: bool,
}

/// A live access token's grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveGrant {
    /// The grant.
    pub grant_id: GrantId,
    /// The token's digest.
    pub token: Digest,
    /// Who gave it, as the login provider vouched for them.
    pub identity: Identity,
    /// Whom their name is pinned to by now.
    pub pinned: PinnedTo,
    /// What the access token allows.
    pub scope: Scope,
    /// The most that a token of the grant allows.
    pub grant_scope: Scope,
    /// The client that it was given to.
    pub client_id: ClientId,
    /// What that client calls itself.
    pub client_name: String,
    /// When the person logged in.
    pub created_at: Timestamp,
    /// When the access token expires.
    pub expires_at: Timestamp,
    /// Where the grant has made too many calls: how long until it may make another one.
    pub retry_after: Option<Duration>,
}

impl Transition for CheckAccess {
    const NAME: &'static str = "check_access";
    const INSTANCE: Instance = Instance::Grants;
    type Outcome = Option<ActiveGrant>;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Option<ActiveGrant>, SqlError> {
        let rows = sql.exec(
            "SELECT g.record, t.scope, t.expires_at, t.used, t.generation, g.used_at
             FROM access_tokens t JOIN grants g ON g.id = t.grant_id
             WHERE t.digest = ? AND t.grant_id = ? AND t.expires_at > ?",
            &[
                self.token.as_str().into(),
                self.grant.as_str().into(),
                now.into(),
            ],
        )?;
        let Some(row) = first(rows) else {
            return Ok(None);
        };
        let grant: Grant = record(&row, 0)?;
        if grant.resource != self.resource || grant.is_void(self.revoke_before, now) {
            return Ok(None);
        }
        if row.integer(3)? == 0 {
            self.note_first_use(sql, row.integer(4)?)?;
        }
        if time(&row, 5)?.after(USE_INTERVAL) <= now {
            sql.exec(
                "UPDATE grants SET used_at = ? WHERE id = ?",
                &[now.into(), self.grant.as_str().into()],
            )?;
        }
        Ok(Some(ActiveGrant {
            grant_id: self.grant,
            token: self.token,
            retry_after: None,
            scope: scope(&row, 1)?.min(grant.scope),
            grant_scope: grant.scope,
            expires_at: time(&row, 2)?,
            pinned: pins::pinned_to(sql, &grant.identity)?,
            identity: grant.identity,
            client_id: grant.client.id,
            client_name: grant.client.name,
            created_at: grant.created_at,
        }))
    }

    /// Counts the call, where it is one and its token is good.
    fn apply_metered(
        self,
        sql: &dyn Sql,
        meter: &CallMeter,
        now: Timestamp,
    ) -> Result<Option<ActiveGrant>, SqlError> {
        let counts = self.counts;
        let mut active = self.apply(sql, now)?;
        if let Some(grant) = active.as_mut().filter(|_| counts) {
            grant.retry_after = meter.count(&grant.grant_id, now);
        }
        Ok(active)
    }
}

impl CheckAccess {
    /// Whoever presents an access token has received the answer that it came in, and so the
    /// refresh token of the same generation.
    fn note_first_use(&self, sql: &dyn Sql, generation: i64) -> Result<(), SqlError> {
        sql.exec(
            "UPDATE access_tokens SET used = 1 WHERE digest = ?",
            &[self.token.as_str().into()],
        )?;
        sql.exec(
            "UPDATE refresh_tokens SET used = 1 WHERE grant_id = ? AND generation = ?",
            &[self.grant.as_str().into(), generation.into()],
        )?;
        Ok(())
    }
}

/// Revokes a token at its client's request (RFC 7009).
#[derive(Debug, Serialize, Deserialize)]
pub struct RevokeToken {
    /// The grant that the token says it belongs to.
    pub grant: GrantId,
    /// The token's digest.
    pub token: Digest,
    /// What it is.
    pub kind: RevocableKind,
    /// The client that authenticated.
    pub client: ClientId,
}

/// The kinds of tokens that can be revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RevocableKind {
    /// An access token: it alone dies.
    Access,
    /// A refresh token, used or not: its whole grant dies.
    Refresh,
}

impl RevocableKind {
    /// The kind of an issued token; a code cannot be revoked.
    #[must_use]
    pub const fn of(kind: TokenKind) -> Option<Self> {
        match kind {
            TokenKind::Access => Some(Self::Access),
            TokenKind::Refresh => Some(Self::Refresh),
            TokenKind::Code => None,
        }
    }
}

/// What came of revoking a token. The client is told none of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Revoked {
    /// The access token is dead.
    Token,
    /// The grant is dead, with all its tokens.
    Grant,
    /// It belongs to another client and stays as it is.
    Foreign,
    /// It was not known (any more).
    Unknown,
}

impl Transition for RevokeToken {
    const NAME: &'static str = "revoke_token";
    const INSTANCE: Instance = Instance::Grants;
    type Outcome = Revoked;

    fn apply(self, sql: &dyn Sql, _now: Timestamp) -> Result<Revoked, SqlError> {
        let find = match self.kind {
            RevocableKind::Access => {
                "SELECT g.client FROM access_tokens t JOIN grants g ON g.id = t.grant_id
                 WHERE t.digest = ? AND t.grant_id = ?"
            }
            RevocableKind::Refresh => {
                "SELECT g.client FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id
                 WHERE t.digest = ? AND t.grant_id = ?"
            }
        };
        let digest = SqlValue::from(self.token.as_str());
        let rows = sql.exec(find, &[digest.clone(), self.grant.as_str().into()])?;
        let Some(row) = first(rows) else {
            return Ok(Revoked::Unknown);
        };
        if row.text(0)? != self.client.as_str() {
            return Ok(Revoked::Foreign);
        }
        match self.kind {
            RevocableKind::Access => {
                sql.exec("DELETE FROM access_tokens WHERE digest = ?", &[digest])?;
                Ok(Revoked::Token)
            }
            RevocableKind::Refresh => {
                delete_grant(sql, self.grant.as_str())?;
                Ok(Revoked::Grant)
            }
        }
    }
}

/// Ends a grant: its person may not enter any more.
#[derive(Debug, Serialize, Deserialize)]
pub struct RevokeGrant {
    /// The grant.
    pub grant: GrantId,
}

impl Transition for RevokeGrant {
    const NAME: &'static str = "revoke_grant";
    const INSTANCE: Instance = Instance::Grants;
    type Outcome = ();

    fn apply(self, sql: &dyn Sql, _now: Timestamp) -> Result<(), SqlError> {
        delete_grant(sql, self.grant.as_str())
    }
}

/// Deletes a grant with its code and all its tokens; the tokens first.
pub(super) fn delete_grant(sql: &dyn Sql, grant: &str) -> Result<(), SqlError> {
    for statement in [
        "DELETE FROM access_tokens WHERE grant_id = ?",
        "DELETE FROM refresh_tokens WHERE grant_id = ?",
        "DELETE FROM codes WHERE grant_id = ?",
        "DELETE FROM grants WHERE id = ?",
    ] {
        sql.exec(statement, &[grant.into()])?;
    }
    Ok(())
}

/// The scope in `column`, kept as it stands in an answer.
pub(super) fn scope(row: &SqlRow, column: usize) -> Result<Scope, SqlError> {
    Scope::requested(row.text(column)?)
        .ok_or_else(|| SqlError(format!("column {column} holds no scope")))
}
