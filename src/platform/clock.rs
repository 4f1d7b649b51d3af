//! The Workers clock.

use crate::runtime::{Clock, Timestamp};

/// The time of the last piece of I/O, which is all that Workers reveal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkerClock;

impl Clock for WorkerClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_seconds(worker::Date::now().as_millis() / 1000)
    }
}
