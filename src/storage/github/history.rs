//! The commits that touched one note, as GitHub lists them.
//!
//! The list says who, when and in what words; it does not say what else a commit touched. That
//! takes one more request for each commit, which carries the diff as well.

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{
    GithubStorage,
    api::{GithubApi, MAX_COMPARE_BODY, Place, commit_id},
    changes::has_next_page,
    error::Refusal,
    model::{CommitFiles, FileEntry, HistoryItem},
    rest::{Call, parse},
    time,
};
use crate::{
    percent::encode_value,
    vault::storage::{
        ChangeKind, CommitId, HistoryPage, HistoryQuery, MAX_DIFF_BYTES, NoteChange, NoteCommit,
        Revision, StorageError,
    },
};

/// How many commits are looked at at a time. A Worker has six connections.
const AT_ONCE: usize = 4;

/// The most files on a page (GitHub's documentation of "Get a commit").
const FILES_PER_PAGE: usize = 300;

impl GithubApi {
    /// `GET commits`: a page of the commits up to `from` that touched a path, the newest first, and
    /// whether another page follows.
    async fn commits(
        &self,
        query: &HistoryQuery<'_>,
        from: &CommitId,
    ) -> Result<(Vec<HistoryItem>, bool), Refusal> {
        let path = encode_value(query.note.as_str());
        let (limit, page) = (query.limit, query.page.saturating_add(1));
        let call = Call::get(format!(
            "commits?sha={from}&path={path}&per_page={limit}&page={page}"
        ));
        let answer = self.transport.send(call).await?;
        Ok((parse(answer.body())?, has_next_page(answer.headers())))
    }

    /// `GET commits/{commit}`: the files that a commit touched, seen from its first parent. `None`
    /// where one page does not hold them all.
    async fn files(&self, commit: &CommitId) -> Result<Option<Vec<FileEntry>>, Refusal> {
        let mut call = Call::get(format!("commits/{commit}"));
        call.max_body = MAX_COMPARE_BODY;
        let answer = match self.transport.send(call).await {
            Ok(answer) => answer,
            // GitHub cannot show this one, or only in more bytes than can be held.
            Err(Refusal::Missing | Refusal::Final(StorageError::Unexpected(_))) => return Ok(None),
            Err(refusal) => return Err(refusal),
        };
        let CommitFiles { files } = parse(answer.body())?;
        let is_cut = has_next_page(answer.headers()) || files.len() >= FILES_PER_PAGE;
        Ok(Some(files).filter(|_| !is_cut))
    }
}

impl GithubStorage {
    /// The page of `query`, looking back from `from`. Takes one request, and one for each commit, or
    /// up to three for one that touched too many files to list.
    ///
    /// GitHub lists the commits below a folder of that name just the same. They are left out, and
    /// the page is shorter.
    pub(in crate::storage) async fn history_from(
        &self,
        query: &HistoryQuery<'_>,
        from: CommitId,
    ) -> Result<HistoryPage, StorageError> {
        let api = self.api();
        let (items, has_more) = api.commits(query, &from).await?;
        let commits: Vec<Option<NoteCommit>> = stream::iter(items)
            .map(|item| async move {
                let commit = commit_id(&item.sha)?;
                let files = api.files(&commit).await?;
                let change = files.as_ref().and_then(|files| note_change(query, files));
                let concerns_note = match files {
                    Some(_) => change.is_some(),
                    None => self.touches_file(query, &commit, &item).await?,
                };
                let files = files.as_deref();
                let found = || note_commit(query, commit, item, files, change);
                Ok::<_, Refusal>(concerns_note.then(found))
            })
            .buffered(AT_ONCE)
            .try_collect()
            .await?;
        Ok(HistoryPage {
            from: Some(from),
            commits: commits.into_iter().flatten().collect(),
            has_more,
        })
    }

    /// Whether a file stands at the path since a commit, or stood there before it.
    async fn touches_file(
        &self,
        query: &HistoryQuery<'_>,
        commit: &CommitId,
        item: &HistoryItem,
    ) -> Result<bool, Refusal> {
        let path = query.note.as_str();
        match (self.api().place(path, commit).await?, item.parents.first()) {
            (Place::Taken, _) => Ok(true),
            (Place::Free, Some(parent)) => {
                let parent = commit_id(&parent.sha)?;
                Ok(self.api().place(path, &parent).await? == Place::Taken)
            }
            (Place::Folder, _) | (Place::Free, None) => Ok(false),
        }
    }

