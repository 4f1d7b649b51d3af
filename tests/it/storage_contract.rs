//! What every backend promises: one suite, each case against each backend.
//!
//! A case gets a fresh vault and speaks [`VaultStorage`] only, so that a backend that passes can
//! stand in for another.

use std::rc::Rc;

use tokio::task::LocalSet;
use vault_mcp::vault::storage::{CommitId, Revision, StorageError, VaultStorage};
use vault_mcp_dev::{Mode, SeedFile};

use crate::support::storage::{Subject, info, list, open_policy, paths, read, visible, writable};

/// Runs every case against every backend.
macro_rules! contract {
    ($($case:ident)*) => {
        mod memory {
            $(#[test]
            fn $case() {
                super::run(async {
                    let start = async |files| {
                        let vault = crate::support::storage::InMemory::start(files);
                        std::rc::Rc::new(vault) as std::rc::Rc<dyn super::Subject>
                    };
                    super::$case(start).await;
                });
            })*
        }

        mod github {
            $(#[test]
            fn $case() {
                super::run(async {
                    let start = async |files| {
                        let vault = crate::support::github::AtGithub::start(files).await;
                        std::rc::Rc::new(vault) as std::rc::Rc<dyn super::Subject>
                    };
                    super::$case(start).await;
                });
            })*
        }

        mod index {
            $(#[test]
            fn $case() {
                super::run(async {
                    let start = async |files| {
                        let vault = crate::support::index::AtIndex::start(files).await;
                        std::rc::Rc::new(vault) as std::rc::Rc<dyn super::Subject>
                    };
                    super::$case(start).await;
                });
            })*
        }
    };
}

contract! {
    a_listing_holds_every_note_once_in_order
    a_listing_of_a_folder_holds_what_is_below_it_only
    reading_gives_the_bytes_and_the_revision_git_gives_them
    a_missing_note_is_no_error
    a_note_is_created_once
    an_update_needs_the_revision_that_is_there
    a_note_that_is_gone_is_not_updated
    a_note_is_deleted_once
    twins_in_case_and_normalization_are_found
    links_and_submodules_are_never_shown_nor_changed
    nothing_but_a_note_gives_way_to_a_note
    hidden_paths_do_not_leave_the_backend
    an_empty_repository_is_an_empty_vault_that_can_be_written_to
    bytes_stay_as_they_are
    a_note_of_more_than_a_megabyte_is_whole
    names_of_every_kind_go_and_come_back
    what_somebody_else_pushed_is_seen_and_not_overwritten
    an_earlier_commit_can_be_read
    a_commit_outside_the_history_is_unknown
    twenty_writers_at_once_lose_nothing
}

/// Makes a vault whose first commit holds the files.
trait Start: AsyncFn(Vec<SeedFile>) -> Rc<dyn Subject> {}

impl<F: AsyncFn(Vec<SeedFile>) -> Rc<dyn Subject>> Start for F {}

fn run(case: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, case);
}

fn note(path: &str, content: impl Into<Vec<u8>>) -> SeedFile {
    SeedFile::regular(path, content)
}

async fn content(storage: &dyn VaultStorage, path: &str) -> Vec<u8> {
    read(storage, path).await.unwrap().note.expect(path).content
}

async fn a_listing_holds_every_note_once_in_order(start: impl Start) {
    let vault = start(vec![
        note("b.md", "bb"),
        note("a/z.md", ""),
        note("a.md", "a"),
        note("a/deep/er/x.markdown", "xyz"),
        note("a/picture.png", [137, 80]),
        SeedFile {
            path: "Run.MD".into(),
            bytes: b"x".to_vec(),
            mode: Mode::Executable,
        },
    ])
    .await;
    let listing = list(vault.storage(), "", None).await.unwrap();
    assert_eq!(
        paths(&listing),
        ["Run.MD", "a.md", "a/deep/er/x.markdown", "a/z.md", "b.md"]
    );
    let sizes: Vec<_> = listing.entries.iter().map(|entry| entry.bytes).collect();
    assert_eq!(sizes, [1, 1, 3, 0, 2]);
    assert_eq!(listing.entries[4].revision, Revision::of(b"bb"));
    assert!(listing.commit.is_some());
}

