//! The index at the limits of what GitHub gives, and of what a row holds.

use std::time::Duration;

use vault_mcp::{
    runtime::Sql,
    storage::index::Page,
    vault::{
        filter::NoteFilter,
        path::DirPath,
        storage::{CommitId, Revision, StorageError},
        text::Query,
    },
};
use vault_mcp_dev::{Push, Times, github::CutTarball};

use crate::support::{
    index::{AtIndex, note, notes},
    storage::{Subject, list, read, run},
};

/// Beyond seven megabytes GitHub cuts a tree by itself: about 28,000 entries.
#[test]
fn thirty_thousand_entries_are_more_than_one_tree_holds_and_none_is_lost() {
    run(async {
        let mut files = notes(300);
        let path = |n| {
            format!(
                "attachments/{:02}/{:03}/a picture with a name that is long {n}.png",
                n % 30,
                n % 300
            )
        };
        files.extend((0..30_000).map(|n| note(&path(n), "x")));
        let vault = AtIndex::start(files).await;
        vault.index.work().await.unwrap();
        let requests = vault.requests();
        let trees: Vec<_> = requests
            .iter()
            .filter(|line| line.contains("/git/trees/"))
            .collect();
        assert!(trees.len() > 1, "the tree was not cut: {trees:?}");
        assert_eq!(
            requests
                .iter()
                .filter(|line| line.contains("/tarball/"))
                .count(),
            1
        );
        assert_eq!(
            list(&vault.index, "", None).await.unwrap().entries.len(),
            300
        );
        vault
            .push(&[("attachments/00/000/new.md", Some(b"far down"))])
            .await;
        vault.assert_same().await;
    });
}

#[test]
fn a_pointer_to_a_large_file_is_shown_as_it_is() {
    run(async {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
        let files = vec![
            note(
                ".gitattributes",
                "*.md filter=lfs diff=lfs merge=lfs -text\n",
            ),
            note("large.md", pointer),
            note("small.md", "no pointer"),
        ];
        let vault = AtIndex::built(files).await;
        assert_eq!(vault.content("large.md").await, pointer);
        vault.assert_same().await;
        assert_eq!(vault.requests(), [""; 0], "the rows hold them");
    });
}

#[test]
fn a_note_of_five_megabytes_is_read_whole_and_one_that_is_too_large_says_so() {
    run(async {
        let five = "five megabytes of text\n".repeat(5 * 1024 * 1024 / 23);
        let nine = vec![b'x'; 9 * 1024 * 1024];
        let vault = AtIndex::built(vec![
            note("five.md", &*five),
            note("nine.md", &*nine),
            note("small.md", "megabytes"),
        ])
        .await;
        assert!(vault.content("five.md").await == five);
        let bytes = nine.len() as u64;
        let refused = read(&vault.index, "nine.md").await;
        assert_eq!(refused.unwrap_err(), StorageError::TooLarge { bytes });
        let sizes: Vec<_> = list(&vault.index, "", None)
            .await
            .unwrap()
            .entries
            .iter()
            .map(|entry| entry.bytes)
            .collect();
        assert_eq!(sizes, [five.len() as u64, bytes, 9]);
        // A search says that it has not looked into two of them.
        let query = Query::parse("megabytes").unwrap();
        let page = Page {
            offset: 0,
            limit: 10,
        };
        let found = vault
            .index
            .find(&query, &DirPath::root(), &NoteFilter::default(), page)
            .await
            .unwrap();
        assert_eq!((found.total, found.searched, found.by_path_only), (1, 3, 2));
        let query = Query::parse("five").unwrap();
        let found = vault
            .index
            .find(&query, &DirPath::root(), &NoteFilter::default(), page)
            .await
            .unwrap();
        assert_eq!(found.total, 1, "its name is found");
    });
}

#[test]
fn an_archive_that_breaks_off_during_the_first_build_is_taken_up_again() {
    run(async {
        let vault = AtIndex::start(notes(200)).await;
        for clean in [true, false] {
            vault.look_alike.switches(|switches| {
                switches.cut_tarball = Some(CutTarball {
                    after_bytes: 900,
                    clean,
                });
            });
            let broken = vault.index.work().await;
            assert!(
                matches!(broken, Err(StorageError::Unavailable { .. })),
                "{broken:?}"
            );
            // GitHub answers meanwhile, and says what the index cannot.
            assert_eq!(
                list(&vault.index, "", None).await.unwrap().entries.len(),
                200
            );
            assert_eq!(vault.content("folder 1/1.md").await, "note 1");
            let due = vault.index.due().unwrap();
            assert!(due.unix_seconds() > 0);
        }
        vault.look_alike.reset_switches();
        vault.index.work().await.unwrap();
        vault.assert_same().await;
    });
}

/// What is asked for after the branch names the commit that the branch named, wherever it goes
/// meanwhile.
#[test]
fn a_build_keeps_to_the_commit_that_it_began_with() {
    run(async {
        let vault = AtIndex::start(notes(50)).await;
        let first = vault.head().unwrap();
        let moves = async {
            while !vault
                .requests()
                .iter()
                .any(|line| line.contains("/commits/heads/"))
            {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            for n in 0..5 {
                vault
                    .push_unseen(Push::new().put("moving.md", format!("{n}")))
                    .await;
            }
        };
        let ((), built) = futures_util::future::join(moves, vault.index.work()).await;
        built.unwrap();
        let head = vault.index.status().unwrap().head.unwrap();
        let requests = vault.requests();
        for line in requests
            .iter()
            .filter(|line| line.contains("trees") || line.contains("tarball"))
        {
            assert!(line.contains(&*head.to_string()), "{head}: {requests:#?}");
        }
        // Whichever commit it began with, its rows are that commit's.
        let tree = vault
            .look_alike
            .git(&["ls-tree", "-r", &head.to_string()])
            .unwrap();
        let rows = vault.sql.exec("SELECT sha FROM notes", &[]).unwrap();
        assert_eq!(rows.len(), tree.lines().count());
        assert!(rows.iter().all(|row| tree.contains(row.text(0).unwrap())));
        assert!(
            head == CommitId::parse(&first).unwrap() || head.to_string() == vault.head().unwrap()
        );
        vault.grow_old();
        vault.assert_same().await;
    });
}

#[test]
fn only_an_answer_of_github_makes_the_last_look_younger() {
    run(async {
        let vault = AtIndex::built(notes(5)).await;
        let checked = |vault: &AtIndex| vault.index.status().unwrap().checked_at.unwrap();
        let first = checked(&vault);
        vault
            .look_alike
            .switches(|switches| switches.fail_reads = Times::Always);
        vault.grow_old();
        list(&vault.index, "", None).await.unwrap();
        assert_eq!(checked(&vault), first);
        vault.look_alike.reset_switches();
        vault.grow_old();
        list(&vault.index, "", None).await.unwrap();
        assert!(checked(&vault) > first);
        assert_eq!(
            vault.requests().last().unwrap(),
            "GET /commits/heads/main 304"
        );
        let base = Revision::of(b"note 1");
        assert_eq!(
            read(&vault.index, "folder 1/1.md")
                .await
                .unwrap()
                .note
                .unwrap()
                .revision,
            base
        );
    });
}
