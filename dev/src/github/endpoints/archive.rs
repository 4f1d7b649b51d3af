//! `GET tarball/{ref}`, and the download host it sends the client to.

use std::io;
use std::process::Stdio;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use futures_util::stream;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStdout};

use crate::git::GitError;
use crate::github::answer::{Answer, AnswerBody};
use crate::github::call::Call;
use crate::github::error::ApiError;
use crate::github::request::ApiRequest;
use crate::github::route::RepositoryName;
use crate::github::state::{Found, State};
use crate::github::switches::CutTarball;

/// Where the second step lives: GitHub has a host of its own for it.
const PREFIX: &str = "/codeload/";

/// A redirect to the download (GitHub docs, "Download a repository archive (tar)"): 302, with a
/// ticket that lives five minutes where the repository is private.
pub(super) async fn redirect(call: &Call<'_>, name: Option<&str>) -> Result<Answer, ApiError> {
    let bearer = call
        .request
        .credentials()
        .is_some_and(|(scheme, _)| scheme == "bearer");
    if bearer && call.state.switches().tarball_refuses_bearer {
        return Err(ApiError::BadCredentials);
    }
    if call.hosted.is_empty().await? {
        return Err(ApiError::NotFound);
    }
    let name = name.unwrap_or(&call.hosted.default_branch);
    call.hosted
        .resolve(name, None)
        .await?
        .ok_or(ApiError::NotFound)?;
    let full = if call.hosted.git.tip(name).await?.is_some() {
        format!("refs/heads/{name}")
    } else {
        name.to_owned()
    };
    let location = format!(
        "{}{PREFIX}{}/legacy.tar.gz/{}?token={}",
        call.links.origin,
        call.links.full_name,
        crate::github::wire::encoded(&full),
        call.state.issue_ticket(),
    );
    let mut answer = Answer::of(StatusCode::FOUND, "text/html;charset=utf-8", "");
    answer.header("location", &location);
    Ok(answer)
}

/// The download itself: `git archive`, streamed. `None` when the path is none of its own.
///
/// The ref is looked up now, not when the redirect was made: between the two the branch may move,
/// and only the archive's header says which commit it holds.
pub(in crate::github) async fn codeload(
    state: &State,
    request: &ApiRequest,
) -> Option<Result<Answer, ApiError>> {
    let path = request.uri.path().strip_prefix(PREFIX)?;
    let (full_name, name) = path.split_once("/legacy.tar.gz/")?;
    Some(download(state, request, full_name, name).await)
}

async fn download(
    state: &State,
    request: &ApiRequest,
    full_name: &str,
    name: &str,
) -> Result<Answer, ApiError> {
    let good = request
        .query("token")
        .is_some_and(|ticket| state.takes_ticket(&ticket));
    let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
    let found = state.find(&RepositoryName::Full(full_name.to_owned()));
    let (Found::Here(hosted) | Found::Renamed(hosted)) =
        found.filter(|_| good).ok_or(ApiError::NotFound)?;
    // A commit's own name is what it is; a branch may trail.
    let lag = if name.len() == 40 {
        None
    } else {
        state.take_lag()
    };
    let commit = hosted
        .resolve(&name, lag)
        .await?
        .ok_or(ApiError::NotFound)?
        .to_string();
    let short = commit.get(..7).unwrap_or_default();
    let folder = format!("{}-{short}", full_name.replace('/', "-"));
    let prefix = format!("--prefix={folder}/");
    let mut child = hosted
        .git
        .command(&["archive", "--format=tar.gz", &prefix, &commit])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(GitError::from)?;
    let output = child.stdout.take().ok_or(GitError::Unexpected("archive"))?;
    let cut = state.switches().cut_tarball;
    let mut answer = Answer::of(StatusCode::OK, "application/x-gzip", "");
    answer.header(
        "content-disposition",
        &format!("attachment; filename={folder}.tar.gz"),
    );
    answer.body = AnswerBody::Stream(Body::from_stream(chunks(child, output, cut)));
    Ok(answer)
}

/// What is left to send of an archive.
struct Remaining {
    /// Held for its destructor, which ends the process when the client goes away.
    child: Child,
    output: ChildStdout,
    /// Bytes until the cut.
    budget: Option<u64>,
    clean: bool,
}

fn chunks(
    child: Child,
    output: ChildStdout,
    cut: Option<CutTarball>,
) -> impl futures_util::Stream<Item = io::Result<Bytes>> {
    let budget = cut.map(|cut| cut.after_bytes);
    let clean = cut.is_none_or(|cut| cut.clean);
    let start = Remaining {
        child,
        output,
        budget,
        clean,
    };
    stream::unfold(Some(start), |state| async move {
        let mut state = state?;
        if state.budget == Some(0) {
            let broken = io::Error::new(io::ErrorKind::ConnectionReset, "cut by a switch");
            return (!state.clean).then_some((Err(broken), None));
        }
        let mut buffer = vec![0; 64 * 1024];
        let read = match state.output.read(&mut buffer).await {
            Ok(read) => read,
            Err(error) => return Some((Err(error), None)),
        };
        if read == 0 {
            return match state.child.wait().await {
                Ok(status) if status.success() => None,
                Ok(_) => Some((Err(io::Error::other("git archive failed")), None)),
                Err(error) => Some((Err(error), None)),
            };
        }
        let allowed = state.budget.map_or(read, |left| {
            usize::try_from(left).map_or(read, |left| left.min(read))
        });
        buffer.truncate(allowed);
        state.budget = state.budget.map(|left| left.saturating_sub(allowed as u64));
        Some((Ok(Bytes::from(buffer)), Some(state)))
    })
}
