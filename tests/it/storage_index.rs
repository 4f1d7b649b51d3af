//! The index: what it costs, what it may be behind, and what it must not hold.

use std::{rc::Rc, time::Duration};

use tokio::task::LocalSet;
use vault_mcp::{
    runtime::{Clock, Sql},
    storage::index::Stage,
    vault::{
        path::DirPath,
        policy::VaultPolicy,
        storage::{Denial, Revision, StorageError, VaultStorage},
    },
};
use vault_mcp_dev::{
    Push, SeedFile, Times,
    github::{CutTarball, RefLag},
};

use crate::support::{
    index::AtIndex,
    storage::{Subject, info, list, open_policy, paths, read, visible, writable},
};

fn run(case: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, case);
}

fn note(path: &str, content: impl Into<Vec<u8>>) -> SeedFile {
    SeedFile::regular(path, content)
}

/// A vault of `count` notes in ten folders.
fn notes(count: usize) -> Vec<SeedFile> {
    (0..count)
        .map(|n| note(&format!("folder {}/{n}.md", n % 10), format!("note {n}")))
        .collect()
}

fn counted(vault: &AtIndex) -> usize {
    vault.look_alike.counted_requests()
}

async fn content(vault: &AtIndex, path: &str) -> String {
    let note = read(&vault.index, path).await.unwrap().note.expect(path);
    String::from_utf8(note.content).unwrap()
}

fn head(vault: &AtIndex) -> Option<String> {
    vault.look_alike.head().unwrap().map(|oid| oid.to_string())
}

/// Holds the index to the repository: every note, every byte, and nothing else.
async fn assert_same(vault: &AtIndex) {
    let listing = list(&vault.index, "", None).await.unwrap();
    assert_eq!(
        listing.commit.as_ref().map(ToString::to_string),
        head(vault)
    );
    let tree = vault
        .look_alike
        .git(&["ls-tree", "-r", "-z", "main"])
        .unwrap();
    let expected: Vec<_> = tree
        .split_terminator('\0')
        .filter_map(|line| line.split_once('\t'))
        .filter(|(facts, path)| facts.starts_with("100") && open_policy_shows(path))
        .map(|(facts, path)| (path.to_owned(), facts.split(' ').nth(2).unwrap().to_owned()))
        .collect();
    let found: Vec<_> = listing
        .entries
        .iter()
        .map(|entry| (entry.path.as_str().to_owned(), entry.revision.to_string()))
        .collect();
    assert_eq!(found, expected);
    for (path, revision) in found {
        let read = read(&vault.index, &path).await.unwrap().note.unwrap();
        assert_eq!(Revision::of(&read.content).to_string(), revision, "{path}");
    }
}

fn open_policy_shows(path: &str) -> bool {
    use vault_mcp::vault::storage::Sieve;
    open_policy().admit(path).is_some()
}

#[test]
fn a_build_takes_few_requests_and_then_reading_takes_none() {
    run(async {
        let vault = AtIndex::start(notes(200)).await;
        vault.index.work().await.unwrap();
        assert_eq!(counted(&vault), 4, "{:?}", vault.requests());
        assert_eq!(vault.index.due(), None);
        vault.look_alike.reset_requests();
        assert_same(&vault).await;
        assert_eq!(vault.requests(), Vec::<String>::new());
        vault.grow_old();
        assert_same(&vault).await;
        assert_eq!(vault.requests(), ["GET /commits/heads/main 304"]);
        assert_eq!(counted(&vault), 0);
    });
}

#[test]
fn the_first_request_is_answered_whether_or_not_there_is_an_index() {
    run(async {
        let vault = AtIndex::start(notes(20)).await;
        assert_eq!(vault.index.status().unwrap().stage, Stage::New);
        assert_same(&vault).await;
        assert_eq!(vault.index.status().unwrap().stage, Stage::Ready);
    });
}

#[test]
fn a_vault_too_large_for_one_step_is_built_in_the_background() {
    run(async {
        let body = "0123456789abcdef".repeat(70_000);
        let files = (0..18)
            .map(|n| note(&format!("{n}.md"), format!("{n} {body}")))
            .collect();
        let vault = AtIndex::start(files).await;
        assert_eq!(
            list(&vault.index, "", None).await.unwrap().entries.len(),
            18
        );
        assert_eq!(vault.index.status().unwrap().stage, Stage::Building);
        assert!(
            vault
                .index
                .due()
                .is_some_and(|due| due <= vault.clock.now())
        );
        // GitHub answers in the index's place, and what is written meanwhile is kept.
        let base = Revision::of(format!("3 {body}").as_bytes());
        vault
            .index
            .update(&writable("3.md"), &base, b"mine", &info("x"))
            .await
            .unwrap();
        vault
            .index
            .create(&writable("new.md"), b"new", &info("x"))
            .await
            .unwrap();
        assert_eq!(content(&vault, "3.md").await, "mine");
        vault.index.work().await.unwrap();
        assert_eq!(vault.index.status().unwrap().stage, Stage::Ready);
        assert_same(&vault).await;
        assert_eq!(content(&vault, "3.md").await, "mine");
    });
}

