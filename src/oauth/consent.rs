//! `POST /consent`: the person's decision.

use http::StatusCode;

use super::{
    AuthorizationServer,
    authorize::ConsentHandle,
    cookies::{Jar, Phase, TransactionCookies},
    event::{AuthEvent, Endpoint},
    login_transaction::{ClientLogin, Consent, DrawError},
    pages::Problem,
    parameters::{Parameters, ParametersError, Repeated},
    remembered,
    request::ErrorCode,
    seal::{OpenError, Purpose},
    state::{LinkError, SpendConsent, Spent},
    types::Digest,
};
use crate::{
    http::{Request, Response, is_same_origin},
    runtime::RngError,
};

/// The person's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Approve { read_only: bool, remember: bool },
    Deny,
}

/// Why a decision does not count.
#[derive(Debug, thiserror::Error)]
enum ConsentError {
    #[error("the form was sent from another site")]
    CrossSite,
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    #[error(transparent)]
    Repeated(#[from] Repeated),
    #[error("the form holds no decision")]
    NoDecision,
    #[error(transparent)]
    Handle(#[from] OpenError),
    #[error("the form has expired")]
    Expired,
    #[error("the form was shown in another browser")]
    OtherBrowser,
    #[error("the form was sent before")]
    AlreadySpent,
    #[error(transparent)]
    Unavailable(#[from] LinkError),
    #[error(transparent)]
    Rng(#[from] RngError),
}

impl AuthorizationServer {
    /// Takes the decision, and sends the person to the login provider or back to the client.
    ///
    /// 1. The form was sent from our own page: by `Sec-Fetch-Site` and `Origin`.
    /// 2. Its handle opens and has not expired.
    /// 3. The browser has the cookie that the form was tied to.
    /// 4. A no goes to the client as `access_denied`.
    /// 5. For a yes: state, nonce and verifier of a login attempt are drawn; the provider says where
    ///    to send the person.
    /// 6. In one step, the handle is spent and the login written down. A second form with the same
    ///    handle is refused.
    /// 7. The person is sent on with a cookie that the callback will ask for.
    pub async fn consent(&self, request: &Request) -> Response {
        match self.decide(request).await {
            Ok(response) => response,
            Err(error) => {
                self.log
                    .record(&AuthEvent::new(Endpoint::Consent, error.reason()));
                error.problem().respond(self.rng.as_ref())
            }
        }
    }

    async fn decide(&self, request: &Request) -> Result<Response, ConsentError> {
        let base = &self.settings.base_url;

        // (1)
        if !is_same_origin(request.headers(), base) {
            return Err(ConsentError::CrossSite);
        }

        // (2)
        let parameters = Parameters::of_body(request)?;
        let sealed = parameters.one("handle")?.unwrap_or_default();
        let decision = decision(&parameters)?;
        let opened = self
            .settings
            .sealing_key
            .open(Purpose::Consent, "", sealed)?;
        let handle: ConsentHandle = serde_json::from_slice(&opened).map_err(|_| OpenError)?;
        if handle.expires_at <= self.clock.now() {
            return Err(ConsentError::Expired);
        }

        // (3)
        let jar = Jar::read(request.headers(), base);
        let cookies = TransactionCookies::of(&jar);
        let presented = cookies.digest(Phase::Consent, &handle.transaction);
        if !presented.is_some_and(|digest| digest.matches(&handle.binding)) {
            return Err(ConsentError::OtherBrowser);
        }

        let spend = SpendConsent {
            handle: Digest::of(sealed),
            expires_at: handle.expires_at,
            login: None,
        };
        let mut response = match decision {
            // (4)
            Decision::Deny => {
                self.spend(spend).await?;
                self.log_consent("consent_denied", &handle);
                handle.request.reply_to.error(
                    ErrorCode::AccessDenied,
                    "the person denied the request",
                    base,
                )
            }
            Decision::Approve {
                read_only,
                remember,
            } => {
                let login = ClientLogin {
                    request: handle.request.clone(),
                    read_only,
                    consent: Consent::Given { remember },
                };
                self.begin_login(&handle, login, spend, &cookies).await?
            }
        };
        cookies.clear(Phase::Consent, &handle.transaction, response.headers_mut());
        // Whatever was decided before does not count any more.
        remembered::forget(&jar, &handle.request, response.headers_mut());
        Ok(response)
    }

    async fn begin_login(
        &self,
        handle: &ConsentHandle,
        login: ClientLogin,
        spend: SpendConsent,
        cookies: &TransactionCookies<'_>,
    ) -> Result<Response, ConsentError> {
        // (5)
        let (login, departure) = match self.draw_client_login(login).await {
            Ok(drawn) => drawn,
            Err(DrawError::Login(error)) => {
                self.spend(spend).await?;
                return Ok(self.login_unavailable(Endpoint::Consent, &handle.request, &error));
            }
            Err(DrawError::Rng(error)) => return Err(error.into()),
        };

        // (6)
        self.spend(SpendConsent {
            login: Some(login),
            ..spend
        })
        .await?;
        self.log_consent("consent_given", handle);

        // (7)
        Ok(departure.respond(cookies))
    }

    async fn spend(&self, spend: SpendConsent) -> Result<(), ConsentError> {
        match self.state.apply(spend).await? {
            Spent::Now => Ok(()),
            Spent::Before => Err(ConsentError::AlreadySpent),
        }
    }

    fn log_consent(&self, reason: &'static str, handle: &ConsentHandle) {
        let event = AuthEvent::new(Endpoint::Consent, reason).client(&handle.request.client);
        self.log.record(&event);
    }
}

fn decision(parameters: &Parameters) -> Result<Decision, ConsentError> {
    match parameters.one("decision")? {
        Some("approve") => {
            let ticked = |name| Ok::<_, Repeated>(parameters.one(name)?.is_some());
            Ok(Decision::Approve {
                read_only: ticked("read_only")?,
                remember: ticked("remember")?,
            })
        }
        Some("deny") => Ok(Decision::Deny),
        Some(_) | None => Err(ConsentError::NoDecision),
    }
}

impl ConsentError {
    const fn reason(&self) -> &'static str {
        match self {
            Self::CrossSite => "consent_cross_site",
            Self::Unreadable(_) | Self::Repeated(_) | Self::NoDecision => "consent_unreadable",
            Self::Handle(_) => "consent_handle_refused",
            Self::Expired => "consent_expired",
            Self::OtherBrowser => "consent_other_browser",
            Self::AlreadySpent => "consent_replayed",
            Self::Unavailable(_) => "state_unavailable",
            Self::Rng(_) => "randomness_unavailable",
        }
    }

    fn problem(&self) -> Problem {
        let again = "Go back to the program that sent you here and start the login again.";
        match self {
            Self::CrossSite | Self::OtherBrowser => Problem::new(
                StatusCode::FORBIDDEN,
                "This decision was not made here",
                format!("Nothing was approved: {self}."),
            )
            .and(again),
            Self::Unreadable(_)
            | Self::Repeated(_)
            | Self::NoDecision
            | Self::Handle(_)
            | Self::Expired
            | Self::AlreadySpent => Problem::new(
                StatusCode::BAD_REQUEST,
                "This form cannot be used (any more)",
                format!("Nothing was approved: {self}."),
            )
            .and(again),
            Self::Unavailable(_) | Self::Rng(_) => Problem::unavailable(),
        }
    }
}
