//! Keeps the index as fresh as a reader needs it, at the price of one request that GitHub does not
//! count.

use std::{pin::pin, time::Duration};

use futures_util::future::{Either, select};
use tokio::sync::MutexGuard;

use super::{
    VaultIndex,
    facts::{Facts, Stage},
    obstacles,
    schema::Fault,
};
use crate::{
    runtime::Timestamp,
    storage::github::Refusal,
    vault::storage::{CommitId, Denial, StorageError},
};

/// How old the last look at the branch may be before a reader wants another one.
const MAX_AGE: Duration = Duration::from_secs(10);

/// The same, while GitHub is known to name an older commit than the head, or may do so.
const MAX_AGE_LAGGING: Duration = Duration::from_secs(2);

/// The same, once GitHub has told of a push by itself.
const MAX_AGE_TOLD: Duration = Duration::from_mins(1);

/// How old the last look may be so that what has been pushed since counts as pushed just now.
const JUST_NOW: Duration = Duration::from_mins(2);

/// How long a reader waits for the look. After that the index answers as it is.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// How long readers are spared after a look that failed or took too long. The background goes on.
const REST: Duration = Duration::from_secs(5);

impl VaultIndex {
    /// Has the index looked at the branch lately, and says whether it can answer by itself.
    ///
    /// # Errors
    /// Why there is neither an index nor an answer from GitHub; and, however good the index, that
    /// GitHub has refused the token for so long that nothing may be shown any more.
    pub(super) async fn freshen(&self) -> Result<bool, StorageError> {
        let looked = self.look_if_due().await;
        let now = self.clock.now();
        if let Some(withheld) = self.facts.read(|facts| facts.withheld(now)) {
            return Err(withheld);
        }
        let stage = self.facts.read(|facts| facts.stage);
        match (stage, looked) {
            (Stage::Ready, _) => Ok(true),
            (Stage::New | Stage::Building, Ok(())) => Ok(false),
            (Stage::New | Stage::Building, Err(error)) => Err(error),
        }
    }

