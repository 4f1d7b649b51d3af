//! When notes were changed last.
//!
//! A tree does not tell. Own changes and pushes that are seen as they come do; for the rest, the
//! history is walked in the background, from the head down along first parents, some commits at a
//! time. What a commit names for the first time on that way was changed by it last.
//!
//! The walk ends when every note has its time, at the first commit of all, or after [`MOST`] commits.
//! What it has seen is in the rows and [`Walk`] is among the facts, so that it goes on after a
//! restart where it was.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{VaultIndex, schema::Fault};
use crate::{
    runtime::{Sql, SqlValue, Timestamp},
    storage::github::{CommitChanges, Refusal},
    vault::storage::{CommitId, StorageError},
};

/// The most commits that are looked at after the index was built, and again after each push that
/// was not seen as it came.
const MOST: u32 = 500;

/// How many commits are looked at in one go.
const AT_A_TIME: u32 = 20;

/// How long to wait before the first go, and between two: GitHub counts 5,000 requests an hour, and
/// they are wanted elsewhere.
const PACE: Duration = Duration::from_secs(30);

/// How far the walk is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Walk {
    /// Where a walk that has not met the one before it is to go on, and where it began.
    ahead: Option<(CommitId, CommitId)>,
    /// The newest commit of the stretch that has been walked, and the first below it that has not;
    /// `None` where nothing is below it, or nothing that will be walked.
    walked: Option<(CommitId, Option<CommitId>)>,
    /// How many commits may still be looked at.
    left: u32,
    /// When to go on; `None` where there is nothing to do.
    due: Option<Timestamp>,
}

impl Walk {
    /// Begins at `head`. What was walked in one piece before will not be walked again.
    fn begin(&mut self, head: CommitId, now: Timestamp) {
        if self.walked.is_none() {
            self.walked = self.ahead.take().map(|(next, from)| (from, Some(next)));
        }
        self.ahead = Some((head.clone(), head));
        self.left = MOST;
        self.due = Some(now.after(PACE));
    }

    /// When to go on.
    pub(super) const fn due(&self) -> Option<Timestamp> {
        self.due
    }

    /// The commit to look at.
    fn next(&self) -> Option<&CommitId> {
        let below = || self.walked.as_ref().and_then(|(_, below)| below.as_ref());
        match &self.ahead {
            Some((next, _)) => Some(next),
            None => below(),
        }
    }

    /// Takes in that the next commit was looked at, and what its first parent is. Without one, or
    /// where that will not be looked at, the walk does not go further down.
    fn advance(&mut self, parent: Option<CommitId>) {
        self.left = self.left.saturating_sub(1);
        let parent = parent.filter(|_| self.left > 0);
        match (self.ahead.take(), parent) {
            (None, parent) => {
                if let Some((_, below)) = &mut self.walked {
                    *below = parent;
                }
            }
            (Some((_, from)), None) => self.walked = Some((from, None)),
            (Some((_, from)), Some(parent)) => match self.walked.take() {
                Some((top, below)) if top == parent => self.walked = Some((from, below)),
                walked => {
                    self.walked = walked;
                    self.ahead = Some((parent, from));
                }
            },
        }
    }
}

impl VaultIndex {
    /// Has the history walked from `head` down, if there are notes of which nobody knows when they
    /// were changed last.
    pub(super) fn begin_walk(&self, head: &CommitId) -> Result<(), Fault> {
        if undated(&*self.sql)? {
            let now = self.clock.now();
            self.facts
                .change(|facts| facts.walk.begin(head.clone(), now))?;
        }
        Ok(())
    }

    /// Walks on, if it is time to.
    ///
    /// # Errors
    /// Why GitHub does not answer. The walk goes on where it was, later.
    pub(super) async fn walk(&self) -> Result<(), StorageError> {
        let now = self.clock.now();
        if self
            .facts
            .read(|facts| facts.walk.due.is_none_or(|due| now < due))
        {
            return Ok(());
        }
        // Whatever comes of this go, the next one is not before its time.
        self.facts
            .change(|facts| facts.walk.due = Some(now.after(PACE)))?;
        for _ in 0..AT_A_TIME {
            if !undated(&*self.sql)? {
                // What was walked is of no use: the next walk ends where the notes have their times.
                return Ok(self.facts.change(|facts| facts.walk = Walk::default())?);
            }
            let Some(commit) = self.facts.read(|facts| facts.walk.next().cloned()) else {
                return Ok(self.facts.change(|facts| facts.walk.due = None)?);
            };
            let changes = match self.github.api().changes(&commit).await {
                Ok(changes) => Some(changes),
                // It is not known what this one changed, so of what is below it nothing is.
                Err(Refusal::Missing | Refusal::Final(StorageError::Unexpected(_))) => None,
                Err(refusal) => return Err(refusal.into()),
            };
            // A push may have begun a walk meanwhile.
            if self.facts.read(|facts| facts.walk.next() == Some(&commit)) {
                self.take_in_changes(changes)?;
            }
        }
        Ok(())
    }

