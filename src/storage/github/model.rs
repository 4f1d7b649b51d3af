//! GitHub's JSON, as far as it is used. Nothing here leaves this folder.
//!
//! Source: GitHub's `OpenAPI` description of the REST API, version 2022-11-28.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};

/// `GET /repos/{owner}/{repo}`.
#[derive(Debug, Deserialize)]
pub(super) struct RepositoryAnswer {
    pub(super) id: u64,
    pub(super) default_branch: String,
    pub(super) permissions: Option<Permissions>,
}

/// What the token's user may do; absent where GitHub does not say.
#[derive(Debug, Deserialize)]
pub(super) struct Permissions {
    #[serde(default)]
    pub(super) push: bool,
}

/// Anything that is named by its id.
#[derive(Debug, Deserialize)]
pub(super) struct ObjectAnswer {
    pub(super) sha: String,
}

/// `GET git/trees/{tree}`. Borrows from the body: a large vault's tree is megabytes.
#[derive(Debug, Deserialize)]
pub(super) struct TreeAnswer<'a> {
    #[serde(borrow)]
    pub(super) tree: Vec<TreeItem<'a>>,
    pub(super) truncated: bool,
}

/// One line of a tree.
#[derive(Debug, Deserialize)]
pub(super) struct TreeItem<'a> {
    #[serde(borrow)]
    pub(super) path: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) mode: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) sha: Cow<'a, str>,
    #[serde(default)]
    pub(super) size: u64,
}

/// `GET contents/{path}` in its object form.
#[derive(Debug, Deserialize)]
pub(super) struct PlaceAnswer {
    #[serde(rename = "type")]
    pub(super) kind: String,
}

/// `GET compare/{base}...{head}`.
#[derive(Debug, Deserialize)]
pub(super) struct CompareAnswer {
    pub(super) status: CompareStatus,
}

/// How `head` lies to `base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CompareStatus {
    /// `head` descends from `base`.
    Ahead,
    /// `base` descends from `head`.
    Behind,
    /// Neither descends from the other.
    Diverged,
    /// They are one commit.
    Identical,
}

/// One element of `GET commits`.
#[derive(Debug, Deserialize)]
pub(super) struct CommitItem {
    pub(super) sha: String,
}

/// `GET commits/{commit}`.
#[derive(Debug, Deserialize)]
pub(super) struct CommitAnswer {
    pub(super) commit: CommitObject,
    #[serde(default)]
    pub(super) parents: Vec<ObjectAnswer>,
    /// What it changed, seen from its first parent: a page of it.
    #[serde(default)]
    pub(super) files: Vec<ChangedFile>,
}

/// The commit itself.
#[derive(Debug, Deserialize)]
pub(super) struct CommitObject {
    pub(super) committer: Dated,
}

/// Who did something, and when; only the latter is read.
#[derive(Debug, Deserialize)]
pub(super) struct Dated {
    pub(super) date: String,
}

/// One file that a commit changed.
#[derive(Debug, Deserialize)]
pub(super) struct ChangedFile {
    pub(super) filename: String,
}

/// One element of `GET commits`, with who, when and what was said.
#[derive(Debug, Deserialize)]
pub(super) struct HistoryItem {
    pub(super) sha: String,
    pub(super) commit: HistoryCommit,
    #[serde(default)]
    pub(super) parents: Vec<ObjectAnswer>,
}

/// The commit itself. People are null where an account is gone.
#[derive(Debug, Deserialize)]
pub(super) struct HistoryCommit {
    pub(super) author: Option<HistoryPerson>,
    pub(super) committer: Option<HistoryPerson>,
    #[serde(default)]
    pub(super) message: String,
}

/// Who stands in a commit. The address is nobody's business.
#[derive(Debug, Deserialize)]
pub(super) struct HistoryPerson {
    pub(super) name: Option<String>,
    pub(super) date: Option<String>,
}

/// `GET commits/{commit}`: what it touched, seen from its first parent.
#[derive(Debug, Deserialize)]
pub(super) struct CommitFiles {
    #[serde(default)]
    pub(super) files: Vec<FileEntry>,
}

/// One file that a commit touched.
#[derive(Debug, Deserialize)]
pub(super) struct FileEntry {
    pub(super) filename: String,
    pub(super) previous_filename: Option<String>,
    #[serde(default)]
    pub(super) status: String,
    pub(super) sha: Option<String>,
    /// The hunks of a unified diff; absent where it would be too large, and for what is no text.
    pub(super) patch: Option<String>,
}

impl FileEntry {
    /// What it is called, and what it was called before.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.filename.as_str()).chain(self.previous_filename.as_deref())
    }
}

/// The body of `PUT contents/{path}` and, without `content`, of `DELETE contents/{path}`.
#[derive(Debug, Serialize)]
pub(super) struct ChangeBody<'a> {
    pub(super) message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sha: Option<&'a str>,
    pub(super) branch: &'a str,
    pub(super) author: Person<'a>,
    /// Whoever the token is where this is left out: an app signs what it commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) committer: Option<Person<'a>>,
}

/// Who stands in a commit; GitHub wants both or answers 422.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Person<'a> {
    pub(super) name: &'a str,
    pub(super) email: &'a str,
}

/// The answer to `PUT` and `DELETE contents/{path}`; `content` is null after a deletion.
#[derive(Debug, Deserialize)]
pub(super) struct ChangeAnswer {
    pub(super) content: Option<ObjectAnswer>,
    pub(super) commit: ChangeCommit,
}

/// The commit that a change made.
#[derive(Debug, Deserialize)]
pub(super) struct ChangeCommit {
    pub(super) sha: String,
    #[serde(default)]
    pub(super) parents: Vec<ObjectAnswer>,
}

/// The body of a refusal.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) metadata: Option<RuleMetadata>,
    #[serde(default)]
    pub(super) errors: Vec<FieldError>,
}

/// What is wrong with one member of the request, or of what was asked for. Some are plain text.
#[derive(Debug, Default)]
pub(super) struct FieldError {
    pub(super) code: String,
}

impl<'de> Deserialize<'de> for FieldError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let error = serde_json::Value::deserialize(deserializer)?;
        let code = error.get("code").and_then(serde_json::Value::as_str);
        Ok(Self {
            code: code.unwrap_or_default().to_owned(),
        })
    }
}

/// What a `repository-rule-violation-error` adds.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RuleMetadata {
    #[serde(default)]
    pub(super) secret_scanning: Option<SecretScanning>,
}

/// What push protection found.
#[derive(Debug, Default, Deserialize)]
pub(super) struct SecretScanning {
    #[serde(default)]
    pub(super) bypass_placeholders: Vec<FoundSecret>,
}

/// One secret that push protection found, by its kind.
#[derive(Debug, Deserialize)]
pub(super) struct FoundSecret {
    #[serde(default)]
    pub(super) token_type: String,
}
