//! References: resolving names, and moving a branch by compare-and-swap.

use super::{Git, GitError, ObjectKind, Oid};

/// What became of a compare-and-swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swap {
    /// The branch is at the new commit.
    Done,
    /// The branch was elsewhere; it has not moved.
    Moved(Option<Oid>),
}

/// How often a swap waits for another process's lock file before it gives up.
const LOCK_TRIES: u32 = 50;

impl Git {
    /// The commit a branch is at, or `None` when there is no such branch.
    pub(crate) async fn tip(&self, branch: &str) -> Result<Option<Oid>, GitError> {
        self.reference(&format!("refs/heads/{branch}")).await
    }

    /// What a fully written reference (`refs/…`) points at, exactly that name.
    pub(crate) async fn reference(&self, name: &str) -> Result<Option<Oid>, GitError> {
        // What git-check-ref-format(1) forbids would be an expression to the process that is asked.
        let is_plain = name.starts_with("refs/")
            && !name.contains("..")
            && !name.contains("@{")
            && !name.contains(|c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c));
        if is_plain {
            self.named(name).await
        } else {
            Ok(None)
        }
    }

    /// The branches, each with its commit.
    pub(crate) async fn branches(&self) -> Result<Vec<(String, Oid)>, GitError> {
        let format = "--format=%(objectname) %(refname:lstrip=2)";
        let output = self.run(&["for-each-ref", format, "refs/heads/"]).await?;
        Ok(String::from_utf8_lossy(&output)
            .lines()
            .filter_map(|line| {
                let (oid, name) = line.split_once(' ')?;
                Some((name.to_owned(), oid.parse().ok()?))
            })
            .collect())
    }

    /// The commit behind a full or abbreviated name, tags followed; `None` when there is none.
    pub(crate) async fn commit_named(&self, hex: &str) -> Result<Option<Oid>, GitError> {
        let is_name = (4..=40).contains(&hex.len())
            && hex
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_name {
            return Ok(None);
        }
        self.peeled(hex, ObjectKind::Commit).await
    }

    /// What `name` points at after following tags (and commits, for a tree); `None` when missing.
    ///
    /// `name` is an object name or a full reference, never text from a client as it came.
    pub(crate) async fn peeled(
        &self,
        name: &str,
        kind: ObjectKind,
    ) -> Result<Option<Oid>, GitError> {
        let spec = format!("{name}^{{{}}}", kind.as_str());
        match self
            .run(&[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &spec,
            ])
            .await
        {
            Ok(output) => Ok(String::from_utf8_lossy(&output).trim().parse().ok()),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Moves a branch from `old` to `new`, or creates it when `old` is `None`: `git update-ref`
    /// with the expected value, so that of two writers one loses.
    pub(crate) async fn compare_and_swap(
        &self,
        branch: &str,
        new: Oid,
        old: Option<Oid>,
    ) -> Result<Swap, GitError> {
        let (name, new) = (format!("refs/heads/{branch}"), new.to_string());
        let expected = old.unwrap_or(Oid::ZERO).to_string();
        let mut last = None;
        for _ in 0..LOCK_TRIES {
            match self.run(&["update-ref", &name, &new, &expected]).await {
                Ok(_) => return Ok(Swap::Done),
                Err(error @ GitError::Failed { .. }) => last = Some(error),
                Err(error) => return Err(error),
            }
            let now = self.tip(branch).await?;
            if now != old {
                return Ok(Swap::Moved(now));
            }
            // The branch is where it should be: another process holds its lock file. Wait.
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        Err(last.unwrap_or(GitError::Unexpected("update-ref")))
    }
}
