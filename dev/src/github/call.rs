//! One operation on one repository, with everything a handler needs.

use super::error::ApiError;
use super::hosted::Hosted;
use super::request::ApiRequest;
use super::state::State;
use super::switches::HangPoint;
use super::tokens::Token;
use super::wire::Links;
use crate::git::{Commit, GitError, Oid};

/// The request has passed every gate: the token may do this here.
pub(crate) struct Call<'a> {
    pub(crate) state: &'a State,
    pub(crate) hosted: &'a Hosted,
    pub(crate) request: &'a ApiRequest,
    pub(crate) token: &'a Token,
    pub(crate) links: Links,
}

impl Call<'_> {
    /// The commit a branch is said to be at.
    pub(crate) async fn read_tip(&self, branch: &str) -> Result<Option<Oid>, GitError> {
        let lag = self.state.take_lag();
        self.hosted.read_tip(branch, lag).await
    }

    /// The commit that `name` means to a read.
    pub(crate) async fn resolve(&self, name: &str) -> Result<Option<Oid>, GitError> {
        // A commit's own name is what it is: lag concerns branches.
        let lag = if name.len() == 40 {
            None
        } else {
            self.state.take_lag()
        };
        self.hosted.resolve(name, lag).await
    }

    /// As [`Self::resolve`], with the commit read.
    pub(crate) async fn resolve_commit(&self, name: &str) -> Result<Option<Commit>, GitError> {
        match self.resolve(name).await? {
            Some(oid) => self.hosted.git.commit(oid).await,
            None => Ok(None),
        }
    }

    /// What was looked for; when there is none, `missing`, or that the repository is empty: that
    /// is why nothing can be found there.
    pub(crate) async fn require<T>(
        &self,
        found: Option<T>,
        missing: ApiError,
    ) -> Result<T, ApiError> {
        match found {
            Some(found) => Ok(found),
            None if self.hosted.is_empty().await? => Err(ApiError::EmptyRepository),
            None => Err(missing),
        }
    }

    /// Stops here for as long as the switches say.
    pub(crate) async fn hang(&self, at: HangPoint) {
        hang(self.state, at).await;
    }
}

/// Stops for as long as the switches say: for good, unless they name a time.
pub(crate) async fn hang(state: &State, at: HangPoint) {
    let stop = state.switches().take_hang(at);
    if let Some(stop) = stop {
        match stop.milliseconds {
            Some(ms) => tokio::time::sleep(std::time::Duration::from_millis(ms)).await,
            None => std::future::pending().await,
        }
    }
}
