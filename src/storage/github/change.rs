//! One change of one note, carried through what can come between.
//!
//! GitHub compares the file's blob id and makes one commit, or refuses. What is left to do here is
//! to try again where another commit got in first, to find out what became of a request that was
//! not answered, and to say what a refusal means.

use super::{
    GithubStorage,
    api::{FileChange, Written},
    error::Refusal,
    tree::Tree,
};
use crate::vault::storage::{CommitInfo, Committed, Denial, Revision, StorageError};

/// How often a change is sent again because another commit moved the branch.
const RACES: u32 = 3;

/// How often the branch is read to find out what became of a change.
const LOOKS: u32 = 3;

/// What is to be done to a note.
#[derive(Clone, Copy, Debug)]
pub(in crate::storage) enum Intent<'a> {
    /// Make it where there is none.
    Create(&'a [u8]),
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
#[derive(Debug)]
pub(super) struct Change<'a> {
    storage: &'a GithubStorage,
    path: &'a str,
    intent: Intent<'a>,
    info: &'a CommitInfo,
    /// Whether a request was sent that may have made the change without saying so.
    open: bool,
}

impl<'a> Change<'a> {
    pub(super) fn new(
        storage: &'a GithubStorage,
        path: &'a str,
        intent: Intent<'a>,
        info: &'a CommitInfo,
    ) -> Self {
        Self {
            storage,
            path,
            intent,
            info,
            open: false,
        }
    }

    /// Makes the change, or says why it was not made.
    ///
    /// GitHub would do two things that must not be done: put a note in the place of a link or a
    /// folder, and make a note again of which only the base is known. The caller has made sure of
    /// that, or calls [`Self::check`] first.
    pub(super) async fn carry_out(mut self) -> Result<Done, StorageError> {
        let mut races = 0;
        loop {
            match self.send().await {
                Ok(done) => return Ok(done),
                Err(Refusal::TipMoved) if races < RACES => {
                    races += 1;
                    self.storage.pause().await;
                }
                Err(Refusal::NoOutcome) if !self.open => {
                    self.open = true;
                    if let Some(committed) = self.look_for_it(1).await? {
                        return Ok(Done {
                            committed,
                            written: None,
                        });
                    }
                }
                Err(refusal) => {
                    // The refusal may answer the second of two requests whose first was carried
                    // out: then the change is made, whatever this one says.
                    let made = if self.open {
                        self.look_for_it(LOOKS).await?
                    } else {
                        None
                    };
                    return match made {
                        Some(committed) => Ok(Done {
                            committed,
                            written: None,
                        }),
                        None => self.settle(refusal).await,
                    };
                }
            }
        }
    }

    /// Refuses the change where the head's tree shows that it must not be made.
    pub(super) async fn check(&self) -> Result<(), StorageError> {
        let tree = match self.storage.snapshot(None).await? {
            Some((_, tree)) => tree,
            None => Tree::default(),
        };
        match self.intent {
            Intent::Create(_) if tree.obstructs(self.path) => {
                Err(StorageError::AlreadyExists { revision: None })
            }
            Intent::Update(..) if tree.file(self.path).is_none() => {
                Err(StorageError::Conflict { current: None })
            }
            Intent::Delete(_) if tree.file(self.path).is_none() => Err(StorageError::NotFound),
            Intent::Create(_) | Intent::Update(..) | Intent::Delete(_) => Ok(()),
        }
    }

    /// Sends the change once.
    async fn send(&self) -> Result<Done, Refusal> {
        let api = &self.storage.api;
        let change = |base| FileChange {
            path: self.path,
            base,
            info: self.info,
        };
        let (written, recreated) = match self.intent {
            Intent::Create(content) => (api.put(&change(None), content).await?, false),
            Intent::Update(base, content) => {
                let written = api.put(&change(Some(base)), content).await?;
                let recreated = written.created;
                (written, recreated)
            }
            Intent::Delete(base) => (api.delete(&change(Some(base))).await?, false),
        };
        self.storage.advance(&written);
        let committed = self.storage.committed(written.commit.clone(), recreated);
        Ok(Done {
            committed,
            written: Some(written),
        })
    }

