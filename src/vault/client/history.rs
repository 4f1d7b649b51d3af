//! The history of a note.

use super::{VaultClient, check_limit};
use crate::{
    runtime::Timestamp,
    vault::{
        cursor::{Cursor, CursorError, QueryFingerprint},
        error::VaultError,
        path::VaultPath,
        policy::Visible,
        storage::{
            ChangeKind, CommitId, HistoryPage, HistoryQuery, NoteCommit, Revision, StorageError,
        },
    },
};

/// The most commits that one page holds: each costs a request to GitHub.
pub const MAX_COMMITS: usize = 30;

/// Which history to read.
#[derive(Clone, Copy, Debug)]
pub struct HistoryRequest<'a> {
    /// The note's path.
    pub path: &'a str,
    /// The most commits that a page holds, from 1 to [`MAX_COMMITS`].
    pub limit: usize,
    /// The `next` of the page before; the first page where `None`.
    pub cursor: Option<&'a str>,
    /// Whether to say how each commit changed the text.
    pub diff: bool,
}

/// A page of the commits that touched a note, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteHistory {
    /// The note. It differs from the path that was asked for where only a twin of that has a history.
    pub path: VaultPath,
    /// The commit that was looked back from; all pages look back from the same.
    pub head: Option<CommitId>,
    /// The commits of this page.
    pub commits: Vec<TouchingCommit>,
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
}

/// A commit that touched a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchingCommit {
    /// Which.
    pub commit: CommitId,
    /// When it was committed, where known.
    pub at: Option<Timestamp>,
    /// The author's name.
    pub author: String,
    /// Its message; `None` where the commit touched, or may have touched, more than may be shown.
    pub message: Option<String>,
    /// What became of the note; `None` where that is not known.
    pub kind: Option<ChangeKind>,
    /// The note's revision since then; `None` where it was deleted or that is not known.
    pub revision: Option<Revision>,
    /// What the note was called before, where the commit renamed it.
    pub renamed_from: Option<VaultPath>,
    /// The hunks of a unified diff, where asked for and where there is one to show.
    pub diff: Option<String>,
}

impl VaultClient {
    /// Reads which commits touched a note, a page at a time.
    ///
    /// The path is looked for exactly, or else by its only twin in the vault as it is. A deleted note
    /// has a history: that is how one finds the commit to bring it back from.
    ///
    /// # Errors
    /// - `INVALID_PATH`, `NOT_A_NOTE` for what cannot be a note's path.
    /// - `NOT_FOUND` for a path that no commit touched or that policy does not show, naming the
    ///   twins where there are several.
    /// - `INVALID_ARGUMENT` for a limit out of bounds, and a cursor that is not of this query or
    ///   whose commit has left the branch's history.
    /// - What the backend reports.
    pub async fn history(&self, request: &HistoryRequest<'_>) -> Result<NoteHistory, VaultError> {
        let asked = self.visible(request.path)?;
        check_limit(request.limit, MAX_COMMITS)?;
        let limit = request.limit.to_string();
        let query = QueryFingerprint::of(&["history", asked.as_str(), &limit]);
        let Some(cursor) = Cursor::given(request.cursor, &query)? else {
            let first = self.commits(request, &asked, None, 0).await?;
            if !first.commits.is_empty() {
                return Ok(shown(&asked, first, 0, &query));
            }
            let twin = self.only_twin(&asked).await?;
            let first = self.commits(request, &twin, None, 0).await?;
            return if first.commits.is_empty() {
                Err(VaultError::missing(request.path))
            } else {
                Ok(shown(&twin, first, 0, &query))
            };
        };
        let Cursor { commit, after } = cursor;
        // The page to come, and the path that was found, judged again like an argument.
        let (page, path) = after
            .split_once('/')
            .and_then(|(page, path)| Some((page.parse().ok()?, path)))
            .ok_or_else(|| VaultError::invalid("cursor", &CursorError::Unreadable))?;
        let note = self.visible(path)?;
        let found = self.commits(request, &note, Some(commit), page).await?;
        Ok(shown(&note, found, page, &query))
    }

    /// What the backend lists, judged again.
    async fn commits(
        &self,
        request: &HistoryRequest<'_>,
        note: &Visible,
        from: Option<CommitId>,
        page: usize,
    ) -> Result<HistoryPage, VaultError> {
        let query = HistoryQuery {
            sieve: &*self.policy,
            note,
            from,
            page,
            limit: request.limit,
            diff: request.diff,
        };
        let found = self.storage.history(&query).await.map_err(|error| {
            if error == StorageError::UnknownCommit {
                let problem =
                    "is of a state that has left the vault's history; leave it out to begin again";
                VaultError::invalid("cursor", &problem)
            } else {
                VaultError::from_storage(note.as_str(), error)
            }
        })?;
        Ok(found.with_paths(|path| self.readmit(&path).then_some(path)))
    }

    /// The only note that differs from `asked` in letter case or normalization alone.
    async fn only_twin(&self, asked: &Visible) -> Result<Visible, VaultError> {
        let twins = self.lookup(asked, None).await?.twins;
        match twins.as_slice() {
            [twin] => Ok(twin.clone()),
            several => Err(VaultError::not_found(asked.as_str(), several)),
        }
    }
}

/// A page as the caller sees it, with where the next one begins.
fn shown(note: &Visible, found: HistoryPage, page: usize, query: &QueryFingerprint) -> NoteHistory {
    let next = found.from.as_ref().filter(|_| found.has_more).map(|from| {
        let cursor = Cursor {
            commit: from.clone(),
            after: format!("{}/{}", page.saturating_add(1), note.as_str()),
        };
        cursor.encode(query)
    });
    NoteHistory {
        path: note.path().clone(),
        head: found.from,
        commits: found
            .commits
            .into_iter()
            .map(TouchingCommit::from)
            .collect(),
        next,
    }
}

impl From<NoteCommit> for TouchingCommit {
    fn from(found: NoteCommit) -> Self {
        let (kind, revision, renamed_from, diff) = match found.change {
            None => (None, None, None, None),
            Some(change) => (
                Some(change.kind),
                change.revision,
                change.renamed_from.map(|path| path.path().clone()),
                change.diff,
            ),
        };
        Self {
            commit: found.commit,
            at: found.at,
            author: found.author,
            message: found.message,
            kind,
            revision,
            renamed_from,
            diff,
        }
    }
}
