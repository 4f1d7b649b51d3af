//! What one commit changed.

use http::header;

use super::{
    api::{GithubApi, MAX_COMPARE_BODY, commit_id},
    error::Refusal,
    model::CommitAnswer,
    rest::{Call, internal, parse},
    time,
};
use crate::{runtime::Timestamp, vault::storage::CommitId};

/// The most files that GitHub names over all pages (its documentation of "Get a commit").
const MOST_FILES: usize = 3_000;

/// A commit, and what it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::storage) struct CommitChanges {
    /// When it was committed.
    pub(in crate::storage) at: Timestamp,
    /// Its first parent; `None` for the first commit of all.
    pub(in crate::storage) parent: Option<CommitId>,
    /// The paths that it made, changed or renamed something to, seen from its first parent. Of the
    /// first commit of all, some of them.
    pub(in crate::storage) paths: Vec<String>,
    /// Whether these are all paths.
    pub(in crate::storage) is_complete: bool,
}

impl GithubApi {
    /// `GET commits/{commit}`, page by page. The first commit of all made everything that there was
    /// then, so that nobody asks for its list to the end.
    pub(in crate::storage) async fn changes(
        &self,
        commit: &CommitId,
    ) -> Result<CommitChanges, Refusal> {
        let mut paths = Vec::new();
        for page in 1_u32.. {
            let mut call = Call::get(format!("commits/{commit}?page={page}"));
            call.max_body = MAX_COMPARE_BODY;
            let answer = self.transport.send(call).await?;
            let is_last = !has_next_page(answer.headers());
            let answer: CommitAnswer = parse(answer.body())?;
            let parent = answer.parents.first();
            let parent = parent.map(|parent| commit_id(&parent.sha)).transpose()?;
            paths.extend(answer.files.into_iter().map(|file| file.filename));
            if parent.is_none() || is_last || paths.len() >= MOST_FILES {
                let date = &answer.commit.committer.date;
                return Ok(CommitChanges {
                    at: time::parse(date).ok_or_else(|| internal("a commit without a date"))?,
                    is_complete: parent.is_none() || paths.len() < MOST_FILES,
                    parent,
                    paths,
                });
            }
        }
        Err(internal("a commit with pages without end"))
    }
}

/// Whether another page follows (GitHub's documentation of "Using pagination in the REST API").
pub(super) fn has_next_page(headers: &header::HeaderMap) -> bool {
    let link = headers
        .get(header::LINK)
        .and_then(|link| link.to_str().ok());
    link.is_some_and(|link| link.contains("rel=\"next\""))
}
