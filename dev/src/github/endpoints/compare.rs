//! `GET compare/{base}...{head}`.

use serde_json::json;

use super::commits::{link_pages, oids, paging};
use crate::git::{GitError, Oid};
use crate::github::answer::Answer;
use crate::github::call::Call;
use crate::github::error::ApiError;
use crate::github::wire;

/// Files on the first page, and there are none on the others (GitHub docs, "Compare two commits").
const FILE_CAP: usize = 300;
/// Commits on a page.
const COMMIT_CAP: usize = 250;

/// What `head` has that `base` has not, seen from where they parted (GitHub docs, "Compare two
/// commits"): 404 when one of them is missing, at most 300 files, at most 250 commits a page.
pub(super) async fn get(call: &Call<'_>, range: &str) -> Result<Answer, ApiError> {
    let (base_name, head_name) = range.split_once("...").ok_or(ApiError::NotFound)?;
    let own = format!("{}:", call.hosted.owner());
    let name = |text: &str| text.strip_prefix(&own).unwrap_or(text).to_owned();
    let base = call
        .resolve_commit(&name(base_name))
        .await?
        .ok_or(ApiError::NotFound)?;
    let head = call
        .resolve_commit(&name(head_name))
        .await?
        .ok_or(ApiError::NotFound)?;
    let git = &call.hosted.git;

    let ends = [
        "merge-base".to_owned(),
        base.oid.to_string(),
        head.oid.to_string(),
    ];
    let parted = match git.run(&ends).await {
        Ok(output) => oids(&output).first().copied(),
        Err(GitError::Failed { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let parted = parted
        .ok_or_else(|| ApiError::NoCommonAncestor(base_name.to_owned(), head_name.to_owned()))?;
    let merge_base = git.commit(parted).await?.ok_or(ApiError::NotFound)?;

    let ahead = between(call, base.oid, head.oid).await?;
    let behind = between(call, head.oid, base.oid).await?.len();
    let status = match (ahead.len(), behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let (page, per_page) = paging(call, COMMIT_CAP, COMMIT_CAP);
    let mut commits = Vec::new();
    for oid in ahead.iter().skip((page - 1) * per_page).take(per_page) {
        if let Some(commit) = git.commit(*oid).await? {
            commits.push(wire::rest_commit(&call.links, &commit));
        }
    }
    let cap = call.state.switches().compare_cap.unwrap_or(FILE_CAP);
    let files: Vec<_> = if page == 1 {
        let files = git.diff(parted, head.oid).await?;
        files
            .iter()
            .take(cap)
            .map(|file| wire::compare_file(&call.links, head.oid, file))
            .collect()
    } else {
        Vec::new()
    };

    let rest = format!("/compare/{range}");
    let address = call.links.web(&rest);
    let mut answer = Answer::ok(&json!({
        "url": call.links.api(&rest),
        "html_url": address,
        "permalink_url": call.links.web(&format!("/compare/{}...{}", base.oid, head.oid)),
        "diff_url": format!("{address}.diff"),
        "patch_url": format!("{address}.patch"),
        "base_commit": wire::rest_commit(&call.links, &base),
        "merge_base_commit": wire::rest_commit(&call.links, &merge_base),
        "status": status,
        "ahead_by": ahead.len(),
        "behind_by": behind,
        "total_commits": ahead.len(),
        "commits": commits,
        "files": files,
    }));
    link_pages(
        call,
        &mut answer,
        &rest,
        page,
        ahead.len().div_ceil(per_page),
    );
    Ok(answer)
}

/// The commits that lead to `to` and not to `from`, oldest first.
async fn between(call: &Call<'_>, from: Oid, to: Oid) -> Result<Vec<Oid>, GitError> {
    let range = format!("{from}..{to}");
    Ok(oids(
        &call
            .hosted
            .git
            .run(&["rev-list", "--reverse", &range])
            .await?,
    ))
}
