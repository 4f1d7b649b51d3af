//! The index over a look-alike of GitHub, with a clock that tests move.

use std::{cell::Cell, rc::Rc, time::Duration};

use async_trait::async_trait;
use vault_mcp::{
    runtime::{Clock, Sleep, Sql, SystemRng, Timestamp},
    storage::{
        github::GithubRepository,
        index::{Pacing, Seams, VaultIndex},
    },
    vault::{
        permit::{CheckFailed, Permit, PermitCheck},
        policy::VaultPolicy,
        storage::{Revision, Sieve, VaultStorage},
    },
};
use vault_mcp_dev::{LookAlike, Push, RunningLookAlike, SeedFile};

use super::{
    github::{repository, requests_of},
    http_client::LoopbackClient,
    sqlite::HostSql,
    storage::{HostClock, Subject, list, open_policy, read},
};

/// The time of this machine, and what was slept through or skipped.
#[derive(Debug, Default)]
pub(crate) struct MovingClock {
    stopped: Cell<Option<Timestamp>>,
    skipped: Cell<Duration>,
    impatient: Cell<bool>,
}

impl MovingClock {
    /// A clock that counts only what was slept through or skipped.
    pub(crate) fn stopped() -> Self {
        Self {
            stopped: Cell::new(Some(HostClock.now())),
            ..Self::default()
        }
    }

    /// Makes readers wait for GitHub no longer than they do outside of tests.
    pub(crate) fn make_readers_impatient(&self) {
        self.impatient.set(true);
    }

    /// Lets time pass.
    pub(crate) fn advance(&self, duration: Duration) {
        self.skipped.set(self.skipped.get() + duration);
    }
}

impl Clock for MovingClock {
    fn now(&self) -> Timestamp {
        let base = self.stopped.get().unwrap_or_else(|| HostClock.now());
        base.after(self.skipped.get())
    }
}

/// The time that a reader waits for GitHub. It runs against real requests, so it is real too.
pub(crate) const READERS_PATIENCE: Duration = Duration::from_millis(1_500);

/// The same where a test is not about it: a machine under load must not change what a test sees.
const LONG_PATIENCE: Duration = Duration::from_mins(1);

/// Moves the clock instead of waiting.
#[derive(Debug)]
pub(crate) struct MovingSleep(pub(crate) Rc<MovingClock>);

#[async_trait(?Send)]
impl Sleep for MovingSleep {
    async fn sleep(&self, duration: Duration) {
        if duration == READERS_PATIENCE {
            let impatient = self.0.impatient.get();
            tokio::time::sleep(if impatient {
                READERS_PATIENCE
            } else {
                LONG_PATIENCE
            })
            .await;
        } else {
            tokio::time::sleep(duration / 50).await;
            self.0.advance(duration);
        }
    }
}

/// Lets everybody change everything: what most tests are not about.
#[derive(Debug)]
pub(crate) struct Everybody;

#[async_trait(?Send)]
impl PermitCheck for Everybody {
    async fn is_valid(&self, _permit: &Permit) -> Result<bool, CheckFailed> {
        Ok(true)
    }
}

/// A vault at the look-alike, behind an index.
pub(crate) struct AtIndex {
    /// The other side of the wire.
    pub(crate) look_alike: RunningLookAlike,
    /// The index's database.
    pub(crate) sql: Rc<HostSql>,
    /// The time.
    pub(crate) clock: Rc<MovingClock>,
    /// The backend under test.
    pub(crate) index: VaultIndex,
}

impl AtIndex {
    /// A vault whose first commit holds `files`, and an index that knows nothing yet.
    pub(crate) async fn start(files: Vec<SeedFile>) -> Self {
        let look_alike = LookAlike::builder().seed(files).start().await;
        Self::over(look_alike.expect("a look-alike"))
    }

    /// The vault of `look_alike`, and an index that knows nothing yet.
    pub(crate) fn over(look_alike: RunningLookAlike) -> Self {
        let sql = Rc::new(HostSql::in_memory());
        let clock = Rc::new(MovingClock::default());
        let index = open(repository(&look_alike), open_policy(), &sql, &clock);
        Self {
            look_alike,
            sql,
            clock,
            index,
        }
    }

    /// The same, with an index that is built.
    pub(crate) async fn built(files: Vec<SeedFile>) -> Self {
        let vault = Self::start(files).await;
        vault.index.work().await.expect("a build");
        vault.look_alike.reset_requests();
        vault
    }

    /// The index as a restart finds it, under `policy`.
    pub(crate) fn reopened(&self, policy: VaultPolicy) -> VaultIndex {
        open(repository(&self.look_alike), policy, &self.sql, &self.clock)
    }

    /// Lets so much time pass that the next reader looks at the branch.
    pub(crate) fn grow_old(&self) {
        self.clock.advance(Duration::from_secs(11));
    }

