//! Many changes at once, and many one after the other.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::future::join_all;
use http::{Request, Response};
use vault_mcp::{
    login::allowlist::Access,
    runtime::{
        ByteStream, Clock, FetchError, HttpClient, Limits, Sleep, StreamingHttpClient, Timestamp,
    },
    storage::index::{Pacing, Seams, VaultIndex},
    vault::{
        VaultClient, VaultError,
        client::{DeleteRequest, WriteOutcome},
        commit::Author,
        storage::{CommitId, Revision},
    },
};
use vault_mcp_dev::{LookAlike, RunningLookAlike, Times};

use crate::support::{
    chance::Chance,
    github::repository,
    http_client::LoopbackClient,
    index::{AtIndex, Everybody, MovingClock, READERS_PATIENCE, notes},
    sqlite::HostSql,
    storage::{open_policy, run},
    vaults::overwrite,
};

/// Twenty clients, each with so many changes to make.
const CLIENTS: u64 = 20;
const CHANGES_OF_EACH: u64 = 50;

/// No pace at all: the machine sets it.
const UNLIMITED: Pacing = Pacing {
    burst: u32::MAX,
    per_minute: u32::MAX,
    per_hour: u32::MAX,
};

/// A vault whose changes are timed.
struct Vault {
    look_alike: RunningLookAlike,
    sql: Rc<HostSql>,
    clock: Rc<MovingClock>,
    http: Rc<TimedClient>,
    index: Rc<VaultIndex>,
    chance: Rc<Chance>,
}

impl Vault {
    async fn start(pacing: Pacing, seed: u64) -> Self {
        let look_alike = LookAlike::builder().seed(notes(20)).start().await;
        let look_alike = look_alike.expect("a look-alike");
        let sql = Rc::new(HostSql::in_memory());
        let clock = Rc::new(MovingClock::stopped());
        let chance = Rc::new(Chance::seeded(seed));
        let http = Rc::new(TimedClient {
            inner: LoopbackClient::new(),
            clock: Rc::clone(&clock),
            changes: RefCell::default(),
        });
        let seams = Seams {
            sql: Rc::clone(&sql) as _,
            http: Rc::clone(&http) as _,
            clock: Rc::clone(&clock) as _,
            rng: Rc::clone(&chance) as _,
            sleep: Rc::new(Skip(Rc::clone(&clock))),
            permits: Rc::new(Everybody),
            pacing,
        };
        let policy = open_policy();
        let fingerprint = policy.fingerprint();
        let repository = repository(&look_alike);
        let index = VaultIndex::open(repository, Rc::new(policy), &fingerprint, seams);
        let index = Rc::new(index.expect("an index"));
        index.work().await.expect("a build");
        Self {
            look_alike,
            sql,
            clock,
            http,
            index,
            chance,
        }
    }

    fn client(&self) -> VaultClient {
        let author = Author::new("A. Writer", "writer@example.test", "Test client");
        let storage = Rc::clone(&self.index) as _;
        VaultClient::new(storage, Rc::new(open_policy()), Access::ReadWrite, author)
    }

    /// Makes one of the next changes lose a race or its answer, now and then.
    fn make_trouble(&self) {
        if self.chance.one_in(10) {
            self.look_alike
                .switches(|switches| switches.tip_race = Times::Next(1));
        }
        if self.chance.one_in(15) {
            self.look_alike
                .switches(|switches| switches.fail_after_commit = Times::Next(1));
        }
        if self.chance.one_in(30) {
            self.look_alike
                .switches(|switches| switches.fail_before_commit = Times::Next(1));
        }
    }

    /// The commits that our changes made, each with the subject of its message.
    fn commits(&self) -> Vec<(String, String)> {
        let log = self.look_alike.git(&["log", "--format=%H %an %s", "main"]);
        let own = |line: &str| {
            let (commit, rest) = line.split_once(' ')?;
            let subject = rest.strip_prefix("A. Writer ")?;
            Some((subject.to_owned(), commit.to_owned()))
        };
        log.unwrap().lines().filter_map(own).collect()
    }

    async fn assert_same(self) {
        self.look_alike.reset_switches();
        self.clock.advance(Duration::from_hours(1));
        let Self {
            look_alike,
            sql,
            clock,
            index,
            ..
        } = self;
        let index = Rc::into_inner(index).expect("nobody else has the index");
        let vault = AtIndex {
            look_alike,
            sql,
            clock,
            index,
        };
        vault.assert_same().await;
    }
}

