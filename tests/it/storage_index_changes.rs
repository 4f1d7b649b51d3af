//! The index where something is changed through it, and where GitHub refuses.

use std::time::Duration;

use vault_mcp::{
    runtime::{Clock, Sql},
    storage::index::Stage,
    vault::{
        policy::Writable,
        storage::{Committed, Revision, StorageError, VaultStorage},
    },
};
use vault_mcp_dev::{
    Push, Times,
    github::{Hang, HangPoint, PrimaryLimit, RefLag},
};

use crate::support::{
    index::{AtIndex, note, notes},
    storage::{Subject, info, list, open_policy, read, run, writable},
};

#[test]
fn what_is_written_while_a_build_runs_is_not_overwritten_by_it() {
    run(async {
        let vault = AtIndex::start(notes(60)).await;
        let asked_for = async |what: &str| {
            while !vault.requests().iter().any(|line| line.contains(what)) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let writes = async {
            // The build knows which commit it is for, and its archive takes long.
            asked_for("/git/trees/").await;
            vault.look_alike.switches(|switches| {
                switches.hang = Some(Hang {
                    at: HangPoint::Request,
                    times: Times::Next(2),
                    milliseconds: Some(1_000),
                });
            });
            asked_for("/tarball/").await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            vault.look_alike.reset_switches();
            for n in 0..3 {
                let base = Revision::of(format!("note {n}").as_bytes());
                let path = writable(&format!("folder {n}/{n}.md"));
                vault
                    .index
                    .update(&path, &base, b"mine", &info("x"))
                    .await
                    .unwrap();
            }
            while vault.index.status().unwrap().stage != Stage::Ready {
                let texts = "SELECT body FROM notes WHERE path IN (?, ?, ?)";
                let paths = [0, 1, 2].map(|n| format!("folder {n}/{n}.md").into());
                for row in vault.sql.exec(texts, &paths).unwrap() {
                    assert_eq!(row.text(0).unwrap(), "mine");
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let (built, ()) = futures_util::future::join(vault.index.work(), writes).await;
        built.unwrap();
        vault.assert_same().await;
        assert_eq!(vault.content("folder 2/2.md").await, "mine");
    });
}

#[test]
fn a_note_that_was_deleted_elsewhere_is_not_made_again_by_a_replacement() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let path = "folder 1/1.md";
        let base = Revision::of(b"note 1");
        // Fresh as the index is, it has not heard of this.
        vault.push_unseen(Push::new().delete(path)).await;
        let head = vault.head();
        let refused = vault
            .index
            .update(&writable(path), &base, b"two", &info("x"))
            .await;
        assert_eq!(refused, Err(StorageError::Conflict { current: None }));
        assert_eq!(vault.head(), head, "nothing was written");
        vault.assert_same().await;
    });
}

#[test]
fn own_changes_cost_one_request_and_are_read_at_once() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let path = "folder 1/1.md";
        let base = Revision::of(b"note 1");
        let made = vault
            .index
            .update(&writable(path), &base, b"two", &info("x"))
            .await
            .unwrap();
        assert_eq!(vault.content(path).await, "two");
        assert_eq!(
            read(&vault.index, path).await.unwrap().commit,
            Some(made.commit)
        );
        vault
            .index
            .create(
                &open_policy(),
                &writable("folder 1/new.md"),
                b"n",
                &info("x"),
            )
            .await
            .unwrap();
        vault
            .index
            .delete(&writable(path), &Revision::of(b"two"), &info("x"))
            .await
            .unwrap();
        assert_eq!(
            vault.requests(),
            [
                "GET /commits/heads/main 304",
                "PUT /contents/folder%201/1.md 200",
                "GET /commits/heads/main 304",
                "PUT /contents/folder%201/new.md 201",
                "DELETE /contents/folder%201/1.md 200",
            ]
        );
        vault.assert_same().await;
        vault.grow_old();
        vault.assert_same().await;
        assert_eq!(
            vault.counted(),
            3,
            "the look after it is free: {:?}",
            vault.requests()
        );
    });
}

