//! What is changed is what was meant, or nothing.

use std::time::Duration;

use futures_util::future::join_all;
use vault_mcp::vault::{
    path::DirPath,
    policy::VaultPolicy,
    storage::{Committed, Revision, StorageError, VaultStorage},
};
use vault_mcp_dev::{Mode, SeedFile};

use super::{Start, content, note};
use crate::support::storage::{Subject, info, list, open_policy, paths, read, writable};

pub(super) async fn a_note_is_created_once(start: impl Start) {
    let vault = start(vec![note("a.md", "a")]).await;
    let storage = vault.storage();
    let path = writable("new/deep/b.md");
    let made = storage
        .create(&open_policy(), &path, b"first", &info("create b"))
        .await
        .unwrap();
    assert!(!made.recreated);
    let found = read(storage, "new/deep/b.md").await.unwrap();
    assert_eq!(found.commit, Some(made.commit));
    assert_eq!(found.note.unwrap().content, b"first");
    let again = storage
        .create(&open_policy(), &path, b"second", &info("create b again"))
        .await
        .unwrap_err();
    let there = Some(Revision::of(b"first"));
    assert_eq!(again, StorageError::AlreadyExists { revision: there });
    assert_eq!(content(storage, "new/deep/b.md").await, b"first");
    assert_eq!(content(storage, "a.md").await, b"a");
}

pub(super) async fn an_update_needs_the_revision_that_is_there(start: impl Start) {
    let vault = start(vec![note("a.md", "one")]).await;
    let storage = vault.storage();
    let path = writable("a.md");
    let (one, two) = (Revision::of(b"one"), Revision::of(b"two"));
    let made = storage
        .update(&path, &one, b"two", &info("update a"))
        .await
        .unwrap();
    assert!(!made.recreated);
    assert_eq!(
        read(storage, "a.md").await.unwrap().commit,
        Some(made.commit)
    );
    for stale in [one, Revision::of(b"never there")] {
        let refused = storage
            .update(&path, &stale, b"three", &info("stale"))
            .await
            .unwrap_err();
        assert_eq!(
            refused,
            StorageError::Conflict {
                current: Some(two.clone())
            }
        );
    }
    assert_eq!(content(storage, "a.md").await, b"two");
}

pub(super) async fn a_note_that_is_gone_is_not_updated(start: impl Start) {
    let vault = start(vec![note("a.md", "a"), note("b.md", "b")]).await;
    let storage = vault.storage();
    let base = Revision::of(b"b");
    vault.push(&[("b.md", None)]).await;
    let head = list(storage, "", None).await.unwrap().commit;
    for path in ["b.md", "never.md"] {
        let refused = storage
            .update(&writable(path), &base, b"x", &info("x"))
            .await
            .unwrap_err();
        assert_eq!(refused, StorageError::Conflict { current: None }, "{path}");
    }
    let listing = list(storage, "", None).await.unwrap();
    assert_eq!(
        (paths(&listing), listing.commit.clone()),
        (vec!["a.md"], head)
    );
}

pub(super) async fn a_note_is_deleted_once(start: impl Start) {
    let vault = start(vec![note("a.md", "a"), note("b.md", "b")]).await;
    let storage = vault.storage();
    let path = writable("b.md");
    let stale = storage
        .delete(&path, &Revision::of(b"x"), &info("stale"))
        .await
        .unwrap_err();
    assert_eq!(
        stale,
        StorageError::Conflict {
            current: Some(Revision::of(b"b"))
        }
    );
    let gone = storage
        .delete(&path, &Revision::of(b"b"), &info("delete b"))
        .await
        .unwrap();
    let found = read(storage, "b.md").await.unwrap();
    assert_eq!((found.commit, found.note), (Some(gone.commit), None));
    let again = storage
        .delete(&path, &Revision::of(b"b"), &info("again"))
        .await
        .unwrap_err();
    assert_eq!(again, StorageError::NotFound);
    assert_eq!(paths(&list(storage, "", None).await.unwrap()), ["a.md"]);
}

