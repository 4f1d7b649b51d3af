//! The configuration: read and checked once, by this module alone.
//!
//! Whatever is wrong is found before the first request is served: the server then answers with a
//! page that names the key, and offers no tools. `.dev.vars.example` explains every key.

mod clients;
mod lifetimes;
mod login;
mod reader;
mod repository;

use self::reader::Reader;
pub use self::{
    login::LoginSettings,
    reader::{ConfigError, Environment},
};
use crate::{
    base_url::{BaseUrl, is_loopback},
    login::allowlist::Allowlist,
    oauth::{seal::SealingKey, settings::OauthSettings},
    secret::Secret,
    storage::github::GithubRepository,
    vault::{
        path::DirPath,
        policy::{VaultPolicy, parse_prefixes},
    },
};

/// Every key that is read. `.dev.vars.example` lists the same.
pub const KEYS: &[&str] = &[
    "PUBLIC_BASE_URL",
    "AUTH_PROVIDER",
    "OIDC_ISSUER",
    "OIDC_CLIENT_ID",
    "OIDC_CLIENT_SECRET",
    "OIDC_ALLOW_UNVERIFIED_EMAIL",
    "GITHUB_CLIENT_ID",
    "GITHUB_CLIENT_SECRET",
    "GOOGLE_CLIENT_ID",
    "GOOGLE_CLIENT_SECRET",
    "GOOGLE_HOSTED_DOMAIN",
    "VAULT_ALLOWED_OIDC_EMAILS",
    "VAULT_ALLOWED_GITHUB_LOGINS",
    "VAULT_ALLOWED_GOOGLE_EMAILS",
    "COOKIE_ENCRYPTION_KEY",
    "VAULT_OWNER",
    "VAULT_REPO",
    "VAULT_BRANCH",
    "VAULT_GITHUB_TOKEN",
    "VAULT_GITHUB_APP_ID",
    "VAULT_GITHUB_APP_INSTALLATION_ID",
    "VAULT_GITHUB_APP_PRIVATE_KEY",
    "VAULT_ALLOWED_PREFIXES",
    "VAULT_DENIED_PREFIXES",
    "VAULT_READ_ONLY",
    "GITHUB_API_URL",
    "GITHUB_WEB_URL",
    "GITHUB_WEBHOOK_SECRET",
    "ACCESS_TTL",
    "REFRESH_IDLE_TTL",
    "REFRESH_ABSOLUTE_TTL",
    "REFRESH_GRACE",
    "REFRESH_REUSE",
    "REVOKE_BEFORE",
    "REMEMBER_CONSENT",
    "MCP_REDIRECT_HOSTS",
    "MCP_STATIC_CLIENTS",
    "MCP_ALLOWED_ORIGINS",
];

/// The fewest characters of a secret that is ours to choose.
const MIN_KEY_LENGTH: usize = 32;
/// What `.dev.vars.example` gives as a key, which everybody knows.
const EXAMPLE_KEY: &str = "example-key-for-loopback-only-0123456789abcdef";

/// A configuration that can be served with.
#[derive(Debug)]
pub struct Config {
    /// The authorization server's part.
    pub oauth: OauthSettings,
    /// How people log in.
    pub login: LoginSettings,
    /// Who may enter.
    pub allowlist: Allowlist,
    /// What is shown, and what may be changed.
    pub policy: VaultPolicy,
    /// Where the vault is.
    pub repository: GithubRepository,
    /// What GitHub signs deliveries of its webhook with; there is no webhook without it.
    pub webhook_secret: Option<Secret>,
    /// Origins of browser clients, besides our own, Claude's and loopback.
    pub allowed_origins: Vec<String>,
}

impl Config {
    /// Reads and checks everything.
    ///
    /// # Errors
    /// [`ConfigError`] for the first key that is missing or wrong.
    pub fn read(environment: &dyn Environment) -> Result<Self, ConfigError> {
        let reader = Reader(environment);
        let base_url = BaseUrl::parse(&reader.required("PUBLIC_BASE_URL")?)
            .map_err(|error| ConfigError::new("PUBLIC_BASE_URL", error))?;
        let login = login::read(&reader, &base_url)?;
        let key = login.kind().allowlist_key();
        // A list that is not set admits nobody: the server runs, and refuses everybody by name.
        let allowlist = Allowlist::parse(login.kind(), &reader.optional(key).unwrap_or_default())
            .map_err(|error| ConfigError::new(key, error))?;
        let policy = policy(&reader)?;
        let oauth = OauthSettings {
            sealing_key: sealing_key(&reader, &base_url)?,
            lifetimes: lifetimes::read(&reader)?,
            refresh_reuse: lifetimes::refresh_reuse(&reader)?,
            revoke_before: lifetimes::revoke_before(&reader)?,
            redirect_hosts: clients::redirect_hosts(&reader)?,
            static_clients: clients::static_clients(&reader)?,
            remember_consent: reader.flag("REMEMBER_CONSENT")?,
            read_only_vault: policy.is_read_only(),
            resource_name: "Obsidian vault".to_owned(),
            base_url,
        };
        Ok(Self {
            repository: repository::read(&reader, &oauth.base_url)?,
            webhook_secret: webhook_secret(&reader)?,
            allowed_origins: allowed_origins(&reader)?,
            oauth,
            login,
            allowlist,
            policy,
        })
    }
}

