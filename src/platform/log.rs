//! The log: one JSON line an event, on the Worker's console.

use worker::console_log;

use crate::oauth::event::{AuthEvent, EventLog};

/// The Worker's console.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ConsoleLog;

impl EventLog for ConsoleLog {
    fn record(&self, event: &AuthEvent) {
        if let Ok(line) = serde_json::to_string(event) {
            console_log!("{line}");
        }
    }
}
