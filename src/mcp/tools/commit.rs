//! What both mutations say of the commit that they made.

use serde::Serialize;

use crate::vault::{
    client::Replaced,
    storage::{CommitId, Committed},
};

/// The commit, and where a person can look at it.
#[derive(Serialize)]
pub(super) struct CommitFacts<'a> {
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_url: Option<&'a str>,
}

impl<'a> CommitFacts<'a> {
    /// A commit that was made.
    pub(super) fn of(committed: &'a Committed) -> Self {
        Self {
            commit: Some(committed.commit.as_str()),
            commit_url: committed.url.as_deref(),
        }
    }

    /// A commit at which something was seen.
    pub(super) fn at(commit: Option<&'a CommitId>) -> Self {
        Self {
            commit: commit.map(CommitId::as_str),
            commit_url: None,
        }
    }
}

/// What a note held before.
#[derive(Serialize)]
pub(super) struct ReplacedFacts<'a> {
    revision: &'a str,
    commit: Option<&'a str>,
    bytes: usize,
}

impl<'a> ReplacedFacts<'a> {
    pub(super) fn of(replaced: &'a Replaced) -> Self {
        Self {
            revision: replaced.revision.as_str(),
            commit: replaced.commit.as_ref().map(CommitId::as_str),
            bytes: replaced.bytes,
        }
    }
}
