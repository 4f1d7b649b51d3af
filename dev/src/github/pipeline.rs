//! What every request goes through before and after its operation.
//!
//! 1. `User-Agent` (403), credentials (401), version (400);
//! 2. limits (403, 429);
//! 3. the repository exists for this token (404), goes by this name (301, 307), and the token may
//!    do this there (403);
//! 4. the operation;
//! 5. `ETag` and 304, the count against the hourly limit, the headers of every answer.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::IF_NONE_MATCH;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::answer::{Answer, AnswerBody, Validator};
use super::call::{Call, hang};
use super::control;
use super::endpoints;
use super::error::ApiError;
use super::limits::{RateState, epoch_seconds};
use super::log::LoggedRequest;
use super::request::ApiRequest;
use super::route::{Operation, Route};
use super::state::{Found, State};
use super::switches::{Forbidden, HangPoint, Switches};
use super::tokens::{Token, hex};
use super::web;
use super::wire::{self, Links};

/// Larger bodies are refused: GitHub's own cap on a file is 100 MB, in base64.
const BODY_CAP: usize = 140 * 1024 * 1024;

/// The versions that `X-GitHub-Api-Version` may name (GitHub docs, "API Versions").
const VERSIONS: [&str; 2] = ["2022-11-28", "2026-03-10"];

/// Where errors outside an operation point.
const REST_DOCS: &str = "https://docs.github.com/rest";

/// Answers a request. It runs to its end even when the client goes away, as GitHub's servers do:
/// a write whose answer nobody waits for is still made.
pub(super) async fn serve(state: Arc<State>, request: Request) -> Response {
    let task = tokio::spawn(async move { serve_to_end(&state, request).await });
    task.await.unwrap_or_else(|_| {
        Answer::json(
            StatusCode::INTERNAL_SERVER_ERROR,
            &json!({"message": "panicked"}),
        )
        .into_response()
    })
}

async fn serve_to_end(state: &State, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, BODY_CAP).await else {
        return Response::new(Body::empty());
    };
    let request = ApiRequest {
        method: parts.method,
        uri: parts.uri,
        headers: parts.headers,
        body,
    };
    if let Some(answer) = control::serve(state, &request).await {
        return answer.into_response();
    }
    let number = state.log.open(logged(state, &request));
    let elsewhere = match endpoints::codeload(state, &request).await {
        None => web::serve(state, &request).await,
        download => download,
    };
    if let Some(result) = elsewhere {
        let answer = result.unwrap_or_else(|error| error.answer(REST_DOCS));
        state.log.close(number, answer.status.as_u16(), false);
        return answer.into_response();
    }
    hang(state, HangPoint::Request).await;
    let (answer, counted) = api(state, &request).await;
    state.log.close(number, answer.status.as_u16(), counted);
    answer.into_response()
}

fn logged(state: &State, request: &ApiRequest) -> LoggedRequest {
    let credentials = request.credentials();
    let token = credentials.as_ref().map(|(_, value)| {
        let known = state.tokens.iter().find(|token| token.value == *value);
        known.map_or_else(|| "unknown".to_owned(), |token| token.label.clone())
    });
    let path = request.uri.path();
    let shown = match request.uri.query() {
        Some(query) if !query.starts_with("token=") => format!("{path}?{query}"),
        _ => path.to_owned(),
    };
    LoggedRequest {
        number: 0,
        method: request.method.to_string(),
        path: shown,
        status: None,
        counted: false,
        user_agent: request.user_agent().map(str::to_owned),
        token,
        authorization: credentials.map(|(scheme, _)| scheme),
        conditional: request.headers.contains_key(IF_NONE_MATCH),
    }
}

