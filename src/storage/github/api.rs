//! GitHub's REST endpoints for one repository, as typed calls.
//!
//! Every read after the first names a commit, a tree or a blob by its id, so that one call never
//! mixes two states of a branch that moves.

use std::{fmt, rc::Rc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use serde::de::DeserializeOwned;
use tokio::sync::{Mutex, OnceCell};

use super::{
    credential::Credential,
    error::Refusal,
    model::{
        ChangeAnswer, ChangeBody, CommitItem, CompareAnswer, CompareStatus, Person, PlaceAnswer,
        RepositoryAnswer,
    },
    rest::{Call, OBJECT, RAW, SHA, USER_AGENT, internal, parse},
    settings::{BranchName, GithubRepository},
    transport::Transport,
    tree::{Assembly, Request as TreeRequest, Tree},
};
use crate::{
    percent::{encode_path, encode_value},
    runtime::{ByteStream, Clock, HttpClient, Limits, StreamingHttpClient, Timestamp},
    vault::storage::{CommitId, CommitInfo, Revision},
};

/// The largest note that is read or written. GitHub's blobs go to 100 MB; a Worker has 128 MB for
/// everything, and a note on its way up is held as bytes, as Base64 and as JSON.
pub(in crate::storage) const MAX_NOTE_BYTES: u64 = 8 * 1024 * 1024;

/// GitHub cuts a tree's answer at 7 MB.
const MAX_TREE_BODY: usize = 16 * 1024 * 1024;

/// A folder's answer names up to 1,000 entries, a file's holds up to 1 MB in Base64.
const MAX_PLACE_BODY: usize = 4 * 1024 * 1024;

/// What a whole repository may cost. An archive is unpacked as it comes and never held.
const TARBALL_LIMITS: Limits = Limits {
    timeout: Duration::from_mins(5),
    max_body: 1024 * 1024 * 1024,
};

/// A comparison carries patches of up to 300 files.
pub(super) const MAX_COMPARE_BODY: usize = 32 * 1024 * 1024;

/// What is known about the repository itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::storage) struct RepositoryFacts {
    /// Its number, which stays when it is renamed or moved.
    pub(in crate::storage) id: u64,
    /// The branch that is checked out by default.
    pub(in crate::storage) default_branch: String,
    /// Whether the token's user may push; `None` where GitHub does not say.
    pub(in crate::storage) can_push: Option<bool>,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::storage) enum Place {
    /// Nothing.
    Free,
    /// A folder.
    Folder,
    /// A file, a link or a submodule.
    Taken,
}

/// A change that GitHub has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::storage) struct Written {
    /// The commit that holds it.
    pub(in crate::storage) commit: CommitId,
    /// The commit before it; `None` for the first commit of all.
    pub(in crate::storage) parent: Option<CommitId>,
    /// Whether GitHub says that the file is new.
    pub(in crate::storage) created: bool,
}

/// One file to be changed.
#[derive(Clone, Copy, Debug)]
pub(in crate::storage) struct FileChange<'a> {
    /// Where it is.
    pub(in crate::storage) path: &'a str,
    /// The blob it must have now; `None` when there must be none.
    pub(in crate::storage) base: Option<&'a Revision>,
    /// Who changes it, and how the commit reads.
    pub(in crate::storage) info: &'a CommitInfo,
}

/// The endpoints of one repository.
pub(in crate::storage) struct GithubApi {
    pub(super) transport: Transport,
    identity: Mutex<Option<RepositoryFacts>>,
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
    pub(in crate::storage) fn new(
        http: Rc<dyn HttpClient>,
        clock: Rc<dyn Clock>,
        repository: GithubRepository,
    ) -> Self {
        Self {
            transport: Transport::new(http, clock, repository),
            identity: Mutex::default(),
            default_branch: OnceCell::new(),
        }
    }

    /// The repository that is asked.
    pub(in crate::storage) fn repository(&self) -> &GithubRepository {
        self.transport.repository()
    }

    /// `GET /repos/{owner}/{repo}`.
    pub(in crate::storage) async fn describe(&self) -> Result<RepositoryFacts, Refusal> {
        let answer: RepositoryAnswer = self.read(Call::get(String::new())).await?;
        Ok(RepositoryFacts {
            id: answer.id,
            default_branch: answer.default_branch,
            can_push: answer.permissions.map(|permissions| permissions.push),
        })
    }

    /// When the token expires, if GitHub has said so with its last answer.
    pub(in crate::storage) fn token_expires_at(&self) -> Option<Timestamp> {
        self.transport.token_expires_at()
    }

    /// What the repository was when it was asked for first. Who comes while it is asked for waits.
    pub(in crate::storage) async fn identity(&self) -> Result<RepositoryFacts, Refusal> {
        let mut known = self.identity.lock().await;
        if let Some(known) = &*known {
            return Ok(known.clone());
        }
        let described = self.describe().await?;
        *known = Some(described.clone());
        Ok(described)
    }

