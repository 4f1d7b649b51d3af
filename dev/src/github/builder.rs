//! Setting up and starting a look-alike.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::hosted::Hosted;
use super::running::RunningLookAlike;
use super::state::State;
use super::tokens::{self, Token};
use crate::git::{Git, GitError};
use crate::seed::SeedFile;

/// Why a look-alike did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No folder, no runtime or no port.
    #[error("cannot set up the look-alike: {0}")]
    Io(#[from] io::Error),
    /// Somebody else listens there.
    #[error("cannot listen on port {0}: {1}")]
    Port(u16, #[source] io::Error),
    /// A repository could not be made.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A name is not of the form `owner/name`.
    #[error("not a repository name: {0}")]
    Name(String),
}

/// What a repository starts with.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// One commit of these files; none at all without files.
    Files(Vec<SeedFile>),
    /// One commit of what `git add` takes from a folder. The folder is only read.
    Folder(PathBuf),
}

#[derive(Clone, Debug)]
struct Planned {
    full_name: String,
    branch: String,
    source: Source,
}

/// A server that behaves like GitHub's REST API, for one machine and its tests.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use vault_mcp_dev::{LookAlike, Push, SeedFile};
///
/// let github = LookAlike::builder().seed(vec![SeedFile::regular("a.md", "one")]).start().await?;
/// github.push(Push::new().put("a.md", "two")).await?;
/// assert_eq!(github.git(&["show", "main:a.md"])?, "two");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a builder does nothing until it is started"]
pub struct LookAlike {
    vault: Planned,
    others: Vec<Planned>,
    tokens: Vec<Token>,
    root: Option<PathBuf>,
    port: u16,
}

impl LookAlike {
    /// A look-alike with the empty repository `example/vault`, whose default branch is `main`, and
    /// the tokens of [`tokens`].
    pub fn builder() -> Self {
        let vault = Planned {
            full_name: "example/vault".to_owned(),
            branch: "main".to_owned(),
            source: Source::Files(Vec::new()),
        };
        Self {
            vault,
            others: Vec::new(),
            tokens: Vec::new(),
            root: None,
            port: 0,
        }
    }

    /// The files of the repository's first commit. Without any the repository is empty.
    pub fn seed(mut self, files: Vec<SeedFile>) -> Self {
        self.vault.source = Source::Files(files);
        self
    }

