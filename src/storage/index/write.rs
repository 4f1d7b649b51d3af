//! Changes: one after the other, each seen by the next reader.

use std::{cell::Cell, time::Duration};

use super::{VaultIndex, facts::Stage, pace, rows::Content, schema::Fault};
use crate::{
    storage::github::{Done, Intent, Place, fits},
    vault::{
        policy::Writable,
        storage::{CommitInfo, Committed, Revision, StorageError},
    },
};

/// How many changes may wait for their turn. Whoever comes later is told to come back.
const QUEUE: usize = 8;

/// When to come back.
const COME_BACK: Duration = Duration::from_secs(2);

/// The longest that a change waits for GitHub's pace by itself.
const PATIENCE: Duration = Duration::from_secs(3);

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
        if let Intent::Create(content) | Intent::Update(_, content) = intent {
            fits(content)?;
        }
        let _waiting = Waiting::enter(&self.waiting)?;
        let _turn = self.turn.lock().await;
        let now = self.clock.now();
        if let Some(blocked) = self.facts.read(|facts| facts.blocked(now)) {
            return Err(blocked);
        }
        let made = self.make(note, intent, info).await;
        match &made {
            Ok(done) => self.take_in(note, intent, done)?,
            Err(error) => {
                self.take_failure(error)?;
                // The index knows less than GitHub: the next reader looks first.
                self.facts
                    .change(|facts| facts.dirty |= contradicts_the_index(error))?;
            }
        }
        made.map(|done| done.committed)
    }

    async fn make(
        &self,
        note: &Writable,
        intent: Intent<'_>,
        info: &CommitInfo,
    ) -> Result<Done, StorageError> {
        // GitHub does not compare the revision of a note that is gone: it would make it again. So the
        // branch is looked at before every replacement, however fresh the last look is; where nothing
        // has changed, GitHub does not count that.
        if matches!(intent, Intent::Update(..))
            || self.facts.read(|facts| facts.stage == Stage::New)
        {
            self.look().await?;
        }
        let ready = self.facts.read(|facts| facts.stage == Stage::Ready);
        if ready {
            self.check(note, intent).await?;
        }
        self.keep_pace().await?;
        if ready {
            self.github.apply(note.as_str(), intent, info).await
        } else {
            self.github
                .check_and_apply(note.as_str(), intent, info)
                .await
        }
    }

    /// Refuses what GitHub would do although it must not be done. A revision that differs is no
    /// such thing: GitHub compares it, and knows better.
    async fn check(&self, note: &Writable, intent: Intent<'_>) -> Result<(), StorageError> {
        let missing = match intent {
            Intent::Create(_) if self.obstructed(note).await? => {
                return Err(StorageError::AlreadyExists { revision: None });
            }
            Intent::Create(_) => return Ok(()),
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

    /// Whether something that is no note stands at `path`, or something that is no folder above
    /// it. What has notes below it is a folder; what else there may be, only GitHub knows.
    async fn obstructed(&self, note: &Writable) -> Result<bool, StorageError> {
        let path = note.as_str();
        let Some(head) = self.facts.read(|facts| facts.head.clone()) else {
            return Ok(false);
        };
        if self.rows.any_below(path)? {
            return Ok(true);
        }
        for folder in path
            .match_indices('/')
            .filter_map(|(end, _)| path.get(..end))
        {
            if self.rows.any_below(folder)? {
                continue;
            }
            match self.github.api().place(folder, &head).await? {
                Place::Free => return Ok(false),
                Place::Folder => {}
                Place::Taken => return Ok(true),
            }
        }
        // Where the path is free or a note's, GitHub's own comparison does the rest.
        let impostors = self.facts.read(|facts| facts.impostors);
        Ok(impostors
            && self.rows.find(note.visible())?.is_none()
            && self.github.api().place(path, &head).await? != Place::Free)
    }

    /// Waits a little where changes follow too fast, and refuses to wait long.
    async fn keep_pace(&self) -> Result<(), StorageError> {
        while let Some(left) = pace::wait(&*self.sql, self.clock.now())? {
            if left > PATIENCE {
                return Err(StorageError::RateLimited { retry_after: left });
            }
            self.sleep.sleep(left).await;
        }
        Ok(pace::count(&*self.sql, self.clock.now())?)
    }

    /// Takes a change that GitHub has made into the index, without an `await`: whoever reads after
    /// the change was acknowledged reads it.
    fn take_in(&self, note: &Writable, intent: Intent<'_>, done: &Done) -> Result<(), Fault> {
        match intent {
            Intent::Create(content) | Intent::Update(_, content) => {
                let revision = Revision::of(content);
                self.rows
                    .put(note.visible(), &revision, &Content::Bytes(content))?;
            }
            Intent::Delete(_) => self.rows.remove(note.as_str())?,
        }
        self.written.borrow_mut().insert(note.as_str().to_owned());
        let now = self.clock.now();
        self.facts.change(|facts| {
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
    matches!(
        error,
        StorageError::NotFound
            | StorageError::AlreadyExists { .. }
            | StorageError::Conflict { .. }
            | StorageError::Unavailable {
                outcome_unknown: true
            }
    )
}