async fn a_listing_of_a_folder_holds_what_is_below_it_only(start: impl Start) {
    let files = [
        "notes/a.md",
        "notes/in/b.md",
        "notes2/c.md",
        "notes.md",
        "Notes/d.md",
    ];
    let vault = start(files.map(|path| note(path, path)).into()).await;
    let listing = list(vault.storage(), "notes", None).await.unwrap();
    assert_eq!(paths(&listing), ["notes/a.md", "notes/in/b.md"]);
    assert!(
        list(vault.storage(), "nowhere", None)
            .await
            .unwrap()
            .entries
            .is_empty()
    );
    assert!(
        list(vault.storage(), "notes.md", None)
            .await
            .unwrap()
            .entries
            .is_empty()
    );
}

async fn reading_gives_the_bytes_and_the_revision_git_gives_them(start: impl Start) {
    let vault = start(vec![note("a.md", "hello\n"), note("empty.md", "")]).await;
    let found = read(vault.storage(), "a.md").await.unwrap();
    let head = list(vault.storage(), "", None).await.unwrap().commit;
    assert_eq!(found.commit, head);
    assert!(found.twins.is_empty());
    let found = found.note.unwrap();
    assert_eq!(
        (found.path.as_str(), found.content.as_slice()),
        ("a.md", &b"hello\n"[..])
    );
    assert_eq!(
        found.revision.as_str(),
        "ce013625030ba8dba906f756967f9e9ca394464a"
    );
    let empty = read(vault.storage(), "empty.md")
        .await
        .unwrap()
        .note
        .unwrap();
    assert_eq!(empty.content, b"");
    assert_eq!(
        empty.revision.as_str(),
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    );
}

async fn a_missing_note_is_no_error(start: impl Start) {
    let vault = start(vec![note("a.md", "a")]).await;
    for path in ["b.md", "a.md.md", "dir/a.md"] {
        let found = read(vault.storage(), path).await.unwrap();
        assert_eq!((found.note, found.twins), (None, Vec::new()), "{path}");
        assert!(found.commit.is_some());
    }
}

async fn a_note_is_created_once(start: impl Start) {
    let vault = start(vec![note("a.md", "a")]).await;
    let storage = vault.storage();
    let path = writable("new/deep/b.md");
    let made = storage
        .create(&path, b"first", &info("create b"))
        .await
        .unwrap();
    assert!(!made.recreated);
    let found = read(storage, "new/deep/b.md").await.unwrap();
    assert_eq!(found.commit, Some(made.commit));
    assert_eq!(found.note.unwrap().content, b"first");
    let again = storage
        .create(&path, b"second", &info("create b again"))
        .await
        .unwrap_err();
    let there = Some(Revision::of(b"first"));
    assert_eq!(again, StorageError::AlreadyExists { revision: there });
    assert_eq!(content(storage, "new/deep/b.md").await, b"first");
    assert_eq!(content(storage, "a.md").await, b"a");
}

