//! Login with an OpenID provider (OpenID Connect Core, code flow): discovery, keys, ID token, and
//! userinfo where the ID token does not say enough.

mod cache;
mod discovery;
mod email;
mod id_token;
pub mod issuer;
mod keys;
mod userinfo;

use std::{fmt, rc::Rc};

use async_trait::async_trait;
use oauth2::AccessToken;
use openidconnect::core::CoreJsonWebKeySet;
use url::Url;

pub use self::cache::ProviderCache;
use self::{
    discovery::{Discovered, DiscoveryError},
    id_token::{Claims, Expected, IdTokenError},
    issuer::Issuer,
};
use super::{
    Identity, IdentityProvider, LoggedIn, LoginAttempt, LoginCallback, LoginError, ProviderKind,
    code_grant::{CodeGrant, Endpoints, Registration, Tokens},
    upstream::{DocumentError, Upstream},
};
use crate::{
    runtime::{Clock, HttpClient},
    secret::Secret,
};

/// What is asked of a provider: who the person is, and their address. Nothing more, so that no
/// provider has a reason to refuse.
const SCOPES: [&str; 2] = ["openid", "email"];

/// How we are registered with an OpenID provider.
#[derive(Clone, Debug)]
pub struct OidcSettings {
    /// `OIDC_ISSUER`.
    pub issuer: Issuer,
    /// `OIDC_CLIENT_ID`.
    pub client_id: String,
    /// `OIDC_CLIENT_SECRET`.
    pub client_secret: Secret,
    /// `OIDC_ALLOW_UNVERIFIED_EMAIL`: takes an address about whose verification the provider says
    /// nothing. One that it calls unverified is never taken.
    pub allow_unverified_email: bool,
    /// Where the provider sends people back: `PUBLIC_BASE_URL` and `/callback`.
    pub redirect_uri: Url,
}

/// Any OpenID provider, found by its issuer.
pub struct OidcProvider {
    registration: Registration,
    issuer: Issuer,
    allow_unverified_email: bool,
    /// Parameters of authorization requests beside those of the code flow.
    parameters: Vec<(&'static str, String)>,
    upstream: Upstream,
    clock: Rc<dyn Clock>,
    cache: ProviderCache,
}

/// Who has logged in, with what only some providers say.
#[derive(Debug)]
pub(super) struct OidcLogin {
    pub(super) identity: Identity,
    /// The claim `hd`.
    pub(super) hosted_domain: Option<String>,
}

impl OidcProvider {
    /// A provider that is found by discovery. `cache` belongs to it alone, and is best kept for as
    /// long as the isolate lives.
    #[must_use]
    pub fn new(
        settings: OidcSettings,
        http: Rc<dyn HttpClient>,
        clock: Rc<dyn Clock>,
        cache: ProviderCache,
    ) -> Self {
        Self {
            registration: Registration {
                kind: ProviderKind::Oidc,
                client_id: settings.client_id,
                client_secret: settings.client_secret,
                redirect_uri: settings.redirect_uri,
            },
            issuer: settings.issuer,
            allow_unverified_email: settings.allow_unverified_email,
            parameters: Vec::new(),
            upstream: Upstream::new(http),
            clock,
            cache,
        }
    }

