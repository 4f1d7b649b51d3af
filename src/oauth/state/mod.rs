//! The authorization server's memory: typed transitions over one SQL database.
//!
//! There are two instances of the same object (`docs/decisions/0002`). Each transition runs there
//! from beginning to end without an `await`: nothing else happens in between, so a code is redeemed
//! once and a refresh token that comes twice is noticed, however many requests race. On Workers the
//! object is a Durable Object; on the host it is SQLite in memory. The code is this one.
//!
//! A statement that fails does not undo those before it. Transitions therefore judge first, then
//! take away (mark a code as redeemed), then give (insert tokens): what a failure leaves behind
//! grants less than it should, never more.

mod access;
mod clients;
mod codes;
mod documents;
mod expiry;
mod link;
mod meter;
mod pins;
mod refresh;
mod schema;
mod sessions;
mod tokens;
mod transactions;
mod withdrawals;

use serde::{Serialize, de::DeserializeOwned};

pub use self::{
    access::{ActiveGrant, CheckAccess, RevocableKind, RevokeGrant, RevokeToken, Revoked},
    clients::{FindClient, FoundClient, KeepClient, RegisterClient, Registered},
    codes::{CodeIssued, CodeRedemption, IssueCode, RedeemCode},
    documents::{ConsultDocument, Consulted, KeepDocument, LastGood},
    expiry::expire,
    link::{AuthState, AuthStateLink, LinkError},
    meter::{BURST, CallMeter, PER_SECOND},
    pins::Pin,
    refresh::{Refresh, RefreshRefusal, Refreshed, RepeatedAccess},
    schema::prepare,
    sessions::{
        BeginSession, EndGrants, EndSession, ListGrants, NotSignedIn, OwnGrant, OwnGrants,
        SignedIn, Which,
    },
    tokens::NewTokens,
    transactions::{
        BeginLogin, LoginTaken, NewLogin, SpendConsent, SpendSessionLogin, Spent, TakeLogin,
    },
    withdrawals::CONSENT_MEMORY,
};
use crate::runtime::{Sql, SqlError, SqlRow, Timestamp};

/// Which of the two objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instance {
    /// What anybody can cause: registrations, consents, logins under way. Everything is capped.
    Front,
    /// What only a login brings about: codes, grants, tokens, pins.
    Grants,
}

impl Instance {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Front, Self::Grants];

    /// The object's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Front => "front",
            Self::Grants => "grants",
        }
    }

    /// The instance of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|instance| instance.name() == name)
    }
}

/// One atomic step.
pub trait Transition: Serialize + DeserializeOwned {
    /// Its name between the Worker and the object.
    const NAME: &'static str;
    /// The object that it belongs to.
    const INSTANCE: Instance;
    /// What it answers.
    type Outcome: Serialize + DeserializeOwned;

    /// Carries the step out.
    ///
    /// # Errors
    /// [`SqlError`] when the database fails. Whatever a person or a client can bring about is an
    /// outcome, not an error.
    fn apply(self, sql: &dyn Sql, now: Timestamp) -> Result<Self::Outcome, SqlError>;

    /// Carries the step out in an object that counts calls. Only what admits calls looks at the
    /// meter.
    ///
    /// # Errors
    /// As for [`Self::apply`].
    fn apply_metered(
        self,
        sql: &dyn Sql,
        _meter: &CallMeter,
        now: Timestamp,
    ) -> Result<Self::Outcome, SqlError> {
        self.apply(sql, now)
    }
}

/// Why an object could not carry out a transition. The text is for the operator's log.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// There is no such transition, or it belongs to the other object.
    #[error("unknown transition")]
    Unknown,
    /// The request or the outcome has another shape than this version knows.
    #[error("malformed transition: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The database failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

/// Carries out the transition `name` with the JSON in `body`, and returns its outcome as JSON.
/// The database has been through [`prepare`]; the meter is the same in the object's whole life.
///
/// # Errors
/// [`DispatchError`].
pub fn dispatch(
    instance: Instance,
    name: &str,
    body: &str,
    (sql, meter): (&dyn Sql, &CallMeter),
    now: Timestamp,
) -> Result<String, DispatchError> {
    let run = match name {
        RegisterClient::NAME => run::<RegisterClient>,
        FindClient::NAME => run::<FindClient>,
        KeepClient::NAME => run::<KeepClient>,
        ConsultDocument::NAME => run::<ConsultDocument>,
        KeepDocument::NAME => run::<KeepDocument>,
        SpendConsent::NAME => run::<SpendConsent>,
        BeginLogin::NAME => run::<BeginLogin>,
        TakeLogin::NAME => run::<TakeLogin>,
        SpendSessionLogin::NAME => run::<SpendSessionLogin>,
        IssueCode::NAME => run::<IssueCode>,
        RedeemCode::NAME => run::<RedeemCode>,
        Refresh::NAME => run::<Refresh>,
        CheckAccess::NAME => run::<CheckAccess>,
        RevokeToken::NAME => run::<RevokeToken>,
        RevokeGrant::NAME => run::<RevokeGrant>,
        BeginSession::NAME => run::<BeginSession>,
        ListGrants::NAME => run::<ListGrants>,
        EndGrants::NAME => run::<EndGrants>,
        EndSession::NAME => run::<EndSession>,
        _ => return Err(DispatchError::Unknown),
    };
    run(instance, body, (sql, meter), now)
}

fn run<T: Transition>(
    instance: Instance,
    body: &str,
    (sql, meter): (&dyn Sql, &CallMeter),
    now: Timestamp,
) -> Result<String, DispatchError> {
    if instance != T::INSTANCE {
        return Err(DispatchError::Unknown);
    }
    let transition: T = serde_json::from_str(body)?;
    Ok(serde_json::to_string(
        &transition.apply_metered(sql, meter, now)?,
    )?)
}

/// The time in `column`.
fn time(row: &SqlRow, column: usize) -> Result<Timestamp, SqlError> {
    let seconds = row.integer(column)?;
    let seconds = u64::try_from(seconds)
        .map_err(|_| SqlError(format!("column {column} is a time before the epoch")))?;
    Ok(Timestamp::from_unix_seconds(seconds))
}

/// The record in `column`, kept as JSON.
fn record<T: DeserializeOwned>(row: &SqlRow, column: usize) -> Result<T, SqlError> {
    serde_json::from_str(row.text(column)?)
        .map_err(|error| SqlError(format!("column {column} holds no such record: {error}")))
}

/// `value` as JSON, to be kept.
fn json<T: Serialize>(value: &T) -> Result<String, SqlError> {
    serde_json::to_string(value).map_err(|error| SqlError(format!("not to be kept: {error}")))
}

/// The first row of a result, if any.
fn first(rows: Vec<SqlRow>) -> Option<SqlRow> {
    rows.into_iter().next()
}

/// The number that a `SELECT count(*)` found.
fn count(rows: Vec<SqlRow>) -> Result<i64, SqlError> {
    first(rows).map_or(Ok(0), |row| row.integer(0))
}
