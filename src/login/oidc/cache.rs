//! What is known of a provider, kept in the memory of the isolate.

use std::{cell::RefCell, rc::Rc, time::Duration};

use super::{discovery::Discovered, keys::KeyRing};
use crate::runtime::Timestamp;

/// For how long a document is used without a look at its source.
const FRESH: Duration = Duration::from_hours(1);
/// For how long the last good document is used while its source fails.
const LAST_GOOD: Duration = Duration::from_hours(24);

/// The documents of one provider. A clone is the same cache, so that it can outlive a request.
///
/// Nothing here is secret, and losing it costs two requests.
#[derive(Clone, Debug, Default)]
pub struct ProviderCache(Rc<RefCell<Documents>>);

/// The documents themselves.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) discovery: Dated<Discovered>,
    pub(super) keys: KeyRing,
}

impl ProviderCache {
    /// Reads or changes the documents. `use_them` is synchronous, so no borrow outlives an await.
    pub(super) fn with<T>(&self, use_them: impl FnOnce(&mut Documents) -> T) -> T {
        use_them(&mut self.0.borrow_mut())
    }
}

/// A document, and when it was fetched.
#[derive(Debug)]
pub(super) struct Dated<T>(Option<(Rc<T>, Timestamp)>);

impl<T> Dated<T> {
    /// Keeps `document`, fetched at `now`.
    pub(super) fn store(&mut self, document: T, now: Timestamp) -> Rc<T> {
        let document = Rc::new(document);
        self.0 = Some((Rc::clone(&document), now));
        document
    }

    /// The document, while it needs no look at its source.
    pub(super) fn fresh(&self, now: Timestamp) -> Option<Rc<T>> {
        self.since(now.before(FRESH))
    }

    /// The document, while it may stand in for a failing source.
    pub(super) fn last_good(&self, now: Timestamp) -> Option<Rc<T>> {
        self.since(now.before(LAST_GOOD))
    }

    fn since(&self, oldest: Timestamp) -> Option<Rc<T>> {
        let (document, fetched) = self.0.as_ref()?;
        (*fetched > oldest).then(|| Rc::clone(document))
    }
}

impl<T> Default for Dated<T> {
    fn default() -> Self {
        Self(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o8_a_document_is_fresh_for_an_hour_and_last_good_for_a_day() {
        let at = |seconds: u64| Timestamp::from_unix_seconds(1_000_000 + seconds);
        let mut dated = Dated::default();
        assert!(dated.fresh(at(0)).is_none() && dated.last_good(at(0)).is_none());
        dated.store((), at(0));
        for (age, fresh, last_good) in [
            (0, true, true),
            (3_599, true, true),
            (3_600, false, true),
            (86_399, false, true),
            (86_400, false, false),
        ] {
            let seen = (
                dated.fresh(at(age)).is_some(),
                dated.last_good(at(age)).is_some(),
            );
            assert_eq!(seen, (fresh, last_good), "{age}");
        }
    }
}
