//! A login under way: drawn up, sealed, and good once when the person comes back.
//!
//! A client's request is too long for a cookie, so its login waits in `front`, and who began it has had
//! to answer a consent form. A login for a session can be begun by anybody: it is sealed into the
//! browser's cookie, and only that it came back is written down.
//!
//! There are two kinds, and neither can be exchanged for the other. Each is a type with a sealing key
//! and a cookie of its own, and what follows from one takes that type alone: a code needs a
//! [`ClientLogin`], a session a [`SessionLogin`]. Whoever renames a cookie gets a transaction that
//! does not open.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use url::Url;

use super::{
    AuthorizationServer,
    answer::see_other,
    cookies::{self, Binding, Phase, TransactionCookies},
    event::{AuthEvent, Endpoint},
    login_failure,
    request::AuthorizationRequest,
    seal::{OpenError, Purpose},
    state::{LinkError, LoginTaken, NewLogin, SpendSessionLogin, Spent, TakeLogin},
    types::{Digest, Scope},
};
use crate::{
    http::Response,
    login::{LoginAttempt, LoginError},
    runtime::{RngError, Timestamp},
    secret::Secret,
};

/// What a login is for.
pub(super) trait LoginKind: Serialize + DeserializeOwned {
    /// What its transactions are sealed for.
    const PURPOSE: Purpose;
    /// The cookie that ties one to the browser.
    const PHASE: Phase;
}

/// A login for a client: it ends in a code for that client.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ClientLogin {
    /// The request as the client made it.
    pub(super) request: AuthorizationRequest,
    /// Whether the person let the client read only.
    pub(super) read_only: bool,
    /// How the person agreed.
    pub(super) consent: Consent,
}

/// How a person agreed to a client's request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Consent {
    /// On the consent page, just now.
    Given {
        /// Whether this browser is not to ask again.
        remember: bool,
    },
    /// On an earlier consent page; this browser was not to ask again.
    Remembered {
        /// The digest of who agreed then. Who logs in now is known at the callback only.
        person: Digest,
        /// When they did.
        given_at: Timestamp,
    },
}

impl ClientLogin {
    /// What the client asked for, less what the person withheld.
    pub(super) const fn scope(&self) -> Scope {
        if self.read_only {
            Scope::Read
        } else {
            self.request.scope
        }
    }
}

impl LoginKind for ClientLogin {
    const PURPOSE: Purpose = Purpose::ClientLogin;
    const PHASE: Phase = Phase::Login;
}

/// A login for the person's own session: it ends on the page of their grants. There is nothing to
/// say about it, not even where to go afterwards.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SessionLogin {
    /// When it has to be over. A client's login has that in its row.
    expires_at: Timestamp,
}

impl LoginKind for SessionLogin {
    const PURPOSE: Purpose = Purpose::SessionLogin;
    const PHASE: Phase = Phase::SignIn;
}

/// What the callback needs, sealed until then.
#[derive(Debug, Serialize, Deserialize)]
struct LoginTransaction<K> {
    kind: K,
    nonce: String,
    code_verifier: String,
}

/// A login that is drawn up and sealed, bound to the digest of its `state`.
struct DrawnLogin {
    state: Digest,
    sealed: String,
    destination: Url,
}

/// Where a person is sent to log in, and the cookie that the callback will ask for.
#[derive(Debug)]
pub(super) struct Departure {
    destination: Url,
    phase: Phase,
    state: Digest,
    binding: Binding,
}

