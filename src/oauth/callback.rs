//! `GET /callback`: the person comes back from the login provider.

use std::time::Duration;

use http::StatusCode;

use super::{
    AuthorizationServer,
    consent::{LoginTransaction, login_cookie_id},
    cookies::{Cookies, Phase},
    event::{AuthEvent, Endpoint, Pseudonym},
    grant::{Grant, GrantClient},
    pages::Problem,
    parameters::{Parameters, ParametersError, Repeated},
    request::{ErrorCode, ReplyTo},
    seal::{OpenError, Purpose},
    state::{CodeIssued, IssueCode, LinkError, LoginTaken, Pin, TakeLogin},
    token::{GrantId, IssuedToken, TokenKind},
    types::{Digest, Scope},
};
use crate::{
    http::{Request, Response},
    login::{Identity, LoginAttempt, LoginCallback, LoginError, ProviderKind},
    runtime::RngError,
    secret::Secret,
};

/// How long an authorization code lives. A person may have to copy it by hand.
const CODE_LIFETIME: Duration = Duration::from_mins(5);

/// Why there is no code.
#[derive(Debug, thiserror::Error)]
enum CallbackError {
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error(transparent)]
    Repeated(#[from] Repeated),
    #[error("there is no state")]
    NoState,
    #[error("this browser did not begin the login")]
    OtherBrowser,
    #[error("there is no such login, or not any more")]
    UnknownLogin,
    #[error(transparent)]
    Sealed(#[from] OpenError),
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
    #[error("{error}")]
    Login {
        error: LoginError,
        reply_to: Box<ReplyTo>,
    },
    #[error("the allowlist does not hold the person")]
    NotAllowed(Box<Identity>),
    #[error("the name belonged to somebody else when it first logged in")]
    PinnedToAnother(Box<Identity>),
}

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
        let identity = self
            .provider
            .identify(&callback, &attempt)
            .await
            .map_err(|error| CallbackError::Login {
                error,
                reply_to: Box::new(reply_to.clone()),
            })?;

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
        let Some(allowed) = self.allowed_scope(&identity) else {
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
            pin: self.pin(&identity),
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

    /// The name to tie to the person, where it was their name that let them in. An allowlist entry
    /// by id names the person for good and needs no tie.
    fn pin(&self, identity: &Identity) -> Option<Pin> {
        let nameless = Identity {
            name_verified: false,
            ..identity.clone()
        };
        if self.allowlist.access(&nameless).is_some() {
            return None;
        }
        Some(Pin {
            name: format!("{}\n{}", identity.issuer, identity.compared_name()),
            subject: identity.subject.clone(),
        })
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
        match self.callback_answer(error) {
            Answer::Page(problem) => problem.respond(self.rng.as_ref()),
            Answer::Client(reply_to, code, description) => {
                reply_to.error(code, description, &self.settings.base_url)
            }
        }
    }

    fn callback_answer<'a>(&self, error: &'a CallbackError) -> Answer<'a> {
        let bad_request = |title, text: String| {
            let page = Problem::new(StatusCode::BAD_REQUEST, title, text);
            Answer::Page(page.and(START_AGAIN))
        };
        match error {
            CallbackError::Unreadable(_) | CallbackError::Repeated(_) | CallbackError::NoState => {
                bad_request(
                    "This is no answer of a login",
                    format!("Nobody logged in: {error}."),
                )
            }
            CallbackError::UnknownLogin | CallbackError::Sealed(_) => bad_request(
                "This login is over",
                "It took too long, or it was finished before.".to_owned(),
            ),
            CallbackError::OtherBrowser => Answer::Page(
                Problem::new(
                    StatusCode::FORBIDDEN,
                    "This login began in another browser",
                    "Nobody logged in. If somebody sent you a link, do not use it.",
                )
                .and(START_AGAIN),
            ),
            CallbackError::Unavailable(_) | CallbackError::Rng(_) => {
                Answer::Page(Problem::unavailable().and(START_AGAIN))
            }
            CallbackError::NotAllowed(identity) => Answer::Page(not_allowed(identity)),
            CallbackError::PinnedToAnother(identity) => Answer::Page(pinned_to_another(identity)),
            CallbackError::Login { error, reply_to } => self.login_answer(error, reply_to),
        }
    }

    fn login_answer<'a>(&self, error: &LoginError, reply_to: &'a ReplyTo) -> Answer<'a> {
        match error {
            LoginError::Declined(_) => {
                Answer::Client(reply_to, ErrorCode::AccessDenied, "the login was declined")
            }
            LoginError::Unavailable(_) => Answer::Client(
                reply_to,
                ErrorCode::TemporarilyUnavailable,
                "the login provider cannot be reached",
            ),
            LoginError::Untrusted(_) => Answer::Client(
                reply_to,
                ErrorCode::ServerError,
                "the answer of the login provider was refused",
            ),
            LoginError::Misconfigured(what) => Answer::Page(Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Login is not set up right",
                format!("The owner of this server has to fix its configuration: {what}."),
            )),
            LoginError::UnverifiedEmail { email, explicit } => {
                let kind = self.provider.kind();
                Answer::Page(unverified_email(kind, email.as_deref(), *explicit))
            }
        }
    }
}

