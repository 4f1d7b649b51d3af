//! `POST /consent`: the person's decision.

use http::{HeaderMap, HeaderValue, StatusCode, header::ORIGIN};
use serde::{Deserialize, Serialize};

use super::{
    AuthorizationServer,
    answer::see_other,
    authorize::ConsentHandle,
    cookies::{self, Binding, Cookies, Phase},
    event::{AuthEvent, Endpoint},
    pages::Problem,
    parameters::{Parameters, ParametersError, Repeated},
    request::{AuthorizationRequest, ErrorCode},
    seal::{OpenError, Purpose},
    state::{ConsentSpent, LinkError, NewLogin, SpendConsent},
    token::random_base64url,
    types::{Digest, Scope},
};
use crate::{
    base_url::BaseUrl,
    http::{Request, Response},
    login::{LoginAttempt, LoginError},
    runtime::RngError,
    secret::Secret,
};

/// What the callback needs, sealed and kept in `front` until then.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LoginTransaction {
    /// The request that was consented to; its scope is what the person left of it.
    pub(super) request: AuthorizationRequest,
    /// The nonce of the login attempt.
    pub(super) nonce: String,
    /// The code verifier of the login attempt.
    pub(super) code_verifier: String,
}

/// How the cookie of a login is named, so that the callback finds it by the `state` it gets.
pub(super) fn login_cookie_id(state: &Digest) -> &str {
    state.as_str().get(..12).unwrap_or_default()
}

/// The person's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Approve { read_only: bool },
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
        let cookies = Cookies::read(request.headers(), base);
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
            Decision::Approve { read_only } => {
                self.begin_login(&handle, spend, read_only, &cookies)
                    .await?
            }
        };
        cookies.clear(Phase::Consent, &handle.transaction, response.headers_mut());
        Ok(response)
    }

    async fn begin_login(
        &self,
        handle: &ConsentHandle,
        spend: SpendConsent,
        read_only: bool,
        cookies: &Cookies<'_>,
    ) -> Result<Response, ConsentError> {
        // (5)
        let rng = self.rng.as_ref();
        let now = self.clock.now();
        let attempt = LoginAttempt {
            state: Secret::new(random_base64url::<32>(rng)?),
            nonce: Secret::new(random_base64url::<32>(rng)?),
            code_verifier: Secret::new(random_base64url::<32>(rng)?),
        };
        let destination = match self.provider.authorization_url(&attempt).await {
            Ok(url) => url,
            Err(error) => {
                self.spend(spend).await?;
                return Ok(self.login_unavailable(handle, &error));
            }
        };

        // (6)
        let mut request = handle.request.clone();
        if read_only {
            request.scope = Scope::Read;
        }
        let transaction = LoginTransaction {
            request,
            nonce: attempt.nonce.expose().to_owned(),
            code_verifier: attempt.code_verifier.expose().to_owned(),
        };
        let plain = serde_json::to_vec(&transaction).unwrap_or_default();
        let state = Digest::of(attempt.state.expose());
        let binding = Binding::generate(now, rng)?;
        let login = NewLogin {
            binding: binding.digest(),
            sealed: self
                .settings
                .sealing_key
                .seal(Purpose::Login, state.as_str(), &plain, rng)?,
            expires_at: now.after(cookies::LIFETIME),
            state: state.clone(),
        };
        self.spend(SpendConsent {
            login: Some(login),
            ..spend
        })
        .await?;
        self.log_consent("consent_given", handle);

        // (7)
        let mut response = see_other(destination.as_str());
        cookies.set(
            Phase::Login,
            login_cookie_id(&state),
            &binding,
            response.headers_mut(),
        );
        Ok(response)
    }

    async fn spend(&self, spend: SpendConsent) -> Result<(), ConsentError> {
        match self.state.apply(spend).await? {
            ConsentSpent::Spent => Ok(()),
            ConsentSpent::AlreadySpent => Err(ConsentError::AlreadySpent),
        }
    }

    fn login_unavailable(&self, handle: &ConsentHandle, error: &LoginError) -> Response {
        let reason = match error {
            LoginError::Misconfigured(_) => "provider_misconfigured",
            LoginError::Untrusted(_) => "provider_answer_refused",
            LoginError::Unavailable(_)
            | LoginError::Declined(_)
            | LoginError::UnverifiedEmail { .. }
            | LoginError::OtherOrganisation { .. } => "provider_unavailable",
        };
        let event = AuthEvent::new(Endpoint::Consent, reason).client(&handle.request.client);
        self.log.record(&event.detail(error));
        match error {
            LoginError::Misconfigured(what) => Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Login is not set up right",
                format!("The owner of this server has to fix its configuration: {what}."),
            )
            .respond(self.rng.as_ref()),
            // To try again would change nothing.
            LoginError::Untrusted(_) => handle.request.reply_to.error(
                ErrorCode::ServerError,
                "the answer of the login provider was refused",
                &self.settings.base_url,
            ),
            LoginError::Unavailable(_)
            | LoginError::Declined(_)
            | LoginError::UnverifiedEmail { .. }
            | LoginError::OtherOrganisation { .. } => handle.request.reply_to.error(
                ErrorCode::TemporarilyUnavailable,
                "the login provider cannot be reached",
                &self.settings.base_url,
            ),
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
            let read_only = parameters.one("read_only")?.is_some();
            Ok(Decision::Approve { read_only })
        }
        Some("deny") => Ok(Decision::Deny),
        Some(_) | None => Err(ConsentError::NoDecision),
    }
}

/// Whether a form was sent from our own origin, as far as the browser says.
///
/// Our pages are sent with `Referrer-Policy: no-referrer`, for which browsers give the origin of
/// their forms as `null`; it counts only beside a `Sec-Fetch-Site` that says `same-origin`. What is
/// no browser sends neither header and is not protected by them: the cookie and the sealed handle
/// have to agree in any case.
fn is_same_origin(headers: &HeaderMap, base: &BaseUrl) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let origin = headers.get(ORIGIN).map(HeaderValue::as_bytes);
    match (site, origin) {
        (Some(b"same-origin"), Some(origin)) => {
            origin == b"null" || origin == base.origin().as_bytes()
        }
        (Some(site), None) => site == b"same-origin",
        (Some(_), Some(_)) => false,
        (None, Some(origin)) => origin == base.origin().as_bytes(),
        (None, None) => true,
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

#[cfg(test)]
mod tests {
    use super::{BaseUrl, HeaderMap, is_same_origin};

    #[test]
    fn c7_a_form_counts_only_from_our_own_origin() {
        let base = BaseUrl::parse("https://vault.example").unwrap();
        for (site, origin, expected) in [
            (Some("same-origin"), Some("https://vault.example"), true),
            (Some("same-origin"), Some("null"), true),
            (Some("same-origin"), None, true),
            (None, Some("https://vault.example"), true),
            (None, None, true),
            (Some("cross-site"), Some("https://vault.example"), false),
            (Some("cross-site"), None, false),
            (
                Some("same-site"),
                Some("https://other.vault.example"),
                false,
            ),
            (Some("none"), None, false),
            (Some("same-origin"), Some("https://evil.example"), false),
            (None, Some("null"), false),
            (None, Some("https://evil.example"), false),
            (None, Some("https://vault.example.evil.example"), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(site) = site {
                headers.insert("sec-fetch-site", site.parse().unwrap());
            }
            if let Some(origin) = origin {
                headers.insert("origin", origin.parse().unwrap());
            }
            assert_eq!(
                is_same_origin(&headers, &base),
                expected,
                "{site:?} {origin:?}"
            );
        }
    }
}
