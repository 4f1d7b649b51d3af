//! One change of one note, carried through what can come between.
//!
//! GitHub compares the file's blob id and makes one commit, or refuses. What is left to do here is
//! to try again where another commit got in first, to find out what became of a request that was
//! not answered, and to say what a refusal means.

use std::rc::Rc;

use async_trait::async_trait;

use super::{
    GithubStorage,
    api::{FileChange, Written},
    error::Refusal,
    tree::{Node, Tree},
};
use crate::vault::{
    policy::{Visible, Writable},
    room::obstacles,
    storage::{CommitInfo, Committed, Denial, Revision, Sieve, StorageError},
};

/// How often a change is sent again because another commit moved the branch.
const RACES: u32 = 3;

/// How often the branch is read to find out what became of a change. With a pause before each look
/// that is longer than GitHub is known to lag.
const LOOKS: u32 = 7;

/// How often the branch is read to find out what a change conflicts with.
const CONFLICT_LOOKS: u32 = 3;

/// Says when a request that changes something may be sent. Every one is asked for, also one that is
/// sent again.
#[async_trait(?Send)]
pub(in crate::storage) trait Pace {
    /// Waits for the moment.
    ///
    /// # Errors
    /// [`StorageError::RateLimited`] where it is too far away to wait for.
    async fn admit(&self) -> Result<(), StorageError>;
}

/// What is to be done to a note.
#[derive(Clone, Copy)]
pub(in crate::storage) enum Intent<'a> {
    /// Make it where there is none, and room for it beside the notes that the sieve admits.
    Create(&'a dyn Sieve, &'a [u8]),
    /// Replace the bytes of this revision.
    Update(&'a Revision, &'a [u8]),
    /// Remove this revision.
    Delete(&'a Revision),
}

/// A change that is made.
#[derive(Clone, Debug)]
pub(in crate::storage) struct Done {
    /// What the caller is told.
    pub(in crate::storage) committed: Committed,
    /// GitHub's own account; `None` where its answer was lost and the change was found later.
    pub(in crate::storage) written: Option<Written>,
}

/// A change on its way.
pub(super) struct Change<'a> {
    pub(super) storage: &'a GithubStorage,
    pub(super) note: &'a Writable,
    pub(super) intent: Intent<'a>,
    pub(super) info: &'a CommitInfo,
}