#[test]
fn what_is_written_while_a_build_runs_is_not_overwritten_by_it() {
    run(async {
        let vault = AtIndex::start(notes(60)).await;
        let writes = async {
            for n in 0..6 {
                let base = Revision::of(format!("note {n}").as_bytes());
                let path = writable(&format!("folder {n}/{n}.md"));
                vault
                    .index
                    .update(&path, &base, b"mine", &info("x"))
                    .await
                    .unwrap();
            }
        };
        let (built, ()) = futures_util::future::join(vault.index.work(), writes).await;
        built.unwrap();
        for n in 0..6 {
            assert_eq!(content(&vault, &format!("folder {n}/{n}.md")).await, "mine");
        }
        vault.grow_old();
        assert_same(&vault).await;
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
        assert_eq!(content(&vault, path).await, "two");
        assert_eq!(
            read(&vault.index, path).await.unwrap().commit,
            Some(made.commit)
        );
        vault
            .index
            .create(&writable("folder 1/new.md"), b"n", &info("x"))
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
                "PUT /contents/folder%201/1.md 200",
                "PUT /contents/folder%201/new.md 201",
                "DELETE /contents/folder%201/1.md 200",
            ]
        );
        assert_same(&vault).await;
        vault.grow_old();
        assert_same(&vault).await;
        assert_eq!(
            counted(&vault),
            3,
            "the look after it is free: {:?}",
            vault.requests()
        );
    });
}

#[test]
fn a_push_is_followed_by_few_requests() {
    run(async {
        let vault = AtIndex::built(notes(60)).await;
        for (changed, most) in [(1, 3), (2, 4), (3, 5), (4, 5), (50, 5)] {
            let push = (0..changed).fold(Push::new(), |push, n| {
                push.put(
                    format!("folder {}/{n}.md", n % 10),
                    format!("push of {changed}: {n}"),
                )
            });
            vault.push_unseen(push).await;
            vault.grow_old();
            vault.look_alike.reset_requests();
            assert_same(&vault).await;
            assert!(counted(&vault) <= most, "{changed}: {:?}", vault.requests());
        }
    });
}

#[test]
fn a_renamed_folder_costs_no_bytes() {
    run(async {
        let vault = AtIndex::built(notes(60)).await;
        let push = (0..6).fold(Push::new(), |push, n| {
            push.rename(
                format!("folder 3/{}3.md", n).replace("/03", "/3"),
                format!("moved/{n}.md"),
            )
        });
        vault.push_unseen(push).await;
        vault.grow_old();
        assert_same(&vault).await;
        assert_eq!(counted(&vault), 2, "{:?}", vault.requests());
    });
}

#[test]
fn a_reader_never_sees_half_a_push() {
    run(async {
        let vault = AtIndex::built(vec![note("a.md", "0"), note("b.md", "0")]).await;
        for n in 1..6 {
            let text = n.to_string();
            vault
                .push_unseen(Push::new().put("a.md", &*text).put("b.md", &*text))
                .await;
            vault.grow_old();
            let seen = futures_util::future::join_all((0..8).map(|_| async {
                let listing = list(&vault.index, "", None).await.unwrap();
                assert_eq!(listing.entries[0].revision, listing.entries[1].revision);
                listing.commit.unwrap().to_string()
            }))
            .await;
            assert!(
                seen.iter()
                    .all(|commit| Some(commit) == head(&vault).as_ref())
            );
            let looks = vault
                .requests()
                .iter()
                .filter(|line| line.contains("/heads/"))
                .count();
            assert_eq!(looks, n, "one look for eight readers");
        }
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
        assert_same(&vault).await;
        assert_eq!(content(&vault, "theirs.md").await, "theirs");
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
            .create(&writable("new.md"), b"x", &info("x"))
            .await
            .unwrap_err();
        let there = Some(Revision::of(b"n"));
        assert_eq!(refused, StorageError::AlreadyExists { revision: there });
        assert_same(&vault).await;
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
        assert_eq!(content(&vault, path).await, "mine");
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
fn a_branch_that_was_reset_is_followed_back() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let first = head(&vault).unwrap();
        vault.push_unseen(Push::new().put("new.md", "n")).await;
        vault.grow_old();
        assert_same(&vault).await;
        vault
            .look_alike
            .git(&["update-ref", "refs/heads/main", &first])
            .unwrap();
        vault.clock.advance(Duration::from_secs(120));
        assert_same(&vault).await;
    });
}

