//! Listing: complete, in pages tied to one commit, and nothing of what policy hides.

use vault_mcp::{
    login::allowlist::Access,
    storage::memory::File,
    vault::{
        VaultError,
        client::{ListRequest, NotePage},
    },
};

use crate::support::vaults::{all_of, vault};

fn paths(page: &NotePage) -> Vec<&str> {
    page.notes.iter().map(|note| note.path.as_str()).collect()
}

fn folders(page: &NotePage) -> Vec<(&str, usize)> {
    page.folders
        .iter()
        .map(|folder| (folder.path.as_str(), folder.notes))
        .collect()
}

const NOTES: &[(&str, &str)] = &[
    ("Index.md", "# Home\n"),
    ("Projects/Boat/Engine.md", ""),
    ("Projects/Boat/Sails.markdown", "s"),
    ("Projects/Garden.md", "g"),
    ("Projects.md", "p"),
    ("Daily/2026/11/30.MD", "d"),
    ("picture.png", "x"),
    (".obsidian/app.md", "x"),
    ("Projects/.trash/Old.md", "x"),
    ("Private/Diary.md", "x"),
];

#[tokio::test]
async fn the_whole_vault_without_what_is_hidden_or_no_note() {
    let client = vault(NOTES).client_under("", "Private", Access::ReadOnly);
    let page = client.list(&all_of("")).await.unwrap();
    assert_eq!(
        paths(&page),
        [
            "Daily/2026/11/30.MD",
            "Index.md",
            "Projects.md",
            "Projects/Boat/Engine.md",
            "Projects/Boat/Sails.markdown",
            "Projects/Garden.md",
        ]
    );
    assert_eq!((page.total, page.next.as_deref()), (6, None));
    assert_eq!(folders(&page), [("Daily", 1), ("Projects", 3)]);
    let index = &page.notes[1];
    assert_eq!((index.title.as_str(), index.bytes), ("Home", 7));
}

#[tokio::test]
async fn a_folder_is_whole_segments() {
    let client = vault(NOTES).client();
    let page = client.list(&all_of("Projects/")).await.unwrap();
    assert_eq!(page.dir.as_str(), "Projects");
    assert_eq!(page.total, 3);
    assert_eq!(folders(&page), [("Projects/Boat", 2)]);
}

#[tokio::test]
async fn depth_limits_the_notes_and_moves_the_folders_down() {
    let client = vault(NOTES).client();
    let at_depth = |depth| ListRequest {
        depth: Some(depth),
        ..all_of("")
    };
    let one = client.list(&at_depth(1)).await.unwrap();
    assert_eq!(paths(&one), ["Index.md", "Projects.md"]);
    assert_eq!(
        folders(&one),
        [("Daily", 1), ("Private", 1), ("Projects", 3)]
    );
    let two = client.list(&at_depth(2)).await.unwrap();
    assert_eq!(two.total, 4);
    assert_eq!(folders(&two), [("Daily/2026", 1), ("Projects/Boat", 2)]);
    let all = client.list(&at_depth(99)).await.unwrap();
    assert_eq!((all.total, all.folders.len()), (7, 0));
}

#[tokio::test]
async fn a_folder_that_is_missing_hidden_or_denied_is_not_the_whole_vault() {
    let client = vault(NOTES).client_under("", "Private", Access::ReadOnly);
    for dir in [
        "Nowhere",
        "Private",
        ".obsidian",
        "Index.md",
        "Projects/Boat/Engine",
    ] {
        assert_eq!(
            client.list(&all_of(dir)).await,
            Err(VaultError::NotFound {
                path: dir.to_owned(),
                near: Vec::new()
            })
        );
    }
    for dir in ["..", "../x", "/", ".", "/Projects", "a\\b"] {
        let error = client.list(&all_of(dir)).await.unwrap_err();
        assert_eq!(error.code().as_str(), "INVALID_PATH", "{dir}");
    }
}

#[tokio::test]
async fn an_empty_vault_has_a_root_with_nothing_in_it() {
    let page = vault::<&str>(&[]).client().list(&all_of("")).await.unwrap();
    assert_eq!(
        (page.total, page.notes.len(), page.commit, page.next),
        (0, 0, None, None)
    );
}

#[tokio::test]
async fn a_folder_is_found_by_its_only_twin() {
    let notes = [
        ("Cafe\u{301}/Menü/a.md", ""),
        ("Stra\u{df}e/b.md", ""),
        ("straße/c.md", ""),
    ];
    let client = vault(&notes).client();
    let page = client.list(&all_of("café/MENÜ")).await.unwrap();
    assert_eq!((page.dir.as_str(), page.total), ("Cafe\u{301}/Menü", 1));
    assert_eq!(
        client.list(&all_of("STRASSE")).await,
        Err(VaultError::NotFound {
            path: "STRASSE".to_owned(),
            near: vec!["Straße".to_owned(), "straße".to_owned()],
        })
    );
    // Exactly one of two twins is no question.
    assert_eq!(client.list(&all_of("straße")).await.unwrap().total, 1);
}

