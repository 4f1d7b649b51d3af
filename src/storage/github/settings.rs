//! Which repository holds the vault, and how to reach it.

use std::fmt;

use url::Url;

use super::credential::Credential;

/// A name that GitHub or git would not accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Not the login of a user or an organization.
    #[error("not a GitHub account name: expected letters, digits and single hyphens, at most 39")]
    Owner,
    /// Not the name of a repository.
    #[error(
        "not a GitHub repository name: expected letters, digits, `-`, `_` and `.`, at most 100"
    )]
    Repo,
    /// Not the name of a branch.
    #[error("not a git branch name")]
    Branch,
}

/// The ending that git keeps for its lock files.
const LOCK_SUFFIX: &str = ".lock";

/// The account that owns the repository.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OwnerName(String);

/// The repository's name, without its owner.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RepoName(String);

/// A branch, without `refs/heads/`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BranchName(String);

impl OwnerName {
    /// Parses a login. An underscore is taken too: managed users have one before their suffix.
    ///
    /// # Errors
    /// [`InvalidName::Owner`].
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let fits = (1..=39).contains(&text.len()) && text.bytes().all(inner);
        let hyphens = text.starts_with('-') || text.contains("--");
        if fits && !hyphens {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidName::Owner)
        }
    }
}

impl RepoName {
    /// Parses a repository's name.
    ///
    /// # Errors
    /// [`InvalidName::Repo`].
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let fits = (1..=100).contains(&text.len()) && text.bytes().all(inner);
        if fits && text != "." && text != ".." {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidName::Repo)
        }
    }
}

impl BranchName {
    /// Parses a branch name by the rules of `git check-ref-format --branch`.
    ///
    /// # Errors
    /// [`InvalidName::Branch`].
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let forbidden = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
        let component =
            |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(LOCK_SUFFIX);
        let refused = text.len() > 244
            || text == "@"
            || text == "HEAD"
            || text.starts_with('-')
            || text.ends_with('.')
            || text.contains("..")
            || text.contains("@{")
            || text.contains(forbidden)
            || !text.split('/').all(component);
        if refused {
            Err(InvalidName::Branch)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

/// What the three names have in common: they read and print as plain text.
macro_rules! plain_text {
    ($($name:ident)*) => {$(
        impl $name {
            /// The name as GitHub spells it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), self.0)
            }
        }
    )*};
}

plain_text!(OwnerName RepoName BranchName);

/// The repository that holds the vault.
#[derive(Clone, Debug)]
pub struct GithubRepository {
    /// Who owns it.
    pub owner: OwnerName,
    /// Its name.
    pub repo: RepoName,
    /// The branch that is the vault; the repository's default branch where `None`.
    pub branch: Option<BranchName>,
    /// What reaches this repository's contents.
    pub credential: Credential,
    /// Root of the REST API: `https://api.github.com`, or `https://HOST/api/v3`.
    pub api_url: Url,
    /// Root of the pages that people look at: `https://github.com`, or `https://HOST`.
    pub web_url: Url,
}

impl GithubRepository {
    /// The repository's path below the API's root.
    pub(super) fn api_path(&self) -> String {
        format!("repos/{}/{}", self.owner, self.repo)
    }

    /// The page that shows a commit.
    #[must_use]
    pub fn commit_page(&self, commit: &crate::vault::storage::CommitId) -> String {
        let root = self.web_url.as_str().trim_end_matches('/');
        format!("{root}/{}/{}/commit/{commit}", self.owner, self.repo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_and_repository_names_cannot_reach_into_the_path() {
        for text in ["octocat", "a", "a-b", "octo_corp", &"a".repeat(39)] {
            assert_eq!(OwnerName::parse(text).unwrap().as_str(), text);
        }
        for text in [
            "",
            "-a",
            "a--b",
            "a/b",
            "a b",
            "ä",
            "..",
            "a%2e",
            &"a".repeat(40),
        ] {
            assert_eq!(OwnerName::parse(text), Err(InvalidName::Owner), "{text:?}");
        }
        for text in ["vault", ".github", "a.b_c-d", "-"] {
            assert_eq!(RepoName::parse(text).unwrap().as_str(), text);
        }
        for text in ["", ".", "..", "a/b", "a?b", "a#b", "ü", &"a".repeat(101)] {
            assert_eq!(RepoName::parse(text), Err(InvalidName::Repo), "{text:?}");
        }
    }

    #[test]
    fn branch_names_follow_git() {
        for text in [
            "main",
            "feature/x",
            "größe",
            "a.b",
            "v1.0-rc",
            "a@b",
            "dependabot/npm/x-1.2",
        ] {
            assert_eq!(BranchName::parse(text).unwrap().as_str(), text);
        }
        for text in [
            "", "-x", "/x", "x/", "a//b", ".x", "a/.x", "x.lock", "a.lock/b", "x.", "a..b", "a b",
            "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b", "a\u{7f}b", "@", "a@{b",
        ] {
            assert_eq!(
                BranchName::parse(text),
                Err(InvalidName::Branch),
                "{text:?}"
            );
        }
    }
}
