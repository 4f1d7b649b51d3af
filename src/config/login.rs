//! The login app of the one configured provider.

use std::rc::Rc;

use url::Url;

use super::{
    host_name,
    reader::{ConfigError, Reader},
    repository::{github_api_url, github_web_url},
    service_url,
};
use crate::{
    base_url::BaseUrl,
    login::{
        IdentityProvider, ProviderKind,
        github::{GithubProvider, GithubSettings},
        google::{GoogleProvider, GoogleSettings},
        oidc::{OidcProvider, OidcSettings, ProviderCache, issuer::Issuer},
    },
    runtime::{Clock, HttpClient},
};

/// How people log in.
#[derive(Clone, Debug)]
pub enum LoginSettings {
    /// At an OpenID provider.
    Oidc(OidcSettings),
    /// At Google.
    Google(GoogleSettings),
    /// At GitHub.
    Github(GithubSettings),
}

impl LoginSettings {
    /// Which kind of provider it is.
    #[must_use]
    pub const fn kind(&self) -> ProviderKind {
        match self {
            Self::Oidc(_) => ProviderKind::Oidc,
            Self::Google(_) => ProviderKind::Google,
            Self::Github(_) => ProviderKind::Github,
        }
    }

    /// The provider itself, with nothing remembered yet.
    #[must_use]
    pub fn provider(
        self,
        http: Rc<dyn HttpClient>,
        clock: Rc<dyn Clock>,
    ) -> Rc<dyn IdentityProvider> {
        let cache = ProviderCache::default();
        match self {
            Self::Oidc(settings) => Rc::new(OidcProvider::new(settings, http, clock, cache)),
            Self::Google(settings) => Rc::new(GoogleProvider::new(settings, http, clock, cache)),
            Self::Github(settings) => Rc::new(GithubProvider::new(settings, http)),
        }
    }
}

pub(super) fn read(reader: &Reader<'_>, base_url: &BaseUrl) -> Result<LoginSettings, ConfigError> {
    let redirect_uri = callback(base_url)?;
    match reader.required("AUTH_PROVIDER")?.as_str() {
        "oidc" => Ok(LoginSettings::Oidc(OidcSettings {
            issuer: issuer(reader, base_url)?,
            client_id: reader.required("OIDC_CLIENT_ID")?,
            client_secret: reader.secret("OIDC_CLIENT_SECRET")?,
            allow_unverified_email: reader.flag("OIDC_ALLOW_UNVERIFIED_EMAIL")?,
            redirect_uri,
        })),
        "google" => Ok(LoginSettings::Google(GoogleSettings {
            client_id: reader.required("GOOGLE_CLIENT_ID")?,
            client_secret: reader.secret("GOOGLE_CLIENT_SECRET")?,
            hosted_domain: reader.parsed("GOOGLE_HOSTED_DOMAIN", |domain| {
                host_name(domain).ok_or("must be a domain such as example.com")
            })?,
            redirect_uri,
        })),
        "github" => Ok(LoginSettings::Github(GithubSettings {
            client_id: reader.required("GITHUB_CLIENT_ID")?,
            client_secret: reader.secret("GITHUB_CLIENT_SECRET")?,
            api_url: github_api_url(reader, base_url)?,
            web_url: github_web_url(reader, base_url)?,
            redirect_uri,
        })),
        _ => Err(ConfigError::new(
            "AUTH_PROVIDER",
            "must be github, google or oidc",
        )),
    }
}

/// The issuer, spelled exactly as its discovery document does.
fn issuer(reader: &Reader<'_>, base_url: &BaseUrl) -> Result<Issuer, ConfigError> {
    const KEY: &str = "OIDC_ISSUER";
    let text = reader.required(KEY)?;
    service_url(&text, base_url).map_err(|error| ConfigError::new(KEY, error))?;
    Issuer::parse(&text).map_err(|error| ConfigError::new(KEY, error))
}

/// Where the provider sends people back.
fn callback(base_url: &BaseUrl) -> Result<Url, ConfigError> {
    Url::parse(&base_url.join("/callback"))
        .map_err(|error| ConfigError::new("PUBLIC_BASE_URL", error))
}
