//! What a request must pass before its operation: headers, credentials, limits, permissions.

use std::sync::Arc;

use axum::http::{Method, StatusCode};

use super::answer::Answer;
use super::error::ApiError;
use super::limits::{RateState, epoch_seconds};
use super::request::ApiRequest;
use super::route::Operation;
use super::state::State;
use super::switches::{Forbidden, Switches};
use super::tokens::Token;
use super::wire;

/// The versions that `X-GitHub-Api-Version` may name (GitHub docs, "API Versions").
const VERSIONS: [&str; 2] = ["2022-11-28", "2026-03-10"];

/// The refusal of a request without `User-Agent`, in plain text and before anything else
/// (unjs/unstorage#643, Thinkmill/keystatic#1483: a Worker's fetch sends none).
pub(super) fn no_user_agent() -> Answer {
    let text = "Request forbidden by administrative rules. Please make sure your request has a \
                User-Agent header (https://docs.github.com/rest/using-the-rest-api/\
                getting-started-with-the-rest-api#user-agent). Check \
                https://developer.github.com for other possible causes.\n";
    Answer::of(StatusCode::FORBIDDEN, "text/html; charset=utf-8", text)
}

/// Who asks. Both `Bearer` and `token` are schemes (GitHub docs, "Authenticating to the REST
/// API"); a bad credential is 401 even where none is needed.
pub(super) fn authenticate(
    state: &State,
    request: &ApiRequest,
) -> Result<Option<Arc<Token>>, ApiError> {
    let token = match request.credentials() {
        None => None,
        Some((scheme, value)) => {
            let refused = state.switches().unauthorized.take();
            let now = state.now();
            let known = state
                .token(value)
                .filter(|token| token.valid && token.ends.is_none_or(|ends| now < ends));
            let scheme = matches!(scheme.as_str(), "bearer" | "token");
            Some(
                known
                    .filter(|_| scheme && !refused)
                    .ok_or(ApiError::BadCredentials)?,
            )
        }
    };
    if token.as_ref().is_some_and(|token| token.ends.is_some()) {
        let installation = state.app.installation();
        if installation.uninstalled {
            return Err(ApiError::BadCredentials);
        }
        if installation.suspended {
            return Err(ApiError::InstallationSuspended);
        }
    }
    match request.header("x-github-api-version") {
        Some(version) if !VERSIONS.contains(&version) => {
            Err(ApiError::UnsupportedVersion(version.to_owned()))
        }
        _ => Ok(token),
    }
}

/// Primary and secondary limits (GitHub docs, "Rate limits for the REST API").
pub(super) fn limited(
    state: &State,
    request: &ApiRequest,
    user: Option<&str>,
    mut rate: RateState,
) -> Result<(), (ApiError, RateState)> {
    let mut switches = state.switches();
    let status = |code: u16| StatusCode::from_u16(code).unwrap_or(StatusCode::FORBIDDEN);
    let id = wire::user_id(user.unwrap_or_default());
    if let Some(limit) = switches.primary_limit {
        rate.used = rate.limit;
        rate.reset = epoch_seconds() + limit.reset_in;
        return Err((ApiError::PrimaryLimit(id, status(limit.status)), rate));
    }
    if rate.remaining() == 0 {
        return Err((ApiError::PrimaryLimit(id, StatusCode::FORBIDDEN), rate));
    }
    let writes = !matches!(request.method, Method::GET | Method::HEAD);
    if let Some(limit) = &mut switches.secondary_limit
        && (writes || !limit.writes_only)
        && limit.times.take()
    {
        let error = ApiError::SecondaryLimit(status(limit.status), limit.retry_after);
        return Err((error, rate));
    }
    Ok(())
}

/// The refusal of a token that lacks the permission.
const fn not_accessible(token: &Token) -> ApiError {
    if token.ends.is_some() {
        ApiError::NotAccessibleByIntegration
    } else {
        ApiError::NotAccessible
    }
}

/// Whether the token may do this to the repository.
pub(super) fn admit(
    state: &State,
    token: &Token,
    full_name: &str,
    operation: &Operation,
) -> Result<(), ApiError> {
    let mut switches = state.switches();
    match switches.forbidden {
        None => {}
        Some(Forbidden::Permission) => return Err(not_accessible(token)),
        Some(Forbidden::Sso) => return Err(ApiError::SamlEnforced),
        Some(Forbidden::LoginAttempts) => return Err(ApiError::LoginAttempts),
        Some(Forbidden::IpAllowList) => {
            let owner = full_name.split('/').next().unwrap_or_default();
            return Err(ApiError::IpAllowList(owner.to_owned()));
        }
    }
    if token.contents < operation.needs() {
        let hidden = operation.writes() && switches.not_found_for_permission;
        return Err(if hidden {
            ApiError::NotFound
        } else {
            not_accessible(token)
        });
    }
    if operation.writes() && Switches::lists(&switches.archived, full_name) {
        return Err(ApiError::Archived);
    }
    if !operation.writes() && switches.fail_reads.take() {
        return Err(ApiError::ServerError);
    }
    Ok(())
}
