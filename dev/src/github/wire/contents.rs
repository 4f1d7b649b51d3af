//! Files and folders as the `contents` endpoints give them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Links;
use crate::git::{EntryKind, Oid};

/// The members that every kind of entry has. `reference` is the branch, tag or commit that the
/// addresses name.
pub(crate) fn entry(
    links: &Links,
    path: &str,
    reference: &str,
    facts: (EntryKind, Oid, u64),
) -> Value {
    let (kind, oid, size) = facts;
    let url = links.contents(path, reference);
    let (word, page, git) = match kind {
        EntryKind::Directory => ("dir", links.page("tree", path, reference), links.tree(oid)),
        EntryKind::File => ("file", links.page("blob", path, reference), links.blob(oid)),
        EntryKind::Symlink => (
            "symlink",
            links.page("blob", path, reference),
            links.blob(oid),
        ),
        EntryKind::Submodule => (
            "submodule",
            links.page("tree", path, reference),
            links.tree(oid),
        ),
    };
    let download = match kind {
        EntryKind::File | EntryKind::Symlink => links.page("raw", path, reference).into(),
        EntryKind::Directory | EntryKind::Submodule => Value::Null,
    };
    json!({
        "name": path.rsplit('/').next().unwrap_or_default(),
        "path": path,
        "sha": oid.to_string(),
        "size": size,
        "url": url,
        "html_url": page,
        "git_url": git,
        "download_url": download,
        "type": word,
        "_links": {"self": url, "git": git, "html": page},
    })
}

/// Base64 with a newline after every 60 characters and at the end, as GitHub prints it
/// (ovity/octotree#149).
pub(crate) fn base64_lines(bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let mut lines = String::with_capacity(text.len() + text.len() / 60 + 1);
    for (at, character) in text.chars().enumerate() {
        if at > 0 && at % 60 == 0 {
            lines.push('\n');
        }
        lines.push(character);
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines
}