impl Change<'_> {
    /// Makes the change, or says why it was not made.
    ///
    /// GitHub would do three things that must not be done: put a note in the place of a link or a
    /// folder, put one beside its twin, and make a note again of which only the base is known. The
    /// caller has made sure of that, or calls [`Self::check`] first.
    ///
    /// 1. Send the change when its time has come.
    /// 2. Where another commit moved the branch, nothing was changed: send it again.
    /// 3. Where no answer came, look whether the change is made; where it is not, send it again,
    ///    once. GitHub compares the base, so that of two requests at most one makes a commit.
    /// 4. After a request without an answer a refusal explains nothing: it may answer the second
    ///    of two requests of which the first was carried out, and somebody may have changed the
    ///    note again since. Only a branch that holds the change tells that it was made.
    pub(super) async fn carry_out(self, pace: &dyn Pace) -> Result<Done, StorageError> {
        let mut races = 0;
        let mut unanswered = false;
        loop {
            // (1)
            let sent = match pace.admit().await {
                Ok(()) => self.send().await,
                Err(refused) => Err(Refusal::Final(refused)),
            };
            match sent {
                Ok(done) => return Ok(done),
                // (2)
                Err(Refusal::TipMoved) if races < RACES => {
                    races += 1;
                    self.storage.pause().await;
                }
                // (3)
                Err(Refusal::NoOutcome) if !unanswered => {
                    unanswered = true;
                    if let Some(done) = self.look_for_it(1).await? {
                        return Ok(done);
                    }
                }
                // (4)
                Err(_) if unanswered => {
                    return self
                        .look_for_it(LOOKS)
                        .await?
                        .ok_or(StorageError::Unavailable {
                            outcome_unknown: true,
                        });
                }
                Err(refusal) => return Err(self.meaning(refusal).await),
            }
        }
    }

    /// Refuses the change where the head's tree shows that it must not be made.
    pub(super) async fn check(&self) -> Result<(), StorageError> {
        let tree = match self.storage.snapshot(None).await? {
            Some((_, tree)) => tree,
            None => Rc::default(),
        };
        let is_there = tree.file(self.note.as_str()).is_some();
        match self.intent {
            // GitHub says which revision is there.
            Intent::Create(..) if is_there => Ok(()),
            Intent::Create(sieve, _) => {
                let shown = tree.files().filter_map(|(path, ..)| sieve.admit(path));
                let shown: Vec<_> = shown.collect();
                if !obstacles(self.note.path(), shown.iter().map(Visible::path)).is_empty() {
                    Err(StorageError::NoRoom)
                } else if tree.obstructs(self.note.as_str()) {
                    Err(StorageError::AlreadyExists { revision: None })
                } else {
                    tree.refuse_twin(self.note.path(), sieve)
                }
            }
            Intent::Update(..) if !is_there => Err(StorageError::Conflict { current: None }),
            Intent::Delete(_) if !is_there => Err(StorageError::NotFound),
            Intent::Update(..) | Intent::Delete(_) => Ok(()),
        }
    }

    /// Sends the change once.
    async fn send(&self) -> Result<Done, Refusal> {
        let api = &self.storage.api;
        let change = |base| FileChange {
            path: self.note.as_str(),
            base,
            info: self.info,
        };
        let (written, recreated) = match self.intent {
            Intent::Create(_, content) => (api.put(&change(None), content).await?, false),
            Intent::Update(base, content) => {
                let written = api.put(&change(Some(base)), content).await?;
                let recreated = written.created;
                (written, recreated)
            }
            Intent::Delete(base) => (api.delete(&change(Some(base))).await?, false),
        };
        let node = match self.intent {
            Intent::Create(_, content) | Intent::Update(_, content) => Some(Node::File {
                revision: Revision::of(content),
                bytes: content.len() as u64,
            }),
            Intent::Delete(_) => None,
        };
        self.storage
            .advance(written.parent.as_ref(), &written.commit);
        self.storage.grow_tree(&written, self.note.as_str(), node);
        let committed = self.storage.committed(written.commit.clone(), recreated);
        Ok(Done {
            committed,
            written: Some(written),
        })
    }

    /// Looks whether a change that was not answered has been made, `looks` times with a pause
    /// before each.
    async fn look_for_it(&self, looks: u32) -> Result<Option<Done>, StorageError> {
        for _ in 0..looks {
            self.storage.pause().await;
            match self.look_once().await {
                Ok(None) => {}
                Ok(made) => return Ok(made),
                Err(_) => {
                    return Err(StorageError::Unavailable {
                        outcome_unknown: true,
                    });
                }
            }
        }
        Ok(None)
    }

    async fn look_once(&self) -> Result<Option<Done>, StorageError> {
        match self.storage.snapshot(None).await? {
            Some((head, tree)) if self.is_made(&tree) => {
                // A look that is behind this one would take the change for a reset.
                self.storage.advance(None, &head);
                let path = self.note.as_str();
                let commit = self.storage.api.last_change(path, &head).await?;
                Ok(Some(Done {
                    committed: self.storage.committed(commit.unwrap_or(head), false),
                    written: None,
                }))
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Whether a tree is as the change would leave it.
    fn is_made(&self, tree: &Tree) -> bool {
        match self.intent {
            Intent::Create(_, content) | Intent::Update(_, content) => tree
                .file(self.note.as_str())
                .is_some_and(|(revision, _)| *revision == Revision::of(content)),
            Intent::Delete(_) => tree.get(self.note.as_str()).is_none(),
        }
    }

    /// What the refusal of a change means of which no request went unanswered.
    async fn meaning(&self, refusal: Refusal) -> StorageError {
        match refusal {
            Refusal::NoOutcome => StorageError::Unavailable {
                outcome_unknown: true,
            },
            Refusal::ShaMismatch | Refusal::ShaMissing => self.conflict().await,
            Refusal::TipMoved => StorageError::Unavailable {
                outcome_unknown: false,
            },
            Refusal::Missing => match self.storage.why_refused().await {
                Some(reason) => reason,
                None => self.unexplained().await,
            },
            Refusal::EmptyRepository | Refusal::TooLarge | Refusal::Final(_) => refusal.into(),
        }
    }

    /// The conflict with what stands at the path now. GitHub may still show what stood there
    /// before: such a look explains nothing, and another one follows.
    async fn conflict(&self) -> StorageError {
        let mut current = None;
        for look in 0..CONFLICT_LOOKS {
            if look > 0 {
                self.storage.pause().await;
            }
            current = match self.revision_now().await {
                Ok(revision) => revision,
                Err(error) => return error,
            };
            let explains = match self.intent {
                Intent::Create(..) => current.is_some(),
                Intent::Update(base, _) | Intent::Delete(base) => current.as_ref() != Some(base),
            };
            if explains {
                break;
            }
        }
        match (self.intent, current) {
            (Intent::Create(..), revision) => StorageError::AlreadyExists { revision },
            (Intent::Delete(_), None) => StorageError::NotFound,
            (Intent::Update(..) | Intent::Delete(_), current) => StorageError::Conflict { current },
        }
    }

    /// 404 although repository and branch are there: the note is gone, or GitHub hides that the
    /// token may not write.
    async fn unexplained(&self) -> StorageError {
        match (self.intent, self.revision_now().await) {
            (_, Err(error)) => error,
            (Intent::Delete(_), Ok(None)) => StorageError::NotFound,
            (_, Ok(_)) => StorageError::Denied(Denial::MissingPermission),
        }
    }

    /// The revision of the note at the path now, if there is one.
    async fn revision_now(&self) -> Result<Option<Revision>, StorageError> {
        let snapshot = self.storage.snapshot(None).await?;
        Ok(snapshot.and_then(|(_, tree)| {
            tree.file(self.note.as_str())
                .map(|(revision, _)| revision.clone())
        }))
    }
}
