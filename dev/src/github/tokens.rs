//! The tokens the look-alike knows.
//!
//! None of them is a secret: they work against this server alone.

use sha2::{Digest as _, Sha256};

/// Read and write on the vault; the value in `.dev.vars.example`.
pub const FULL: &str = "github_pat_LOCAL0000000000000000_lookalike";
/// Reads the vault, may not write.
pub const READ_ONLY: &str = "github_pat_LOCAL0000000000000000_readonly";
/// Reaches the vault's metadata, not its contents.
pub const NO_CONTENTS: &str = "github_pat_LOCAL0000000000000000_nocontents";
/// Was good once.
pub const EXPIRED: &str = "github_pat_LOCAL0000000000000000_expired";
/// Reads and writes `example/other`, and does not see the vault.
pub const OTHER_REPOSITORY: &str = "github_pat_LOCAL0000000000000000_other";
/// Reads and writes every repository of its owner: more than a vault server should be given.
pub const EVERY_REPOSITORY: &str = "github_pat_LOCAL0000000000000000_every";

/// What a token may do with the contents of the repositories it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contents {
    /// Metadata only.
    None,
    /// `contents=read`.
    Read,
    /// `contents=write`.
    Write,
}

impl Contents {
    /// The value of `X-Accepted-GitHub-Permissions` for an operation that needs this.
    pub(crate) const fn permission(self) -> &'static str {
        match self {
            Self::None => "metadata=read",
            Self::Read => "contents=read",
            Self::Write => "contents=write",
        }
    }
}

/// Which repositories a token reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every repository of the look-alike.
    All,
    /// Those with these full names (`owner/name`).
    Only(Vec<String>),
}

/// A fine-grained personal access token, or one that an app bought for its installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The value sent in `Authorization`.
    pub value: String,
    /// What the request log calls it; the value is never logged.
    pub label: String,
    /// The user it belongs to. All tokens of a user share one hourly limit.
    pub login: String,
    /// The repositories it reaches; the others do not exist for it.
    pub reach: Reach,
    /// What it may do there.
    pub contents: Contents,
    /// Answered as a bad credential when false.
    pub valid: bool,
    /// The expiry that every answer names, e.g. `2027-12-31 00:00:00 UTC`.
    pub expires: Option<String>,
    /// When a token of the app ends, in seconds since 1970; `None` for a personal one.
    pub ends: Option<u64>,
}

impl Token {
    /// A valid token of the user `example` that reaches one repository.
    pub fn new(
        value: impl Into<String>,
        label: impl Into<String>,
        repository: impl Into<String>,
        contents: Contents,
    ) -> Self {
        Self {
            value: value.into(),
            label: label.into(),
            login: "example".to_owned(),
            reach: Reach::Only(vec![repository.into()]),
            contents,
            valid: true,
            expires: Some("2027-12-31 00:00:00 UTC".to_owned()),
            ends: None,
        }
    }

    /// Whether the repository exists for this token.
    #[must_use]
    pub fn reaches(&self, full_name: &str) -> bool {
        match &self.reach {
            Reach::All => true,
            Reach::Only(names) => names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(full_name)),
        }
    }

    /// What tells this token's entity tags from another's without showing it.
    pub(crate) fn fingerprint(&self) -> String {
        hex(&Sha256::digest(self.value.as_bytes()))
    }
}

/// The set a look-alike starts with: the constants of this module, `vault` being the repository
/// that the first ones reach and `other` a second one.
pub(crate) fn defaults(vault: &str, other: &str) -> Vec<Token> {
    let mut expired = Token::new(EXPIRED, "expired", vault, Contents::Write);
    expired.valid = false;
    let mut every = Token::new(EVERY_REPOSITORY, "every_repository", vault, Contents::Write);
    every.reach = Reach::All;
    vec![
        Token::new(FULL, "full", vault, Contents::Write),
        Token::new(READ_ONLY, "read_only", vault, Contents::Read),
        Token::new(NO_CONTENTS, "no_contents", vault, Contents::None),
        Token::new(OTHER_REPOSITORY, "other_repository", other, Contents::Write),
        expired,
        every,
    ]
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