/// Moves the clock instead of waiting, but for readers' patience with GitHub.
#[derive(Debug)]
struct Skip(Rc<MovingClock>);

#[async_trait(?Send)]
impl Sleep for Skip {
    async fn sleep(&self, duration: Duration) {
        if duration == READERS_PATIENCE {
            std::future::pending::<()>().await;
        }
        self.0.advance(duration);
        tokio::task::yield_now().await;
    }
}

/// Notes when a request that changes something is sent.
#[derive(Debug)]
struct TimedClient {
    inner: LoopbackClient,
    clock: Rc<MovingClock>,
    changes: RefCell<Vec<Timestamp>>,
}

#[async_trait(?Send)]
impl HttpClient for TimedClient {
    async fn send(
        &self,
        request: Request<Bytes>,
        limits: Limits,
    ) -> Result<Response<Bytes>, FetchError> {
        if !request.method().is_safe() {
            self.changes.borrow_mut().push(self.clock.now());
        }
        self.inner.send(request, limits).await
    }
}

#[async_trait(?Send)]
impl StreamingHttpClient for TimedClient {
    async fn open(
        &self,
        request: Request<Bytes>,
        limits: Limits,
    ) -> Result<Response<ByteStream>, FetchError> {
        self.inner.open(request, limits).await
    }
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    Made(CommitId),
    Refused,
    Unknown,
}

fn fate(made: Result<CommitId, VaultError>) -> Fate {
    match made {
        Ok(commit) => Fate::Made(commit),
        Err(VaultError::UpstreamUnavailable {
            outcome_unknown: true,
            ..
        }) => Fate::Unknown,
        Err(_) => Fate::Refused,
    }
}

fn commit_of(outcome: WriteOutcome) -> CommitId {
    match outcome {
        WriteOutcome::Created(committed) | WriteOutcome::Replaced { committed, .. } => {
            committed.commit
        }
        WriteOutcome::Unchanged { .. } => panic!("every change has a text of its own"),
        WriteOutcome::Planned { .. } => panic!("every change is to be made"),
    }
}

/// One change: most are of the client's own notes, some of a note that all of them change.
async fn change(client: &VaultClient, writer: u64, n: u64) -> Result<CommitId, VaultError> {
    let message = format!("change {writer}.{n}");
    let own = format!("writer {writer}/{}.md", n % 7);
    if n % 9 == 8 {
        let request = DeleteRequest {
            path: &own,
            expected_revision: None,
            message: Some(&message),
        };
        let deleted = client.delete(&request).await?;
        return Ok(deleted.committed.commit);
    }
    let path = if n % 5 == 4 { "shared.md" } else { &own };
    let mut request = overwrite(path, &message);
    request.message = Some(&message);
    Ok(commit_of(client.write(&request).await?.outcome))
}

#[test]
fn a_thousand_changes_at_once_are_made_or_refused() {
    run(async {
        let vault = Vault::start(UNLIMITED, 1).await;
        let writers = (0..CLIENTS).map(|writer| {
            let vault = &vault;
            async move {
                let client = vault.client();
                let mut fates = Vec::new();
                for n in 0..CHANGES_OF_EACH {
                    vault.make_trouble();
                    let made = loop {
                        match change(&client, writer, n).await {
                            // Too many wait already: come back when told to.
                            Err(VaultError::RateLimited { .. }) => {
                                tokio::time::sleep(Duration::from_millis(5)).await;
                            }
                            made => break made,
                        }
                    };
                    fates.push((format!("change {writer}.{n}"), fate(made)));
                }
                fates
            }
        });
        let fates: Vec<_> = join_all(writers).await.into_iter().flatten().collect();
        let commits = vault.commits();
        for (subject, fate) in &fates {
            let made = commits.iter().filter(|(other, _)| other == subject);
            let made: Vec<_> = made.map(|(_, commit)| commit.as_str()).collect();
            match fate {
                Fate::Made(commit) => assert_eq!(made, [commit.as_str()], "{subject}"),
                Fate::Refused => assert!(made.is_empty(), "{subject} was refused: {made:?}"),
                Fate::Unknown => assert!(made.len() <= 1, "{subject} was made twice: {made:?}"),
            }
        }
        let acknowledged = fates
            .iter()
            .filter(|(_, fate)| matches!(fate, Fate::Made(_)));
        let acknowledged = acknowledged.count();
        println!("{acknowledged} of {} acknowledged", fates.len());
        assert!(
            acknowledged * 100 >= fates.len() * 95,
            "{acknowledged} of {} acknowledged",
            fates.len()
        );
        vault.assert_same().await;
    });
}

