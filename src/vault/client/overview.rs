//! The vault summed up.

use std::time::Duration;

use super::{FolderSummary, ListedNote, VaultClient, folder::summarize};
use crate::{
    runtime::Timestamp,
    vault::{
        error::{ReadOnly, VaultError},
        path::DirPath,
        policy::AGENT_FILES,
        storage::{CommitId, Indexed, Overview, OverviewQuery, Progress, TagCount},
    },
};

/// How long before its end the vault token's expiry is warned of.
const NOTICE: Duration = Duration::from_hours(7 * 24);

/// The vault summed up, for one caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultOverview {
    /// The commit whose state this is; `None` in a vault without commits.
    pub commit: Option<CommitId>,
    /// How many notes there are.
    pub notes: usize,
    /// Their size together, in bytes.
    pub bytes: u64,
    /// The folders at the root.
    pub folders: Vec<FolderSummary>,
    /// The notes at the root that hold instructions for agents.
    pub instructions: Vec<ListedNote>,
    /// What only an index knows, or how far that is.
    pub indexed: Indexed<IndexedFacts>,
    /// Why this caller may change nothing; `None` where they may.
    pub read_only: Option<ReadOnly>,
}

/// What only an index knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFacts {
    /// The tags that most notes have, in that order.
    pub tags: Vec<TagCount>,
    /// How many different tags there are.
    pub distinct_tags: usize,
    /// The notes that were changed last, the last one first.
    pub recent: Vec<ListedNote>,
    /// Of how many notes it is not known when they were changed.
    pub undated: usize,
    /// When GitHub last said where the branch is.
    pub checked_at: Option<Timestamp>,
    /// When the vault token expires, where known.
    pub token_expires_at: Option<Timestamp>,
    /// Whether that is so soon that its owner should know.
    pub token_expires_soon: bool,
}

impl VaultClient {
    /// Sums the vault up. While there is no index, its notes are counted all the same.
    ///
    /// # Errors
    /// What the backend reports.
    pub async fn overview(&self) -> Result<VaultOverview, VaultError> {
        let query = OverviewQuery {
            sieve: &*self.policy,
            named: &AGENT_FILES,
        };
        let root = DirPath::root();
        let overview = self.storage.overview(&query).await;
        match overview.map_err(|error| VaultError::from_storage(root.as_str(), error))? {
            Indexed::Answer(overview) => Ok(self.overview_of_index(overview)),
            Indexed::Building(progress) => self.overview_of_tree(progress).await,
        }
    }

    fn overview_of_index(&self, mut overview: Overview) -> VaultOverview {
        overview.recent.retain(|note| self.readmit(&note.path));
        overview.named.retain(|note| self.readmit(&note.path));
        let token_expires_soon = is_soon(overview.token_expires_at, overview.answered_at);
        VaultOverview {
            commit: overview.commit,
            notes: overview.notes,
            bytes: overview.bytes,
            folders: self.summaries(overview.folders),
            instructions: overview.named.into_iter().map(ListedNote::from).collect(),
            indexed: Indexed::Answer(IndexedFacts {
                tags: overview.tags,
                distinct_tags: overview.distinct_tags,
                recent: overview.recent.into_iter().map(ListedNote::from).collect(),
                undated: overview.undated,
                checked_at: overview.checked_at,
                token_expires_at: overview.token_expires_at,
                token_expires_soon,
            }),
            read_only: self.read_only(),
        }
    }

    async fn overview_of_tree(&self, progress: Progress) -> Result<VaultOverview, VaultError> {
        let listing = self.listing(&DirPath::root(), None).await?;
        let is_instruction = |path: &str| AGENT_FILES.contains(&path);
        let instructions = listing.entries.iter();
        Ok(VaultOverview {
            notes: listing.entries.len(),
            bytes: listing.entries.iter().map(|entry| entry.bytes).sum(),
            folders: summarize(&DirPath::root(), &listing.entries, 1),
            instructions: instructions
                .filter(|entry| is_instruction(&entry.path.fold()))
                .map(ListedNote::from)
                .collect(),
            indexed: Indexed::Building(progress),
            read_only: self.read_only(),
            commit: listing.commit,
        })
    }
}

/// Whether a token that ends at `end` should be replaced `now`.
fn is_soon(end: Option<Timestamp>, now: Option<Timestamp>) -> bool {
    end.zip(now)
        .is_some_and(|(end, now)| end <= now.after(NOTICE))
}

#[cfg(test)]
mod tests {
    use super::{Timestamp, is_soon};

    #[test]
    fn the_end_of_a_token_is_told_a_week_ahead() {
        let at = |days: u64| Some(Timestamp::from_unix_seconds(days * 86_400));
        assert!(!is_soon(at(108), at(100)));
        assert!(is_soon(at(107), at(100)));
        assert!(is_soon(at(99), at(100)));
        assert!(!is_soon(None, at(100)));
        assert!(!is_soon(at(100), None));
    }
}
