//! Brings the index to a commit.
//!
//! Small differences, up to [`HELD`] bytes, are gathered first and applied in one step, so that a
//! reader never sees half a push. Larger ones cannot be held: the index says that it is being
//! built, GitHub answers in its place, and rows are written batch by batch, each one right in
//! itself. A run that breaks off is taken up by the next one, which finds less to do.

use std::rc::Rc;

use super::{
    VaultIndex,
    facts::Stage,
    obstacles,
    plan::{Plan, Wanted},
    rows::Content,
    schema::Fault,
    walk,
};
use crate::{
    runtime::Timestamp,
    storage::github::Tree,
    vault::storage::{CommitId, StorageError},
};

/// The most bytes of notes that are held to be applied in one step.
const HELD: u64 = 16 * 1024 * 1024;

/// The same for the first notes of all: a reader waits for them. More are left to the background,
/// because what a reader stops waiting for has been fetched in vain.
const HELD_AT_FIRST: u64 = 1024 * 1024;

/// The most bytes of notes in one batch. Every batch is one commit of the database.
const BATCH: u64 = 2 * 1024 * 1024;

/// How often a build starts over because somebody wrote while it ran.
const ROUNDS: u32 = 3;

impl VaultIndex {
    /// Brings the index to `head` in one step, or finds that this takes a build. `changed_at` is when
    /// what changed did so, where that is known. The caller holds the turn.
    pub(super) async fn follow(
        &self,
        head: Option<CommitId>,
        changed_at: Option<Timestamp>,
    ) -> Result<(), StorageError> {
        let tree = self.tree(head.as_ref()).await?;
        let mut plan = Plan::new(&self.rows.revisions()?, &tree, &*self.sieve);
        let most = match self.facts.read(|facts| facts.stage) {
            Stage::New => HELD_AT_FIRST,
            Stage::Building | Stage::Ready => HELD,
        };
        if plan.bytes() > most {
            return Ok(self.facts.change(|facts| facts.stage = Stage::Building)?);
        }
        let mut arrived = self.at_hand(&mut plan)?;
        if let Some(head) = &head {
            let wanted = std::mem::take(&mut plan.fetch);
            let mut sink = |each, bytes| {
                arrived.push((each, bytes));
                Ok(())
            };
            if !self.fetch(head, &tree, wanted, &mut sink).await? {
                return Ok(self.facts.change(|facts| facts.stage = Stage::Building)?);
            }
        }
        Ok(self.apply(&plan, &arrived, (head, &tree), changed_at)?)
    }

    /// The last step of [`Self::follow`]: without an `await`, so that it is one commit of the
    /// database. Should it break off all the same, the index is left as one that is being built.
    fn apply(
        &self,
        plan: &Plan,
        arrived: &[(Wanted, Vec<u8>)],
        (head, tree): (Option<CommitId>, &Tree),
        changed_at: Option<Timestamp>,
    ) -> Result<(), Fault> {
        self.facts.change(|facts| facts.stage = Stage::Building)?;
        for path in &plan.gone {
            self.rows.remove(path)?;
        }
        for each in &plan.large {
            let content = Content::Elsewhere(each.bytes);
            self.rows.put(&each.path, &each.revision, &content)?;
        }
        for (each, bytes) in arrived {
            let content = Content::Bytes(bytes);
            self.rows.put(&each.path, &each.revision, &content)?;
        }
        match (changed_at, &head) {
            (Some(at), _) => {
                let arrived = arrived.iter().map(|(each, _)| each);
                let changed = plan.large.iter().chain(arrived);
                let paths: Vec<_> = changed.map(|each| each.path.as_str().to_owned()).collect();
                walk::date(&*self.sql, &paths, at)?;
            }
            (None, Some(head)) => self.begin_walk(head)?,
            (None, None) => {}
        }
        self.arrive(head, tree)
    }

    /// Builds the index, however large the vault is. Takes as long as it takes: for the
    /// background only.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading. What has been built until then stays.
    pub(super) async fn build(&self) -> Result<(), StorageError> {
        let _build = self.builds.lock().await;
        for _ in 0..ROUNDS {
            if self.facts.read(|facts| facts.stage == Stage::Ready) {
                return Ok(());
            }
            let head = {
                // Who looks at the branch at the same time need not ask again.
                let _turn = self.take_turn().await?;
                self.facts.change(|facts| facts.stage = Stage::Building)?;
                self.written.borrow_mut().clear();
                self.reported_head().await?
            };
            self.build_round(head).await?;
        }
        Ok(())
    }

