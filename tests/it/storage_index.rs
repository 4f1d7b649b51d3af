//! The index: what it costs, what it may be behind, and what it must not hold.

use std::time::{Duration, Instant};

use vault_mcp::{
    runtime::{Clock, Sql},
    storage::index::Stage,
    vault::{
        path::DirPath,
        policy::VaultPolicy,
        storage::{CommitId, Revision, VaultStorage},
    },
};
use vault_mcp_dev::{
    Push, SeedFile, Times,
    github::{CutTarball, Hang, HangPoint},
};

use crate::support::{
    index::{AtIndex, note, notes},
    storage::{Subject, info, list, open_policy, paths, read, run, visible, writable},
};

#[test]
fn a_build_takes_few_requests_and_then_reading_takes_none() {
    run(async {
        let vault = AtIndex::start(notes(200)).await;
        vault.index.work().await.unwrap();
        assert_eq!(vault.counted(), 4, "{:?}", vault.requests());
        assert!(vault.has_nothing_to_do());
        vault.look_alike.reset_requests();
        vault.assert_same().await;
        assert_eq!(vault.requests(), Vec::<String>::new());
        vault.grow_old();
        vault.assert_same().await;
        assert_eq!(vault.requests(), ["GET /commits/heads/main 304"]);
        assert_eq!(vault.counted(), 0);
    });
}

#[test]
fn the_first_request_is_answered_whether_or_not_there_is_an_index() {
    run(async {
        let vault = AtIndex::start(notes(20)).await;
        assert_eq!(vault.index.status().unwrap().stage, Stage::New);
        vault.assert_same().await;
        assert_eq!(vault.index.status().unwrap().stage, Stage::Ready);
    });
}

#[test]
fn what_a_reader_saw_during_a_build_is_still_there_after_it() {
    run(async {
        let vault = AtIndex::start(notes(300)).await;
        let builds = async { vault.index.work().await.unwrap() };
        let reads = async {
            // The build has pinned its commit once it asks for the tree.
            while !vault
                .requests()
                .iter()
                .any(|request| request.contains("/git/trees/"))
            {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            // What it asks for next, the archive, takes its time.
            vault.look_alike.switches(|switches| {
                switches.hang = Some(Hang {
                    at: HangPoint::Request,
                    times: Times::Next(1),
                    milliseconds: Some(500),
                });
            });
            let push = Push::new().put("pushed.md", "during the build");
            vault.push_unseen(push).await;
            list(&vault.index, "", None).await.unwrap().commit
        };
        let ((), seen) = tokio::join!(builds, reads);
        if seen.map(|commit| commit.to_string()) == vault.head() {
            assert_eq!(vault.content("pushed.md").await, "during the build");
            vault.assert_same().await;
        } else {
            // The build was over before the reader came; what it missed shows in time.
            vault.grow_old();
            vault.assert_same().await;
        }
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
            .create(&open_policy(), &writable("new.md"), b"new", &info("x"))
            .await
            .unwrap();
        assert_eq!(vault.content("3.md").await, "mine");
        vault.index.work().await.unwrap();
        assert_eq!(vault.index.status().unwrap().stage, Stage::Ready);
        vault.assert_same().await;
        assert_eq!(vault.content("3.md").await, "mine");
    });
}

#[test]
fn a_renamed_folder_costs_no_bytes() {
    run(async {
        let vault = AtIndex::built(notes(60)).await;
        let push = (0..6).fold(Push::new(), |push, n| {
            push.rename(
                format!("folder 3/{n}3.md").replace("/03", "/3"),
                format!("moved/{n}.md"),
            )
        });
        vault.push_unseen(push).await;
        vault.grow_old();
        vault.assert_same().await;
        assert_eq!(vault.counted(), 2, "{:?}", vault.requests());
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
                    .all(|commit| Some(commit) == vault.head().as_ref())
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
fn a_branch_that_was_reset_is_followed_back() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let first = vault.head().unwrap();
        vault.push_unseen(Push::new().put("new.md", "n")).await;
        vault.grow_old();
        vault.assert_same().await;
        vault
            .look_alike
            .git(&["update-ref", "refs/heads/main", &first])
            .unwrap();
        vault.clock.advance(Duration::from_mins(2));
        vault.assert_same().await;
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
                .exec(
                    "SELECT path || ' ' || ifnull(body, '') FROM notes ORDER BY path",
                    &[],
                )
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
        assert!(vault.content("large.md").await == large);
        let found = read(&vault.index, "bin.md").await.unwrap().note.unwrap();
        assert_eq!(found.content, binary);
        assert_eq!(vault.counted(), 2);
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
        assert_eq!(vault.content("a.md").await, "right");
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
        vault.assert_same().await;
    });
}

#[test]
fn an_archive_that_leaves_out_or_rewrites_is_completed_by_blobs() {
    run(async {
        let mut files = notes(10);
        files.push(note(
            ".gitattributes",
            "ignored.md export-ignore\nrewritten*.md export-subst\n",
        ));
        files.push(note("ignored.md", "i"));
        // The second one is rewritten to another text of the same length: 40 digits and two signs.
        let rewritten = ["$Format:%H$", "$Format:%H$$Format:$$Format:%%$$Format:%%$"];
        files.push(note("rewritten.md", rewritten[0]));
        files.push(note("rewritten too.md", rewritten[1]));
        let vault = AtIndex::built(files).await;
        vault.assert_same().await;
        assert_eq!(vault.content("rewritten.md").await, rewritten[0]);
        assert_eq!(vault.content("rewritten too.md").await, rewritten[1]);
        // The rows themselves are right: no broken one had to be fetched anew.
        assert_eq!(vault.requests(), [""; 0]);
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
        vault.assert_same().await;
    });
}

#[test]
fn an_earlier_commit_is_read_from_github() {
    run(async {
        let vault = AtIndex::built(notes(10)).await;
        let first = list(&vault.index, "", None).await.unwrap().commit.unwrap();
        vault.push(&[("folder 1/1.md", Some(b"later"))]).await;
        assert_eq!(vault.content("folder 1/1.md").await, "later");
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
    });
}

#[test]
fn a_push_that_a_reader_cannot_wait_for_is_followed_in_the_background() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let before = vault.head();
        vault.clock.make_readers_impatient();
        vault.push_unseen(Push::new().put("new.md", "n")).await;
        vault.grow_old();
        let slow = Hang {
            at: HangPoint::Request,
            times: Times::Always,
            milliseconds: Some(800),
        };
        vault
            .look_alike
            .switches(|switches| switches.hang = Some(slow));
        let seen = list(&vault.index, "", None).await.unwrap().commit;
        assert_eq!(seen.map(|commit| commit.to_string()), before);
        // The next reader does not wait, and the background knows that there is work.
        let started = Instant::now();
        list(&vault.index, "", None).await.unwrap();
        assert!(started.elapsed() < Duration::from_millis(500));
        assert!(
            vault
                .index
                .due()
                .is_some_and(|due| due <= vault.clock.now())
        );
        vault.index.work().await.unwrap();
        vault.look_alike.reset_switches();
        assert!(vault.has_nothing_to_do());
        vault.assert_same().await;
    });
}

