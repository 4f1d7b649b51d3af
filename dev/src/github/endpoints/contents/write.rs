//! `PUT` and `DELETE contents/{path}` (GitHub docs, "Create or update file contents", "Delete a
//! file").
//!
//! The order of the checks is GitHub's where it is on record (pome-sh/digital-twins#400):
//!
//! 1. the body is a JSON object with the required members (400, 422);
//! 2. the path is well formed (422);
//! 3. the branch exists (404): before the blob's sha;
//! 4. the content is base64 (422);
//! 5. the blob's sha is given (422) and right (409) for a path that exists; for one that does not
//!    exist a `PUT` ignores it (201) and a `DELETE` is 404;
//! 6. the branch's rules allow the commit (409);
//! 7. the branch is still where it was when the commit was built (409): compare-and-swap, so two
//!    writes at once really conflict.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::body::WriteBody;
use super::{path, secrets};
use crate::git::{CommitDraft, EntryKind, ObjectKind, Oid, Push, Swap};
use crate::github::answer::Answer;
use crate::github::call::Call;
use crate::github::error::ApiError;
use crate::github::switches::{HangPoint, RuleViolation};
use crate::github::wire;

/// The mode of a file that the API creates.
const REGULAR: u32 = 0o100_644;

/// Creates (201) or replaces (200) a file.
pub(in crate::github::endpoints) async fn put(
    call: &Call<'_>,
    path: &str,
) -> Result<Answer, ApiError> {
    let body = WriteBody::parse(&call.request.body, &call.token.login)?;
    // "message" is reported first, then "content", whatever is wrong with either.
    let content = body.content();
    if let Err(ApiError::NotSupplied(member)) = content {
        return Err(ApiError::NotSupplied(member));
    }
    let segments = path::segments(path)?;
    let target = Target::find(call, &body, &segments).await?;
    let content = content?;
    let git = &call.hosted.git;
    let (status, mode) = match target.entry {
        None => (StatusCode::CREATED, REGULAR),
        // A link stays a link: its text is replaced (github/github-mcp-server#2997).
        Some((mode, oid)) => {
            check_sha(path, &body, oid)?;
            (StatusCode::OK, mode)
        }
    };
    check_rules(call, Some(&content))?;
    let blob = git.write(ObjectKind::Blob, &content).await?;
    let commit = target
        .commit(call, &body, &segments, Some((mode, blob)))
        .await?;
    let facts = (EntryKind::File, blob, content.len() as u64);
    let content = wire::entry(&call.links, path, &target.branch, facts);
    Ok(Answer::json(
        status,
        &json!({"content": content, "commit": commit}),
    ))
}

/// Removes a file.
pub(in crate::github::endpoints) async fn delete(
    call: &Call<'_>,
    path: &str,
) -> Result<Answer, ApiError> {
    let body = WriteBody::parse(&call.request.body, &call.token.login)?;
    let segments = path::segments(path)?;
    let target = Target::find(call, &body, &segments).await?;
    let (_, oid) = target.entry.ok_or(ApiError::NotFound)?;
    check_sha(path, &body, oid)?;
    check_rules(call, None)?;
    let commit = target.commit(call, &body, &segments, None).await?;
    Ok(Answer::json(
        StatusCode::OK,
        &json!({"content": null, "commit": commit}),
    ))
}

/// The branch as a write found it, and what was at the path.
struct Target {
    branch: String,
    /// The tip; `None` for the first commit of an empty repository.
    tip: Option<Oid>,
    tree: Oid,
    /// Mode and blob.
    entry: Option<(u32, Oid)>,
}

