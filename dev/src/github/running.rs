//! A look-alike that runs.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::serve::ListenerExt as _;
use tokio::runtime::Runtime;

use super::app::Installation;
use super::builder::Prepared;
use super::hosted::Hosted;
use super::log::LoggedRequest;
use super::pipeline;
use super::state::State;
use super::switches::Switches;
use super::tokens::Token;
use crate::git::{GitError, Oid, Push};

/// A running look-alike. It stops when this is dropped.
#[derive(Debug)]
pub struct RunningLookAlike {
    /// `None` only while being dropped.
    runtime: Option<Runtime>,
    state: Arc<State>,
    vault: Arc<Hosted>,
    url: String,
    /// Held for its destructor, which removes the repositories.
    _scratch: Option<tempfile::TempDir>,
}

impl RunningLookAlike {
    pub(super) fn new(runtime: Runtime, prepared: Prepared) -> Self {
        let Prepared {
            state,
            vault,
            listeners,
            port,
            scratch,
        } = prepared;
        for listener in listeners {
            let state = Arc::clone(&state);
            let handler = move |request: Request| pipeline::serve(Arc::clone(&state), request);
            let app = Router::new().fallback(handler);
            // Small answers must not wait for the client's acknowledgement.
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            runtime.spawn(async move { axum::serve(listener, app).await });
        }
        let url = format!("http://localhost:{port}");
        Self {
            runtime: Some(runtime),
            state,
            vault,
            url,
            _scratch: scratch,
        }
    }

    /// The origin of API, downloads and web pages alike: `http://localhost:PORT`, without a
    /// trailing slash.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The vault repository's full name, `owner/name`.
    #[must_use]
    pub fn repository(&self) -> &str {
        &self.vault.full_name
    }

    /// The vault repository's default branch.
    #[must_use]
    pub fn branch(&self) -> &str {
        &self.vault.default_branch
    }

    /// The requests since the start or the last reset, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.state.log.entries()
    }

    /// How many of [`Self::requests`] count against the hourly limit.
    #[must_use]
    pub fn counted_requests(&self) -> usize {
        self.requests()
            .iter()
            .filter(|request| request.counted)
            .count()
    }

    /// Forgets the requests so far.
    pub fn reset_requests(&self) {
        self.state.log.reset();
    }

    /// Changes switches: `github.switches(|s| s.tip_race = Times::Next(1))`.
    pub fn switches(&self, change: impl FnOnce(&mut Switches)) {
        change(&mut self.state.switches());
    }

    /// Turns all switches off.
    pub fn reset_switches(&self) {
        *self.state.switches() = Switches::default();
    }

    /// Changes the app's installation, as the account's owner would:
    /// `github.installation(|i| i.suspended = true)`.
    pub fn installation(&self, change: impl FnOnce(&mut Installation)) {
        change(&mut self.state.app.installation());
    }

    /// The tokens that the app has bought, with what each may do.
    #[must_use]
    pub fn installation_tokens(&self) -> Vec<Token> {
        self.state.installation_tokens()
    }

    /// Ends all tokens that the app has bought.
    pub fn revoke_installation_tokens(&self) {
        self.state.revoke_installation_tokens();
    }

    /// Puts this server's clock forward: for a client whose own clock a test has moved.
    pub fn advance_clock(&self, duration: Duration) {
        self.state.advance_clock(duration.as_secs());
    }

    /// The commit that the default branch is really at; `None` in an empty repository.
    ///
    /// # Errors
    /// When git cannot be run.
    pub fn head(&self) -> Result<Option<Oid>, GitError> {
        let name = format!("refs/heads/{}", self.vault.default_branch);
        match self.git(&["show-ref", "--verify", "--hash", &name]) {
            Ok(text) => Ok(text.trim().parse().ok()),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Runs a git command on the vault's bare repository and returns its output: what tests hold
    /// against what the API said.
    ///
    /// # Errors
    /// When git cannot be run or ends with an error.
    pub fn git<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<String, GitError> {
        self.vault.git.run_blocking(args)
    }

    /// Puts a commit on the vault behind the API's back.
    ///
    /// # Errors
    /// When git refuses it, for example a rename of a path that is not there.
    pub async fn push(&self, push: Push) -> Result<Oid, GitError> {
        let vault = Arc::clone(&self.vault);
        let Some(runtime) = &self.runtime else {
            return Err(io::Error::other("the look-alike has stopped").into());
        };
        let task = runtime.spawn(async move { vault.push(&push).await });
        task.await
            .unwrap_or_else(|error| Err(io::Error::other(error).into()))
    }
}

impl Drop for RunningLookAlike {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The other way of dropping a runtime panics inside another one.
            runtime.shutdown_background();
        }
    }
}
