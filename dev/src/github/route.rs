//! Which operation a method and path mean.
//!
//! Parsed by hand from the undecoded path: a branch may hold slashes, and whether a segment is
//! empty or encoded matters for `contents`.

use axum::http::Method;
use percent_encoding::percent_decode_str;
use strum::VariantNames as _;

use super::tokens::Contents;

/// How a request names a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RepositoryName {
    /// `/repos/{owner}/{repo}`.
    Full(String),
    /// `/repositories/{id}`, where redirects after a rename point.
    Id(u64),
}

/// An operation outside any repository, or one on a repository. Each is named as GitHub's `OpenAPI`
/// description names it.
#[derive(Clone, Debug, PartialEq, Eq, strum::VariantNames, strum::IntoStaticStr)]
pub(crate) enum Route {
    /// `GET /user`.
    #[strum(serialize = "users/get-authenticated")]
    User,
    /// `GET /user/repos`.
    #[strum(serialize = "repos/list-for-authenticated-user")]
    UserRepositories,
    /// `GET /rate_limit`.
    #[strum(serialize = "rate-limit/get")]
    RateLimit,
    /// `GET /app/installations/{id}`.
    #[strum(serialize = "apps/get-installation")]
    Installation { id: u64 },
    /// `POST /app/installations/{id}/access_tokens`.
    #[strum(serialize = "apps/create-installation-access-token")]
    AccessTokens { id: u64 },
    /// `GET /installation/repositories`.
    #[strum(serialize = "apps/list-repos-accessible-to-installation")]
    InstallationRepositories,
    Repository {
        name: RepositoryName,
        /// The undecoded path below the repository, for redirects; empty or starting with a slash.
        rest: String,
        operation: Operation,
    },
}

/// An operation on one repository, named as in [`Route`]. Texts are percent-decoded.
#[derive(Clone, Debug, PartialEq, Eq, strum::VariantNames, strum::IntoStaticStr)]
pub(crate) enum Operation {
    #[strum(serialize = "repos/get")]
    GetRepository,
    #[strum(serialize = "repos/get-branch")]
    GetBranch { branch: String },
    #[strum(serialize = "git/get-ref")]
    GetRef { name: String },
    #[strum(serialize = "git/get-commit")]
    GetCommitObject { sha: String },
    #[strum(serialize = "git/get-tree")]
    GetTree { name: String },
    #[strum(serialize = "git/get-blob")]
    GetBlob { sha: String },
    #[strum(serialize = "repos/list-commits")]
    ListCommits,
    #[strum(serialize = "repos/get-commit")]
    GetCommit { name: String },
    #[strum(serialize = "repos/compare-commits-with-basehead")]
    Compare { range: String },
    #[strum(serialize = "repos/download-tarball-archive")]
    Tarball { name: Option<String> },
    #[strum(serialize = "repos/get-content")]
    GetContents { path: String },
    #[strum(serialize = "repos/create-or-update-file-contents")]
    PutContents { path: String },
    #[strum(serialize = "repos/delete-file")]
    DeleteContents { path: String },
}

impl Operation {
    /// Whether the operation changes the repository.
    pub(crate) const fn writes(&self) -> bool {
        matches!(self, Self::PutContents { .. } | Self::DeleteContents { .. })
    }

    /// What the token must be allowed to do with the repository's contents.
    pub(crate) const fn needs(&self) -> Contents {
        if self.writes() {
            Contents::Write
        } else if matches!(self, Self::GetRepository) {
            Contents::None
        } else {
            Contents::Read
        }
    }

    /// The page that errors of this operation point at.
    pub(crate) const fn documentation(&self) -> &'static str {
        match self {
            Self::GetRepository => "https://docs.github.com/rest/repos/repos#get-a-repository",
            Self::GetBranch { .. } => "https://docs.github.com/rest/branches/branches#get-a-branch",
            Self::GetRef { .. } => "https://docs.github.com/rest/git/refs#get-a-reference",
            Self::GetCommitObject { .. } => {
                "https://docs.github.com/rest/git/commits#get-a-commit-object"
            }
            Self::GetTree { .. } => "https://docs.github.com/rest/git/trees#get-a-tree",
            Self::GetBlob { .. } => "https://docs.github.com/rest/git/blobs#get-a-blob",
            Self::ListCommits => "https://docs.github.com/rest/commits/commits#list-commits",
            Self::GetCommit { .. } => "https://docs.github.com/rest/commits/commits#get-a-commit",
            Self::Compare { .. } => {
                "https://docs.github.com/rest/commits/commits#compare-two-commits"
            }
            Self::Tarball { .. } => {
                "https://docs.github.com/rest/repos/contents#download-a-repository-archive-tar"
            }
            Self::GetContents { .. } => {
                "https://docs.github.com/rest/repos/contents#get-repository-content"
            }
            Self::PutContents { .. } => {
                "https://docs.github.com/rest/repos/contents#create-or-update-file-contents"
            }
            Self::DeleteContents { .. } => {
                "https://docs.github.com/rest/repos/contents#delete-a-file"
            }
        }
    }

    /// Reads the undecoded path below the repository.
    fn parse(method: &Method, rest: &str) -> Option<Self> {
        let get = method == Method::GET || method == Method::HEAD;
        if rest.is_empty() {
            return get.then_some(Self::GetRepository);
        }
        let rest = rest.strip_prefix('/')?;
        if rest == "contents" || rest.starts_with("contents/") {
            let path = decoded(rest.strip_prefix("contents/").unwrap_or_default())?;
            return match *method {
                Method::GET | Method::HEAD => Some(Self::GetContents { path }),
                Method::PUT => Some(Self::PutContents { path }),
                Method::DELETE => Some(Self::DeleteContents { path }),
                _ => None,
            };
        }
        if !get {
            return None;
        }
        let below = |prefix: &str| rest.strip_prefix(prefix).filter(|name| !name.is_empty());
        if rest == "commits" {
            return Some(Self::ListCommits);
        }
        if rest == "tarball" {
            return Some(Self::Tarball { name: None });
        }
        if let Some(name) = below("tarball/") {
            return Some(Self::Tarball {
                name: Some(decoded(name)?),
            });
        }
        let text = |prefix: &str| below(prefix).and_then(decoded);
        text("branches/")
            .map(|branch| Self::GetBranch { branch })
            .or_else(|| text("git/ref/").map(|name| Self::GetRef { name }))
            .or_else(|| text("git/commits/").map(|sha| Self::GetCommitObject { sha }))
            .or_else(|| text("git/trees/").map(|name| Self::GetTree { name }))
            .or_else(|| text("git/blobs/").map(|sha| Self::GetBlob { sha }))
            .or_else(|| text("commits/").map(|name| Self::GetCommit { name }))
            .or_else(|| text("compare/").map(|range| Self::Compare { range }))
    }
}

