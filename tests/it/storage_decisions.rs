//! What GitHub can answer to a change, row by row, and what becomes of it: through the index, as it
//! is deployed. Each row says also how many commits there are then, and that the next reader is
//! shown what git holds.

use std::time::Duration;

use vault_mcp::vault::storage::{
    CommitId, Committed, Denial, Revision, StorageError, VaultStorage,
};
use vault_mcp_dev::{
    Push, Switches, Times,
    github::{Forbidden, PrimaryLimit, RefLag, RuleViolation, SecondaryLimit},
};

use crate::support::{
    index::{AtIndex, note},
    storage::{info, open_policy, read, run, writable},
};

/// Each is made of a note that says `old`, and leaves it at `new` or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Create,
    Update,
    Delete,
}

use Kind::{Create, Delete, Update};

const EVERY: [Kind; 3] = [Create, Update, Delete];

/// What somebody else does that the index has not heard of: GitHub goes on naming the commit
/// before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unseen {
    Nothing,
    TheyWrite,
    TheyDelete,
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Made,
    MadeAgain,
    Error(StorageError),
}

fn outcome(made: Result<Committed, StorageError>) -> Outcome {
    match made {
        Ok(committed) if committed.recreated => Outcome::MadeAgain,
        Ok(_) => Outcome::Made,
        Err(error) => Outcome::Error(error),
    }
}

fn revision(text: &str) -> Revision {
    Revision::of(text.as_bytes())
}

const PATH: [&str; 2] = ["there.md", "new/note.md"];

async fn change(vault: &AtIndex, kind: Kind) -> Result<Committed, StorageError> {
    let [there, new] = PATH.map(writable);
    let (base, info) = (revision("old"), info("ours"));
    let index = &vault.index;
    match kind {
        Create => index.create(&open_policy(), &new, b"new", &info).await,
        Update => index.update(&there, &base, b"new", &info).await,
        Delete => index.delete(&there, &base, &info).await,
    }
}

/// Makes a change of a fresh vault under `switches`, and holds its outcome, the number of commits it
/// made and what the next reader is shown to what is expected.
async fn row(
    kind: Kind,
    unseen: Unseen,
    switches: impl FnOnce(&mut Switches),
    expected: &Outcome,
    commits: usize,
) {
    let path = PATH[usize::from(kind == Create)];
    let vault = AtIndex::built(vec![note("there.md", "old"), note("other.md", "x")]).await;
    match unseen {
        Unseen::Nothing => {}
        Unseen::TheyWrite => vault.push_unseen(Push::new().put(path, "theirs")).await,
        Unseen::TheyDelete => vault.push_unseen(Push::new().delete(path)).await,
    }
    if unseen != Unseen::Nothing {
        let lag = Some(RefLag::Reads(1));
        vault.look_alike.switches(|switches| switches.ref_lag = lag);
    }
    vault.look_alike.switches(switches);
    let made = change(&vault, kind).await;
    let commit = made.as_ref().ok().map(|made| made.commit.clone());
    let found = outcome(made);
    let told = format!(
        "{kind:?}, {unseen:?}: {found:?} after {:?}",
        vault.requests()
    );
    match (&found, expected) {
        // How long exactly depends on the second in which the answer came.
        (
            Outcome::Error(StorageError::RateLimited { retry_after: found }),
            Outcome::Error(StorageError::RateLimited { retry_after }),
        ) => assert!(
            found <= retry_after && *found + Duration::from_secs(10) > *retry_after,
            "{told}"
        ),
        _ => assert_eq!(found, *expected, "{told}"),
    }
    vault.look_alike.reset_switches();
    let log = vault
        .look_alike
        .git(&["log", "--format=%H %s", "main"])
        .unwrap();
    let ours = log.lines().filter_map(|line| line.strip_suffix(" ours"));
    let ours: Vec<_> = ours
        .map(|commit| CommitId::parse(commit).unwrap())
        .collect();
    assert_eq!(ours.len(), commits, "{told}");
    if let Some(commit) = commit {
        assert_eq!(ours, [commit], "{told}");
    }
    // A limit that GitHub named is waited for, and an outage that it may have been.
    vault.clock.advance(Duration::from_mins(11));
    let note = read(&vault.index, path).await.unwrap().note;
    let spec = format!("main:{path}");
    let in_git = vault.look_alike.git(&["cat-file", "blob", &spec]).ok();
    assert_eq!(
        note.map(|note| String::from_utf8(note.content).unwrap()),
        in_git,
        "{told}"
    );
    vault.assert_same().await;
}

fn denied(denial: Denial) -> Outcome {
    Outcome::Error(StorageError::Denied(denial))
}

fn limited(seconds: u64) -> Outcome {
    let retry_after = Duration::from_secs(seconds);
    Outcome::Error(StorageError::RateLimited { retry_after })
}

const fn unavailable(outcome_unknown: bool) -> Outcome {
    Outcome::Error(StorageError::Unavailable { outcome_unknown })
}

#[test]
fn what_github_makes_is_told() {
    run(async {
        for kind in EVERY {
            row(kind, Unseen::Nothing, |_| {}, &Outcome::Made, 1).await;
        }
        // 201 to a replacement: the note was gone, and GitHub made it again.
        row(Update, Unseen::TheyDelete, |_| {}, &Outcome::MadeAgain, 1).await;
    });
}