#[tokio::test]
async fn pages_show_one_commit_and_make_the_whole() {
    let notes: Vec<(String, String)> = (0..25)
        .map(|n| (format!("Notes/{n:02}.md"), n.to_string()))
        .collect();
    let notes: Vec<(&str, &str)> = notes
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let vault = vault(&notes);
    let client = vault.client();
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    let mut sizes = Vec::new();
    loop {
        let request = ListRequest {
            limit: 10,
            cursor: cursor.as_deref(),
            ..all_of("Notes")
        };
        let page = client.list(&request).await.unwrap();
        assert_eq!(page.total, 25);
        assert!(page.folders.is_empty());
        sizes.push(page.notes.len());
        seen.extend(page.notes.iter().map(|note| note.path.as_str().to_owned()));
        // Somebody else comes between any two pages.
        vault.push("Notes/000.md", "new");
        vault.inner().push(|files| {
            files.remove("Notes/24.md");
        });
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(sizes, [10, 10, 5]);
    assert_eq!(
        seen,
        notes.iter().map(|(path, _)| *path).collect::<Vec<_>>()
    );
    assert_eq!(
        client.list(&all_of("Notes")).await.unwrap().total,
        25,
        "one came, one went"
    );
}

#[tokio::test]
async fn a_shortened_page_goes_on_where_it_was_cut() {
    let client = vault(&[("a.md", ""), ("b.md", ""), ("c.md", ""), ("d.md", "")]).client();
    let mut page = client
        .list(&ListRequest {
            limit: 3,
            ..all_of("")
        })
        .await
        .unwrap();
    page.shorten(2);
    assert_eq!(paths(&page), ["a.md", "b.md"]);
    let rest = ListRequest {
        cursor: page.next.as_deref(),
        ..all_of("")
    };
    assert_eq!(paths(&client.list(&rest).await.unwrap()), ["c.md", "d.md"]);
    let mut page = client.list(&all_of("")).await.unwrap();
    page.shorten(0);
    assert_eq!(paths(&page), ["a.md"], "a page holds at least one note");
    page.shorten(7);
    assert_eq!(page.notes.len(), 1);
}

#[tokio::test]
async fn a_cursor_serves_its_own_query_and_history_only() {
    let notes = [
        ("A/a.md", ""),
        ("A/b.md", ""),
        ("B/a.md", ""),
        ("B/b.md", ""),
    ];
    let client = vault(&notes).client();
    let first = ListRequest {
        limit: 1,
        ..all_of("A")
    };
    let next = client.list(&first).await.unwrap().next.unwrap();
    let cursor = Some(next.as_str());
    for request in [
        ListRequest {
            cursor,
            ..all_of("B")
        },
        ListRequest {
            cursor,
            depth: Some(1),
            ..all_of("A")
        },
        ListRequest {
            cursor: Some("bogus"),
            ..all_of("A")
        },
    ] {
        let error = client.list(&request).await.unwrap_err();
        assert!(
            matches!(
                error,
                VaultError::InvalidArgument {
                    argument: "cursor",
                    ..
                }
            ),
            "{error:?}"
        );
    }
    let request = ListRequest {
        cursor,
        ..all_of("A")
    };
    assert_eq!(paths(&client.list(&request).await.unwrap()), ["A/b.md"]);
    // Another history, as after a forced push.
    let elsewhere = vault(&[("A/x.md", "")]).client();
    let error = elsewhere.list(&request).await.unwrap_err();
    assert!(
        matches!(
            error,
            VaultError::InvalidArgument {
                argument: "cursor",
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_cursor_opens_nothing_that_policy_hides() {
    let vault = vault(&[("A/a.md", ""), ("A/b.md", ""), ("A/c.md", "")]);
    let next = vault
        .client()
        .list(&ListRequest {
            limit: 1,
            ..all_of("A")
        })
        .await
        .unwrap()
        .next
        .unwrap();
    let request = ListRequest {
        cursor: Some(&next),
        ..all_of("A")
    };
    let denied = vault.client_under("", "A/b.md", Access::ReadOnly);
    assert_eq!(paths(&denied.list(&request).await.unwrap()), ["A/c.md"]);
    let hidden = vault.client_under("B", "", Access::ReadOnly);
    assert_eq!(
        hidden.list(&request).await.unwrap_err().code().as_str(),
        "NOT_FOUND"
    );
}

#[tokio::test]
async fn bounds_are_errors_not_clamps() {
    let client = vault(NOTES).client();
    for limit in [0, 1_001, usize::MAX] {
        let error = client
            .list(&ListRequest {
                limit,
                ..all_of("")
            })
            .await
            .unwrap_err();
        assert!(matches!(
            error,
            VaultError::InvalidArgument {
                argument: "limit",
                ..
            }
        ));
    }
    let error = client
        .list(&ListRequest {
            depth: Some(0),
            ..all_of("")
        })
        .await
        .unwrap_err();
    assert!(matches!(
        error,
        VaultError::InvalidArgument {
            argument: "depth",
            ..
        }
    ));
}

#[tokio::test]
async fn links_and_submodules_are_no_notes() {
    let vault = vault(&[("a.md", "")]);
    vault.inner().push(|files| {
        files.insert("link.md".to_owned(), File::Symlink);
        files.insert("module.md".to_owned(), File::Submodule);
    });
    assert_eq!(
        paths(&vault.client().list(&all_of("")).await.unwrap()),
        ["a.md"]
    );
}
