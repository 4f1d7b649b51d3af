//! Commits, and the files they change.

use serde_json::{Value, json};

use super::links::encoded;
use super::{Links, repository};
use crate::git::{Commit, DiffFile, Oid, Signature};

fn person(signature: &Signature) -> Value {
    json!({"name": signature.name, "email": signature.email, "date": signature.date()})
}

/// No commit here is signed.
fn unsigned() -> Value {
    json!({
        "verified": false,
        "reason": "unsigned",
        "signature": null,
        "payload": null,
        "verified_at": null,
    })
}

/// `git-commit`: the object itself, as `git/commits` and the answers to writes give it.
pub(crate) fn git_commit(links: &Links, commit: &Commit) -> Value {
    let url = |oid: Oid| links.api(&format!("/git/commits/{oid}"));
    let page = |oid: Oid| links.web(&format!("/commit/{oid}"));
    let parents: Vec<_> = commit
        .parents
        .iter()
        .map(|oid| json!({"sha": oid.to_string(), "url": url(*oid), "html_url": page(*oid)}))
        .collect();
    json!({
        "sha": commit.oid.to_string(),
        "node_id": format!("C_{}", commit.oid),
        "url": url(commit.oid),
        "html_url": page(commit.oid),
        "author": person(&commit.author),
        "committer": person(&commit.committer),
        "tree": {"sha": commit.tree.to_string(), "url": links.tree(commit.tree)},
        "message": commit.message,
        "parents": parents,
        "verification": unsigned(),
    })
}

/// `commit`: with the accounts behind it, as `commits` and comparisons give it. The members
/// `stats` and `files` are the caller's to add.
pub(crate) fn rest_commit(links: &Links, commit: &Commit) -> Value {
    let url = |oid: Oid| links.api(&format!("/commits/{oid}"));
    let page = |oid: Oid| links.web(&format!("/commit/{oid}"));
    let parents: Vec<_> = commit
        .parents
        .iter()
        .map(|oid| json!({"sha": oid.to_string(), "url": url(*oid), "html_url": page(*oid)}))
        .collect();
    json!({
        "sha": commit.oid.to_string(),
        "node_id": format!("C_{}", commit.oid),
        "commit": {
            "author": person(&commit.author),
            "committer": person(&commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree.to_string(), "url": links.tree(commit.tree)},
            "url": links.api(&format!("/git/commits/{}", commit.oid)),
            "comment_count": 0,
            "verification": unsigned(),
        },
        "url": url(commit.oid),
        "html_url": page(commit.oid),
        "comments_url": format!("{}/comments", url(commit.oid)),
        "author": account(links, &commit.author),
        "committer": account(links, &commit.committer),
        "parents": parents,
    })
}

/// The account that an address belongs to; `null` for addresses nobody registered.
fn account(links: &Links, signature: &Signature) -> Value {
    let login = signature
        .email
        .strip_suffix("@users.noreply.github.com")
        .and_then(|local| local.split_once('+'))
        .map(|(_, login)| login);
    login.map_or(Value::Null, |login| repository::user(&links.origin, login))
}

/// `diff-entry`, at the commit `at`.
pub(crate) fn compare_file(links: &Links, at: Oid, file: &DiffFile) -> Value {
    let path = encoded(&file.path);
    let mut entry = json!({
        "sha": file.oid.to_string(),
        "filename": file.path,
        "status": file.status.as_str(),
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": links.web(&format!("/blob/{at}/{path}")),
        "raw_url": links.web(&format!("/raw/{at}/{path}")),
        "contents_url": links.contents(&file.path, &at.to_string()),
    });
    if let Value::Object(members) = &mut entry {
        if let Some(previous) = &file.previous_path {
            members.insert("previous_filename".to_owned(), previous.as_str().into());
        }
        if let Some(patch) = &file.patch {
            members.insert("patch".to_owned(), patch.as_str().into());
        }
    }
    entry
}
