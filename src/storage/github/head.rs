//! Which commit is the head, where GitHub may still name an older one.
//!
//! For some seconds after a push, GitHub can answer with the commit before it. A reader that
//! believed it would miss what it has just written.

use std::{collections::VecDeque, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{runtime::Timestamp, vault::storage::CommitId};

/// How long a known newer head is preferred to an older one that GitHub names.
pub(in crate::storage) const LAG: Duration = Duration::from_mins(1);

/// How many heads are remembered.
pub(in crate::storage) const REMEMBERED: usize = 50;

/// The heads that were seen, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::storage) struct RecentHeads {
    seen: VecDeque<CommitId>,
    newest_since: Option<Timestamp>,
}

impl RecentHeads {
    /// The head that was settled on last.
    pub(in crate::storage) fn newest(&self) -> Option<&CommitId> {
        self.seen.back()
    }

    /// Notes that `head` follows `parent`: a change of our own did it.
    pub(in crate::storage) fn advance(
        &mut self,
        parent: Option<&CommitId>,
        head: &CommitId,
        now: Timestamp,
    ) {
        if let Some(parent) = parent {
            self.push(parent);
        }
        self.push(head);
        self.newest_since = Some(now);
    }

    /// The head to go by when GitHub names `reported`, or no commit at all: an older head that was
    /// seen before gives way to the newest for as long as the lag may last; then it is believed, as
    /// the branch was reset.
    pub(in crate::storage) fn settle(
        &mut self,
        reported: Option<&CommitId>,
        now: Timestamp,
    ) -> Option<CommitId> {
        let lagging = self
            .newest_since
            .is_some_and(|since| since >= now.before(LAG))
            && reported.is_none_or(|reported| self.seen.contains(reported));
        if lagging {
            return self.seen.back().cloned();
        }
        if let Some(reported) = reported {
            self.push(reported);
        }
        reported.cloned()
    }

    fn push(&mut self, head: &CommitId) {
        self.seen.retain(|seen| seen != head);
        self.seen.push_back(head.clone());
        if self.seen.len() > REMEMBERED {
            self.seen.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(digit: char) -> CommitId {
        CommitId::parse(&digit.to_string().repeat(40)).unwrap()
    }

    const T: Timestamp = Timestamp::from_unix_seconds(1_000);

    /// What is settled on when GitHub names the commit `reported`, `later` seconds after [`T`].
    fn settle(heads: &mut RecentHeads, reported: char, later: u64) -> CommitId {
        let now = T.after(Duration::from_secs(later));
        heads.settle(Some(&commit(reported)), now).unwrap()
    }

    #[test]
    fn an_old_head_does_not_hide_an_own_change() {
        let mut heads = RecentHeads::default();
        assert_eq!(settle(&mut heads, 'a', 0), commit('a'));
        heads.advance(Some(&commit('a')), &commit('b'), T);
        assert_eq!(settle(&mut heads, 'a', 60), commit('b'));
        assert_eq!(settle(&mut heads, 'b', 0), commit('b'));
    }

    #[test]
    fn a_reset_is_believed_when_no_lag_explains_it() {
        let mut heads = RecentHeads::default();
        heads.advance(Some(&commit('a')), &commit('b'), T);
        assert_eq!(settle(&mut heads, 'a', 61), commit('a'));
    }

    #[test]
    fn a_head_never_seen_is_news() {
        let mut heads = RecentHeads::default();
        heads.advance(Some(&commit('a')), &commit('b'), T);
        assert_eq!(settle(&mut heads, 'c', 0), commit('c'));
        // What GitHub names now is older than what it named before.
        assert_eq!(settle(&mut heads, 'b', 0), commit('c'));
    }

    #[test]
    fn the_first_commit_of_all_is_not_hidden_either() {
        let mut heads = RecentHeads::default();
        assert_eq!(heads.settle(None, T), None);
        heads.advance(None, &commit('a'), T);
        assert_eq!(heads.settle(None, T), Some(commit('a')));
        assert_eq!(heads.settle(None, T.after(Duration::from_secs(61))), None);
    }
}
