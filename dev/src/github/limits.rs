//! The hourly limit, and the headers that report it.
//!
//! GitHub docs, "Rate limits for the REST API": 5,000 requests an hour for each *user*, whose
//! tokens share them; 60 for each address without a token.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The state of one user's hour, as the `x-ratelimit-*` headers report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateState {
    pub(crate) limit: u64,
    pub(crate) used: u64,
    /// Seconds since 1970.
    pub(crate) reset: u64,
}

impl RateState {
    pub(crate) const fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

/// Counters of all users.
#[derive(Debug, Default)]
pub(crate) struct RateLimits {
    users: Mutex<HashMap<String, RateState>>,
}

impl RateLimits {
    /// The state of the user's current hour.
    pub(crate) fn state(&self, user: Option<&str>) -> RateState {
        self.with(user, |state| *state)
    }

    /// Counts one request and returns the state after it.
    pub(crate) fn count(&self, user: Option<&str>) -> RateState {
        self.with(user, |state| {
            state.used += 1;
            *state
        })
    }

    fn with<T>(&self, user: Option<&str>, f: impl FnOnce(&mut RateState) -> T) -> T {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = if user.is_some() { 5_000 } else { 60 };
        let now = epoch_seconds();
        let fresh = RateState {
            limit,
            used: 0,
            reset: now + 3_600,
        };
        let state = users
            .entry(user.unwrap_or_default().to_owned())
            .or_insert(fresh);
        if state.reset <= now {
            *state = fresh;
        }
        f(state)
    }
}

/// Seconds since 1970.
pub(crate) fn epoch_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}
