//! The tables. Every digest is SHA-256 in base64url; every time is in seconds since the epoch.

use super::Instance;
use crate::runtime::{Sql, SqlError};

/// The tables of `front`.
///
/// - `clients`: one registered client a row. `record` is [`Client`](crate::oauth::client::Client)
///   as JSON; `used_at` is when tokens were last issued to it; at `expires_at` it is forgotten.
/// - `documents`: clients by their own documents; `record` as above. Fresh until `fresh_until`, and
///   until `expires_at` a stand-in for one that cannot be fetched.
/// - `document_fetches`: when documents were fetched within the last minute.
/// - `consents`: the digests of consent handles that were answered, until the handle expires.
/// - `logins`: clients' logins under way, by the digest of `state`. `binding` is the digest of the browser's
///   cookie; `sealed` holds the authorization request, the nonce and the verifier, under a key that
///   this database does not have.
/// - `session_logins`: the digests of the `state` of logins for a session that came back, until the
///   login would be over anyway.
const FRONT: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS clients (
        id TEXT PRIMARY KEY, record TEXT NOT NULL, created_at INTEGER NOT NULL,
        used_at INTEGER, expires_at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS clients_by_age ON clients (created_at)",
    "CREATE INDEX IF NOT EXISTS clients_by_expiry ON clients (expires_at)",
    "CREATE TABLE IF NOT EXISTS documents (
        id TEXT PRIMARY KEY, record TEXT NOT NULL, kept_at INTEGER NOT NULL,
        fresh_until INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS document_fetches (begun_at INTEGER NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS consents (
        handle TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS consents_by_expiry ON consents (expires_at)",
    "CREATE TABLE IF NOT EXISTS logins (
        state TEXT PRIMARY KEY, binding TEXT NOT NULL, sealed TEXT NOT NULL,
        expires_at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS logins_by_expiry ON logins (expires_at)",
    "CREATE TABLE IF NOT EXISTS session_logins (
        state TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS session_logins_by_expiry ON session_logins (expires_at)",
];

/// The tables of `grants`.
///
/// - `grants`: `record` is [`Grant`](crate::oauth::grant::Grant) as JSON; `person`, `client`,
///   `redirect_uri` and `resource` repeat what grants are found by. At `expires_at` nothing that
///   belongs to the grant can be used any more.
/// - `codes`: the one code of a grant, kept as long as the grant so that a replay is noticed.
/// - `refresh_tokens`: the whole family of a grant, `generation` after generation. A used one has
///   `rotated_at`, its `successor` sealed under a key that only the token itself yields, and the
///   digest of the access token issued along with it. `used` says whether it, or an access token
///   of the same generation, was ever presented.
/// - `access_tokens`: with the scope of each.
/// - `pins`: the subject that a name belonged to when it first logged in.
/// - `sessions`: people who are signed in to look after their grants, by the digest of the name in
///   their cookie.
/// - `withdrawals`: when a person last took back what they had agreed to.
const GRANTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS grants (
        id TEXT PRIMARY KEY, record TEXT NOT NULL, person TEXT NOT NULL, client TEXT NOT NULL,
        redirect_uri TEXT NOT NULL, resource TEXT NOT NULL, created_at INTEGER NOT NULL,
        used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS grants_by_person ON grants (person, client)",
    "CREATE INDEX IF NOT EXISTS grants_by_expiry ON grants (expires_at)",
    "CREATE TABLE IF NOT EXISTS codes (
        grant_id TEXT PRIMARY KEY, digest TEXT NOT NULL, challenge TEXT NOT NULL,
        failures INTEGER NOT NULL, redeemed_at INTEGER, expires_at INTEGER NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS refresh_tokens (
        digest TEXT PRIMARY KEY, grant_id TEXT NOT NULL, generation INTEGER NOT NULL,
        used INTEGER NOT NULL, rotated_at INTEGER, successor TEXT, successor_access TEXT,
        expires_at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS refresh_tokens_by_grant ON refresh_tokens (grant_id, generation)",
    "CREATE INDEX IF NOT EXISTS refresh_tokens_by_expiry ON refresh_tokens (expires_at)",
    "CREATE TABLE IF NOT EXISTS access_tokens (
        digest TEXT PRIMARY KEY, grant_id TEXT NOT NULL, generation INTEGER NOT NULL,
        scope TEXT NOT NULL, used INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS access_tokens_by_grant ON access_tokens (grant_id, generation)",
    "CREATE INDEX IF NOT EXISTS access_tokens_by_expiry ON access_tokens (expires_at)",
    "CREATE TABLE IF NOT EXISTS pins (
        name TEXT PRIMARY KEY, subject TEXT NOT NULL, pinned_at INTEGER NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS sessions (
        id TEXT PRIMARY KEY, person TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT",
    "CREATE INDEX IF NOT EXISTS sessions_by_person ON sessions (person, expires_at)",
    "CREATE TABLE IF NOT EXISTS withdrawals (
        person TEXT PRIMARY KEY, at INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT",
];

/// Makes the tables of `instance` where they are missing. Cheap; to be called whenever the object
/// starts, before any transition.
///
/// # Errors
/// [`SqlError`] when the database fails.
pub fn prepare(instance: Instance, sql: &dyn Sql) -> Result<(), SqlError> {
    let statements = match instance {
        Instance::Front => FRONT,
        Instance::Grants => GRANTS,
    };
    statements
        .iter()
        .try_for_each(|statement| sql.exec(statement, &[]).map(drop))
}
