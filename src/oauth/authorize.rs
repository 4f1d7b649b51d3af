//! `GET /authorize`: the authorization endpoint (RFC 6749 section 3.1).

use serde::{Deserialize, Serialize};

use super::{
    AuthorizationServer,
    client::{Client, RedirectRefusal},
    cookies::{self, Binding, Cookies, Phase},
    document::{DocumentError, DocumentUrl, ResolveError, Unfetchable},
    event::{AuthEvent, Endpoint},
    pages::{self, Problem},
    parameters::{Parameters, ParametersError, Repeated},
    redirect_uri::RedirectUri,
    request::{AuthorizationRequest, ErrorCode, ReplyTo},
    seal::Purpose,
    state::LinkError,
    token::random_base64url,
    types::{ClientId, ClientState, CodeChallenge, Digest, Scope, check_resource},
};
use crate::{
    http::{Request, Response},
    runtime::{RngError, Timestamp},
};
use http::StatusCode;

/// What the consent form carries, sealed: the request, and the browser that it was shown to.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ConsentHandle {
    /// The request.
    pub(super) request: AuthorizationRequest,
    /// The name of the transaction, and so of its cookie.
    pub(super) transaction: String,
    /// The digest of the cookie's value.
    pub(super) binding: Digest,
    /// When the form expires.
    pub(super) expires_at: Timestamp,
}

