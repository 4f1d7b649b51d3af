//! The provider's keys (RFC 7517), and when to look for newer ones.

use std::{rc::Rc, time::Duration};

use openidconnect::core::CoreJsonWebKeySet;

use super::cache::Dated;
use crate::{login::upstream::parse_json, runtime::Timestamp};

/// The shortest time between two looks for a key that is not among those we have.
const BETWEEN_REFETCHES: Duration = Duration::from_secs(30);

/// The keys as they were fetched last.
#[derive(Debug, Default)]
pub(super) struct KeyRing {
    keys: Dated<CoreJsonWebKeySet>,
    /// Where they are from: a provider may move them.
    uri: String,
    refetched: Option<Timestamp>,
}

impl KeyRing {
    /// Keeps `keys`, fetched from `uri` at `now`.
    pub(super) fn store(
        &mut self,
        keys: CoreJsonWebKeySet,
        uri: &str,
        now: Timestamp,
    ) -> Rc<CoreJsonWebKeySet> {
        uri.clone_into(&mut self.uri);
        self.keys.store(keys, now)
    }

    /// The keys of `uri`, while they need no look at their source.
    pub(super) fn fresh(&self, uri: &str, now: Timestamp) -> Option<Rc<CoreJsonWebKeySet>> {
        self.keys.fresh(now).filter(|_| self.uri == uri)
    }

    /// The keys of `uri`, while they may stand in for a failing source.
    pub(super) fn last_good(&self, uri: &str, now: Timestamp) -> Option<Rc<CoreJsonWebKeySet>> {
        self.keys.last_good(now).filter(|_| self.uri == uri)
    }

    /// Whether a key that is missing may be looked for now; if so, not again for a while. Without
    /// that bound, tokens with invented key ids would make us hammer the provider.
    pub(super) fn may_refetch(&mut self, now: Timestamp) -> bool {
        let allowed = self
            .refetched
            .is_none_or(|last| now >= last.after(BETWEEN_REFETCHES));
        if allowed {
            self.refetched = Some(now);
        }
        allowed
    }
}

/// Reads a key set. Keys that are not understood are left out: only a token signed with one of
/// them is lost.
pub(super) fn parse(document: &[u8]) -> Option<CoreJsonWebKeySet> {
    parse_json(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_unix_seconds(1_000_000 + seconds)
    }

    #[test]
    fn o7_a_missing_key_is_looked_for_once_in_thirty_seconds() {
        let mut ring = KeyRing::default();
        let looked: Vec<_> = [0, 0, 1, 29, 30, 31, 59, 60]
            .map(|second| ring.may_refetch(at(second)))
            .into();
        assert_eq!(
            looked,
            [true, false, false, false, true, false, false, true]
        );
    }

    #[test]
    fn o7_keys_are_those_of_one_address() {
        let mut ring = KeyRing::default();
        ring.store(
            CoreJsonWebKeySet::default(),
            "https://id.example/jwks",
            at(0),
        );
        assert!(ring.fresh("https://id.example/jwks", at(1)).is_some());
        assert!(
            ring.last_good("https://id.example/jwks", at(7_200))
                .is_some()
        );
        assert!(ring.fresh("https://id.example/moved", at(1)).is_none());
        assert!(ring.last_good("https://id.example/moved", at(1)).is_none());
    }

    #[test]
    fn o7_keys_that_are_not_understood_are_left_out() {
        for (document, expected) in [
            (r#"{"keys":[]}"#, Some(0)),
            (
                r#"{"keys":[{"kty":"AKP","alg":"ML-DSA-65"},{"kty":"RSA","n":"AQ","e":"AQAB"},7]}"#,
                Some(1),
            ),
            (r#"{"keys":{}}"#, None),
            ("{}", None),
            ("", None),
        ] {
            assert_eq!(
                parse(document.as_bytes()).map(|set| set.keys().len()),
                expected
            );
        }
    }
}
