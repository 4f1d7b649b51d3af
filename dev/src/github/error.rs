//! GitHub's refusals: status and text of each, with where the text is on record.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::answer::Answer;
use crate::git::{GitError, Oid};

/// A refusal. The text is the answer's `message`; its name is in the request log.
#[derive(Debug, thiserror::Error, strum::VariantNames, strum::IntoStaticStr)]
pub(crate) enum ApiError {
    /// Missing, or not to be seen: GitHub docs, "Troubleshooting the REST API".
    #[error("Not Found")]
    NotFound,
    /// A `ref` parameter that names nothing (GitHub docs, "Get repository content").
    #[error("No commit found for the ref {0}")]
    NoCommitForRef(String),
    /// rust-lang/homu#141 quotes it.
    #[error("No commit found for SHA: {0}")]
    NoCommitForSha(String),
    /// Compared commits without a common ancestor (trilom/file-changes-action#138).
    #[error("No common ancestor between {0} and {1}.")]
    NoCommonAncestor(String, String),
    /// The branch of a write is missing; checked before the blob's sha
    /// (pome-sh/digital-twins#400). The text is not on public record.
    #[error("Branch {0} not found")]
    BranchNotFound(String),
    /// `git/*` of a repository without commits (github/docs#31951, rest-api-description#637).
    #[error("Git Repository is empty.")]
    EmptyRepository,
    /// `contents` of a repository without commits (github/docs#31951).
    #[error("This repository is empty.")]
    EmptyContents,
    /// GitHub docs, "Troubleshooting the REST API".
    #[error("Bad credentials")]
    BadCredentials,
    /// GitHub docs, "Get the authenticated user" without a token.
    #[error("Requires authentication")]
    RequiresAuthentication,
    /// expipiplus1/update-nix-fetchgit#79 quotes it.
    #[error(
        "The version you specified in the \"X-GitHub-API-Version\" request header, \"{0}\", is not \
         a supported version. The following versions are currently supported: \"2026-03-10\" \
         (most recent), \"2022-11-28\"."
    )]
    UnsupportedVersion(String),
    /// GitHub docs, "Troubleshooting the REST API", "Resource not accessible".
    #[error("Resource not accessible by personal access token")]
    NotAccessible,
    /// The same to a token of an app (octokit/app.js#349).
    #[error("Resource not accessible by integration")]
    NotAccessibleByIntegration,
    /// A JSON Web Token that is none, or is signed with another key (octokit/rest.js#218).
    #[error("A JSON web token could not be decoded")]
    JwtUndecodable,
    /// A JSON Web Token whose time is over (sigmavirus24/github3.py#1050).
    #[error(
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at \
         which the assertion expires"
    )]
    JwtExpired,
    /// A JSON Web Token that is to hold for over ten minutes (octokit/auth-app.js#698).
    #[error("'Expiration time' claim ('exp') is too far in the future")]
    JwtTooLong,
    /// A JSON Web Token from a clock that is ahead (GitHub docs, "Generating a JSON Web Token").
    #[error(
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was \
         issued"
    )]
    JwtFromTheFuture,
    /// A JSON Web Token of an unknown app (actions/create-github-app-token#76).
    #[error("Integration not found")]
    IntegrationNotFound,
    /// octokit/octokit.rb#1307.
    #[error("This installation has been suspended")]
    InstallationSuspended,
    /// More permissions than the installation has (actions/create-github-app-token#210).
    #[error("The permissions requested are not granted to this installation.")]
    PermissionsNotGranted,
    /// Another repository than the installation selects.
    #[error(
        "There is at least one repository that does not exist or is not accessible to the parent \
         installation."
    )]
    RepositoryNotInstalled,
    /// A personal token where one of an installation is wanted.
    #[error(
        "You must authenticate with an installation access token in order to list repositories for an installation."
    )]
    InstallationRequired,
    /// GitHub docs, "Authenticating with SAML single sign-on"; github/github-mcp-server#1121.
    #[error(
        "Resource protected by organization SAML enforcement. You must grant your Personal Access \
         token access to this organization."
    )]
    SamlEnforced,
    /// GitHub docs, "Authenticating to the REST API", "Failed login limit".
    #[error("Maximum number of login attempts exceeded. Please try again later.")]
    LoginAttempts,
    /// SalesforceFoundation/NPSP#7247.
    #[error(
        "Although you appear to have the correct authorization credentials, the `{0}` organization \
         has an IP allow list enabled, and your IP address is not permitted to access this \
         resource."
    )]
    IpAllowList(String),
    /// r-universe-org/help#247.
    #[error("Repository was archived so is read-only.")]
    Archived,
    /// GitHub docs, "Rate limits for the REST API".
    #[error("API rate limit exceeded for user ID {0}.")]
    PrimaryLimit(u64, StatusCode),
    /// apache/devlake#1322 quotes it.
    #[error(
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    )]
    SecondaryLimit(StatusCode, Option<u64>),
    /// A body that is not JSON (GitHub docs, "Troubleshooting the REST API").
    #[error("Problems parsing JSON")]
    ProblemsParsingJson,
    /// A body that is JSON, but no object.
    #[error("Body should be a JSON object")]
    NotAnObject,
    /// A required field is missing; for `sha`: pome-sh/digital-twins#400.
    #[error("Invalid request.\n\n\"{0}\" wasn't supplied.")]
    NotSupplied(&'static str),
    /// A field has the wrong type. Only the status is on public record.
    #[error("Invalid request.\n\nFor 'properties/{0}', {1} is not a string.")]
    NotAString(&'static str, String),
    /// As [`Self::NotAString`].
    #[error("Invalid request.\n\nFor 'properties/{0}', {1} is not an object.")]
    NotAnObjectField(&'static str, String),
    /// pome-sh/digital-twins#400.
    #[error("content is not valid Base64")]
    NotBase64,
    /// Enveloppe/obsidian-enveloppe#115.
    #[error("path cannot start with a slash")]
    LeadingSlash,
    /// eduardoboucas/staticman#68; GitHub docs, "Troubleshooting the REST API".
    #[error("path contains a malformed path component")]
    MalformedPath,
    /// GitHub docs, "Get a blob"; silvanocerza/github-gitless-sync#47.
    #[error("The sha parameter must be exactly 40 characters and contain only [0-9a-f].")]
    MalformedSha,
    /// The blob's sha is another one (pome-sh/digital-twins#400).
    #[error("{path} does not match {sha}")]
    ShaMismatch { path: String, sha: String },
    /// The branch moved between read and write (PyGithub/PyGithub#1787).
    #[error("is at {at} but expected {expected}")]
    TipMoved { at: Oid, expected: Oid },
    /// A ruleset refuses the commit (BobAnkh/auto-generate-changelog#78).
    #[error("Repository rule violations found\n\nChanges must be made through a pull request.\n\n")]
    Ruleset,
    /// Classic protection refuses the commit (BobAnkh/auto-generate-changelog#78).
    #[error(
        "Could not update file: 2 of 2 required status checks are expected. Changes must be made \
         through a pull request."
    )]
    RequiredChecks,
    /// Push protection: schema `repository-rule-violation-error` of GitHub's `OpenAPI` description.
    /// The text is not on public record; nothing should match it.
    #[error("Repository rule violations found\n\nSecret detected in content\n\n")]
    SecretDetected { token_type: &'static str },
    /// Over 100 MB (GitHub docs, "Get repository content").
    #[error(
        "This API returns blobs up to 100 MB in size. The requested blob is too large to fetch \
         via the API, but you can always clone the repository via Git in order to obtain it."
    )]
    TooLarge,
    /// GitHub had trouble.
    #[error("Server Error")]
    ServerError,
    /// This program had trouble: shown, so that a test fails with the reason.
    #[error("the look-alike failed: {0}")]
    Broken(#[from] GitError),
}

