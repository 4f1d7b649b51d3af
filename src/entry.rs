//! The Worker's events, and the one place where its parts are put together.

use std::{cell::RefCell, rc::Rc};

use worker::{Context, Env, console_error, event};

use crate::{
    config::{Config, ConfigError},
    guard::Guard,
    http::{self, App, Webhook},
    oauth::{AuthorizationServer, event::EventLog, state::AuthState},
    platform::{
        auth_state_do::ObjectLink, clock::WorkerClock, convert, environment::WorkerEnvironment,
        fetch::WorkerFetch, log::ConsoleLog, vault_index_do::IndexLink,
    },
    runtime::{Clock, HttpClient, Rng, SystemRng},
    vault::remote::RemoteStorage,
};

thread_local! {
    /// The server of this isolate. Bindings never change within an isolate's life, and what the
    /// parts remember (a provider's keys) is worth keeping from one request to the next.
    static APP: RefCell<Option<Rc<App>>> = const { RefCell::new(None) };
}

/// Answers every request.
#[event(fetch)]
async fn fetch(
    request: worker::Request,
    env: Env,
    _context: Context,
) -> worker::Result<worker::Response> {
    let Some(request) = convert::request(request) else {
        return worker::Response::error("the request cannot be read", 400);
    };
    let response = match app(&env) {
        Ok(app) => app.answer(request).await,
        Err(Unservable::Config(error)) => {
            console_error!("configuration: {error}");
            http::misconfigured(&error, &SystemRng)
        }
        Err(Unservable::Binding(error)) => return Err(error),
    };
    convert::response(response)
}

/// Why there is no server.
enum Unservable {
    Config(ConfigError),
    Binding(worker::Error),
}

impl From<ConfigError> for Unservable {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

/// The server of this isolate, built on the first request.
fn app(env: &Env) -> Result<Rc<App>, Unservable> {
    if let Some(app) = APP.with_borrow(Clone::clone) {
        return Ok(app);
    }
    let app = Rc::new(build(env)?);
    APP.with_borrow_mut(|kept| *kept = Some(Rc::clone(&app)));
    Ok(app)
}

/// Puts the server together.
fn build(env: &Env) -> Result<App, Unservable> {
    let config = Config::read(&WorkerEnvironment(env))?;
    let clock: Rc<dyn Clock> = Rc::new(WorkerClock);
    let rng: Rc<dyn Rng> = Rc::new(SystemRng);
    let fetch: Rc<dyn HttpClient> = Rc::new(WorkerFetch);

    let provider = config.login.provider(Rc::clone(&fetch), Rc::clone(&clock));
    let allowlist = Rc::new(config.allowlist);
    let oauth = Rc::new(config.oauth);
    let link = Rc::new(ObjectLink::new(env).map_err(Unservable::Binding)?);
    let state = AuthState::new(link, &oauth);
    let log: Rc<dyn EventLog> = Rc::new(ConsoleLog);

    let guard = Guard::new(
        Rc::clone(&oauth),
        state.clone(),
        Rc::clone(&allowlist),
        (provider.kind(), provider.issuer().to_owned()),
        Rc::clone(&log),
    );
    let index = IndexLink::new(env, &config.repository).map_err(Unservable::Binding)?;
    let storage = Rc::new(RemoteStorage::new(Rc::new(index)));
    let addresses = (oauth.base_url.clone(), config.allowed_origins);
    let authorization = AuthorizationServer {
        settings: oauth,
        clock,
        rng,
        http: fetch,
        state,
        provider,
        allowlist,
        log,
    };
    Ok(App::new(
        addresses,
        authorization,
        guard,
        storage,
        Rc::new(config.policy),
    )
    .with_webhook(config.webhook_secret.map(Webhook::new)))
}
