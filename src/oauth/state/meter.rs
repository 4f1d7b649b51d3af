//! How many calls a grant may make.
//!
//! A token bucket for each grant, in the memory of the object that every call is asked of anyway: it
//! costs no further call and no write. An object that is idle long enough to be put out of memory
//! has been idle long enough for most of a bucket to fill up again.
//!
//! The limit is for programs that have run wild, not for people: [`BURST`] lets somebody's agent
//! read a whole large vault note by note. It is counted by grant and never by address, because all
//! users of a hosted client come from the same few.

use std::{cell::RefCell, collections::HashMap, time::Duration};

use crate::{oauth::token::GrantId, runtime::Timestamp};

/// How many calls a grant may make at once.
pub const BURST: u32 = 10_000;
/// How many a second it may go on with.
pub const PER_SECOND: u32 = 5;
/// How many buckets are kept before those that are full again are dropped.
const SWEEP_AT: usize = 1_000;

/// The calls that grants have made lately.
#[derive(Debug, Default)]
pub struct CallMeter {
    buckets: RefCell<HashMap<GrantId, Bucket>>,
}

/// The calls that a grant may make at a time.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: u32,
    at: Timestamp,
}

impl Bucket {
    const FULL: u32 = BURST;

    /// What is left at `now`. A clock that goes back fills nothing.
    fn left(self, now: Timestamp) -> u32 {
        let seconds = now.unix_seconds().saturating_sub(self.at.unix_seconds());
        let refill = seconds.saturating_mul(u64::from(PER_SECOND));
        let refill = u32::try_from(refill).unwrap_or(Self::FULL);
        self.left.saturating_add(refill).min(Self::FULL)
    }
}

impl CallMeter {
    /// Counts a call of `grant`. Where it has made too many, the answer is how long it has to wait,
    /// and the call is not counted: whoever waits as long as they are told may go on.
    pub(super) fn count(&self, grant: &GrantId, now: Timestamp) -> Option<Duration> {
        let mut buckets = self.buckets.borrow_mut();
        if buckets.len() >= SWEEP_AT {
            buckets.retain(|_, bucket| bucket.left(now) < Bucket::FULL);
        }
        let bucket = buckets.entry(grant.clone()).or_insert(Bucket {
            left: Bucket::FULL,
            at: now,
        });
        let left = bucket.left(now);
        match left.checked_sub(1) {
            Some(left) => {
                *bucket = Bucket { left, at: now };
                None
            }
            None => Some(Duration::from_secs(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn grant(letter: &str) -> GrantId {
        serde_json::from_value(letter.repeat(22).into()).unwrap()
    }

    fn accepted(meter: &CallMeter, grant: &GrantId, calls: u32, now: u64) -> usize {
        let counted = (0..calls).map(|_| meter.count(grant, at(now)));
        counted.filter(Option::is_none).count()
    }

    #[test]
    fn f6_a_whole_vault_may_be_read_and_a_loop_is_stopped() {
        let meter = CallMeter::default();
        // 2,000 calls in two minutes, and 2,000 more five minutes later.
        for second in 0..600 {
            let calls = if second % 300 < 80 { 25 } else { 0 };
            assert_eq!(accepted(&meter, &grant("A"), calls, second), calls as usize);
        }
        // As fast as it goes, for ten minutes: what is left of the burst, then five a second.
        let meter = CallMeter::default();
        let made: usize = (0..600)
            .map(|second| accepted(&meter, &grant("A"), 100, second))
            .sum();
        assert_eq!(made, 10_000 + 5 * 599);
    }

    #[test]
    fn f6_every_grant_has_a_bucket_of_its_own_that_fills_up_again() {
        let meter = CallMeter::default();
        assert_eq!(accepted(&meter, &grant("A"), 10_001, 0), 10_000);
        assert_eq!(
            meter.count(&grant("A"), at(0)),
            Some(Duration::from_secs(1))
        );
        assert_eq!(meter.count(&grant("B"), at(0)), None);
        assert_eq!(accepted(&meter, &grant("A"), 10, 1), 5);
        assert_eq!(accepted(&meter, &grant("A"), 11_000, 10_000), 10_000);
        // Time that goes back gives nothing, and takes nothing away for good.
        assert_eq!(accepted(&meter, &grant("A"), 10, 9_000), 0);
        assert_eq!(accepted(&meter, &grant("A"), 10, 10_001), 5);
    }

    #[test]
    fn f6_buckets_that_are_full_again_take_no_memory() {
        let meter = CallMeter::default();
        let id = |n: u32| -> GrantId { serde_json::from_value(format!("{n:022}").into()).unwrap() };
        for n in 0..2_000 {
            meter.count(&id(n), at(0));
        }
        assert_eq!(meter.buckets.borrow().len(), 2_000, "none is full yet");
        meter.count(&id(0), at(1));
        assert_eq!(meter.buckets.borrow().len(), 1);
    }
}
