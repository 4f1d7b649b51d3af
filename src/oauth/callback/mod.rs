//! `GET /callback`: the person comes back from the login provider.

mod error;

use std::time::Duration;

use self::error::{Answer, CallbackError};
use super::{
    AuthorizationServer,
    consent::{LoginTransaction, login_cookie_id},
    cookies::{Cookies, Phase},
    event::{AuthEvent, Endpoint, Pseudonym},
    grant::{Grant, GrantClient},
    parameters::Parameters,
    seal::{OpenError, Purpose},
    state::{CodeIssued, IssueCode, LoginTaken, Pin, TakeLogin},
    token::{GrantId, IssuedToken, TokenKind},
    types::{Digest, Scope},
};
use crate::{
    http::{Request, Response},
    login::{Caution, Identity, LoggedIn, LoginAttempt, LoginCallback, pin::PinnedTo},
    secret::Secret,
};

/// How long an authorization code lives. A person may have to copy it by hand.
const CODE_LIFETIME: Duration = Duration::from_mins(5);

impl AuthorizationServer {
    /// Finds out who came back, and sends them to the client with a code if they may enter.
    ///
    /// 1. `state` names a login under way, and this browser has its cookie.
    /// 2. The login is taken out, once. Another browser does not get it (RFC 6749 section 10.12).
    /// 3. The provider says who it is. Its tokens are dropped with that.
    /// 4. The allowlist holds the person; otherwise a page says whom it does not hold. No code, no
    ///    grant, and nothing is told to the client.
    /// 5. The scope is what was asked for, what the person left of it, what the allowlist entry
    ///    allows and what the vault allows, all at once.
    /// 6. Grant and code are written down in one step, unless the name has changed hands.
    /// 7. The person is sent to the client with the code.
    pub async fn callback(&self, request: &Request) -> Response {
        match self.come_back(request).await {
            Ok(response) => response,
            Err(error) => self.refuse_callback(&error),
        }
    }

    async fn come_back(&self, request: &Request) -> Result<Response, CallbackError> {
        let base = &self.settings.base_url;
        let parameters = Parameters::of_query(request)?;

        // (1)
        let state_text = parameters.one("state")?.ok_or(CallbackError::NoState)?;
        let state = Digest::of(state_text);
        let cookies = Cookies::read(request.headers(), base);
        let binding = cookies
            .digest(Phase::Login, login_cookie_id(&state))
            .ok_or(CallbackError::OtherBrowser)?;
        let callback = LoginCallback {
            code: parameters.one("code")?.map(Secret::new),
            issuer: parameters.one("iss")?.map(str::to_owned),
            error: parameters.one("error")?.map(str::to_owned),
        };

        // (2)
        let sealed = match self
            .state
            .apply(TakeLogin {
                state: state.clone(),
                binding,
            })
            .await?
        {
            LoginTaken::Taken(sealed) => sealed,
            LoginTaken::OtherBrowser => return Err(CallbackError::OtherBrowser),
            LoginTaken::Unknown => return Err(CallbackError::UnknownLogin),
        };
        let opened = self
            .settings
            .sealing_key
            .open(Purpose::Login, state.as_str(), &sealed)?;
        let login: LoginTransaction = serde_json::from_slice(&opened).map_err(|_| OpenError)?;

        // (3)
        let attempt = LoginAttempt {
            state: Secret::new(state_text),
            nonce: Secret::new(login.nonce.as_str()),
            code_verifier: Secret::new(login.code_verifier.as_str()),
        };
        let reply_to = &login.request.reply_to;
        let LoggedIn { identity, caution } = self
            .provider
            .identify(&callback, &attempt)
            .await
            .map_err(|error| CallbackError::Login {
                error,
                reply_to: Box::new(reply_to.clone()),
            })?;

        if let Some(caution) = caution
            && self.allowlist.holds_name(&identity)
        {
            self.log_caution(caution, &login, &identity);
        }

        // (4), (5) and (6)
        let code = self.issue_code(&login, identity).await?;

        // (7)
        let mut response = reply_to.code(&code, base);
        cookies.clear(
            Phase::Login,
            login_cookie_id(&state),
            response.headers_mut(),
        );
        Ok(response)
    }

    async fn issue_code(
        &self,
        login: &LoginTransaction,
        identity: Identity,
    ) -> Result<Secret, CallbackError> {
        // (4)
        // Where the name is somebody else's, the last step finds out.
        let Some(allowed) = self.allowed_scope(&identity, PinnedTo::ThisPerson) else {
            return Err(CallbackError::NotAllowed(Box::new(identity)));
        };

        // (5)
        let scope: Scope = login.request.scope.min(allowed);

        // (6)
        let now = self.clock.now();
        let rng = self.rng.as_ref();
        let id = GrantId::generate(rng)?;
        let code = IssuedToken::generate(TokenKind::Code, &id, &self.settings.sealing_key, rng)?;
        let person = Pseudonym::of(&identity, &self.settings.sealing_key);
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
            pin: self.pin(&identity, login.request.scope),
        };
        match self.state.apply(issue).await? {
            CodeIssued::Issued => {}
            CodeIssued::PinnedToAnother => {
                return Err(CallbackError::PinnedToAnother(Box::new(identity)));
            }
        }
        let event = AuthEvent::new(Endpoint::Callback, "code_issued");
        self.log.record(
            &event
                .client(&login.request.client)
                .grant(&id)
                .person(person),
        );
        Ok(code.secret().clone())
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
    fn log_caution(&self, caution: Caution, login: &LoginTransaction, identity: &Identity) {
        let reason = match caution {
            Caution::AddressOfAnotherAuthority => "email_not_authoritative",
        };
        let event = AuthEvent::new(Endpoint::Callback, reason).client(&login.request.client);
        let person = Pseudonym::of(identity, &self.settings.sealing_key);
        self.log.record(&event.person(person));
    }

    fn refuse_callback(&self, error: &CallbackError) -> Response {
        let mut event = AuthEvent::new(Endpoint::Callback, error.reason());
        match error {
            CallbackError::NotAllowed(identity) | CallbackError::PinnedToAnother(identity) => {
                event = event.person(Pseudonym::of(identity, &self.settings.sealing_key));
            }
            CallbackError::Login { error, .. } => event = event.detail(error),
            CallbackError::Unavailable(error) => event = event.detail(error),
            CallbackError::Unreadable(_)
            | CallbackError::Repeated(_)
            | CallbackError::NoState
            | CallbackError::OtherBrowser
            | CallbackError::UnknownLogin
            | CallbackError::Sealed(_)
            | CallbackError::Rng(_) => {}
        }
        self.log.record(&event);
        match error.answer(self.provider.kind()) {
            Answer::Page(problem) => problem.respond(self.rng.as_ref()),
            Answer::Client(reply_to, code, description) => {
                reply_to.error(code, description, &self.settings.base_url)
            }
        }
    }
}
