//! Changing one note: the loop that all writes share.
//!
//! A change is computed from the note as it is and applied only if the note is still so
//! (compare-and-swap on its revision). Where somebody else came between, it is computed again from
//! what is there now, unless the caller insisted on a revision.

use super::{VaultClient, room};
use crate::vault::{
    commit::Action,
    diff::Diff,
    error::VaultError,
    path::VaultPath,
    policy::{NameProblem, Writable},
    storage::{CommitId, Committed, Revision, StorageError, StoredNote},
};

/// The most bytes that a note may have after a write.
pub const MAX_NOTE_BYTES: usize = 1_000_000;

/// How often a change is computed before contention is reported as a conflict.
const ATTEMPTS: usize = 4;

/// What a write did, or would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where the note is. It differs from the path that was asked for where a twin of that existed.
    pub path: VaultPath,
    /// The note's revision now.
    pub revision: Revision,
    /// The note's size now, in bytes.
    pub bytes: usize,
    /// What was done.
    pub outcome: WriteOutcome,
    /// Why wikilinks do not reach a note that was made, where they do not.
    pub unlinkable: Option<NameProblem>,
    /// What changed in the text of a note that was there; `None` also where it was no text.
    pub diff: Option<Diff>,
}

/// What was done to a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// A note was made where none was.
    Created(Committed),
    /// What a note held was replaced.
    Replaced {
        /// The commit that holds the change.
        committed: Committed,
        /// What was replaced.
        replaced: Replaced,
    },
    /// The note held exactly this already, so there is no commit.
    Unchanged {
        /// The commit at which this was seen.
        commit: Option<CommitId>,
    },
    /// Nothing, because it was only to be tried. Everything was checked that can be without a
    /// request that changes something.
    Planned {
        /// The commit that was looked at.
        commit: Option<CommitId>,
        /// What would be replaced; `None` where a note would be made.
        replaced: Option<Replaced>,
    },
}

/// What a note held before a change, and where that can still be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The revision.
    pub revision: Revision,
    /// A commit that holds it under the note's path.
    pub commit: Option<CommitId>,
    /// Its size in bytes.
    pub bytes: usize,
}

/// A change that is to be made.
pub(super) struct Change<'a> {
    /// The path as asked.
    pub(super) note: &'a Writable,
    /// The revision that the note must have.
    pub(super) expected: Option<&'a Revision>,
    /// The action that the commit names where the caller gives no message and a note is there.
    pub(super) action: Action,
    /// The caller's message for the commit.
    pub(super) message: Option<&'a str>,
    /// Whether to stop before anything is sent.
    pub(super) dry_run: bool,
    /// What the note shall hold.
    pub(super) compute: &'a Compute<'a>,
}

/// What a note shall hold, given what it holds now (`None`: there is no such note).
pub(super) type Compute<'a> = dyn Fn(Option<&StoredNote>) -> Result<Vec<u8>, VaultError> + 'a;

/// The note that a change applies to, as it is now.
struct Target {
    note: Writable,
    current: Option<StoredNote>,
    commit: Option<CommitId>,
}

/// A change that is computed and can be sent.
struct Ready<'a> {
    change: &'a Change<'a>,
    note: Writable,
    /// The commit at which the note was looked up.
    commit: Option<CommitId>,
    /// What it shall hold.
    content: Vec<u8>,
    contention: Contention,
}

impl Ready<'_> {
    fn written(&self, outcome: WriteOutcome) -> Written {
        Written {
            path: self.note.path().clone(),
            revision: Revision::of(&self.content),
            bytes: self.content.len(),
            outcome,
            unlinkable: None,
            diff: None,
        }
    }
}

/// What came of one attempt.
enum Attempt {
    /// The change was made, or there was nothing to change.
    Done(Box<Written>),
    /// Somebody else came between, and another attempt may succeed.
    Again {
        /// Whether what they did was to delete the note.
        gone: bool,
    },
}

impl Attempt {
    fn done(written: Written) -> Self {
        Self::Done(Box::new(written))
    }
}

