//! `GET /authorize`: the authorization endpoint (RFC 6749 section 3.1).

mod error;

use http::Method;
use serde::{Deserialize, Serialize};

use self::error::{AuthorizeError, LocalError, RequestError};
use super::{
    AuthorizationServer,
    client::Client,
    cookies::{self, Binding, Jar, Phase, TransactionCookies},
    document::DocumentUrl,
    event::{AuthEvent, Endpoint},
    login_transaction::{ClientLogin, Consent, DrawError},
    pages,
    parameters::{Parameters, Repeated},
    redirect_uri::RedirectUri,
    remembered::Memory,
    request::{AuthorizationRequest, ReplyTo},
    seal::Purpose,
    state::BeginLogin,
    token::random_base64url,
    types::{ClientId, ClientState, CodeChallenge, Digest, Scope, check_resource},
};
use crate::{
    http::{Request, Response},
    runtime::{RngError, Timestamp},
};

/// A request in order.
struct Checked {
    request: AuthorizationRequest,
    /// Whether the client wants the person to be asked, whatever is remembered.
    wants_page: bool,
}

/// What the consent form carries, sealed: the request, and the browser that it was shown to.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::oauth) struct ConsentHandle {
    /// The request.
    pub(in crate::oauth) request: AuthorizationRequest,
    /// The name of the transaction, and so of its cookie.
    pub(in crate::oauth) transaction: String,
    /// The digest of the cookie's value.
    pub(in crate::oauth) binding: Digest,
    /// When the form expires.
    pub(in crate::oauth) expires_at: Timestamp,
}

impl AuthorizationServer {
    /// Shows the person which client asks for what.
    ///
    /// Nothing is written: the request travels sealed in the form, tied to the browser by a cookie.
    /// Some clients send this request ahead to see whether it works, and some repeat it.
    ///
    /// 1. Find the client; a failure is shown here with status 400 and never redirected
    ///    (RFC 6749 section 4.1.2.1).
    /// 2. Check the redirect URI against the client's and against the allowed hosts; likewise.
    /// 3. Check the rest of the request: `state`, `response_type`, PKCE by S256 (RFC 7636; there is
    ///    no other way), `resource` (RFC 8707). A failure goes to the client.
    /// 4. Settle the scope. Unknown ones are dropped; none means all.
    /// 5. Where this browser remembers a consent to just this request, the login begins at once. The
    ///    client can ask for the page all the same (`prompt=consent`, OpenID Connect Core section
    ///    3.1.2.1).
    /// 6. Otherwise seal the request, set the cookie, show the page.
    pub async fn authorize(&self, request: &Request) -> Response {
        let shown = match self.check(request).await {
            Ok(checked) => self.ask_or_skip(request, checked).await,
            Err(error) => Err(error),
        };
        shown.unwrap_or_else(|error| self.refuse_authorization(error))
    }

    async fn check(&self, request: &Request) -> Result<Checked, AuthorizeError> {
        let parameters = Parameters::of_query(request).map_err(LocalError::from)?;

        // (1)
        let client = self.requesting_client(&parameters).await?;

        // (2) Everything after this may be told to the client.
        let requested = parameters.one("redirect_uri").map_err(LocalError::from)?;
        let requested = requested.ok_or(LocalError::NoRedirectUri)?;
        let redirect_uri = client
            .redirect_uri(requested, &self.settings.redirect_hosts)
            .map_err(LocalError::from)?;

        // (3)
        let (reply_to, state) = reply_to(&parameters, redirect_uri);
        let checked = state.and_then(|()| self.check_parameters(&parameters));
        let (challenge, scope) = match checked {
            Ok(checked) => checked,
            Err(error) => return Err(AuthorizeError::Redirect(Box::new(reply_to), error)),
        };

        let authorization = AuthorizationRequest {
            client: client.id.clone(),
            client_name: client.display_name(),
            client_source: client.source,
            may_refresh: client.may_refresh,
            reply_to,
            challenge,
            scope,
        };
        let prompt = parameters.one("prompt").ok().flatten();
        Ok(Checked {
            request: authorization,
            wants_page: prompt.is_some_and(|values| values.split(' ').any(|v| v == "consent")),
        })
    }

    async fn requesting_client(&self, parameters: &Parameters) -> Result<Client, LocalError> {
        let id = parameters.one("client_id")?.ok_or(LocalError::NoClient)?;
        let id = ClientId::parse(id).ok_or(LocalError::UnknownClient)?;
        if let Some(url) = DocumentUrl::parse(&id, &self.settings.base_url) {
            return Ok(self.resolve_document(&id, &url).await?);
        }
        let found = self
            .find_client(&id)
            .await?
            .ok_or(LocalError::UnknownClient)?;
        Ok(found.client)
    }