    /// One round. The index is ready after it, unless there was too much to fetch or somebody
    /// wrote meanwhile.
    async fn build_round(&self, head: Option<CommitId>) -> Result<(), StorageError> {
        let tree = self.tree(head.as_ref()).await?;
        let mut plan = Plan::new(&self.rows.revisions()?, &tree, &*self.sieve);
        self.progress.set(Some((0, plan.fetch.len())));
        let mut batch = Batch {
            index: self,
            notes: self.at_hand(&mut plan)?,
            bytes: 0,
        };
        let complete = match &head {
            None => true,
            Some(head) => {
                let wanted = std::mem::take(&mut plan.fetch);
                let mut sink = |each: Wanted, bytes: Vec<u8>| Ok(batch.add(each, bytes)?);
                self.fetch(head, &tree, wanted, &mut sink).await?
            }
        };
        batch.write()?;
        for each in &plan.large {
            self.put_unless_written(each, &Content::Elsewhere(each.bytes))?;
        }
        let written = self.written.borrow();
        for path in plan.gone.iter().filter(|path| !written.contains(*path)) {
            self.rows.remove(path)?;
        }
        if !complete || !written.is_empty() {
            // What was written meanwhile stays as it was written; only a look at the branch after
            // it can tell which commit the rows belong to.
            return Ok(());
        }
        self.progress.set(None);
        if let Some(head) = &head {
            self.begin_walk(head)?;
        }
        Ok(self.arrive(head, &tree)?)
    }

    /// Takes in that the rows are all notes of `head`, which holds `tree`.
    fn arrive(&self, head: Option<CommitId>, tree: &Tree) -> Result<(), Fault> {
        obstacles::keep(&*self.sql, tree, &*self.sieve)?;
        self.github.drop_tree();
        // A reader may have seen the branch move on meanwhile: nobody may be shown less than that,
        // so the next one looks again, however fresh the last look is.
        let moved_on = self.github.heads().newest() != head.as_ref();
        self.facts.change(|facts| {
            facts.head = head;
            facts.impostors = self.has_impostors(tree);
            facts.stage = Stage::Ready;
            facts.dirty = moved_on;
        })
    }

    fn has_impostors(&self, tree: &Tree) -> bool {
        tree.others().any(|path| self.sieve.admit(path).is_some())
    }

    async fn tree(&self, head: Option<&CommitId>) -> Result<Rc<Tree>, StorageError> {
        match head {
            Some(head) => Ok(self.github.tree(head).await?),
            None => Ok(Rc::default()),
        }
    }

    /// Takes the notes that only have another path now out of `plan`, with their bytes. Those
    /// whose bytes are not at hand after all are fetched.
    fn at_hand(&self, plan: &mut Plan) -> Result<Vec<(Wanted, Vec<u8>)>, Fault> {
        let mut found = Vec::new();
        for (each, other) in std::mem::take(&mut plan.moved) {
            match self.rows.content(&other, &each.revision)? {
                Some(bytes) => found.push((each, bytes)),
                None => plan.fetch.push(each),
            }
        }
        Ok(found)
    }

    fn put_unless_written(&self, each: &Wanted, content: &Content<'_>) -> Result<(), Fault> {
        if self.written.borrow().contains(each.path.as_str()) {
            return Ok(());
        }
        self.rows.put(&each.path, &each.revision, content)
    }
}

/// Notes that wait to be written together.
struct Batch<'a> {
    index: &'a VaultIndex,
    notes: Vec<(Wanted, Vec<u8>)>,
    bytes: u64,
}

impl Batch<'_> {
    fn add(&mut self, each: Wanted, bytes: Vec<u8>) -> Result<(), Fault> {
        self.bytes += each.bytes;
        self.notes.push((each, bytes));
        if self.bytes >= BATCH {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> Result<(), Fault> {
        for (each, bytes) in &self.notes {
            self.index
                .put_unless_written(each, &Content::Bytes(bytes))?;
        }
        if let Some((done, of)) = self.index.progress.get() {
            self.index.progress.set(Some((done + self.notes.len(), of)));
        }
        self.notes.clear();
        self.bytes = 0;
        Ok(())
    }
}
