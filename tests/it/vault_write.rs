//! Writing and deleting: nothing is lost silently, and nothing is touched that was not meant.

use vault_mcp::{
    login::allowlist::Access,
    storage::memory::File,
    vault::{
        VaultError,
        client::{DeleteRequest, MAX_NOTE_BYTES, WriteOutcome, WriteRequest},
        storage::{CommitId, Revision},
    },
};

use crate::support::vaults::{create, delete, overwrite, push, vault};

fn revision(text: &str) -> Revision {
    Revision::of(text.as_bytes())
}

#[tokio::test]
async fn a_new_note_is_created_with_its_bytes() {
    let vault = vault::<&str>(&[]);
    let client = vault.client();
    let text = "\u{feff}a\r\nb";
    let written = client.write(&create("A/New.md", text)).await.unwrap();
    assert_eq!(
        (written.path.as_str(), written.bytes),
        ("A/New.md", text.len())
    );
    assert_eq!(written.revision, revision(text));
    let WriteOutcome::Created(committed) = written.outcome else {
        panic!("{written:?}")
    };
    assert_eq!(Some(committed.commit), vault.inner().head());
    assert_eq!(client.read("A/New.md", None).await.unwrap().text, text);
    let info = vault.inner().head_info().unwrap();
    assert_eq!(info.author_name, "A. Writer");
    assert_eq!(
        info.message,
        "Create A/New.md\n\nVault-Client: Test client\n"
    );
}

#[tokio::test]
async fn overwriting_names_what_it_replaced_and_that_can_be_read() {
    let vault = vault(&[("a.md", "old")]);
    let before = vault.inner().head();
    let client = vault.client();
    let request = WriteRequest {
        message: Some("Say it anew"),
        ..overwrite("a.md", "new")
    };
    let written = client.write(&request).await.unwrap();
    let WriteOutcome::Replaced { replaced, .. } = written.outcome else {
        panic!("{written:?}")
    };
    assert_eq!((replaced.revision, replaced.bytes), (revision("old"), 3));
    assert_eq!(replaced.commit, before);
    let old = client
        .read("a.md", replaced.commit.as_ref().map(CommitId::as_str))
        .await
        .unwrap();
    assert_eq!(old.text, "old");
    assert!(
        vault
            .inner()
            .head_info()
            .unwrap()
            .message
            .starts_with("Say it anew\n")
    );
}

#[tokio::test]
async fn overwriting_makes_a_note_that_is_missing() {
    let client = vault(&[("a.md", "")]).client();
    let written = client.write(&overwrite("b.md", "")).await.unwrap();
    assert!(matches!(written.outcome, WriteOutcome::Created(_)));
    assert_eq!(client.read("b.md", None).await.unwrap().text, "");
}

#[tokio::test]
async fn the_same_content_makes_no_commit() {
    let vault = vault(&[("a.md", "same")]);
    let before = vault.inner().head();
    let written = vault
        .client()
        .write(&overwrite("a.md", "same"))
        .await
        .unwrap();
    assert_eq!(
        written.outcome,
        WriteOutcome::Unchanged {
            commit: before.clone()
        }
    );
    assert_eq!(vault.inner().head(), before);
}

#[tokio::test]
async fn an_expected_revision_is_honoured_exactly() {
    let vault = vault(&[("a.md", "now")]);
    let client = vault.client();
    let (now, stale) = (revision("now"), revision("then"));
    let expecting = |path, revision| WriteRequest {
        expected_revision: Some(revision),
        ..overwrite(path, "new")
    };
    let before = vault.inner().head();
    let conflict = client.write(&expecting("a.md", stale.as_str())).await;
    assert_eq!(
        conflict,
        Err(VaultError::Conflict {
            path: "a.md".to_owned(),
            expected: Some(stale.clone()),
            current: Some(now.clone()),
        })
    );
    // A note that is gone has no revision to match.
    let gone = client.write(&expecting("gone.md", now.as_str())).await;
    assert_eq!(
        gone,
        Err(VaultError::Conflict {
            path: "gone.md".to_owned(),
            expected: Some(now.clone()),
            current: None,
        })
    );
    // Even where nothing would change.
    let same = WriteRequest {
        text: overwrite("a.md", "now").text,
        ..expecting("a.md", stale.as_str())
    };
    assert!(matches!(
        client.write(&same).await,
        Err(VaultError::Conflict { .. })
    ));
    assert_eq!(vault.inner().head(), before, "nothing was written");
    let upper = now.as_str().to_uppercase();
    client.write(&expecting("a.md", &upper)).await.unwrap();
    for nonsense in ["", "main", "0", "zz9de29bb2d1d6434b8b29ae775ad8c2e48c5391"] {
        let error = client
            .write(&expecting("a.md", nonsense))
            .await
            .unwrap_err();
        assert_eq!(error.code().as_str(), "INVALID_ARGUMENT", "{nonsense:?}");
    }
    let both = WriteRequest {
        expected_revision: Some(now.as_str()),
        ..create("b.md", "x")
    };
    assert_eq!(
        client.write(&both).await.unwrap_err().code().as_str(),
        "INVALID_ARGUMENT"
    );
}