    /// Looks whether a change that was not answered has been made, `looks` times with a pause
    /// before each.
    async fn look_for_it(&self, looks: u32) -> Result<Option<Committed>, StorageError> {
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

    async fn look_once(&self) -> Result<Option<Committed>, StorageError> {
        match self.storage.snapshot(None).await? {
            Some((head, tree)) if self.is_made(&tree) => {
                let commit = self.storage.api.last_change(self.path, &head).await?;
                Ok(Some(self.storage.committed(commit.unwrap_or(head), false)))
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Whether a tree is as the change would leave it.
    fn is_made(&self, tree: &Tree) -> bool {
        match self.intent {
            Intent::Create(content) | Intent::Update(_, content) => tree
                .file(self.path)
                .is_some_and(|(revision, _)| *revision == Revision::of(content)),
            Intent::Delete(_) => tree.get(self.path).is_none(),
        }
    }

    /// Ends with what a refusal means, unless it turns out to mean that the change is made.
    async fn settle(&self, refusal: Refusal) -> Result<Done, StorageError> {
        let meaning = self.meaning(refusal).await;
        if !self.open || !self.may_be_own(&meaning) {
            return Err(meaning);
        }
        match self.look_once().await {
            Ok(Some(committed)) => Ok(Done {
                committed,
                written: None,
            }),
            Ok(None) | Err(_) => Err(StorageError::Unavailable {
                outcome_unknown: true,
            }),
        }
    }

    /// Whether a conflict may be one with this very change, made by the first of two requests:
    /// what stands at the path is what it would leave, or, where GitHub lags, what was there
    /// before.
    fn may_be_own(&self, meaning: &StorageError) -> bool {
        match (self.intent, meaning) {
            (Intent::Create(content), StorageError::AlreadyExists { revision }) => revision
                .as_ref()
                .is_none_or(|revision| *revision == Revision::of(content)),
            (
                Intent::Update(base, content),
                StorageError::Conflict {
                    current: Some(current),
                },
            ) => current == base || *current == Revision::of(content),
            (
                Intent::Delete(base),
                StorageError::Conflict {
                    current: Some(current),
                },
            ) => current == base,
            (Intent::Delete(_), StorageError::NotFound) => true,
            _ => false,
        }
    }

    /// Gives a refusal its meaning for this change.
    async fn meaning(&self, refusal: Refusal) -> StorageError {
        match refusal {
            Refusal::NoOutcome => StorageError::Unavailable {
                outcome_unknown: true,
            },
            // The second of two deletions: the first one may be why there is nothing left.
            Refusal::Missing if self.open && matches!(self.intent, Intent::Delete(_)) => {
                self.conflict().await
            }
            // Of the request before this one, nobody knows: that outweighs what this one says.
            _ if self.open && !is_conflict(&refusal) => StorageError::Unavailable {
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
            Refusal::EmptyRepository | Refusal::Final(_) => refusal.into(),
        }
    }

    /// The conflict with what stands at the path now. GitHub may still show what stood there
    /// before: such a look explains nothing, and another one follows.
    async fn conflict(&self) -> StorageError {
        let mut current = None;
        for look in 0..LOOKS {
            if look > 0 {
                self.storage.pause().await;
            }
            current = match self.revision_now().await {
                Ok(revision) => revision,
                Err(error) => return error,
            };
            let explains = match self.intent {
                Intent::Create(_) => current.is_some(),
                Intent::Update(base, _) | Intent::Delete(base) => current.as_ref() != Some(base),
            };
            if explains {
                break;
            }
        }
        match (self.intent, current) {
            (Intent::Create(_), revision) => StorageError::AlreadyExists { revision },
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
        Ok(snapshot
            .and_then(|(_, tree)| tree.file(self.path).map(|(revision, _)| revision.clone())))
    }
}

/// Whether a refusal says that the note is not as the change assumes.
fn is_conflict(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::ShaMismatch | Refusal::ShaMissing)
}