/// Answers a request to the API; says also whether it counts.
async fn api(state: &State, request: &ApiRequest) -> (Answer, bool) {
    // A plain-text refusal before anything else (unjs/unstorage#643, Thinkmill/keystatic#1483).
    if request.user_agent().is_none() {
        let text = "Request forbidden by administrative rules. Please make sure your request has a \
                    User-Agent header (https://docs.github.com/rest/using-the-rest-api/\
                    getting-started-with-the-rest-api#user-agent). Check \
                    https://developer.github.com for other possible causes.\n";
        return (
            Answer::of(StatusCode::FORBIDDEN, "text/html; charset=utf-8", text),
            false,
        );
    }
    let route = Route::parse(&request.method, request.uri.path());
    let token = match authenticate(state, request) {
        Ok(token) => token,
        Err(error) => return (dressed(error.answer(REST_DOCS), request, None, None), false),
    };
    let user = token.map(|token| token.login.as_str());
    let documentation = match &route {
        Some(Route::Repository { operation, .. }) => operation.documentation(),
        _ => REST_DOCS,
    };
    let rate = state.limits.state(user);
    let result = match limited(state, request, user, rate) {
        Ok(()) => answer(state, request, route.as_ref(), token).await,
        Err((error, rate)) => {
            let answer = error.answer(documentation);
            return (dressed(answer, request, token, Some(rate)), false);
        }
    };
    let mut answer = result.unwrap_or_else(|error| error.answer(documentation));
    if let Some(Route::Repository { operation, .. }) = &route {
        answer.header(
            "x-accepted-github-permissions",
            operation.needs().permission(),
        );
    }
    validate(&mut answer, request, token);
    // A 304 is not counted (GitHub docs, "Best practices for using the REST API").
    let free = answer.status == StatusCode::NOT_MODIFIED || route == Some(Route::RateLimit);
    let rate = if free {
        state.limits.state(user)
    } else {
        state.limits.count(user)
    };
    (dressed(answer, request, token, Some(rate)), !free)
}

/// Who asks. Both `Bearer` and `token` are schemes (GitHub docs, "Authenticating to the REST
/// API"); a bad credential is 401 even where none is needed.
fn authenticate<'a>(state: &'a State, request: &ApiRequest) -> Result<Option<&'a Token>, ApiError> {
    let token = match request.credentials() {
        None => None,
        Some((scheme, value)) => {
            let refused = state.switches().unauthorized.take();
            let known = state
                .tokens
                .iter()
                .find(|token| token.value == value && token.valid);
            let scheme = matches!(scheme.as_str(), "bearer" | "token");
            Some(
                known
                    .filter(|_| scheme && !refused)
                    .ok_or(ApiError::BadCredentials)?,
            )
        }
    };
    match request.header("x-github-api-version") {
        Some(version) if !VERSIONS.contains(&version) => {
            Err(ApiError::UnsupportedVersion(version.to_owned()))
        }
        _ => Ok(token),
    }
}