/// A vault with a link and a submodule that are called like notes.
fn disguises() -> Vec<SeedFile> {
    let commit = "0123456789012345678901234567890123456789";
    vec![
        note("a.md", "a"),
        SeedFile::symlink("link.md", "a.md"),
        SeedFile {
            path: "sub.md".into(),
            bytes: commit.into(),
            mode: Mode::Submodule,
        },
    ]
}

pub(super) async fn links_and_submodules_are_never_shown_nor_changed(start: impl Start) {
    let vault = start(disguises()).await;
    let storage = vault.storage();
    assert_eq!(paths(&list(storage, "", None).await.unwrap()), ["a.md"]);
    let head = list(storage, "", None).await.unwrap().commit;
    for path in ["link.md", "sub.md"] {
        assert_eq!(read(storage, path).await.unwrap().note, None, "{path}");
        assert!(
            read(storage, &path.to_uppercase())
                .await
                .unwrap()
                .twins
                .is_empty()
        );
        let note = writable(path);
        let base = Revision::of(b"a.md");
        let refused = storage
            .create(&open_policy(), &note, b"x", &info("x"))
            .await
            .unwrap_err();
        assert_eq!(
            refused,
            StorageError::AlreadyExists { revision: None },
            "{path}"
        );
        let refused = storage
            .update(&note, &base, b"x", &info("x"))
            .await
            .unwrap_err();
        assert_eq!(refused, StorageError::Conflict { current: None }, "{path}");
        let refused = storage.delete(&note, &base, &info("x")).await.unwrap_err();
        assert_eq!(refused, StorageError::NotFound, "{path}");
    }
    assert_eq!(list(storage, "", None).await.unwrap().commit, head);
}

pub(super) async fn nothing_but_a_note_gives_way_to_a_note(start: impl Start) {
    let vault = start(vec![
        note("folder.md/inner.png", "in"),
        note("file", "f"),
        note("pictures/x.png", "x"),
    ])
    .await;
    let storage = vault.storage();
    let before = list(storage, "", None).await.unwrap();
    for path in [
        "folder.md",
        "file/b.md",
        "file/deep/b.md",
        "pictures/x.png/b.md",
    ] {
        let refused = create(storage, path).await.unwrap_err();
        assert_eq!(
            refused,
            StorageError::AlreadyExists { revision: None },
            "{path}"
        );
    }
    assert_eq!(list(storage, "", None).await.unwrap(), before);
    create(storage, "pictures/b.md").await.unwrap();
}

pub(super) async fn a_note_is_not_made_beside_another_spelling_of_it(start: impl Start) {
    let vault = start(vec![
        note("Schemas/Research.md", "r"),
        note("Cafe\u{301}/x/y.md", "y"),
        note("folder.md/inner.md", "in"),
        note("file.md", "f"),
        note("both/a.md", "a"),
        note("Both/b.md", "b"),
    ])
    .await;
    let storage = vault.storage();
    let before = list(storage, "", None).await.unwrap();
    for path in [
        "Schemas/research.md",
        "schemas/Research.md",
        "schemas/New.md",
        "SCHEMAS/deep/New.md",
        "Caf\u{e9}/z.md",
        "Cafe\u{301}/X/z.md",
        "folder.md",
        "Folder.md",
        "file.md/b.md",
        "FILE.md/deep/b.md",
        "both/B.md",
    ] {
        let refused = create(storage, path).await.unwrap_err();
        assert_eq!(refused, StorageError::NoRoom, "{path}");
    }
    assert_eq!(list(storage, "", None).await.unwrap(), before);
    for path in [
        "Schemas/New.md",
        "Cafe\u{301}/x/z.md",
        "Schemas2/a.md",
        "both/c.md",
        "folder.md/more.md",
    ] {
        create(storage, path).await.expect(path);
    }
}

