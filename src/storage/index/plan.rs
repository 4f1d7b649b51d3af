//! What separates the index from a commit.

use std::collections::BTreeMap;

use super::rows::MAX_BODY;
use crate::{
    storage::github::Tree,
    vault::{
        policy::Visible,
        storage::{Revision, Sieve},
    },
};

/// A note that the commit has and the index has not, or has otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Where it is.
    pub(super) path: Visible,
    /// Its revision.
    pub(super) revision: Revision,
    /// Its size in bytes.
    pub(super) bytes: u64,
}

/// The work between the index and a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Paths whose notes are gone.
    pub(super) gone: Vec<String>,
    /// Notes whose bytes the index has in the row of another path, named second.
    pub(super) moved: Vec<(Wanted, String)>,
    /// Notes too large for a row; nothing has to be fetched.
    pub(super) large: Vec<Wanted>,
    /// Notes whose bytes have to be fetched.
    pub(super) fetch: Vec<Wanted>,
}

impl Plan {
    /// Compares what the index holds with all that `tree` holds and `sieve` shows.
    pub(super) fn new(held: &BTreeMap<String, Revision>, tree: &Tree, sieve: &dyn Sieve) -> Self {
        let by_revision: BTreeMap<_, _> = held
            .iter()
            .map(|(path, revision)| (revision, path))
            .collect();
        let mut plan = Self::default();
        for (path, revision, bytes) in tree.files() {
            if held.get(path) == Some(revision) {
                continue;
            }
            let Some(path) = sieve.admit(path) else {
                continue;
            };
            let wanted = Wanted {
                path,
                revision: revision.clone(),
                bytes,
            };
            if bytes > MAX_BODY {
                plan.large.push(wanted);
            } else if let Some(other) = by_revision.get(revision) {
                plan.moved.push((wanted, (*other).clone()));
            } else {
                plan.fetch.push(wanted);
            }
        }
        let stays = |path: &str| tree.file(path).is_some() && sieve.admit(path).is_some();
        plan.gone = held.keys().filter(|path| !stays(path)).cloned().collect();
        plan
    }

    /// How many bytes of notes have to be held to carry the plan out in one step.
    pub(super) fn bytes(&self) -> u64 {
        let moved = self.moved.iter().map(|(wanted, _)| wanted.bytes);
        moved
            .chain(self.fetch.iter().map(|wanted| wanted.bytes))
            .sum()
    }
}