impl VaultClient {
    /// Makes a change.
    ///
    /// 1. Find the note: exactly, or by its only twin.
    /// 2. Hold it against the expected revision.
    /// 3. Compute what it shall hold. If it holds that already, stop.
    /// 4. Where there is no note yet, see that the name can be created.
    /// 5. Commit on the condition that the note is still what step 1 saw, and that there is room for
    ///    it where it is new; else start again. Where it is only tried, stop here.
    pub(super) async fn change(&self, change: &Change<'_>) -> Result<Written, VaultError> {
        let mut vanished = false;
        for attempt in 1..=ATTEMPTS {
            let contention = if attempt < ATTEMPTS {
                Contention::TryAgain
            } else {
                Contention::Report
            };
            match self.try_change(change, contention).await? {
                Attempt::Done(mut written) => {
                    if let WriteOutcome::Created(committed) = &mut written.outcome {
                        committed.recreated |= vanished;
                    }
                    return Ok(*written);
                }
                Attempt::Again { gone } => vanished |= gone,
            }
        }
        // The last attempt reports contention as an error, so it has a result.
        Err(VaultError::Conflict {
            path: change.note.as_str().to_owned(),
            expected: change.expected.cloned(),
            current: None,
        })
    }

    /// One attempt.
    async fn try_change(
        &self,
        change: &Change<'_>,
        contention: Contention,
    ) -> Result<Attempt, VaultError> {
        // (1)
        let Target {
            note,
            current,
            commit,
        } = self.target(change.note).await?;
        // (2)
        check_expected(
            &note,
            change.expected,
            current.as_ref().map(|note| &note.revision),
        )?;
        // (3)
        let content = (change.compute)(current.as_ref())?;
        check_size(&note, &content)?;
        let ready = Ready {
            change,
            note,
            commit,
            content,
            contention,
        };
        match current {
            None => self.create(&ready).await,
            Some(current) => self.update(&ready, current).await,
        }
    }

    /// Steps 4 and 5 for a note that is not there.
    async fn create(&self, ready: &Ready<'_>) -> Result<Attempt, VaultError> {
        let Ready { change, note, .. } = ready;
        // (4)
        let creatable = self
            .policy
            .create(note.path())
            .map_err(|denied| VaultError::unwritable(note.as_str(), denied))?;
        let done = |outcome| {
            let written = Written {
                unlinkable: creatable.unlinkable().cloned(),
                ..ready.written(outcome)
            };
            Ok(Attempt::done(written))
        };
        // (5)
        if change.dry_run {
            return match self.refused_room(note.path()).await? {
                Some(error) => Err(error),
                None => done(WriteOutcome::Planned {
                    commit: ready.commit.clone(),
                    replaced: None,
                }),
            };
        }
        // Whatever is brought back, a note that was not there is made.
        let action = match change.action {
            Action::Update => Action::Create,
            action @ (Action::Create | Action::Restore | Action::Delete) => action,
        };
        let info = self.author.commit(action, note.path(), change.message);
        let made = self
            .storage
            .create(&*self.policy, note, &ready.content, &info)
            .await;
        let may_try_again = ready.contention == Contention::TryAgain;
        match made {
            Ok(committed) => done(WriteOutcome::Created(committed)),
            Err(StorageError::AlreadyExists { revision: Some(_) }) if may_try_again => {
                Ok(Attempt::Again { gone: false })
            }
            Err(StorageError::AlreadyExists { revision: None }) => {
                Err(room::obstructed(note.path()))
            }
            Err(StorageError::NoRoom) => match self.refused_room(note.path()).await? {
                Some(error) => Err(error),
                None if may_try_again => Ok(Attempt::Again { gone: false }),
                None => Err(room::obstructed(note.path())),
            },
            Err(StorageError::FolderTwin(twin)) => Err(self.beside(note.path(), &twin)),
            Err(error) => Err(VaultError::from_change(note.as_str(), error)),
        }
    }