fn policy(reader: &Reader<'_>) -> Result<VaultPolicy, ConfigError> {
    let allowed = prefixes(reader, "VAULT_ALLOWED_PREFIXES")?;
    let denied = prefixes(reader, "VAULT_DENIED_PREFIXES")?;
    Ok(VaultPolicy::new(
        allowed,
        &denied,
        reader.flag("VAULT_READ_ONLY")?,
    ))
}

fn prefixes(reader: &Reader<'_>, key: &'static str) -> Result<Vec<DirPath>, ConfigError> {
    let prefixes = reader.parsed(key, |list| {
        // Without the entry, and without the reason, which can quote it: what somebody hides is not
        // for the page that everybody gets.
        parse_prefixes(list).map_err(|error| {
            format!(
                "must be folders divided by commas, such as Projects, Areas/Home; entry {} is none",
                error.position
            )
        })
    })?;
    Ok(prefixes.unwrap_or_default())
}

fn sealing_key(reader: &Reader<'_>, base_url: &BaseUrl) -> Result<SealingKey, ConfigError> {
    const KEY: &str = "COOKIE_ENCRYPTION_KEY";
    let secret = reader.secret(KEY)?;
    if secret.expose().chars().count() < MIN_KEY_LENGTH {
        return Err(ConfigError::new(
            KEY,
            format_args!(
                "must have at least {MIN_KEY_LENGTH} characters (openssl rand -base64 48)"
            ),
        ));
    }
    if secret.expose() == EXAMPLE_KEY && !base_url.is_loopback() {
        return Err(ConfigError::new(
            KEY,
            "is the example's, which everybody knows; make one with openssl rand -base64 48",
        ));
    }
    Ok(SealingKey::new(&secret))
}

fn webhook_secret(reader: &Reader<'_>) -> Result<Option<Secret>, ConfigError> {
    reader.parsed("GITHUB_WEBHOOK_SECRET", |secret| {
        if secret.chars().count() < MIN_KEY_LENGTH {
            return Err(format!(
                "must have at least {MIN_KEY_LENGTH} characters (openssl rand -hex 32)"
            ));
        }
        Ok(Secret::new(secret))
    })
}

fn allowed_origins(reader: &Reader<'_>) -> Result<Vec<String>, ConfigError> {
    const KEY: &str = "MCP_ALLOWED_ORIGINS";
    items(&reader.optional(KEY).unwrap_or_default())
        .map(|item| {
            BaseUrl::parse(item)
                .map(|origin| origin.origin().to_owned())
                .map_err(|error| ConfigError::new(KEY, error))
        })
        .collect()
}

/// The items of a list: separated by commas or white space.
fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|item| !item.is_empty())
}

/// The host name in a text that is one: letters, digits, hyphens and dots, in lower case.
fn host_name(text: &str) -> Option<String> {
    let plain = |host: &String| {
        host.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
    };
    match url::Host::parse(text) {
        Ok(url::Host::Domain(host)) => Some(host).filter(plain),
        Ok(url::Host::Ipv4(_) | url::Host::Ipv6(_)) | Err(_) => None,
    }
}

/// A URL that may be `http` only where both it and the server are on this machine.
fn service_url(text: &str, base_url: &BaseUrl) -> Result<url::Url, &'static str> {
    let url = url::Url::parse(text).map_err(|_| "must be a URL such as https://host.example")?;
    let host = url.host().ok_or("must be a URL with a host")?;
    let plain = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    match url.scheme() {
        _ if !plain => Err("must have no query, fragment or credentials"),
        "https" => Ok(url),
        "http" if base_url.is_loopback() && is_loopback(&host) => Ok(url),
        _ => Err("must begin with https:// (http:// is for local development alone)"),
    }
}