/// Primary and secondary limits (GitHub docs, "Rate limits for the REST API").
fn limited(
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

async fn answer(
    state: &State,
    request: &ApiRequest,
    route: Option<&Route>,
    token: Option<&Token>,
) -> Result<Answer, ApiError> {
    match route.ok_or(ApiError::NotFound)? {
        Route::RateLimit => {
            let rate = state.limits.state(token.map(|token| token.login.as_str()));
            let core = json!({
                "limit": rate.limit, "used": rate.used,
                "remaining": rate.remaining(), "reset": rate.reset,
            });
            let search = json!({"limit": 10, "used": 0, "remaining": 10, "reset": rate.reset});
            let resources = json!({"core": core, "search": search});
            Ok(Answer::json(
                StatusCode::OK,
                &json!({"resources": resources, "rate": core}),
            ))
        }
        Route::User => Ok(endpoints::user(
            request,
            token.ok_or(ApiError::RequiresAuthentication)?,
        )),
        Route::UserRepositories => {
            let token = token.ok_or(ApiError::RequiresAuthentication)?;
            Ok(endpoints::user_repositories(state, request, token))
        }
        Route::Repository {
            name,
            rest,
            operation,
        } => {
            // Every repository here is private: without a token there is none to see.
            let token = token.ok_or(ApiError::NotFound)?;
            let found = state.find(name).ok_or(ApiError::NotFound)?;
            let (Found::Here(hosted) | Found::Renamed(hosted)) = &found;
            if !token.reaches(&hosted.full_name) {
                return Err(ApiError::NotFound);
            }
            if let Found::Renamed(hosted) = &found {
                return Ok(moved(request, hosted.id, rest));
            }
            admit(state, token, &hosted.full_name, operation)?;
            let links = Links {
                origin: request.origin(),
                full_name: state.current_name(hosted),
            };
            let call = Call {
                state,
                hosted,
                request,
                token,
                links,
            };
            endpoints::run(&call, operation).await
        }
    }
}

/// Whether the token may do this to the repository.
fn admit(
    state: &State,
    token: &Token,
    full_name: &str,
    operation: &Operation,
) -> Result<(), ApiError> {
    let mut switches = state.switches();
    match switches.forbidden {
        None => {}
        Some(Forbidden::Permission) => return Err(ApiError::NotAccessible),
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
            ApiError::NotAccessible
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

/// A repository that was renamed: 301 for reads, 307 for the rest, to its id
/// (octokit/fixtures, `rename-repository`).
fn moved(request: &ApiRequest, id: u64, rest: &str) -> Answer {
    let query = request
        .uri
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let location = format!("{}/repositories/{id}{rest}{query}", request.origin());
    let (status, message) = match request.method {
        Method::GET | Method::HEAD => (StatusCode::MOVED_PERMANENTLY, "Moved Permanently"),
        _ => (StatusCode::TEMPORARY_REDIRECT, "Temporary Redirect"),
    };
    let mut answer = Answer::json(
        status,
        &json!({
            "message": message,
            "url": location,
            "documentation_url": "https://docs.github.com/v3/#http-redirects",
        }),
    );
    answer.header("location", &location);
    answer
}

/// Adds the entity tag; turns an answer the client has into 304 (GitHub docs, "Best practices for
/// using the REST API"). Tags differ by token (eclipse-csi/otterdog#201).
fn validate(answer: &mut Answer, request: &ApiRequest, token: Option<&Token>) {
    let source = match (&answer.validator, &answer.body) {
        (Validator::None, _) | (Validator::Body, AnswerBody::Stream(_)) => return,
        (Validator::Exact(tag), _) => Err(tag.clone()),
        (Validator::Text(text), _) => Ok(text.as_bytes().to_vec()),
        (Validator::Body, AnswerBody::Whole(bytes)) => Ok(bytes.to_vec()),
    };
    let (strong, tag) = match source {
        Err(tag) => (tag.clone(), tag),
        Ok(source) => {
            let mut hash = Sha256::new_with_prefix(source);
            hash.update(token.map(Token::fingerprint).unwrap_or_default());
            let strong = format!("\"{}\"", hex(&hash.finalize()));
            (strong.clone(), format!("W/{strong}"))
        }
    };
    answer.header("etag", &tag);
    let readable = matches!(request.method, Method::GET | Method::HEAD);
    if readable && answer.status == StatusCode::OK && request.known_tags().contains(&&*strong) {
        answer.status = StatusCode::NOT_MODIFIED;
        answer.headers.retain(|(name, _)| name != "content-type");
        answer.body = AnswerBody::Whole(axum::body::Bytes::new());
    }
}

/// Adds the headers that every answer of the API has.
fn dressed(
    mut answer: Answer,
    request: &ApiRequest,
    token: Option<&Token>,
    rate: Option<RateState>,
) -> Answer {
    if let Some(expires) = token.and_then(|token| token.expires.as_ref()) {
        // nearform/github-snooze-chrome-extension#11 reads it.
        answer.header("github-authentication-token-expiration", expires);
    }
    if let Some(rate) = rate {
        answer.header("x-ratelimit-limit", &rate.limit.to_string());
        answer.header("x-ratelimit-remaining", &rate.remaining().to_string());
        answer.header("x-ratelimit-used", &rate.used.to_string());
        answer.header("x-ratelimit-reset", &rate.reset.to_string());
        answer.header("x-ratelimit-resource", "core");
    }
    // A cache that honours this serves old shas for a minute (TiddlyWiki/TiddlyWiki5#5119).
    if matches!(
        answer.status,
        StatusCode::OK | StatusCode::CREATED | StatusCode::NOT_MODIFIED
    ) {
        answer.header("cache-control", "private, max-age=60, s-maxage=60");
    }
    answer.header("vary", "Accept, Authorization, Cookie, X-GitHub-OTP");
    answer.header("x-github-media-type", request.media().header());
    let version = request
        .header("x-github-api-version")
        .unwrap_or("2022-11-28")
        .to_owned();
    answer.header("x-github-api-version-selected", &version);
    answer.header("x-content-type-options", "nosniff");
    answer
}

/// An error as JSON for callers of the control interface.
pub(super) fn refusal(status: StatusCode, message: &str) -> Answer {
    Answer::json(status, &json!({"message": message}))
}