#[test]
fn a_push_that_is_told_of_is_looked_for_at_once_and_others_later() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let told = async |vault: &AtIndex| {
            let head = CommitId::parse(&vault.head().unwrap()).unwrap();
            hear(vault, "refs/heads/main", head).await;
        };
        vault.push_unseen(Push::new().put("new.md", "n")).await;
        told(&vault).await;
        vault.assert_same().await;
        // What is known already is no news, and silence is now taken for no news for longer.
        vault.look_alike.reset_requests();
        told(&vault).await;
        vault.grow_old();
        vault.assert_same().await;
        assert_eq!(vault.requests(), Vec::<String>::new());
        vault.push_unseen(Push::new().put("new.md", "m")).await;
        vault.clock.advance(Duration::from_mins(1));
        vault.assert_same().await;
    });
}

/// GitHub's listing of a folder ends at 1,000 entries without a word.
#[test]
fn a_folder_of_1500_notes_is_listed_whole() {
    run(async {
        let files = (0..1_500).map(|n| note(&format!("Clippings/{n:04}.md"), format!("note {n}")));
        let vault = AtIndex::built(files.collect()).await;
        let listing = list(&vault.index, "Clippings", None).await.unwrap();
        assert_eq!(listing.entries.len(), 1_500);
        assert_eq!(paths(&listing).last(), Some(&"Clippings/1499.md"));
        assert_eq!(vault.content("Clippings/1499.md").await, "note 1499");
        vault
            .push(&[
                ("Clippings/1500.md", Some(b"one more")),
                ("Clippings/0000.md", None),
            ])
            .await;
        let listing = list(&vault.index, "Clippings", None).await.unwrap();
        assert_eq!(listing.entries.len(), 1_500);
        assert_eq!(paths(&listing).last(), Some(&"Clippings/1500.md"));
    });
}

/// A tree that GitHub cuts off at its size limit says so; whoever overlooks that loses notes.
#[test]
fn a_vault_whose_tree_github_cuts_is_indexed_and_followed_whole() {
    run(async {
        let files = (0..200).map(|n| {
            note(
                &format!("folder {}/sub {}/{n}.md", n % 7, n % 3),
                format!("note {n}"),
            )
        });
        let vault = AtIndex::start(files.collect()).await;
        vault
            .look_alike
            .switches(|switches| switches.tree_truncate_at = Some(12));
        vault.index.work().await.unwrap();
        let trees = |vault: &AtIndex| {
            let requests = vault.requests();
            requests
                .iter()
                .filter(|line| line.contains("/git/trees/"))
                .count()
        };
        assert!(trees(&vault) > 7, "{:?}", vault.requests());
        vault.assert_same().await;
        // Too many changes to compare: the tree is walked again.
        let many: Vec<_> = (0..400)
            .map(|n| (format!("folder {}/new {n}.md", n % 7), format!("new {n}")))
            .collect();
        let many: Vec<_> = many
            .iter()
            .map(|(path, text)| (path.as_str(), Some(text.as_bytes())))
            .collect();
        vault.push(&many).await;
        vault.index.work().await.unwrap();
        vault.assert_same().await;
    });
}

/// The index is told that a branch or tag moved.
async fn hear(vault: &AtIndex, reference: &str, head: CommitId) {
    vault.index.hear_of(reference, &head).await.unwrap();
}

#[test]
fn pushes_to_other_branches_and_tags_are_no_news() {
    run(async {
        let vault = AtIndex::built(notes(20)).await;
        let other = CommitId::parse(&"b".repeat(40)).unwrap();
        for reference in [
            "refs/heads/other",
            "refs/heads/main2",
            "refs/heads/refs/heads/main",
            "refs/tags/main",
            "main",
            "",
        ] {
            hear(&vault, reference, other.clone()).await;
            vault.assert_same().await;
        }
        assert_eq!(vault.requests(), Vec::<String>::new());
        // A false message costs one look that GitHub does not count, and changes nothing.
        hear(&vault, "refs/heads/main", other).await;
        vault.assert_same().await;
        assert_eq!(vault.requests(), ["GET /commits/heads/main 304"]);
    });
}