    fn check_parameters(
        &self,
        parameters: &Parameters,
    ) -> Result<(CodeChallenge, Scope), RequestError> {
        // Several resources may stand in one request (RFC 8707 section 2), though here none can.
        if parameters.any_repeated("resource") {
            return Err(RequestError::Repeated);
        }
        let one = |name| {
            parameters
                .one(name)
                .map_err(|Repeated| RequestError::Repeated)
        };
        match one("response_type")? {
            Some("code") => {}
            Some(_) => return Err(RequestError::ResponseType),
            None => return Err(RequestError::NoResponseType),
        }
        if one("response_mode")?.is_some_and(|mode| mode != "query") {
            return Err(RequestError::ResponseMode);
        }
        // A missing method means `plain` (RFC 7636 section 4.3), which is no protection.
        if one("code_challenge_method")? != Some("S256") {
            return Err(RequestError::ChallengeMethod);
        }
        let challenge = one("code_challenge")?
            .and_then(CodeChallenge::parse)
            .ok_or(RequestError::Challenge)?;
        check_resource(&parameters.values("resource"), &self.settings.base_url)
            .map_err(|_| RequestError::Target)?;

        // (4)
        let asked = one("scope")?
            .and_then(Scope::requested)
            .unwrap_or(Scope::ReadWrite);
        Ok((challenge, asked.min(self.settings.widest_scope())))
    }

    async fn ask_or_skip(
        &self,
        request: &Request,
        checked: Checked,
    ) -> Result<Response, AuthorizeError> {
        let jar = Jar::read(request.headers(), &self.settings.base_url);
        // (5) A `HEAD` looks, and begins nothing.
        let memory = self
            .remembered(&jar, &checked.request)
            .filter(|_| request.method() == Method::GET && !checked.wants_page);
        if let Some(memory) = memory {
            let skipped = self.skip(&jar, checked.request, memory).await;
            return skipped.map_err(AuthorizeError::from);
        }
        // (6)
        let shown = self.ask(&jar, checked.request);
        shown.map_err(|error| LocalError::from(error).into())
    }

    /// Begins the login that a remembered consent allows.
    async fn skip(
        &self,
        jar: &Jar<'_>,
        request: AuthorizationRequest,
        memory: Memory,
    ) -> Result<Response, LocalError> {
        let login = ClientLogin {
            request: request.clone(),
            read_only: memory.read_only,
            consent: Consent::Remembered {
                person: memory.person,
                given_at: memory.given_at,
            },
        };
        let (login, departure) = match self.draw_client_login(login).await {
            Ok(drawn) => drawn,
            Err(DrawError::Login(error)) => {
                return Ok(self.login_unavailable(Endpoint::Authorize, &request, &error));
            }
            Err(DrawError::Rng(error)) => return Err(error.into()),
        };
        self.state.apply(BeginLogin { login }).await?;
        let event = AuthEvent::new(Endpoint::Authorize, "consent_remembered");
        self.log.record(&event.client(&request.client));
        Ok(departure.respond(&TransactionCookies::of(jar)))
    }

    /// Shows the consent page for `request`.
    pub(in crate::oauth) fn ask(
        &self,
        jar: &Jar<'_>,
        request: AuthorizationRequest,
    ) -> Result<Response, RngError> {
        let now = self.clock.now();
        let rng = self.rng.as_ref();
        let binding = Binding::generate(now, rng)?;
        let handle = ConsentHandle {
            request,
            transaction: random_base64url::<9>(rng)?,
            binding: binding.digest(),
            expires_at: now.after(cookies::LIFETIME),
        };
        let plain = serde_json::to_vec(&handle).unwrap_or_default();
        let sealed = self
            .settings
            .sealing_key
            .seal(Purpose::Consent, "", &plain, rng)?;
        let page = pages::Consent {
            handle: &sealed,
            request: &handle.request,
            may_remember: self.may_remember(&handle.request),
            resource_name: &self.settings.resource_name,
            provider: &self.provider.display_name(),
            base: &self.settings.base_url,
        };
        let mut response = page.respond(rng);
        TransactionCookies::of(jar).set(
            Phase::Consent,
            &handle.transaction,
            &binding,
            response.headers_mut(),
        );
        Ok(response)
    }

    fn refuse_authorization(&self, error: AuthorizeError) -> Response {
        self.log
            .record(&AuthEvent::new(Endpoint::Authorize, error.reason()));
        match error {
            AuthorizeError::Local(error) => error.problem().respond(self.rng.as_ref()),
            AuthorizeError::Redirect(reply_to, error) => {
                reply_to.error(error.code(), &error.to_string(), &self.settings.base_url)
            }
        }
    }
}

/// Where the answer goes, with `state` as far as it can be given back.
fn reply_to(
    parameters: &Parameters,
    redirect_uri: RedirectUri,
) -> (ReplyTo, Result<(), RequestError>) {
    let (state, checked) = match parameters.one("state") {
        Ok(None) => (None, Ok(())),
        Ok(Some(text)) => match ClientState::parse(text) {
            Some(state) => (Some(state), Ok(())),
            None => (None, Err(RequestError::State)),
        },
        Err(Repeated) => (None, Err(RequestError::Repeated)),
    };
    (
        ReplyTo {
            redirect_uri,
            state,
        },
        checked,
    )
}