impl Target {
    async fn find(
        call: &Call<'_>,
        body: &WriteBody,
        segments: &[String],
    ) -> Result<Self, ApiError> {
        let hosted = call.hosted;
        let branch = body
            .branch
            .clone()
            .unwrap_or_else(|| hosted.default_branch.clone());
        let branch = branch
            .strip_prefix("refs/heads/")
            .map_or(branch.clone(), str::to_owned);
        let tip = hosted.tip(&branch).await?;
        let Some(oid) = tip else {
            // The first write makes the first commit (github/docs#31951).
            if branch == hosted.default_branch && hosted.is_empty().await? {
                return Ok(Self {
                    branch,
                    tip,
                    tree: Oid::EMPTY_TREE,
                    entry: None,
                });
            }
            return Err(ApiError::BranchNotFound(branch));
        };
        let tree = hosted
            .git
            .commit(oid)
            .await?
            .ok_or(ApiError::NotFound)?
            .tree;
        let entry = match hosted.git.entry_at(tree, segments).await? {
            None => None,
            Some(entry) => match entry.kind() {
                EntryKind::File | EntryKind::Symlink => Some((entry.mode, entry.oid)),
                // What GitHub says to a folder's path is not on record.
                EntryKind::Directory | EntryKind::Submodule => return Err(ApiError::MalformedPath),
            },
        };
        Ok(Self {
            branch,
            tip,
            tree,
            entry,
        })
    }

    /// Makes the commit and moves the branch; the faults of the switches happen around it.
    async fn commit(
        &self,
        call: &Call<'_>,
        body: &WriteBody,
        segments: &[String],
        leaf: Option<(u32, Oid)>,
    ) -> Result<Value, ApiError> {
        let hosted = call.hosted;
        call.hang(HangPoint::BeforeCommit).await;
        let fails = call.state.switches().fail_before_commit.take();
        if fails {
            return Err(ApiError::ServerError);
        }
        let tree = hosted.git.with_entry(self.tree, segments, leaf).await?;
        let draft = CommitDraft {
            tree,
            parents: self.tip.into_iter().collect(),
            author: body.author.clone(),
            committer: body.committer.clone(),
            message: body.message.clone(),
        };
        let commit = hosted.git.write_commit(draft).await?;
        let races = call.state.switches().tip_race.take();
        if races {
            let other = Push::new()
                .branch(&*self.branch)
                .message("Arrive just before");
            hosted.push(&other).await?;
        }
        match hosted
            .git
            .compare_and_swap(&self.branch, commit.oid, self.tip)
            .await?
        {
            Swap::Done => hosted.observe(&self.branch, Some(commit.oid)),
            Swap::Moved(now) => {
                return Err(ApiError::TipMoved {
                    at: now.unwrap_or(Oid::ZERO),
                    expected: self.tip.unwrap_or(Oid::ZERO),
                });
            }
        }
        // GitHub does not wait for whom it tells.
        let moved = (self.tip, commit.oid);
        if let Some(delivery) = call.state.delivery(hosted, &self.branch, moved) {
            tokio::spawn(delivery.send());
        }
        call.hang(HangPoint::AfterCommit).await;
        let fails = call.state.switches().fail_after_commit.take();
        if fails {
            return Err(ApiError::ServerError);
        }
        Ok(wire::git_commit(&call.links, &commit))
    }
}

/// Missing is 422, anything but the path's blob is 409: a commit's sha, a malformed one, one
/// that does not exist (pome-sh/digital-twins#400).
fn check_sha(path: &str, body: &WriteBody, current: Oid) -> Result<(), ApiError> {
    let sha = body.sha.as_ref().ok_or(ApiError::NotSupplied("sha"))?;
    if *sha == current.to_string() {
        Ok(())
    } else {
        Err(ApiError::ShaMismatch {
            path: path.to_owned(),
            sha: sha.clone(),
        })
    }
}

fn check_rules(call: &Call<'_>, content: Option<&[u8]>) -> Result<(), ApiError> {
    let switches = call.state.switches();
    match switches.rule_violation {
        None => {}
        Some(RuleViolation::Ruleset) => return Err(ApiError::Ruleset),
        Some(RuleViolation::RequiredChecks) => return Err(ApiError::RequiredChecks),
    }
    match content
        .filter(|_| switches.secret_scanning)
        .and_then(secrets::find)
    {
        Some(token_type) => Err(ApiError::SecretDetected { token_type }),
        None => Ok(()),
    }
}
