//! An index over a repository at GitHub: reads cost nothing, changes cost one request.
//!
//! [`VaultIndex`] keeps every note that the policy shows in a database, at one commit, and asks
//! GitHub only whether the branch still is there, which GitHub does not count. It holds nothing
//! that the policy hides. While it is being built, [`GithubStorage`] answers in its place, so it is
//! never in the way.
//!
//! - `schema`, `rows`: the tables; `facts`: what is known beside the notes.
//! - `refresh`: when to look at the branch; `sync`, `plan`: how to follow it; `fetch`, `unpack`:
//!   where the bytes come from.
//! - `write`, `room`, `obstacles`, `pace`: one change after the other, and what it must not replace.
//! - `walk`: when notes were changed last.
//! - `read`: notes; `search`, `terms`: those that hold a query; `sweep`: those that hold
//!   a pattern; `browse`: pages of notes, and the
//!   vault summed up; `conditions`: which notes are meant; `links`: where links lead.
//!
//! Nothing holds a borrow or leaves the database half changed across an `await`: statements without
//! one between them are one commit.

mod browse;
mod conditions;
mod facts;
mod fetch;
mod links;
mod obstacles;
mod pace;
mod plan;
mod read;
mod refresh;
mod room;
mod rows;
mod schema;
mod search;
mod sweep;
mod sync;
mod terms;
mod unpack;
mod walk;
mod write;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    fmt,
    rc::Rc,
    slice,
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::Mutex;

pub use facts::Stage;
use facts::{FactStore, Facts};
pub use links::STATEMENTS as LINK_STATEMENTS;
pub use pace::Pacing;
use rows::{Row, Rows};
use schema::Fault;
pub use search::{Found, Page};
use walk::Walk;

use super::github::{GithubRepository, GithubStorage, Intent, alone};
use crate::{
    runtime::{Clock, HttpClient, Rng, Sleep, Sql, StreamingHttpClient, Timestamp},
    vault::{
        path::VaultPath,
        permit::PermitCheck,
        policy::{Visible, Writable},
        storage::{
            BrowsePage, BrowseQuery, CommitId, CommitInfo, Committed, CompletionPage,
            CompletionQuery, Entry, HistoryPage, HistoryQuery, Indexed, LinkQuery, Links,
            ListQuery, Listing, Lookup, Lookups, Overview, OverviewQuery, Progress, Revision,
            SearchHit, SearchPage, SearchQuery, Sieve, StorageError, SweepPage, SweepQuery,
            VaultStorage,
        },
    },
};

/// What the index needs from whatever runs it.
pub struct Seams {
    /// A database of its own.
    pub sql: Rc<dyn Sql>,
    /// The way to GitHub.
    pub http: Rc<dyn StreamingHttpClient>,
    /// The time.
    pub clock: Rc<dyn Clock>,
    /// Chance, to spread what is tried again.
    pub rng: Rc<dyn Rng>,
    /// Waiting.
    pub sleep: Rc<dyn Sleep>,
    /// Whether a change may still be made when its turn has come.
    pub permits: Rc<dyn PermitCheck>,
    /// How fast changes may follow each other.
    pub pacing: Pacing,
}

impl fmt::Debug for Seams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seams").finish_non_exhaustive()
    }
}

/// How the index is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// How far it is.
    pub stage: Stage,
    /// The commit whose notes it holds.
    pub head: Option<CommitId>,
    /// When GitHub last said where the branch is.
    pub checked_at: Option<Timestamp>,
    /// How many notes it holds.
    pub notes: u64,
    /// When the token expires, where GitHub says so.
    pub token_expires_at: Option<Timestamp>,
    /// While it is being built: how many notes have been fetched, and of how many.
    pub progress: Option<(usize, usize)>,
}

