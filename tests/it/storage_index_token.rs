//! What becomes of the notes when GitHub refuses the token, and when it is only not to be had.

use std::time::Duration;

use vault_mcp::{
    runtime::{Clock, Sql},
    storage::index::Stage,
    vault::storage::{Denial, StorageError, VaultStorage},
};
use vault_mcp_dev::{
    LookAlike, Times,
    github::{Forbidden, Hang, HangPoint, PrimaryLimit, SecondaryLimit, Switches, tokens},
};

use crate::support::{
    index::{AtIndex, note, notes},
    storage::{info, list, open_policy, read, run, writable},
};

const MINUTE: Duration = Duration::from_mins(1);
const WEEK: Duration = Duration::from_hours(7 * 24);

/// How GitHub refuses the token for good.
fn refusals(vault: &AtIndex) -> Vec<(Denial, Switches)> {
    let repository = vault.look_alike.repository().to_owned();
    vec![
        (
            Denial::BadCredentials,
            Switches {
                unauthorized: Times::Always,
                ..Switches::default()
            },
        ),
        (
            Denial::RepositoryNotFound,
            Switches {
                missing: vec![repository],
                ..Switches::default()
            },
        ),
    ]
}

/// How GitHub fails without saying anything about the token.
fn outages() -> Vec<Switches> {
    vec![
        Switches {
            fail_reads: Times::Always,
            ..Switches::default()
        },
        Switches {
            primary_limit: Some(PrimaryLimit::default()),
            ..Switches::default()
        },
        Switches {
            secondary_limit: Some(SecondaryLimit::default()),
            ..Switches::default()
        },
        Switches {
            forbidden: Some(Forbidden::IpAllowList),
            ..Switches::default()
        },
        Switches {
            forbidden: Some(Forbidden::LoginAttempts),
            ..Switches::default()
        },
    ]
}

fn set(vault: &AtIndex, switches: Switches) {
    vault.look_alike.switches(|there| *there = switches);
}

fn rows(vault: &AtIndex) -> usize {
    let all = "SELECT id FROM notes UNION ALL SELECT rowid FROM search UNION ALL SELECT digest FROM obstacles";
    vault.sql.exec(all, &[]).unwrap().len()
}

/// Lets time pass as the object does: whatever is due is done, and nobody reads.
async fn pass(vault: &AtIndex, time: Duration) {
    let end = vault.clock.now().after(time);
    for _ in 0..20_000 {
        let now = vault.clock.now();
        match vault.index.due() {
            Some(due) if due <= end => {
                let wait = due.unix_seconds().saturating_sub(now.unix_seconds());
                vault.clock.advance(Duration::from_secs(wait.max(1)));
                let _ = vault.index.work().await;
            }
            Some(_) | None => {
                let left = end.unix_seconds().saturating_sub(now.unix_seconds());
                vault.clock.advance(Duration::from_secs(left));
                return;
            }
        }
    }
    panic!("work without end");
}

#[test]
fn a_token_that_is_taken_away_ends_reading_after_a_quarter_of_an_hour() {
    run(async {
        for n in 0..2 {
            let vault = AtIndex::built(notes(20)).await;
            let (denial, switches) = refusals(&vault).swap_remove(n);
            let denied = StorageError::Denied(denial);
            set(&vault, switches);
            vault.grow_old();
            assert_eq!(vault.content("folder 1/1.md").await, "note 1");
            vault.clock.advance(2 * MINUTE);
            assert_eq!(vault.content("folder 1/1.md").await, "note 1");
            vault.clock.advance(15 * MINUTE);
            assert_eq!(
                read(&vault.index, "folder 1/1.md").await.unwrap_err(),
                denied
            );
            assert_eq!(list(&vault.index, "", None).await.unwrap_err(), denied);
            let path = writable("x.md");
            let written = vault
                .index
                .create(&open_policy(), &path, b"x", &info("x"))
                .await;
            assert_eq!(written.unwrap_err(), denied);
            // Given back, everything is as it was, and nothing has to be fetched.
            vault.look_alike.reset_switches();
            vault.look_alike.reset_requests();
            vault.clock.advance(2 * MINUTE);
            vault.assert_same().await;
            assert_eq!(vault.counted(), 0, "{:?}", vault.requests());
        }
    });
}

