//! Where the vault is, and what it is reached with.

use url::Url;

use super::{
    reader::{ConfigError, Reader},
    service_url,
};
use crate::{
    base_url::BaseUrl,
    secret::Secret,
    storage::github::{
        AppId, AppKey, BranchName, Credential, GithubApp, GithubRepository, OwnerName, RepoName,
    },
};

pub(super) fn read(
    reader: &Reader<'_>,
    base_url: &BaseUrl,
) -> Result<GithubRepository, ConfigError> {
    let owner = reader.required("VAULT_OWNER")?;
    let repo = reader.required("VAULT_REPO")?;
    Ok(GithubRepository {
        owner: OwnerName::parse(&owner)
            .map_err(|error| ConfigError::new("VAULT_OWNER", format_args!("is {error}")))?,
        repo: RepoName::parse(&repo)
            .map_err(|error| ConfigError::new("VAULT_REPO", format_args!("is {error}")))?,
        branch: reader.parsed("VAULT_BRANCH", |branch| {
            BranchName::parse(branch).map_err(|error| format!("is {error}"))
        })?,
        credential: credential(reader)?,
        api_url: github_api_url(reader, base_url)?,
        web_url: github_web_url(reader, base_url)?,
    })
}

const TOKEN: &str = "VAULT_GITHUB_TOKEN";
const APP_ID: &str = "VAULT_GITHUB_APP_ID";
const APP_INSTALLATION: &str = "VAULT_GITHUB_APP_INSTALLATION_ID";
const APP_KEY: &str = "VAULT_GITHUB_APP_PRIVATE_KEY";

/// A token, or a GitHub App: one of the two, so that nobody wonders which one is used.
fn credential(reader: &Reader<'_>) -> Result<Credential, ConfigError> {
    let of_app = [APP_ID, APP_INSTALLATION, APP_KEY]
        .into_iter()
        .find(|key| reader.optional(key).is_some());
    match (reader.optional(TOKEN), of_app) {
        (Some(_), Some(key)) => Err(ConfigError::new(
            TOKEN,
            format_args!("is set, and so is {key}; set the token, or the keys of a GitHub App"),
        )),
        (None, Some(_)) => app(reader).map(Credential::App),
        (_, None) => token(reader).map(Credential::Token),
    }
}

fn app(reader: &Reader<'_>) -> Result<GithubApp, ConfigError> {
    let id = AppId::parse(&reader.required(APP_ID)?).ok_or_else(|| {
        ConfigError::new(
            APP_ID,
            "must be the app's ID, a number, or its client ID (Iv…)",
        )
    })?;
    let installation = reader.required(APP_INSTALLATION)?.parse().map_err(|_| {
        ConfigError::new(
            APP_INSTALLATION,
            "must be the number at the end of the address of the installation's settings",
        )
    })?;
    let key = AppKey::parse(&reader.secret(APP_KEY)?)
        .map_err(|error| ConfigError::new(APP_KEY, format_args!("is {error}; paste the whole .pem file that GitHub made, with its BEGIN and END lines")))?;
    Ok(GithubApp {
        id,
        installation,
        key,
    })
}

/// The vault token. Only fine-grained ones can be limited to one repository and its contents; the
/// prefixes are those of GitHub's documentation, "Token formats".
fn token(reader: &Reader<'_>) -> Result<Secret, ConfigError> {
    let token = reader.secret(TOKEN)?;
    if token.expose().starts_with("github_pat_") {
        return Ok(token);
    }
    let problem = if token.expose().starts_with("ghp_") {
        "is a classic token, which reaches all your repositories; make a fine-grained one for the vault's repository alone"
    } else if ["gho_", "ghu_", "ghs_", "ghr_"]
        .iter()
        .any(|kind| token.expose().starts_with(kind))
    {
        "is no personal access token; make a fine-grained one (github_pat_…) for the vault's repository alone"
    } else {
        "must be a fine-grained token (github_pat_…) for the vault's repository alone"
    };
    Err(ConfigError::new(TOKEN, problem))
}

/// GitHub's REST API, for the vault and for login.
pub(super) fn github_api_url(reader: &Reader<'_>, base_url: &BaseUrl) -> Result<Url, ConfigError> {
    url(reader, base_url, "GITHUB_API_URL", "https://api.github.com")
}

/// GitHub's pages, for the vault and for login.
pub(super) fn github_web_url(reader: &Reader<'_>, base_url: &BaseUrl) -> Result<Url, ConfigError> {
    url(reader, base_url, "GITHUB_WEB_URL", "https://github.com")
}

fn url(
    reader: &Reader<'_>,
    base_url: &BaseUrl,
    key: &'static str,
    default: &str,
) -> Result<Url, ConfigError> {
    let text = reader.optional(key).unwrap_or_else(|| default.to_owned());
    service_url(&text, base_url).map_err(|error| ConfigError::new(key, error))
}