/// The notes of one branch of one repository, indexed.
pub struct VaultIndex {
    github: GithubStorage,
    http: Rc<dyn StreamingHttpClient>,
    sql: Rc<dyn Sql>,
    clock: Rc<dyn Clock>,
    sleep: Rc<dyn Sleep>,
    permits: Rc<dyn PermitCheck>,
    pacing: Pacing,
    sieve: Rc<dyn Sieve>,
    rows: Rows,
    facts: FactStore,
    /// Held by whoever changes something or brings the index to another commit. First come, first
    /// served.
    turn: Mutex<()>,
    /// Held by whoever puts the first notes into the index, or builds it anew.
    builds: Mutex<()>,
    /// How many changes wait for their turn or have it.
    waiting: Cell<usize>,
    /// The paths that were changed since the last round of a build began.
    written: RefCell<BTreeSet<String>>,
    progress: Cell<Option<(usize, usize)>>,
    /// Whether GitHub tells of pushes by itself.
    told: Cell<bool>,
    /// Until when readers are not made to wait for another look at the branch.
    rest_until: Cell<Option<Timestamp>>,
    /// How often the background work has failed in a row.
    failures: Cell<u32>,
}

impl fmt::Debug for VaultIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultIndex")
            .field("github", &self.github)
            .finish_non_exhaustive()
    }
}

impl VaultIndex {
    /// Opens the index of `repository` that is in the database, or begins one.
    ///
    /// `sieve` is the policy and `fingerprint` a text that changes whenever the policy does. Notes
    /// that it no longer shows are erased here and now.
    ///
    /// # Errors
    /// [`StorageError::Unexpected`] when the database fails.
    pub fn open(
        repository: GithubRepository,
        sieve: Rc<dyn Sieve>,
        fingerprint: &str,
        seams: Seams,
    ) -> Result<Self, StorageError> {
        let Seams {
            sql,
            http,
            clock,
            rng,
            sleep,
            permits,
            pacing,
        } = seams;
        schema::prepare(&*sql)?;
        let facts = FactStore::load(Rc::clone(&sql))?;
        let plain_http: Rc<dyn HttpClient> = Rc::clone(&http) as _;
        let github = GithubStorage::new(
            repository,
            plain_http,
            Rc::clone(&clock),
            rng,
            Rc::clone(&sleep),
        );
        github.remember(facts.get().heads);
        let index = Self {
            github,
            http,
            rows: Rows::new(Rc::clone(&sql)),
            sql,
            clock,
            sleep,
            permits,
            pacing,
            sieve,
            facts,
            turn: Mutex::default(),
            builds: Mutex::default(),
            waiting: Cell::default(),
            written: RefCell::default(),
            progress: Cell::default(),
            told: Cell::default(),
            rest_until: Cell::default(),
            failures: Cell::default(),
        };
        index.adopt(fingerprint)?;
        Ok(index)
    }

    /// Makes the policy the one that the notes are admitted by. What it shows and the one before
    /// hid is missing then: the index is as good as new, but for what it need not fetch again.
    fn adopt(&self, fingerprint: &str) -> Result<(), Fault> {
        if self.facts.read(|facts| facts.policy == fingerprint) {
            return Ok(());
        }
        self.rows.retain(&*self.sieve)?;
        self.facts.change(|facts| {
            fingerprint.clone_into(&mut facts.policy);
            facts.stage = Stage::New;
            // What was walked, was walked for the notes of then.
            facts.walk = Walk::default();
        })
    }

    /// How the index is doing.
    ///
    /// # Errors
    /// [`StorageError::Unexpected`] when the database fails.
    pub fn status(&self) -> Result<Status, StorageError> {
        let Facts {
            stage,
            head,
            checked_at,
            token_expires_at,
            ..
        } = self.facts.get();
        let notes = self.rows.count()?;
        Ok(Status {
            stage,
            head,
            checked_at,
            notes,
            token_expires_at,
            progress: self.progress.get(),
        })
    }

