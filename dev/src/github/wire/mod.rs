//! The JSON shapes of GitHub's REST API, as its `OpenAPI` description gives them.

mod commit;
mod contents;
mod links;
mod repository;

pub(crate) use commit::{compare_file, git_commit, rest_commit};
pub(crate) use contents::{base64_lines, entry};
pub(crate) use links::{Links, encoded};
pub(crate) use repository::{noreply, repository, user, user_id};
