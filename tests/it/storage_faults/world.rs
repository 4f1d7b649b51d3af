//! The vault, GitHub and the weather between them.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use async_trait::async_trait;
use vault_mcp::{
    login::allowlist::Access,
    runtime::{Clock, Rng, Sleep, Sql, Timestamp},
    secret::Secret,
    storage::{
        github::{Credential, GithubRepository},
        index::{Pacing, Seams, VaultIndex},
    },
    vault::{
        VaultClient, VaultError,
        commit::Author,
        storage::{CommitId, Sieve},
    },
};
use vault_mcp_dev::{LookAlike, Push, RunningLookAlike, SeedFile, tokens};

use super::{ledger::Ledger, weather::Weather};
use crate::support::{
    chance::Chance,
    github::repository,
    index::{AtIndex, Everybody, MovingClock, READERS_PATIENCE},
    sqlite::HostSql,
    storage::open_policy,
    unreliable::{Connection, UnreliableClient},
};

/// Everything that one sequence plays in.
pub(super) struct World {
    pub(super) chance: Rc<Chance>,
    pub(super) ledger: RefCell<Ledger>,
    pub(super) clock: Rc<MovingClock>,
    pub(super) vault: RefCell<Rc<VaultIndex>>,
    pub(super) http: Rc<UnreliableClient>,
    look_alike: RunningLookAlike,
    sql: Rc<HostSql>,
    sleep: Rc<SkippingSleep>,
    weather: RefCell<Vec<Weather>>,
    weather_since: Cell<Timestamp>,
    /// Every error so far, as a log would have it.
    said: RefCell<Vec<String>>,
}

/// Lets time pass at once, but for readers' patience with GitHub.
#[derive(Debug)]
struct SkippingSleep {
    clock: Rc<MovingClock>,
    chance: Rc<Chance>,
    impatient: Cell<bool>,
}

#[async_trait(?Send)]
impl Sleep for SkippingSleep {
    async fn sleep(&self, duration: Duration) {
        if duration != READERS_PATIENCE {
            self.clock.advance(duration);
            tokio::task::yield_now().await;
        } else if self.impatient.get() {
            // Long enough for a request or two: what is broken off has begun.
            tokio::time::sleep(Duration::from_millis(self.chance.below(8))).await;
        } else {
            std::future::pending::<()>().await;
        }
    }
}

impl World {
    /// A vault of `files`, behind an index that knows nothing yet.
    pub(super) async fn start(seed: u64, files: Vec<SeedFile>) -> Self {
        let chance = Rc::new(Chance::seeded(seed));
        let clock = Rc::new(MovingClock::stopped());
        let clock_start = clock.now();
        let sleep = Rc::new(SkippingSleep {
            clock: Rc::clone(&clock),
            chance: Rc::clone(&chance),
            impatient: Cell::default(),
        });
        let mut ledger = Ledger::default();
        for file in &files {
            if open_policy().admit(&file.path).is_some() {
                let text = std::str::from_utf8(&file.bytes).unwrap();
                ledger.record(&file.path, Some(text));
            }
        }
        let look_alike = LookAlike::builder().seed(files).start().await;
        let look_alike = look_alike.expect("a look-alike");
        let sql = Rc::new(HostSql::in_memory());
        let http = Rc::new(UnreliableClient::new(Rc::clone(&chance)));
        let seams = seams(&sql, &http, &clock, &chance, &sleep);
        let vault = RefCell::new(Rc::new(open(repository(&look_alike), seams)));
        Self {
            chance,
            ledger: RefCell::new(ledger),
            clock,
            vault,
            http,
            look_alike,
            sql,
            sleep,
            weather: RefCell::default(),
            weather_since: Cell::new(clock_start),
            said: RefCell::default(),
        }
    }

    /// The index.
    pub(super) fn index(&self) -> Rc<VaultIndex> {
        Rc::clone(&self.vault.borrow())
    }

    /// A client that may do everything.
    pub(super) fn client(&self) -> VaultClient {
        let author = Author::new("A. Writer", "writer@example.test", "Test client");
        let policy = Rc::new(open_policy());
        VaultClient::new(self.index(), policy, Access::ReadWrite, author)
    }

    /// Ends the index and opens it again over the same database, as when its object is moved.
    pub(super) fn restart(&self) {
        let reads_only = self.weather.borrow().iter().any(|each| each.needs_reader());
        let token = if reads_only {
            tokens::READ_ONLY
        } else {
            tokens::FULL
        };
        let repository = GithubRepository {
            credential: Credential::Token(Secret::new(token)),
            ..repository(&self.look_alike)
        };
        let seams = seams(
            &self.sql,
            &self.http,
            &self.clock,
            &self.chance,
            &self.sleep,
        );
        *self.vault.borrow_mut() = Rc::new(open(repository, seams));
    }

    /// Makes the weather what it is from now on.
    pub(super) fn change_weather(&self, weather: Vec<Weather>) {
        let uses_reader = |weather: &[Weather]| weather.iter().any(|each| each.needs_reader());
        let other_token = uses_reader(&weather) != uses_reader(&self.weather.borrow());
        if self.is(Weather::MissingBranch) && !weather.contains(&Weather::MissingBranch) {
            self.move_branch("refs/heads/elsewhere", "refs/heads/main");
        } else if weather.contains(&Weather::MissingBranch) && !self.is(Weather::MissingBranch) {
            self.move_branch("refs/heads/main", "refs/heads/elsewhere");
        }
        self.look_alike.reset_switches();
        self.look_alike.switches(|switches| {
            for each in &weather {
                each.switch(switches, &self.chance);
            }
        });
        let connection = weather.iter().find_map(|each| each.connection());
        self.http.set(connection.unwrap_or(Connection::Good));
        self.sleep
            .impatient
            .set(weather.contains(&Weather::ImpatientReaders));
        *self.weather.borrow_mut() = weather;
        self.weather_since.set(self.clock.now());
        if other_token {
            self.restart();
        }
    }