    /// When [`Self::work`] is to be called next; `None` when there is nothing to do but to answer.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        let facts = self.facts.get();
        let now = self.clock.now();
        let behind = facts.is_behind() || self.has_lost_a_change();
        let walk = facts.walk.due().filter(|_| !facts.is_refused());
        let asks = [behind.then_some(now), walk, facts.check_at()];
        // What asks GitHub waits until that makes sense.
        let failures = self.failures.get();
        let pause = if failures == 0 {
            0
        } else {
            5_u64 << failures.min(6)
        };
        let rested = now.after(Duration::from_secs(pause));
        let earliest = facts
            .outage
            .as_ref()
            .map_or(rested, |outage| rested.max(outage.until));
        let asks = asks.into_iter().flatten().min();
        let asks = asks.map(|due| due.max(earliest));
        asks.into_iter().chain(facts.erase_at()).min()
    }

    /// Does what takes too long for a request: builds the index, follows a push that a reader could
    /// not wait for, and finds out when notes were changed last. Erases the index when GitHub has refused the token for a week.
    ///
    /// # Errors
    /// Any [`StorageError`] of reading. [`Self::due`] says when to try again.
    pub async fn work(&self) -> Result<(), StorageError> {
        let now = self.clock.now();
        let facts = self.facts.get();
        if facts.erase_at().is_some_and(|at| at <= now) {
            return Ok(self.forget()?);
        }
        let worked = match facts.stage {
            Stage::Ready => self.catch_up().await,
            Stage::New | Stage::Building => self.bind_and_build().await,
        };
        match &worked {
            Ok(()) => self.failures.set(0),
            Err(error) => {
                self.failures.set(self.failures.get().saturating_add(1));
                self.take_failure(error)?;
            }
        }
        worked
    }

    async fn bind_and_build(&self) -> Result<(), StorageError> {
        self.bind().await?;
        self.build().await
    }

    async fn catch_up(&self) -> Result<(), StorageError> {
        {
            let _turn = self.take_turn().await?;
            let now = self.clock.now();
            let is_due = |facts: &Facts| facts.check_at().is_some_and(|at| at <= now);
            if self.facts.read(|facts| facts.dirty || is_due(facts)) {
                self.look().await?;
            }
        }
        self.walk().await
    }

    /// The commit that the rows are of; `None` while there is none.
    fn head(&self) -> Option<CommitId> {
        self.facts.read(|facts| facts.head.clone())
    }

    /// Whether the index can answer about `at`, after a look at the branch if one is due.
    async fn answers(&self, at: Option<&CommitId>) -> Result<bool, StorageError> {
        let ready = self.freshen().await?;
        Ok(ready && at.is_none_or(|at| self.facts.read(|facts| facts.head.as_ref() == Some(at))))
    }

    /// What the rows answer, once they are complete.
    async fn indexed<T>(
        &self,
        answer: impl FnOnce(&Self) -> Result<T, Fault>,
    ) -> Result<Indexed<T>, StorageError> {
        self.settle().await?;
        if self.facts.read(|facts| facts.stage) == Stage::Ready {
            return Ok(Indexed::Answer(answer(self)?));
        }
        Ok(Indexed::Building(Progress {
            indexed: self.rows.count()?,
            total: self.progress.get().map(|(_, total)| total as u64),
        }))
    }

    /// Passes on what GitHub answers in the index's place. What a refusal says about the next
    /// request is remembered.
    async fn instead<T>(
        &self,
        answer: impl Future<Output = Result<T, StorageError>>,
    ) -> Result<T, StorageError> {
        let answer = answer.await;
        if let Err(error) = &answer {
            self.take_failure(error)?;
        }
        answer
    }
}

#[async_trait(?Send)]
impl VaultStorage for VaultIndex {
    async fn list(&self, query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        if !self.answers(query.at.as_ref()).await? {
            return self.instead(self.github.list(query)).await;
        }
        let commit = self.head();
        let rows = self.rows.below(&query.dir)?.into_iter();
        let entries = rows.filter_map(
            |Row {
                 path,
                 revision,
                 bytes,
             }| {
                Some(Entry {
                    path: query.sieve.admit(&path)?,
                    revision,
                    bytes,
                })
            },
        );
        Ok(Listing {
            commit,
            entries: entries.collect(),
        })
    }

