//! What the index costs at GitHub: the requests that are counted.

use std::{cell::Cell, time::Duration};

use vault_mcp::{
    runtime::Sql,
    storage::index::{LINK_STATEMENTS, Page, Stage},
    vault::{
        filter::NoteFilter,
        path::DirPath,
        storage::{Indexed, LinkQuery, LinkedNote, Revision, VaultStorage},
        text::Query,
    },
};
use vault_mcp_dev::{
    Push, SeedFile, Times,
    github::{Hang, HangPoint},
};

use crate::support::{
    index::{AtIndex, note, notes},
    storage::{info, list, open_policy, read, run, visible, writable},
};

/// The most requests that the first build may cost, whatever happens beside it.
const COLD: usize = 5;

const FIRST_PAGE: Page = Page {
    offset: 0,
    limit: 5,
};

/// A vault that is larger than what a reader builds while it waits: most of it is notes that are no
/// text, which cost no time here.
fn large() -> Vec<SeedFile> {
    let mut files = notes(300);
    files.extend((0..3).map(|n| note(&format!("{n}.md"), vec![0xff; 400_000 + n])));
    files
}

/// Every request takes its time, so that what happens at once is at once.
fn slow(vault: &AtIndex) {
    vault.look_alike.switches(|switches| {
        switches.hang = Some(Hang {
            at: HangPoint::Request,
            times: Times::Always,
            milliseconds: Some(40),
        });
    });
}

