//! Changing a part of a note: made in what the note says at the head, or not at all.

use vault_mcp::vault::{
    VaultError,
    client::{TextChange, WriteOutcome, WriteRequest, Written},
    edit::{Edit, EditProblem},
    storage::Revision,
};

use crate::support::vaults::{Vault, change, push, vault};

fn append<'a>(path: &'a str, content: &'a str) -> WriteRequest<'a> {
    change(
        path,
        TextChange::Append {
            content,
            section: None,
        },
    )
}

fn prepend<'a>(path: &'a str, content: &'a str) -> WriteRequest<'a> {
    change(
        path,
        TextChange::Prepend {
            content,
            section: None,
        },
    )
}

fn edit<'a>(path: &'a str, edits: &'a [Edit<'a>]) -> WriteRequest<'a> {
    change(
        path,
        TextChange::Edit {
            edits,
            section: None,
        },
    )
}

const fn swap<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit {
        old,
        new,
        all: false,
    }
}

async fn text(vault: &std::rc::Rc<Vault>, path: &str) -> String {
    vault.client().read(path, None).await.unwrap().text
}

fn replaced(written: &Written) -> &Revision {
    let WriteOutcome::Replaced { replaced, .. } = &written.outcome else {
        panic!("{written:?}")
    };
    &replaced.revision
}

#[tokio::test]
async fn text_is_added_at_the_end_and_behind_the_frontmatter() {
    let note = "\u{feff}---\r\ntags: [a]\r\n---\r\nbody\r\n";
    let vault = vault(&[("a.md", note)]);
    let client = vault.client();
    let written = client.write(&append("a.md", "last\nof all")).await.unwrap();
    assert_eq!(*replaced(&written), Revision::of(note.as_bytes()));
    client.write(&prepend("a.md", "first")).await.unwrap();
    let now = "\u{feff}---\r\ntags: [a]\r\n---\r\nfirst\r\nbody\r\nlast\r\nof all\r\n";
    assert_eq!(text(&vault, "a.md").await, now);
    // A note that was found by its twin keeps its name.
    let written = client.write(&append("A.md", "more")).await.unwrap();
    assert_eq!(written.path.as_str(), "a.md");
}

#[tokio::test]
async fn adding_to_a_note_that_is_missing_makes_it() {
    let vault = vault(&[("a.md", "")]);
    let client = vault.client();
    for (request, path) in [
        (append("Daily/1.md", "- x"), "Daily/1.md"),
        (prepend("2.md", "- x"), "2.md"),
    ] {
        let written = client.write(&request).await.unwrap();
        assert!(
            matches!(written.outcome, WriteOutcome::Created(_)),
            "{written:?}"
        );
        assert_eq!(text(&vault, path).await, "- x");
    }
}

#[tokio::test]
async fn nothing_to_add_and_nothing_to_change_make_no_commit() {
    let vault = vault(&[("a.md", "x")]);
    let before = vault.inner().head();
    let client = vault.client();
    for request in [
        append("a.md", ""),
        prepend("a.md", ""),
        edit("a.md", &[swap("x", "x")]),
    ] {
        let written = client.write(&request).await.unwrap();
        assert!(
            matches!(written.outcome, WriteOutcome::Unchanged { .. }),
            "{written:?}"
        );
    }
    assert_eq!(vault.inner().head(), before);
}

