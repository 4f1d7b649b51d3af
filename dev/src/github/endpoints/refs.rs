//! `GET git/ref/{ref}` and `GET branches/{branch}`.

use serde_json::json;

use crate::git::ObjectKind;
use crate::github::answer::Answer;
use crate::github::call::Call;
use crate::github::error::ApiError;
use crate::github::wire;

/// A reference (GitHub docs, "Get a reference"): `heads/…` or `tags/…`, exactly. A commit's name
/// is 404 (github/docs#31914).
pub(super) async fn get(call: &Call<'_>, name: &str) -> Result<Answer, ApiError> {
    let name = name.strip_prefix("refs/").unwrap_or(name);
    let oid = match name.strip_prefix("heads/") {
        Some(branch) => call.read_tip(branch).await?,
        None => call.hosted.git.reference(&format!("refs/{name}")).await?,
    };
    let oid = call.require(oid, ApiError::NotFound).await?;
    let (kind, _) = call.hosted.git.read(oid).await?.ok_or(ApiError::NotFound)?;
    let url = match kind {
        ObjectKind::Tag => call.links.api(&format!("/git/tags/{oid}")),
        ObjectKind::Tree => call.links.tree(oid),
        ObjectKind::Blob => call.links.blob(oid),
        ObjectKind::Commit => call.links.api(&format!("/git/commits/{oid}")),
    };
    Ok(Answer::ok(&json!({
        "ref": format!("refs/{name}"),
        "node_id": format!("REF_{name}"),
        "url": call.links.api(&format!("/git/refs/{name}")),
        "object": {"sha": oid.to_string(), "type": kind.as_str(), "url": url},
    })))
}

/// A branch with its commit (GitHub docs, "Get a branch").
pub(super) async fn branch(call: &Call<'_>, branch: &str) -> Result<Answer, ApiError> {
    let tip = call.read_tip(branch).await?.ok_or(ApiError::NotFound)?;
    let commit = call
        .hosted
        .git
        .commit(tip)
        .await?
        .ok_or(ApiError::NotFound)?;
    let url = call.links.api(&format!("/branches/{branch}"));
    Ok(Answer::ok(&json!({
        "name": branch,
        "commit": wire::rest_commit(&call.links, &commit),
        "_links": {"self": url, "html": call.links.web(&format!("/tree/{branch}"))},
        "protected": false,
        "protection": {
            "enabled": false,
            "required_status_checks": {
                "enforcement_level": "off",
                "contexts": [],
                "checks": [],
            },
        },
        "protection_url": format!("{url}/protection"),
    })))
}