    /// The rest of step 3, and step 5, for a note that is there.
    async fn update(&self, ready: &Ready<'_>, current: StoredNote) -> Result<Attempt, VaultError> {
        let Ready { change, note, .. } = ready;
        // (3)
        if current.content == ready.content {
            let commit = ready.commit.clone();
            return Ok(Attempt::done(
                ready.written(WriteOutcome::Unchanged { commit }),
            ));
        }
        let done = |outcome| {
            let written = Written {
                diff: diff(&current.content, &ready.content),
                ..ready.written(outcome)
            };
            Ok(Attempt::done(written))
        };
        let replaced = Replaced {
            revision: current.revision.clone(),
            commit: ready.commit.clone(),
            bytes: current.content.len(),
        };
        // (5)
        if change.dry_run {
            return done(WriteOutcome::Planned {
                commit: ready.commit.clone(),
                replaced: Some(replaced),
            });
        }
        let info = self
            .author
            .commit(change.action, note.path(), change.message);
        let made = self
            .storage
            .update(note, &current.revision, &ready.content, &info)
            .await;
        match made {
            Ok(committed) => done(WriteOutcome::Replaced {
                committed,
                replaced,
            }),
            Err(StorageError::Conflict { current })
                if ready.contention == Contention::TryAgain && change.expected.is_none() =>
            {
                Ok(Attempt::Again {
                    gone: current.is_none(),
                })
            }
            Err(StorageError::Conflict { current }) => Err(VaultError::Conflict {
                path: note.as_str().to_owned(),
                expected: change.expected.cloned(),
                current,
            }),
            Err(error) => Err(VaultError::from_change(note.as_str(), error)),
        }
    }

    /// The note at the asked path, or its only twin; otherwise the asked path with nothing there.
    async fn target(&self, asked: &Writable) -> Result<Target, VaultError> {
        let lookup = self.lookup(asked.visible(), None).await?;
        match (lookup.note, lookup.twins.as_slice()) {
            (None, [twin]) => {
                let note = self
                    .policy
                    .write(twin.path())
                    .map_err(|denied| VaultError::unwritable(twin.as_str(), denied))?;
                let found = self.lookup(twin, lookup.commit.as_ref()).await?;
                // A twin that is gone at the very commit that had it must not be made anew.
                if found.note.is_none() {
                    return Err(VaultError::missing(asked.as_str()));
                }
                Ok(Target {
                    note,
                    current: found.note,
                    commit: found.commit,
                })
            }
            (None, [_, _, ..]) => Err(VaultError::AlreadyExists {
                path: asked.as_str().to_owned(),
                existing: lookup
                    .twins
                    .iter()
                    .map(|twin| twin.as_str().to_owned())
                    .collect(),
                revision: None,
            }),
            (current, _) => Ok(Target {
                note: asked.clone(),
                current,
                commit: lookup.commit,
            }),
        }
    }
}

/// What to do when somebody else came between.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contention {
    TryAgain,
    Report,
}

/// An expected revision is honoured exactly: a note that is gone is no match either.
pub(super) fn check_expected(
    note: &Writable,
    expected: Option<&Revision>,
    current: Option<&Revision>,
) -> Result<(), VaultError> {
    match expected {
        Some(expected) if current != Some(expected) => Err(VaultError::Conflict {
            path: note.as_str().to_owned(),
            expected: Some(expected.clone()),
            current: current.cloned(),
        }),
        _ => Ok(()),
    }
}

/// What changed, where both are text.
fn diff(before: &[u8], after: &[u8]) -> Option<Diff> {
    let (before, after) = (str::from_utf8(before).ok()?, str::from_utf8(after).ok()?);
    Some(Diff::between(before, after))
}

fn check_size(note: &Writable, content: &[u8]) -> Result<(), VaultError> {
    if content.len() <= MAX_NOTE_BYTES {
        return Ok(());
    }
    Err(VaultError::TooLarge {
        path: note.as_str().to_owned(),
        bytes: content.len() as u64,
        limit: Some(MAX_NOTE_BYTES as u64),
    })
}
