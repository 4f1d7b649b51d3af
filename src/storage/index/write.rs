//! Changes: one after the other, each seen by the next reader.

use std::{cell::Cell, time::Duration};

use super::{VaultIndex, facts::Stage, pace::Pace, rows::Content, schema::Fault, walk};
use crate::{
    storage::github::{Done, Intent, fits},
    vault::{
        policy::Writable,
        storage::{CommitInfo, Committed, Revision, StorageError},
    },
};

/// How many changes may wait for their turn. Whoever comes later is told to come back.
const QUEUE: usize = 8;

/// When to come back.
const COME_BACK: Duration = Duration::from_secs(2);

/// A place in the queue, until it is dropped.
struct Waiting<'a>(&'a Cell<usize>);

impl<'a> Waiting<'a> {
    fn enter(waiting: &'a Cell<usize>) -> Result<Self, StorageError> {
        if waiting.get() > QUEUE {
            return Err(StorageError::RateLimited {
                retry_after: COME_BACK,
            });
        }
        waiting.set(waiting.get() + 1);
        Ok(Self(waiting))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl VaultIndex {
    /// Makes one change when its turn has come.
    pub(super) async fn change(
        &self,
        note: &Writable,
        intent: Intent<'_>,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        if let Intent::Create(_, content) | Intent::Update(_, content) = intent {
            fits(content)?;
        }
        let _waiting = Waiting::enter(&self.waiting)?;
        let _turn = self.take_turn().await?;
        let now = self.clock.now();
        if let Some(blocked) = self.facts.read(|facts| facts.blocked(now)) {
            return Err(blocked);
        }
        let permit = (&*self.permits, &info.permit);
        let pace = Pace::new(self.pacing, &*self.sql, &*self.clock, &*self.sleep, permit);
        let made = self.make(note, intent, info, &pace).await;
        match &made {
            Ok(done) => self.take_in(note, intent, done)?,
            Err(error) => {
                if !pace.has_refused() {
                    self.take_failure(error)?;
                }
                self.facts.change(|facts| {
                    facts.sent = None;
                    // The index may know less than GitHub: then the next reader looks first.
                    facts.dirty |= contradicts_the_index(error);
                })?;
            }
        }
        made.map(|done| done.committed)
    }

    async fn make(
        &self,
        note: &Writable,
        intent: Intent<'_>,
        info: &CommitInfo,
        pace: &Pace<'_>,
    ) -> Result<Done, StorageError> {
        // GitHub compares the revision of a note that is there, and nothing else: it would make a
        // note again that is gone, and make one beside its twin. So the branch is looked at before
        // every change but a deletion, however fresh the last look is; where nothing has changed,
        // GitHub does not count that.
        if !matches!(intent, Intent::Delete(_))
            || self.facts.read(|facts| facts.stage == Stage::New)
        {
            self.look().await?;
        }
        let ready = self.facts.read(|facts| facts.stage == Stage::Ready);
        if ready {
            self.check(note, intent).await?;
        }
        // Should this break off, nobody knows what became of it.
        let now = self.clock.now();
        self.facts.change(|facts| facts.sent = Some(now))?;
        if ready {
            self.github.apply(note, intent, info, pace).await
        } else {
            self.github.check_and_apply(note, intent, info, pace).await
        }
    }

    /// Refuses what GitHub would do although it must not be done. A revision that differs is no
    /// such thing: GitHub compares it, and knows better.
    async fn check(&self, note: &Writable, intent: Intent<'_>) -> Result<(), StorageError> {
        let missing = match intent {
            Intent::Create(sieve, _) => return self.check_room(sieve, note).await,
            Intent::Update(..) => StorageError::Conflict { current: None },
            Intent::Delete(_) => StorageError::NotFound,
        };
        if self.rows.find(note.visible())?.is_some() {
            return Ok(());
        }
        self.look().await?;
        match self.rows.find(note.visible())? {
            Some(_) => Ok(()),
            None => Err(missing),
        }
    }

    /// Takes a change that GitHub has made into the index, without an `await`: whoever reads after
    /// the change was acknowledged reads it.
    fn take_in(&self, note: &Writable, intent: Intent<'_>, done: &Done) -> Result<(), Fault> {
        let now = self.clock.now();
        match intent {
            Intent::Create(_, content) | Intent::Update(_, content) => {
                let revision = Revision::of(content);
                self.rows
                    .put(note.visible(), &revision, &Content::Bytes(content))?;
                walk::date(&*self.sql, &[note.as_str().to_owned()], now)?;
            }
            Intent::Delete(_) => self.rows.remove(note.as_str())?,
        }
        self.written.borrow_mut().insert(note.as_str().to_owned());
        self.facts.change(|facts| {
            facts.sent = None;
            facts.heads = self.github.heads();
            match &done.written {
                Some(written) if written.parent == facts.head => {
                    facts.head = Some(written.commit.clone());
                    facts.answered(now);
                }
                // Somebody else's commit lies between.
                Some(_) | None => facts.dirty = true,
            }
        })
    }
}

/// Whether a failure shows that the branch is not as the index has it, or may not be.
const fn contradicts_the_index(error: &StorageError) -> bool {
    match error {
        StorageError::NotFound
        | StorageError::AlreadyExists { .. }
        | StorageError::Conflict { .. }
        | StorageError::Unavailable { .. }
        | StorageError::Unexpected(_) => true,
        StorageError::NoRoom
        | StorageError::FolderTwin(_)
        | StorageError::UnknownCommit
        | StorageError::TooLarge { .. }
        | StorageError::Withdrawn
        | StorageError::RateLimited { .. }
        | StorageError::PathRefused
        | StorageError::Rejected(_)
        | StorageError::Denied(_) => false,
    }
}