#[test]
fn what_somebody_else_did_is_a_conflict() {
    let theirs = Some(revision("theirs"));
    let conflict = Outcome::Error(StorageError::Conflict {
        current: theirs.clone(),
    });
    let exists = Outcome::Error(StorageError::AlreadyExists { revision: theirs });
    run(async {
        // 409 `does not match`; 422 `"sha" wasn't supplied`; 404 for a note that is gone.
        row(Update, Unseen::TheyWrite, |_| {}, &conflict, 0).await;
        row(Delete, Unseen::TheyWrite, |_| {}, &conflict, 0).await;
        row(Create, Unseen::TheyWrite, |_| {}, &exists, 0).await;
        let gone = Outcome::Error(StorageError::NotFound);
        row(Delete, Unseen::TheyDelete, |_| {}, &gone, 0).await;
    });
}

#[test]
fn a_race_for_the_branch_is_run_again_and_then_given_up() {
    run(async {
        for kind in EVERY {
            let race = |times| move |switches: &mut Switches| switches.tip_race = times;
            row(
                kind,
                Unseen::Nothing,
                race(Times::Next(3)),
                &Outcome::Made,
                1,
            )
            .await;
            row(
                kind,
                Unseen::Nothing,
                race(Times::Always),
                &unavailable(false),
                0,
            )
            .await;
        }
    });
}

#[test]
fn a_change_without_an_answer_is_found_or_made_once_or_unknown() {
    run(async {
        for kind in EVERY {
            let before = |times| move |switches: &mut Switches| switches.fail_before_commit = times;
            let after = |times| move |switches: &mut Switches| switches.fail_after_commit = times;
            row(
                kind,
                Unseen::Nothing,
                before(Times::Next(1)),
                &Outcome::Made,
                1,
            )
            .await;
            row(
                kind,
                Unseen::Nothing,
                after(Times::Next(1)),
                &Outcome::Made,
                1,
            )
            .await;
            row(
                kind,
                Unseen::Nothing,
                before(Times::Always),
                &unavailable(true),
                0,
            )
            .await;
            // Neither the change is answered nor any look at what became of it.
            let both = |switches: &mut Switches| {
                switches.fail_after_commit = Times::Next(1);
                switches.fail_reads = Times::Always;
            };
            if kind == Delete {
                // A deletion needs no look before it.
                row(kind, Unseen::Nothing, both, &unavailable(true), 1).await;
            } else {
                row(kind, Unseen::Nothing, both, &unavailable(false), 0).await;
            }
        }
    });
}

#[test]
fn rules_of_the_repository_are_final() {
    run(async {
        for kind in EVERY {
            let rule = |rule| move |switches: &mut Switches| switches.rule_violation = Some(rule);
            let checks = denied(Denial::ProtectedBranch);
            row(
                kind,
                Unseen::Nothing,
                rule(RuleViolation::RequiredChecks),
                &checks,
                0,
            )
            .await;
            let archived = |switches: &mut Switches| {
                switches.archived = vec!["example/vault".to_owned()];
            };
            row(
                kind,
                Unseen::Nothing,
                archived,
                &denied(Denial::Archived),
                0,
            )
            .await;
        }
    });
}

#[test]
fn limits_are_told_with_their_time_and_refusals_with_their_reason() {
    run(async {
        for kind in EVERY {
            let primary = |switches: &mut Switches| {
                switches.primary_limit = Some(PrimaryLimit::default());
            };
            row(kind, Unseen::Nothing, primary, &limited(600), 0).await;
            for status in [403, 429] {
                let secondary = |retry_after| {
                    move |switches: &mut Switches| {
                        switches.secondary_limit = Some(SecondaryLimit {
                            status,
                            retry_after,
                            writes_only: true,
                            ..SecondaryLimit::default()
                        });
                    }
                };
                row(kind, Unseen::Nothing, secondary(Some(37)), &limited(37), 0).await;
                // It does not say for how long: a minute, by GitHub's own advice.
                row(kind, Unseen::Nothing, secondary(None), &limited(60), 0).await;
            }
            for (forbidden, denial) in [
                (Forbidden::Permission, Denial::MissingPermission),
                (Forbidden::Sso, Denial::SingleSignOn),
            ] {
                let forbid = |switches: &mut Switches| switches.forbidden = Some(forbidden);
                row(kind, Unseen::Nothing, forbid, &denied(denial), 0).await;
            }
            let unauthorized = |switches: &mut Switches| switches.unauthorized = Times::Always;
            row(
                kind,
                Unseen::Nothing,
                unauthorized,
                &denied(Denial::BadCredentials),
                0,
            )
            .await;
            let missing = |switches: &mut Switches| {
                switches.missing = vec!["example/vault".to_owned()];
            };
            row(
                kind,
                Unseen::Nothing,
                missing,
                &denied(Denial::RepositoryNotFound),
                0,
            )
            .await;
            let renamed = |switches: &mut Switches| {
                switches.renamed = vec![("example/vault".to_owned(), "example/new".to_owned())];
            };
            row(kind, Unseen::Nothing, renamed, &Outcome::Made, 1).await;
        }
    });
}
