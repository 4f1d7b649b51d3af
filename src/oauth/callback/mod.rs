//! `GET /callback`: the person comes back from the login provider.

mod error;

use std::time::Duration;

use self::error::{Beginning, CallbackError};
use super::{
    AuthorizationServer,
    cookies::{Jar, TransactionCookies},
    event::{AuthEvent, Endpoint, Pseudonym},
    grant::{Grant, GrantClient},
    login_transaction::{ClientLogin, Consent, LoginKind, SessionLogin, TakeError, cookie_id},
    parameters::Parameters,
    remembered,
    request::AuthorizationRequest,
    sessions::BeginError,
    state::{CodeIssued, IssueCode, Pin},
    token::{GrantId, IssuedToken, TokenKind},
    types::{ClientId, Digest, Scope},
};
use crate::{
    http::{Request, Response},
    login::{Caution, Identity, LoggedIn, LoginAttempt, LoginCallback, pin::PinnedTo},
    secret::Secret,
};

/// How long an authorization code lives. A person may have to copy it by hand.
const CODE_LIFETIME: Duration = Duration::from_mins(5);

/// What came back from the login provider.
struct Returned<'a> {
    state: Secret,
    /// What this browser's cookie says about the beginning; the sealed transaction has to agree.
    began: Beginning,
    /// The value of that cookie.
    cookie: &'a str,
    callback: LoginCallback,
}

/// What came of a client's login.
enum Issued {
    Code(Secret),
    /// The consent that was remembered is not this person's, or is void: they have to be asked.
    NoConsent,
}

impl AuthorizationServer {
    /// Finds out who came back, and lets them go on with what they began: a client's authorization, or
    /// a session of their own. Which one it is says the cookie, and the sealed transaction has to
    /// agree.
    ///
    /// 1. `state` names a login under way, and this browser has its cookie.
    /// 2. The login is taken, once. Another browser does not get it (RFC 6749 section 10.12).
    /// 3. The provider says who it is. Its tokens are dropped with that.
    /// 4. The allowlist holds the person; otherwise a page says whom it does not hold. No code, no
    ///    grant, no session, and nothing is told to a client.
    ///
    /// For a client:
    ///
    /// 5. A consent that was remembered is this very person's; otherwise they are asked now.
    /// 6. The scope is what was asked for, what the person left of it, what the allowlist entry
    ///    allows and what the vault allows, all at once.
    /// 7. Grant and code are written down in one step, unless the name has changed hands.
    /// 8. The person is sent to the client with the code.
    pub async fn callback(&self, request: &Request) -> Response {
        let jar = Jar::read(request.headers(), &self.settings.base_url);
        let cookies = TransactionCookies::of(&jar);
        let returned = match returned(request, &cookies) {
            Ok(returned) => returned,
            Err(error) => return self.refuse_callback(&error, None),
        };
        let (phase, went_on) = match returned.began {
            Beginning::Client => (ClientLogin::PHASE, self.client_login(&jar, &returned).await),
            Beginning::Sessions => (
                SessionLogin::PHASE,
                self.session_login(&jar, &returned).await,
            ),
        };
        // A login that was not taken out is still there, for this browser or its own.
        let not_taken = matches!(
            went_on,
            Err(CallbackError::Take(
                TakeError::OtherBrowser | TakeError::Unavailable(_)
            ))
        );
        let mut response =
            went_on.unwrap_or_else(|error| self.refuse_callback(&error, Some(returned.began)));
        if !not_taken {
            let state = Digest::of(returned.state.expose());
            cookies.clear(phase, cookie_id(&state), response.headers_mut());
        }
        response
    }

