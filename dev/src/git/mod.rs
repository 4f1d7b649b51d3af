//! One bare repository, driven through the `git` program.
//!
//! Objects, references and archives are git's own, so a hash that the look-alike reports is the
//! hash that git computes. Configuration of the person's machine is kept out: no user or system
//! configuration, attributes or ignore files reach these commands.

mod commit;
mod diff;
mod import;
mod objects;
mod oid;
mod refs;
mod tree;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

pub(crate) use commit::{Commit, CommitDraft, Signature};
pub(crate) use diff::DiffFile;
pub use import::{Change, Push};
pub(crate) use objects::ObjectKind;
pub use oid::{Oid, OidError};
pub(crate) use refs::Swap;
pub(crate) use tree::{EntryKind, ListedEntry, TreeEntry};

/// Why a git command gave no result.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program could not be started or spoken to.
    #[error("cannot run git: {0}")]
    Io(#[from] std::io::Error),
    /// The program ended with an error; the text is its own.
    #[error("git {command} failed: {stderr}")]
    Failed {
        /// The sub-command and its arguments.
        command: String,
        /// What git wrote to its error output.
        stderr: String,
    },
    /// The program answered something that this code cannot read.
    #[error("git answered something unexpected to {0}")]
    Unexpected(&'static str),
}

/// A bare repository on disk.
///
/// The long-lived `cat-file` and `hash-object` processes behind it start on first use.
#[derive(Debug)]
pub struct Git {
    dir: PathBuf,
    objects: objects::Objects,
}

impl Git {
    /// Creates an empty bare repository in `dir` whose first branch will be `branch`.
    ///
    /// # Errors
    /// When git cannot be run or refuses the folder.
    pub async fn init(dir: &Path, branch: &str) -> Result<Self, GitError> {
        std::fs::create_dir_all(dir)?;
        let git = Self::open(dir);
        git.run(&[
            "init",
            "--quiet",
            "--bare",
            "--template=",
            "--initial-branch",
            branch,
        ])
        .await?;
        Ok(git)
    }

    /// Uses the bare repository that is in `dir` already.
    #[must_use]
    pub fn open(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            objects: objects::Objects::new(dir),
        }
    }

    /// The repository's folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Runs one git command and returns its output.
    ///
    /// # Errors
    /// When git cannot be run or ends with an error.
    pub async fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<u8>, GitError> {
        self.run_with(args, Vec::new(), &[]).await
    }

    /// Runs one git command with `stdin` and additional environment variables.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn run_with<S: AsRef<OsStr>>(
        &self,
        args: &[S],
        stdin: Vec<u8>,
        env: &[(&str, &OsStr)],
    ) -> Result<Vec<u8>, GitError> {
        let mut child = command(&self.dir, args)
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // Fed from a task of its own: git may fill its output before it has read all its input.
        let feed = child.stdin.take().map(|mut pipe| {
            tokio::spawn(async move {
                // A command that needs no input may close the pipe; its exit status says enough.
                let _ = pipe.write_all(&stdin).await;
            })
        });
        let output = child.wait_with_output().await?;
        if let Some(feed) = feed {
            feed.abort();
        }
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(failed(args, &output.stderr))
        }
    }

    /// As [`Self::run`], for callers outside an async runtime; the output is decoded lossily.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_blocking<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<String, GitError> {
        let output = command(&self.dir, args).into_std().output()?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(failed(args, &output.stderr))
        }
    }

    /// A command on this repository for callers that stream its output.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        command(&self.dir, args)
    }
}

/// A git command on the bare repository `dir`, shut off from the machine's configuration.
fn command<S: AsRef<OsStr>>(dir: &Path, args: &[S]) -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_DIR", dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("XDG_CONFIG_HOME", dir)
        // Nothing may be packed or dropped behind a test's back.
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "gc.auto")
        .env("GIT_CONFIG_VALUE_0", "0")
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .env("GIT_AUTHOR_NAME", ANOTHER_DEVICE.0)
        .env("GIT_AUTHOR_EMAIL", ANOTHER_DEVICE.1)
        .env("GIT_COMMITTER_NAME", ANOTHER_DEVICE.0)
        .env("GIT_COMMITTER_EMAIL", ANOTHER_DEVICE.1)
        .current_dir(dir)
        .kill_on_drop(true)
        .args(args);
    command
}

/// Name and address of whoever commits behind the server's back.
pub(crate) const ANOTHER_DEVICE: (&str, &str) = ("Another Device", "device@example.test");

fn failed<S: AsRef<OsStr>>(args: &[S], stderr: &[u8]) -> GitError {
    let command: Vec<_> = args
        .iter()
        .map(|arg| arg.as_ref().to_string_lossy())
        .collect();
    GitError::Failed {
        command: command.join(" "),
        stderr: String::from_utf8_lossy(stderr).trim().to_owned(),
    }
}
