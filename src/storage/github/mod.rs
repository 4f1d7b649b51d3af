//! A repository at GitHub as a place for notes, asked anew for every call.
//!
//! [`GithubStorage`] keeps nothing but the last heads it has seen. A read asks for the branch, for
//! the tree of the commit it names and for one blob; a change is one request to the contents
//! endpoint, which compares the note's blob id and makes the commit in one step.
//!
//! - `settings`: which repository; `credential`: with a token, or a GitHub App.
//! - `rest`: one request: headers, limits, redirects; `transport`: one to the repository.
//! - `access`: the token that it carries; `installation`: what an app may reach.
//! - `api`: the endpoints, typed; `model`: their JSON; `tree`: what a commit holds.
//! - `history`: the commits that touched a note; `changes`: what one commit changed; `time`: points
//!   in time as GitHub writes them.
//! - `located`: notes that were found, and how they are read.
//! - `error`: what a refusal means.
//! - `head`: which commit is the head where GitHub lags.
//! - `change`: a write, carried through races and lost answers.

mod access;
mod api;
mod change;
mod changes;
mod credential;
mod error;
mod head;
mod history;
mod installation;
mod located;
mod model;
mod rest;
mod settings;
mod time;
mod transport;
mod tree;

use std::{cell::RefCell, fmt, rc::Rc, slice, time::Duration};

use async_trait::async_trait;
use tokio::sync::Mutex;

use api::Written;
pub(in crate::storage) use api::{GithubApi, MAX_NOTE_BYTES, Place};
use change::Change;
pub(in crate::storage) use change::{Done, Intent, Pace};
pub(in crate::storage) use changes::CommitChanges;
pub use credential::{AppId, AppKey, Credential, GithubApp, InvalidKey};
pub(in crate::storage) use error::Refusal;
pub(in crate::storage) use head::RecentHeads;
pub(in crate::storage) use located::{Located, alone, read_places};
pub use settings::{BranchName, GithubRepository, InvalidName, OwnerName, RepoName};
use tree::Node;
pub(in crate::storage) use tree::{Tree, above};

use crate::{
    runtime::{Clock, HttpClient, Rng, Sleep},
    vault::{
        policy::{Visible, Writable},
        storage::{
            CommitId, CommitInfo, Committed, Denial, Entry, HistoryPage, HistoryQuery, ListQuery,
            Listing, Lookup, Lookups, Revision, Sieve, StorageError, VaultStorage,
        },
    },
};

/// The shortest wait before something is tried again; another tenth of a second to two seconds of
/// chance keeps two clients from meeting again.
const PAUSE: Duration = Duration::from_millis(300);

/// The notes of one branch of one repository at GitHub.
pub struct GithubStorage {
    api: GithubApi,
    clock: Rc<dyn Clock>,
    rng: Rc<dyn Rng>,
    sleep: Rc<dyn Sleep>,
    heads: RefCell<RecentHeads>,
    /// Held by whoever changes something. The index has a turn of its own.
    turn: Mutex<()>,
    /// The last tree that was asked for: a commit's tree never changes. Who comes while it is on
    /// its way waits for it.
    tree: Mutex<Option<(CommitId, Rc<Tree>)>>,
}

impl fmt::Debug for GithubStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GithubStorage")
            .field("api", &self.api)
            .finish_non_exhaustive()
    }
}

impl GithubStorage {
    /// The notes of `repository`. Nothing is sent before the first call.
    #[must_use]
    pub fn new(
        repository: GithubRepository,
        http: Rc<dyn HttpClient>,
        clock: Rc<dyn Clock>,
        rng: Rc<dyn Rng>,
        sleep: Rc<dyn Sleep>,
    ) -> Self {
        let api = GithubApi::new(http, Rc::clone(&clock), repository);
        Self {
            api,
            clock,
            rng,
            sleep,
            heads: RefCell::default(),
            turn: Mutex::default(),
            tree: Mutex::default(),
        }
    }

    /// The head of the branch; `None` while the repository has no commit.
    async fn head(&self) -> Result<Option<CommitId>, StorageError> {
        let known = self.heads.borrow().newest().cloned();
        let reported = match self.api.head(known.as_ref()).await {
            Ok(reported) => reported,
            Err(Refusal::Missing) => return Err(self.why_no_branch().await),
            Err(refusal) => return Err(refusal.into()),
        };
        Ok(self.settle(reported.as_ref()))
    }

    /// The head to go by when GitHub names `reported`: see [`RecentHeads::settle`].
    pub(in crate::storage) fn settle(&self, reported: Option<&CommitId>) -> Option<CommitId> {
        self.heads.borrow_mut().settle(reported, self.clock.now())
    }

