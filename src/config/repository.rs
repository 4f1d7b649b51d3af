//! Where the vault is, and with which token it is reached.

use url::Url;

use super::{
    reader::{ConfigError, Reader},
    service_url,
};
use crate::{
    base_url::BaseUrl,
    secret::Secret,
    storage::github::{BranchName, GithubRepository, OwnerName, RepoName},
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
        token: token(reader)?,
        api_url: github_api_url(reader, base_url)?,
        web_url: github_web_url(reader, base_url)?,
    })
}

/// The vault token. Only fine-grained ones can be limited to one repository and its contents; the
/// prefixes are those of GitHub's documentation, "Token formats".
fn token(reader: &Reader<'_>) -> Result<Secret, ConfigError> {
    const KEY: &str = "VAULT_GITHUB_TOKEN";
    let token = reader.secret(KEY)?;
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
    Err(ConfigError::new(KEY, problem))
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