#[test]
fn a_foreign_commit_between_is_caught_up_with() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        vault
            .push_unseen(
                Push::new()
                    .put("theirs.md", "theirs")
                    .delete("folder 2/2.md"),
            )
            .await;
        let base = Revision::of(b"note 1");
        let path = writable("folder 1/1.md");
        vault
            .index
            .update(&path, &base, b"mine", &info("x"))
            .await
            .unwrap();
        // No time has passed: the change itself told that the branch was elsewhere.
        vault.assert_same().await;
        assert_eq!(vault.content("theirs.md").await, "theirs");
    });
}

#[test]
fn a_stale_index_overwrites_nothing() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let path = writable("folder 1/1.md");
        let base = Revision::of(b"note 1");
        vault
            .push_unseen(
                Push::new()
                    .put("folder 1/1.md", "theirs")
                    .put("new.md", "n"),
            )
            .await;
        let theirs = Some(Revision::of(b"theirs"));
        let refused = vault
            .index
            .update(&path, &base, b"mine", &info("x"))
            .await
            .unwrap_err();
        assert_eq!(
            refused,
            StorageError::Conflict {
                current: theirs.clone()
            }
        );
        let refused = vault
            .index
            .delete(&path, &base, &info("x"))
            .await
            .unwrap_err();
        assert_eq!(refused, StorageError::Conflict { current: theirs });
        let refused = vault
            .index
            .create(&open_policy(), &writable("new.md"), b"x", &info("x"))
            .await
            .unwrap_err();
        let there = Some(Revision::of(b"n"));
        assert_eq!(refused, StorageError::AlreadyExists { revision: there });
        vault.assert_same().await;
    });
}

#[test]
fn a_lagging_branch_hides_neither_own_changes_nor_lasts() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        vault
            .look_alike
            .switches(|switches| switches.ref_lag = Some(RefLag::Milliseconds(60_000)));
        let base = Revision::of(b"note 1");
        let path = "folder 1/1.md";
        vault
            .index
            .update(&writable(path), &base, b"mine", &info("x"))
            .await
            .unwrap();
        vault.grow_old();
        assert_eq!(vault.content(path).await, "mine");
        let looked = vault
            .requests()
            .iter()
            .any(|line| line.ends_with("heads/main 200"));
        assert!(
            looked,
            "GitHub named the commit before: {:?}",
            vault.requests()
        );
        // The heads that were seen outlive the index.
        let reopened = vault.reopened(open_policy());
        vault.grow_old();
        let found = read(&reopened, path).await.unwrap().note.unwrap();
        assert_eq!(found.content, b"mine");
    });
}

#[test]
fn reads_outlive_a_github_that_is_down() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        vault
            .look_alike
            .switches(|switches| switches.fail_reads = Times::Always);
        vault.grow_old();
        assert_eq!(vault.content("folder 1/1.md").await, "note 1");
        let found = list(&vault.index, "folder 1", None).await.unwrap();
        assert_eq!(found.entries.len(), 2);
    });
}

#[test]
fn a_rate_limit_is_kept_to_without_asking_again() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        vault.look_alike.switches(|switches| {
            switches.primary_limit = Some(PrimaryLimit::default());
        });
        vault.grow_old();
        assert_eq!(vault.content("folder 1/1.md").await, "note 1");
        vault.grow_old();
        assert_eq!(vault.content("folder 1/1.md").await, "note 1");
        let refused = vault
            .index
            .create(&open_policy(), &writable("x.md"), b"x", &info("x"))
            .await
            .unwrap_err();
        assert!(
            matches!(refused, StorageError::RateLimited { .. }),
            "{refused:?}"
        );
        assert_eq!(vault.requests().len(), 1, "{:?}", vault.requests());
        vault.look_alike.reset_switches();
        vault.clock.advance(Duration::from_secs(601));
        vault
            .index
            .create(&open_policy(), &writable("x.md"), b"x", &info("x"))
            .await
            .unwrap();
    });
}