    /// Whether there is no work but what may as well be done later.
    pub(crate) fn has_nothing_to_do(&self) -> bool {
        self.index.due().is_none_or(|due| due > self.clock.now())
    }

    /// A commit by somebody else that the index has not been told of.
    pub(crate) async fn push_unseen(&self, push: Push) {
        self.look_alike.push(push).await.expect("a push");
    }

    /// The same index, as a restart finds it, showing its changes' permits to `permits`.
    pub(crate) fn guarded(&self, permits: Rc<dyn PermitCheck>) -> VaultIndex {
        let repository = repository(&self.look_alike);
        open_with(repository, open_policy(), &self.sql, &self.clock, permits)
    }

    /// How many requests since the last reset GitHub would count.
    pub(crate) fn counted(&self) -> usize {
        self.look_alike.counted_requests()
    }

    /// The branch's commit.
    pub(crate) fn head(&self) -> Option<String> {
        self.look_alike.head().unwrap().map(|oid| oid.to_string())
    }

    /// The text of a note, as the index gives it.
    pub(crate) async fn content(&self, path: &str) -> String {
        let note = read(&self.index, path).await.unwrap().note.expect(path);
        String::from_utf8(note.content).unwrap()
    }

    /// Holds the index to the repository: every note, every byte, and nothing else.
    pub(crate) async fn assert_same(&self) {
        let listing = list(&self.index, "", None).await.unwrap();
        assert_eq!(
            listing.commit.as_ref().map(ToString::to_string),
            self.head()
        );
        let tree = self
            .look_alike
            .git(&["ls-tree", "-r", "-z", "main"])
            .unwrap();
        let expected: Vec<_> = tree
            .split_terminator('\0')
            .filter_map(|line| line.split_once('\t'))
            .filter(|(facts, path)| facts.starts_with("100") && open_policy().admit(path).is_some())
            .map(|(facts, path)| (path.to_owned(), facts.split(' ').nth(2).unwrap().to_owned()))
            .collect();
        let entries = listing.entries.iter();
        let found: Vec<_> = entries
            .map(|entry| (entry.path.as_str().to_owned(), entry.revision.to_string()))
            .collect();
        assert_eq!(found, expected);
        for (path, revision) in found {
            let read = read(&self.index, &path).await.unwrap().note.unwrap();
            assert_eq!(Revision::of(&read.content).to_string(), revision, "{path}");
        }
    }

    /// The methods and paths of all requests since the last reset, with the status of each.
    pub(crate) fn requests(&self) -> Vec<String> {
        requests_of(&self.look_alike)
    }
}

/// An ordinary file of a vault.
pub(crate) fn note(path: &str, content: impl Into<Vec<u8>>) -> SeedFile {
    SeedFile::regular(path, content)
}

/// A vault of `count` notes in ten folders; the note `folder 1/1.md` says `note 1`.
pub(crate) fn notes(count: usize) -> Vec<SeedFile> {
    let path = |n| format!("folder {}/{n}.md", n % 10);
    (0..count)
        .map(|n| note(&path(n), format!("note {n}")))
        .collect()
}

/// Opens an index.
pub(crate) fn open(
    repository: GithubRepository,
    policy: VaultPolicy,
    sql: &Rc<HostSql>,
    clock: &Rc<MovingClock>,
) -> VaultIndex {
    open_with(repository, policy, sql, clock, Rc::new(Everybody))
}

/// Opens an index that shows its changes' permits to `permits`.
fn open_with(
    repository: GithubRepository,
    policy: VaultPolicy,
    sql: &Rc<HostSql>,
    clock: &Rc<MovingClock>,
    permits: Rc<dyn PermitCheck>,
) -> VaultIndex {
    let fingerprint = policy.fingerprint();
    let seams = Seams {
        sql: Rc::clone(sql) as Rc<dyn Sql>,
        http: Rc::new(LoopbackClient::new()),
        clock: Rc::clone(clock) as Rc<dyn Clock>,
        rng: Rc::new(SystemRng),
        sleep: Rc::new(MovingSleep(Rc::clone(clock))),
        permits,
        pacing: Pacing::GITHUB,
    };
    VaultIndex::open(repository, Rc::new(policy), &fingerprint, seams).expect("an index")
}

#[async_trait(?Send)]
impl Subject for AtIndex {
    fn storage(&self) -> &dyn VaultStorage {
        &self.index
    }

    async fn wait(&self, duration: Duration) {
        MovingSleep(Rc::clone(&self.clock)).sleep(duration).await;
    }

    async fn push(&self, changes: &[(&str, Option<&[u8]>)]) {
        let push = changes
            .iter()
            .fold(Push::new(), |push, (path, content)| match content {
                Some(bytes) => push.put(*path, *bytes),
                None => push.delete(*path),
            });
        self.push_unseen(push).await;
        self.grow_old();
    }
}
