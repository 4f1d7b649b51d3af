//! SQL on the host: the engine of Durable Objects over `rusqlite`, with the same fences.

use std::path::Path;

use rusqlite::{
    Connection, ToSql,
    limits::Limit,
    types::{ToSqlOutput, Value, ValueRef},
};
use vault_mcp::runtime::{Sql, SqlError, SqlRow, SqlValue};

/// A database that refuses what a Durable Object's database refuses: more than 100
/// parameters, values over 2 MB, `LIKE` patterns over 50 bytes, several statements in one call,
/// and transactions by hand. Source: the limits page of Cloudflare's Durable Objects documentation.
#[derive(Debug)]
pub(crate) struct HostSql {
    connection: Connection,
}

/// What each engine limit is set to.
const LIMITS: [(Limit, i32); 7] = [
    (Limit::SQLITE_LIMIT_LENGTH, 2 * 1024 * 1024),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
    (Limit::SQLITE_LIMIT_COLUMN, 100),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
];

/// The first words of statements that a Durable Object does not run.
const REFUSED: [&str; 8] = [
    "BEGIN",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "ATTACH",
    "VACUUM",
];

impl HostSql {
    /// An empty database.
    pub(crate) fn in_memory() -> Self {
        Self::over(Connection::open_in_memory().expect("open a database in memory"))
    }

    /// The database in a file, which may be there already.
    pub(crate) fn open(file: &Path) -> Self {
        let connection = Connection::open(file).expect("open a database");
        // A test's machine does not lose its power in the middle.
        connection
            .pragma_update(None, "synchronous", "OFF")
            .expect("a pragma");
        Self::over(connection)
    }

    fn over(connection: Connection) -> Self {
        for (limit, value) in LIMITS {
            connection
                .set_limit(limit, value)
                .expect("set an engine limit");
        }
        Self { connection }
    }
}

impl Sql for HostSql {
    fn exec(&self, statement: &str, parameters: &[SqlValue]) -> Result<Vec<SqlRow>, SqlError> {
        let verb = statement
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        if REFUSED.contains(&verb.trim_end_matches(';')) {
            return Err(SqlError(format!("not authorized: {verb}")));
        }
        let failed = |error: rusqlite::Error| SqlError(error.to_string());
        let mut prepared = self.connection.prepare_cached(statement).map_err(failed)?;
        let columns = prepared.column_count();
        let bound = rusqlite::params_from_iter(parameters.iter().map(Parameter));
        let mut rows = prepared.query(bound).map_err(failed)?;
        let mut result = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let values =
                (0..columns).map(|column| row.get_ref(column).map_err(failed).and_then(value));
            result.push(SqlRow(values.collect::<Result<_, _>>()?));
        }
        Ok(result)
    }
}

/// A parameter on its way in.
struct Parameter<'a>(&'a SqlValue);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            SqlValue::Null => ToSqlOutput::Owned(Value::Null),
            SqlValue::Integer(number) => (*number).into(),
            SqlValue::Real(number) => (*number).into(),
            SqlValue::Text(text) => text.as_str().into(),
            SqlValue::Blob(bytes) => bytes.as_slice().into(),
        })
    }
}

/// A value on its way out.
fn value(value: ValueRef<'_>) -> Result<SqlValue, SqlError> {
    Ok(match value {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(number) => SqlValue::Integer(number),
        ValueRef::Real(number) => SqlValue::Real(number),
        ValueRef::Text(text) => SqlValue::Text(
            String::from_utf8(text.to_vec()).map_err(|error| SqlError(error.to_string()))?,
        ),
        ValueRef::Blob(bytes) => SqlValue::Blob(bytes.to_vec()),
    })
}
