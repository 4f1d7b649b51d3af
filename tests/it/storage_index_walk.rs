//! When notes were changed last, as the index finds it out.

use std::{collections::BTreeMap, time::Duration};

use vault_mcp::{
    runtime::{Clock, Sql, SqlValue},
    storage::index::VaultIndex,
    vault::{
        path::DirPath,
        policy::VaultPolicy,
        storage::{StorageError, VaultStorage},
    },
};
use vault_mcp_dev::{Push, Times, github::PrimaryLimit};

use crate::support::{
    index::{AtIndex, note, notes},
    storage::{info, list, open_policy, run, writable},
};

/// The walk waits so long before it goes on.
const PACE: Duration = Duration::from_secs(31);

/// How many commits the walk looks at in one go.
const AT_A_TIME: usize = 20;

type Modified = BTreeMap<String, Option<i64>>;

/// What the index knows.
fn known(vault: &AtIndex) -> Modified {
    let rows = vault
        .sql
        .exec("SELECT path, modified FROM notes", &[])
        .unwrap();
    let time = |value: &SqlValue| match value {
        SqlValue::Null => None,
        SqlValue::Integer(seconds) => Some(*seconds),
        SqlValue::Real(_) | SqlValue::Text(_) | SqlValue::Blob(_) => panic!("{value:?}"),
    };
    rows.iter()
        .map(|row| (row.text(0).unwrap().to_owned(), time(&row.0[1])))
        .collect()
}

/// What git says.
fn expected(vault: &AtIndex) -> Modified {
    let git = |args: &[&str]| vault.look_alike.git(args).unwrap();
    known(vault)
        .into_keys()
        .map(|path| {
            let literal = format!(":(literal){path}");
            let time = git(&["log", "-1", "--format=%ct", "main", "--", &literal]);
            (path, time.trim().parse().ok())
        })
        .collect()
}

fn unknown(vault: &AtIndex) -> usize {
    known(vault).values().filter(|time| time.is_none()).count()
}

/// Pushes `count` commits, a minute apart, that change, make, rename and delete notes.
async fn history(vault: &AtIndex, count: i64) {
    for n in 0..count {
        let at = 1_600_000_000 + 60 * n;
        let push = Push::new()
            .at(at)
            .put(
                format!("folder {}/{}.md", n % 10, n % 30),
                format!("at {n}"),
            )
            .put(format!(".obsidian/{n}.md"), "hidden")
            .put(format!("made/{n}.md"), "new");
        let push = match n % 5 {
            3 => push.rename(format!("made/{}.md", n - 1), format!("renamed/{n}.md")),
            4 => push.delete(format!("made/{}.md", n - 4)),
            _ => push,
        };
        vault.push_unseen(push).await;
    }
}

/// How long the walk waits before it goes on; `None` where it has ended.
fn wait_of(vault: &AtIndex, index: &VaultIndex) -> Option<Duration> {
    let now = vault.clock.now().unix_seconds();
    let wait = index.due()?.unix_seconds().saturating_sub(now);
    Some(Duration::from_secs(wait)).filter(|wait| *wait <= PACE)
}

/// Goes on with the walk until it ends; returns how many commits each go has looked at.
async fn walk(vault: &AtIndex, index: &VaultIndex) -> Vec<usize> {
    let mut goes = Vec::new();
    while let Some(wait) = wait_of(vault, index) {
        vault.clock.advance(wait);
        vault.look_alike.reset_requests();
        index.work().await.unwrap();
        let requests = vault.requests();
        assert!(
            requests
                .iter()
                .all(|line| line.starts_with("GET /commits/") && line.contains("?page=")),
            "{requests:#?}"
        );
        goes.push(requests.len());
        assert!(goes.len() < 100, "a walk without end");
    }
    goes
}

#[test]
fn every_note_gets_the_time_of_the_commit_that_changed_it_last() {
    run(async {
        let vault = AtIndex::start(notes(30)).await;
        history(&vault, 45).await;
        vault.index.work().await.unwrap();
        assert_eq!(unknown(&vault), known(&vault).len());
        let goes = walk(&vault, &vault.index).await;
        assert_eq!(known(&vault), expected(&vault));
        // Each commit was looked at once, some at a time.
        assert!(goes.iter().all(|commits| *commits <= AT_A_TIME), "{goes:?}");
        assert!(goes.iter().sum::<usize>() <= 46, "{goes:?}");
        // That is all there is to do, also after a long time.
        vault.clock.advance(Duration::from_hours(10));
        assert!(vault.has_nothing_to_do());
        vault.look_alike.reset_requests();
        vault.index.work().await.unwrap();
        assert_eq!(vault.requests(), [""; 0]);
    });
}

#[test]
fn a_walk_goes_on_after_a_restart_where_it_was() {
    run(async {
        let vault = AtIndex::start(notes(30)).await;
        history(&vault, 45).await;
        vault.index.work().await.unwrap();
        let mut commits = 0;
        loop {
            let index = vault.reopened(open_policy());
            let Some(_) = wait_of(&vault, &index) else {
                break;
            };
            vault.clock.advance(PACE);
            vault.look_alike.reset_requests();
            index.work().await.unwrap();
            commits += vault.requests().len();
        }
        assert!((3..=46).contains(&commits), "{commits}");
        assert_eq!(known(&vault), expected(&vault));
    });
}

