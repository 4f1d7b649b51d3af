//! Reading keys, with errors that name the key and never show a value.

use std::{fmt, str::FromStr};

use crate::secret::Secret;

/// Where configuration comes from: the bindings of a Worker, or a map in a test.
pub trait Environment {
    /// The value of `key`, as it was set; `None` where it was not.
    fn get(&self, key: &str) -> Option<String>;
}

/// What is wrong with one key. Never holds its value, which may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} {problem}")]
pub struct ConfigError {
    /// The key to fix.
    pub key: &'static str,
    /// What is wrong, and what to write instead.
    pub problem: String,
}

impl ConfigError {
    /// An error about `key`.
    pub(super) fn new(key: &'static str, problem: impl fmt::Display) -> Self {
        Self {
            key,
            problem: problem.to_string(),
        }
    }
}

/// Reads keys of an [`Environment`]. White space around a value, and an empty value, count as
/// nothing: both are what is left when somebody clears a field.
pub(super) struct Reader<'a>(pub(super) &'a dyn Environment);

impl Reader<'_> {
    /// The value of `key`, if it is set.
    pub(super) fn optional(&self, key: &'static str) -> Option<String> {
        let value = self.0.get(key)?;
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// The value of `key`.
    pub(super) fn required(&self, key: &'static str) -> Result<String, ConfigError> {
        self.optional(key)
            .ok_or_else(|| ConfigError::new(key, "is not set"))
    }

    /// The secret in `key`.
    pub(super) fn secret(&self, key: &'static str) -> Result<Secret, ConfigError> {
        self.required(key).map(Secret::new)
    }

    /// The switch in `key`, off where it is not set.
    pub(super) fn flag(&self, key: &'static str) -> Result<bool, ConfigError> {
        match self.optional(key).as_deref() {
            None => Ok(false),
            Some(value) if value.eq_ignore_ascii_case("true") => Ok(true),
            Some(value) if value.eq_ignore_ascii_case("false") => Ok(false),
            // A switch that is misspelt must not be off in silence: some of them protect.
            Some(_) => Err(ConfigError::new(key, "must be true or false")),
        }
    }

    /// What `parse` makes of `key`, if it is set.
    pub(super) fn parsed<T, E: fmt::Display>(
        &self,
        key: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, ConfigError> {
        self.optional(key)
            .map(|value| parse(&value).map_err(|error| ConfigError::new(key, error)))
            .transpose()
    }

    /// The number in `key`, if it is set.
    pub(super) fn number<T: FromStr>(&self, key: &'static str) -> Result<Option<T>, ConfigError> {
        self.parsed(key, |value| {
            value.parse::<T>().map_err(|_| "must be a whole number")
        })
    }
}
