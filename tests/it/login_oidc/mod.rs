//! Login with an OpenID provider: which of its answers are believed, and what it is asked for.

mod cache;
mod documents;
mod email;
mod flow;
mod id_token;
mod signature;

use std::rc::Rc;

use vault_mcp::{
    login::{
        Identity, IdentityProvider, LoginAttempt, LoginCallback, LoginError,
        oidc::{OidcProvider, OidcSettings, ProviderCache, issuer::Issuer},
    },
    secret::Secret,
};

use crate::support::{
    clock::ManualClock,
    openid::{CLIENT_ID, CLIENT_SECRET, ISSUER, NOW, Provider, REDIRECT_URI, Script, attempt},
};

/// The server under test and the provider it talks to.
struct Setting {
    provider: Rc<Provider>,
    clock: Rc<ManualClock>,
    login: OidcProvider,
}

impl Setting {
    fn new(script: Script, configure: impl FnOnce(&mut OidcSettings)) -> Self {
        let provider = Rc::new(Provider::new(script));
        let clock = Rc::new(ManualClock::at(NOW));
        let mut settings = OidcSettings {
            issuer: Issuer::parse(ISSUER).expect("an issuer"),
            client_id: CLIENT_ID.to_owned(),
            client_secret: Secret::new(CLIENT_SECRET),
            allow_unverified_email: false,
            redirect_uri: REDIRECT_URI.parse().expect("a URL"),
        };
        configure(&mut settings);
        let cache = ProviderCache::default();
        let login = OidcProvider::new(settings, provider.clone(), clock.clone(), cache);
        Self {
            provider,
            clock,
            login,
        }
    }

    fn honest() -> Self {
        Self::new(Script::honest(ISSUER), |_| {})
    }

    /// A whole login; `change` is what happens to the authorization response on its way.
    async fn log_in_with(
        &self,
        change: impl FnOnce(&mut LoginCallback),
    ) -> Result<Identity, LoginError> {
        let attempt = attempt();
        let url = self.login.authorization_url(&attempt).await?;
        let mut callback = self.provider.authorize(&url);
        change(&mut callback);
        self.identify(&callback, &attempt).await
    }

    /// Who it is that comes back with `callback`.
    async fn identify(
        &self,
        callback: &LoginCallback,
        attempt: &LoginAttempt,
    ) -> Result<Identity, LoginError> {
        let login = self.login.identify(callback, attempt).await?;
        Ok(login.identity)
    }

    async fn log_in(&self) -> Result<Identity, LoginError> {
        self.log_in_with(|_| {}).await
    }

    /// Changes what the provider says from now on.
    fn script(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.provider.script.borrow_mut());
    }
}

/// Which kind of outcome a login has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    LoggedIn,
    /// Logged in, but an entry by e-mail address does not match.
    Unverified,
    UnverifiedEmail,
    Untrusted,
    Unavailable,
    Misconfigured,
    Declined,
}

impl From<&Result<Identity, LoginError>> for Outcome {
    fn from(result: &Result<Identity, LoginError>) -> Self {
        match result {
            Ok(person) if person.name_verified => Self::LoggedIn,
            Ok(_) => Self::Unverified,
            Err(LoginError::UnverifiedEmail { .. }) => Self::UnverifiedEmail,
            // Any other OpenID provider knows no organisations: an answer that it may not give.
            Err(LoginError::Untrusted(_) | LoginError::OtherOrganisation { .. }) => Self::Untrusted,
            Err(LoginError::Unavailable(_)) => Self::Unavailable,
            Err(LoginError::Misconfigured(_)) => Self::Misconfigured,
            Err(LoginError::Declined(_)) => Self::Declined,
        }
    }
}

/// The result of a login, on one line.
fn shown(result: &Result<Identity, LoginError>) -> String {
    match result {
        Ok(person) => format!(
            "logged in {:.20} as {:?}{}",
            person.subject,
            person.name,
            if person.name_verified {
                ""
            } else {
                ", unverified"
            }
        ),
        Err(error @ LoginError::UnverifiedEmail { email, explicit }) => {
            format!("{error}: {email:?}, explicit: {explicit}")
        }
        Err(error) => error.to_string(),
    }
}

/// What a login asks for whose ID token says everything, or is refused.
const TO_ID_TOKEN: &str = "discovery token jwks";
/// What a login asks for whose ID token says too little.
const TO_USERINFO: &str = "discovery token jwks userinfo";

/// A fault of the provider, and what has to come of it.
#[derive(Clone, Copy)]
struct Row {
    fault: &'static str,
    outcome: Outcome,
    /// Exactly what may be asked for.
    calls: &'static str,
    change: fn(&mut Script),
}

/// A fault that shows once the ID token is there.
const fn row(fault: &'static str, outcome: Outcome, change: fn(&mut Script)) -> Row {
    Row {
        fault,
        outcome,
        calls: TO_ID_TOKEN,
        change,
    }
}

impl Row {
    /// The same, but this is what is asked for.
    const fn asking(self, calls: &'static str) -> Self {
        Self { calls, ..self }
    }
}

/// Runs the rows, each against a provider of its own, and holds the whole to a snapshot.
async fn table(name: &str, rows: &[Row], configure: impl Fn(&mut OidcSettings)) {
    let mut lines = Vec::new();
    for Row {
        fault,
        outcome,
        calls,
        change,
    } in rows
    {
        let mut script = Script::honest(ISSUER);
        change(&mut script);
        let setting = Setting::new(script, &configure);
        let result = setting.log_in().await;
        let shown = shown(&result);
        assert_eq!(Outcome::from(&result), *outcome, "{fault}: {shown}");
        assert_eq!(setting.provider.calls(), *calls, "{fault}: {shown}");
        for secret in [
            CLIENT_SECRET,
            "access-token-of-this-login",
            "code-of-this-login",
        ] {
            assert!(!shown.contains(secret), "{fault}: {shown}");
        }
        lines.push(format!("{fault:40} {shown}"));
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, lines.join("\n")));
}