#[tokio::test]
async fn edits_are_made_all_or_none() {
    let vault = vault(&[("a.md", "one\r\ntwo\r\nthree")]);
    let client = vault.client();
    let edits = [swap("two\n", "2\n"), swap("three", "3")];
    client.write(&edit("a.md", &edits)).await.unwrap();
    assert_eq!(text(&vault, "a.md").await, "one\r\n2\r\n3");
    let before = vault.inner().head();
    for (edits, number, code) in [
        ([swap("one", "1"), swap("two", "2")], 2, "EDIT_NOT_FOUND"),
        ([swap("one", "1"), swap("\n", " ")], 2, "EDIT_NOT_UNIQUE"),
        ([swap("one", "1"), swap("", " ")], 2, "INVALID_ARGUMENT"),
        ([swap("one", "1"), swap("1", "one")], 2, "INVALID_ARGUMENT"),
    ] {
        let error = client.write(&edit("a.md", &edits)).await.unwrap_err();
        assert_eq!(error.code().as_str(), code);
        let VaultError::Edit { path, error } = error else {
            panic!("{error:?}")
        };
        assert_eq!((path.as_str(), error.edit), ("a.md", number));
    }
    let missing = client
        .write(&edit("b.md", &[swap("x", "y")]))
        .await
        .unwrap_err();
    assert_eq!(missing.code().as_str(), "NOT_FOUND");
    assert_eq!(vault.inner().head(), before, "nothing was written");
}

#[tokio::test]
async fn what_somebody_else_writes_in_between_is_kept() {
    let vault = vault(&[("a.md", "one\ntwo\n")]);
    let client = vault.client();
    vault.interrupt(|storage| drop(push(storage, "a.md", "one\ntwo\ntheirs\n")));
    client.write(&append("a.md", "mine")).await.unwrap();
    assert_eq!(text(&vault, "a.md").await, "one\ntwo\ntheirs\nmine\n");

    vault.interrupt(|storage| drop(push(storage, "a.md", "zero\none\ntwo\n")));
    let edits = [swap("two", "2")];
    let written = client.write(&edit("a.md", &edits)).await.unwrap();
    assert_eq!(*replaced(&written), Revision::of(b"zero\none\ntwo\n"));
    assert_eq!(text(&vault, "a.md").await, "zero\none\n2\n");

    // What is quoted is not there any more, or not only once.
    for (theirs, problem) in [
        ("zero\none\n", EditProblem::NotFound(None)),
        ("2\none\n2\n", EditProblem::NotUnique(vec![1, 3])),
    ] {
        vault.push("a.md", "zero\none\n2\n");
        vault.interrupt(move |storage| drop(push(storage, "a.md", theirs)));
        let error = client
            .write(&edit("a.md", &[swap("2", "two")]))
            .await
            .unwrap_err();
        let VaultError::Edit { error, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(error.problem, problem);
        assert_eq!(text(&vault, "a.md").await, theirs);
    }

    // Who insists on a revision is refused, whatever could still be done.
    vault.push("a.md", "one\n");
    vault.interrupt(|storage| drop(push(storage, "a.md", "one\ntheirs\n")));
    let expected = Revision::of(b"one\n");
    let insisting = WriteRequest {
        expected_revision: Some(expected.as_str()),
        ..append("a.md", "mine")
    };
    let error = client.write(&insisting).await.unwrap_err();
    assert_eq!(error.code().as_str(), "CONFLICT");
    assert_eq!(text(&vault, "a.md").await, "one\ntheirs\n");
}

#[tokio::test]
async fn a_note_that_is_no_text_is_changed_whole_or_not_at_all() {
    let vault = vault(&[("a.md", b"caf\xe9\n".as_slice())]);
    let before = vault.inner().head();
    let client = vault.client();
    for request in [
        append("a.md", "x"),
        prepend("a.md", "x"),
        edit("a.md", &[swap("caf", "x")]),
    ] {
        let error = client.write(&request).await.unwrap_err();
        assert_eq!(error.code().as_str(), "NOT_UTF8");
    }
    assert_eq!(vault.inner().head(), before);
}

#[tokio::test]
async fn a_note_that_would_grow_too_large_is_refused() {
    let long = "x".repeat(999_999);
    let vault = vault(&[("a.md", long.as_str())]);
    let client = vault.client();
    for request in [
        append("a.md", "y"),
        edit(
            "a.md",
            &[Edit {
                old: "x",
                new: "yy",
                all: true,
            }],
        ),
    ] {
        let error = client.write(&request).await.unwrap_err();
        assert_eq!(error.code().as_str(), "TOO_LARGE");
    }
    assert_eq!(text(&vault, "a.md").await, long);
}