impl ApiError {
    /// The status of the answer.
    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::NotFound
            | Self::NoCommitForRef(_)
            | Self::NoCommonAncestor(..)
            | Self::BranchNotFound(_)
            | Self::IntegrationNotFound
            | Self::EmptyContents => StatusCode::NOT_FOUND,
            Self::BadCredentials
            | Self::RequiresAuthentication
            | Self::JwtUndecodable
            | Self::JwtExpired
            | Self::JwtTooLong
            | Self::JwtFromTheFuture => StatusCode::UNAUTHORIZED,
            Self::UnsupportedVersion(_) | Self::ProblemsParsingJson | Self::NotAnObject => {
                StatusCode::BAD_REQUEST
            }
            Self::NotAccessible
            | Self::NotAccessibleByIntegration
            | Self::InstallationSuspended
            | Self::InstallationRequired
            | Self::SamlEnforced
            | Self::LoginAttempts
            | Self::IpAllowList(_)
            | Self::TooLarge
            | Self::Archived => StatusCode::FORBIDDEN,
            Self::PrimaryLimit(_, status) | Self::SecondaryLimit(status, _) => *status,
            Self::NoCommitForSha(_)
            | Self::PermissionsNotGranted
            | Self::RepositoryNotInstalled
            | Self::NotSupplied(_)
            | Self::NotAString(..)
            | Self::NotAnObjectField(..)
            | Self::NotBase64
            | Self::LeadingSlash
            | Self::MalformedPath
            | Self::MalformedSha => StatusCode::UNPROCESSABLE_ENTITY,
            Self::EmptyRepository
            | Self::ShaMismatch { .. }
            | Self::TipMoved { .. }
            | Self::Ruleset
            | Self::RequiredChecks
            | Self::SecretDetected { .. } => StatusCode::CONFLICT,
            Self::ServerError => StatusCode::BAD_GATEWAY,
            Self::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The answer: `{message, documentation_url, status}`, the status being a string
    /// (pome-sh/digital-twins#400), with the additions some errors have.
    pub(crate) fn answer(&self, documentation: &str) -> Answer {
        let status = self.status();
        let mut body = Map::new();
        body.insert("message".to_owned(), self.to_string().into());
        body.extend(self.details().map(|(key, value)| (key.to_owned(), value)));
        body.insert(
            "documentation_url".to_owned(),
            self.page(documentation).into(),
        );
        body.insert("status".to_owned(), status.as_str().into());
        let mut answer = Answer::json(status, &Value::Object(body));
        answer.refusal = Some(self.into());
        if let Self::SamlEnforced = self {
            let page = "https://github.com/orgs/example/sso?authorization_request=0";
            answer.header("x-github-sso", &format!("required; url={page}"));
        }
        if let Self::SecondaryLimit(_, Some(seconds)) = self {
            answer.header("retry-after", &seconds.to_string());
        }
        answer
    }

