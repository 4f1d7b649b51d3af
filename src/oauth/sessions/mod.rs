//! `/sessions`: a person sees their own grants and ends them. Nothing else can be done here.
//!
//! What holds, whatever is sent:
//!
//! - Whoever gets in has just logged in at the provider, by a login that can lead nowhere else
//!   ([`SessionLogin`](super::login_transaction::SessionLogin)), and is on the allowlist at this moment.
//! - Nobody sees or ends a grant that is not their own. Somebody else's is as unknown as one that
//!   never was.
//! - A `GET` changes nothing. What is changed takes a form of this very session, sent from our page.
//! - There is no parameter that says where to go afterwards.

mod cookie;
mod error;

use self::{cookie::Session, error::SessionError};
use super::{
    AuthorizationServer,
    answer::see_other,
    client::ClientSource,
    cookies::{Jar, TransactionCookies},
    document::DocumentUrl,
    event::{AuthEvent, Endpoint, Pseudonym},
    pages,
    parameters::Parameters,
    remembered,
    state::{
        BeginSession, EndGrants, EndSession, LinkError, ListGrants, NotSignedIn, OwnGrants,
        SignedIn, Which,
    },
    token::GrantId,
    types::ClientId,
};
use crate::{
    http::{Request, Response, is_same_origin},
    login::{Identity, pin::PinnedTo},
    runtime::RngError,
};

const PATH: &str = "/sessions";

/// Why nobody is signed in at the end of a login.
#[derive(Debug, thiserror::Error)]
pub(super) enum BeginError {
    #[error("the name belonged to somebody else when it first logged in")]
    PinnedToAnother,
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
}

impl AuthorizationServer {
    /// `GET /sessions`: the grants of whoever is signed in, and to anybody else the way in.
    ///
    /// 1. The session cookie opens, and its time is not over; otherwise the page offers to log in.
    /// 2. The person is of the configured provider and on the allowlist as it is now; otherwise a
    ///    page names them and the setting, and the session is over.
    /// 3. In one step: the session was not ended, the name is still theirs, and these are their
    ///    grants.
    pub async fn sessions(&self, request: &Request) -> Response {
        let jar = Jar::read(request.headers(), &self.settings.base_url);
        match self.list(&jar).await {
            Ok(page) => page,
            Err(SessionError::NotSignedIn) => {
                let mut page = pages::sign_in(
                    &self.settings.resource_name,
                    &self.provider.display_name(),
                    &self.settings.base_url,
                    self.rng.as_ref(),
                );
                Session::clear(&jar, page.headers_mut());
                page
            }
            Err(error) => self.refuse_session(&jar, &error),
        }
    }

    /// `POST /sessions/sign-in`: sends the person to the login provider. The login is of the kind that
    /// ends on this page and nowhere else. Nothing is written: anybody can send this.
    pub async fn sign_in(&self, request: &Request) -> Response {
        let jar = Jar::read(request.headers(), &self.settings.base_url);
        let sent = self.begin_session_login(request, &jar).await;
        sent.unwrap_or_else(|error| self.refuse_session(&jar, &error))
    }

    /// `POST /sessions/end`: ends one of the person's grants, or all of them.
    ///
    /// 1. The form was sent from our own page: by `Sec-Fetch-Site` and `Origin`.
    /// 2. The person is signed in and may enter, as for the page itself.
    /// 3. The form has the token of this session.
    /// 4. In one step: the session was not ended, the name is still theirs, and the grants that are
    ///    theirs among the named ones are gone, with codes and tokens. A grant that is not there
    ///    any more, or never was theirs, is no error: what the person wanted is so.
    /// 5. Back to the page.
    pub async fn end_grants(&self, request: &Request) -> Response {
        let jar = Jar::read(request.headers(), &self.settings.base_url);
        let ended = self.end(request, &jar).await;
        ended.unwrap_or_else(|error| self.refuse_session(&jar, &error))
    }

    /// `POST /sessions/sign-out`: the session is over, here and for whoever else has its cookie.
    /// Somebody who is off the allowlist can do that too.
    pub async fn sign_out(&self, request: &Request) -> Response {
        let jar = Jar::read(request.headers(), &self.settings.base_url);
        let ended = self.end_session(request, &jar).await;
        ended.unwrap_or_else(|error| self.refuse_session(&jar, &error))
    }

