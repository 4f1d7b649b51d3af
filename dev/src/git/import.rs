//! Commits made in bulk: a repository's first files, a copy of a folder, a push from elsewhere.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{ANOTHER_DEVICE, Git, GitError, Oid, Signature, Swap};
use crate::seed::{Mode, SeedFile};

/// When a seeded repository's first commit was made (2026-01-01T00:00:00Z): fixed, so that equal
/// seeds give equal commits.
const SEED_SECONDS: i64 = 1_767_225_600;

/// One change of a [`Push`]. Paths are exactly the bytes git will store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Creates or replaces a file.
    Put(SeedFile),
    /// Removes a file, or a folder with all it holds.
    Delete(String),
    /// Moves a file or folder.
    Rename {
        /// Where it is.
        from: String,
        /// Where it goes.
        to: String,
    },
}

/// A commit that reaches the repository by `git push` and not through the API: another device of
/// the vault's owner.
#[derive(Clone, Debug, Default)]
pub struct Push {
    branch: Option<String>,
    message: Option<String>,
    parent: Option<Oid>,
    seconds: Option<i64>,
    changes: Vec<Change>,
}

impl Push {
    /// A push of one commit without changes to the default branch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates or replaces an ordinary file.
    #[must_use]
    pub fn put(self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.change(Change::Put(SeedFile::regular(path, bytes)))
    }

    /// Removes a file, or a folder with all it holds.
    #[must_use]
    pub fn delete(self, path: impl Into<String>) -> Self {
        self.change(Change::Delete(path.into()))
    }

    /// Moves a file or folder.
    #[must_use]
    pub fn rename(self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.change(Change::Rename {
            from: from.into(),
            to: to.into(),
        })
    }

    /// Adds any change; they apply in the order they were added.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Pushes to this branch, creating it from the default branch when it is missing.
    #[must_use]
    pub fn branch(mut self, branch: impl Into<String>) -> Self {
        self.branch = Some(branch.into());
        self
    }

    /// The commit's message.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// When it was committed, in seconds since 1970; now, if nobody says.
    #[must_use]
    pub const fn at(mut self, seconds: i64) -> Self {
        self.seconds = Some(seconds);
        self
    }

    /// Builds on this commit and moves the branch to the result whatever it held: a forced push.
    #[must_use]
    pub const fn forced_onto(mut self, parent: Oid) -> Self {
        self.parent = Some(parent);
        self
    }

    /// The branch to push to, when it is not the default one.
    pub(crate) fn branch_name(&self) -> Option<&str> {
        self.branch.as_deref()
    }
}

impl Git {
    /// Makes the first commit of a branch from `files`, in one pass.
    pub(crate) async fn seed(&self, branch: &str, files: Vec<SeedFile>) -> Result<Oid, GitError> {
        let changes: Vec<_> = files.into_iter().map(Change::Put).collect();
        let commit = self
            .import(None, "Start the vault", SEED_SECONDS, &changes)
            .await?;
        self.run(&[
            "update-ref",
            &format!("refs/heads/{branch}"),
            &commit.to_string(),
        ])
        .await?;
        Ok(commit)
    }

    /// Makes the first commit of a branch from a folder: every file that `git add` would take.
    ///
    /// The folder is only read: index and objects are this repository's.
    pub(crate) async fn seed_from(&self, branch: &str, folder: &Path) -> Result<Oid, GitError> {
        let index = self.dir().join(format!("index-{}", std::process::id()));
        let excludes = folder.join(".git/info/exclude");
        let mut excludes_setting = std::ffi::OsString::from("core.excludesFile=");
        excludes_setting.push(&excludes);
        let env = [("GIT_INDEX_FILE", index.as_os_str())];
        let add: [&OsStr; 11] = [
            "-C".as_ref(),
            folder.as_os_str(),
            "--work-tree".as_ref(),
            folder.as_os_str(),
            "-c".as_ref(),
            &excludes_setting,
            "-c".as_ref(),
            // A warning for every CRLF file of a vault helps nobody.
            "core.safecrlf=false".as_ref(),
            "add".as_ref(),
            "--all".as_ref(),
            ".".as_ref(),
        ];
        self.run_with(&add, Vec::new(), &env).await?;
        let tree = self.run_with(&["write-tree"], Vec::new(), &env).await?;
        std::fs::remove_file(&index)?;
        let tree = String::from_utf8_lossy(&tree)
            .trim()
            .parse()
            .map_err(|_| GitError::Unexpected("write-tree"))?;
        let who = another_device(now());
        let draft = super::CommitDraft {
            tree,
            parents: Vec::new(),
            author: who.clone(),
            committer: who,
            message: "Copy the vault\n".to_owned(),
        };
        let commit = self.write_commit(draft).await?.oid;
        self.run(&[
            "update-ref",
            &format!("refs/heads/{branch}"),
            &commit.to_string(),
        ])
        .await?;
        Ok(commit)
    }