    /// The heads that were seen.
    pub(in crate::storage) fn heads(&self) -> RecentHeads {
        self.heads.borrow().clone()
    }

    /// Takes over the heads that were seen in an earlier life.
    pub(in crate::storage) fn remember(&self, heads: RecentHeads) {
        *self.heads.borrow_mut() = heads;
    }

    /// The endpoints themselves.
    pub(in crate::storage) const fn api(&self) -> &GithubApi {
        &self.api
    }

    /// Makes a change of which the caller knows that it may be made: see [`Change::carry_out`].
    pub(in crate::storage) async fn apply(
        &self,
        note: &Writable,
        intent: Intent<'_>,
        info: &CommitInfo,
        pace: &dyn Pace,
    ) -> Result<Done, StorageError> {
        self.change(note, intent, info).carry_out(pace).await
    }

    /// Makes a change, if the head's tree shows that it may be made: see [`Change::check`].
    pub(in crate::storage) async fn check_and_apply(
        &self,
        note: &Writable,
        intent: Intent<'_>,
        info: &CommitInfo,
        pace: &dyn Pace,
    ) -> Result<Done, StorageError> {
        let change = self.change(note, intent, info);
        change.check().await?;
        change.carry_out(pace).await
    }

    fn change<'a>(
        &'a self,
        note: &'a Writable,
        intent: Intent<'a>,
        info: &'a CommitInfo,
    ) -> Change<'a> {
        Change {
            storage: self,
            note,
            intent,
            info,
        }
    }

    /// The commit to look into and all it holds; `None` while the repository has no commit.
    async fn snapshot(
        &self,
        at: Option<&CommitId>,
    ) -> Result<Option<(CommitId, Rc<Tree>)>, StorageError> {
        let head = self.head().await?;
        let Some(commit) = self.ancestor(head.clone(), at).await? else {
            return Ok(None);
        };
        let tree = if head.as_ref() == Some(&commit) {
            self.tree(&commit).await?
        } else {
            Rc::new(self.api.tree(&commit).await?)
        };
        Ok(Some((commit, tree)))
    }

    /// All that `commit` holds, asked for once as long as nobody asks for another commit.
    pub(in crate::storage) async fn tree(&self, commit: &CommitId) -> Result<Rc<Tree>, Refusal> {
        let mut last = self.tree.lock().await;
        if let Some((_, tree)) = last.as_ref().filter(|(of, _)| of == commit) {
            return Ok(Rc::clone(tree));
        }
        let tree = Rc::new(self.api.tree(commit).await?);
        *last = Some((commit.clone(), Rc::clone(&tree)));
        Ok(tree)
    }

    /// Lets go of the last tree, which is megabytes for a large vault.
    pub(in crate::storage) fn drop_tree(&self) {
        if let Ok(mut last) = self.tree.try_lock() {
            *last = None;
        }
    }

    /// Why the branch cannot be found: it is missing, or the whole repository is.
    pub(in crate::storage) async fn why_no_branch(&self) -> StorageError {
        StorageError::Denied(match self.api.describe().await {
            Ok(_) => Denial::BranchNotFound,
            Err(Refusal::Missing) => Denial::RepositoryNotFound,
            Err(refusal) => return refusal.into(),
        })
    }

    /// Why a change got 404, where the note itself is not the reason: GitHub answers so for a
    /// repository, a branch and a permission that is missing. `None` where all three seem well.
    async fn why_refused(&self) -> Option<StorageError> {
        match self.api.describe().await {
            Ok(facts) if facts.can_push == Some(false) => {
                Some(StorageError::Denied(Denial::MissingPermission))
            }
            Ok(_) => self.head().await.err(),
            Err(Refusal::Missing) => Some(StorageError::Denied(Denial::RepositoryNotFound)),
            Err(refusal) => Some(refusal.into()),
        }
    }

    /// Notes that the branch is at `head`, by a change of ours that followed `parent`.
    fn advance(&self, parent: Option<&CommitId>, head: &CommitId) {
        let now = self.clock.now();
        self.heads.borrow_mut().advance(parent, head, now);
    }

    /// Makes the tree at hand that of a change of ours, where it is that of the commit before it:
    /// `path` holds `node` now, or nothing, and everything else is as it was.
    fn grow_tree(&self, written: &Written, path: &str, node: Option<Node>) {
        if let Ok(mut last) = self.tree.try_lock()
            && let Some((commit, tree)) = last.as_mut()
            && Some(&*commit) == written.parent.as_ref()
        {
            commit.clone_from(&written.commit);
            let tree = Rc::make_mut(tree);
            match node {
                Some(node) => tree.insert(path, node),
                None => tree.remove(path),
            }
        }
    }

    fn committed(&self, commit: CommitId, recreated: bool) -> Committed {
        let url = Some(self.api.repository().commit_page(&commit));
        Committed {
            commit,
            url,
            recreated,
        }
    }

    /// Waits 0.3 to 2 seconds, a different time every time.
    async fn pause(&self) {
        let mut chance = [0_u8; 2];
        // Without randomness the wait is the shortest one: it only spreads clients out.
        let _ = self.rng.fill(&mut chance);
        let spread = Duration::from_millis(u64::from(u16::from_le_bytes(chance)) * 1_700 / 65_535);
        self.sleep.sleep(PAUSE.saturating_add(spread)).await;
    }

    /// Finds notes without reading them, all at one commit.
    pub(in crate::storage) async fn locate(
        &self,
        sieve: &dyn Sieve,
        notes: &[Visible],
        at: Option<&CommitId>,
    ) -> Result<Vec<Located>, StorageError> {
        let Some((commit, tree)) = self.snapshot(at).await? else {
            return Ok(vec![Located::default(); notes.len()]);
        };
        let locate = |note| Located::at(&commit, &tree, sieve, note);
        Ok(notes.iter().map(locate).collect())
    }

    /// Makes a change alone: GitHub wants them one after the other ("Create or update file
    /// contents"), and what was checked must still hold when the change is sent.
    async fn change_in_turn(
        &self,
        note: &Writable,
        intent: Intent<'_>,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        let _turn = self.turn.lock().await;
        let made = self.check_and_apply(note, intent, info, &Unpaced).await;
        Ok(made?.committed)
    }
}

