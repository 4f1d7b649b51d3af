//! The one web page there is: a commit, so that the address in a tool's answer leads somewhere.

use axum::http::{Method, StatusCode};

use super::answer::Answer;
use super::control::from_this_machine;
use super::error::ApiError;
use super::request::ApiRequest;
use super::route::RepositoryName;
use super::state::{Found, State};
use crate::git::Oid;

/// Answers `GET /{owner}/{repo}/commit/{sha}` with what `git show` prints; `None` for any other
/// path.
///
/// GitHub's pages want a session; this one wants a local program or a typed address, which is
/// what keeps a page of another origin from reading it.
pub(super) async fn serve(state: &State, request: &ApiRequest) -> Option<Result<Answer, ApiError>> {
    let (full_name, sha) = request
        .uri
        .path()
        .strip_prefix('/')?
        .split_once("/commit/")?;
    let oid: Oid = sha.parse().ok()?;
    let (owner, name) = full_name.split_once('/')?;
    if request.method != Method::GET || owner.is_empty() || name.contains('/') {
        return None;
    }
    if !from_this_machine(request) {
        return Some(Err(ApiError::NotFound));
    }
    Some(show(state, full_name, oid).await)
}

async fn show(state: &State, full_name: &str, oid: Oid) -> Result<Answer, ApiError> {
    let found = state.find(&RepositoryName::Full(full_name.to_owned()));
    let (Found::Here(hosted) | Found::Renamed(hosted)) = found.ok_or(ApiError::NotFound)?;
    let commit = hosted.git.commit(oid).await?.ok_or(ApiError::NotFound)?;
    let text = hosted
        .git
        .run(&["show", "--stat", "--patch", &commit.oid.to_string()])
        .await?;
    Ok(Answer::of(
        StatusCode::OK,
        "text/plain; charset=utf-8",
        text,
    ))
}
