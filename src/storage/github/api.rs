//! GitHub's REST endpoints for one repository, as typed calls.
//!
//! Every read after the first names a commit, a tree or a blob by its id, so that one call never
//! mixes two states of a branch that moves.

use std::{fmt, rc::Rc};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Method, StatusCode, header};
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;

use super::{
    error::Refusal,
    model::{
        ChangeAnswer, ChangeBody, CommitItem, CompareAnswer, CompareStatus, Person, RefAnswer,
        RepositoryAnswer,
    },
    settings::{BranchName, GithubRepository},
    transport::{Call, RAW, Transport, encode_path, encode_value, internal},
    tree::{Assembly, Request as TreeRequest, Tree},
};
use crate::{
    runtime::{Clock, HttpClient},
    vault::storage::{CommitId, CommitInfo, Revision, StorageError},
};

/// The largest note that is read or written. GitHub's blobs go to 100 MB; a Worker has 128 MB for
/// everything, and a note on its way up is held as bytes, as Base64 and as JSON.
pub(crate) const MAX_NOTE_BYTES: u64 = 8 * 1024 * 1024;

/// GitHub cuts a tree's answer at 7 MB.
const MAX_TREE_BODY: usize = 16 * 1024 * 1024;

/// A comparison carries patches of up to 300 files.
const MAX_COMPARE_BODY: usize = 32 * 1024 * 1024;

/// What is known about the repository itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RepositoryFacts {
    /// Its number, which stays when it is renamed or moved.
    pub(crate) id: u64,
    /// The branch that is checked out by default.
    pub(crate) default_branch: String,
    /// Whether the token's user may push; `None` where GitHub does not say.
    pub(crate) can_push: Option<bool>,
}

/// An entity tag of a branch's answer. It holds for one token only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeadTag {
    /// [`GithubApi::token_fingerprint`] of the token it was given to.
    pub(crate) token: String,
    /// The tag as GitHub sent it, with its quotes.
    pub(crate) value: String,
}

/// Where the branch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// Nowhere: the repository has no commit.
    Empty,
    /// Where it was when the tag was given.
    NotModified,
    /// At this commit.
    At {
        /// The commit.
        commit: CommitId,
        /// What makes the next question free of charge.
        tag: Option<HeadTag>,
    },
}

/// A change that GitHub has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// The commit that holds it.
    pub(crate) commit: CommitId,
    /// The commit before it; `None` for the first commit of all.
    pub(crate) parent: Option<CommitId>,
    /// Whether GitHub says that the file is new.
    pub(crate) created: bool,
}

/// One file to be changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileChange<'a> {
    /// Where it is.
    pub(crate) path: &'a str,
    /// The blob it must have now; `None` when there must be none.
    pub(crate) base: Option<&'a Revision>,
    /// Who changes it, and how the commit reads.
    pub(crate) info: &'a CommitInfo,
}

/// The endpoints of one repository.
pub(crate) struct GithubApi {
    transport: Transport,
    default_branch: OnceCell<BranchName>,
}

impl fmt::Debug for GithubApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GithubApi")
            .field("transport", &self.transport)
            .finish_non_exhaustive()
    }
}

impl GithubApi {
    pub(crate) fn new(
        http: Rc<dyn HttpClient>,
        clock: Rc<dyn Clock>,
        repository: GithubRepository,
    ) -> Self {
        Self {
            transport: Transport::new(http, clock, repository),
            default_branch: OnceCell::new(),
        }
    }

    /// The repository that is asked.
    pub(crate) fn repository(&self) -> &GithubRepository {
        self.transport.repository()
    }

    /// A name for the token that does not give it away.
    pub(crate) fn token_fingerprint(&self) -> String {
        self.transport.token_fingerprint()
    }

    /// `GET /repos/{owner}/{repo}`.
    pub(crate) async fn describe(&self) -> Result<RepositoryFacts, Refusal> {
        let answer: RepositoryAnswer = self.read(Call::get(String::new())).await?;
        Ok(RepositoryFacts {
            id: answer.id,
            default_branch: answer.default_branch,
            can_push: answer.permissions.map(|permissions| permissions.push),
        })
    }

    /// The branch that is the vault: the configured one, or the default one, asked for once.
    pub(crate) async fn branch(&self) -> Result<&BranchName, Refusal> {
        if let Some(branch) = &self.repository().branch {
            return Ok(branch);
        }
        self.default_branch
            .get_or_try_init(|| async {
                let name = self.describe().await?.default_branch;
                BranchName::parse(&name).map_err(|error| internal(&error.to_string()))
            })
            .await
    }

    /// `GET git/ref/heads/{branch}`, free of charge where `known` still holds.
    pub(crate) async fn head(&self, known: Option<&HeadTag>) -> Result<Head, Refusal> {
        let branch = self.branch().await?;
        let token = self.token_fingerprint();
        let mut call = Call::get(format!("git/ref/heads/{}", encode_path(branch.as_str())));
        call.if_none_match = known
            .filter(|tag| tag.token == token)
            .map(|tag| tag.value.clone());
        let answer = match self.transport.send(call).await {
            Ok(answer) => answer,
            Err(Refusal::EmptyRepository) => return Ok(Head::Empty),
            Err(refusal) => return Err(refusal),
        };
        if answer.status() == StatusCode::NOT_MODIFIED {
            return Ok(Head::NotModified);
        }
        let tag = answer
            .headers()
            .get(header::ETAG)
            .and_then(|value| value.to_str().ok());
        let tag = tag.map(|value| HeadTag {
            token,
            value: value.to_owned(),
        });
        let reference: RefAnswer = parse(answer.body())?;
        Ok(Head::At {
            commit: commit_id(&reference.object.sha)?,
            tag,
        })
    }

