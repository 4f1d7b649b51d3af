//! A clock that stands still until a test moves it.

use std::{cell::Cell, time::Duration};

use vault_mcp::runtime::{Clock, Timestamp};

/// Time as the test has it.
#[derive(Debug)]
pub(crate) struct ManualClock(Cell<Timestamp>);

impl ManualClock {
    /// A clock that shows `seconds` after the Unix epoch.
    pub(crate) fn at(seconds: u64) -> Self {
        Self(Cell::new(Timestamp::from_unix_seconds(seconds)))
    }

    /// Moves the clock forward.
    pub(crate) fn advance(&self, duration: Duration) {
        self.0.set(self.0.get().after(duration));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.0.get()
    }
}
