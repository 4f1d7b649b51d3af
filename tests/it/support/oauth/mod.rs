//! The authorization server with everything around it under control: the time, randomness, the
//! login provider, and two databases in memory in place of the two objects.

mod browser;
mod objects;
mod requests;
mod world;

use std::{rc::Rc, time::Duration};

use http::{StatusCode, header};
use serde_json::Value;
use vault_mcp::{
    base_url::BaseUrl,
    login::{Identity, IdentityProvider, ProviderKind, allowlist::Allowlist},
    oauth::{
        AuthorizationServer, Lifetimes, OauthSettings, RedirectHosts, RefreshReuse, SealingKey,
        event::EventLog,
        state::{ActiveGrant, AuthState, AuthStateLink, Instance},
    },
    runtime::{Clock, HttpClient, Rng},
    secret::Secret,
};

use super::clock::ManualClock;

pub(crate) use self::{
    browser::{Browser, Callback, upstream_state},
    objects::{GRANTS_TABLES, Objects},
    requests::{
        answer, fields, form, form_request, get, handle, json_request, lifetimes, location,
        request, text,
    },
    world::{Events, FakeProvider, FakeWeb, SeededRng, person},
};

pub(crate) const BASE: &str = "https://vault.example";
pub(crate) const RESOURCE: &str = "https://vault.example/mcp";
pub(crate) const CLAUDE: &str = "https://claude.ai/api/mcp/auth_callback";
pub(crate) const LOOPBACK: &str = "http://localhost:53124/callback";
/// A code verifier and its challenge (RFC 7636 appendix B).
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// When every test begins.
pub(crate) const START: u64 = 1_800_000_000;

/// What a test may change before the server is made.
pub(crate) struct Setup {
    pub(crate) settings: OauthSettings,
    pub(crate) allowlist: String,
    /// The kind of the login provider.
    pub(crate) provider: ProviderKind,
    /// Whether the objects keep their databases in files, so that they can be restarted.
    pub(crate) on_disk: bool,
}