    /// Puts a commit on a branch as a push does, and returns it. A push that loses a race is
    /// rebuilt on the new tip, as `git pull && git push` would.
    pub(crate) async fn push(&self, default_branch: &str, push: &Push) -> Result<Oid, GitError> {
        let branch = push.branch_name().unwrap_or(default_branch);
        let message = push.message.as_deref().unwrap_or("Edit on another device");
        loop {
            let tip = self.tip(branch).await?;
            let parent = match (push.parent, tip) {
                (Some(parent), _) | (None, Some(parent)) => Some(parent),
                (None, None) => self.tip(default_branch).await?,
            };
            let seconds = push.seconds.unwrap_or_else(now);
            let commit = self.import(parent, message, seconds, &push.changes).await?;
            if self.compare_and_swap(branch, commit, tip).await? == Swap::Done {
                return Ok(commit);
            }
        }
    }

    /// Makes one commit with `git fast-import`; no branch moves.
    async fn import(
        &self,
        parent: Option<Oid>,
        message: &str,
        seconds: i64,
        changes: &[Change],
    ) -> Result<Oid, GitError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // fast-import always moves a reference; this one is nobody's and goes at once.
        let scratch = format!("refs/look-alike/{}-{number}", std::process::id());
        let stream = stream(&scratch, parent, message, seconds, changes);
        self.run_with(&["fast-import", "--quiet", "--done"], stream, &[])
            .await?;
        let commit = self.reference(&scratch).await?;
        self.run(&["update-ref", "-d", &scratch]).await?;
        commit.ok_or(GitError::Unexpected("fast-import"))
    }
}

fn stream(
    reference: &str,
    parent: Option<Oid>,
    message: &str,
    seconds: i64,
    changes: &[Change],
) -> Vec<u8> {
    let (name, email) = ANOTHER_DEVICE;
    let mut out = format!(
        "commit {reference}\ncommitter {name} <{email}> {seconds} +0000\ndata {}\n{message}\n",
        message.len()
    )
    .into_bytes();
    if let Some(parent) = parent {
        out.extend_from_slice(format!("from {parent}\n").as_bytes());
    }
    for change in changes {
        match change {
            Change::Put(file) if file.mode == Mode::Submodule => {
                out.extend_from_slice(b"M 160000 ");
                out.extend_from_slice(&file.bytes);
                out.extend_from_slice(format!(" {}\n", quoted(&file.path)).as_bytes());
            }
            Change::Put(file) => {
                let (mode, path) = (file.mode, quoted(&file.path));
                let size = file.bytes.len();
                out.extend_from_slice(format!("M {mode} inline {path}\ndata {size}\n").as_bytes());
                out.extend_from_slice(&file.bytes);
                out.push(b'\n');
            }
            Change::Delete(path) => {
                out.extend_from_slice(format!("D {}\n", quoted(path)).as_bytes());
            }
            Change::Rename { from, to } => {
                out.extend_from_slice(format!("R {} {}\n", quoted(from), quoted(to)).as_bytes());
            }
        }
    }
    out.extend_from_slice(b"done\n");
    out
}

/// A path as fast-import reads it between quotation marks.
fn quoted(path: &str) -> String {
    let escaped = path
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}

fn another_device(seconds: i64) -> Signature {
    let (name, email) = ANOTHER_DEVICE;
    Signature {
        name: name.to_owned(),
        email: email.to_owned(),
        seconds,
        zone: "+0000".to_owned(),
    }
}

fn now() -> i64 {
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}