    /// The member that only this error has.
    fn details(&self) -> Option<(&'static str, Value)> {
        if let Self::MalformedPath = self {
            let error = json!({"resource": "Commit", "field": "path", "code": "invalid"});
            return Some(("errors", json!([error])));
        }
        if let Self::TooLarge = self {
            let error = json!({"resource": "Blob", "field": "data", "code": "too_large"});
            return Some(("errors", json!([error])));
        }
        if let Self::SecretDetected { token_type } = self {
            let id = "2lookalike0placeholder00000";
            let placeholder = json!({"placeholder_id": id, "token_type": token_type});
            let metadata = json!({"secret_scanning": {"bypass_placeholders": [placeholder]}});
            return Some(("metadata", metadata));
        }
        None
    }

    /// The page about the error where it has one of its own; else the operation's.
    const fn page<'a>(&self, operation: &'a str) -> &'a str {
        if matches!(
            self,
            Self::BadCredentials | Self::UnsupportedVersion(_) | Self::LoginAttempts
        ) {
            "https://docs.github.com/rest"
        } else if matches!(self, Self::PrimaryLimit(..)) {
            "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"
        } else if matches!(self, Self::SecondaryLimit(..)) {
            "https://docs.github.com/free-pro-team@latest/rest/overview/\
             rate-limits-for-the-rest-api#about-secondary-rate-limits"
        } else {
            operation
        }
    }
}