/// As fast as the caller likes.
struct Unpaced;

#[async_trait(?Send)]
impl Pace for Unpaced {
    async fn admit(&self) -> Result<(), StorageError> {
        Ok(())
    }
}

#[async_trait(?Send)]
impl VaultStorage for GithubStorage {
    async fn list(&self, query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        let Some((commit, tree)) = self.snapshot(query.at.as_ref()).await? else {
            return Ok(Listing {
                commit: None,
                entries: Vec::new(),
            });
        };
        let below = tree
            .files()
            .filter(|(path, ..)| query.dir.strip(path).is_some());
        let entries = below.filter_map(|(path, revision, bytes)| {
            let path = query.sieve.admit(path)?;
            Some(Entry {
                path,
                revision: revision.clone(),
                bytes,
            })
        });
        Ok(Listing {
            commit: Some(commit),
            entries: entries.collect(),
        })
    }

    async fn read(
        &self,
        sieve: &dyn Sieve,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        alone(self.read_together(sieve, slice::from_ref(note), at).await?)
    }

    async fn read_together(
        &self,
        sieve: &dyn Sieve,
        notes: &[Visible],
        at: Option<&CommitId>,
    ) -> Result<Lookups, StorageError> {
        let places = self.locate(sieve, notes, at).await?;
        read_places(notes, places, async |_, revision| {
            Ok(self.api.blob(revision).await?.into())
        })
        .await
    }

    async fn history(&self, query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        let head = self.head().await?;
        let Some(from) = self.ancestor(head, query.from.as_ref()).await? else {
            return Ok(HistoryPage::of_nothing(None));
        };
        match self.tree(&from).await?.get(query.note.as_str()) {
            Some(Node::Folder | Node::Other) => Ok(HistoryPage::of_nothing(Some(from))),
            Some(Node::File { .. }) | None => self.history_from(query, from).await,
        }
    }

    async fn create(
        &self,
        sieve: &dyn Sieve,
        note: &Writable,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        fits(content)?;
        self.change_in_turn(note, Intent::Create(sieve, content), info)
            .await
    }

    async fn update(
        &self,
        note: &Writable,
        base: &Revision,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        fits(content)?;
        self.change_in_turn(note, Intent::Update(base, content), info)
            .await
    }

    async fn delete(
        &self,
        note: &Writable,
        base: &Revision,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.change_in_turn(note, Intent::Delete(base), info).await
    }
}

/// Whether a note can be carried.
pub(in crate::storage) fn fits(content: &[u8]) -> Result<(), StorageError> {
    let bytes = content.len() as u64;
    if bytes > MAX_NOTE_BYTES {
        Err(StorageError::TooLarge { bytes })
    } else {
        Ok(())
    }
}