#[test]
fn the_notes_are_erased_after_a_week_though_nobody_reads() {
    run(async {
        for n in 0..2 {
            let mut files = notes(20);
            files.push(note("attachments/picture.png", "x"));
            let vault = AtIndex::built(files).await;
            let (denial, switches) = refusals(&vault).swap_remove(n);
            set(&vault, switches);
            // Nobody asks: once a day the index does.
            pass(&vault, WEEK).await;
            assert!(rows(&vault) > 0, "{denial:?}: too early");
            pass(&vault, Duration::from_hours(25)).await;
            assert_eq!(rows(&vault), 0, "{denial:?}");
            assert_eq!(vault.index.status().unwrap().stage, Stage::New);
            let denied = StorageError::Denied(denial);
            assert_eq!(
                read(&vault.index, "folder 1/1.md").await.unwrap_err(),
                denied
            );
            // Nothing more is done, and after a restart neither.
            assert_eq!(vault.index.due(), None);
            assert_eq!(vault.reopened(open_policy()).due(), None);
            vault.look_alike.reset_switches();
            vault.clock.advance(2 * MINUTE);
            vault.assert_same().await;
        }
    });
}

#[test]
fn a_refusal_that_one_reader_met_is_followed_up_without_readers() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let (_, switches) = refusals(&vault).swap_remove(0);
        set(&vault, switches);
        vault.grow_old();
        assert_eq!(vault.content("folder 1/1.md").await, "note 1");
        pass(&vault, 2 * MINUTE).await;
        assert!(
            vault
                .index
                .due()
                .is_some_and(|due| due > vault.clock.now().after(6 * WEEK / 7))
        );
        pass(&vault, WEEK).await;
        assert_eq!(rows(&vault), 0);
    });
}

#[test]
fn one_refusal_between_answers_is_forgiven() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let once = Switches {
            unauthorized: Times::Next(1),
            ..Switches::default()
        };
        for _ in 0..3 {
            set(&vault, once.clone());
            vault.grow_old();
            vault.content("folder 1/1.md").await;
            pass(&vault, 10 * MINUTE).await;
        }
        pass(&vault, 2 * WEEK).await;
        vault.assert_same().await;
    });
}

#[test]
fn an_outage_neither_ends_reading_nor_erases() {
    run(async {
        for switches in outages() {
            let vault = AtIndex::built(notes(20)).await;
            let name = format!("{switches:?}");
            set(&vault, switches);
            for _ in 0..4 {
                vault.clock.advance(20 * MINUTE);
                assert_eq!(vault.content("folder 1/1.md").await, "note 1", "{name}");
            }
            vault.clock.advance(4 * WEEK);
            let _ = vault.index.work().await;
            assert_eq!(vault.content("folder 1/1.md").await, "note 1", "{name}");
            assert!(rows(&vault) > 0, "{name}");
            vault.look_alike.reset_switches();
            vault.clock.advance(Duration::from_hours(2));
            vault.assert_same().await;
        }
    });
}

#[test]
fn a_github_that_never_answers_does_not_hold_readers() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        vault.clock.make_readers_impatient();
        let hang = Some(Hang {
            at: HangPoint::Request,
            times: Times::Always,
            milliseconds: None,
        });
        set(
            &vault,
            Switches {
                hang,
                ..Switches::default()
            },
        );
        vault.clock.advance(4 * WEEK);
        assert_eq!(vault.content("folder 1/1.md").await, "note 1");
        assert!(rows(&vault) > 0);
    });
}

#[test]
fn when_the_token_expires_is_kept_from_the_answers_of_github() {
    run(async {
        let expiring = |expires: Option<&str>| {
            let mut token = tokens::Token::new(
                tokens::FULL,
                "full",
                "example/vault",
                tokens::Contents::Write,
            );
            token.expires = expires.map(str::to_owned);
            LookAlike::builder().seed(notes(3)).token(token).start()
        };
        for (expires, seconds) in [
            (Some("2027-12-31 00:00:00 UTC"), Some(1_830_211_200)),
            (Some("2027-12-31 01:00:00 +0100"), Some(1_830_211_200)),
            (Some("some day"), None),
            (None, None),
        ] {
            let vault = AtIndex::over(expiring(expires).await.unwrap());
            assert_eq!(vault.index.status().unwrap().token_expires_at, None);
            vault.index.work().await.unwrap();
            let known = |index: &vault_mcp::storage::index::VaultIndex| {
                let known = index.status().unwrap().token_expires_at;
                known.map(vault_mcp::runtime::Timestamp::unix_seconds)
            };
            assert_eq!(known(&vault.index), seconds, "{expires:?}");
            assert_eq!(
                known(&vault.reopened(open_policy())),
                seconds,
                "after a restart"
            );
        }
    });
}
