//! One hosted repository.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::switches::RefLag;
use crate::git::{Git, GitError, ListedEntry, ObjectKind, Oid, Push};

/// Listings kept: a sync reads one tree, and tests rarely have more than a few heads.
const KEPT_LISTINGS: usize = 16;

type Listings = HashMap<(Oid, bool), Arc<Vec<ListedEntry>>>;

/// What a branch was, and since when.
type Tips = Vec<(Instant, Option<Oid>)>;

/// A repository: its identity, its objects, and what its branches were.
#[derive(Debug)]
pub(crate) struct Hosted {
    /// `owner/name`.
    pub(crate) full_name: String,
    pub(crate) id: u64,
    pub(crate) default_branch: String,
    pub(crate) git: Git,
    listings: Mutex<Listings>,
    /// Tips in the order they were seen, for [`RefLag`].
    tips: Mutex<HashMap<String, Tips>>,
}

impl Hosted {
    pub(crate) fn new(full_name: &str, default_branch: &str, git: Git) -> Self {
        let digest = Sha256::digest(full_name.to_lowercase().as_bytes());
        let id = digest
            .iter()
            .take(4)
            .fold(0, |id, byte| id << 8 | u64::from(*byte));
        Self {
            full_name: full_name.to_owned(),
            id,
            default_branch: default_branch.to_owned(),
            git,
            listings: Mutex::default(),
            tips: Mutex::default(),
        }
    }

    /// The part of the full name before the slash.
    pub(crate) fn owner(&self) -> &str {
        self.full_name.split('/').next().unwrap_or_default()
    }

    /// Whether the default branch has no commit yet and no other branch has one either.
    pub(crate) async fn is_empty(&self) -> Result<bool, GitError> {
        Ok(self.git.branches().await?.is_empty())
    }

    /// The tip that writes build on: always the real one.
    pub(crate) async fn tip(&self, branch: &str) -> Result<Option<Oid>, GitError> {
        let tip = self.git.tip(branch).await?;
        self.observe(branch, tip);
        Ok(tip)
    }

    /// The tip that a read is told.
    pub(crate) async fn read_tip(
        &self,
        branch: &str,
        lag: Option<RefLag>,
    ) -> Result<Option<Oid>, GitError> {
        let tip = self.tip(branch).await?;
        let tips = self.tips.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = tips.get(branch).map(Vec::as_slice).unwrap_or_default();
        let old = match lag {
            None => None,
            Some(RefLag::Reads(_)) => seen.iter().rev().nth(1),
            Some(RefLag::Milliseconds(ms)) => {
                let age = Duration::from_millis(ms);
                seen.iter()
                    .rev()
                    .find(|(since, _)| since.elapsed() >= age)
                    .or(seen.first())
            }
        };
        Ok(old.map_or(tip, |(_, old)| *old))
    }

    /// Notes what a branch is at now.
    pub(crate) fn observe(&self, branch: &str, tip: Option<Oid>) {
        let mut tips = self.tips.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = tips.entry(branch.to_owned()).or_default();
        if seen.last().is_none_or(|(_, last)| *last != tip) {
            seen.push((Instant::now(), tip));
        }
    }

    /// The commit that a client's text names: a branch, a tag, a full reference or (an
    /// abbreviated) object name.
    pub(crate) async fn resolve(
        &self,
        name: &str,
        lag: Option<RefLag>,
    ) -> Result<Option<Oid>, GitError> {
        if name == "HEAD" {
            return self.read_tip(&self.default_branch, lag).await;
        }
        let branch = name
            .strip_prefix("refs/heads/")
            .or_else(|| name.strip_prefix("heads/"))
            .unwrap_or(name);
        if let Ok(oid) = name.parse::<Oid>() {
            if let Some((ObjectKind::Commit, _)) = self.git.read(oid).await? {
                return Ok(Some(oid));
            }
        } else if let Some(tip) = self.read_tip(branch, lag).await? {
            return Ok(Some(tip));
        }
        if let Some(commit) = self.git.commit_named(name).await? {
            return Ok(Some(commit));
        }
        let tag = name
            .strip_prefix("refs/tags/")
            .or_else(|| name.strip_prefix("tags/"))
            .unwrap_or(name);
        match self.git.reference(&format!("refs/tags/{tag}")).await? {
            Some(oid) => self.git.peeled(&oid.to_string(), ObjectKind::Commit).await,
            None => Ok(None),
        }
    }

    /// As [`Git::list`], remembered: a tree never changes.
    pub(crate) async fn list(
        &self,
        tree: Oid,
        recursive: bool,
    ) -> Result<Arc<Vec<ListedEntry>>, GitError> {
        let key = (tree, recursive);
        if let Some(listing) = self.listings().get(&key) {
            return Ok(Arc::clone(listing));
        }
        let listing = Arc::new(self.git.list(tree, recursive).await?);
        let mut listings = self.listings();
        if listings.len() >= KEPT_LISTINGS {
            listings.clear();
        }
        listings.insert(key, Arc::clone(&listing));
        Ok(listing)
    }

    /// Takes a push from another device.
    pub(crate) async fn push(&self, push: &Push) -> Result<Oid, GitError> {
        let branch = push.branch_name().unwrap_or(&self.default_branch);
        self.tip(branch).await?;
        let commit = self.git.push(&self.default_branch, push).await?;
        self.tip(branch).await?;
        Ok(commit)
    }

    fn listings(&self) -> MutexGuard<'_, Listings> {
        self.listings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