#[test]
fn the_index_holds_only_what_the_policy_shows() {
    run(async {
        let files = vec![
            note("a.md", "a"),
            note("private/b.md", "the secret b"),
            note(".obsidian/c.md", "the secret c"),
            note("image.png", "the secret d"),
            SeedFile::symlink("link.md", "a.md"),
        ];
        let vault = AtIndex::built(files).await;
        let everything = |sql: &dyn Sql| {
            let rows = sql
                .exec("SELECT path || ' ' || ifnull(body, '') FROM notes", &[])
                .unwrap();
            rows.iter()
                .map(|row| row.text(0).unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            everything(&*vault.sql),
            ["a.md a", "private/b.md the secret b"]
        );
        // Denied from now on: gone before anything is asked.
        let denied = DirPath::parse("private").unwrap();
        let narrower = vault.reopened(VaultPolicy::new(Vec::new(), &[denied], false));
        assert_eq!(everything(&*vault.sql), ["a.md a"]);
        assert_eq!(paths(&list(&narrower, "", None).await.unwrap()), ["a.md"]);
        assert_eq!(everything(&*vault.sql), ["a.md a"]);
        // Shown again: there with the next answer.
        let wider = vault.reopened(open_policy());
        assert_eq!(
            paths(&list(&wider, "", None).await.unwrap()),
            ["a.md", "private/b.md"]
        );
        assert_eq!(everything(&*vault.sql).len(), 2);
    });
}

#[test]
fn a_note_beyond_a_row_or_beyond_utf_8_is_read_from_github() {
    run(async {
        let large = "x".repeat(1_950_000);
        let binary: &[u8] = &[0xff, 0xfe, 0x00];
        let vault = AtIndex::built(vec![note("large.md", &*large), note("bin.md", binary)]).await;
        assert!(content(&vault, "large.md").await == large);
        let found = read(&vault.index, "bin.md").await.unwrap().note.unwrap();
        assert_eq!(found.content, binary);
        assert_eq!(counted(&vault), 2);
    });
}

#[test]
fn a_broken_row_is_not_served() {
    run(async {
        let vault = AtIndex::built(vec![note("a.md", "right")]).await;
        vault
            .sql
            .exec("UPDATE notes SET body = 'wrong'", &[])
            .unwrap();
        assert_eq!(content(&vault, "a.md").await, "right");
    });
}

#[test]
fn a_tarball_that_breaks_off_leaves_the_index_as_it_was() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let before = list(&vault.index, "", None).await.unwrap();
        let push = (0..10).fold(Push::new(), |push, n| {
            push.put(format!("new {n}.md"), format!("{n}"))
        });
        vault.push_unseen(push).await;
        for clean in [true, false] {
            vault.look_alike.switches(|switches| {
                switches.cut_tarball = Some(CutTarball {
                    after_bytes: 600,
                    clean,
                });
            });
            vault.grow_old();
            assert_eq!(list(&vault.index, "", None).await.unwrap(), before);
        }
        vault.look_alike.reset_switches();
        vault.grow_old();
        assert_same(&vault).await;
    });
}

#[test]
fn an_archive_that_leaves_out_or_rewrites_is_completed_by_blobs() {
    run(async {
        let mut files = notes(10);
        files.push(note(
            ".gitattributes",
            "ignored.md export-ignore\nrewritten.md export-subst\n",
        ));
        files.push(note("ignored.md", "i"));
        files.push(note("rewritten.md", "$Format:%H$"));
        let vault = AtIndex::built(files).await;
        assert_same(&vault).await;
        assert_eq!(content(&vault, "rewritten.md").await, "$Format:%H$");
    });
}

#[test]
fn a_tarball_is_had_with_either_word_before_the_token() {
    run(async {
        let vault = AtIndex::start(notes(10)).await;
        vault
            .look_alike
            .switches(|switches| switches.tarball_refuses_bearer = true);
        vault.index.work().await.unwrap();
        assert_same(&vault).await;
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
        assert_eq!(content(&vault, "folder 1/1.md").await, "note 1");
        let found = list(&vault.index, "folder 1", None).await.unwrap();
        assert_eq!(found.entries.len(), 2);
    });
}

#[test]
fn a_rate_limit_is_kept_to_without_asking_again() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        vault.look_alike.switches(|switches| {
            switches.primary_limit = Some(vault_mcp_dev::github::PrimaryLimit::default());
        });
        vault.grow_old();
        assert_eq!(content(&vault, "folder 1/1.md").await, "note 1");
        vault.grow_old();
        assert_eq!(content(&vault, "folder 1/1.md").await, "note 1");
        let refused = vault
            .index
            .create(&writable("x.md"), b"x", &info("x"))
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
            .create(&writable("x.md"), b"x", &info("x"))
            .await
            .unwrap();
    });
}

