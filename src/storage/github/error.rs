//! What a refusal of GitHub means: one pure function from status, headers and body.
//!
//! GitHub tells many cases of one status apart only by its English text, so the texts are matched
//! here, once, and held by a table of tests. Sources: GitHub's REST documentation ("Repository
//! contents", "Git database", "Rate limits for the REST API", "Troubleshooting the REST API") and,
//! where it is silent, answers recorded in public issues.

use std::time::Duration;

use http::{HeaderMap, StatusCode, header};

use super::model::ErrorBody;
use crate::{
    runtime::Timestamp,
    vault::storage::{AppProblem, Denial, StorageError},
};

/// How long to wait where GitHub limits the rate and does not say for how long.
const DEFAULT_WAIT: Duration = Duration::from_mins(1);

/// What a secret is called whose kind is not said.
const UNNAMED_SECRET: &str = "of a kind that GitHub does not name";

/// The most characters of GitHub's own text that are passed on.
const TEXT_LIMIT: usize = 300;

/// Why GitHub did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::storage) enum Refusal {
    /// The sent blob id is not the file's: it has changed.
    ShaMismatch,
    /// No blob id was sent, and there is a file.
    ShaMissing,
    /// Another commit moved the branch in the same moment. Nothing was changed.
    TipMoved,
    /// The repository has no commit.
    EmptyRepository,
    /// What stands at the path is larger than the endpoint gives out.
    TooLarge,
    /// 404: which of the things in the request is missing, or out of the token's reach, is not said.
    Missing,
    /// No whole answer, or a failure of GitHub's. Of a change, the outcome is unknown.
    NoOutcome,
    /// Anything that means the same whatever was asked.
    Final(StorageError),
}

impl From<Refusal> for StorageError {
    /// The meaning of a refusal where only reading was asked for. A change gives the other variants
    /// a meaning of their own before it comes to this.
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Final(error) => error,
            Refusal::NoOutcome => Self::Unavailable {
                outcome_unknown: false,
            },
            Refusal::ShaMismatch | Refusal::ShaMissing | Refusal::TipMoved => {
                Self::Unexpected("a conflict where nothing was changed".to_owned())
            }
            Refusal::EmptyRepository => Self::Unexpected("the repository is empty".to_owned()),
            Refusal::TooLarge => Self::Unexpected("too large for the endpoint".to_owned()),
            Refusal::Missing => Self::Unexpected("404 for an object named by its id".to_owned()),
        }
    }
}

/// Says what an answer that is no success means. `now` is the time of the answer.
///
/// What stands before GitHub's API, and the API before it knows the caller, answer in plain text.
pub(super) fn classify(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    now: Timestamp,
) -> Refusal {
    let error = serde_json::from_slice(body).unwrap_or_else(|_| ErrorBody {
        message: String::from_utf8_lossy(body).into_owned(),
        ..ErrorBody::default()
    });
    let message = error.message.as_str();
    match status.as_u16() {
        401 if blames_the_clock(message) => denied(Denial::App(AppProblem::WrongClock)),
        401 => denied(Denial::BadCredentials),
        403 | 429 => forbidden(status, headers, &error, now),
        404 if message.contains("Integration not found") => denied(Denial::App(AppProblem::BadKey)),
        404 if message.contains("repository is empty") => Refusal::EmptyRepository,
        404 => Refusal::Missing,
        408 | 500..=599 => Refusal::NoOutcome,
        409 | 422 => conflict(status, &error),
        451 => denied(Denial::Blocked),
        400..=499 => rejected(status, message),
        _ => unexpected(status, message),
    }
}

/// Whether a JSON Web Token is refused for its times, which are right by this server's clock: it was
/// issued in GitHub's future (probot/probot#967, github/docs#4155), ends too late
/// (octokit/auth-app.js#698) or is over (sigmavirus24/github3.py#1050).
fn blames_the_clock(message: &str) -> bool {
    ["claim ('iat')", "claim ('exp')"]
        .iter()
        .any(|claim| message.contains(claim))
}

/// What a refusal means where an app asks for a token: there is no repository in such a request, and
/// its credential is a token of the app's own making.
pub(super) fn app_refusal(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Missing => denied(Denial::App(AppProblem::NotInstalled)),
        Refusal::Final(StorageError::Denied(Denial::BadCredentials)) => {
            denied(Denial::App(AppProblem::BadKey))
        }
        Refusal::ShaMismatch
        | Refusal::ShaMissing
        | Refusal::TipMoved
        | Refusal::EmptyRepository
        | Refusal::TooLarge
        | Refusal::NoOutcome
        | Refusal::Final(_) => refusal,
    }
}