    /// Has the repository asked for anew.
    pub(in crate::storage) fn forget_identity(&self) {
        if let Ok(mut known) = self.identity.try_lock() {
            *known = None;
        }
    }

    /// The branch that is the vault: the configured one, or the default one, asked for once.
    pub(in crate::storage) async fn branch(&self) -> Result<&BranchName, Refusal> {
        if let Some(branch) = &self.repository().branch {
            return Ok(branch);
        }
        self.default_branch
            .get_or_try_init(|| async {
                let name = self.identity().await?.default_branch;
                BranchName::parse(&name).map_err(|error| internal(&error.to_string()))
            })
            .await
    }

    /// The branch that is the vault, as far as that is known without asking.
    pub(in crate::storage) fn known_branch(&self) -> Option<&BranchName> {
        let configured = self.repository().branch.as_ref();
        configured.or_else(|| self.default_branch.get())
    }

    /// `GET commits/heads/{branch}`: where the branch is; `None` while the repository has no commit.
    ///
    /// A commit's id alone is the answer, and is its own entity tag: where the branch still is at
    /// `known`, GitHub says so and does not count the request (GitHub's documentation of "Get a
    /// commit"). Other entity tags hold for one token only; this one needs no keeping.
    pub(in crate::storage) async fn head(
        &self,
        known: Option<&CommitId>,
    ) -> Result<Option<CommitId>, Refusal> {
        let branch = self.branch().await?;
        let mut call = Call::get(format!("commits/heads/{}", encode_path(branch.as_str())));
        call.accept = SHA;
        call.if_none_match = known.map(|commit| format!("\"{commit}\""));
        let answer = match self.transport.send(call).await {
            Ok(answer) => answer,
            Err(Refusal::EmptyRepository) => return Ok(None),
            Err(refusal) => return Err(refusal),
        };
        if answer.status() == StatusCode::NOT_MODIFIED {
            return Ok(known.cloned());
        }
        commit_id(String::from_utf8_lossy(answer.body()).trim()).map(Some)
    }

    /// `GET git/trees/{commit}`, whole, in as many requests as that takes.
    pub(in crate::storage) async fn tree(&self, commit: &CommitId) -> Result<Tree, Refusal> {
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
    pub(in crate::storage) async fn blob(&self, revision: &Revision) -> Result<Bytes, Refusal> {
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

    /// `GET contents/{path}`: what stands there at `commit`.
    pub(in crate::storage) async fn place(
        &self,
        path: &str,
        commit: &CommitId,
    ) -> Result<Place, Refusal> {
        let mut call = Call::get(format!("contents/{}?ref={commit}", encode_path(path)));
        call.accept = OBJECT;
        call.max_body = MAX_PLACE_BODY;
        match self.read::<PlaceAnswer>(call).await {
            Ok(answer) if answer.kind == "dir" => Ok(Place::Folder),
            // Over 100 MB, nothing more is said of it.
            Ok(_) | Err(Refusal::TooLarge) => Ok(Place::Taken),
            Err(Refusal::Missing) => Ok(Place::Free),
            Err(refusal) => Err(refusal),
        }
    }

    /// `GET tarball/{commit}`: all files of a commit, as a gzipped tar archive that is still on
    /// its way. The archive comes from another host, which gets no token.
    pub(in crate::storage) async fn tarball(
        &self,
        http: &dyn StreamingHttpClient,
        commit: &CommitId,
    ) -> Result<ByteStream, Refusal> {
        let place = self
            .transport
            .locate(&Call::get(format!("tarball/{commit}")))
            .await?;
        let request = Request::get(place.as_str())
            .header(header::USER_AGENT, USER_AGENT)
            .body(Bytes::new())
            .map_err(|error| internal(&error.to_string()))?;
        let answer = http
            .open(request, TARBALL_LIMITS)
            .await
            .map_err(|_| Refusal::NoOutcome)?;
        if answer.status() == StatusCode::OK {
            Ok(answer.into_body())
        } else {
            // The one-time address may be used up or too old; another one is had by asking again.
            Err(Refusal::NoOutcome)
        }
    }

    /// `GET compare/{base}...{head}`: whether `base` is `head` or an ancestor of it.
    ///
    /// Asks for the second page: the changed files with their patches, which nobody wants here, are
    /// on the first page only (GitHub's documentation of "Compare two commits").
    pub(in crate::storage) async fn descends(
        &self,
        head: &CommitId,
        base: &CommitId,
    ) -> Result<bool, Refusal> {
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
    pub(in crate::storage) async fn last_change(
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
    pub(in crate::storage) async fn put(
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
    pub(in crate::storage) async fn delete(
        &self,
        change: &FileChange<'_>,
    ) -> Result<Written, Refusal> {
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
            committer: match self.repository().credential {
                Credential::Token(_) => Some(person),
                Credential::App(_) => None,
            },
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

    pub(super) async fn read<T: DeserializeOwned>(&self, call: Call) -> Result<T, Refusal> {
        parse(self.transport.send(call).await?.body())
    }
}

pub(super) fn commit_id(sha: &str) -> Result<CommitId, Refusal> {
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