#[tokio::test]
async fn somebody_elses_change_in_between_is_replaced_by_name_or_reported() {
    let vault = vault(&[("a.md", "one")]);
    let client = vault.client();
    // An overwrite without an expectation replaces what is there at the last moment, and says so.
    vault.interrupt(|storage| drop(push(storage, "a.md", "two")));
    let written = client.write(&overwrite("a.md", "mine")).await.unwrap();
    let WriteOutcome::Replaced { replaced, .. } = written.outcome else {
        panic!("{written:?}")
    };
    assert_eq!(replaced.revision, revision("two"));
    // With an expectation it does not.
    vault.interrupt(|storage| drop(push(storage, "a.md", "three")));
    let mine = revision("mine");
    let request = WriteRequest {
        expected_revision: Some(mine.as_str()),
        ..overwrite("a.md", "more")
    };
    assert_eq!(
        client.write(&request).await,
        Err(VaultError::Conflict {
            path: "a.md".to_owned(),
            expected: Some(mine.clone()),
            current: Some(revision("three")),
        })
    );
    // Somebody who never stops is reported in the end, and nothing of theirs is lost.
    for n in 0..10 {
        vault.interrupt(move |storage| drop(push(storage, "a.md", &n.to_string())));
    }
    let error = client.write(&overwrite("a.md", "never")).await.unwrap_err();
    assert!(
        matches!(
            error,
            VaultError::Conflict {
                current: Some(_),
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_note_that_appears_or_vanishes_in_between_is_seen() {
    let vault = vault(&[("other.md", "")]);
    let client = vault.client();
    vault.interrupt(|storage| drop(push(storage, "a.md", "theirs")));
    assert_eq!(
        client.write(&create("a.md", "mine")).await,
        Err(VaultError::AlreadyExists {
            path: "a.md".to_owned(),
            existing: vec!["a.md".to_owned()],
            revision: Some(revision("theirs")),
        })
    );
    vault.interrupt(|storage| {
        storage.push(|files| {
            files.remove("a.md");
        });
    });
    let written = client.write(&overwrite("a.md", "mine")).await.unwrap();
    assert!(
        matches!(&written.outcome, WriteOutcome::Created(made) if made.recreated),
        "{written:?}"
    );
    vault.interrupt(|storage| drop(push(storage, "b.md", "theirs")));
    let written = client.write(&overwrite("b.md", "mine")).await.unwrap();
    let WriteOutcome::Replaced { replaced, .. } = written.outcome else {
        panic!("{written:?}")
    };
    assert_eq!(replaced.revision, revision("theirs"));
}

#[tokio::test]
async fn an_existing_note_or_a_twin_of_it_is_not_created_again() {
    let client = vault(&[("Schemas/Café.md", "x"), ("note.md", ""), ("NOTE.md", "")]).client();
    for (asked, there) in [
        ("Schemas/Café.md", vec!["Schemas/Café.md"]),
        ("Schemas/cafe\u{301}.MD", vec!["Schemas/Café.md"]),
        ("schemas/Café.md", vec!["Schemas/Café.md"]),
        ("Note.md", vec!["NOTE.md", "note.md"]),
    ] {
        let error = client.write(&create(asked, "new")).await.unwrap_err();
        let VaultError::AlreadyExists { existing, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(*existing, there, "{asked}");
    }
    // Which of two twins is meant cannot be told, so neither is changed.
    let error = client
        .write(&overwrite("Note.md", "new"))
        .await
        .unwrap_err();
    assert_eq!(error.code().as_str(), "ALREADY_EXISTS");
}

#[tokio::test]
async fn a_change_reaches_the_only_twin_and_names_it() {
    let vault = vault(&[("Cafe\u{301}.md", "old")]);
    let client = vault.client();
    let written = client.write(&overwrite("Café.md", "new")).await.unwrap();
    assert_eq!(written.path.as_str(), "Cafe\u{301}.md");
    assert_eq!(
        client.read("Cafe\u{301}.md", None).await.unwrap().text,
        "new"
    );
    assert_eq!(
        client
            .list(&crate::support::vaults::all_of(""))
            .await
            .unwrap()
            .total,
        1
    );
}

#[tokio::test]
async fn nothing_is_created_in_a_twin_of_a_folder_below_a_note_or_in_place_of_a_folder() {
    let notes = [
        ("Schemas/Research.md", ""),
        ("a.md", ""),
        ("Folder.md/b.md", ""),
        ("x/Y/z.md", ""),
    ];
    let vault = vault(&notes);
    vault.inner().push(|files| {
        files.insert("link.md".to_owned(), File::Symlink);
        files.insert("plain".to_owned(), File::regular("no note"));
        files.insert("Pictures/x.png".to_owned(), File::regular("no note"));
    });
    let client = vault.client();
    let before = vault.inner().head();
    for (asked, existing) in [
        ("pictures/New.md", vec!["Pictures/"]),
        ("schemas/New.md", vec!["Schemas/"]),
        ("schemas/deep/New.md", vec!["Schemas/"]),
        ("x/y/New.md", vec!["x/Y/"]),
        ("a.md/b.md", vec!["a.md"]),
        ("A.md/b.md", vec!["a.md"]),
        ("Folder.md", vec!["Folder.md/"]),
        ("link.md", vec![]),
        ("plain/New.md", vec![]),
    ] {
        for request in [create(asked, "x"), overwrite(asked, "x")] {
            assert_eq!(
                client.write(&request).await,
                Err(VaultError::AlreadyExists {
                    path: asked.to_owned(),
                    existing: existing.iter().map(|path| (*path).to_owned()).collect(),
                    revision: None,
                }),
                "{asked}"
            );
        }
    }
    assert_eq!(vault.inner().head(), before);
    client.write(&create("Schemas/New.md", "x")).await.unwrap();
    client.write(&create("Pictures/New.md", "x")).await.unwrap();
    client
        .write(&create("Elsewhere/deep/New.md", "x"))
        .await
        .unwrap();
}

#[tokio::test]
async fn another_spelling_that_appears_in_between_is_seen() {
    let vault = vault(&[("other.md", "")]);
    let client = vault.client();
    // A twin of the note: not made again, but found by whoever overwrites.
    vault.interrupt(|storage| drop(push(storage, "Note.md", "theirs")));
    assert_eq!(
        client.write(&create("note.md", "mine")).await,
        Err(VaultError::AlreadyExists {
            path: "note.md".to_owned(),
            existing: vec!["Note.md".to_owned()],
            revision: Some(revision("theirs")),
        })
    );
    vault.interrupt(|storage| drop(push(storage, "Cafe\u{301}.md", "theirs")));
    let written = client.write(&overwrite("Café.md", "mine")).await.unwrap();
    assert_eq!(written.path.as_str(), "Cafe\u{301}.md");
    // A twin of its folder, and of the folder that it would be.
    for (asked, pushed, existing) in [
        ("foo/x.md", "Foo/y.md", "Foo/"),
        ("plan.md", "Plan.md/y.md", "Plan.md/"),
        ("bar.md/x.md", "bar.md", "bar.md"),
    ] {
        vault.interrupt(move |storage| drop(push(storage, pushed, "theirs")));
        assert_eq!(
            client.write(&overwrite(asked, "mine")).await,
            Err(VaultError::AlreadyExists {
                path: asked.to_owned(),
                existing: vec![existing.to_owned()],
                revision: None,
            }),
            "{asked}"
        );
    }
}

#[tokio::test]
async fn names_that_cannot_be_created_can_be_changed_and_deleted() {
    let client = vault(&[("What is this?.md", "old"), ("aux/a.md", "old")]).client();
    for path in ["What is this?.md", "aux/a.md"] {
        client.write(&overwrite(path, "new")).await.unwrap();
        client.delete(&delete(path)).await.unwrap();
        let error = client.write(&overwrite(path, "again")).await.unwrap_err();
        assert_eq!(error.code().as_str(), "INVALID_PATH", "{path}");
    }
    let written = client.write(&create("C# notes.md", "x")).await.unwrap();
    assert!(written.unlinkable.is_some());
    let written = client.write(&overwrite("C# notes.md", "y")).await.unwrap();
    assert!(written.unlinkable.is_none(), "it is not new any more");
}

#[tokio::test]
async fn a_note_has_a_largest_size() {
    let vault = vault(&[("a.md", "")]);
    let client = vault.client();
    let largest = "é".repeat(MAX_NOTE_BYTES / 2);
    client.write(&overwrite("a.md", &largest)).await.unwrap();
    let error = client
        .write(&overwrite("a.md", &(largest + "x")))
        .await
        .unwrap_err();
    assert_eq!(
        error,
        VaultError::TooLarge {
            path: "a.md".to_owned(),
            bytes: MAX_NOTE_BYTES as u64 + 1,
            limit: Some(MAX_NOTE_BYTES as u64),
        }
    );
}

#[tokio::test]
async fn deleting_takes_the_exact_note_and_says_what_it_held() {
    let vault = vault(&[("a.md", "text"), ("b.md", ""), ("Cafe\u{301}.md", "")]);
    let before = vault.inner().head();
    let client = vault.client();
    let deleted = client.delete(&delete("a.md")).await.unwrap();
    assert_eq!(deleted.path.as_str(), "a.md");
    assert_eq!(
        (deleted.replaced.revision, deleted.replaced.bytes),
        (revision("text"), 4)
    );
    assert_eq!(deleted.replaced.commit, before);
    assert_eq!(Some(deleted.committed.commit), vault.inner().head());
    let info = vault.inner().head_info().unwrap();
    assert_eq!(info.message, "Delete a.md\n\nVault-Client: Test client\n");
    for (path, near) in [
        ("a.md", vec![]),
        ("B.md", vec!["b.md"]),
        ("Café.md", vec!["Cafe\u{301}.md"]),
    ] {
        assert_eq!(
            client.delete(&delete(path)).await,
            Err(VaultError::NotFound {
                path: path.to_owned(),
                near: near.into_iter().map(str::to_owned).collect(),
            })
        );
    }
}

#[tokio::test]
async fn deleting_honours_an_expected_revision_and_sees_changes_in_between() {
    let vault = vault(&[("a.md", "one")]);
    let client = vault.client();
    let one = revision("one");
    let expecting = DeleteRequest {
        expected_revision: Some(one.as_str()),
        ..delete("a.md")
    };
    vault.interrupt(|storage| drop(push(storage, "a.md", "two")));
    let conflict = VaultError::Conflict {
        path: "a.md".to_owned(),
        expected: Some(one.clone()),
        current: Some(revision("two")),
    };
    assert_eq!(client.delete(&expecting).await, Err(conflict.clone()));
    assert_eq!(client.delete(&expecting).await, Err(conflict));
    vault.interrupt(|storage| drop(push(storage, "a.md", "three")));
    let deleted = client.delete(&delete("a.md")).await.unwrap();
    assert_eq!(deleted.replaced.revision, revision("three"));
    vault.push("b.md", "");
    vault.interrupt(|storage| {
        storage.push(|files| {
            files.remove("b.md");
        });
    });
    assert_eq!(
        client
            .delete(&delete("b.md"))
            .await
            .unwrap_err()
            .code()
            .as_str(),
        "NOT_FOUND"
    );
}

#[tokio::test]
async fn a_reader_is_told_so_and_changes_nothing() {
    let vault = vault(&[("a.md", "x")]);
    let before = vault.inner().head();
    let client = vault.client_under("", "", Access::ReadOnly);
    assert!(!client.may_write());
    assert_eq!(
        client
            .write(&overwrite("a.md", "y"))
            .await
            .unwrap_err()
            .code()
            .as_str(),
        "READ_ONLY"
    );
    assert_eq!(
        client
            .delete(&delete("a.md"))
            .await
            .unwrap_err()
            .code()
            .as_str(),
        "READ_ONLY"
    );
    assert_eq!(vault.inner().head(), before);
    assert!(vault.client().may_write());
}
