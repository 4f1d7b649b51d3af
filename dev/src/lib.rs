//! The embedded stack that vault-mcp is developed and tested against.
//!
//! - [`seed`]: the files a repository starts with.
//! - [`sample_vault`]: the vault that the stack serves when it is given none.
//! - [`git`]: one bare repository, driven through the `git` program.
//! - [`github`]: the look-alike of GitHub's REST API over such repositories.

pub mod git;
pub mod github;
pub mod sample_vault;
pub mod seed;

pub use git::{Change, GitError, Oid, Push};
pub use github::{
    Installation, LoggedRequest, LookAlike, RunningLookAlike, Switches, Times, app, tokens,
};
pub use seed::{Mode, SeedFile};