    /// Starts the repository with a copy of a folder: every file that `git add` would take.
    pub fn seed_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.vault.source = Source::Folder(folder.into());
        self
    }

    /// The repository's full name, `owner/name`.
    pub fn repository(mut self, full_name: impl Into<String>) -> Self {
        self.vault.full_name = full_name.into();
        self
    }

    /// The repository's default branch; it may hold slashes.
    pub fn branch(mut self, branch: impl Into<String>) -> Self {
        self.vault.branch = branch.into();
        self
    }

    /// Hosts another repository beside the vault, with the default branch `main`.
    pub fn another(mut self, full_name: impl Into<String>, files: Vec<SeedFile>) -> Self {
        self.others.push(Planned {
            full_name: full_name.into(),
            branch: "main".to_owned(),
            source: Source::Files(files),
        });
        self
    }

    /// Knows another token, in place of the one with the same value if there is one.
    pub fn token(mut self, token: Token) -> Self {
        self.tokens.push(token);
        self
    }

    /// Keeps the repositories in this folder, and uses those that it holds as they are. Without
    /// it they live in a temporary folder, which goes with the server.
    pub fn keep_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.root = Some(folder.into());
        self
    }

    /// Listens on this port; 0 (the default) takes a free one.
    pub const fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Makes the repositories and starts the server, on a thread and runtime of its own: a caller
    /// may block or pause its clock.
    ///
    /// # Errors
    /// When git is missing, a name is malformed, or the port is taken.
    pub async fn start(self) -> Result<RunningLookAlike, StartError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("look-alike")
            .enable_all()
            .build()?;
        let (send, receive) = tokio::sync::oneshot::channel();
        runtime.spawn(async move {
            // The receiver is gone only when the caller gave up waiting.
            let _ = send.send(self.prepare().await);
        });
        let prepared = receive
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the runtime ended early").into()));
        match prepared {
            Ok(prepared) => Ok(RunningLookAlike::new(runtime, prepared)),
            Err(error) => {
                runtime.shutdown_background();
                Err(error)
            }
        }
    }

    async fn prepare(self) -> Result<Prepared, StartError> {
        let scratch = match self.root {
            Some(_) => None,
            None => Some(tempfile::Builder::new().prefix("look-alike-").tempdir()?),
        };
        let kept = self
            .root
            .as_deref()
            .or(scratch.as_ref().map(tempfile::TempDir::path));
        let root = kept.map(Path::to_owned).unwrap_or_default();
        let mut repositories = Vec::new();
        for planned in std::iter::once(&self.vault).chain(&self.others) {
            repositories.push(Arc::new(host(&root, planned).await?));
        }
        let vault = Arc::clone(repositories.first().ok_or(GitError::Unexpected("init"))?);
        let other = self
            .others
            .first()
            .map_or("example/other", |other| &*other.full_name);
        let mut known = tokens::defaults(&self.vault.full_name, other);
        for token in self.tokens {
            known.retain(|old| old.value != token.value);
            known.push(token);
        }
        let state = Arc::new(State::new(root, repositories, known));

        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, self.port))
            .await
            .map_err(|error| StartError::Port(self.port, error))?;
        let address = listener.local_addr()?;
        let mut listeners = vec![listener];
        // `localhost` may mean either family. Where this one is missing, clients use the other.
        let twin = SocketAddr::from((Ipv6Addr::LOCALHOST, address.port()));
        listeners.extend(tokio::net::TcpListener::bind(twin).await);
        Ok(Prepared {
            state,
            vault,
            listeners,
            port: address.port(),
            scratch,
        })
    }
}

/// All that a server needs to run.
pub(super) struct Prepared {
    pub(super) state: Arc<State>,
    pub(super) vault: Arc<Hosted>,
    pub(super) listeners: Vec<tokio::net::TcpListener>,
    pub(super) port: u16,
    pub(super) scratch: Option<tempfile::TempDir>,
}

/// Opens the planned repository, or makes it.
async fn host(root: &Path, planned: &Planned) -> Result<Hosted, StartError> {
    let dir = folder(root, &planned.full_name)?;
    let git = if dir.join("HEAD").exists() {
        Git::open(&dir)
    } else {
        create(
            root,
            &planned.full_name,
            &planned.branch,
            planned.source.clone(),
        )
        .await?
    };
    let hosted = Hosted::new(&planned.full_name, &planned.branch, git);
    // The first tip that a lagging read can be told.
    hosted.tip(&planned.branch).await?;
    Ok(hosted)
}

/// Makes a repository anew. It appears under its name only when it is complete, so that a start
/// that was interrupted leaves nothing half made.
pub(crate) async fn create(
    root: &Path,
    full_name: &str,
    branch: &str,
    source: Source,
) -> Result<Git, StartError> {
    let dir = folder(root, full_name)?;
    let unfinished = dir.with_extension("unfinished");
    if unfinished.exists() {
        std::fs::remove_dir_all(&unfinished)?;
    }
    let git = Git::init(&unfinished, branch).await?;
    match source {
        Source::Files(files) if files.is_empty() => {}
        Source::Files(files) => {
            git.seed(branch, files).await?;
        }
        Source::Folder(folder) => {
            git.seed_from(branch, &folder).await?;
        }
    }
    drop(git);
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    std::fs::rename(&unfinished, &dir)?;
    Ok(Git::open(&dir))
}

/// Where a repository is below `root`.
fn folder(root: &Path, full_name: &str) -> Result<PathBuf, StartError> {
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match full_name.split_once('/') {
        Some((owner, name)) if plain(owner) && plain(name) => {
            Ok(root.join(owner).join(format!("{name}.git")))
        }
        _ => Err(StartError::Name(full_name.to_owned())),
    }
}