/// Who is told.
enum Answer<'a> {
    /// The person, here.
    Page(Problem),
    /// The client.
    Client(&'a ReplyTo, ErrorCode, &'static str),
}

const START_AGAIN: &str = "Go back to the program that sent you here and start the login again.";

fn not_allowed(identity: &Identity) -> Problem {
    if let Some(LoginError::UnverifiedEmail { email, explicit }) = identity.unverified_email() {
        return unverified_email(identity.provider, email.as_deref(), explicit);
    }
    let key = identity.provider.allowlist_key();
    Problem::new(
        StatusCode::FORBIDDEN,
        "You may not enter",
        format!(
            "You logged in as {}, whom this server does not admit.",
            identity.name
        ),
    )
    .and(format!(
        "If you own this server, add {} to {key}. If you have another account, log out at the \
         login provider and start again.",
        identity.name
    ))
}

fn pinned_to_another(identity: &Identity) -> Problem {
    let key = identity.provider.allowlist_key();
    let prefix = match identity.provider {
        ProviderKind::Github => "id",
        ProviderKind::Google | ProviderKind::Oidc => "sub",
    };
    Problem::new(
        StatusCode::FORBIDDEN,
        "This name belonged to somebody else",
        format!(
            "You logged in as {}, but it was another account of that name that logged in here \
             first.",
            identity.name
        ),
    )
    .and(format!(
        "If you own this server and this account is right, put {prefix}:{} into {key} in place of \
         the name.",
        identity.subject
    ))
}

fn unverified_email(kind: ProviderKind, email: Option<&str>, explicit: bool) -> Problem {
    let who = email.unwrap_or("an account without an e-mail address");
    let key = kind.allowlist_key();
    let claim = if explicit {
        "The login provider says that the address is not verified, so it proves nothing."
    } else {
        "The login provider does not say that the address is verified, so it proves nothing."
    };
    let page = Problem::new(
        StatusCode::FORBIDDEN,
        "Your e-mail address is not verified",
        format!("You logged in as {who}. {claim}"),
    )
    .and("Have the address verified at the login provider and start again.");
    if kind == ProviderKind::Oidc {
        return page.and(format!(
            "If you own this server: let the provider send the claim email_verified, or put \
             sub:… of this account into {key}. OIDC_ALLOW_UNVERIFIED_EMAIL=true admits addresses \
             about which the provider says nothing; one that it calls unverified is never admitted."
        ));
    }
    page.and(format!("If you own this server, see {key}."))
}

impl CallbackError {
    const fn reason(&self) -> &'static str {
        match self {
            Self::Unreadable(_) | Self::Repeated(_) | Self::NoState => "callback_unreadable",
            Self::OtherBrowser => "login_other_browser",
            Self::UnknownLogin => "login_unknown",
            Self::Sealed(_) => "login_unreadable",
            Self::Unavailable(_) => "state_unavailable",
            Self::Rng(_) => "randomness_unavailable",
            Self::NotAllowed(_) => "allowlist_denied",
            Self::PinnedToAnother(_) => "pinned_to_another",
            Self::Login { error, .. } => match error {
                LoginError::Declined(_) => "login_declined",
                LoginError::Unavailable(_) => "provider_unavailable",
                LoginError::Untrusted(_) => "provider_answer_refused",
                LoginError::Misconfigured(_) => "provider_misconfigured",
                LoginError::UnverifiedEmail { .. } => "email_unverified",
            },
        }
    }
}
