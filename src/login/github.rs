//! Login with GitHub, which speaks OAuth but not OpenID Connect: the person is whoever its API says
//! that the token belongs to.
//!
//! An OAuth app and a GitHub App serve alike. No scope is asked for: the public profile is enough.
//! The token is used for one request and deleted; it never meets the token of the vault.
//!
//! Sources: GitHub's documentation "Authorizing OAuth apps", "Generating a user access token for a
//! GitHub App", "GitHub authentication discovery endpoints", and its REST API.

use std::rc::Rc;

use ::http::{
    HeaderValue, Method, Request, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
    request::Builder,
};
use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use oauth2::{AccessToken, AuthType, AuthUrl, TokenUrl};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::{
    Identity, IdentityProvider, LoggedIn, LoginAttempt, LoginCallback, LoginError, ProviderKind,
    allowlist::is_github_login,
    code_grant::{CodeGrant, Endpoints, Registration},
    display_name,
    upstream::{Upstream, bearer, parse_json},
};
use crate::{runtime::HttpClient, secret::Secret};

/// The version of the REST API that is spoken here.
const API_VERSION: HeaderValue = HeaderValue::from_static("2022-11-28");

/// How we are registered with GitHub.
#[derive(Clone, Debug)]
pub struct GithubSettings {
    /// `GITHUB_CLIENT_ID`.
    pub client_id: String,
    /// `GITHUB_CLIENT_SECRET`.
    pub client_secret: Secret,
    /// `GITHUB_WEB_URL`: `https://github.com`, or the origin of an Enterprise server.
    pub web_url: Url,
    /// `GITHUB_API_URL`: `https://api.github.com`, or `https://HOST/api/v3`.
    pub api_url: Url,
    /// Where GitHub sends people back: `PUBLIC_BASE_URL` and `/callback`.
    pub redirect_uri: Url,
}

/// GitHub, or a GitHub Enterprise server.
#[derive(Debug)]
pub struct GithubProvider {
    registration: Registration,
    web_origin: String,
    api_url: String,
    upstream: Upstream,
}

/// What is read of `GET /user`.
#[derive(Deserialize)]
struct Account {
    login: String,
    id: u64,
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
}

impl GithubProvider {
    /// The provider.
    #[must_use]
    pub fn new(settings: GithubSettings, http: Rc<dyn HttpClient>) -> Self {
        Self {
            registration: Registration {
                kind: ProviderKind::Github,
                client_id: settings.client_id,
                client_secret: settings.client_secret,
                redirect_uri: settings.redirect_uri,
            },
            web_origin: settings.web_url.as_str().trim_end_matches('/').to_owned(),
            api_url: settings.api_url.as_str().trim_end_matches('/').to_owned(),
            upstream: Upstream::new(http),
        }
    }

    /// What GitHub calls itself in authorization responses since April 2026; it is the issuer of
    /// its metadata (RFC 8414) too.
    fn response_issuer(&self) -> String {
        format!("{}/login/oauth", self.web_origin)
    }

    fn code_grant(&self) -> Result<CodeGrant, LoginError> {
        let unusable = |_| LoginError::Misconfigured("GITHUB_WEB_URL is no URL".to_owned());
        let endpoint = |name| format!("{}/{name}", self.response_issuer());
        Ok(CodeGrant::new(
            &self.registration,
            Endpoints {
                authorization: AuthUrl::new(endpoint("authorize")).map_err(unusable)?,
                token: TokenUrl::new(endpoint("access_token")).map_err(unusable)?,
                client_authentication: AuthType::RequestBody,
            },
        ))
    }

    /// Whose token it is.
    async fn account(&self, token: &AccessToken) -> Result<Account, LoginError> {
        let (name, credential) = bearer(token.secret())?;
        let request = self
            .api_request(Method::GET, "/user")
            .header(name, credential)
            .body(Bytes::new())
            .map_err(|_| unusable_api_url())?;
        let response = self
            .upstream
            .send(request)
            .await
            .map_err(|error| error.at("GitHub's API"))?;
        match response.status() {
            StatusCode::OK => parse_json(response.body()).ok_or_else(|| {
                LoginError::Untrusted("GitHub's answer about the account cannot be read".to_owned())
            }),
            // How the API says that it has enough of us, beside 429.
            status @ StatusCode::FORBIDDEN => Err(LoginError::Unavailable(format!(
                "GitHub's API: status {}",
                status.as_u16()
            ))),
            status => Err(LoginError::Untrusted(format!(
                "GitHub's API answered the token that GitHub gave with status {}",
                status.as_u16()
            ))),
        }
    }

    /// Deletes the token, which has done its work. A failure is nobody's concern: the token can
    /// read a public profile, and is dropped here in any case.
    async fn delete(&self, token: &AccessToken) {
        let Registration {
            client_id,
            client_secret,
            ..
        } = &self.registration;
        let credential = BASE64_STANDARD.encode(format!("{client_id}:{}", client_secret.expose()));
        let request = self
            .api_request(Method::DELETE, &format!("/applications/{client_id}/token"))
            .header(AUTHORIZATION, format!("Basic {credential}"))
            .header(CONTENT_TYPE, "application/json")
            .body(json!({ "access_token": token.secret() }).to_string());
        if let Ok(request) = request {
            let _ = self.upstream.send(request).await;
        }
    }

    fn api_request(&self, method: Method, path: &str) -> Builder {
        Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.api_url))
            .header(ACCEPT, "application/vnd.github+json")
            .header("X-GitHub-Api-Version", API_VERSION)
    }

    /// The identity of a person; bots and organisations are none.
    fn identity(&self, account: Account) -> Result<Identity, LoginError> {
        if account.kind != "User" {
            return Err(LoginError::Untrusted(
                "the GitHub account is not a person's".to_owned(),
            ));
        }
        if account.id == 0 || !is_github_login(&account.login) {
            return Err(LoginError::Untrusted(
                "the GitHub account has no login name".to_owned(),
            ));
        }
        Ok(Identity {
            provider: ProviderKind::Github,
            issuer: self.web_origin.clone(),
            subject: account.id.to_string(),
            name: account.login,
            name_verified: true,
            display_name: account.name.as_deref().and_then(display_name),
        })
    }
}

fn unusable_api_url() -> LoginError {
    LoginError::Misconfigured("GITHUB_API_URL is no URL".to_owned())
}

#[async_trait(?Send)]
impl IdentityProvider for GithubProvider {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Github
    }

    fn display_name(&self) -> String {
        "GitHub".to_owned()
    }

    fn issuer(&self) -> &str {
        &self.web_origin
    }

    async fn authorization_url(&self, attempt: &LoginAttempt) -> Result<Url, LoginError> {
        let parameters = [("allow_signup", "false"), ("prompt", "select_account")];
        self.code_grant()?
            .authorization_url(attempt, &[], &parameters)
    }

    async fn identify(
        &self,
        callback: &LoginCallback,
        attempt: &LoginAttempt,
    ) -> Result<LoggedIn, LoginError> {
        callback.check_issuer(&self.response_issuer())?;
        let code = callback.code()?;
        let tokens = self
            .code_grant()?
            .exchange(code, attempt, &self.upstream)
            .await?;
        let account = self.account(&tokens.access_token).await;
        self.delete(&tokens.access_token).await;
        self.identity(account?).map(LoggedIn::from)
    }
}
