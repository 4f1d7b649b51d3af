//! What an installation of a GitHub App may reach, and that it is no more than a vault needs.
//!
//! The app's key can buy any right that the installation has. So the installation itself is held to
//! the vault: its repository and no other, its contents and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::time;
use crate::{runtime::Timestamp, secret::Secret, vault::storage::AppProblem};

/// What may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Right {
    /// Reading.
    Read,
    /// Reading and writing.
    Write,
}

/// `GET /app/installations/{installation_id}`.
#[derive(Debug, Deserialize)]
pub(super) struct InstallationAnswer {
    repository_selection: String,
    #[serde(default)]
    permissions: BTreeMap<String, String>,
    #[serde(default)]
    suspended_at: Option<String>,
}

impl InstallationAnswer {
    /// What the installation may do with contents, where it may do nothing else, and selects its
    /// repositories one by one.
    ///
    /// # Errors
    /// What has to be changed.
    pub(super) fn rights(&self) -> Result<Right, AppProblem> {
        if self.suspended_at.is_some() {
            return Err(AppProblem::Suspended);
        }
        if self.repository_selection != "selected" {
            return Err(AppProblem::EveryRepository);
        }
        let needed = |name: &str, right: &str| match name {
            "contents" => matches!(right, "read" | "write"),
            "metadata" => right == "read",
            _ => false,
        };
        let more: Vec<_> = self
            .permissions
            .iter()
            .filter(|(name, right)| !needed(name, right))
            .map(|(name, right)| format!("{name}: {right}"))
            .collect();
        if !more.is_empty() {
            return Err(AppProblem::ExtraPermissions(more.join(", ")));
        }
        match self.permissions.get("contents").map(String::as_str) {
            Some("write") => Ok(Right::Write),
            Some(_) => Ok(Right::Read),
            None => Err(AppProblem::NoContents),
        }
    }
}

/// `GET /installation/repositories`.
#[derive(Debug, Deserialize)]
pub(super) struct RepositoriesAnswer {
    total_count: u64,
    repositories: Vec<SelectedRepository>,
}

/// A repository that the installation selects.
#[derive(Debug, Deserialize)]
pub(super) struct SelectedRepository {
    pub(super) id: u64,
    pub(super) full_name: String,
}

impl RepositoriesAnswer {
    /// The one repository.
    ///
    /// # Errors
    /// [`AppProblem::OtherRepositories`] where there are more, or none.
    pub(super) fn only(&self) -> Result<&SelectedRepository, AppProblem> {
        match self.repositories.as_slice() {
            [only] if self.total_count == 1 => Ok(only),
            _ => Err(AppProblem::OtherRepositories),
        }
    }
}

/// The body of `POST /app/installations/{installation_id}/access_tokens`.
#[derive(Debug, Serialize)]
pub(super) struct TokenBody {
    /// The repositories that the token reaches; all that the installation selects where `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repository_ids: Option<[u64; 1]>,
    pub(super) permissions: TokenPermissions,
}

/// The rights of a token.
#[derive(Debug, Serialize)]
pub(super) struct TokenPermissions {
    metadata: Right,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Right>,
}

impl TokenPermissions {
    /// To see that a repository is there.
    pub(super) const fn metadata() -> Self {
        Self {
            metadata: Right::Read,
            contents: None,
        }
    }

    /// The same, and to get at its contents.
    pub(super) const fn with(contents: Right) -> Self {
        Self {
            metadata: Right::Read,
            contents: Some(contents),
        }
    }
}

/// The answer to that. GitHub's newer tokens are hundreds of characters long: nothing is assumed of
/// their form.
#[derive(Debug, Deserialize)]
pub(super) struct TokenAnswer {
    #[serde(deserialize_with = "secret")]
    pub(super) token: Secret,
    expires_at: String,
}

impl TokenAnswer {
    /// When the token ends; `None` where GitHub does not say it as it says times.
    pub(super) fn ends(&self) -> Option<Timestamp> {
        time::parse(&self.expires_at)
    }
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
    String::deserialize(deserializer).map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installation(json: &str) -> Result<Right, AppProblem> {
        serde_json::from_str::<InstallationAnswer>(json)
            .unwrap()
            .rights()
    }

    #[test]
    fn an_installation_is_taken_with_what_a_vault_needs_and_with_nothing_else() {
        let with = |permissions: &str| {
            installation(&format!(
                r#"{{"repository_selection":"selected","permissions":{permissions},"suspended_at":null}}"#
            ))
        };
        let more = |list: &str| Err(AppProblem::ExtraPermissions(list.to_owned()));
        for (permissions, expected) in [
            (
                r#"{"contents":"write","metadata":"read"}"#,
                Ok(Right::Write),
            ),
            (r#"{"contents":"write"}"#, Ok(Right::Write)),
            (r#"{"contents":"read","metadata":"read"}"#, Ok(Right::Read)),
            (r#"{"metadata":"read"}"#, Err(AppProblem::NoContents)),
            ("{}", Err(AppProblem::NoContents)),
            (
                r#"{"contents":"write","metadata":"read","workflows":"write"}"#,
                more("workflows: write"),
            ),
            (
                r#"{"contents":"write","issues":"read","administration":"read"}"#,
                more("administration: read, issues: read"),
            ),
            // Rights that GitHub may come to have.
            (
                r#"{"contents":"admin","metadata":"read"}"#,
                more("contents: admin"),
            ),
            (
                r#"{"contents":"write","metadata":"write"}"#,
                more("metadata: write"),
            ),
        ] {
            assert_eq!(with(permissions), expected, "{permissions}");
        }
    }

    #[test]
    fn an_installation_on_everything_or_suspended_is_refused_whatever_its_rights() {
        let rights = r#""permissions":{"contents":"write","metadata":"read"}"#;
        for (facts, expected) in [
            (
                r#""repository_selection":"all""#,
                AppProblem::EveryRepository,
            ),
            (
                r#""repository_selection":"some""#,
                AppProblem::EveryRepository,
            ),
            (
                r#""repository_selection":"selected","suspended_at":"2026-11-30T00:00:00Z""#,
                AppProblem::Suspended,
            ),
        ] {
            assert_eq!(
                installation(&format!("{{{facts},{rights}}}")),
                Err(expected)
            );
        }
    }

    #[test]
    fn one_repository_is_one_and_not_the_first_of_many() {
        let only = |json: &str| {
            let answer: RepositoriesAnswer = serde_json::from_str(json).unwrap();
            answer.only().map(|only| only.id).ok()
        };
        let one = r#"{"id":7,"full_name":"o/r"}"#;
        assert_eq!(
            only(&format!(r#"{{"total_count":1,"repositories":[{one}]}}"#)),
            Some(7)
        );
        for json in [
            r#"{"total_count":0,"repositories":[]}"#.to_owned(),
            format!(r#"{{"total_count":2,"repositories":[{one}]}}"#),
            format!(r#"{{"total_count":2,"repositories":[{one},{one}]}}"#),
        ] {
            assert_eq!(only(&json), None, "{json}");
        }
    }

    #[test]
    fn a_token_s_end_is_read_and_the_token_is_not_printed() {
        let answer = r#"{"token":"ghs_hunter2","expires_at":"2026-11-30T22:14:10Z"}"#;
        let answer: TokenAnswer = serde_json::from_str(answer).unwrap();
        let ends = Timestamp::from_unix_seconds(1_796_076_850);
        assert_eq!(answer.ends(), Some(ends));
        assert!(!format!("{answer:?}").contains("hunter2"));
    }
}
