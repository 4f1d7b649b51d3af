//! The authorization code grant with PKCE (RFC 6749 section 4.1, RFC 7636), as a client.

use std::fmt;

use oauth2::{
    AccessToken, AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken,
    EndpointNotSet, EndpointSet, ExtraTokenFields, HttpRequest, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope, StandardRevocableToken,
    StandardTokenResponse, TokenResponse, TokenUrl,
    basic::{
        BasicErrorResponse, BasicErrorResponseType, BasicRevocationErrorResponse,
        BasicTokenIntrospectionResponse, BasicTokenType,
    },
};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    LoginAttempt, LoginError, ProviderKind,
    callback::printable,
    upstream::{Upstream, UpstreamError, parse_json},
};
use crate::secret::Secret;

/// The lengths that a code verifier may have (RFC 7636 section 4.1).
const VERIFIER_LENGTHS: std::ops::RangeInclusive<usize> = 43..=128;

/// We as a client of one provider.
#[derive(Debug)]
pub(super) struct CodeGrant {
    kind: ProviderKind,
    client: Client,
}

/// The client as the `oauth2` crate has it: both endpoints are set.
type Client = oauth2::Client<
    BasicErrorResponse,
    StandardTokenResponse<IdTokenField, BasicTokenType>,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

/// How we are registered with the provider.
#[derive(Clone, Debug)]
pub(super) struct Registration {
    pub(super) kind: ProviderKind,
    pub(super) client_id: String,
    pub(super) client_secret: Secret,
    pub(super) redirect_uri: Url,
}

/// Where the provider is asked.
#[derive(Debug)]
pub(super) struct Endpoints {
    pub(super) authorization: AuthUrl,
    pub(super) token: TokenUrl,
    /// Where our credentials go at the token endpoint.
    pub(super) client_authentication: AuthType,
}

/// What a code was exchanged for. Neither leaves the login.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) access_token: AccessToken,
    /// Present where the provider speaks OpenID Connect.
    pub(super) id_token: Option<Secret>,
}

impl CodeGrant {
    pub(super) fn new(registration: &Registration, endpoints: Endpoints) -> Self {
        let secret = registration.client_secret.expose().to_owned();
        let client = oauth2::Client::new(ClientId::new(registration.client_id.clone()))
            .set_client_secret(ClientSecret::new(secret))
            .set_redirect_uri(RedirectUrl::from_url(registration.redirect_uri.clone()))
            .set_auth_type(endpoints.client_authentication)
            .set_auth_uri(endpoints.authorization)
            .set_token_uri(endpoints.token);
        Self {
            kind: registration.kind,
            client,
        }
    }

    /// The URL of an authorization request with `parameters` beside the standard ones.
    pub(super) fn authorization_url(
        &self,
        attempt: &LoginAttempt,
        scopes: &[&str],
        parameters: &[(&'static str, &str)],
    ) -> Result<Url, LoginError> {
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&code_verifier(attempt)?);
        let mut request = self
            .client
            .authorize_url(|| CsrfToken::new(attempt.state.expose().to_owned()))
            .set_pkce_challenge(challenge)
            .add_scopes(scopes.iter().map(|scope| Scope::new((*scope).to_owned())));
        for (name, value) in parameters {
            request = request.add_extra_param(*name, (*value).to_owned());
        }
        let (url, _) = request.url();
        Ok(url)
    }

    /// Exchanges a code, once: a code is good for one exchange, so a failed one is not repeated.
    pub(super) async fn exchange(
        &self,
        code: &Secret,
        attempt: &LoginAttempt,
        upstream: &Upstream,
    ) -> Result<Tokens, LoginError> {
        let http = |request: HttpRequest| async move {
            upstream
                .send(request)
                .await
                .map(|response| response.map(Vec::from))
        };
        let answer = self
            .client
            .exchange_code(AuthorizationCode::new(code.expose().to_owned()))
            .set_pkce_verifier(code_verifier(attempt)?)
            .request_async(&http)
            .await
            .map_err(|error| self.refusal(&error))?;
        let id_token = answer.extra_fields().id_token.as_deref().map(Secret::new);
        Ok(Tokens {
            access_token: answer.access_token().clone(),
            id_token,
        })
    }

    fn refusal(&self, error: &RequestTokenError<UpstreamError, BasicErrorResponse>) -> LoginError {
        match error {
            RequestTokenError::Request(error) => error.at("the token endpoint"),
            RequestTokenError::ServerResponse(answer) => self.error_code(answer.error()),
            // GitHub answers its errors with status 200.
            RequestTokenError::Parse(_, body) => match parse_json::<BasicErrorResponse>(body) {
                Some(answer) => self.error_code(answer.error()),
                None => unreadable(),
            },
            RequestTokenError::Other(_) => unreadable(),
        }
    }

    /// The meaning of `error` in a token response (RFC 6749 section 5.2; GitHub's own codes are in
    /// its "Troubleshooting OAuth app access token request errors").
    fn error_code(&self, error: &BasicErrorResponseType) -> LoginError {
        let code = error.as_ref();
        match code {
            "invalid_client" | "incorrect_client_credentials" => {
                let keys = match self.kind {
                    ProviderKind::Github => "GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET",
                    ProviderKind::Google => "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET",
                    ProviderKind::Oidc => "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
                };
                LoginError::Misconfigured(format!("the provider does not accept {keys}"))
            }
            "unauthorized_client" | "unsupported_grant_type" => LoginError::Misconfigured(
                "the provider does not let this client use authorization codes".to_owned(),
            ),
            "redirect_uri_mismatch" => LoginError::Misconfigured(
                "register PUBLIC_BASE_URL followed by /callback as the callback URL".to_owned(),
            ),
            _ => LoginError::Untrusted(format!("the token endpoint answered {}", printable(code))),
        }
    }
}

fn unreadable() -> LoginError {
    LoginError::Untrusted("the token response cannot be read".to_owned())
}

/// The verifier of `attempt`; one of another length would be a panic in the `oauth2` crate.
fn code_verifier(attempt: &LoginAttempt) -> Result<PkceCodeVerifier, LoginError> {
    let verifier = attempt.code_verifier.expose();
    if !VERIFIER_LENGTHS.contains(&verifier.len()) {
        return Err(LoginError::Untrusted(
            "the code verifier has a wrong length".to_owned(),
        ));
    }
    Ok(PkceCodeVerifier::new(verifier.to_owned()))
}

/// `id_token` of a token response (OpenID Connect Core section 3.1.3.3).
#[derive(Clone, Serialize, Deserialize)]
struct IdTokenField {
    id_token: Option<String>,
}

impl ExtraTokenFields for IdTokenField {}

impl fmt::Debug for IdTokenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdTokenField([redacted])")
    }
}
