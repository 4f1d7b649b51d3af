//! A Durable Object's SQLite database.

use worker::{SqlStorage, SqlStorageValue};

use crate::runtime::{Sql, SqlError, SqlRow, SqlValue};

/// The database of the object that this was made in.
pub(crate) struct ObjectSql(pub(crate) SqlStorage);

impl Sql for ObjectSql {
    fn exec(&self, statement: &str, parameters: &[SqlValue]) -> Result<Vec<SqlRow>, SqlError> {
        let parameters: Vec<SqlStorageValue> = parameters.iter().cloned().map(outgoing).collect();
        let cursor = self
            .0
            .exec(statement, parameters)
            .map_err(|error| failure(&error))?;
        // `one()` never answers where there is not exactly one row, so rows are always collected.
        cursor
            .raw()
            .map(|row| {
                let row = row.map_err(|error| failure(&error))?;
                Ok(SqlRow(row.into_iter().map(incoming).collect()))
            })
            .collect()
    }
}

fn outgoing(value: SqlValue) -> SqlStorageValue {
    match value {
        SqlValue::Null => SqlStorageValue::Null,
        SqlValue::Integer(number) => SqlStorageValue::Integer(number),
        SqlValue::Real(number) => SqlStorageValue::Float(number),
        SqlValue::Text(text) => SqlStorageValue::String(text),
        SqlValue::Blob(bytes) => SqlStorageValue::Blob(bytes),
    }
}

fn incoming(value: SqlStorageValue) -> SqlValue {
    match value {
        SqlStorageValue::Null => SqlValue::Null,
        SqlStorageValue::Boolean(flag) => SqlValue::Integer(i64::from(flag)),
        SqlStorageValue::Integer(number) => SqlValue::Integer(number),
        SqlStorageValue::Float(number) => SqlValue::Real(number),
        SqlStorageValue::String(text) => SqlValue::Text(text),
        SqlStorageValue::Blob(bytes) => SqlValue::Blob(bytes),
    }
}

fn failure(error: &worker::Error) -> SqlError {
    SqlError(error.to_string())
}