pub(super) async fn a_note_is_not_made_beside_another_spelling_of_what_is_no_note(
    start: impl Start,
) {
    let vault = start(vec![
        note("a.md", "a"),
        note("Attachments/x.png", "x"),
        note("Cafe\u{301}/pictures/x.png", "x"),
        note("lower/x.png", "x"),
        note("mixed/x.png", "x"),
        note("Mixed/y.png", "y"),
        note("Scan", "no note"),
        SeedFile::symlink("link.md", "a.md"),
    ])
    .await;
    let storage = vault.storage();
    let before = list(storage, "", None).await.unwrap();
    let folder = |path| StorageError::FolderTwin(DirPath::parse(path).unwrap());
    let something = || StorageError::AlreadyExists { revision: None };
    for (path, expected) in [
        ("attachments/b.md", folder("Attachments")),
        ("ATTACHMENTS/deep/b.md", folder("Attachments")),
        ("Caf\u{e9}/b.md", folder("Cafe\u{301}")),
        ("Cafe\u{301}/Pictures/b.md", folder("Cafe\u{301}/pictures")),
        ("LOWER/b.md", folder("lower")),
        ("scan/b.md", something()),
        ("Link.md", something()),
    ] {
        let refused = create(storage, path).await.unwrap_err();
        assert_eq!(refused, expected, "{path}");
    }
    assert_eq!(list(storage, "", None).await.unwrap(), before);
    // What is there is not made, and has no other spelling for it.
    for path in [
        "Attachments/b.md",
        "Attachments/new/b.md",
        "Cafe\u{301}/pictures/b.md",
        "lower/b.md",
        "mixed/b.md",
        "scans/b.md",
    ] {
        create(storage, path).await.expect(path);
        vault.wait(Duration::from_secs(2)).await;
    }
}

pub(super) async fn what_is_hidden_is_in_nobodys_way(start: impl Start) {
    let vault = start(vec![
        note("notes/a.md", "a"),
        note("B.md/c.md", "c"),
        note("Deep/x.png", "x"),
        note("notes/Deep/x.png", "x"),
    ])
    .await;
    let storage = vault.storage();
    let allowed = ["Notes", "b.md", "deep"].map(|prefix| DirPath::parse(prefix).unwrap());
    let policy = VaultPolicy::new(allowed.into(), &[], false);
    for path in ["Notes/a.md", "b.md", "deep/a.md", "Notes/deep/a.md"] {
        let made = storage
            .create(&policy, &writable(path), b"x", &info("x"))
            .await;
        made.expect(path);
    }
    assert_eq!(content(storage, "notes/a.md").await, b"a");
}

pub(super) async fn of_two_twins_at_once_one_is_made(start: impl Start) {
    let vault = start(vec![note("a.md", "a")]).await;
    let storage = vault.storage();
    for (n, twins) in [
        ["Note.md", "note.md"],
        ["Caf\u{e9}.md", "Cafe\u{301}.md"],
        ["Plan/a.md", "plan/b.md"],
        ["Deep/er/a.md", "deep/er/a.md"],
        ["list.md/x.md", "List.md"],
    ]
    .iter()
    .enumerate()
    {
        let twins = if n % 2 == 0 {
            *twins
        } else {
            [twins[1], twins[0]]
        };
        let before = list(storage, "", None).await.unwrap();
        let made = join_all(twins.map(|path| create(storage, path))).await;
        let refused: Vec<_> = made.iter().filter_map(|made| made.as_ref().err()).collect();
        assert_eq!(refused, [&StorageError::NoRoom], "{twins:?}");
        let after = list(storage, "", None).await.unwrap();
        assert_eq!(
            after.entries.len(),
            before.entries.len() + 1,
            "{twins:?}: {:?}",
            paths(&after)
        );
        // The pace of changes is not what this is about.
        vault.wait(Duration::from_secs(2)).await;
    }
}

async fn create(storage: &dyn VaultStorage, path: &str) -> Result<Committed, StorageError> {
    storage
        .create(&open_policy(), &writable(path), b"x", &info("create"))
        .await
}

