//! Chance that can be had again: everything that is drawn follows from a seed.

use std::cell::Cell;

use vault_mcp::runtime::{Rng, RngError};

/// A generator with a seed (`SplitMix64`, as `java.util.SplittableRandom` has it). Good enough to
/// spread a test over its cases, and for nothing else.
#[derive(Debug)]
pub(crate) struct Chance(Cell<u64>);

impl Chance {
    /// The sequence that belongs to `seed`.
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self(Cell::new(seed))
    }

    /// The next number.
    pub(crate) fn next(&self) -> u64 {
        let state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&self, end: u64) -> u64 {
        self.next() % end
    }

    /// True one time in `n`.
    pub(crate) fn one_in(&self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of `items`.
    pub(crate) fn pick<'a, T>(&self, items: &'a [T]) -> &'a T {
        let index = usize::try_from(self.below(items.len() as u64)).unwrap();
        &items[index]
    }

    /// One of `items`, each as often as its weight says.
    pub(crate) fn weighted<T: Copy>(&self, items: &[(u64, T)]) -> T {
        let mut left = self.below(items.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in items {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return *item,
            }
        }
        unreachable!("the weights were summed")
    }
}

impl Rng for Chance {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RngError> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}