/// Lists, and searches, until the index is ready; says how often.
async fn keep_reading(vault: &AtIndex) -> usize {
    let mut times = 0;
    while vault.index.status().unwrap().stage != Stage::Ready {
        let listing = list(&vault.index, "", None).await.unwrap();
        assert!(listing.entries.len() >= 303, "a short list");
        vault
            .index
            .find(
                &Query::parse("note").unwrap(),
                &DirPath::root(),
                &NoteFilter::default(),
                FIRST_PAGE,
            )
            .await
            .unwrap();
        times += 1;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    times
}

#[test]
fn readers_who_wait_for_the_first_build_do_not_make_it_dearer() {
    run(async {
        let vault = AtIndex::start(large()).await;
        slow(&vault);
        let readers = futures_util::future::join_all((0..8).map(|_| keep_reading(&vault)));
        let (built, times) = futures_util::future::join(vault.index.work(), readers).await;
        built.unwrap();
        assert!(
            times.iter().all(|times| *times > 0),
            "nobody read: {times:?}"
        );
        assert!(vault.counted() <= COLD, "{:#?}", vault.requests());
        vault.look_alike.reset_switches();
        vault.assert_same().await;
    });
}

#[test]
fn readers_who_come_before_the_background_do_not_make_the_build_dearer() {
    run(async {
        let vault = AtIndex::start(large()).await;
        slow(&vault);
        for _ in 0..5 {
            assert_eq!(
                list(&vault.index, "", None).await.unwrap().entries.len(),
                303
            );
        }
        vault.index.work().await.unwrap();
        assert!(vault.counted() <= COLD, "{:#?}", vault.requests());
        vault.look_alike.reset_switches();
        vault.assert_same().await;
    });
}

#[test]
fn a_reader_who_stops_waiting_does_not_make_the_build_dearer() {
    run(async {
        let vault = AtIndex::start(large()).await;
        for milliseconds in [1, 5, 20, 60] {
            let reader = list(&vault.index, "", None);
            let _ = tokio::time::timeout(Duration::from_millis(milliseconds), reader).await;
        }
        vault.index.work().await.unwrap();
        vault.assert_same().await;
        // What a reader asked for and did not take cannot be had twice for the price of one; but
        // nobody asks for the archive, and for what the repository is, again and again.
        let asked = |what: &str| {
            let requests = vault.requests();
            requests.iter().filter(|line| line.contains(what)).count()
        };
        assert_eq!(asked("/tarball/"), 1, "{:#?}", vault.requests());
        assert!(asked("GET  ") <= 4, "{:#?}", vault.requests());
    });
}

#[test]
fn a_write_during_the_first_build_costs_itself_alone() {
    run(async {
        let vault = AtIndex::start(large()).await;
        slow(&vault);
        let written = Cell::new(0);
        let write = async {
            while !vault
                .requests()
                .iter()
                .any(|line| line.contains("/tarball/"))
            {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let path = writable("folder 1/1.md");
            let now = read(&vault.index, "folder 1/1.md")
                .await
                .unwrap()
                .note
                .unwrap();
            let info = info("x");
            let update = vault.index.update(&path, &now.revision, b"mine", &info);
            update.await.unwrap();
            written.set(written.get() + 1);
            assert_eq!(vault.content("folder 1/1.md").await, "mine");
            let path = writable("fresh folder/new.md");
            vault
                .index
                .create(&open_policy(), &path, b"new", &info)
                .await
                .unwrap();
            written.set(written.get() + 1);
            assert_eq!(vault.content("fresh folder/new.md").await, "new");
        };
        let ((), built) = futures_util::future::join(write, vault.index.work()).await;
        built.unwrap();
        let blobs = |requests: &[String]| {
            requests
                .iter()
                .filter(|line| line.contains("/git/blobs/"))
                .count()
        };
        let requests = vault.requests();
        // The reads before the rows were there had to fetch what they read.
        let rest = vault.counted() - written.get() - blobs(&requests);
        assert!(rest <= COLD, "{requests:#?}");
        vault.look_alike.reset_switches();
        vault.grow_old();
        vault.assert_same().await;
        let base = Revision::of(b"new");
        vault
            .index
            .delete(&writable("fresh folder/new.md"), &base, &info("x"))
            .await
            .unwrap();
        vault.assert_same().await;
    });
}

#[test]
fn a_push_costs_few_requests_however_many_notes_it_holds() {
    run(async {
        let vault = AtIndex::built(notes(400)).await;
        for (changed, most) in [(1, 3), (2, 4), (3, 5), (4, 5), (40, 5), (400, 5)] {
            let push = (0..changed).fold(Push::new(), |push, n| {
                push.put(
                    format!("folder {}/{n}.md", n % 10),
                    format!("push of {changed}: {n}"),
                )
            });
            vault.push_unseen(push).await;
            vault.grow_old();
            vault.look_alike.reset_requests();
            vault.assert_same().await;
            assert!(
                vault.counted() <= most,
                "{changed}: {:#?}",
                vault.requests()
            );
        }
    });
}

#[test]
fn a_note_in_a_new_folder_costs_one_request() {
    run(async {
        let mut files = notes(20);
        files.push(note("attachments/x.png", "x"));
        files.push(note("Pictures/x.png", "x"));
        files.push(note("plain", "a file that is no note"));
        let vault = AtIndex::built(files).await;
        let paths = [
            "Pictures/b.md",
            "Pictures/new/b.md",
            "fresh/deep/b.md",
            "b.md",
            "fresh/deep/c.md",
            "attachments/b.md",
            "attachments/deep/b.md",
        ];
        for path in paths {
            let path = writable(path);
            vault
                .index
                .create(&open_policy(), &path, b"x", &info("x"))
                .await
                .unwrap();
        }
        assert_eq!(vault.counted(), paths.len(), "{:#?}", vault.requests());
        vault.assert_same().await;
    });
}

#[test]
fn reading_and_following_links_costs_nothing_once_the_index_is_there() {
    run(async {
        let mut files = notes(200);
        files.push(note("Hub.md", "[[1]] [[folder 2/2]] [[nowhere]]"));
        files.push(note("Other.md", "[[Hub]]"));
        let vault = AtIndex::built(files).await;
        let paths: Vec<_> = (0..20)
            .map(|n| visible(&format!("folder {}/{n}.md", n % 10)))
            .collect();
        let policy = open_policy();
        for _ in 0..3 {
            let lookups = vault
                .index
                .read_together(&policy, &paths, None)
                .await
                .unwrap();
            assert!(
                lookups
                    .iter()
                    .all(|l| l.as_ref().is_ok_and(|l| l.note.is_some()))
            );
            let query = LinkQuery {
                sieve: &policy,
                notes: &[LinkedNote {
                    path: visible("Hub.md"),
                    targets: ["1", "folder 2/2", "nowhere"].map(str::to_owned).to_vec(),
                }],
                backlinks: 10,
            };
            let Indexed::Answer(links) = vault.index.links(&query).await.unwrap() else {
                panic!("no index");
            };
            assert_eq!(links.notes[0].resolved.iter().flatten().count(), 2);
            assert_eq!(links.notes[0].backlinks_total, 1);
        }
        assert_eq!(vault.counted(), 0, "{:#?}", vault.requests());
    });
}

/// However many notes there are, a question about links looks at those of one name alone.
#[test]
fn links_are_found_by_their_names() {
    run(async {
        let sql = AtIndex::start(Vec::new()).await.sql;
        for statement in LINK_STATEMENTS {
            let explained = sql.exec(&format!("EXPLAIN QUERY PLAN {statement}"), &["[]".into()]);
            let plan: Vec<String> = explained
                .unwrap()
                .iter()
                .map(|row| row.text(3).unwrap().to_owned())
                .collect();
            let by_name = |step: &&String| step.starts_with("SEARCH") && step.contains("(name=?)");
            assert_eq!(plan.iter().filter(by_name).count(), 1, "{plan:#?}");
            let is_table_scan =
                |step: &String| step.starts_with("SCAN") && !step.contains("json_each");
            assert!(!plan.iter().any(is_table_scan), "{plan:#?}");
        }
    });
}