    /// `GET git/trees/{commit}`, whole, in as many requests as that takes.
    pub(crate) async fn tree(&self, commit: &CommitId) -> Result<Tree, Refusal> {
        let mut assembly = Assembly::of(commit);
        while let Some(request) = assembly.next() {
            let TreeRequest {
                object, recursive, ..
            } = &request;
            let query = if *recursive { "?recursive=1" } else { "" };
            let mut call = Call::get(format!("git/trees/{object}{query}"));
            call.max_body = MAX_TREE_BODY;
            let answer = self.transport.send(call).await?;
            assembly.accept(&request, answer.body())?;
        }
        Ok(assembly.finish())
    }

    /// `GET git/blobs/{revision}`: the bytes, checked against the id they were asked by.
    pub(crate) async fn blob(&self, revision: &Revision) -> Result<Bytes, Refusal> {
        let mut call = Call::get(format!("git/blobs/{revision}"));
        call.accept = RAW;
        call.max_body = usize::try_from(MAX_NOTE_BYTES).unwrap_or(usize::MAX);
        let answer = self.transport.send(call).await?;
        if Revision::of(answer.body()) == *revision {
            Ok(answer.into_body())
        } else {
            Err(internal("a blob whose bytes do not hash to its id"))
        }
    }

    /// `GET compare/{base}...{head}`: whether `base` is `head` or an ancestor of it.
    ///
    /// Asks for the second page: the changed files with their patches, which nobody wants here, are
    /// on the first page only (GitHub's documentation of "Compare two commits").
    pub(crate) async fn descends(&self, head: &CommitId, base: &CommitId) -> Result<bool, Refusal> {
        let mut call = Call::get(format!("compare/{base}...{head}?per_page=1&page=2"));
        call.max_body = MAX_COMPARE_BODY;
        match self.read::<CompareAnswer>(call).await {
            Ok(answer) => Ok(matches!(
                answer.status,
                CompareStatus::Ahead | CompareStatus::Identical
            )),
            Err(Refusal::Missing) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    /// `GET commits`: the last commit up to `head` that changed `path`.
    pub(crate) async fn last_change(
        &self,
        path: &str,
        head: &CommitId,
    ) -> Result<Option<CommitId>, Refusal> {
        let path = encode_value(path);
        let call = Call::get(format!("commits?sha={head}&path={path}&per_page=1"));
        let commits: Vec<CommitItem> = self.read(call).await?;
        commits
            .first()
            .map(|commit| commit_id(&commit.sha))
            .transpose()
    }

    /// `PUT contents/{path}`: makes the file, or replaces `change.base`.
    ///
    /// GitHub ignores the base where the file is gone, and makes it anew: `created` tells.
    pub(crate) async fn put(
        &self,
        change: &FileChange<'_>,
        content: &[u8],
    ) -> Result<Written, Refusal> {
        let answer = self
            .change(Method::PUT, change, Some(STANDARD.encode(content)))
            .await?;
        let (status, answer) = answer;
        let stored = answer
            .content
            .as_ref()
            .and_then(|file| Revision::parse(&file.sha).ok());
        if stored != Some(Revision::of(content)) {
            return Err(internal("GitHub stored other bytes than it was sent"));
        }
        written(status, &answer)
    }

    /// `DELETE contents/{path}`: removes the file, whose blob must be `change.base`.
    pub(crate) async fn delete(&self, change: &FileChange<'_>) -> Result<Written, Refusal> {
        let (status, answer) = self.change(Method::DELETE, change, None).await?;
        written(status, &answer)
    }

    async fn change(
        &self,
        method: Method,
        change: &FileChange<'_>,
        content: Option<String>,
    ) -> Result<(StatusCode, ChangeAnswer), Refusal> {
        let branch = self.branch().await?;
        let person = Person {
            name: &change.info.author_name,
            email: &change.info.author_email,
        };
        let body = ChangeBody {
            message: &change.info.message,
            content,
            sha: change.base.map(Revision::as_str),
            branch: branch.as_str(),
            author: person,
            committer: person,
        };
        let body = serde_json::to_vec(&body).map_err(|error| internal(&error.to_string()))?;
        let mut call = Call::get(format!("contents/{}", encode_path(change.path)));
        call.method = method;
        call.body = body.into();
        let answer = self.transport.send(call).await?;
        // The change is made, but what it was cannot be read: the repository has to tell.
        let parsed = parse(answer.body()).map_err(|_| Refusal::NoOutcome)?;
        Ok((answer.status(), parsed))
    }

    async fn read<T: DeserializeOwned>(&self, call: Call) -> Result<T, Refusal> {
        parse(self.transport.send(call).await?.body())
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::Final(StorageError::Unexpected(format!("answer: {error}"))))
}

fn commit_id(sha: &str) -> Result<CommitId, Refusal> {
    CommitId::parse(sha).map_err(|error| internal(&error.to_string()))
}

fn written(status: StatusCode, answer: &ChangeAnswer) -> Result<Written, Refusal> {
    let parent = answer
        .commit
        .parents
        .first()
        .map(|parent| commit_id(&parent.sha))
        .transpose();
    Ok(Written {
        commit: commit_id(&answer.commit.sha)?,
        parent: parent?,
        created: status == StatusCode::CREATED,
    })
}
