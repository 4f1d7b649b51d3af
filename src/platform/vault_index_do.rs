//! The Durable Object that indexes the vault, and the way to it.
//!
//! It is the only caller of GitHub's vault endpoints: one place where writes queue, and one database
//! that is always at one commit. What it does is in `storage::index`.

use std::{cell::RefCell, rc::Rc, time::Duration};

use async_trait::async_trait;
use futures_util::future::{Either, select};
use worker::{
    Delay, DurableObject, Env, Method, ObjectNamespace, Request, RequestInit, Response, State,
    console_error, durable_object,
    wasm_bindgen::{self, JsValue},
};

use super::{
    auth_state_do::ObjectLink, clock::WorkerClock, environment::WorkerEnvironment,
    fetch::WorkerFetch, log::ConsoleLog, sleep::WorkerSleep, sql::ObjectSql,
};
use crate::{
    config::{Config, LoginSettings},
    guard::Guard,
    login::allowlist::Allowlist,
    oauth::{OauthSettings, state::AuthState},
    runtime::{Clock, SystemRng},
    storage::{
        github::GithubRepository,
        index::{Pacing, Seams, VaultIndex as Index},
    },
    vault::{
        permit::PermitCheck,
        policy::VaultPolicy,
        remote::{self, LinkError, StorageLink},
    },
};

/// The binding of the object's class in `wrangler.toml`.
const BINDING: &str = "VAULT_INDEX";
/// How long the Worker waits for the object. A write may wait for its turn and for GitHub.
const PATIENCE: Duration = Duration::from_secs(30);

/// The object. One instance of it exists for each repository and branch.
#[durable_object]
pub struct VaultIndex {
    state: State,
    env: Env,
    opened: RefCell<Option<Rc<Opened>>>,
}

/// The index, under the policy that it was opened with.
struct Opened {
    index: Index,
    policy: Rc<VaultPolicy>,
}

impl std::fmt::Debug for VaultIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VaultIndex").finish_non_exhaustive()
    }
}

impl DurableObject for VaultIndex {
    fn new(state: State, env: Env) -> Self {
        Self {
            state,
            env,
            opened: RefCell::default(),
        }
    }

    /// A call of `vault::remote` in, its answer out.
    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let call = request.text().await?;
        let opened = self.open()?;
        // Before the call, because it may wait for the work to be done; and after it, because it may
        // have found some.
        self.keep_alarm(&opened).await?;
        let answer = remote::answer(&call, &opened.index, &opened.policy).await;
        self.keep_alarm(&opened).await?;
        match answer {
            Ok(answer) => Response::ok(answer),
            Err(error) => {
                console_error!("vault index: {error}");
                Response::error("the call failed", 500)
            }
        }
    }

    /// Does the work that is too long for a request.
    async fn alarm(&self) -> worker::Result<Response> {
        let opened = self.open()?;
        if let Err(error) = opened.index.work().await {
            console_error!("vault index: work: {error}");
        }
        self.keep_alarm(&opened).await?;
        Response::empty()
    }
}

impl VaultIndex {
    /// The index, opened once in the object's life in memory.
    fn open(&self) -> worker::Result<Rc<Opened>> {
        if let Some(opened) = self.opened.borrow().as_ref() {
            return Ok(Rc::clone(opened));
        }
        let fault = |error: &dyn std::fmt::Display| worker::Error::RustError(error.to_string());
        let config = Config::read(&WorkerEnvironment(&self.env)).map_err(|error| fault(&error))?;
        let permits = self.permits(config.oauth, config.login, config.allowlist)?;
        let policy = Rc::new(config.policy);
        let seams = Seams {
            sql: Rc::new(ObjectSql(self.state.storage().sql())),
            http: Rc::new(WorkerFetch),
            clock: Rc::new(WorkerClock),
            rng: Rc::new(SystemRng),
            sleep: Rc::new(WorkerSleep),
            permits,
            pacing: Pacing::GITHUB,
        };
        let fingerprint = policy.fingerprint();
        let index = Index::open(
            config.repository,
            Rc::clone(&policy) as _,
            &fingerprint,
            seams,
        )
        .map_err(|error| fault(&error))?;
        let opened = Rc::new(Opened { index, policy });
        *self.opened.borrow_mut() = Some(Rc::clone(&opened));
        Ok(opened)
    }

    /// Whoever changes are shown to when their turn has come: a guard of its own, over the same
    /// object that keeps grants.
    fn permits(
        &self,
        oauth: OauthSettings,
        login: LoginSettings,
        allowlist: Allowlist,
    ) -> worker::Result<Rc<dyn PermitCheck>> {
        let link = Rc::new(ObjectLink::new(&self.env)?);
        let state = AuthState::new(link, &oauth);
        let provider = login.provider(Rc::new(WorkerFetch), Rc::new(WorkerClock));
        Ok(Rc::new(Guard::new(
            Rc::new(oauth),
            state,
            Rc::new(allowlist),
            (provider.kind(), provider.issuer().to_owned()),
            Rc::new(ConsoleLog),
        )))
    }

    /// Sets the alarm to when there is work, where there is any and no alarm is sooner.
    async fn keep_alarm(&self, opened: &Opened) -> worker::Result<()> {
        let Some(due) = opened.index.due() else {
            return Ok(());
        };
        let storage = self.state.storage();
        // An alarm is in milliseconds since the epoch; one that is set for the same second will do.
        let latest = due.unix_seconds().saturating_add(1).saturating_mul(1_000);
        let latest = i64::try_from(latest).unwrap_or(i64::MAX);
        if storage.get_alarm().await?.is_none_or(|set| set > latest) {
            let now = WorkerClock.now().unix_seconds();
            let wait = due.unix_seconds().saturating_sub(now);
            storage.set_alarm(Duration::from_secs(wait)).await?;
        }
        Ok(())
    }
}

/// The way from the Worker to the index of one repository and branch.
pub(crate) struct IndexLink {
    namespace: ObjectNamespace,
    name: String,
}

impl IndexLink {
    /// The way to the index of `repository`, by the class bound in `env`.
    ///
    /// # Errors
    /// When the deployment has no such binding.
    pub(crate) fn new(env: &Env, repository: &GithubRepository) -> worker::Result<Self> {
        let branch = repository
            .branch
            .as_ref()
            .map_or("", |branch| branch.as_str());
        Ok(Self {
            namespace: env.durable_object(BINDING)?,
            name: format!("{}/{}/{branch}", repository.owner, repository.repo),
        })
    }

    async fn send(&self, call: String) -> worker::Result<(u16, String)> {
        let mut init = RequestInit::new();
        init.with_method(Method::Post)
            .with_body(Some(JsValue::from(call)));
        // The host is of no meaning: the namespace says where the request goes.
        let request = Request::new_with_init("https://vault-index/", &init)?;
        let mut response = self
            .namespace
            .get_by_name(&self.name)?
            .fetch_with_request(request)
            .await?;
        Ok((response.status_code(), response.text().await?))
    }
}

#[async_trait(?Send)]
impl StorageLink for IndexLink {
    async fn call(&self, call: String) -> Result<String, LinkError> {
        let sent = std::pin::pin!(self.send(call));
        match select(sent, Delay::from(PATIENCE)).await {
            Either::Left((Ok((200, answer)), _)) => Ok(answer),
            Either::Left((Ok((status, _)), _)) => Err(LinkError(format!("status {status}"))),
            Either::Left((Err(error), _)) => Err(LinkError(error.to_string())),
            Either::Right(_) => Err(LinkError("no answer".to_owned())),
        }
    }
}
