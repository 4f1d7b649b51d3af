//! The whole server as clients meet it: routes, guard, messages, tools and policy over a vault in
//! memory, with the time, randomness and the login provider under control.

mod answer;
mod callers;
mod deployment;
mod post;

use std::rc::Rc;

use vault_mcp::{
    guard::Guard,
    http::{App, Request, Webhook},
    login::{IdentityProvider, allowlist::Allowlist},
    runtime::ByteStream,
    secret::Secret,
    storage::memory::{File, MemoryStorage},
    vault::{permit::PermitCheck, storage::VaultStorage},
};

pub(crate) use self::{
    answer::{Answer, ToolAnswer},
    callers::{Anonymous, Bearer},
    deployment::Deployment,
    post::{LEGACY, MODERN, Post},
};
use super::{
    oauth::{LOOPBACK, Server, Tokens},
    recording::Recording,
};

/// The server under test, over some backend.
pub(crate) struct TestApp<S = MemoryStorage> {
    /// The authorization server, with everything that it stands on.
    pub(crate) server: Server,
    /// The backend, with a record of what reached it.
    pub(crate) storage: Rc<Recording<S>>,
    deployment: Deployment,
    guard: Guard,
    app: App,
}

impl TestApp {
    /// A server over a vault whose first commit holds `notes`; without notes there is no commit.
    pub(crate) fn of<B: AsRef<[u8]>>(notes: &[(&str, B)]) -> Self {
        if notes.is_empty() {
            return Self::over(MemoryStorage::empty());
        }
        Self::over(MemoryStorage::with(notes.iter().map(|(path, text)| {
            let path = (*path).to_owned();
            (path, File::regular(text))
        })))
    }
}

impl<S: VaultStorage + 'static> TestApp<S> {
    /// A server over `storage`, deployed as usual.
    pub(crate) fn over(storage: S) -> Self {
        Self::deployed(storage, |_| {})
    }

    /// A server over `storage`, deployed in another way.
    pub(crate) fn deployed(storage: S, change: impl FnOnce(&mut Deployment)) -> Self {
        let mut deployment = Deployment::default();
        change(&mut deployment);
        let server = Server::with(|setup| {
            setup.provider = deployment.provider;
            setup.settings.read_only_vault = deployment.read_only;
            deployment.allowlist.clone_into(&mut setup.allowlist);
        });
        Self::assembled(server, Recording::new(storage), deployment)
    }

    /// The same state and the same vault, deployed again in another way.
    pub(crate) fn redeployed(&self, change: impl FnOnce(&mut Deployment)) -> Self {
        let mut deployment = self.deployment.clone();
        change(&mut deployment);
        // Nobody logs in at a server of another provider here, so its own list plays no part.
        let allowlist = if deployment.provider == self.server.provider.kind() {
            deployment.allowlist
        } else {
            ""
        };
        let server = self.server.redeployed(
            |settings| settings.read_only_vault = deployment.read_only,
            allowlist,
        );
        Self::assembled(server, Rc::clone(&self.storage), deployment)
    }

    /// Puts the parts together as the Worker does.
    fn assembled(server: Server, storage: Rc<Recording<S>>, deployment: Deployment) -> Self {
        let oauth = server.oauth.clone();
        let base_url = oauth.settings.base_url.clone();
        let allowlist = Allowlist::parse(deployment.provider, deployment.allowlist).unwrap();
        let guard = Guard::new(
            Rc::clone(&oauth.settings),
            oauth.state.clone(),
            Rc::new(allowlist),
            (deployment.provider, deployment.issuer.to_owned()),
            Rc::clone(&oauth.log),
        );
        let origins = deployment.allowed_origins.iter();
        let origins = origins.map(|origin| (*origin).to_owned()).collect();
        let app = App::new(
            (base_url, origins),
            oauth,
            guard.clone(),
            Rc::<Recording<S>>::clone(&storage),
            Rc::new(deployment.policy()),
        );
        let secret = deployment.webhook_secret;
        let app = app.with_webhook(secret.map(|secret| Webhook::new(Secret::new(secret))));
        Self {
            server,
            storage,
            deployment,
            guard,
            app,
        }
    }

    /// Whom changes have to show their permits to.
    pub(crate) fn permits(&self) -> Rc<dyn PermitCheck> {
        Rc::new(self.guard.clone())
    }

    /// Answers a request of any kind.
    pub(crate) async fn respond(&self, request: &Request) -> Answer {
        Answer::new(self.app.respond(request).await)
    }

    /// Answers a request whose body is still on its way.
    pub(crate) async fn answer(&self, request: ::http::Request<ByteStream>) -> Answer {
        Answer::new(self.app.answer(request).await)
    }

    /// Somebody without a token.
    pub(crate) fn anonymous(&self) -> Anonymous<'_> {
        Anonymous::new(&self.app)
    }

    /// Whoever holds `token`.
    pub(crate) fn bearer(&self, token: impl Into<String>) -> Bearer<'_> {
        Bearer::new(&self.app, token.into())
    }

    /// The owner, who may do everything and allowed the client everything.
    pub(crate) async fn owner(&self) -> Bearer<'_> {
        self.logged_in("owner@example.test", "").await
    }

    /// The owner, who allowed the client to read only.
    pub(crate) async fn owner_reading(&self) -> Bearer<'_> {
        self.logged_in("owner@example.test", "vault:read").await
    }

    /// Somebody whom the allowlist lets read only.
    pub(crate) async fn reader(&self) -> Bearer<'_> {
        self.logged_in("reader@example.test", "").await
    }

    /// A whole login. The client is on somebody's machine, where logins do not replace each other.
    async fn logged_in(&self, name: &str, scope: &str) -> Bearer<'_> {
        self.server.log_in_as(name);
        let client = self.server.client(LOOPBACK).await;
        let callback = self
            .server
            .authorize_with(&client, LOOPBACK, &[("scope", scope)])
            .await;
        let code = callback.one("code");
        let (_, body) = self.server.redeem(&client, &code, LOOPBACK).await;
        self.bearer(Tokens::of(&client, &body).access)
    }
}
