//! The commits that touched a note.

use std::rc::Rc;

use vault_mcp::vault::storage::{
    ChangeKind, CommitId, HistoryPage, HistoryQuery, Revision, StorageError,
};
use vault_mcp_dev::{Mode, SeedFile};

use super::{Start, note};
use crate::support::storage::{Subject, info, list, open_policy, visible, writable};

/// A page of a history.
async fn page(
    vault: &Rc<dyn Subject>,
    path: &str,
    (from, page, limit): (Option<CommitId>, usize, usize),
) -> Result<HistoryPage, StorageError> {
    let policy = open_policy();
    let query = HistoryQuery {
        sieve: &policy,
        note: &visible(path),
        from,
        page,
        limit,
        diff: false,
    };
    vault.storage().history(&query).await
}

/// The first page of a history.
async fn history(vault: &Rc<dyn Subject>, path: &str) -> HistoryPage {
    page(vault, path, (None, 0, 10)).await.unwrap()
}

async fn head(vault: &Rc<dyn Subject>) -> Option<CommitId> {
    list(vault.storage(), "", None).await.unwrap().commit
}

pub(super) async fn the_history_of_a_note_is_the_commits_that_touched_it(start: impl Start) {
    let vault = start(vec![note("a.md", "one"), note("b.md", "other")]).await;
    let made = head(&vault).await.unwrap();
    let storage = vault.storage();
    let (a, b) = (writable("a.md"), writable("b.md"));
    let one = Revision::of(b"one");
    let changed = storage.update(&a, &one, b"two", &info("change a")).await;
    let changed = changed.unwrap().commit;
    let other = Revision::of(b"other");
    storage
        .update(&b, &other, b"more", &info("change b"))
        .await
        .unwrap();
    let two = Revision::of(b"two");
    let deleted = storage
        .delete(&a, &two, &info("delete a"))
        .await
        .unwrap()
        .commit;

    let found = history(&vault, "a.md").await;
    assert_eq!(found.from.as_ref(), Some(&deleted));
    assert!(!found.has_more);
    let commits: Vec<_> = found.commits.iter().map(|commit| &commit.commit).collect();
    assert_eq!(commits, [&deleted, &changed, &made]);
    let became: Vec<_> = found
        .commits
        .iter()
        .map(|commit| {
            let change = commit.change.as_ref().unwrap();
            assert_eq!((&change.renamed_from, &change.diff), (&None, &None));
            (change.kind, change.revision.clone())
        })
        .collect();
    assert_eq!(
        became,
        [
            (ChangeKind::Deleted, None),
            (ChangeKind::Changed, Some(two)),
            (ChangeKind::Added, Some(one)),
        ]
    );
    for (commit, message) in found.commits.iter().zip(["delete a", "change a"]) {
        assert_eq!(commit.author, "A. Writer");
        assert_eq!(commit.message.as_deref(), Some(message));
    }
    let never = history(&vault, "never.md").await;
    assert_eq!((never.from, never.commits.len()), (Some(deleted), 0));
}

pub(super) async fn a_page_of_a_history_goes_on_where_the_one_before_ended(start: impl Start) {
    let vault = start(vec![note("a.md", "0")]).await;
    for n in 1..6_u8 {
        vault.push(&[("a.md", Some(&[b'0' + n]))]).await;
    }
    let first = page(&vault, "a.md", (None, 0, 4)).await.unwrap();
    assert!(first.has_more);
    vault.push(&[("a.md", Some(b"later"))]).await;
    let second = page(&vault, "a.md", (first.from.clone(), 1, 4))
        .await
        .unwrap();
    assert_eq!(second.from, first.from);
    assert!(!second.has_more);
    let revisions: Vec<_> = [&first, &second]
        .into_iter()
        .flat_map(|page| &page.commits)
        .map(|commit| commit.change.clone().unwrap().revision.unwrap())
        .collect();
    let expected: Vec<_> = (0..6_u8).rev().map(|n| Revision::of(&[b'0' + n])).collect();
    assert_eq!(revisions, expected);
    let unknown = Some(CommitId::parse(&"ab".repeat(20)).unwrap());
    let refused = page(&vault, "a.md", (unknown, 0, 4)).await;
    assert_eq!(refused, Err(StorageError::UnknownCommit));
}

pub(super) async fn what_is_no_note_has_no_history(start: impl Start) {
    let kinds = [("link.md", Mode::Symlink), ("module.md", Mode::Submodule)];
    let mut files: Vec<_> = kinds
        .into_iter()
        .map(|(path, mode)| SeedFile {
            path: path.to_owned(),
            mode,
            bytes: match mode {
                Mode::Submodule => "ab".repeat(20).into_bytes(),
                Mode::Regular | Mode::Executable | Mode::Symlink => b"a.md".to_vec(),
            },
        })
        .collect();
    files.push(note("folder.md/a.md", "x"));
    let vault = start(files).await;
    for path in ["link.md", "module.md", "folder.md"] {
        assert_eq!(history(&vault, path).await.commits, [], "{path}");
    }
    let empty = start(Vec::new()).await;
    assert_eq!(history(&empty, "a.md").await, HistoryPage::of_nothing(None));
}

pub(super) async fn a_diff_is_there_where_it_is_asked_for(start: impl Start) {
    let vault = start(vec![note("a.md", "one\ntwo\nthree\n")]).await;
    vault.push(&[("a.md", Some(b"one\n2\nthree\n"))]).await;
    vault.push(&[("a.md", None)]).await;
    let policy = open_policy();
    let query = HistoryQuery {
        sieve: &policy,
        note: &visible("a.md"),
        from: None,
        page: 0,
        limit: 10,
        diff: true,
    };
    let found = vault.storage().history(&query).await.unwrap();
    let diffs: Vec<_> = found
        .commits
        .into_iter()
        .map(|commit| commit.change.unwrap().diff.unwrap())
        .collect();
    assert_eq!(
        diffs,
        [
            "@@ -1,3 +0,0 @@\n-one\n-2\n-three",
            "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
            "@@ -0,0 +1,3 @@\n+one\n+two\n+three",
        ]
    );
}
