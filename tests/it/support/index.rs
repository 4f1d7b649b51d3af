//! The index over a look-alike of GitHub, with a clock that tests move.

use std::{cell::Cell, rc::Rc, time::Duration};

use async_trait::async_trait;
use vault_mcp::{
    runtime::{Clock, Sleep, Sql, SystemRng, Timestamp},
    storage::{
        github::GithubRepository,
        index::{Seams, VaultIndex},
    },
    vault::{policy::VaultPolicy, storage::VaultStorage},
};
use vault_mcp_dev::{LookAlike, Push, RunningLookAlike, SeedFile};

use super::{
    github::{repository, requests_of},
    http_client::LoopbackClient,
    sqlite::HostSql,
    storage::{HostClock, Subject, open_policy},
};

/// The time of this machine, and what was slept through or skipped.
#[derive(Debug, Default)]
pub(crate) struct MovingClock(Cell<u64>);

impl MovingClock {
    /// Lets time pass.
    pub(crate) fn advance(&self, duration: Duration) {
        self.0.set(self.0.get() + duration.as_millis() as u64);
    }
}

impl Clock for MovingClock {
    fn now(&self) -> Timestamp {
        HostClock.now().after(Duration::from_millis(self.0.get()))
    }
}

/// The time that a reader waits for GitHub. It runs against real requests, so it is real too.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Moves the clock instead of waiting.
#[derive(Debug)]
pub(crate) struct MovingSleep(pub(crate) Rc<MovingClock>);

#[async_trait(?Send)]
impl Sleep for MovingSleep {
    async fn sleep(&self, duration: Duration) {
        if duration == PATIENCE {
            tokio::time::sleep(duration).await;
        } else {
            tokio::time::sleep(duration / 50).await;
            self.0.advance(duration);
        }
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
        let look_alike = LookAlike::builder()
            .seed(files)
            .start()
            .await
            .expect("a look-alike");
        let sql = Rc::new(HostSql::in_memory());
        let clock = Rc::new(MovingClock::default());
        let repository = repository(&look_alike);
        let index = open(repository, open_policy(), &sql, &clock);
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

    /// A commit by somebody else that the index has not been told of.
    pub(crate) async fn push_unseen(&self, push: Push) {
        self.look_alike.push(push).await.expect("a push");
    }

    /// The methods and paths of all requests since the last reset, with the status of each.
    pub(crate) fn requests(&self) -> Vec<String> {
        requests_of(&self.look_alike)
    }
}

/// Opens an index.
pub(crate) fn open(
    repository: GithubRepository,
    policy: VaultPolicy,
    sql: &Rc<HostSql>,
    clock: &Rc<MovingClock>,
) -> VaultIndex {
    let fingerprint = policy.fingerprint();
    let seams = Seams {
        sql: Rc::clone(sql) as Rc<dyn Sql>,
        http: Rc::new(LoopbackClient::new()),
        clock: Rc::clone(clock) as Rc<dyn Clock>,
        rng: Rc::new(SystemRng),
        sleep: Rc::new(MovingSleep(Rc::clone(clock))),
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