/// The authorization server under test.
pub(crate) struct Server {
    pub(crate) oauth: AuthorizationServer,
    pub(crate) clock: Rc<ManualClock>,
    pub(crate) rng: Rc<SeededRng>,
    pub(crate) provider: Rc<FakeProvider>,
    pub(crate) objects: Rc<Objects>,
    pub(crate) events: Rc<Events>,
    pub(crate) web: Rc<FakeWeb>,
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup {
            settings: OauthSettings {
                base_url: BaseUrl::parse(BASE).unwrap(),
                sealing_key: SealingKey::new(&Secret::new("0123456789abcdef0123456789abcdef")),
                lifetimes: Lifetimes::default(),
                refresh_reuse: RefreshReuse::Revoke,
                revoke_before: None,
                redirect_hosts: RedirectHosts::default(),
                static_clients: Vec::new(),
                remember_consent: false,
                read_only_vault: false,
                resource_name: "Test vault".to_owned(),
            },
            allowlist: "owner@example.test reader@example.test:read".to_owned(),
            provider: ProviderKind::Oidc,
            on_disk: false,
        };
        change(&mut setup);
        let clock = Rc::new(ManualClock::at(START));
        let rng = Rc::new(SeededRng::default());
        let provider = Rc::new(FakeProvider::of(
            setup.provider,
            person("owner@example.test"),
        ));
        let objects = if setup.on_disk {
            Objects::on_disk(Rc::clone(&clock))
        } else {
            Objects::new(Rc::clone(&clock))
        };
        let objects = Rc::new(objects);
        let events = Rc::new(Events::default());
        let web = Rc::new(FakeWeb::default());
        let state = AuthState::new(
            Rc::clone(&objects) as Rc<dyn AuthStateLink>,
            &setup.settings,
        );
        let allowlist = Allowlist::parse(setup.provider, &setup.allowlist).unwrap();
        let oauth = AuthorizationServer {
            settings: Rc::new(setup.settings),
            clock: Rc::clone(&clock) as Rc<dyn Clock>,
            rng: Rc::clone(&rng) as Rc<dyn Rng>,
            http: Rc::clone(&web) as Rc<dyn HttpClient>,
            state,
            provider: Rc::clone(&provider) as Rc<dyn IdentityProvider>,
            allowlist: Rc::new(allowlist),
            log: Rc::clone(&events) as Rc<dyn EventLog>,
        };
        Self {
            oauth,
            clock,
            rng,
            provider,
            objects,
            events,
            web,
        }
    }

    /// The same state, served with other settings: what a new deployment does.
    pub(crate) fn redeployed(
        &self,
        change: impl FnOnce(&mut OauthSettings),
        allowlist: &str,
    ) -> Self {
        let mut settings = (*self.oauth.settings).clone();
        change(&mut settings);
        let state = AuthState::new(Rc::clone(&self.objects) as Rc<dyn AuthStateLink>, &settings);
        let allowlist = Allowlist::parse(self.provider.kind(), allowlist).unwrap();
        Self {
            oauth: AuthorizationServer {
                settings: Rc::new(settings),
                state,
                allowlist: Rc::new(allowlist),
                ..self.oauth.clone()
            },
            clock: Rc::clone(&self.clock),
            rng: Rc::clone(&self.rng),
            provider: Rc::clone(&self.provider),
            objects: Rc::clone(&self.objects),
            events: Rc::clone(&self.events),
            web: Rc::clone(&self.web),
        }
    }

    /// Lets `seconds` pass.
    pub(crate) fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Whoever logs in from now on is `name`.
    pub(crate) fn log_in_as(&self, name: &str) {
        self.log_in(person(name));
    }

    /// Whoever logs in from now on is `identity`.
    pub(crate) fn log_in(&self, identity: Identity) {
        *self.provider.answer.borrow_mut() = Ok(identity);
    }

    pub(crate) async fn register(&self, metadata: &Value) -> (StatusCode, Value) {
        let response = self
            .oauth
            .register(&json_request(metadata.to_string().as_bytes()))
            .await;
        answer(&response)
    }

    /// Registers a public client with that redirect URI, and returns its identifier.
    pub(crate) async fn client(&self, redirect_uri: &str) -> String {
        let metadata = serde_json::json!({
            "redirect_uris": [redirect_uri],
            "client_name": "Claude",
            "token_endpoint_auth_method": "none",
        });
        let (status, body) = self.register(&metadata).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        body["client_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn token(&self, fields: &[(&str, &str)]) -> (StatusCode, Value) {
        let response = self.oauth.token(&form_request("/token", fields)).await;
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        assert_eq!(response.headers()[header::PRAGMA], "no-cache");
        answer(&response)
    }

    pub(crate) async fn revoke(&self, fields: &[(&str, &str)]) -> StatusCode {
        self.oauth
            .revoke(&form_request("/revoke", fields))
            .await
            .status()
    }

    /// Goes through consent and login in a new browser, and returns where the browser ends up.
    pub(crate) async fn authorize(&self, client: &str, redirect_uri: &str) -> Callback {
        self.authorize_with(client, redirect_uri, &[]).await
    }

    pub(crate) async fn authorize_with(
        &self,
        client: &str,
        redirect_uri: &str,
        parameters: &[(&str, &str)],
    ) -> Callback {
        let mut browser = Browser::new(self);
        let page = browser
            .authorize(&request(client, redirect_uri, parameters))
            .await;
        assert_eq!(page.status(), StatusCode::OK, "{}", text(&page));
        let sent = browser
            .decide(&handle(&page), &[("decision", "approve")])
            .await;
        let back = browser.come_back(&sent).await;
        Callback::of(&back)
    }

    /// A code for the owner, and the client that it was issued to.
    pub(crate) async fn code(&self, redirect_uri: &str) -> (String, String) {
        let client = self.client(redirect_uri).await;
        let code = self.authorize(&client, redirect_uri).await.one("code");
        (client, code)
    }

    /// A whole login at Claude's redirect URI.
    pub(crate) async fn sign_in(&self) -> Tokens {
        self.sign_in_at(CLAUDE).await
    }

    pub(crate) async fn sign_in_at(&self, redirect_uri: &str) -> Tokens {
        let (client, code) = self.code(redirect_uri).await;
        let (status, body) = self.redeem(&client, &code, redirect_uri).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        Tokens::of(&client, &body)
    }

    pub(crate) async fn redeem(
        &self,
        client: &str,
        code: &str,
        redirect_uri: &str,
    ) -> (StatusCode, Value) {
        self.token(&[
            ("grant_type", "authorization_code"),
            ("client_id", client),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("redirect_uri", redirect_uri),
        ])
        .await
    }

    pub(crate) async fn refresh(&self, client: &str, token: &str) -> (StatusCode, Value) {
        let grant = ("grant_type", "refresh_token");
        self.token(&[grant, ("client_id", client), ("refresh_token", token)])
            .await
    }

    /// The grant behind an access token, as the guard sees it.
    pub(crate) async fn access(&self, token: &str) -> Option<ActiveGrant> {
        self.oauth.state.admit_call(token).await.unwrap()
    }

    /// How much a login leaves behind: to show that a refusal leaves nothing.
    pub(crate) fn footprint(&self) -> [i64; 7] {
        [
            self.objects.rows(Instance::Front, "logins"),
            self.objects.rows(Instance::Front, "consents"),
            self.objects.rows(Instance::Grants, "grants"),
            self.objects.rows(Instance::Grants, "codes"),
            self.objects.rows(Instance::Grants, "refresh_tokens"),
            self.objects.rows(Instance::Grants, "access_tokens"),
            self.objects.rows(Instance::Front, "session_logins"),
        ]
    }
}

/// Tokens, and the client that has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) client: String,
    pub(crate) access: String,
    pub(crate) refresh: String,
}

impl Tokens {
    pub(crate) fn of(client: &str, body: &Value) -> Self {
        let member = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        Self {
            client: client.to_owned(),
            access: member("access_token"),
            refresh: member("refresh_token"),
        }
    }
}