/// The most of `times` in any `window`.
fn most_within(times: &[Timestamp], window: Duration) -> usize {
    let within = |start: &Timestamp| {
        let end = start.after(window);
        times
            .iter()
            .filter(|time| *start <= **time && **time < end)
            .count()
    };
    times.iter().map(within).max().unwrap_or_default()
}

#[test]
fn changes_stay_below_githubs_limits_and_say_when_to_come_back() {
    run(async {
        let vault = Vault::start(Pacing::GITHUB, 2).await;
        let client = vault.client();
        let refusals = Cell::new(0);
        let mut longest = Duration::ZERO;
        // As fast as is allowed: more than an hour's worth.
        let mut n = 0;
        while vault.http.changes.borrow().len() < 480 {
            n += 1;
            vault.make_trouble();
            let text = format!("text {n}");
            let path = format!("{}.md", n % 10);
            let sent = vault.http.changes.borrow().len();
            match client.write(&overwrite(&path, &text)).await {
                Err(VaultError::RateLimited { retry_after }) => {
                    refusals.set(refusals.get() + 1);
                    longest = longest.max(retry_after);
                    if vault.http.changes.borrow().len() == sent {
                        // Nothing was changed, and the time is neither too long nor too short.
                        check_honesty(&vault, &client, retry_after).await;
                    }
                }
                Ok(_) | Err(VaultError::UpstreamUnavailable { .. }) => {}
                Err(other) => panic!("{n}: {other:?}"),
            }
        }
        let times = vault.http.changes.borrow().clone();
        assert!(
            most_within(&times, Duration::from_mins(1)) <= 60,
            "a minute"
        );
        assert!(
            most_within(&times, Duration::from_hours(1)) <= 450,
            "an hour"
        );
        assert!(most_within(&times, Duration::from_secs(1)) <= 5, "a burst");
        let spent = times[449].unix_seconds() - times[0].unix_seconds();
        assert!(
            (440..600).contains(&spent),
            "450 changes in {spent} seconds"
        );
        assert!(longest > Duration::from_mins(40), "{longest:?}");
        assert!(refusals.get() > 0);
        drop(client);
        vault.assert_same().await;
    });
}

/// A moment before the time that was named a change is refused still, and then it is made.
async fn check_honesty(vault: &Vault, client: &VaultClient, retry_after: Duration) {
    vault.look_alike.reset_switches();
    // Within the patience of a change it would wait by itself.
    let early = retry_after.saturating_sub(Duration::from_secs(5));
    let head = vault.look_alike.head().unwrap();
    if early > Duration::ZERO {
        vault.clock.advance(early);
        let refused = client.write(&overwrite("early.md", "early")).await;
        assert!(
            matches!(refused, Err(VaultError::RateLimited { retry_after }) if retry_after <= Duration::from_secs(5)),
            "{refused:?}"
        );
        assert_eq!(
            vault.look_alike.head().unwrap(),
            head,
            "nothing was written"
        );
    }
    vault.clock.advance(retry_after.saturating_sub(early));
    let text = format!("after {retry_after:?} at {:?}", vault.clock.now());
    let written = client.write(&overwrite("in time.md", &text)).await;
    assert_eq!(written.unwrap().revision, Revision::of(text.as_bytes()));
}

#[test]
fn a_refusal_of_our_own_pace_keeps_nobody_from_looking_at_the_branch() {
    run(async {
        let slow = Pacing {
            per_hour: 1,
            ..Pacing::GITHUB
        };
        let vault = Vault::start(slow, 3).await;
        let client = vault.client();
        client.write(&overwrite("a.md", "a")).await.unwrap();
        let refused = client.write(&overwrite("b.md", "b")).await;
        assert!(
            matches!(refused, Err(VaultError::RateLimited { .. })),
            "{refused:?}"
        );
        let push = vault_mcp_dev::Push::new().put("theirs.md", "theirs");
        vault.look_alike.push(push).await.unwrap();
        vault.clock.advance(Duration::from_secs(11));
        let read = client.read("theirs.md", None).await.unwrap();
        assert_eq!(read.text, "theirs");
    });
}