impl Route {
    /// GitHub's name of the operation: `operationId` of its `OpenAPI` description.
    pub(crate) fn operation_id(&self) -> &'static str {
        if let Self::Repository { operation, .. } = self {
            operation.into()
        } else {
            self.into()
        }
    }

    /// The names of all operations.
    pub(crate) fn operation_ids() -> Vec<&'static str> {
        let all = [Self::VARIANTS, Operation::VARIANTS].concat();
        // `Repository` is not one, but all of those on a repository.
        all.into_iter().filter(|id| id.contains('/')).collect()
    }

    /// The operation, or `None` when GitHub has none of that method and path here.
    pub(crate) fn parse(method: &Method, path: &str) -> Option<Self> {
        let get = method == Method::GET || method == Method::HEAD;
        match path {
            "/user" => return get.then_some(Self::User),
            "/user/repos" => return get.then_some(Self::UserRepositories),
            "/rate_limit" => return get.then_some(Self::RateLimit),
            "/installation/repositories" => return get.then_some(Self::InstallationRepositories),
            _ => {}
        }
        if let Some(path) = path.strip_prefix("/app/installations/") {
            let (id, rest) = split_before_slash(path);
            let id = id.parse().ok()?;
            return match (method, rest) {
                (&Method::GET | &Method::HEAD, "") => Some(Self::Installation { id }),
                (&Method::POST, "/access_tokens") => Some(Self::AccessTokens { id }),
                _ => None,
            };
        }
        let (name, rest) = if let Some(path) = path.strip_prefix("/repositories/") {
            let (id, rest) = split_before_slash(path);
            (RepositoryName::Id(id.parse().ok()?), rest)
        } else {
            let path = path.strip_prefix("/repos/")?;
            let (owner, path) = path.split_once('/')?;
            let (repository, rest) = split_before_slash(path);
            (
                RepositoryName::Full(format!("{}/{}", decoded(owner)?, decoded(repository)?)),
                rest,
            )
        };
        let operation = Operation::parse(method, rest)?;
        Some(Self::Repository {
            name,
            rest: rest.to_owned(),
            operation,
        })
    }
}

fn split_before_slash(path: &str) -> (&str, &str) {
    path.split_at(path.find('/').unwrap_or(path.len()))
}

/// Percent-decodes once; `+` is a plus (octokit/octokit.net#2587). `None` when not UTF-8.
fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text)
        .decode_utf8()
        .ok()
        .map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(method: &Method, path: &str) -> Option<Operation> {
        let Route::Repository { operation, .. } = Route::parse(method, path)? else {
            return None;
        };
        Some(operation)
    }

    #[test]
    fn paths_are_decoded_once_and_keep_their_slashes() {
        let get = |rest: &str| operation(&Method::GET, &format!("/repos/o/r{rest}"));
        let contents = |path: &str| {
            Some(Operation::GetContents {
                path: path.to_owned(),
            })
        };
        assert_eq!(
            get("/contents/a%20b+c/100%25.md"),
            contents("a b+c/100%.md")
        );
        assert_eq!(get("/contents/%252e%252e/x"), contents("%2e%2e/x"));
        assert_eq!(get("/contents"), contents(""));
        assert_eq!(get("/contents/"), contents(""));
        assert_eq!(get("/contents/a//b"), contents("a//b"));
        assert_eq!(get("/contents/%ff"), None);
        assert_eq!(
            get("/git/ref/heads/feature/x"),
            Some(Operation::GetRef {
                name: "heads/feature/x".to_owned()
            })
        );
        assert_eq!(
            operation(&Method::GET, "/repositories/7/tarball"),
            Some(Operation::Tarball { name: None })
        );
        assert_eq!(operation(&Method::POST, "/repos/o/r/contents/a"), None);
    }
}
