//! The two objects, as tests control them: reached or not, and restarted in the middle.

use std::{
    cell::{Cell, RefCell},
    fmt::Write as _,
    rc::Rc,
};

use async_trait::async_trait;
use tempfile::TempDir;
use vault_mcp::{
    oauth::state::{self, AuthStateLink, CallMeter, Instance, LinkError},
    runtime::{Clock, Sql},
};

use crate::support::{clock::ManualClock, sqlite::HostSql};

/// The tables of `grants`.
pub(crate) const GRANTS_TABLES: [&str; 7] = [
    "grants",
    "codes",
    "refresh_tokens",
    "access_tokens",
    "pins",
    "sessions",
    "withdrawals",
];

/// Both objects.
#[derive(Debug)]
pub(crate) struct Objects {
    alive: RefCell<Alive>,
    /// Where the databases are; in memory where there is no such place.
    folder: Option<TempDir>,
    restart_every: Cell<Option<usize>>,
    clock: Rc<ManualClock>,
    /// Whether they cannot be reached.
    pub(crate) down: Cell<bool>,
    /// The transitions that were carried out.
    pub(crate) calls: RefCell<Vec<String>>,
}

/// What an object has while it is in memory.
#[derive(Debug)]
struct Alive {
    front: Rc<HostSql>,
    grants: Rc<HostSql>,
    meter: Rc<CallMeter>,
}

impl Alive {
    /// Both of them, begun or begun again.
    fn start(folder: Option<&TempDir>) -> Self {
        let open = |instance: Instance| {
            let sql = match folder {
                Some(folder) => HostSql::open(&folder.path().join(instance.name())),
                None => HostSql::in_memory(),
            };
            state::prepare(instance, &sql).unwrap();
            Rc::new(sql)
        };
        Self {
            front: open(Instance::Front),
            grants: open(Instance::Grants),
            meter: Rc::default(),
        }
    }
}

impl Objects {
    /// Both of them, new, with databases in memory.
    pub(crate) fn new(clock: Rc<ManualClock>) -> Self {
        Self::at(clock, None)
    }

    /// Both of them, new, with databases in files: they can be restarted.
    pub(crate) fn on_disk(clock: Rc<ManualClock>) -> Self {
        Self::at(clock, Some(TempDir::new().unwrap()))
    }

    fn at(clock: Rc<ManualClock>, folder: Option<TempDir>) -> Self {
        Self {
            alive: RefCell::new(Alive::start(folder.as_ref())),
            folder,
            restart_every: Cell::default(),
            clock,
            down: Cell::default(),
            calls: RefCell::default(),
        }
    }

    /// Puts both objects out of memory. What they come back with is what is in their files.
    pub(crate) fn restart(&self) {
        assert!(self.folder.is_some(), "they would forget everything");
        *self.alive.borrow_mut() = Alive::start(self.folder.as_ref());
    }

    /// Restarts them after every so many transitions.
    pub(crate) fn restart_every(&self, transitions: usize) {
        self.restart_every.set(Some(transitions));
    }

    /// The database of an object that is in memory.
    pub(crate) fn sql(&self, instance: Instance) -> Rc<HostSql> {
        let alive = self.alive.borrow();
        Rc::clone(match instance {
            Instance::Front => &alive.front,
            Instance::Grants => &alive.grants,
        })
    }

    /// How many rows a table has.
    pub(crate) fn rows(&self, instance: Instance, table: &str) -> i64 {
        let rows = self
            .sql(instance)
            .exec(&format!("SELECT count(*) FROM {table}"), &[])
            .unwrap();
        rows[0].integer(0).unwrap()
    }

    /// Every text that either database holds, to look for what must not be there.
    pub(crate) fn everything(&self) -> String {
        let mut all = String::new();
        for (instance, tables) in [
            (
                Instance::Front,
                [
                    "clients",
                    "documents",
                    "consents",
                    "logins",
                    "session_logins",
                ]
                .as_slice(),
            ),
            (Instance::Grants, &GRANTS_TABLES),
        ] {
            for table in tables {
                let statement = format!("SELECT * FROM {table}");
                let rows = self.sql(instance).exec(&statement, &[]).unwrap();
                writeln!(all, "{rows:?}").unwrap();
            }
        }
        all
    }
}

#[async_trait(?Send)]
impl AuthStateLink for Objects {
    async fn call(
        &self,
        instance: Instance,
        transition: &str,
        body: String,
    ) -> Result<String, LinkError> {
        // Other requests get their turn on the way, as they do between a Worker and an object.
        tokio::task::yield_now().await;
        if self.down.get() {
            return Err(LinkError("down for the test".to_owned()));
        }
        self.calls.borrow_mut().push(transition.to_owned());
        let meter = Rc::clone(&self.alive.borrow().meter);
        let sql = self.sql(instance);
        let now = self.clock.now();
        let outcome = state::dispatch(instance, transition, &body, (&*sql, &meter), now);
        let carried_out = self.calls.borrow().len();
        let due = |every: usize| carried_out.is_multiple_of(every);
        if self.restart_every.get().is_some_and(due) {
            self.restart();
        }
        tokio::task::yield_now().await;
        outcome.map_err(|error| LinkError(error.to_string()))
    }
}
