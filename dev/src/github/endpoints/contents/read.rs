//! `GET contents/{path}` (GitHub docs, "Get repository content").

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::RAW_TYPE;
use crate::git::{Commit, EntryKind, ObjectKind, Oid, TreeEntry};
use crate::github::answer::{Answer, Validator};
use crate::github::call::Call;
use crate::github::error::ApiError;
use crate::github::media::Media;
use crate::github::wire;

/// Up to this size a file's JSON holds its content.
const INLINE_CAP: usize = 1024 * 1024;
/// Above this size the endpoint gives nothing.
const SIZE_CAP: usize = 100 * 1024 * 1024;
/// Entries of a folder; the rest is left out without a sign (fregante/list-github-dir-content#1).
const LISTING_CAP: usize = 1_000;

/// A file, a folder, a link or a submodule at `ref` (default branch without it).
pub(in crate::github::endpoints) async fn read(
    call: &Call<'_>,
    path: &str,
) -> Result<Answer, ApiError> {
    let reference = call
        .request
        .query("ref")
        .unwrap_or_else(|| call.hosted.default_branch.clone());
    let Some(commit) = call.resolve_commit(&reference).await? else {
        let empty = call.hosted.is_empty().await?;
        return Err(if empty {
            ApiError::EmptyContents
        } else {
            ApiError::NoCommitForRef(reference)
        });
    };
    let segments: Vec<String> = match path {
        "" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    };
    let entry = call
        .hosted
        .git
        .entry_at(commit.tree, &segments)
        .await?
        .ok_or(ApiError::NotFound)?;
    let place = Place {
        call,
        path,
        reference: &reference,
        commit: &commit,
    };
    match entry.kind() {
        EntryKind::Directory => place.directory(entry.oid).await,
        EntryKind::File => place.file(entry.oid).await,
        EntryKind::Symlink => place.symlink(&entry).await,
        EntryKind::Submodule => Ok(place.submodule(&entry)),
    }
}

/// What was asked for, and where.
struct Place<'a> {
    call: &'a Call<'a>,
    path: &'a str,
    reference: &'a str,
    commit: &'a Commit,
}

impl Place<'_> {
    fn entry(&self, kind: EntryKind, oid: Oid, size: u64) -> Value {
        wire::entry(
            &self.call.links,
            self.path,
            self.reference,
            (kind, oid, size),
        )
    }

    async fn blob(&self, oid: Oid) -> Result<Vec<u8>, ApiError> {
        let bytes = self
            .call
            .hosted
            .git
            .read_kind(ObjectKind::Blob, oid)
            .await?;
        bytes.ok_or(ApiError::NotFound)
    }

    /// Up to 1 MB with content; up to 100 MB the raw type has the bytes and JSON has
    /// `"encoding": "none"` (google/go-github#2924); above that 403 (octokit/core.js#414).
    async fn file(&self, oid: Oid) -> Result<Answer, ApiError> {
        let bytes = self.blob(oid).await?;
        if bytes.len() > SIZE_CAP {
            return Err(ApiError::TooLarge);
        }
        if self.call.request.media() == Media::Raw {
            let answer = Answer::of(StatusCode::OK, RAW_TYPE, bytes);
            return Ok(answer.validated(Validator::Body));
        }
        let mut body = self.entry(EntryKind::File, oid, bytes.len() as u64);
        if let Value::Object(members) = &mut body {
            let (content, encoding) = if bytes.len() > INLINE_CAP {
                (String::new(), "none")
            } else {
                (wire::base64_lines(&bytes), "base64")
            };
            members.insert("content".to_owned(), content.into());
            members.insert("encoding".to_owned(), encoding.into());
        }
        Ok(Answer::ok(&body))
    }

    /// A folder's entries: an array, or with the `object` type an object that holds them.
    async fn directory(&self, oid: Oid) -> Result<Answer, ApiError> {
        let call = self.call;
        let cap = call.state.switches().listing_cap.unwrap_or(LISTING_CAP);
        let listing = call.hosted.list(oid, false).await?;
        // Until 2026-03-10 a submodule in a listing is called a file (GitHub docs).
        let old = call.request.header("x-github-api-version") != Some("2026-03-10");
        let entries: Vec<_> = listing
            .iter()
            .take(cap)
            .map(|entry| {
                let path = match self.path {
                    "" => entry.path.clone(),
                    folder => format!("{folder}/{}", entry.path),
                };
                let facts = (entry.kind(), entry.oid, entry.size.unwrap_or_default());
                let mut wire = wire::entry(&call.links, &path, self.reference, facts);
                if let Value::Object(members) = &mut wire
                    && old
                    && entry.kind() == EntryKind::Submodule
                {
                    members.insert("type".to_owned(), "file".into());
                }
                wire
            })
            .collect();
        if call.request.media() != Media::Object {
            return Ok(Answer::ok(&Value::Array(entries)));
        }
        let mut body = self.entry(EntryKind::Directory, oid, 0);
        if let Value::Object(members) = &mut body {
            members.insert("entries".to_owned(), entries.into());
        }
        Ok(Answer::ok(&body))
    }

    /// A link to a file in the repository answers with that file's content; any other link with
    /// an object that names its target (GitHub docs, "Get repository content").
    async fn symlink(&self, entry: &TreeEntry) -> Result<Answer, ApiError> {
        let bytes = self.blob(entry.oid).await?;
        let target = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(segments) = self.target_segments(&target)
            && let Some(found) = self
                .call
                .hosted
                .git
                .entry_at(self.commit.tree, &segments)
                .await?
            && found.kind() == EntryKind::File
        {
            return self.file(found.oid).await;
        }
        if self.call.request.media() == Media::Raw {
            return Ok(Answer::of(StatusCode::OK, RAW_TYPE, bytes).validated(Validator::Body));
        }
        let mut body = self.entry(EntryKind::Symlink, entry.oid, bytes.len() as u64);
        if let Value::Object(members) = &mut body {
            members.insert("target".to_owned(), target.into());
        }
        Ok(Answer::ok(&body))
    }

    /// Where a link's target lies in the repository; `None` when outside of it.
    fn target_segments(&self, target: &str) -> Option<Vec<String>> {
        if target.starts_with('/') {
            return None;
        }
        let mut segments: Vec<String> = self.path.split('/').map(str::to_owned).collect();
        segments.pop();
        for segment in target.split('/') {
            match segment {
                "" | "." => {}
                ".." => {
                    segments.pop()?;
                }
                name => segments.push(name.to_owned()),
            }
        }
        Some(segments)
    }

    fn submodule(&self, entry: &TreeEntry) -> Answer {
        let mut body = self.entry(EntryKind::Submodule, entry.oid, 0);
        if let Value::Object(members) = &mut body {
            members.insert(
                "submodule_git_url".to_owned(),
                json!("https://example.test/module.git"),
            );
        }
        Answer::ok(&body)
    }
}