    async fn client_login(
        &self,
        jar: &Jar<'_>,
        returned: &Returned<'_>,
    ) -> Result<Response, CallbackError> {
        // (2)
        let binding = Digest::of(returned.cookie);
        let (login, attempt) = self.take_client_login(&returned.state, &binding).await?;

        // (3)
        let identity = self
            .who_came_back(returned, &attempt, Some(&login.request))
            .await?;

        // (4) to (7)
        let code = match self.issue_code(&login, &identity).await? {
            Issued::Code(code) => code,
            Issued::NoConsent => {
                let mut page = self.ask(jar, login.request.clone())?;
                remembered::forget(jar, &login.request, page.headers_mut());
                return Ok(page);
            }
        };

        // (8)
        let reply_to = &login.request.reply_to;
        let mut response = reply_to.code(&code, &self.settings.base_url);
        if let Consent::Given { remember: true } = login.consent {
            self.remember(jar, &login, &identity, response.headers_mut());
        }
        Ok(response)
    }

    async fn session_login(
        &self,
        jar: &Jar<'_>,
        returned: &Returned<'_>,
    ) -> Result<Response, CallbackError> {
        // (2)
        let attempt = self
            .take_session_login(&returned.state, returned.cookie)
            .await?;

        // (3)
        let identity = self.who_came_back(returned, &attempt, None).await?;

        // (4) Where the name is somebody else's, the next step finds out.
        if self
            .allowed_scope(&identity, PinnedTo::ThisPerson)
            .is_none()
        {
            return Err(CallbackError::NotAllowed(Box::new(identity)));
        }
        self.begin_session(jar, &identity)
            .await
            .map_err(|error| match error {
                BeginError::PinnedToAnother => CallbackError::PinnedToAnother(Box::new(identity)),
                BeginError::Unavailable(error) => error.into(),
                BeginError::Rng(error) => error.into(),
            })
    }

    /// Step (3), for a client's `request` if there is one.
    async fn who_came_back(
        &self,
        returned: &Returned<'_>,
        attempt: &LoginAttempt,
        request: Option<&AuthorizationRequest>,
    ) -> Result<Identity, CallbackError> {
        let LoggedIn { identity, caution } = self
            .provider
            .identify(&returned.callback, attempt)
            .await
            .map_err(|error| CallbackError::Login {
                error,
                reply_to: request.map(|request| Box::new(request.reply_to.clone())),
            })?;
        self.log_caution(caution, &identity, request.map(|request| &request.client));
        Ok(identity)
    }

    async fn issue_code(
        &self,
        login: &ClientLogin,
        identity: &Identity,
    ) -> Result<Issued, CallbackError> {
        // (4)
        // Where the name is somebody else's, the last step finds out.
        let Some(allowed) = self.allowed_scope(identity, PinnedTo::ThisPerson) else {
            return Err(CallbackError::NotAllowed(Box::new(identity.clone())));
        };

        // (5)
        let remembered_at = match &login.consent {
            Consent::Given { .. } => None,
            Consent::Remembered { person, given_at } => {
                if !person.matches(&Digest::of(&identity.person())) {
                    self.log_client("consent_of_another", login, identity);
                    return Ok(Issued::NoConsent);
                }
                Some(*given_at)
            }
        };

        // (6)
        let scope: Scope = login.scope().min(allowed);

        // (7)
        let now = self.clock.now();
        let rng = self.rng.as_ref();
        let id = GrantId::generate(rng)?;
        let code = IssuedToken::generate(TokenKind::Code, &id, &self.settings.sealing_key, rng)?;
        let issue = IssueCode {
            id: id.clone(),
            grant: Grant {
                client: GrantClient {
                    id: login.request.client.clone(),
                    name: login.request.client_name.clone(),
                    redirect_uri: login.request.reply_to.redirect_uri.clone(),
                    may_refresh: login.request.may_refresh,
                },
                identity: identity.clone(),
                scope,
                resource: self.settings.base_url.resource(),
                created_at: now,
                ends_at: now.after(self.settings.lifetimes.refresh_absolute),
            },
            code: code.digest(),
            challenge: login.request.challenge.clone(),
            expires_at: now.after(CODE_LIFETIME),
            pin: self.pin(identity, login.scope()),
            remembered_at,
        };
        match self.state.apply(issue).await? {
            CodeIssued::Issued => {}
            CodeIssued::PinnedToAnother => {
                return Err(CallbackError::PinnedToAnother(Box::new(identity.clone())));
            }
            CodeIssued::ConsentWithdrawn => {
                self.log_client("consent_withdrawn", login, identity);
                return Ok(Issued::NoConsent);
            }
        }
        let event = self.client_event("code_issued", login, identity);
        self.log.record(&event.grant(&id));
        Ok(Issued::Code(code.secret().clone()))
    }

