//! The Durable Object that keeps the authorization state, and the way to it.
//!
//! The object applies one transition per request. Between two awaits nothing else runs in it and all
//! statements are committed as one (Cloudflare's documentation, "Durable Objects: in-memory state and
//! transactional storage"), so a transition is atomic; it is computed in `oauth::state`.

use std::{cell::Cell, time::Duration};

use async_trait::async_trait;
use futures_util::future::{Either, select};
use worker::{
    Delay, DurableObject, Env, Method, ObjectNamespace, Request, RequestInit, Response, State,
    console_error, durable_object,
    wasm_bindgen::{self, JsValue},
};

use super::{clock::WorkerClock, sql::ObjectSql};
use crate::{
    oauth::state::{self, AuthStateLink, CallMeter, Instance, LinkError},
    runtime::{Clock, SqlError, Timestamp},
};

/// The binding of the object's class in `wrangler.toml`.
const BINDING: &str = "AUTH_STATE";
/// How long the Worker waits for the object: a panic in it would never be answered.
const PATIENCE: Duration = Duration::from_secs(10);
/// The key under which an instance remembers which one it is: its alarm comes without a request.
const INSTANCE_KEY: &str = "instance";

/// The object. Two instances of it exist, `front` and `grants`.
#[durable_object]
pub struct AuthState {
    state: State,
    sql: ObjectSql,
    meter: CallMeter,
    prepared: Cell<bool>,
    alarm_is_set: Cell<bool>,
}

impl DurableObject for AuthState {
    fn new(state: State, _env: Env) -> Self {
        let sql = ObjectSql(state.storage().sql());
        Self {
            state,
            sql,
            meter: CallMeter::default(),
            prepared: Cell::new(false),
            alarm_is_set: Cell::new(false),
        }
    }

    /// `POST /<instance>/<transition>` with the transition as JSON.
    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let path = request.path();
        let mut segments = path.trim_start_matches('/').splitn(2, '/');
        let instance = segments.next().and_then(Instance::parse);
        let (Some(instance), Some(name)) = (instance, segments.next()) else {
            return Response::error("no such transition", 404);
        };
        let body = request.text().await?;
        let outcome = self
            .prepare(instance)
            .map_err(state::DispatchError::from)
            .and_then(|()| {
                let now = WorkerClock.now();
                state::dispatch(instance, name, &body, (&self.sql, &self.meter), now)
            });
        match outcome {
            Ok(outcome) => {
                self.keep_alarm(instance).await?;
                Response::ok(outcome)
            }
            Err(error) => {
                console_error!("auth state: {name} failed: {error}");
                Response::error("the transition failed", 500)
            }
        }
    }

    /// Forgets what has expired, and sets the next alarm if anything is left.
    async fn alarm(&self) -> worker::Result<Response> {
        self.alarm_is_set.set(false);
        let name: Option<String> = self.state.storage().get(INSTANCE_KEY).await?;
        if let Some(instance) = name.as_deref().and_then(Instance::parse) {
            self.set_alarm(instance).await?;
        }
        Response::empty()
    }
}

impl AuthState {
    /// Makes the tables, once in the object's life in memory.
    fn prepare(&self, instance: Instance) -> Result<(), SqlError> {
        if !self.prepared.get() {
            state::prepare(instance, &self.sql)?;
            self.prepared.set(true);
        }
        Ok(())
    }

    /// Sets an alarm where there is none. The common case costs nothing: the object knows.
    async fn keep_alarm(&self, instance: Instance) -> worker::Result<()> {
        if self.alarm_is_set.get() {
            return Ok(());
        }
        let storage = self.state.storage();
        if storage.get_alarm().await?.is_some() {
            self.alarm_is_set.set(true);
            return Ok(());
        }
        storage.put(INSTANCE_KEY, instance.name()).await?;
        self.set_alarm(instance).await
    }

    /// Sets the alarm to when something expires next.
    async fn set_alarm(&self, instance: Instance) -> worker::Result<()> {
        let now = WorkerClock.now();
        let next = self
            .prepare(instance)
            .and_then(|()| state::expire(instance, &self.sql, now))
            .map_err(|error| worker::Error::RustError(error.to_string()))?;
        if let Some(next) = next {
            self.state.storage().set_alarm(until(now, next)).await?;
            self.alarm_is_set.set(true);
        }
        Ok(())
    }
}

/// The time from `now` to `then`.
fn until(now: Timestamp, then: Timestamp) -> Duration {
    Duration::from_secs(then.unix_seconds().saturating_sub(now.unix_seconds()))
}

/// The way from the Worker to the two instances.
#[derive(Debug)]
pub(crate) struct ObjectLink {
    namespace: ObjectNamespace,
}

impl ObjectLink {
    /// The way to the class bound in `env`.
    ///
    /// # Errors
    /// When the deployment has no such binding.
    pub(crate) fn new(env: &Env) -> worker::Result<Self> {
        Ok(Self {
            namespace: env.durable_object(BINDING)?,
        })
    }

    async fn send(
        &self,
        instance: Instance,
        transition: &str,
        body: String,
    ) -> worker::Result<(u16, String)> {
        let mut init = RequestInit::new();
        init.with_method(Method::Post)
            .with_body(Some(JsValue::from(body)));
        // The host is of no meaning: the namespace says where the request goes.
        let url = format!("https://auth-state/{}/{transition}", instance.name());
        let request = Request::new_with_init(&url, &init)?;
        let stub = self.namespace.get_by_name(instance.name())?;
        let mut response = stub.fetch_with_request(request).await?;
        Ok((response.status_code(), response.text().await?))
    }
}

#[async_trait(?Send)]
impl AuthStateLink for ObjectLink {
    async fn call(
        &self,
        instance: Instance,
        transition: &str,
        body: String,
    ) -> Result<String, LinkError> {
        let sent = std::pin::pin!(self.send(instance, transition, body));
        match select(sent, Delay::from(PATIENCE)).await {
            Either::Left((Ok((200, outcome)), _)) => Ok(outcome),
            Either::Left((Ok((status, _)), _)) => {
                Err(LinkError(format!("{transition}: status {status}")))
            }
            Either::Left((Err(error), _)) => Err(LinkError(format!("{transition}: {error}"))),
            Either::Right(_) => Err(LinkError(format!("{transition}: no answer"))),
        }
    }
}

impl std::fmt::Debug for AuthState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthState").finish_non_exhaustive()
    }
}
