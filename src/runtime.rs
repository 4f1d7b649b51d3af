//! The seams between the core and whatever runs it: time, randomness, outgoing HTTP, and SQL.
//!
//! The core receives each of them as a parameter and names no runtime. On Workers the adapters live
//! in `platform`; on the host, tests bring their own. Everything here is single-threaded: a Worker
//! runs one isolate on one thread, so no future and no seam has to be `Send`.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::LocalBoxStream;
use serde::{Deserialize, Serialize};

/// A point in time, in whole seconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The time `seconds` after the Unix epoch.
    #[must_use]
    pub const fn from_unix_seconds(seconds: u64) -> Self {
        Self(seconds)
    }

    /// Whole seconds since the Unix epoch.
    #[must_use]
    pub const fn unix_seconds(self) -> u64 {
        self.0
    }

    /// This time plus `duration`, saturating; fractions of a second are dropped.
    #[must_use]
    pub const fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.as_secs()))
    }

    /// This time minus `duration`, saturating at the epoch; fractions of a second are dropped.
    #[must_use]
    pub const fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(duration.as_secs()))
    }
}

/// Where the current time comes from.
pub trait Clock {
    /// The current time. Under Workers it stands still between two pieces of I/O.
    fn now(&self) -> Timestamp;
}

/// Where unpredictable bytes come from.
pub trait Rng {
    /// Fills `bytes` with output of a cryptographically secure generator.
    ///
    /// # Errors
    /// [`RngError`] when the system has no randomness to give; nothing may be issued then.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RngError>;
}

/// The system's source of randomness failed.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the system's source of randomness failed")]
pub struct RngError;

/// The system's own generator, by the `getrandom` crate: the kernel's on the host,
/// `crypto.getRandomValues` under Workers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRng;

impl Rng for SystemRng {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RngError> {
        getrandom::fill(bytes).map_err(|_| RngError)
    }
}

/// What one outgoing request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time from the first byte sent to the last byte of the answer's body.
    pub timeout: Duration,
    /// The most bytes of body that are accepted.
    pub max_body: usize,
}

/// Outgoing HTTP.
///
/// # Behavior
/// - Redirects are never followed: a 3xx answer is returned as it came.
/// - The answer is never taken from, nor put into, a shared cache.
/// - The body has been read to its end, or cancelled, when the future completes.
/// - A status of 4xx or 5xx is an answer, not an error.
#[async_trait(?Send)]
pub trait HttpClient {
    /// Sends `request` and collects the answer within `limits`.
    ///
    /// # Errors
    /// [`FetchError`] when there is no whole answer: for a request that changes something, its
    /// outcome is then unknown.
    async fn send(
        &self,
        request: ::http::Request<Bytes>,
        limits: Limits,
    ) -> Result<::http::Response<Bytes>, FetchError>;
}

/// Why there is no whole answer to an outgoing request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The time of [`Limits`] ran out.
    #[error("no whole answer in time")]
    Timeout,
    /// The answer's body is over the limit of [`Limits`].
    #[error("the answer is too large")]
    TooLarge,
    /// The connection could not be made, or broke. The text is for the operator's log only.
    #[error("network failure: {0}")]
    Network(String),
}

/// A body that arrives piece by piece. Dropping it cancels what has not arrived.
pub type ByteStream = LocalBoxStream<'static, Result<Bytes, FetchError>>;

/// Outgoing HTTP whose answers are too large to be held whole.
///
/// # Behavior
/// As [`HttpClient`], but the answer comes back as soon as its head is there. [`Limits`] go on
/// holding for the body: a stream that breaks one ends with the [`FetchError`] that says so, and
/// so does a body that is cut short of its announced length.
#[async_trait(?Send)]
pub trait StreamingHttpClient: HttpClient {
    /// Sends `request` and hands out the answer with its body still on the way.
    ///
    /// # Errors
    /// [`FetchError`] when there is no head of an answer in time.
    async fn open(
        &self,
        request: ::http::Request<Bytes>,
        limits: Limits,
    ) -> Result<::http::Response<ByteStream>, FetchError>;
}

/// Waiting, without holding anybody else up.
#[async_trait(?Send)]
pub trait Sleep {
    /// Completes once `duration` has passed, never sooner.
    async fn sleep(&self, duration: Duration);
}

/// A value that goes into, or comes out of, a SQL statement.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    /// `NULL`.
    Null,
    /// A whole number; exact only within ±2^53, because Workers carry it as a double.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<Timestamp> for SqlValue {
    fn from(time: Timestamp) -> Self {
        Self::Integer(i64::try_from(time.unix_seconds()).unwrap_or(i64::MAX))
    }
}

/// One row of a result, its columns in the order of the statement.
#[derive(Clone, Debug, PartialEq)]
pub struct SqlRow(pub Vec<SqlValue>);

impl SqlRow {
    /// The text in `column`.
    ///
    /// # Errors
    /// [`SqlError`] when there is no such column or it holds something else.
    pub fn text(&self, column: usize) -> Result<&str, SqlError> {
        match self.0.get(column) {
            Some(SqlValue::Text(text)) => Ok(text),
            other => Err(SqlError(format!(
                "column {column} is no text: {}",
                kind(other)
            ))),
        }
    }

    /// The whole number in `column`.
    ///
    /// # Errors
    /// [`SqlError`] when there is no such column or it holds something else.
    pub fn integer(&self, column: usize) -> Result<i64, SqlError> {
        match self.0.get(column) {
            Some(SqlValue::Integer(number)) => Ok(*number),
            other => Err(SqlError(format!(
                "column {column} is no integer: {}",
                kind(other)
            ))),
        }
    }

    /// The text in `column`, or `None` where it holds `NULL`.
    ///
    /// # Errors
    /// [`SqlError`] when there is no such column or it holds something else.
    pub fn optional_text(&self, column: usize) -> Result<Option<&str>, SqlError> {
        match self.0.get(column) {
            Some(SqlValue::Null) => Ok(None),
            _ => self.text(column).map(Some),
        }
    }
}

/// The name of a value's kind, for an error that must not show the value.
fn kind(value: Option<&SqlValue>) -> &'static str {
    match value {
        None => "no such column",
        Some(SqlValue::Null) => "null",
        Some(SqlValue::Integer(_)) => "integer",
        Some(SqlValue::Real(_)) => "real",
        Some(SqlValue::Text(_)) => "text",
        Some(SqlValue::Blob(_)) => "blob",
    }
}

/// A private SQLite database, as a Durable Object has one.
///
/// # Behavior
/// Calls are synchronous. All statements made without an `await` between them are one atomic
/// commit; there is no `BEGIN`. At most 100 parameters a statement (`json_each(?)` takes more).
/// Source: Cloudflare's documentation of the Durable Objects SQL storage API.
pub trait Sql {
    /// Runs one statement and returns all rows of its result.
    ///
    /// # Errors
    /// [`SqlError`] with the engine's message. A failed statement does not undo earlier ones.
    fn exec(&self, statement: &str, parameters: &[SqlValue]) -> Result<Vec<SqlRow>, SqlError>;
}

/// The database refused a statement, or a row has another shape than the code expects. The text is
/// for the operator's log only.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("database failure: {0}")]
pub struct SqlError(pub String);

impl fmt::Debug for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SqlError({})", self.0)
    }
}
