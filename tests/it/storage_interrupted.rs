//! A change that is broken off at any moment: its caller goes away, or the whole index does.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};

use vault_mcp::vault::storage::{Committed, Revision, StorageError, VaultStorage};
use vault_mcp_dev::Times;

use crate::support::{
    index::{AtIndex, notes},
    storage::{info, open_policy, read, run, writable},
};

#[derive(Clone, Copy, Debug)]
enum Kind {
    Create,
    Update,
    Delete,
}

/// What goes away in the middle of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    Caller,
    Index,
}

/// A change of one note.
struct Change {
    kind: Kind,
    path: String,
    base: Revision,
    text: String,
    message: String,
}

impl Change {
    /// A change of the note number `n`, which says `note n` where it is there.
    fn new(kind: Kind, n: usize) -> Self {
        let path = match kind {
            Kind::Create => format!("new/{n}.md"),
            Kind::Update | Kind::Delete => format!("folder {}/{n}.md", n % 10),
        };
        Self {
            kind,
            path,
            base: Revision::of(format!("note {n}").as_bytes()),
            text: format!("changed {n}"),
            message: format!("change {n}"),
        }
    }

    async fn make(&self, storage: &dyn VaultStorage) -> Result<Committed, StorageError> {
        let note = writable(&self.path);
        let info = info(&self.message);
        let text = self.text.as_bytes();
        match self.kind {
            Kind::Create => storage.create(&open_policy(), &note, text, &info).await,
            Kind::Update => storage.update(&note, &self.base, text, &info).await,
            Kind::Delete => storage.delete(&note, &self.base, &info).await,
        }
    }

    /// Whether an error of a second attempt says that the first one made the change.
    fn is_made_already(&self, error: &StorageError) -> bool {
        let there = Some(Revision::of(self.text.as_bytes()));
        *error
            == match self.kind {
                Kind::Create => StorageError::AlreadyExists { revision: there },
                Kind::Update => StorageError::Conflict { current: there },
                Kind::Delete => StorageError::NotFound,
            }
    }
}

/// Polls a future until it is done, or has been pending so many times; then it can be dropped.
async fn poll_times<F: Future>(mut future: Pin<&mut F>, times: usize) -> Option<F::Output> {
    let mut left = times;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Breaks changes off one await later each time, until one is not broken off any more.
async fn break_off(kind: Kind, what_goes: Gone) {
    let mut vault = AtIndex::built(notes(60)).await;
    for pending in 0..60 {
        let change = Change::new(kind, pending);
        // The pace of changes is not what this is about, nor how old a look at the branch may be.
        vault.clock.advance(Duration::from_mins(2));
        read(&vault.index, "folder 0/0.md").await.unwrap();
        // It loses a race, and then its answer: the more there is to break off.
        vault.look_alike.switches(|switches| {
            switches.tip_race = Times::Next(1);
            switches.fail_after_commit = Times::Next(1);
        });
        let ended = {
            let made = pin!(change.make(&vault.index));
            poll_times(made, pending).await
        };
        while vault
            .look_alike
            .requests()
            .iter()
            .any(|request| request.status.is_none())
        {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        vault.look_alike.reset_switches();
        if what_goes == Gone::Index {
            vault.index = vault.reopened(open_policy());
        }
        // The next reader is shown what git holds.
        let spec = format!("main:{}", change.path);
        let in_git = || vault.look_alike.git(&["cat-file", "blob", &spec]).ok();
        let found = read(&vault.index, &change.path).await.unwrap().note;
        let found = found.map(|note| String::from_utf8(note.content).unwrap());
        assert_eq!(found, in_git(), "{kind:?} broken off after {pending}");
        // The same change, made again, is made once.
        if let Err(error) = change.make(&vault.index).await {
            assert!(
                change.is_made_already(&error),
                "{kind:?} {pending}: {error}"
            );
        }
        let subjects = vault
            .look_alike
            .git(&["log", "--format=%s", "main"])
            .unwrap();
        let commits = subjects.lines().filter(|line| *line == change.message);
        assert_eq!(commits.count(), 1, "{kind:?} broken off after {pending}");
        if let Some(made) = ended {
            made.unwrap();
            assert!(pending > 0, "it was never broken off");
            vault.assert_same().await;
            return;
        }
    }
    panic!("{kind:?} never ended");
}

#[test]
fn a_creation_whose_caller_goes_away_is_found() {
    run(break_off(Kind::Create, Gone::Caller));
}

#[test]
fn a_replacement_whose_caller_goes_away_is_found() {
    run(break_off(Kind::Update, Gone::Caller));
}

#[test]
fn a_deletion_whose_caller_goes_away_is_found() {
    run(break_off(Kind::Delete, Gone::Caller));
}

#[test]
fn a_change_whose_index_goes_away_is_found() {
    run(async {
        for kind in [Kind::Create, Kind::Update, Kind::Delete] {
            break_off(kind, Gone::Index).await;
        }
    });
}
