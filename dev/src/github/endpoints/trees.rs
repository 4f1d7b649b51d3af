//! `GET git/trees/{tree_sha}`.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::git::{EntryKind, ListedEntry, Oid};
use crate::github::answer::{Answer, Validator};
use crate::github::call::Call;
use crate::github::error::ApiError;
use crate::github::wire::Links;

/// GitHub docs, "Get a tree": a recursive answer ends at 100,000 entries or 7 MB.
const ENTRY_CAP: usize = 100_000;
const BYTE_CAP: usize = 7_000_000;

/// A tree, by its own name, a commit's, or a branch's. Any value of `recursive`, even `0` or
/// `false`, turns recursion on (GitHub docs, "Get a tree").
pub(super) async fn get(call: &Call<'_>, name: &str) -> Result<Answer, ApiError> {
    let tree = call
        .require(tree_named(call, name).await?, ApiError::NotFound)
        .await?;
    let recursive = call.request.query("recursive").is_some();
    let cap = call.state.switches().tree_truncate_at.unwrap_or(ENTRY_CAP);
    let cap = if recursive { cap } else { usize::MAX };
    let listing = call.hosted.list(tree, recursive).await?;

    let mut entries = Vec::with_capacity(listing.len().min(cap));
    let mut bytes = 0;
    for entry in listing.iter().take(cap) {
        let entry = wire(&call.links, entry).to_string();
        bytes += entry.len() + 1;
        if recursive && bytes > BYTE_CAP {
            break;
        }
        entries.push(entry);
    }
    let truncated = entries.len() < listing.len();
    // Joined by hand: a large tree is serialised once, entry by entry, for the cap on its bytes.
    let body = format!(
        "{{\"sha\":\"{tree}\",\"url\":{},\"tree\":[{}],\"truncated\":{truncated}}}",
        Value::from(call.links.tree(tree)),
        entries.join(","),
    );
    let identity = format!(
        "tree {tree} {recursive} {} {}",
        entries.len(),
        call.links.api("")
    );
    Ok(
        Answer::of(StatusCode::OK, "application/json; charset=utf-8", body)
            .validated(Validator::Text(identity)),
    )
}

async fn tree_named(call: &Call<'_>, name: &str) -> Result<Option<Oid>, ApiError> {
    if let Ok(oid) = name.parse::<Oid>()
        && (oid == Oid::EMPTY_TREE || call.hosted.git.tree(oid).await?.is_some())
    {
        return Ok(Some(oid));
    }
    Ok(call.resolve_commit(name).await?.map(|commit| commit.tree))
}

fn wire(links: &Links, entry: &ListedEntry) -> Value {
    let mode = format!("{:06o}", entry.mode);
    let sha = entry.oid.to_string();
    match entry.kind() {
        EntryKind::Directory => json!({
            "path": entry.path, "mode": mode, "type": "tree", "sha": sha,
            "url": links.tree(entry.oid),
        }),
        // A submodule's commit lies elsewhere: no size, no address.
        EntryKind::Submodule => {
            json!({"path": entry.path, "mode": mode, "type": "commit", "sha": sha})
        }
        EntryKind::File | EntryKind::Symlink => json!({
            "path": entry.path, "mode": mode, "type": "blob", "sha": sha,
            "size": entry.size, "url": links.blob(entry.oid),
        }),
    }
}
