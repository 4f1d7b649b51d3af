//! What the index knows about itself and about GitHub, across restarts.

use std::{cell::RefCell, rc::Rc, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    schema::{self, Fault},
    walk::Walk,
};
use crate::{
    runtime::{Sql, Timestamp},
    storage::github::RecentHeads,
    vault::storage::{CommitId, Denial, StorageError},
};

/// How long reads go on after GitHub has refused the token. Whoever revokes the token revokes
/// access.
const GRACE: Duration = Duration::from_mins(15);

/// How long the notes are kept after GitHub has refused the token.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// How soon GitHub is asked again after it has refused the token.
const ASK_AGAIN: Duration = Duration::from_mins(1);

/// How long nobody may have asked GitHub: a token that is taken away is to be noticed, also where
/// nobody reads any more.
const UNASKED: Duration = Duration::from_hours(24);

/// Why GitHub is not asked for now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outage {
    /// When it began.
    pub(super) since: Timestamp,
    /// When to ask again.
    pub(super) until: Timestamp,
    /// How often GitHub has said so since.
    pub(super) times: u32,
    /// What GitHub said.
    pub(super) reason: Reason,
}

/// What GitHub said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reason {
    /// A rate limit.
    RateLimited,
    /// The server is not let in: one of the denials that end access.
    Refused(Denial),
}

/// How far the index is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Nobody has asked for anything yet.
    #[default]
    New,
    /// It is being built, or built anew after a large push. GitHub answers in its place.
    Building,
    /// It holds all notes of its head.
    Ready,
}

/// All that is remembered beside the notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Facts {
    /// The commit whose notes the index holds; `None` for a repository without commits.
    pub(super) head: Option<CommitId>,
    /// Whether the index holds all notes of `head`.
    pub(super) stage: Stage,
    /// Whether the branch is known to have moved past `head`, or may have.
    pub(super) dirty: bool,
    /// When a change was sent of which it is not known yet what became: it is under way, or was
    /// broken off.
    pub(super) sent: Option<Timestamp>,
    /// When GitHub last said where the branch is.
    pub(super) checked_at: Option<Timestamp>,
    /// Whether GitHub's last word was an older commit than the head.
    pub(super) lagging: bool,
    /// Why GitHub is not asked for now.
    pub(super) outage: Option<Outage>,
    /// The heads that were seen.
    pub(super) heads: RecentHeads,
    /// Whether some folder, link or submodule of the head is called like a note that the policy
    /// shows.
    pub(super) impostors: bool,
    /// The number of the repository that the notes are from.
    pub(super) repository: Option<u64>,
    /// How far the history has been walked.
    pub(super) walk: Walk,
    /// When the token expires, as far as GitHub says so.
    pub(super) token_expires_at: Option<Timestamp>,
    /// The policy that the notes were admitted by.
    pub(super) policy: String,
}

impl Facts {
    /// Takes in that GitHub answered: whatever it refused before, it does no longer.
    pub(super) fn answered(&mut self, now: Timestamp) {
        self.checked_at = Some(now);
        self.outage = None;
    }

    /// Takes in a failure, where it says something about the next request.
    pub(super) fn failed(&mut self, error: &StorageError, now: Timestamp) {
        let (reason, wait) = match error {
            StorageError::RateLimited { retry_after } => (Reason::RateLimited, *retry_after),
            StorageError::Denied(denial) if denial.ends_access() => {
                (Reason::Refused(denial.clone()), ASK_AGAIN)
            }
            StorageError::NotFound
            | StorageError::AlreadyExists { .. }
            | StorageError::NoRoom
            | StorageError::FolderTwin(_)
            | StorageError::Conflict { .. }
            | StorageError::UnknownCommit
            | StorageError::TooLarge { .. }
            | StorageError::Withdrawn
            | StorageError::Unavailable { .. }
            | StorageError::Denied(_)
            | StorageError::PathRefused
            | StorageError::Rejected(_)
            | StorageError::Unexpected(_) => return,
        };
        let before = self
            .outage
            .take()
            .filter(|outage| outage.is_denial() == (reason != Reason::RateLimited));
        let (since, times) = before.map_or((now, 0), |outage| (outage.since, outage.times));
        let until = now.after(wait);
        self.outage = Some(Outage {
            since,
            until,
            times: times + 1,
            reason,
        });
    }

    /// The failure that stands instead of the next request, until it is time to ask again.
    pub(super) fn blocked(&self, now: Timestamp) -> Option<StorageError> {
        self.outage
            .as_ref()
            .filter(|outage| now < outage.until)
            .map(|outage| outage.error(now))
    }

    /// Why even what the index holds must not be shown: the token was refused, more than once, and
    /// long enough ago.
    pub(super) fn withheld(&self, now: Timestamp) -> Option<StorageError> {
        let outage = self
            .outage
            .as_ref()
            .filter(|outage| outage.is_confirmed())?;
        (outage.since.after(GRACE) < now).then(|| outage.error(now))
    }