/// Why no login is drawn up.
#[derive(Debug, thiserror::Error)]
pub(super) enum DrawError {
    #[error(transparent)]
    Login(#[from] LoginError),
    #[error(transparent)]
    Rng(#[from] RngError),
}

/// Why no login is taken out.
#[derive(Debug, thiserror::Error)]
pub(super) enum TakeError {
    #[error("this browser did not begin the login")]
    OtherBrowser,
    #[error("there is no such login, or not any more")]
    Unknown,
    #[error(transparent)]
    Sealed(#[from] OpenError),
    #[error(transparent)]
    Unavailable(#[from] LinkError),
}

impl Departure {
    /// Sends the person away.
    pub(super) fn respond(&self, cookies: &TransactionCookies<'_>) -> Response {
        let mut response = see_other(self.destination.as_str());
        let id = cookie_id(&self.state);
        cookies.set(self.phase, id, &self.binding, response.headers_mut());
        response
    }
}

/// How the cookie of a login is named, so that the callback finds it by the `state` it gets.
pub(super) fn cookie_id(state: &Digest) -> &str {
    state.as_str().get(..12).unwrap_or_default()
}

impl AuthorizationServer {
    /// Draws up a login for a client. It has to be written down before the person is sent away.
    pub(super) async fn draw_client_login(
        &self,
        login: ClientLogin,
    ) -> Result<(NewLogin, Departure), DrawError> {
        let drawn = self.draw(login).await?;
        let now = self.clock.now();
        let binding = Binding::generate(now, self.rng.as_ref())?;
        let login = NewLogin {
            state: drawn.state.clone(),
            binding: binding.digest(),
            sealed: drawn.sealed,
            expires_at: now.after(cookies::LIFETIME),
        };
        let departure = Departure {
            destination: drawn.destination,
            phase: ClientLogin::PHASE,
            state: drawn.state,
            binding,
        };
        Ok((login, departure))
    }

    /// Draws up a login for a session. The cookie holds it, and nothing is to be written down.
    pub(super) async fn draw_session_login(&self) -> Result<Departure, DrawError> {
        let now = self.clock.now();
        let expires_at = now.after(cookies::LIFETIME);
        let drawn = self.draw(SessionLogin { expires_at }).await?;
        Ok(Departure {
            destination: drawn.destination,
            phase: SessionLogin::PHASE,
            state: drawn.state,
            binding: Binding::carrying(&drawn.sealed, now),
        })
    }

    /// Fresh values, sealed, and where the provider wants the person to be sent.
    async fn draw<K: LoginKind>(&self, kind: K) -> Result<DrawnLogin, DrawError> {
        let rng = self.rng.as_ref();
        let attempt = LoginAttempt::generate(rng)?;
        let destination = self.provider.authorization_url(&attempt).await?;
        let transaction = LoginTransaction {
            kind,
            nonce: attempt.nonce.expose().to_owned(),
            code_verifier: attempt.code_verifier.expose().to_owned(),
        };
        let plain = serde_json::to_vec(&transaction).unwrap_or_default();
        let state = Digest::of(attempt.state.expose());
        let key = &self.settings.sealing_key;
        Ok(DrawnLogin {
            sealed: key.seal(K::PURPOSE, state.as_str(), &plain, rng)?,
            state,
            destination,
        })
    }

    /// Takes out the client's login that `state` names, once, for the browser that has `binding`
    /// (RFC 6749 section 10.12).
    pub(super) async fn take_client_login(
        &self,
        state: &Secret,
        binding: &Digest,
    ) -> Result<(ClientLogin, LoginAttempt), TakeError> {
        let take = TakeLogin {
            state: Digest::of(state.expose()),
            binding: binding.clone(),
        };
        match self.state.apply(take).await? {
            LoginTaken::Taken(sealed) => Ok(self.open(state, &sealed)?),
            LoginTaken::OtherBrowser => Err(TakeError::OtherBrowser),
            LoginTaken::Unknown => Err(TakeError::Unknown),
        }
    }

    /// Opens the login for a session that `state` names and this browser's cookie carries. It is good
    /// once.
    pub(super) async fn take_session_login(
        &self,
        state: &Secret,
        cookie: &str,
    ) -> Result<LoginAttempt, TakeError> {
        let sealed = Binding::carried_by(cookie);
        let (SessionLogin { expires_at }, attempt) = self.open(state, sealed)?;
        if expires_at <= self.clock.now() {
            return Err(TakeError::Unknown);
        }
        let spend = SpendSessionLogin {
            state: Digest::of(state.expose()),
            expires_at,
        };
        match self.state.apply(spend).await? {
            Spent::Now => Ok(attempt),
            Spent::Before => Err(TakeError::Unknown),
        }
    }

    fn open<K: LoginKind>(
        &self,
        state: &Secret,
        sealed: &str,
    ) -> Result<(K, LoginAttempt), OpenError> {
        let digest = Digest::of(state.expose());
        let key = &self.settings.sealing_key;
        let opened = key.open(K::PURPOSE, digest.as_str(), sealed)?;
        let transaction: LoginTransaction<K> =
            serde_json::from_slice(&opened).map_err(|_| OpenError)?;
        let attempt = LoginAttempt {
            state: state.clone(),
            nonce: Secret::new(transaction.nonce),
            code_verifier: Secret::new(transaction.code_verifier),
        };
        Ok((transaction.kind, attempt))
    }

    /// Says that a client's login could not be begun.
    pub(super) fn login_unavailable(
        &self,
        endpoint: Endpoint,
        request: &AuthorizationRequest,
        error: &LoginError,
    ) -> Response {
        let event = AuthEvent::new(endpoint, login_failure::reason(error));
        self.log
            .record(&event.client(&request.client).detail(error));
        login_failure::answer(error, Some(&request.reply_to), self.provider.kind())
            .respond(&self.settings.base_url, self.rng.as_ref())
    }
}
