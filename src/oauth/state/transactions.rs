//! Consents that were answered, and logins under way or back, in `front`.

use serde::{Deserialize, Serialize};

use super::{Instance, Transition, first};
use crate::{
    oauth::types::Digest,
    runtime::{Sql, SqlError, Timestamp},
};

// Row numbers rise with every row that is inserted, so the caps below cost no counting: all but the
// last so many are deleted.

/// The most answered consents that are remembered, and the most logins for a session that came
/// back. Whoever pushes the oldest one out has gained that it works again, in the same browser, for
/// the rest of its ten minutes.
const MAX_SPENT: i64 = 20_000;
/// The most logins under way. The oldest gives way: refusing the newest instead would let anybody
/// close the door for everybody with a few requests a second.
const MAX_LOGINS: i64 = 5_000;

/// Answers a consent, once. Where the answer was yes, the login that follows from it is written
/// down in the same step.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpendConsent {
    /// The digest of the form's handle.
    pub handle: Digest,
    /// When the handle expires.
    pub expires_at: Timestamp,
    /// The login that begins.
    pub login: Option<NewLogin>,
}

/// A login that begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewLogin {
    /// The digest of `state`.
    pub state: Digest,
    /// The digest of the value in the browser's cookie.
    pub binding: Digest,
    /// What the callback needs, sealed.
    pub sealed: String,
    /// When the login has to be over.
    pub expires_at: Timestamp,
}

/// What came of using something that can be used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spent {
    /// It is spent now.
    Now,
    /// It was spent before; nothing happened.
    Before,
}

/// Takes in that what `digest` is of was used. `table` holds such digests, each until what it is of
/// would expire anyway.
fn spend(
    table: &'static str,
    digest: &Digest,
    expires_at: Timestamp,
    (sql, now): (&dyn Sql, Timestamp),
) -> Result<Spent, SqlError> {
    let expired = format!("DELETE FROM {table} WHERE expires_at <= ?");
    sql.exec(&expired, &[now.into()])?;
    let insert =
        format!("INSERT INTO {table} VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING expires_at");
    let inserted = sql.exec(&insert, &[digest.as_str().into(), expires_at.into()])?;
    if inserted.is_empty() {
        return Ok(Spent::Before);
    }
    let oldest = format!("DELETE FROM {table} WHERE rowid <= (SELECT max(rowid) FROM {table}) - ?");
    sql.exec(&oldest, &[MAX_SPENT.into()])?;
    Ok(Spent::Now)
}

impl Transition for SpendConsent {
    const NAME: &'static str = "spend_consent";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = Spent;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Spent, SqlError> {
        let spent = spend("consents", &self.handle, self.expires_at, (sql, now))?;
        if let (Spent::Now, Some(login)) = (spent, self.login) {
            login.insert(sql, now)?;
        }
        Ok(spent)
    }
}

impl NewLogin {
    fn insert(self, sql: &dyn Sql, now: Timestamp) -> Result<(), SqlError> {
        sql.exec("DELETE FROM logins WHERE expires_at <= ?", &[now.into()])?;
        sql.exec(
            "DELETE FROM logins WHERE rowid <= (SELECT max(rowid) FROM logins) - ?",
            &[(MAX_LOGINS - 1).into()],
        )?;
        sql.exec(
            "INSERT INTO logins (state, binding, sealed, expires_at) VALUES (?, ?, ?, ?)",
            &[
                self.state.as_str().into(),
                self.binding.as_str().into(),
                self.sealed.into(),
                self.expires_at.into(),
            ],
        )?;
        Ok(())
    }
}

/// Writes down a login that no consent form led to.
#[derive(Debug, Serialize, Deserialize)]
pub struct BeginLogin {
    /// The login that begins.
    pub login: NewLogin,
}

impl Transition for BeginLogin {
    const NAME: &'static str = "begin_login";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = ();

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<(), SqlError> {
        self.login.insert(sql, now)
    }
}

/// Takes in, once, that a login for a session came back. Until then its browser alone has it, so
/// that whoever begins many of them has nothing written down.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpendSessionLogin {
    /// The digest of the `state` that came back.
    pub state: Digest,
    /// When the login has to be over.
    pub expires_at: Timestamp,
}

impl Transition for SpendSessionLogin {
    const NAME: &'static str = "spend_session_login";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = Spent;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Spent, SqlError> {
        spend("session_logins", &self.state, self.expires_at, (sql, now))
    }
}

/// Takes a client's login out, once, for the browser that began it.
#[derive(Debug, Serialize, Deserialize)]
pub struct TakeLogin {
    /// The digest of the `state` that came back.
    pub state: Digest,
    /// The digest of the value in the browser's cookie.
    pub binding: Digest,
}

/// What came of taking a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoginTaken {
    /// It is taken; this is what was sealed when it began.
    Taken(String),
    /// Another browser began it. It stays where it is, for that browser.
    OtherBrowser,
    /// There is none: never begun, expired, or taken before.
    Unknown,
}

impl Transition for TakeLogin {
    const NAME: &'static str = "take_login";
    const INSTANCE: Instance = Instance::Front;
    type Outcome = LoginTaken;

    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<LoginTaken, SqlError> {
        let rows = sql.exec(
            "SELECT binding, sealed FROM logins WHERE state = ? AND expires_at > ?",
            &[self.state.as_str().into(), now.into()],
        )?;
        let Some(row) = first(rows) else {
            return Ok(LoginTaken::Unknown);
        };
        if !Digest::parse(row.text(0)?).is_some_and(|binding| binding.matches(&self.binding)) {
            return Ok(LoginTaken::OtherBrowser);
        }
        let sealed = row.text(1)?.to_owned();
        sql.exec(
            "DELETE FROM logins WHERE state = ?",
            &[self.state.as_str().into()],
        )?;
        Ok(LoginTaken::Taken(sealed))
    }
}