    /// Makes it the implementation of another kind of provider, whose authorization requests have
    /// `parameters` too.
    pub(super) fn specialized(
        mut self,
        kind: ProviderKind,
        parameters: Vec<(&'static str, String)>,
    ) -> Self {
        self.registration.kind = kind;
        self.parameters = parameters;
        self
    }

    /// Does what [`IdentityProvider::identify`] promises.
    pub(super) async fn log_in(
        &self,
        callback: &LoginCallback,
        attempt: &LoginAttempt,
    ) -> Result<OidcLogin, LoginError> {
        callback.check_issuer(self.issuer.as_str())?;
        let code = callback.code()?;
        let provider = self.discovered().await?;
        if provider.names_itself && callback.issuer.is_none() {
            return Err(LoginError::Untrusted(
                "the authorization response does not name its issuer".to_owned(),
            ));
        }
        let tokens = self
            .code_grant(&provider)
            .exchange(code, attempt, &self.upstream)
            .await?;
        let Tokens {
            access_token,
            id_token,
        } = tokens;
        let id_token = id_token.ok_or_else(|| {
            LoginError::Untrusted("the token response has no ID token".to_owned())
        })?;
        let claims = self
            .claims(&provider, &id_token, &access_token, attempt)
            .await?;

        let userinfo = match &provider.userinfo_endpoint {
            Some(endpoint) if !claims.email.is_complete() => Some(
                userinfo::fetch(&self.upstream, endpoint, &access_token, &claims.subject).await?,
            ),
            Some(_) | None => None,
        };
        let (userinfo_email, userinfo_name) = match userinfo {
            Some(userinfo) => (Some(userinfo.email), userinfo.display_name),
            None => (None, None),
        };
        let email = email::settle(claims.email, userinfo_email, self.allow_unverified_email)?;
        let name = claims.display_name.or(userinfo_name);
        Ok(OidcLogin {
            identity: Identity {
                provider: self.registration.kind,
                issuer: self.issuer.as_str().to_owned(),
                subject: claims.subject,
                name: email
                    .address
                    .map(|address| address.as_str().to_owned())
                    .unwrap_or_default(),
                name_verified: email.verified,
                display_name: name.as_deref().and_then(super::display_name),
            },
            hosted_domain: claims.hosted_domain,
        })
    }

    fn code_grant(&self, provider: &Discovered) -> CodeGrant {
        CodeGrant::new(
            &self.registration,
            Endpoints {
                authorization: provider.authorization_endpoint.clone(),
                token: provider.token_endpoint.clone(),
                client_authentication: provider.client_authentication.clone(),
            },
        )
    }

    /// The provider's description of itself: at most an hour old, or a day while it fails.
    async fn discovered(&self) -> Result<Rc<Discovered>, LoginError> {
        let now = self.clock.now();
        if let Some(known) = self.cache.with(|documents| documents.discovery.fresh(now)) {
            return Ok(known);
        }
        let error = match self.upstream.document(&self.issuer.discovery_url()).await {
            Ok(document) => match Discovered::parse(&document, &self.issuer) {
                Ok(discovered) => {
                    return Ok(self
                        .cache
                        .with(|documents| documents.discovery.store(discovered, now)));
                }
                Err(DiscoveryError::Unreadable) => DocumentError::Unreadable,
                Err(error) => return Err(error.into()),
            },
            Err(error) => error,
        };
        self.cache
            .with(|documents| documents.discovery.last_good(now))
            .ok_or_else(|| self.no_discovery(&error))
    }

    fn no_discovery(&self, error: &DocumentError) -> LoginError {
        let text = format!(
            "the discovery document {}: {error}",
            self.issuer.discovery_url()
        );
        match error {
            DocumentError::Refused(_) => {
                LoginError::Misconfigured(format!("{text}; check the issuer"))
            }
            DocumentError::Upstream(_) | DocumentError::Unreadable => LoginError::Unavailable(text),
        }
    }

    /// The claims of a token that is verified with the keys we have, or with newer ones.
    async fn claims(
        &self,
        provider: &Discovered,
        id_token: &Secret,
        access_token: &AccessToken,
        attempt: &LoginAttempt,
    ) -> Result<Claims, LoginError> {
        let verify = |keys: &CoreJsonWebKeySet| {
            let expected = Expected {
                issuer: &self.issuer,
                client_id: &self.registration.client_id,
                nonce: &attempt.nonce,
                algorithms: &provider.algorithms,
                access_token,
                now: self.clock.now(),
            };
            id_token::verify(id_token, keys, &expected)
        };
        let uri = provider.jwks_uri.as_str();
        let now = self.clock.now();
        let known = self.cache.with(|documents| documents.keys.fresh(uri, now));
        let verified = match known {
            Some(known) => match verify(&known) {
                Err(IdTokenError::UnknownKey)
                    if self.cache.with(|documents| documents.keys.may_refetch(now)) =>
                {
                    verify(&*self.fetch_keys(uri).await?)
                }
                verified => verified,
            },
            None => match self.fetch_keys(uri).await {
                Ok(keys) => verify(&keys),
                Err(error) => {
                    let stale = self
                        .cache
                        .with(|documents| documents.keys.last_good(uri, now));
                    match stale.map(|stale| verify(&stale)) {
                        // The key may be among those that could not be fetched.
                        None | Some(Err(IdTokenError::UnknownKey)) => return Err(error),
                        Some(verified) => verified,
                    }
                }
            },
        };
        verified.map_err(|error| LoginError::Untrusted(error.to_string()))
    }

    async fn fetch_keys(&self, uri: &str) -> Result<Rc<CoreJsonWebKeySet>, LoginError> {
        let now = self.clock.now();
        let unavailable = |error| LoginError::Unavailable(format!("the provider's keys: {error}"));
        let document = self.upstream.document(uri).await.map_err(unavailable)?;
        let keys = keys::parse(&document).ok_or_else(|| unavailable(DocumentError::Unreadable))?;
        Ok(self
            .cache
            .with(|documents| documents.keys.store(keys, uri, now)))
    }
}

#[async_trait(?Send)]
impl IdentityProvider for OidcProvider {
    fn kind(&self) -> ProviderKind {
        self.registration.kind
    }

    fn display_name(&self) -> String {
        self.issuer.authority().to_owned()
    }

    fn issuer(&self) -> &str {
        self.issuer.as_str()
    }

    async fn authorization_url(&self, attempt: &LoginAttempt) -> Result<Url, LoginError> {
        let provider = self.discovered().await?;
        let mut parameters = vec![("nonce", attempt.nonce.expose())];
        parameters.extend(
            self.parameters
                .iter()
                .map(|(name, value)| (*name, value.as_str())),
        );
        self.code_grant(&provider)
            .authorization_url(attempt, &SCOPES, &parameters)
    }

    async fn identify(
        &self,
        callback: &LoginCallback,
        attempt: &LoginAttempt,
    ) -> Result<LoggedIn, LoginError> {
        self.log_in(callback, attempt)
            .await
            .map(|person| person.identity.into())
    }
}

impl fmt::Debug for OidcProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcProvider")
            .field("registration", &self.registration)
            .field("issuer", &self.issuer.as_str())
            .finish_non_exhaustive()
    }
}