#[test]
fn a_revoked_token_ends_reading_and_then_the_notes() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        vault
            .look_alike
            .switches(|switches| switches.unauthorized = Times::Always);
        let denied = StorageError::Denied(Denial::BadCredentials);
        vault.grow_old();
        assert_eq!(content(&vault, "folder 1/1.md").await, "note 1");
        vault.clock.advance(Duration::from_secs(120));
        assert_eq!(content(&vault, "folder 1/1.md").await, "note 1");
        vault.clock.advance(Duration::from_secs(15 * 60));
        assert_eq!(
            read(&vault.index, "folder 1/1.md").await.unwrap_err(),
            denied
        );
        assert_eq!(list(&vault.index, "", None).await.unwrap_err(), denied);
        let week = vault.index.due().expect("a time to erase");
        assert!(week > vault.clock.now());
        vault.clock.advance(Duration::from_secs(7 * 24 * 3_600));
        assert!(
            vault
                .index
                .due()
                .is_some_and(|due| due <= vault.clock.now())
        );
        vault.index.work().await.unwrap();
        assert!(
            vault
                .sql
                .exec("SELECT * FROM notes", &[])
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            read(&vault.index, "folder 1/1.md").await.unwrap_err(),
            denied
        );
        // Given back, everything is as it was.
        vault.look_alike.reset_switches();
        vault.clock.advance(Duration::from_secs(120));
        assert_same(&vault).await;
    });
}

#[test]
fn changes_keep_to_githubs_pace() {
    run(async {
        let vault = AtIndex::built(vec![note("a.md", "a")]).await;
        let before = vault.clock.now();
        for n in 0..20 {
            let path = writable(&format!("{n}.md"));
            vault.index.create(&path, b"x", &info("x")).await.unwrap();
        }
        let took = vault.clock.now().unix_seconds() - before.unix_seconds();
        assert!((14..40).contains(&took), "20 changes in {took} seconds");
        // An hour's worth of changes, all made half an hour ago.
        let half_an_hour_ago = vault.clock.now().before(Duration::from_secs(1_800));
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
            .create(&writable("x.md"), b"x", &info("x"))
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
                    .create(&writable(&format!("{n}.md")), b"x", &info("x"))
                    .await
            }
        });
        let made = futures_util::future::join_all(creates).await;
        let refused = made.iter().filter(|made| made.is_err()).count();
        assert!(
            made.iter()
                .flat_map(|made| made.as_ref().err())
                .all(|error| { matches!(error, StorageError::RateLimited { .. }) })
        );
        assert_eq!(refused, 11, "one has the turn, eight wait");
        assert_eq!(
            list(&vault.index, "", None).await.unwrap().entries.len(),
            10
        );
        assert_same(&vault).await;
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
        let before = head(&vault);
        for path in [
            "plain/b.md",
            "plain/deep/b.md",
            "pictures.md",
            "attachments/x.png/b.md",
        ] {
            let refused = vault
                .index
                .create(&writable(path), b"x", &info("x"))
                .await
                .unwrap_err();
            assert_eq!(
                refused,
                StorageError::AlreadyExists { revision: None },
                "{path}"
            );
        }
        assert_eq!(head(&vault), before);
        vault
            .index
            .create(&writable("attachments/b.md"), b"x", &info("x"))
            .await
            .unwrap();
        vault
            .index
            .create(&writable("fresh/deep/b.md"), b"x", &info("x"))
            .await
            .unwrap();
        assert_same(&vault).await;
    });
}

#[test]
fn an_earlier_commit_is_read_from_github() {
    run(async {
        let vault = AtIndex::built(notes(10)).await;
        let first = list(&vault.index, "", None).await.unwrap().commit.unwrap();
        vault.push(&[("folder 1/1.md", Some(b"later"))]).await;
        assert_eq!(content(&vault, "folder 1/1.md").await, "later");
        let policy = open_policy();
        let at = vault
            .index
            .read(&policy, &visible("folder 1/1.md"), Some(&first))
            .await
            .unwrap();
        assert_eq!(at.note.unwrap().content, b"note 1");
    });
}

#[test]
fn a_restart_finds_the_index_as_it_was() {
    run(async {
        let vault = AtIndex::built(notes(30)).await;
        let reopened = vault.reopened(open_policy());
        assert_eq!(list(&reopened, "", None).await.unwrap().entries.len(), 30);
        assert_eq!(vault.requests(), Vec::<String>::new());
        drop(Rc::clone(&vault.sql));
    });
}
