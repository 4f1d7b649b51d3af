//! Looking at one note after another for a pattern, no longer than there is a budget for.

use super::{
    pattern::{Matcher, Pattern, PatternError},
    scan::{Document, Hit},
};

/// A search for a pattern on its way through the notes, in the order of their paths.
#[derive(Debug)]
pub struct Sweep {
    matcher: Matcher,
    limit: usize,
    budget: u64,
    spent: u64,
    hits: Vec<Hit>,
    found: usize,
}

impl Sweep {
    /// A sweep that keeps the first `limit` hits, and looks at up to `budget` bytes of paths and
    /// texts; at one note at least.
    ///
    /// # Errors
    /// [`PatternError::TooLarge`].
    pub fn new(pattern: &Pattern, limit: usize, budget: u64) -> Result<Self, PatternError> {
        Ok(Self {
            matcher: pattern.matcher()?,
            limit,
            budget,
            spent: 0,
            hits: Vec::new(),
            found: 0,
        })
    }

    /// Whether the budget allows for a note with so many bytes of path and text. Where it does, the
    /// note is paid for.
    pub fn affords(&mut self, bytes: u64) -> bool {
        let affords = self.spent == 0 || self.spent.saturating_add(bytes) <= self.budget;
        if affords {
            self.spent = self.spent.saturating_add(bytes.max(1));
        }
        affords
    }

    /// Looks at a note.
    pub fn look_at(&mut self, document: &Document<'_>) {
        if self.hits.len() < self.limit {
            let hit = self.matcher.hit(document);
            self.found += usize::from(hit.is_some());
            self.hits.extend(hit);
        } else {
            self.found += usize::from(self.matcher.holds(document));
        }
    }

    /// The hits that were kept, and how many notes have the pattern of those that were looked at.
    #[must_use]
    pub fn into_found(self) -> (Vec<Hit>, usize) {
        (self.hits, self.found)
    }
}
