//! The measure of a note's history: every two commits in a row are compared.

use std::collections::BTreeSet;

use super::{Commit, File, Files};
use crate::vault::{
    diff::Diff,
    storage::{ChangeKind, CommitId, HistoryPage, HistoryQuery, NoteChange, NoteCommit, Revision},
};

/// The page of `query` out of `commits`, the oldest of which comes first. Renames are not looked for.
pub(super) fn page(
    commits: &[Commit],
    from: Option<CommitId>,
    query: &HistoryQuery<'_>,
) -> HistoryPage {
    let path = query.note.as_str();
    let stands = commits.last().and_then(|commit| commit.files.get(path));
    if stands.is_some_and(|file| file.bytes().is_none()) {
        return HistoryPage::of_nothing(from);
    }
    let nothing = Files::new();
    let before = std::iter::once(&nothing).chain(commits.iter().map(|commit| &commit.files));
    let mut touched: Vec<NoteCommit> = before
        .zip(commits)
        .filter_map(|(before, commit)| note_commit(before, commit, query))
        .collect();
    touched.reverse();
    let skipped = query.page.saturating_mul(query.limit);
    let mut rest = touched.into_iter().skip(skipped);
    HistoryPage {
        from,
        commits: rest.by_ref().take(query.limit).collect(),
        has_more: rest.next().is_some(),
    }
}

/// What of a commit concerns the note; `None` where nothing does.
fn note_commit(before: &Files, commit: &Commit, query: &HistoryQuery<'_>) -> Option<NoteCommit> {
    let path = query.note.as_str();
    let touched = touched(before, &commit.files);
    if !touched.contains(path) {
        return None;
    }
    let touches_hidden = touched.iter().any(|path| query.sieve.hides(path));
    let info = commit.info.as_ref();
    let (old, new) = (before.get(path), commit.files.get(path));
    Some(NoteCommit {
        commit: commit.id.clone(),
        at: None,
        author: info.map_or_else(String::new, |info| info.author_name.clone()),
        message: info
            .map(|info| info.message.clone())
            .filter(|_| !touches_hidden),
        change: Some(NoteChange {
            kind: match (old, new) {
                (None, _) => ChangeKind::Added,
                (Some(_), None) => ChangeKind::Deleted,
                (Some(_), Some(_)) => ChangeKind::Changed,
            },
            revision: new.and_then(File::bytes).map(|bytes| Revision::of(bytes)),
            renamed_from: None,
            diff: if query.diff { diff(old, new) } else { None },
        }),
    })
}

/// What changed, where both sides are text or nothing and it can be shown whole.
fn diff(old: Option<&File>, new: Option<&File>) -> Option<String> {
    let diff = Diff::between(text(old)?, text(new)?);
    (diff.left_out == 0).then(|| diff.text.trim_end_matches('\n').to_owned())
}

fn text(file: Option<&File>) -> Option<&str> {
    match file {
        None => Some(""),
        Some(file) => str::from_utf8(file.bytes()?).ok(),
    }
}

/// The paths that two commits do not have in common.
fn touched<'a>(before: &'a Files, after: &'a Files) -> BTreeSet<&'a str> {
    let differs = |path: &&String| before.get(*path) != after.get(*path);
    let paths = before.keys().chain(after.keys());
    paths.filter(differs).map(String::as_str).collect()
}