#[test]
fn changes_keep_to_githubs_pace() {
    run(async {
        let vault = AtIndex::built(vec![note("a.md", "a")]).await;
        let before = vault.clock.now();
        for n in 0..20 {
            let path = writable(&format!("{n}.md"));
            vault
                .index
                .create(&open_policy(), &path, b"x", &info("x"))
                .await
                .unwrap();
        }
        let took = vault.clock.now().unix_seconds() - before.unix_seconds();
        assert!((14..40).contains(&took), "20 changes in {took} seconds");
        // An hour's worth of changes, all made half an hour ago.
        let half_an_hour_ago = vault.clock.now().before(Duration::from_mins(30));
        for _ in 0..450 {
            vault
                .sql
                .exec(
                    "INSERT INTO writes(at) VALUES (?)",
                    &[half_an_hour_ago.into()],
                )
                .unwrap();
        }
        let refused = vault
            .index
            .create(&open_policy(), &writable("x.md"), b"x", &info("x"))
            .await
            .unwrap_err();
        let StorageError::RateLimited { retry_after } = refused else {
            panic!("{refused:?}");
        };
        assert!(
            (1_700..=1_800).contains(&retry_after.as_secs()),
            "{retry_after:?}"
        );
    });
}

#[test]
fn more_changes_than_can_wait_are_told_to_come_back() {
    run(async {
        let vault = AtIndex::built(vec![note("a.md", "a")]).await;
        let creates = (0..20).map(|n| {
            let vault = &vault;
            async move {
                vault
                    .index
                    .create(
                        &open_policy(),
                        &writable(&format!("{n}.md")),
                        b"x",
                        &info("x"),
                    )
                    .await
            }
        });
        let made = futures_util::future::join_all(creates).await;
        let refused = made.iter().filter(|made| made.is_err()).count();
        assert!(
            made.iter()
                .filter_map(|made| made.as_ref().err())
                .all(|error| { matches!(error, StorageError::RateLimited { .. }) })
        );
        assert_eq!(refused, 11, "one has the turn, eight wait");
        assert_eq!(
            list(&vault.index, "", None).await.unwrap().entries.len(),
            10
        );
        vault.assert_same().await;
    });
}

#[test]
fn notes_do_not_take_the_place_of_what_the_index_does_not_know() {
    run(async {
        let files = vec![
            note("a.md", "a"),
            note("plain", "a file that is no note"),
            note("pictures.md/x.png", "x"),
            note("attachments/x.png", "x"),
        ];
        let vault = AtIndex::built(files).await;
        let before = vault.head();
        for path in [
            "plain/b.md",
            "plain/deep/b.md",
            "pictures.md",
            "attachments/x.png/b.md",
        ] {
            let refused = vault
                .index
                .create(&open_policy(), &writable(path), b"x", &info("x"))
                .await
                .unwrap_err();
            assert_eq!(
                refused,
                StorageError::AlreadyExists { revision: None },
                "{path}"
            );
        }
        assert_eq!(vault.head(), before);
        vault
            .index
            .create(
                &open_policy(),
                &writable("attachments/b.md"),
                b"x",
                &info("x"),
            )
            .await
            .unwrap();
        for path in ["fresh/deep/b.md", "b.md"] {
            let path = writable(path);
            create(&vault, &path).await.unwrap();
        }
        let below_a_note = create(&vault, &writable("b.md/c.md")).await;
        assert_eq!(below_a_note.unwrap_err(), StorageError::NoRoom);
        vault.assert_same().await;
    });
}

/// Makes a note.
async fn create(vault: &AtIndex, path: &Writable) -> Result<Committed, StorageError> {
    vault
        .index
        .create(&open_policy(), path, b"x", &info("x"))
        .await
}

#[test]
fn an_attachment_that_was_pushed_since_is_in_the_way_and_one_that_went_is_not() {
    run(async {
        let vault = AtIndex::built(notes(5)).await;
        vault.push(&[("scan", Some(b"no note"))]).await;
        vault.assert_same().await;
        let path = writable("scan/b.md");
        let taken = StorageError::AlreadyExists { revision: None };
        let refused = create(&vault, &path).await;
        assert_eq!(refused.unwrap_err(), taken);
        vault.push(&[("scan", None)]).await;
        vault.assert_same().await;
        create(&vault, &path).await.unwrap();
        vault.assert_same().await;
    });
}