/// Why there is no consent page.
#[derive(Debug, thiserror::Error)]
enum AuthorizeError {
    /// To be shown here: nobody knows yet whether the redirect URI can be trusted.
    #[error(transparent)]
    Local(#[from] LocalError),
    /// To be told to the client.
    #[error("{1}")]
    Redirect(Box<ReplyTo>, RequestError),
}

/// An error before the redirect URI is known to be the client's.
#[derive(Debug, thiserror::Error)]
enum LocalError {
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error("client_id or redirect_uri is repeated")]
    Repeated(#[from] Repeated),
    #[error("client_id is missing")]
    NoClient,
    #[error("redirect_uri is missing")]
    NoRedirectUri,
    #[error("unknown client")]
    UnknownClient,
    #[error(transparent)]
    Document(DocumentError),
    #[error(transparent)]
    Unfetchable(Unfetchable),
    #[error(transparent)]
    RedirectUri(#[from] RedirectRefusal),
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
}

/// An error that the client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum RequestError {
    #[error("a parameter is repeated")]
    Repeated,
    #[error("state must have at most 4096 bytes")]
    State,
    #[error("response_type is missing")]
    NoResponseType,
    #[error("response_type must be code")]
    ResponseType,
    #[error("response_mode must be query")]
    ResponseMode,
    #[error("code_challenge must have 43 to 128 unreserved characters")]
    Challenge,
    #[error("code_challenge_method must be S256")]
    ChallengeMethod,
    #[error("resource must be the URL of this server's MCP endpoint")]
    Target,
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
    /// 5. Seal the request, set the cookie, show the page.
    pub async fn authorize(&self, request: &Request) -> Response {
        let shown = match self.check(request).await {
            Ok((client, authorization)) => self.ask(request, &client, authorization),
            Err(error) => Err(error),
        };
        shown.unwrap_or_else(|error| self.refuse_authorization(error))
    }

    async fn check(
        &self,
        request: &Request,
    ) -> Result<(Client, AuthorizationRequest), AuthorizeError> {
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
            may_refresh: client.may_refresh,
            reply_to,
            challenge,
            scope,
        };
        Ok((client, authorization))
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

    /// (5)
    fn ask(
        &self,
        request: &Request,
        client: &Client,
        authorization: AuthorizationRequest,
    ) -> Result<Response, AuthorizeError> {
        let now = self.clock.now();
        let rng = self.rng.as_ref();
        let binding = Binding::generate(now, rng).map_err(LocalError::from)?;
        let handle = ConsentHandle {
            request: authorization,
            transaction: random_base64url::<9>(rng).map_err(LocalError::from)?,
            binding: binding.digest(),
            expires_at: now.after(cookies::LIFETIME),
        };
        let plain = serde_json::to_vec(&handle).unwrap_or_default();
        let sealed = self
            .settings
            .sealing_key
            .seal(Purpose::Consent, "", &plain, rng)
            .map_err(LocalError::from)?;
        let page = pages::Consent {
            handle: &sealed,
            client,
            redirect_uri: &handle.request.reply_to.redirect_uri,
            scope: handle.request.scope,
            widest_scope: self.settings.widest_scope(),
            resource_name: &self.settings.resource_name,
            provider: &self.provider.display_name(),
            base: &self.settings.base_url,
        };
        let mut response = pages::consent(&page, rng);
        Cookies::read(request.headers(), &self.settings.base_url).set(
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

impl AuthorizeError {
    const fn reason(&self) -> &'static str {
        match self {
            Self::Local(LocalError::Unreadable(_)) => "parameters_unreadable",
            Self::Local(LocalError::Repeated(_)) | Self::Redirect(_, RequestError::Repeated) => {
                "parameter_repeated"
            }
            Self::Local(LocalError::NoClient | LocalError::UnknownClient) => "client_unknown",
            Self::Local(LocalError::NoRedirectUri | LocalError::RedirectUri(_)) => {
                "redirect_uri_refused"
            }
            Self::Local(LocalError::Document(_)) => "cimd_refused",
            Self::Local(LocalError::Unfetchable(_)) => "cimd_fetch_failed",
            Self::Local(LocalError::Unavailable(_)) => "state_unavailable",
            Self::Local(LocalError::Rng(_)) => "randomness_unavailable",
            Self::Redirect(_, RequestError::State) => "state_too_long",
            Self::Redirect(
                _,
                RequestError::NoResponseType
                | RequestError::ResponseType
                | RequestError::ResponseMode,
            ) => "response_type_refused",
            Self::Redirect(_, RequestError::Challenge | RequestError::ChallengeMethod) => {
                "pkce_refused"
            }
            Self::Redirect(_, RequestError::Target) => "resource_refused",
        }
    }
}

/// What helps with nearly every error that is shown here.
const REMOVE_AND_ADD: &str = "The program that sent you here may remember an old registration. \
     Remove this server's connector from it and add it again.";

impl LocalError {
    fn problem(&self) -> Problem {
        let refused = |title, text: String| Problem::new(StatusCode::BAD_REQUEST, title, text);
        match self {
            Self::Unreadable(_) | Self::Repeated(_) | Self::NoClient => refused(
                "This is not a login request",
                format!("The address that you opened is incomplete or garbled: {self}."),
            ),
            Self::UnknownClient => {
                refused("This client is not known here", REMOVE_AND_ADD.to_owned())
            }
            Self::Document(error) => refused(
                "This client cannot be accepted",
                format!("The document by which the client describes itself was refused: {error}."),
            ),
            Self::Unfetchable(error) => Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "This client cannot be checked at the moment",
                format!(
                    "The document by which the client describes itself cannot be fetched: {error}. \
                     Try again in a moment."
                ),
            ),
            Self::NoRedirectUri | Self::RedirectUri(_) => refused(
                "This client cannot be answered",
                format!("The request was refused: {self}."),
            )
            .and(REMOVE_AND_ADD)
            .and(
                "If you own this server and trust the client, add its host to MCP_REDIRECT_HOSTS.",
            ),
            Self::Unavailable(_) | Self::Rng(_) => Problem::unavailable(),
        }
    }
}

impl From<ResolveError> for LocalError {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Unfetchable(error) => Self::Unfetchable(error),
            ResolveError::Document(error) => Self::Document(error),
            ResolveError::Unavailable(error) => Self::Unavailable(error),
        }
    }
}

impl RequestError {
    const fn code(self) -> ErrorCode {
        match self {
            Self::ResponseType => ErrorCode::UnsupportedResponseType,
            Self::Target => ErrorCode::InvalidTarget,
            Self::Repeated
            | Self::State
            | Self::NoResponseType
            | Self::ResponseMode
            | Self::Challenge
            | Self::ChallengeMethod => ErrorCode::InvalidRequest,
        }
    }
}