    /// What to do about the person's name, where the allowlist has it.
    ///
    /// An entry by id names a person for good and needs no pin. A name beside it does: without one,
    /// whoever has the name next would be the first to come with it.
    fn pin(&self, identity: &Identity, asked: Scope) -> Option<Pin> {
        self.allowlist.holds_name(identity).then(|| Pin {
            otherwise: self
                .allowed_scope(identity, PinnedTo::SomebodyElse)
                .map(|allowed| asked.min(allowed)),
        })
    }

    /// Tells the operator of something that is no reason to refuse a login. An entry by subject
    /// does not depend on the address, so there is nothing to tell then.
    fn log_caution(
        &self,
        caution: Option<Caution>,
        identity: &Identity,
        client: Option<&ClientId>,
    ) {
        let Some(caution) = caution.filter(|_| self.allowlist.holds_name(identity)) else {
            return;
        };
        let reason = match caution {
            Caution::AddressOfAnotherAuthority => "email_not_authoritative",
        };
        let person = Pseudonym::of(identity, &self.settings.sealing_key);
        let event = AuthEvent::new(Endpoint::Callback, reason).person(person);
        self.log.record(&match client {
            Some(client) => event.client(client),
            None => event,
        });
    }

    fn client_event(
        &self,
        reason: &'static str,
        login: &ClientLogin,
        identity: &Identity,
    ) -> AuthEvent {
        AuthEvent::new(Endpoint::Callback, reason)
            .client(&login.request.client)
            .person(Pseudonym::of(identity, &self.settings.sealing_key))
    }

    fn log_client(&self, reason: &'static str, login: &ClientLogin, identity: &Identity) {
        self.log.record(&self.client_event(reason, login, identity));
    }

    fn refuse_callback(&self, error: &CallbackError, began: Option<Beginning>) -> Response {
        let mut event = AuthEvent::new(Endpoint::Callback, error.reason());
        match error {
            CallbackError::NotAllowed(identity) | CallbackError::PinnedToAnother(identity) => {
                event = event.person(Pseudonym::of(identity, &self.settings.sealing_key));
            }
            CallbackError::Login { error, .. } => event = event.detail(error),
            CallbackError::Take(TakeError::Unavailable(error))
            | CallbackError::Unavailable(error) => event = event.detail(error),
            CallbackError::Unreadable(_)
            | CallbackError::Repeated(_)
            | CallbackError::NoState
            | CallbackError::Take(
                TakeError::OtherBrowser | TakeError::Unknown | TakeError::Sealed(_),
            )
            | CallbackError::Rng(_) => {}
        }
        self.log.record(&event);
        error
            .answer(self.provider.kind(), began)
            .respond(&self.settings.base_url, self.rng.as_ref())
    }
}

/// (1)
fn returned<'a>(
    request: &Request,
    cookies: &'a TransactionCookies<'_>,
) -> Result<Returned<'a>, CallbackError> {
    let parameters = Parameters::of_query(request)?;
    let state = parameters.one("state")?.ok_or(CallbackError::NoState)?;
    let callback = LoginCallback {
        code: parameters.one("code")?.map(Secret::new),
        issuer: parameters.one("iss")?.map(str::to_owned),
        error: parameters.one("error")?.map(str::to_owned),
    };
    let digest = Digest::of(state);
    let cookie = |phase| cookies.value(phase, cookie_id(&digest));
    let client = cookie(ClientLogin::PHASE).map(|value| (Beginning::Client, value));
    let (began, cookie) = client
        .or_else(|| Some((Beginning::Sessions, cookie(SessionLogin::PHASE)?)))
        .ok_or(TakeError::OtherBrowser)?;
    Ok(Returned {
        state: Secret::new(state),
        began,
        cookie,
        callback,
    })
}