    async fn read(
        &self,
        sieve: &dyn Sieve,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        alone(self.read_rows(sieve, slice::from_ref(note), at).await?)
    }

    async fn read_together(
        &self,
        sieve: &dyn Sieve,
        notes: &[Visible],
        at: Option<&CommitId>,
    ) -> Result<Lookups, StorageError> {
        self.read_rows(sieve, notes, at).await
    }

    async fn links(&self, query: &LinkQuery<'_>) -> Result<Indexed<Links>, StorageError> {
        let links = self.indexed(|index| index.links_of_rows(query)).await?;
        Ok(links.map(|links| links.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn hear_of(&self, reference: &str, commit: &CommitId) -> Result<(), StorageError> {
        Ok(self.hear(reference, commit)?)
    }

    async fn search(&self, query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        self.settle().await?;
        let page = search::Page {
            offset: query.offset,
            limit: query.limit,
        };
        let found = self
            .find(query.query, &query.dir, query.filter, page)
            .await?;
        let admit = |path: VaultPath| query.sieve.admit(path.as_str());
        let hits = found.hits.into_iter().map(SearchHit::from);
        let unfinished = (found.stage != Stage::Ready).then(|| Progress {
            indexed: found.searched,
            total: self.progress.get().map(|(_, total)| total as u64),
        });
        Ok(SearchPage {
            commit: found.commit,
            total: found.total,
            hits: hits.filter_map(|hit| hit.with_path(admit)).collect(),
            searched: found.searched,
            by_path_only: found.by_path_only,
            unfinished,
        })
    }

    async fn sweep(&self, query: &SweepQuery<'_>) -> Result<Indexed<SweepPage>, StorageError> {
        let page = self.indexed(|index| index.sweep_rows(query)).await?;
        Ok(page.map(|page| page.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn browse(&self, query: &BrowseQuery<'_>) -> Result<Indexed<BrowsePage>, StorageError> {
        let page = self.indexed(|index| index.browse_rows(query)).await?;
        Ok(page.map(|page| page.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn complete(
        &self,
        query: &CompletionQuery<'_>,
    ) -> Result<Indexed<CompletionPage>, StorageError> {
        let page = self.indexed(|index| index.complete_rows(query)).await?;
        Ok(page.map(|page| page.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn overview(&self, query: &OverviewQuery<'_>) -> Result<Indexed<Overview>, StorageError> {
        let overview = self.indexed(|index| index.overview_of_rows(query)).await?;
        Ok(overview.map(|overview| overview.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn history(&self, query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        if !self.answers(None).await? {
            return self.instead(self.github.history(query)).await;
        }
        let path = query.note.as_str();
        let head = self.head();
        // No note stands there, but something else or a folder does.
        let is_taken = self.rows.find(query.note)?.is_none()
            && (obstacles::may_be_at(&*self.sql, path)? || self.rows.any_below(path)?);
        if is_taken {
            return Ok(HistoryPage::of_nothing(head));
        }
        self.instead(async {
            match self.github.ancestor(head, query.from.as_ref()).await? {
                None => Ok(HistoryPage::of_nothing(None)),
                Some(from) => self.github.history_from(query, from).await,
            }
        })
        .await
    }

    async fn create(
        &self,
        sieve: &dyn Sieve,
        note: &Writable,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.change(note, Intent::Create(sieve, content), info)
            .await
    }

    async fn update(
        &self,
        note: &Writable,
        base: &Revision,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.change(note, Intent::Update(base, content), info).await
    }

    async fn delete(
        &self,
        note: &Writable,
        base: &Revision,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.change(note, Intent::Delete(base), info).await
    }
}