    /// Signs in whoever came back from a login for a session and may enter.
    pub(super) async fn begin_session(
        &self,
        jar: &Jar<'_>,
        identity: &Identity,
    ) -> Result<Response, BeginError> {
        let rng = self.rng.as_ref();
        let session = Session::begin(identity, self.clock.now(), rng)?;
        let begin = BeginSession {
            expires_at: session.expires_at(),
            by_name: self.allowlist.holds_name(identity),
            who: self.signed_in(&session),
        };
        // A name is pinned to somebody by now, so it can only be to another.
        if self.state.apply(begin).await?.is_err() {
            return Err(BeginError::PinnedToAnother);
        }
        self.log
            .record(&self.session_event("session_begun", identity));
        let mut response = self.back_to_page();
        session.set(jar, &self.settings.sealing_key, rng, response.headers_mut())?;
        Ok(response)
    }

    async fn list(&self, jar: &Jar<'_>) -> Result<Response, SessionError> {
        // (1) and (2)
        let session = self.person(jar)?;

        // (3)
        let list = ListGrants {
            who: self.signed_in(&session),
            revoke_before: self.settings.revoke_before,
        };
        let listed = self.state.apply(list).await?;
        let OwnGrants { pinned, grants } = listed.map_err(|refusal| refused(refusal, &session))?;
        let grants: Vec<_> = grants
            .into_iter()
            .map(|grant| {
                let source = self.source(&grant.client.id);
                (grant, source)
            })
            .collect();
        let page = pages::Sessions {
            name: session.identity.shown_name(),
            grants: &grants,
            allowed: self.allowed_scope(&session.identity, pinned),
            form_token: &session.form_token(&self.settings.sealing_key),
            resource_name: &self.settings.resource_name,
            base: &self.settings.base_url,
        };
        Ok(page.respond(self.rng.as_ref()))
    }

    async fn begin_session_login(
        &self,
        request: &Request,
        jar: &Jar<'_>,
    ) -> Result<Response, SessionError> {
        self.demand_own_form(request)?;
        let departure = self.draw_session_login().await?;
        Ok(departure.respond(&TransactionCookies::of(jar)))
    }

    async fn end(&self, request: &Request, jar: &Jar<'_>) -> Result<Response, SessionError> {
        // (1)
        self.demand_own_form(request)?;

        // (2)
        let session = self.person(jar)?;

        // (3)
        let parameters = Parameters::of_body(request)?;
        self.demand_form_token(&parameters, &session)?;

        // (4)
        let end = EndGrants {
            who: self.signed_in(&session),
            which: which(&parameters)?,
        };
        let ended = self.state.apply(end).await?;
        let ended = ended.map_err(|refusal| refused(refusal, &session))?;
        let event = |reason| self.session_event(reason, &session.identity);
        for grant in &ended {
            self.log.record(&event("grant_ended").grant(grant));
        }
        if ended.is_empty() {
            self.log.record(&event("grant_unknown"));
        }

        // (5) What this browser remembers of the person's consents is void, so it may as well go.
        let mut response = self.back_to_page();
        remembered::forget_all(jar, response.headers_mut());
        Ok(response)
    }

    async fn end_session(
        &self,
        request: &Request,
        jar: &Jar<'_>,
    ) -> Result<Response, SessionError> {
        self.demand_own_form(request)?;
        let session = self.session(jar).ok_or(SessionError::NotSignedIn)?;
        self.demand_form_token(&Parameters::of_body(request)?, &session)?;
        let end = EndSession {
            session: session.digest(),
        };
        if self.state.apply(end).await? {
            let event = self.session_event("session_ended", &session.identity);
            self.log.record(&event);
        }
        let mut response = self.back_to_page();
        Session::clear(jar, response.headers_mut());
        Ok(response)
    }

    /// Steps (1) and (2) of every request. Whose the name is the state knows.
    fn person(&self, jar: &Jar<'_>) -> Result<Session, SessionError> {
        let session = self.session(jar).ok_or(SessionError::NotSignedIn)?;
        let identity = &session.identity;
        let same_provider =
            identity.provider == self.provider.kind() && identity.issuer == self.provider.issuer();
        let listed = self.allowed_scope(identity, PinnedTo::ThisPerson);
        match listed.filter(|_| same_provider) {
            Some(_) => Ok(session),
            None => Err(SessionError::NotAllowed(Box::new(session.identity))),
        }
    }

