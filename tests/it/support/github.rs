//! The GitHub backend against a look-alike of GitHub that runs in this process.

use std::rc::Rc;

use async_trait::async_trait;
use url::Url;
use vault_mcp::{
    runtime::SystemRng,
    secret::Secret,
    storage::github::{
        BranchName, Credential, GithubRepository, GithubStorage, OwnerName, RepoName,
    },
    vault::storage::VaultStorage,
};
use vault_mcp_dev::{LoggedRequest, LookAlike, Push, RunningLookAlike, SeedFile, tokens};

use super::{
    http_client::LoopbackClient,
    storage::{HostClock, ShortSleep, Subject},
};

/// A vault at the look-alike.
#[derive(Debug)]
pub(crate) struct AtGithub {
    /// The other side of the wire.
    pub(crate) look_alike: RunningLookAlike,
    /// The backend under test.
    pub(crate) storage: GithubStorage,
}

impl AtGithub {
    /// A vault whose first commit holds `files`; without files there is no commit.
    pub(crate) async fn start(files: Vec<SeedFile>) -> Self {
        let look_alike = LookAlike::builder()
            .seed(files)
            .start()
            .await
            .expect("a look-alike");
        let storage = storage(repository(&look_alike));
        Self {
            look_alike,
            storage,
        }
    }

    /// The methods and paths of all requests since the last reset, with the status of each.
    pub(crate) fn requests(&self) -> Vec<String> {
        requests_of(&self.look_alike)
    }
}

/// The methods and paths of all requests to a look-alike, with the status of each.
pub(crate) fn requests_of(look_alike: &RunningLookAlike) -> Vec<String> {
    let line = |request: &LoggedRequest| {
        let path = request.path.trim_start_matches("/repos/example/vault");
        format!(
            "{} {path} {}",
            request.method,
            request.status.unwrap_or_default()
        )
    };
    look_alike.requests().iter().map(line).collect()
}

#[async_trait(?Send)]
impl Subject for AtGithub {
    fn storage(&self) -> &dyn VaultStorage {
        &self.storage
    }

    fn knows_links(&self) -> bool {
        false
    }

    async fn push(&self, changes: &[(&str, Option<&[u8]>)]) {
        let push = changes
            .iter()
            .fold(Push::new(), |push, (path, content)| match content {
                Some(bytes) => push.put(*path, *bytes),
                None => push.delete(*path),
            });
        self.look_alike.push(push).await.expect("a push");
    }
}

/// The look-alike's vault as the configuration would name it.
pub(crate) fn repository(look_alike: &RunningLookAlike) -> GithubRepository {
    let (owner, repo) = look_alike.repository().split_once('/').unwrap();
    let url = Url::parse(look_alike.url()).unwrap();
    GithubRepository {
        owner: OwnerName::parse(owner).unwrap(),
        repo: RepoName::parse(repo).unwrap(),
        branch: Some(BranchName::parse(look_alike.branch()).unwrap()),
        credential: Credential::Token(Secret::new(tokens::FULL)),
        api_url: url.clone(),
        web_url: url,
    }
}

/// The backend for `repository`.
pub(crate) fn storage(repository: GithubRepository) -> GithubStorage {
    GithubStorage::new(
        repository,
        Rc::new(LoopbackClient::new()),
        Rc::new(HostClock),
        Rc::new(SystemRng),
        Rc::new(ShortSleep),
    )
}