    /// Takes in what the next commit changed; without an `await`, so that it is one commit of the
    /// database.
    fn take_in_changes(&self, changes: Option<CommitChanges>) -> Result<(), Fault> {
        let parent = match changes {
            None => None,
            Some(changes) => {
                date(&*self.sql, &changes.paths, changes.at)?;
                if changes.parent.is_none() {
                    // The first commit of all made what no later one has touched.
                    date_the_rest(&*self.sql, changes.at)?;
                }
                changes.parent.filter(|_| changes.is_complete)
            }
        };
        self.facts.change(|facts| facts.walk.advance(parent))
    }
}

/// Whether there are notes of which nobody knows when they were changed last.
fn undated(sql: &dyn Sql) -> Result<bool, Fault> {
    let rows = sql.exec("SELECT 1 FROM notes WHERE modified IS NULL LIMIT 1", &[])?;
    Ok(!rows.is_empty())
}

/// Takes in that the notes at these paths, if they are notes, were changed then; where a later time
/// is known, that stays.
pub(super) fn date(sql: &dyn Sql, paths: &[String], at: Timestamp) -> Result<(), Fault> {
    let parameters: [SqlValue; 2] = [at.into(), json!(paths).to_string().into()];
    sql.exec(
        "UPDATE notes SET modified = ?
         WHERE modified IS NULL AND path IN (SELECT value FROM json_each(?))",
        &parameters,
    )?;
    Ok(())
}

fn date_the_rest(sql: &dyn Sql, at: Timestamp) -> Result<(), Fault> {
    let statement = "UPDATE notes SET modified = ? WHERE modified IS NULL";
    sql.exec(statement, &[at.into()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Timestamp = Timestamp::from_unix_seconds(1_000);

    fn commit(n: u32) -> CommitId {
        CommitId::parse(&format!("{n:040}")).unwrap()
    }

    /// Walks until there is nothing to look at, in a history where the parent of each commit is the
    /// number below it; returns what was looked at.
    fn walk_to_the_end(walk: &mut Walk) -> Vec<u32> {
        let mut looked_at = Vec::new();
        while let Some(next) = walk.next() {
            let n: u32 = next.as_str().parse().unwrap();
            looked_at.push(n);
            walk.advance((n > 1).then(|| commit(n - 1)));
        }
        looked_at
    }

    #[test]
    fn a_walk_goes_down_to_the_first_commit() {
        let mut walk = Walk::default();
        assert_eq!(walk.next(), None);
        walk.begin(commit(4), T);
        assert_eq!(walk_to_the_end(&mut walk), [4, 3, 2, 1]);
    }

    #[test]
    fn what_was_walked_is_not_walked_again() {
        let mut walk = Walk::default();
        walk.begin(commit(6), T);
        walk.advance(Some(commit(5)));
        walk.advance(Some(commit(4)));
        // A push comes before the walk has come far, and another one before the walk has met it.
        walk.begin(commit(8), T);
        walk.advance(Some(commit(7)));
        walk.begin(commit(9), T);
        assert_eq!(walk_to_the_end(&mut walk), [9, 8, 7, 4, 3, 2, 1]);
        walk.begin(commit(11), T);
        assert_eq!(walk_to_the_end(&mut walk), [11, 10]);
        walk.begin(commit(12), T);
        assert_eq!(walk_to_the_end(&mut walk), [12]);
    }

    #[test]
    fn a_stretch_that_was_walked_is_jumped_over() {
        let mut walk = Walk {
            walked: Some((commit(6), Some(commit(3)))),
            ..Walk::default()
        };
        walk.begin(commit(8), T);
        assert_eq!(walk_to_the_end(&mut walk), [8, 7, 3, 2, 1]);
    }

    #[test]
    fn a_walk_ends_after_so_many_commits() {
        let mut walk = Walk::default();
        walk.begin(commit(10_000), T);
        assert_eq!(walk_to_the_end(&mut walk).len(), MOST as usize);
    }
}