    /// The session that the browser has a cookie of, unless `REVOKE_BEFORE` voids it.
    fn session(&self, jar: &Jar<'_>) -> Option<Session> {
        let session = Session::read(jar, &self.settings.sealing_key, self.clock.now())?;
        let limit = self.settings.revoke_before;
        limit
            .is_none_or(|limit| limit <= session.begun_at)
            .then_some(session)
    }

    fn signed_in(&self, session: &Session) -> SignedIn {
        SignedIn {
            session: session.digest(),
            admitted_if: [
                PinnedTo::ThisPerson,
                PinnedTo::Nobody,
                PinnedTo::SomebodyElse,
            ]
            .into_iter()
            .filter(|pinned| self.allowed_scope(&session.identity, *pinned).is_some())
            .collect(),
            identity: session.identity.clone(),
        }
    }

    fn demand_own_form(&self, request: &Request) -> Result<(), SessionError> {
        is_same_origin(request.headers(), &self.settings.base_url)
            .then_some(())
            .ok_or(SessionError::CrossSite)
    }

    fn demand_form_token(
        &self,
        parameters: &Parameters,
        session: &Session,
    ) -> Result<(), SessionError> {
        let token = parameters.one("form_token")?.unwrap_or_default();
        session
            .takes(token, &self.settings.sealing_key)
            .then_some(())
            .ok_or(SessionError::FormToken)
    }

    /// How a client of a grant became known. Its record may be gone; its identifier tells.
    fn source(&self, client: &ClientId) -> ClientSource {
        let mut configured = self.settings.static_clients.iter();
        if configured.any(|configured| configured.id == *client) {
            ClientSource::Configured
        } else if DocumentUrl::parse(client, &self.settings.base_url).is_some() {
            ClientSource::Document
        } else {
            ClientSource::Registered
        }
    }

    fn back_to_page(&self) -> Response {
        see_other(&self.settings.base_url.join(PATH))
    }

    fn session_event(&self, reason: &'static str, identity: &Identity) -> AuthEvent {
        let person = Pseudonym::of(identity, &self.settings.sealing_key);
        AuthEvent::new(Endpoint::Sessions, reason).person(person)
    }

    fn refuse_session(&self, jar: &Jar<'_>, error: &SessionError) -> Response {
        let mut event = match error.identity() {
            Some(identity) => self.session_event(error.reason(), identity),
            None => AuthEvent::new(Endpoint::Sessions, error.reason()),
        };
        if let SessionError::Unavailable(error) = error {
            event = event.detail(error);
        } else if let SessionError::Login(error) = error {
            event = event.detail(error);
        }
        self.log.record(&event);
        let answer = error.answer(self.provider.kind());
        let mut response = answer.respond(&self.settings.base_url, self.rng.as_ref());
        // Whoever may not enter as this person may be able to as another.
        if error.identity().is_some() || matches!(error, SessionError::NotSignedIn) {
            Session::clear(jar, response.headers_mut());
        }
        response
    }
}

fn refused(refusal: NotSignedIn, session: &Session) -> SessionError {
    match refusal {
        NotSignedIn::Over => SessionError::NotSignedIn,
        NotSignedIn::NotAdmitted(PinnedTo::SomebodyElse) => {
            SessionError::PinnedToAnother(Box::new(session.identity.clone()))
        }
        NotSignedIn::NotAdmitted(PinnedTo::Nobody | PinnedTo::ThisPerson) => {
            SessionError::NotAllowed(Box::new(session.identity.clone()))
        }
    }
}

/// What a form says to end.
fn which(parameters: &Parameters) -> Result<Which, SessionError> {
    let all = parameters.one("all")?;
    match (parameters.one("grant")?, all) {
        (Some(grant), None) => GrantId::parse(grant).map(Which::One),
        (None, Some("yes")) => Some(Which::All),
        (Some(_), Some(_)) | (None, _) => None,
    }
    .ok_or(SessionError::NothingNamed)
}
