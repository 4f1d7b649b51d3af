//! Switches that make the look-alike fail the way GitHub fails.
//!
//! They can be set in-process or over HTTP (`PUT /__control/switches`), where absent keys mean
//! "off". A new switch is a field here and one question in the place that it changes.

use serde::{Deserialize, Serialize};

use super::webhook::WebhookTarget;

/// How often a fault still happens. In JSON: `false`, `true`, or the number of times left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "TimesJson", into = "TimesJson")]
pub enum Times {
    /// Not at all.
    #[default]
    Never,
    /// On the next `n` occasions.
    Next(u32),
    /// Until switched off.
    Always,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum TimesJson {
    Ever(bool),
    Count(u32),
}

impl From<TimesJson> for Times {
    fn from(json: TimesJson) -> Self {
        match json {
            TimesJson::Ever(false) | TimesJson::Count(0) => Self::Never,
            TimesJson::Ever(true) => Self::Always,
            TimesJson::Count(count) => Self::Next(count),
        }
    }
}

impl From<Times> for TimesJson {
    fn from(times: Times) -> Self {
        match times {
            Times::Never => Self::Ever(false),
            Times::Always => Self::Ever(true),
            Times::Next(count) => Self::Count(count),
        }
    }
}

impl Times {
    /// Whether the fault happens now; uses up one of the times left.
    pub(crate) const fn take(&mut self) -> bool {
        match *self {
            Self::Never => false,
            Self::Always => true,
            Self::Next(count) => {
                *self = if count > 1 {
                    Self::Next(count - 1)
                } else {
                    Self::Never
                };
                count > 0
            }
        }
    }
}

/// How far answers that depend on a branch trail behind its tip.
///
/// GitHub can answer with the previous commit for some seconds after a push: rancher/fleet#4845,
/// LLNL/hubcast#126.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefLag {
    /// Answer with what the tip was this long ago.
    Milliseconds(u64),
    /// Answer the next `n` requests with the tip before the last move.
    Reads(u32),
}

/// The hourly limit is used up: 403 (or 429) with `x-ratelimit-remaining: 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrimaryLimit {
    /// 403 or 429: GitHub documents both.
    pub status: u16,
    /// Seconds until `x-ratelimit-reset`.
    pub reset_in: u64,
}

impl Default for PrimaryLimit {
    fn default() -> Self {
        Self {
            status: 403,
            reset_in: 600,
        }
    }
}

/// A secondary limit: 403 (or 429) with or without `retry-after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecondaryLimit {
    /// 403 or 429: GitHub documents both.
    pub status: u16,
    /// Seconds in `retry-after`; `None` leaves the header out.
    pub retry_after: Option<u64>,
    /// Which requests meet it.
    pub times: Times,
    /// Spare reads: limits on making content do not stop them.
    pub writes_only: bool,
}

impl Default for SecondaryLimit {
    fn default() -> Self {
        Self {
            status: 403,
            retry_after: Some(60),
            times: Times::Always,
            writes_only: false,
        }
    }
}

/// Why the branch refuses a direct commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleViolation {
    /// A ruleset (BobAnkh/auto-generate-changelog#78).
    Ruleset,
    /// Classic branch protection with required status checks.
    RequiredChecks,
}

/// Why every request to the repository is forbidden, each with its own 403.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forbidden {
    /// The token lacks the permission.
    Permission,
    /// The organisation wants single sign-on (github/github-mcp-server#1121).
    Sso,
    /// Too many bad credentials came from this address.
    LoginAttempts,
    /// The address is not on the organisation's allow list.
    IpAllowList,
}

/// At which point a request stops for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HangPoint {
    /// Before anything is looked at.
    #[default]
    Request,
    /// A write, before its commit.
    BeforeCommit,
    /// A write, after its commit: the caller cannot know.
    AfterCommit,
}

/// A request that is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hang {
    /// Where it stops.
    pub at: HangPoint,
    /// Which requests stop.
    pub times: Times,
    /// Goes on after this long; `None` is never.
    pub milliseconds: Option<u64>,
}

impl Default for Hang {
    fn default() -> Self {
        Self {
            at: HangPoint::Request,
            times: Times::Always,
            milliseconds: None,
        }
    }
}

/// A tarball that ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CutTarball {
    /// Compressed bytes that still arrive.
    pub after_bytes: u64,
    /// End the response as if it were whole; otherwise the connection breaks.
    #[serde(default)]
    pub clean: bool,
}

/// All switches. The default is GitHub on a good day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Switches {
    /// Branch reads trail behind.
    pub ref_lag: Option<RefLag>,
    /// Writes lose a race: another device's commit reaches the branch first.
    pub tip_race: Times,
    /// Entries after which a recursive tree is cut; GitHub's own caps hold without it.
    pub tree_truncate_at: Option<usize>,
    /// Files in a comparison instead of 300.
    pub compare_cap: Option<usize>,
    /// Entries in a folder's listing instead of 1,000.
    pub listing_cap: Option<usize>,
    /// The hourly limit is used up.
    pub primary_limit: Option<PrimaryLimit>,
    /// A secondary limit applies.
    pub secondary_limit: Option<SecondaryLimit>,
    /// The branch refuses direct commits.
    pub rule_violation: Option<RuleViolation>,
    /// Push protection refuses content that holds something like a token.
    pub secret_scanning: bool,
    /// Full names of archived repositories.
    pub archived: Vec<String>,
    /// Repositories that were renamed: `[old full name, new full name]`.
    pub renamed: Vec<(String, String)>,
    /// Full names of repositories that do not exist.
    pub missing: Vec<String>,
    /// Every credential is refused.
    pub unauthorized: Times,
    /// Every request to a repository is forbidden.
    pub forbidden: Option<Forbidden>,
    /// A write without permission gets 404, not 403 (octokit/octokit.js#2415).
    pub not_found_for_permission: bool,
    /// Reads fail with a 502.
    pub fail_reads: Times,
    /// An app's own requests fail with a 502.
    pub fail_app: Times,
    /// Writes fail with a 502 and leave no commit.
    pub fail_before_commit: Times,
    /// Writes fail with a 502 although the commit was made.
    pub fail_after_commit: Times,
    /// Requests are not answered.
    pub hang: Option<Hang>,
    /// Tarballs end early.
    pub cut_tarball: Option<CutTarball>,
    /// The tarball endpoint refuses `Bearer` and takes `token` only (unjs/giget#263).
    pub tarball_refuses_bearer: bool,
    /// Pushes and writes are told of here.
    pub webhook: Option<WebhookTarget>,
}

impl Switches {
    /// Whether a request hangs at this point; uses up one of the times left.
    pub(crate) fn take_hang(&mut self, at: HangPoint) -> Option<Hang> {
        let hang = self.hang.as_mut().filter(|hang| hang.at == at)?;
        hang.times.take().then_some(*hang)
    }

    /// Whether the list of full names holds this one; names are compared as GitHub does, without
    /// regard to case.
    pub(crate) fn lists(names: &[String], full_name: &str) -> bool {
        names
            .iter()
            .any(|name| name.eq_ignore_ascii_case(full_name))
    }
}
