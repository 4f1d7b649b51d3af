//! Reading: the bytes as they are, by the exact path or its only twin.

use vault_mcp::{
    login::allowlist::Access,
    storage::memory::File,
    vault::{
        VaultError,
        storage::{CommitId, Revision},
    },
};

use crate::support::vaults::vault;

#[tokio::test]
async fn the_text_is_the_bytes() {
    let text = "\u{feff}---\r\ntitle: Ωmega\r\n---\r\nno final newline";
    let vault = vault(&[("a/Note.md", text)]);
    let note = vault.client().read("a/Note.md", None).await.unwrap();
    assert_eq!(
        (note.path.as_str(), note.text.as_str()),
        ("a/Note.md", text)
    );
    assert_eq!(note.title, "Ωmega");
    assert_eq!(note.revision, Revision::of(text.as_bytes()));
    assert_eq!(note.commit, vault.inner().head());
}

#[tokio::test]
async fn an_empty_note_is_a_note() {
    let note = vault(&[("Empty.md", "")])
        .client()
        .read("Empty.md", None)
        .await
        .unwrap();
    assert_eq!((note.text.as_str(), note.title.as_str()), ("", "Empty"));
    // The blob that git calls empty.
    assert_eq!(
        note.revision.as_str(),
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    );
}

#[tokio::test]
async fn names_are_used_as_they_are() {
    for path in [
        "50% plan.md",
        "100%25.md",
        "a%3Db.md",
        "What is this?.md",
        "C# notes.md",
        "a+b.md",
    ] {
        let client = vault(&[(path, "x")]).client();
        assert_eq!(client.read(path, None).await.unwrap().path.as_str(), path);
    }
    // The encoded and the plain name are two notes.
    let client = vault(&[("a=b.md", "plain")]).client();
    assert_eq!(
        client
            .read("a%3Db.md", None)
            .await
            .unwrap_err()
            .code()
            .as_str(),
        "NOT_FOUND"
    );
}

#[tokio::test]
async fn the_only_twin_is_read_and_named() {
    let client = vault(&[("My Notes/Cafe\u{301}.md", "nfd")]).client();
    for asked in ["My Notes/Café.md", "my notes/CAFÉ.MD"] {
        let note = client.read(asked, None).await.unwrap();
        assert_eq!(
            (note.path.as_str(), note.text.as_str()),
            ("My Notes/Cafe\u{301}.md", "nfd")
        );
    }
}

#[tokio::test]
async fn the_exact_note_comes_before_its_twins() {
    let client = vault(&[("note.md", "small"), ("Note.md", "large")]).client();
    assert_eq!(client.read("Note.md", None).await.unwrap().text, "large");
    assert_eq!(
        client.read("NOTE.md", None).await,
        Err(VaultError::NotFound {
            path: "NOTE.md".to_owned(),
            near: vec!["Note.md".to_owned(), "note.md".to_owned()],
        })
    );
}

#[tokio::test]
async fn a_twin_that_policy_hides_is_no_twin() {
    let vault = vault(&[("A/note.md", "shown"), ("a/Note.md", "not allowed")]);
    let client = vault.client_under("A", "", Access::ReadOnly);
    assert_eq!(client.read("A/NOTE.md", None).await.unwrap().text, "shown");
    let client = vault.client_under("", "A/note.md", Access::ReadOnly);
    // Denying compares folded, so the twin is denied with it.
    assert_eq!(
        client.read("a/Note.md", None).await,
        Err(missing("a/Note.md"))
    );
}

fn missing(path: &str) -> VaultError {
    VaultError::NotFound {
        path: path.to_owned(),
        near: Vec::new(),
    }
}

#[tokio::test]
async fn what_is_not_utf8_is_said_and_never_shown() {
    let latin1: &[u8] = b"caf\xe9\n";
    let client = vault(&[("Old.md", latin1)]).client();
    assert_eq!(
        client.read("Old.md", None).await,
        Err(VaultError::NotUtf8 {
            path: "Old.md".to_owned(),
            revision: Revision::of(latin1),
            bytes: 5,
            offset: 3,
        })
    );
    let utf16: &[u8] = b"\xff\xfea\0";
    let client = vault(&[("Old.md", utf16)]).client();
    assert_eq!(
        client
            .read("Old.md", None)
            .await
            .unwrap_err()
            .code()
            .as_str(),
        "NOT_UTF8"
    );
}

#[tokio::test]
async fn an_older_commit_shows_what_was() {
    let vault = vault(&[("a.md", "old")]);
    let old = vault.inner().head().unwrap();
    vault.push("a.md", "new");
    let client = vault.client();
    assert_eq!(
        client.read("a.md", Some(old.as_str())).await.unwrap().text,
        "old"
    );
    assert_eq!(client.read("a.md", None).await.unwrap().text, "new");
    let nowhere = CommitId::of(b"elsewhere");
    for at in [nowhere.as_str(), "HEAD", "main", ""] {
        let error = client.read("a.md", Some(at)).await.unwrap_err();
        assert!(
            matches!(error, VaultError::InvalidArgument { argument: "at", .. }),
            "{at}"
        );
    }
}

#[tokio::test]
async fn links_folders_and_an_empty_vault_hold_no_note() {
    let with_link = vault(&[("Folder.md/a.md", "x")]);
    with_link.inner().push(|files| {
        files.insert("link.md".to_owned(), File::Symlink);
    });
    let client = with_link.client();
    for path in ["link.md", "Folder.md", "Nowhere.md"] {
        assert_eq!(client.read(path, None).await, Err(missing(path)), "{path}");
    }
    let empty = vault::<&str>(&[]).client();
    assert_eq!(empty.read("a.md", None).await, Err(missing("a.md")));
}
