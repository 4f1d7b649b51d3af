//! What is read is what is there.

use vault_mcp::vault::storage::{CommitId, Revision, StorageError};
use vault_mcp_dev::{Mode, SeedFile};

use super::{Start, content, note};
use crate::support::storage::{info, list, open_policy, paths, read, visible, writable};

pub(super) async fn a_listing_holds_every_note_once_in_order(start: impl Start) {
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

pub(super) async fn a_listing_of_a_folder_holds_what_is_below_it_only(start: impl Start) {
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

pub(super) async fn reading_gives_the_bytes_and_the_revision_git_gives_them(start: impl Start) {
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

pub(super) async fn a_missing_note_is_no_error(start: impl Start) {
    let vault = start(vec![note("a.md", "a")]).await;
    for path in ["b.md", "a.md.md", "dir/a.md"] {
        let found = read(vault.storage(), path).await.unwrap();
        assert_eq!((found.note, found.twins), (None, Vec::new()), "{path}");
        assert!(found.commit.is_some());
    }
}

pub(super) async fn twins_in_case_and_normalization_are_found(start: impl Start) {
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

pub(super) async fn hidden_paths_do_not_leave_the_backend(start: impl Start) {
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

pub(super) async fn bytes_stay_as_they_are(start: impl Start) {
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
            .create(&open_policy(), &writable(&path), body, &info("create"))
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

pub(super) async fn a_note_of_more_than_a_megabyte_is_whole(start: impl Start) {
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

pub(super) async fn names_of_every_kind_go_and_come_back(start: impl Start) {
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
            .create(
                &open_policy(),
                &writable(path),
                body.as_bytes(),
                &info("create"),
            )
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

pub(super) async fn an_earlier_commit_can_be_read(start: impl Start) {
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

pub(super) async fn a_commit_outside_the_history_is_unknown(start: impl Start) {
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