    /// Whether the index is not what the branch is, and GitHub would say what is missing.
    pub(super) fn is_behind(&self) -> bool {
        (self.stage != Stage::Ready || self.dirty) && !self.is_refused()
    }

    /// Whether GitHub has refused the token, more than once.
    pub(super) fn is_refused(&self) -> bool {
        self.outage.as_ref().is_some_and(Outage::is_confirmed)
    }

    /// When GitHub is to be asked though nobody reads: once a day, and a second time after it has
    /// refused the token.
    pub(super) fn check_at(&self) -> Option<Timestamp> {
        match &self.outage {
            Some(outage) if outage.is_confirmed() => None,
            Some(outage) if outage.is_denial() => Some(outage.until),
            Some(_) | None => self.checked_at.map(|at| at.after(UNASKED)),
        }
    }

    /// When the notes are to be erased, if there are any, unless GitHub takes the token again.
    pub(super) fn erase_at(&self) -> Option<Timestamp> {
        self.repository?;
        let outage = self
            .outage
            .as_ref()
            .filter(|outage| outage.is_confirmed())?;
        Some(outage.since.after(KEPT))
    }
}

impl Outage {
    const fn is_denial(&self) -> bool {
        matches!(self.reason, Reason::Refused(_))
    }

    /// One refusal may be a mistake of GitHub's.
    const fn is_confirmed(&self) -> bool {
        self.is_denial() && self.times > 1
    }

    fn error(&self, now: Timestamp) -> StorageError {
        match &self.reason {
            Reason::RateLimited => {
                let left = self.until.unix_seconds().saturating_sub(now.unix_seconds());
                StorageError::RateLimited {
                    retry_after: Duration::from_secs(left.max(1)),
                }
            }
            Reason::Refused(denial) => StorageError::Denied(denial.clone()),
        }
    }
}

/// [`Facts`], kept in the database.
pub(super) struct FactStore {
    sql: Rc<dyn Sql>,
    facts: RefCell<Facts>,
}

impl FactStore {
    /// Reads what was kept, or starts anew.
    pub(super) fn load(sql: Rc<dyn Sql>) -> Result<Self, Fault> {
        let kept = schema::meta(&*sql, "facts")?;
        let facts = kept
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Ok(Self {
            sql,
            facts: RefCell::new(facts),
        })
    }

    /// What is known now.
    pub(super) fn get(&self) -> Facts {
        self.facts.borrow().clone()
    }

    /// Asks one thing of what is known.
    pub(super) fn read<T>(&self, question: impl FnOnce(&Facts) -> T) -> T {
        question(&self.facts.borrow())
    }

    /// Changes what is known, and keeps it.
    pub(super) fn change(&self, edit: impl FnOnce(&mut Facts)) -> Result<(), Fault> {
        let mut facts = self.get();
        edit(&mut facts);
        if *self.facts.borrow() == facts {
            return Ok(());
        }
        let text = serde_json::to_string(&facts).map_err(|error| Fault::of(&error))?;
        schema::set_meta(&*self.sql, "facts", &text)?;
        *self.facts.borrow_mut() = facts;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Timestamp = Timestamp::from_unix_seconds(1_000_000);

    fn later(minutes: u64) -> Timestamp {
        T.after(Duration::from_mins(minutes))
    }

    #[test]
    fn a_rate_limit_blocks_requests_and_nothing_else() {
        let mut facts = Facts::default();
        facts.failed(
            &StorageError::RateLimited {
                retry_after: Duration::from_secs(90),
            },
            T,
        );
        let left = Duration::from_secs(30);
        assert_eq!(
            facts.blocked(later(1)),
            Some(StorageError::RateLimited { retry_after: left })
        );
        assert_eq!(facts.blocked(later(2)), None);
        assert_eq!((facts.withheld(later(100)), facts.erase_at()), (None, None));
    }

    #[test]
    fn a_token_refused_twice_ends_reading_after_a_quarter_of_an_hour() {
        let refused = StorageError::Denied(Denial::BadCredentials);
        let mut facts = Facts {
            repository: Some(1),
            ..Facts::default()
        };
        facts.failed(&refused, T);
        assert_eq!(facts.withheld(later(60)), None, "refused once");
        facts.failed(&refused, later(2));
        assert_eq!(facts.withheld(later(15)), None);
        assert_eq!(facts.withheld(later(16)), Some(refused));
        assert_eq!(facts.erase_at(), Some(later(7 * 24 * 60)));
        facts.answered(later(17));
        assert_eq!((facts.withheld(later(60)), facts.erase_at()), (None, None));
    }

    #[test]
    fn the_clock_of_a_refusal_starts_with_the_first() {
        let mut facts = Facts::default();
        let refused = StorageError::Denied(Denial::RepositoryNotFound);
        facts.failed(&refused, T);
        facts.failed(
            &StorageError::Unavailable {
                outcome_unknown: false,
            },
            later(1),
        );
        facts.failed(&refused, later(2));
        assert_eq!(
            facts.outage.map(|outage| (outage.since, outage.times)),
            Some((T, 2))
        );
    }
}
