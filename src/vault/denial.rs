//! Why upstream refuses, where somebody has to change a setting.

use serde::{Deserialize, Serialize};

/// Why upstream refuses. Each has one remedy, which is a setting somebody has to change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Denial {
    /// The vault token is wrong, expired or revoked.
    #[error("the vault token is wrong, expired or revoked")]
    BadCredentials,
    /// Too many requests came with a wrong token: for a while, a right one is refused too.
    #[error("locked out after too many wrong tokens")]
    LockedOut,
    /// The token does not reach the repository, or there is no such repository.
    #[error("the repository is missing or the vault token does not reach it")]
    RepositoryNotFound,
    /// The configured branch does not exist.
    #[error("the branch does not exist")]
    BranchNotFound,
    /// The token may not do this.
    #[error("the vault token lacks a permission")]
    MissingPermission,
    /// The repository is archived.
    #[error("the repository is archived")]
    Archived,
    /// Upstream has closed the repository, for its terms or the law.
    #[error("the repository is blocked")]
    Blocked,
    /// The branch does not take direct commits.
    #[error("the branch is protected")]
    ProtectedBranch,
    /// A rule of the repository refuses the commit; the text says which, never what was written.
    #[error("a repository rule refuses the commit: {0}")]
    RuleViolation(String),
    /// Push protection found a secret in the note; the kinds of secret found.
    #[error("push protection found a secret: {0}")]
    SecretFound(String),
    /// The organization wants single sign-on for this token.
    #[error("the organization requires single sign-on for the vault token")]
    SingleSignOn,
    /// The organization lets in only addresses that it lists.
    #[error("the organization's list of allowed addresses does not hold this server's")]
    AddressNotAllowed,
    /// The GitHub App that stands for a token gets none, or may do more than a vault needs.
    #[error("{0}")]
    App(AppProblem),
}

/// What is wrong with a GitHub App that stands for the vault token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AppProblem {
    /// Its number or its key is wrong, or the key was deleted.
    #[error("the app's id or key is wrong")]
    BadKey,
    /// This server's clock and upstream's differ by minutes: what the app signs is from the future, or
    /// too old.
    #[error("the server's clock is wrong")]
    WrongClock,
    /// It has no such installation.
    #[error("the app has no such installation")]
    NotInstalled,
    /// Its installation is suspended.
    #[error("the app's installation is suspended")]
    Suspended,
    /// It is installed on all repositories of an account.
    #[error("the app is installed on all repositories")]
    EveryRepository,
    /// It is installed on another repository than the vault's, or on more than that.
    #[error("the app is installed on other repositories than the vault's")]
    OtherRepositories,
    /// It may do more than a vault needs; the rights that are too many.
    #[error("the app has rights that the vault does not need: {0}")]
    ExtraPermissions(String),
    /// It may not get at contents.
    #[error("the app has no right to contents")]
    NoContents,
}

impl Denial {
    /// Whether upstream no longer knows the server: whoever takes the credential away takes the
    /// notes away too. An app that upstream does not let speak may have been taken away meanwhile.
    #[must_use]
    pub const fn ends_access(&self) -> bool {
        match self {
            Self::BadCredentials | Self::RepositoryNotFound | Self::App(_) => true,
            Self::LockedOut
            | Self::BranchNotFound
            | Self::MissingPermission
            | Self::Archived
            | Self::Blocked
            | Self::ProtectedBranch
            | Self::RuleViolation(_)
            | Self::SecretFound(_)
            | Self::SingleSignOn
            | Self::AddressNotAllowed => false,
        }
    }
}