/// 403 and 429: a rate limit, or a right that is missing.
fn forbidden(
    status: StatusCode,
    headers: &HeaderMap,
    error: &ErrorBody,
    now: Timestamp,
) -> Refusal {
    let message = error.message.as_str();
    let says = |words: &str| message.to_ascii_lowercase().contains(words);
    // Before the limits: it says when to come back, and a right token is what it takes.
    if says("number of login attempts exceeded") {
        return denied(Denial::LockedOut);
    }
    if let Some(retry_after) = wait(status, headers, message, now) {
        return Refusal::Final(StorageError::RateLimited { retry_after });
    }
    let sso = headers
        .get("x-github-sso")
        .is_some_and(|value| value.as_bytes().starts_with(b"required"));
    if sso || says("saml enforcement") {
        denied(Denial::SingleSignOn)
    } else if says("ip allow list") {
        denied(Denial::AddressNotAllowed)
    } else if says("installation") && says("suspended") {
        denied(Denial::App(AppProblem::Suspended))
    } else if says("archived") {
        denied(Denial::Archived)
    } else if says("access blocked") {
        denied(Denial::Blocked)
    } else if error.errors.iter().any(|error| error.code == "too_large") {
        Refusal::TooLarge
    } else if says("not authorized to push") || says("protected branch") {
        denied(Denial::ProtectedBranch)
    } else if says("administrative rules") {
        // A request without User-Agent: a defect here, no setting of anybody's.
        rejected(status, message)
    } else {
        denied(Denial::MissingPermission)
    }
}

/// How long GitHub wants its client to stay away, where this answer is about that.
fn wait(
    status: StatusCode,
    headers: &HeaderMap,
    message: &str,
    now: Timestamp,
) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    if let Some(seconds) = number(header::RETRY_AFTER.as_str()) {
        return Some(Duration::from_secs(seconds.max(1)));
    }
    if number("x-ratelimit-remaining") == Some(0) {
        let reset =
            number("x-ratelimit-reset").map(|reset| reset.saturating_sub(now.unix_seconds()));
        return Some(reset.map_or(DEFAULT_WAIT, |seconds| Duration::from_secs(seconds.max(1))));
    }
    let said = message.to_ascii_lowercase().contains("rate limit");
    (said || status == StatusCode::TOO_MANY_REQUESTS).then_some(DEFAULT_WAIT)
}

/// 409 and 422: the request does not fit the branch as it is, or a rule forbids it.
fn conflict(status: StatusCode, error: &ErrorBody) -> Refusal {
    let message = error.message.as_str();
    let says = |words: &str| message.to_ascii_lowercase().contains(words);
    if let Some(kinds) = secret_kinds(error) {
        denied(Denial::SecretFound(kinds))
    } else if names_other_blob(message) {
        Refusal::ShaMismatch
    } else if message.contains("\"sha\" wasn't supplied") {
        Refusal::ShaMissing
    } else if (message.contains("is at ") && message.contains(" but expected "))
        || message.contains("expected to be at ")
        || says("is not a fast forward")
    {
        Refusal::TipMoved
    } else if message.starts_with("No commit found for SHA") {
        Refusal::Missing
    } else if message.contains("Repository is empty") {
        Refusal::EmptyRepository
    } else if says("rule violations") {
        denied(Denial::RuleViolation(one_line(message)))
    } else if message.starts_with("Could not ") && message.contains(" file:")
        || says("protected branch")
        || says("not authorized to push")
    {
        denied(Denial::ProtectedBranch)
    } else if says("path cannot start with") || says("malformed path component") {
        Refusal::Final(StorageError::PathRefused)
    } else {
        rejected(status, message)
    }
}

/// The kinds of secret that push protection found, where it is that which refuses. Its text is not
/// passed on: it may quote what was found.
fn secret_kinds(error: &ErrorBody) -> Option<String> {
    let scanning = error
        .metadata
        .as_ref()
        .and_then(|metadata| metadata.secret_scanning.as_ref());
    let message = error.message.to_ascii_lowercase();
    let said = message.contains("secret detected") || message.contains("cannot contain secrets");
    if scanning.is_none() && !said {
        return None;
    }
    let found = scanning.map_or(&[][..], |scanning| &scanning.bypass_placeholders);
    let kinds: Vec<_> = found
        .iter()
        .map(|found| found.token_type.as_str())
        .collect();
    let kinds = one_line(&kinds.join(", "));
    Some(if kinds.is_empty() {
        UNNAMED_SECRET.to_owned()
    } else {
        kinds
    })
}

/// Whether the text ends in `does not match <blob id>`. The path before it is the caller's: a note
/// may be called anything, so only the end counts.
fn names_other_blob(message: &str) -> bool {
    message
        .trim_end()
        .rsplit_once(' ')
        .is_some_and(|(before, sha)| before.ends_with(" does not match") && !sha.is_empty())
}

/// The refusal that a setting is the reason of.
pub(super) fn denied(denial: Denial) -> Refusal {
    Refusal::Final(StorageError::Denied(denial))
}

fn unexpected(status: StatusCode, message: &str) -> Refusal {
    Refusal::Final(StorageError::Unexpected(logged(status, message)))
}

/// The refusal of a request that GitHub would not have, whatever anybody's settings.
fn rejected(status: StatusCode, message: &str) -> Refusal {
    Refusal::Final(StorageError::Rejected(logged(status, message)))
}

/// An answer in one line of the log.
fn logged(status: StatusCode, message: &str) -> String {
    format!("{}: {}", status.as_u16(), one_line(message))
}

/// GitHub's text on one line, cut to a length that fits a sentence.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words
        .chars()
        .filter(|c| !c.is_control())
        .take(TEXT_LIMIT)
        .collect()
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
