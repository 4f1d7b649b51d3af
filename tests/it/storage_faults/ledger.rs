//! What has to hold: the model in memory that the vault is held against.

use std::collections::{BTreeMap, BTreeSet};

use vault_mcp::vault::storage::{CommitId, Revision};

/// What became of a change, by what its caller was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is made, by this commit.
    Acknowledged(CommitId),
    /// It is made, but somebody else had made it before.
    MadeBefore,
    /// Nothing was changed.
    Refused,
    /// Nobody knows.
    Unknown,
}

/// The texts that a note had, one after the other; `None` where it was missing.
type Versions = Vec<Option<String>>;

/// What git holds, what it held, and what callers were told.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    notes: BTreeMap<String, String>,
    versions: BTreeMap<String, Versions>,
    /// Of each note the version that the last acknowledged change made: nobody may be shown an
    /// older one.
    floors: BTreeMap<String, usize>,
    fates: BTreeMap<u64, Fate>,
}

impl Ledger {
    /// What git holds at `path`.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.notes.get(path).map(String::as_str)
    }

    /// The revision of what git holds at `path`.
    pub(super) fn revision(&self, path: &str) -> Option<Revision> {
        self.text(path).map(|text| Revision::of(text.as_bytes()))
    }

    /// All that git holds.
    pub(super) const fn notes(&self) -> &BTreeMap<String, String> {
        &self.notes
    }

    /// Git holds `text` at `path` from now on.
    pub(super) fn record(&mut self, path: &str, text: Option<&str>) {
        let text = text.map(str::to_owned);
        match &text {
            Some(text) => self.notes.insert(path.to_owned(), text.clone()),
            None => self.notes.remove(path),
        };
        self.versions_mut(path).push(text);
    }

    /// The same, by a change that its caller was told of: it must be seen from now on.
    pub(super) fn record_acknowledged(&mut self, path: &str, text: Option<&str>) {
        self.record(path, text);
        let newest = self.versions_mut(path).len() - 1;
        self.floors.insert(path.to_owned(), newest);
    }

    /// What the caller of a change was told.
    pub(super) fn settle(&mut self, change: u64, fate: Fate) {
        let before = self.fates.insert(change, fate);
        assert_eq!(before, None, "change {change} ended twice");
    }

    /// Whether a reader may be shown `revision` at `path`.
    pub(super) fn may_show(&self, path: &str, revision: Option<&Revision>) -> bool {
        let Some(versions) = self.versions.get(path) else {
            return revision.is_none();
        };
        let floor = self.floors.get(path).copied().unwrap_or_default();
        versions[floor..].iter().any(|version| {
            let version = version.as_ref().map(|text| Revision::of(text.as_bytes()));
            version.as_ref() == revision
        })
    }

    /// Whether everybody must be shown what git holds at `path` now: the last word on it was an
    /// acknowledged one.
    pub(super) fn is_known(&self, path: &str) -> bool {
        let newest = self.versions.get(path).map(|versions| versions.len() - 1);
        newest.is_some() && self.floors.get(path).copied() == newest
    }

    /// Every path that ever held a note.
    pub(super) fn paths(&self) -> BTreeSet<&str> {
        self.versions.keys().map(String::as_str).collect()
    }

    /// Holds the history to what callers were told. `commits` are those that changes of ours made,
    /// each with the number of its change.
    pub(super) fn check_history(&self, commits: &[(u64, CommitId)]) {
        for (change, fate) in &self.fates {
            let made = commits.iter().filter(|(number, _)| number == change);
            let made: Vec<_> = made.map(|(_, commit)| commit).collect();
            match fate {
                Fate::Acknowledged(commit) => {
                    assert_eq!(made, [commit], "change {change} was acknowledged");
                }
                Fate::Refused | Fate::MadeBefore => {
                    assert!(made.is_empty(), "change {change} is {fate:?}, not {made:?}");
                }
                Fate::Unknown => {
                    assert!(made.len() <= 1, "change {change} was made twice: {made:?}");
                }
            }
        }
        for (number, commit) in commits {
            assert!(
                self.fates.contains_key(number),
                "commit {commit} is nobody's"
            );
        }
    }

    /// How many changes ended as `is` says.
    pub(super) fn count(&self, is: impl Fn(&Fate) -> bool) -> usize {
        self.fates.values().filter(|fate| is(fate)).count()
    }

    fn versions_mut(&mut self, path: &str) -> &mut Versions {
        self.versions
            .entry(path.to_owned())
            .or_insert_with(|| vec![None])
    }
}