pub(super) async fn an_empty_repository_is_an_empty_vault_that_can_be_written_to(
    start: impl Start,
) {
    let vault = start(Vec::new()).await;
    let storage = vault.storage();
    let listing = list(storage, "", None).await.unwrap();
    assert_eq!((listing.commit, listing.entries), (None, Vec::new()));
    let found = read(storage, "a.md").await.unwrap();
    assert_eq!(
        (found.commit, found.note, found.twins),
        (None, None, Vec::new())
    );
    let base = Revision::of(b"");
    let refused = storage
        .update(&writable("a.md"), &base, b"x", &info("x"))
        .await
        .unwrap_err();
    assert_eq!(refused, StorageError::Conflict { current: None });
    let refused = storage
        .delete(&writable("a.md"), &base, &info("x"))
        .await
        .unwrap_err();
    assert_eq!(refused, StorageError::NotFound);
    let made = storage
        .create(
            &open_policy(),
            &writable("a.md"),
            b"first",
            &info("first note"),
        )
        .await
        .unwrap();
    let listing = list(storage, "", None).await.unwrap();
    assert_eq!(
        (paths(&listing), listing.commit.clone()),
        (vec!["a.md"], Some(made.commit))
    );
}

pub(super) async fn what_somebody_else_pushed_is_seen_and_not_overwritten(start: impl Start) {
    let vault = start(vec![note("a.md", "one"), note("b.md", "b")]).await;
    let storage = vault.storage();
    vault
        .push(&[
            ("a.md", Some(b"theirs")),
            ("c.md", Some(b"c")),
            ("b.md", None),
        ])
        .await;
    assert_eq!(content(storage, "a.md").await, b"theirs");
    assert_eq!(
        paths(&list(storage, "", None).await.unwrap()),
        ["a.md", "c.md"]
    );
    let (one, theirs) = (Revision::of(b"one"), Revision::of(b"theirs"));
    let refused = storage
        .update(&writable("a.md"), &one, b"mine", &info("x"))
        .await
        .unwrap_err();
    assert_eq!(
        refused,
        StorageError::Conflict {
            current: Some(theirs.clone())
        }
    );
    let refused = storage
        .create(&open_policy(), &writable("c.md"), b"mine", &info("x"))
        .await
        .unwrap_err();
    assert_eq!(
        refused,
        StorageError::AlreadyExists {
            revision: Some(Revision::of(b"c"))
        }
    );
    storage
        .update(&writable("a.md"), &theirs, b"both", &info("x"))
        .await
        .unwrap();
    assert_eq!(content(storage, "a.md").await, b"both");
}

pub(super) async fn twenty_writers_at_once_lose_nothing(start: impl Start) {
    let vault = start(vec![note("count.md", "0")]).await;
    join_all((0..20).map(|writer| increment(&*vault, writer))).await;
    assert_eq!(content(vault.storage(), "count.md").await, b"20");
}

/// Adds one to the number in `count.md`, as often as it takes to be the one that does.
async fn increment(vault: &dyn Subject, writer: u32) {
    let storage = vault.storage();
    for _ in 0..200 {
        let found = read(storage, "count.md").await.unwrap().note.unwrap();
        let count: u32 = String::from_utf8(found.content).unwrap().parse().unwrap();
        tokio::task::yield_now().await;
        let next = (count + 1).to_string();
        let message = info(&format!("writer {writer}"));
        let path = writable("count.md");
        match storage
            .update(&path, &found.revision, next.as_bytes(), &message)
            .await
        {
            Ok(_) => return,
            Err(StorageError::RateLimited { retry_after }) => vault.wait(retry_after).await,
            Err(
                StorageError::Conflict { .. }
                | StorageError::Unavailable {
                    outcome_unknown: false,
                },
            ) => {}
            Err(other) => panic!("writer {writer}: {other}"),
        }
    }
    panic!("writer {writer} never got through");
}