async fn an_update_needs_the_revision_that_is_there(start: impl Start) {
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

async fn a_note_that_is_gone_is_not_updated(start: impl Start) {
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

async fn a_note_is_deleted_once(start: impl Start) {
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

async fn twins_in_case_and_normalization_are_found(start: impl Start) {
    let decomposed = "Cafe\u{301}.md";
    let files = [
        decomposed,
        "Schemas/Research.md",
        "x/NOTE.md",
        "x/Note.md",
        "other.md",
    ];
    let vault = start(files.map(|path| note(path, path)).into()).await;
    for (asked, expected) in [
        ("Caf\u{e9}.md", vec![decomposed]),
        ("schemas/Research.md", vec!["Schemas/Research.md"]),
        ("X/note.md", vec!["x/NOTE.md", "x/Note.md"]),
        // What is exactly there has no twins.
        ("x/Note.md", vec![]),
    ] {
        let found = read(vault.storage(), asked).await.unwrap();
        let twins: Vec<_> = found
            .twins
            .iter()
            .map(|twin| twin.as_str().to_owned())
            .collect();
        assert_eq!(twins, expected, "{asked}");
        assert_eq!(found.note.is_some(), expected.is_empty());
    }
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

async fn links_and_submodules_are_never_shown_nor_changed(start: impl Start) {
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
        let refused = storage.create(&note, b"x", &info("x")).await.unwrap_err();
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

async fn nothing_but_a_note_gives_way_to_a_note(start: impl Start) {
    let vault = start(vec![note("folder.md/inner.md", "in"), note("file.md", "f")]).await;
    let storage = vault.storage();
    for path in ["folder.md", "file.md/b.md", "file.md/deep/b.md"] {
        let refused = storage
            .create(&writable(path), b"x", &info("x"))
            .await
            .unwrap_err();
        assert_eq!(
            refused,
            StorageError::AlreadyExists { revision: None },
            "{path}"
        );
    }
    assert_eq!(content(storage, "folder.md/inner.md").await, b"in");
    assert_eq!(content(storage, "file.md").await, b"f");
}

async fn hidden_paths_do_not_leave_the_backend(start: impl Start) {
    let hidden = [
        ".obsidian/app.md",
        "a/.trash/b.md",
        "a/.Obsidian/c.md",
        ".github/d.md",
    ];
    let mut files: Vec<_> = hidden.iter().map(|path| note(path, "secret")).collect();
    files.push(note("a.md", "a"));
    let vault = start(files).await;
    assert_eq!(
        paths(&list(vault.storage(), "", None).await.unwrap()),
        ["a.md"]
    );
}

async fn an_empty_repository_is_an_empty_vault_that_can_be_written_to(start: impl Start) {
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
        .create(&writable("a.md"), b"first", &info("first note"))
        .await
        .unwrap();
    let listing = list(storage, "", None).await.unwrap();
    assert_eq!(
        (paths(&listing), listing.commit.clone()),
        (vec!["a.md"], Some(made.commit))
    );
}

async fn bytes_stay_as_they_are(start: impl Start) {
    let vault = start(vec![note("seed.md", "\u{feff}---\r\na: 1\r\n---\r\nx")]).await;
    let storage = vault.storage();
    assert_eq!(
        content(storage, "seed.md").await,
        "\u{feff}---\r\na: 1\r\n---\r\nx".as_bytes()
    );
    let bodies: [&[u8]; 6] = [
        b"",
        "\u{feff}with a mark\r\nand CRLF\r\n".as_bytes(),
        b"no final newline",
        b"\n\n\ttabs\rold Mac\r\n",
        &[0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28],
        "ភាសាខ្មែរ हिन्दी 日本語 🗺️".as_bytes(),
    ];
    for (number, body) in bodies.iter().enumerate() {
        let path = format!("note {number}.md");
        storage
            .create(&writable(&path), body, &info("create"))
            .await
            .unwrap();
        assert_eq!(content(storage, &path).await, *body, "{path}");
        let base = Revision::of(body);
        storage
            .update(&writable(&path), &base, b"other", &info("change"))
            .await
            .unwrap();
        let other = Revision::of(b"other");
        storage
            .update(&writable(&path), &other, body, &info("change back"))
            .await
            .unwrap();
        assert_eq!(content(storage, &path).await, *body, "{path}");
    }
    storage
        .delete(&writable("note 0.md"), &Revision::of(b""), &info("delete"))
        .await
        .unwrap();
    assert_eq!(read(storage, "note 0.md").await.unwrap().note, None);
}

async fn a_note_of_more_than_a_megabyte_is_whole(start: impl Start) {
    let body: Vec<u8> = "A line of text, a long one: ü.\n"
        .bytes()
        .cycle()
        .take(1_200_000)
        .collect();
    let vault = start(vec![note("big.md", body.clone())]).await;
    let storage = vault.storage();
    assert!(
        content(storage, "big.md").await == body,
        "another text came back"
    );
    let mut longer = body.clone();
    longer.extend_from_slice(b"the end");
    let path = writable("big.md");
    storage
        .update(&path, &Revision::of(&body), &longer, &info("grow"))
        .await
        .unwrap();
    assert!(
        content(storage, "big.md").await == longer,
        "another text came back"
    );
    let listing = list(storage, "", None).await.unwrap();
    assert_eq!(listing.entries[0].bytes, longer.len() as u64);
}

async fn names_of_every_kind_go_and_come_back(start: impl Start) {
    let vault = start(vec![note("a.md", "a")]).await;
    let storage = vault.storage();
    for path in [
        "50% plan.md",
        "100%25.md",
        "a%3Db.md",
        "a+b c.md",
        "What is this? #1 & more.md",
        "#inbox/C# notes.md",
        "My Notes/Café.md",
        "Cafe\u{301}.md",
        "🗺️ Map.md",
        "日本語/メモ.md",
        "quote\"d 'n' [x].md",
        "semi;colon:,=@!$~*.md",
    ] {
        let body = format!("I am {path}");
        storage
            .create(&writable(path), body.as_bytes(), &info("create"))
            .await
            .expect(path);
        assert_eq!(content(storage, path).await, body.as_bytes(), "{path}");
        let base = Revision::of(body.as_bytes());
        storage
            .update(&writable(path), &base, b"changed", &info("change"))
            .await
            .expect(path);
        assert!(
            paths(&list(storage, "", None).await.unwrap()).contains(&path),
            "{path}"
        );
        let base = Revision::of(b"changed");
        storage
            .delete(&writable(path), &base, &info("delete"))
            .await
            .expect(path);
        assert_eq!(read(storage, path).await.unwrap().note, None, "{path}");
    }
    assert_eq!(paths(&list(storage, "", None).await.unwrap()), ["a.md"]);
}

async fn what_somebody_else_pushed_is_seen_and_not_overwritten(start: impl Start) {
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
        .create(&writable("c.md"), b"mine", &info("x"))
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

async fn an_earlier_commit_can_be_read(start: impl Start) {
    let vault = start(vec![note("a.md", "one"), note("b.md", "b")]).await;
    let storage = vault.storage();
    let first = list(storage, "", None).await.unwrap().commit.unwrap();
    let made = storage
        .update(
            &writable("a.md"),
            &Revision::of(b"one"),
            b"two",
            &info("change"),
        )
        .await
        .unwrap();
    vault.push(&[("b.md", None)]).await;
    let policy = open_policy();
    for (at, expected) in [(&first, &b"one"[..]), (&made.commit, b"two")] {
        let found = storage
            .read(&policy, &visible("a.md"), Some(at))
            .await
            .unwrap();
        assert_eq!(found.commit.as_ref(), Some(at));
        assert_eq!(found.note.unwrap().content, expected);
        let listing = list(storage, "", Some(at.clone())).await.unwrap();
        assert_eq!(paths(&listing), ["a.md", "b.md"]);
        assert_eq!(listing.commit.as_ref(), Some(at));
    }
    let gone = storage.read(&policy, &visible("b.md"), None).await.unwrap();
    assert_eq!(gone.note, None);
}

async fn a_commit_outside_the_history_is_unknown(start: impl Start) {
    let vault = start(vec![note("a.md", "one")]).await;
    let elsewhere = CommitId::parse(&"ab".repeat(20)).unwrap();
    let storage = vault.storage();
    let found = storage
        .read(&open_policy(), &visible("a.md"), Some(&elsewhere))
        .await;
    assert_eq!(found.unwrap_err(), StorageError::UnknownCommit);
    let listing = list(storage, "", Some(elsewhere)).await;
    assert_eq!(listing.unwrap_err(), StorageError::UnknownCommit);
}

async fn twenty_writers_at_once_lose_nothing(start: impl Start) {
    let vault = start(vec![note("count.md", "0")]).await;
    futures_util::future::join_all((0..20).map(|writer| increment(&*vault, writer))).await;
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