    /// Ends a lag that has lasted as long as lags are known to: half a minute.
    pub(super) fn end_lag(&self) {
        let ends = self.weather_since.get().after(Duration::from_secs(30));
        if self.is(Weather::RefLag) && self.clock.now() > ends {
            self.look_alike.switches(|switches| switches.ref_lag = None);
        }
    }

    /// The weather and the time, for whoever has to find out what went wrong.
    pub(super) fn report(&self) -> String {
        let now = self.clock.now().unix_seconds();
        format!("{:?} at {now}", self.weather.borrow())
    }

    /// Whether something of the kind is wrong.
    pub(super) fn is(&self, weather: Weather) -> bool {
        self.weather.borrow().contains(&weather)
    }

    /// Takes an error down.
    pub(super) fn hear(&self, error: &VaultError) {
        let mut said = self.said.borrow_mut();
        said.push(format!("{error} {error:?}"));
    }

    /// Somebody else writes a note, or deletes it. Where there is no branch, nobody does.
    pub(super) async fn push(&self, path: &str, text: Option<&str>) {
        if self.is(Weather::MissingBranch) {
            return;
        }
        let push = match text {
            Some(text) => Push::new().put(path, text),
            None => Push::new().delete(path),
        };
        self.look_alike.push(push).await.expect("a push");
        self.ledger.borrow_mut().record(path, text);
    }

    /// The commits of our own changes, each with the number in its subject.
    pub(super) fn own_commits(&self) -> Vec<(u64, CommitId)> {
        // `--all` is an error where there is nothing at all.
        let format = "--format=%H %an %s";
        let log = self.look_alike.git(&["log", "--all", format]);
        let commit = |line: &str| {
            let (commit, rest) = line.split_once(' ')?;
            let number = rest.strip_prefix("A. Writer change ")?;
            Some((number.parse().unwrap(), CommitId::parse(commit).unwrap()))
        };
        log.unwrap_or_default().lines().filter_map(commit).collect()
    }

    /// Waits until all is over, and holds what is left to the ledger.
    pub(super) async fn end(self) -> (Ledger, usize) {
        self.change_weather(Vec::new());
        self.http.deliver_all().await;
        for _ in 0..10 {
            self.clock.advance(Duration::from_hours(1));
            let index = self.index();
            if index.due().is_none_or(|due| due > self.clock.now()) {
                break;
            }
            index.work().await.expect("work in good weather");
        }
        self.clock.advance(Duration::from_hours(1));
        let commits = self.own_commits();
        let made = commits.len();
        let Self {
            look_alike,
            sql,
            clock,
            vault,
            ledger,
            said,
            ..
        } = self;
        let ledger = ledger.into_inner();
        ledger.check_history(&commits);
        check_for_tokens(&*sql, &said.into_inner());
        let index = Rc::into_inner(vault.into_inner()).expect("nobody else has the index");
        let vault = AtIndex {
            look_alike,
            sql,
            clock,
            index,
        };
        if vault.head().is_some() {
            vault.assert_same().await;
        }
        for path in ledger.paths() {
            let spec = format!("main:{path}");
            let text = vault.look_alike.git(&["cat-file", "blob", &spec]).ok();
            assert_eq!(text.as_deref(), ledger.text(path), "{path} in git");
        }
        (ledger, made)
    }

    fn move_branch(&self, from: &str, to: &str) {
        if let Ok(commit) = self
            .look_alike
            .git(&["show-ref", "--hash", "--verify", from])
        {
            let git = |args: &[&str]| self.look_alike.git(args).expect("git");
            git(&["update-ref", to, commit.trim()]);
            git(&["update-ref", "-d", from]);
        }
    }
}

/// The token is in no row and in no error.
fn check_for_tokens(sql: &dyn Sql, said: &[String]) {
    let is_told = |text: &str| text.contains(tokens::FULL) || text.contains(tokens::READ_ONLY);
    for error in said {
        assert!(!is_told(error), "{error}");
    }
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
    for table in sql.exec(tables, &[]).unwrap() {
        let table = table.text(0).unwrap();
        for row in sql.exec(&format!("SELECT * FROM {table}"), &[]).unwrap() {
            assert!(!is_told(&format!("{row:?}")), "{table}: {row:?}");
        }
    }
}

fn seams(
    sql: &Rc<HostSql>,
    http: &Rc<UnreliableClient>,
    clock: &Rc<MovingClock>,
    chance: &Rc<Chance>,
    sleep: &Rc<SkippingSleep>,
) -> Seams {
    Seams {
        sql: Rc::clone(sql) as Rc<dyn Sql>,
        http: Rc::clone(http) as _,
        clock: Rc::clone(clock) as Rc<dyn Clock>,
        rng: Rc::clone(chance) as Rc<dyn Rng>,
        sleep: Rc::clone(sleep) as Rc<dyn Sleep>,
        permits: Rc::new(Everybody),
        pacing: Pacing::GITHUB,
    }
}

fn open(repository: GithubRepository, seams: Seams) -> VaultIndex {
    let policy = open_policy();
    let fingerprint = policy.fingerprint();
    VaultIndex::open(repository, Rc::new(policy), &fingerprint, seams).expect("an index")
}