    /// Waits until nobody else changes something or looks at the branch.
    pub(super) async fn take_turn(&self) -> Result<MutexGuard<'_, ()>, Fault> {
        let turn = self.turn.lock().await;
        // Whoever had sent this is gone, with its answer.
        self.facts.change(|facts| {
            facts.dirty |= facts.sent.take().is_some();
        })?;
        Ok(turn)
    }

    /// Whether a change was sent and then broken off, here or in an earlier life of the index.
    pub(super) fn has_lost_a_change(&self) -> bool {
        self.facts.read(|facts| facts.sent.is_some()) && self.turn.try_lock().is_ok()
    }

    async fn look_if_due(&self) -> Result<(), StorageError> {
        let now = self.clock.now();
        let fresh = self
            .facts
            .read(|facts| is_fresh(facts, self.told.get(), now));
        let has_lost_a_change = self.has_lost_a_change();
        if fresh && !has_lost_a_change {
            return Ok(());
        }
        if let Some(blocked) = self.facts.read(|facts| facts.blocked(now)) {
            return Err(blocked);
        }
        let rests = self.rest_until.get().is_some_and(|until| now < until);
        match self.facts.read(|facts| facts.stage) {
            Stage::Building if !has_lost_a_change => return Ok(()),
            Stage::Ready if rests => return Ok(()),
            Stage::New | Stage::Building | Stage::Ready => {}
        }
        // Callers that come while one is looking wait for the turn, and find the look done.
        let look = pin!(async {
            let _turn = self.take_turn().await?;
            if self
                .facts
                .read(|facts| is_fresh(facts, self.told.get(), self.clock.now()))
            {
                return Ok(());
            }
            self.look().await
        });
        let looked = match select(look, self.sleep.sleep(PATIENCE)).await {
            Either::Left((looked, _)) => looked.map(|()| None),
            Either::Right(((), _)) => Ok(Some(REST)),
        };
        let rest = looked.as_ref().map_or(Some(REST), |rest| *rest);
        self.rest_until
            .set(rest.map(|rest| self.clock.now().after(rest)));
        looked.map(|_| ())
    }

    /// Takes in that `reference` is said to be at `head` now: if that is our branch, the next reader
    /// looks. A message that comes again or late changes nothing, and neither does a false one.
    pub(super) fn hear(&self, reference: &str, head: &CommitId) -> Result<(), Fault> {
        let branch = reference.strip_prefix("refs/heads/");
        // As long as nobody has asked which branch is the default one, it may be any.
        let ours = self.github.api().known_branch();
        if branch.is_none() || ours.is_some_and(|ours| Some(ours.as_str()) != branch) {
            return Ok(());
        }
        self.rest_until.set(None);
        self.told.set(true);
        self.facts
            .change(|facts| facts.dirty |= facts.head.as_ref() != Some(head))
    }

    /// Looks at the branch and brings the index to it. The caller holds the turn.
    pub(super) async fn look(&self) -> Result<(), StorageError> {
        let looked = self.look_and_follow().await;
        if let Err(error) = &looked {
            self.take_failure(error)?;
        }
        looked
    }

    async fn look_and_follow(&self) -> Result<(), StorageError> {
        if self.facts.read(|facts| facts.stage == Stage::New) {
            self.bind().await?;
        }
        let looked_before = self.facts.read(|facts| facts.checked_at);
        let head = self.reported_head().await?;
        let facts = self.facts.get();
        let now = self.clock.now();
        let just_now = looked_before.is_some_and(|then| now < then.after(JUST_NOW));
        match facts.stage {
            Stage::Building => Ok(()),
            Stage::Ready if facts.head == head => {
                // Somebody has seen the branch further on than GitHub says it is: look again soon.
                Ok(self.facts.change(|facts| {
                    facts.lagging |= facts.dirty;
                    facts.dirty = false;
                })?)
            }
            Stage::Ready => {
                // Should this break off, it is known that there is something to follow.
                self.facts.change(|facts| facts.dirty = true)?;
                self.follow(head, just_now.then_some(now)).await
            }
            // A build in the background may be ahead: then GitHub answers until it is done.
            Stage::New => match self.builds.try_lock() {
                Ok(_build) => self.follow(head, None).await,
                Err(_) => Ok(()),
            },
        }
    }

    /// The head of the branch, as GitHub names it or as it is known to be by now.
    pub(super) async fn reported_head(&self) -> Result<Option<CommitId>, StorageError> {
        let known = self.github.heads().newest().cloned();
        let reported = match self.github.api().head(known.as_ref()).await {
            Ok(reported) => reported,
            Err(Refusal::Missing) => return Err(self.github.why_no_branch().await),
            Err(refusal) => return Err(refusal.into()),
        };
        let head = self.github.settle(reported.as_ref());
        self.facts.change(|facts| {
            facts.answered(self.clock.now());
            facts.token_expires_at = self.github.api().token_expires_at();
            facts.lagging = head != reported;
            facts.heads = self.github.heads();
        })?;
        Ok(head)
    }

    /// Makes sure that the notes at hand are of the repository that goes by the configured name.
    /// Asks once, however many readers wait for the index.
    pub(super) async fn bind(&self) -> Result<(), StorageError> {
        let id = match self.github.api().identity().await {
            Ok(repository) => repository.id,
            Err(Refusal::Missing) => {
                return Err(StorageError::Denied(Denial::RepositoryNotFound));
            }
            Err(refusal) => return Err(refusal.into()),
        };
        if self
            .facts
            .read(|facts| facts.repository.is_some_and(|kept| kept != id))
        {
            self.forget()?;
        }
        Ok(self.facts.change(|facts| facts.repository = Some(id))?)
    }

    /// Takes in a failure of a request to GitHub.
    pub(super) fn take_failure(&self, error: &StorageError) -> Result<(), Fault> {
        let now = self.clock.now();
        self.facts.change(|facts| facts.failed(error, now))
    }

    /// Erases every note, and all that is known but the policy.
    pub(super) fn forget(&self) -> Result<(), Fault> {
        self.rows.clear()?;
        obstacles::clear(&*self.sql)?;
        self.github.api().forget_identity();
        self.facts.change(|facts| {
            *facts = Facts {
                policy: std::mem::take(&mut facts.policy),
                outage: facts.outage.take(),
                ..Facts::default()
            };
        })?;
        self.github.remember(self.facts.get().heads);
        Ok(())
    }
}

fn is_fresh(facts: &Facts, told: bool, now: Timestamp) -> bool {
    let max_age = match (facts.lagging, told) {
        (true, _) => MAX_AGE_LAGGING,
        (false, true) => MAX_AGE_TOLD,
        (false, false) => MAX_AGE,
    };
    facts.stage == Stage::Ready
        && !facts.dirty
        && facts
            .checked_at
            .is_some_and(|checked| now < checked.after(max_age))
}