#[test]
fn own_changes_and_pushes_that_are_seen_as_they_come_are_known_at_once() {
    run(async {
        let vault = AtIndex::built(notes(30)).await;
        walk(&vault, &vault.index).await;
        vault.clock.advance(Duration::from_mins(5));
        list(&vault.index, "", None).await.unwrap();
        let since = i64::try_from(vault.clock.now().unix_seconds()).unwrap();
        vault
            .index
            .create(&open_policy(), &writable("own.md"), b"x", &info("x"))
            .await
            .unwrap();
        let push = Push::new()
            .at(1)
            .put("pushed.md", "x")
            .put("folder 1/1.md", "y");
        vault.push_unseen(push).await;
        vault.grow_old();
        list(&vault.index, "", None).await.unwrap();
        let times = known(&vault);
        for path in ["own.md", "pushed.md", "folder 1/1.md"] {
            assert!(
                times[path].is_some_and(|time| (since..since + 60).contains(&time)),
                "{path}"
            );
        }
        assert!(times["folder 2/2.md"].is_some_and(|time| time < since - 60));
        assert_eq!(wait_of(&vault, &vault.index), None);
    });
}

#[test]
fn a_push_that_was_not_seen_as_it_came_is_looked_up_and_nothing_below_it() {
    run(async {
        let vault = AtIndex::built(notes(30)).await;
        walk(&vault, &vault.index).await;
        vault.clock.advance(Duration::from_hours(3));
        for n in 1..4 {
            vault
                .push_unseen(Push::new().at(n * 1_000).put(format!("{n}.md"), "x"))
                .await;
        }
        list(&vault.index, "", None).await.unwrap();
        assert_eq!(unknown(&vault), 3);
        assert_eq!(walk(&vault, &vault.index).await.iter().sum::<usize>(), 3);
        let times = known(&vault);
        for n in 1..4 {
            assert_eq!(times[&format!("{n}.md")], Some(n * 1_000));
        }
    });
}

#[test]
fn a_commit_of_many_files_is_read_page_by_page() {
    run(async {
        let vault = AtIndex::start(vec![note("first.md", "x")]).await;
        let push = (0..700).fold(Push::new().at(5_000), |push, n| {
            push.put(format!("{n}.md"), "x")
        });
        vault.push_unseen(push).await;
        vault.index.work().await.unwrap();
        // Three pages of the one commit, and the first of all.
        assert_eq!(walk(&vault, &vault.index).await, [4]);
        assert_eq!(known(&vault), expected(&vault));
    });
}

#[test]
fn a_commit_of_more_files_than_github_names_ends_the_walk_without_a_guess() {
    run(async {
        let vault = AtIndex::start(vec![note("first.md", "x"), note("untouched.md", "x")]).await;
        let push = (0..3_200).fold(Push::new().at(5_000), |push, n| {
            push.put(format!("{n}.png"), "x")
        });
        vault.push_unseen(push.put("first.md", "y")).await;
        vault
            .push_unseen(Push::new().at(6_000).put("second.md", "x"))
            .await;
        vault.index.work().await.unwrap();
        walk(&vault, &vault.index).await;
        let times = known(&vault);
        assert_eq!(times["second.md"], Some(6_000));
        // Nobody knows what else that commit changed.
        assert_eq!(times["untouched.md"], None);
        assert_eq!(wait_of(&vault, &vault.index), None);
    });
}

#[test]
fn a_walk_waits_out_what_github_refuses() {
    run(async {
        let vault = AtIndex::start(notes(10)).await;
        history(&vault, 5).await;
        vault.index.work().await.unwrap();
        vault
            .look_alike
            .switches(|switches| switches.fail_reads = Times::Always);
        vault.clock.advance(PACE);
        assert!(vault.index.work().await.is_err());
        assert!(vault.has_nothing_to_do());
        vault.look_alike.reset_switches();
        vault.look_alike.switches(|switches| {
            switches.primary_limit = Some(PrimaryLimit::default());
        });
        vault.clock.advance(PACE);
        let refused = vault.index.work().await.unwrap_err();
        assert!(
            matches!(refused, StorageError::RateLimited { .. }),
            "{refused:?}"
        );
        let due = vault.index.due().unwrap();
        assert!(due > vault.clock.now().after(Duration::from_mins(5)));
        vault.look_alike.reset_switches();
        vault.clock.advance(Duration::from_mins(11));
        walk(&vault, &vault.index).await;
        assert_eq!(known(&vault), expected(&vault));
    });
}

#[test]
fn notes_that_another_policy_shows_get_their_times_too() {
    run(async {
        let vault = AtIndex::start(notes(30)).await;
        history(&vault, 10).await;
        let denied = [DirPath::parse("made").unwrap()];
        let narrow = vault.reopened(VaultPolicy::new(Vec::new(), &denied, false));
        narrow.work().await.unwrap();
        walk(&vault, &narrow).await;
        assert!(!known(&vault).keys().any(|path| path.starts_with("made/")));
        let wide = vault.reopened(open_policy());
        wide.work().await.unwrap();
        assert!(unknown(&vault) > 0);
        walk(&vault, &wide).await;
        assert!(known(&vault).keys().any(|path| path.starts_with("made/")));
        assert_eq!(known(&vault), expected(&vault));
    });
}
