//! The operations, one concern a file. Each takes a [`Call`] that has passed the gates.

mod app;
mod archive;
mod blobs;
mod commits;
mod compare;
mod contents;
mod refs;
mod repository;
mod trees;

pub(super) use app::{access_token, installation, installation_repositories};
pub(super) use archive::codeload;
pub(super) use repository::{user, user_repositories};

use super::answer::Answer;
use super::call::Call;
use super::error::ApiError;
use super::route::Operation;

/// Runs the operation.
pub(super) async fn run(call: &Call<'_>, operation: &Operation) -> Result<Answer, ApiError> {
    match operation {
        Operation::GetRepository => Ok(repository::get(call)),
        Operation::GetBranch { branch } => refs::branch(call, branch).await,
        Operation::GetRef { name } => refs::get(call, name).await,
        Operation::GetCommitObject { sha } => commits::object(call, sha).await,
        Operation::GetTree { name } => trees::get(call, name).await,
        Operation::GetBlob { sha } => blobs::get(call, sha).await,
        Operation::ListCommits => commits::list(call).await,
        Operation::GetCommit { name } => commits::get(call, name).await,
        Operation::Compare { range } => compare::get(call, range).await,
        Operation::Tarball { name } => archive::redirect(call, name.as_deref()).await,
        Operation::GetContents { path } => contents::read(call, path).await,
        Operation::PutContents { path } => contents::put(call, path).await,
        Operation::DeleteContents { path } => contents::delete(call, path).await,
    }
}