    /// The commit to look back from: the head, or `asked` where that is the head or an ancestor of
    /// it; `None` while the repository has no commit.
    pub(in crate::storage) async fn ancestor(
        &self,
        head: Option<CommitId>,
        asked: Option<&CommitId>,
    ) -> Result<Option<CommitId>, StorageError> {
        match (head, asked) {
            (head, None) => Ok(head),
            (Some(head), Some(asked)) if *asked == head => Ok(Some(head)),
            (Some(head), Some(asked)) if self.api().descends(&head, asked).await? => {
                Ok(Some(asked.clone()))
            }
            (_, Some(_)) => Err(StorageError::UnknownCommit),
        }
    }
}

/// What of a commit concerns the note. `files` are all that it touched, where that is known.
fn note_commit(
    query: &HistoryQuery<'_>,
    commit: CommitId,
    item: HistoryItem,
    files: Option<&[FileEntry]>,
    change: Option<NoteChange>,
) -> NoteCommit {
    let is_merge = item.parents.len() > 1;
    let hides = |path: &str| query.sieve.hides(path);
    let touches_hidden = files.is_none_or(|files| {
        let mut touched = files.iter().flat_map(FileEntry::paths);
        touched.any(hides)
    });
    let author = item.commit.author.and_then(|author| author.name);
    let committer = item.commit.committer;
    NoteCommit {
        commit,
        at: committer.and_then(|committer| time::parse(&committer.date?)),
        author: author.unwrap_or_default(),
        message: Some(item.commit.message).filter(|_| !touches_hidden && !is_merge),
        change,
    }
}

/// What the files say of the note.
fn note_change(query: &HistoryQuery<'_>, files: &[FileEntry]) -> Option<NoteChange> {
    let path = query.note.as_str();
    let Some(file) = files.iter().find(|file| file.filename == path) else {
        // Renamed to something else, which is a note of its own or none.
        let mut renamed = files
            .iter()
            .filter_map(|file| file.previous_filename.as_deref());
        return renamed
            .any(|previous| previous == path)
            .then_some(NoteChange {
                kind: ChangeKind::Deleted,
                revision: None,
                renamed_from: None,
                diff: None,
            });
    };
    let kind = match (file.status.as_str(), &file.previous_filename) {
        ("removed", _) => ChangeKind::Deleted,
        ("added" | "copied", _) | (_, Some(_)) => ChangeKind::Added,
        _ => ChangeKind::Changed,
    };
    let revision = file
        .sha
        .as_deref()
        .and_then(|sha| Revision::parse(sha).ok());
    let previous = file.previous_filename.as_deref();
    Some(NoteChange {
        kind,
        revision: revision.filter(|_| kind != ChangeKind::Deleted),
        renamed_from: previous.and_then(|previous| query.sieve.admit(previous)),
        diff: file
            .patch
            .as_ref()
            .filter(|patch| query.diff && may_be_shown(query, file, patch))
            .cloned(),
    })
}

/// Whether a diff shows nothing but notes: not what something was before it came to be a note, nor
/// where a symbolic link points. Git's diff of a link is one line without an end, and GitHub does
/// not say which files are links.
fn may_be_shown(query: &HistoryQuery<'_>, file: &FileEntry, patch: &str) -> bool {
    let was_a_note = file
        .previous_filename
        .as_deref()
        .is_none_or(|previous| query.sieve.admit(previous).is_some());
    was_a_note
        && file.status != "changed"
        && patch.len() <= MAX_DIFF_BYTES
        && !looks_like_a_link(patch)
}

/// Whether all that a diff has on its old or its new side is one line without a line end.
fn looks_like_a_link(patch: &str) -> bool {
    let mut lines = patch.lines();
    let header = lines.next().unwrap_or_default();
    let is_whole = ["@@ -0,0 +1 @@", "@@ -1 +0,0 @@", "@@ -1 +1 @@"].contains(&header);
    is_whole && lines.any(|line| line.starts_with('\\'))
}

#[cfg(test)]
mod tests {
    use super::looks_like_a_link;

    #[test]
    fn one_line_without_an_end_may_be_a_link() {
        for (patch, expected) in [
            ("@@ -0,0 +1 @@\n+a.md\n\\ No newline at end of file", true),
            ("@@ -1 +0,0 @@\n-a.md\n\\ No newline at end of file", true),
            (
                "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file",
                true,
            ),
            ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file", true),
            ("@@ -0,0 +1 @@\n+a line", false),
            (
                "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file",
                false,
            ),
            (
                "@@ -1,2 +1 @@\n-a\n-b\n+c\n\\ No newline at end of file",
                false,
            ),
            ("", false),
        ] {
            assert_eq!(looks_like_a_link(patch), expected, "{patch}");
        }
    }
}
