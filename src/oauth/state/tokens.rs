//! Writing tokens down, in `grants`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    oauth::types::{Digest, Scope},
    runtime::{Sql, SqlError, SqlValue, Timestamp},
};

/// Tokens that exist in the Worker's memory only, until a transition writes their digests down.
#[derive(Debug, Serialize, Deserialize)]
pub struct NewTokens {
    /// The digest of the access token.
    pub access: Digest,
    /// The digest of the refresh token.
    pub refresh: Digest,
    /// How long the access token lives.
    pub access_lifetime: Duration,
    /// How long the refresh token lives unless it is used.
    pub refresh_idle: Duration,
}

/// Writes a refresh token down as the newest of its grant.
pub(super) fn insert_refresh_token(
    sql: &dyn Sql,
    grant: &SqlValue,
    token: &Digest,
    generation: i64,
    expires_at: Timestamp,
) -> Result<(), SqlError> {
    sql.exec(
        "INSERT INTO refresh_tokens (digest, grant_id, generation, used, rotated_at, successor,
            successor_access, expires_at) VALUES (?, ?, ?, 0, NULL, NULL, NULL, ?)",
        &[
            token.as_str().into(),
            grant.clone(),
            generation.into(),
            expires_at.into(),
        ],
    )
    .map(drop)
}

/// Writes an access token down.
pub(super) fn insert_access_token(
    sql: &dyn Sql,
    grant: &SqlValue,
    token: &Digest,
    generation: i64,
    scope: Scope,
    expires_at: Timestamp,
) -> Result<(), SqlError> {
    sql.exec(
        "INSERT INTO access_tokens (digest, grant_id, generation, scope, used, expires_at)
         VALUES (?, ?, ?, ?, 0, ?)",
        &[
            token.as_str().into(),
            grant.clone(),
            generation.into(),
            scope.as_str().into(),
            expires_at.into(),
        ],
    )
    .map(drop)
}
