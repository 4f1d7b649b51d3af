//! What was asked of the look-alike: tests count GitHub requests with it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::answer::Answer;

/// One request, in order of arrival.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoggedRequest {
    /// Counts up from the server's start.
    pub number: u64,
    /// `GET`, `PUT`, …
    pub method: String,
    /// Path and query as they arrived, except that the ticket of a tarball is left out.
    pub path: String,
    /// The operation, as GitHub's `OpenAPI` description names it: `repos/get-content`.
    pub operation: Option<String>,
    /// The answer's status; `None` while there is no answer.
    pub status: Option<u16>,
    /// Which of the look-alike's refusals the answer is.
    pub refusal: Option<String>,
    /// Whether it counts against the hourly limit: 304 and the tarball's second step do not.
    pub counted: bool,
    /// The `User-Agent`, when there was one.
    pub user_agent: Option<String>,
    /// The label of the token, `unknown` for one that is not known, `None` without one.
    pub token: Option<String>,
    /// The scheme of `Authorization`, in lower case: `bearer` or `token`.
    pub authorization: Option<String>,
    /// Whether it had an `If-None-Match`.
    pub conditional: bool,
    /// Its `Cache-Control`: what it asks of caches on the way.
    pub cache_control: Option<String>,
}

/// The log since the last reset.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    next: AtomicU64,
    entries: Mutex<Vec<LoggedRequest>>,
}

impl RequestLog {
    /// Notes an arrival and returns its number.
    pub(crate) fn open(&self, mut entry: LoggedRequest) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        entry.number = number;
        self.lock().push(entry);
        number
    }

    /// Notes the answer; a request that a reset dropped stays dropped.
    pub(crate) fn close(&self, number: u64, answer: &Answer, counted: bool) {
        if let Some(entry) = self
            .lock()
            .iter_mut()
            .rev()
            .find(|entry| entry.number == number)
        {
            entry.status = Some(answer.status.as_u16());
            entry.refusal = answer.refusal.map(str::to_owned);
            entry.counted = counted;
        }
    }

    pub(crate) fn entries(&self) -> Vec<LoggedRequest> {
        self.lock().clone()
    }

    pub(crate) fn reset(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<LoggedRequest>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
