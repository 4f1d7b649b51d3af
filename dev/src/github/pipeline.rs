//! What every request goes through before and after its operation.
//!
//! 1. `User-Agent` (403), credentials (401), version (400);
//! 2. limits (403, 429);
//! 3. the repository exists for this token (404), goes by this name (301, 307), and the token may
//!    do this there (403);
//! 4. the operation;
//! 5. `ETag` and 304, the count against the hourly limit, the headers of every answer.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, IF_NONE_MATCH};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::json;

use super::answer::Answer;
use super::call::{Call, hang};
use super::error::ApiError;
use super::finish::{dressed, validate};
use super::log::LoggedRequest;
use super::request::ApiRequest;
use super::route::Route;
use super::state::{Found, State};
use super::switches::HangPoint;
use super::tokens::Token;
use super::wire::Links;
use super::{control, endpoints, gates, web};

/// Larger bodies are refused: GitHub's own cap on a file is 100 MB, in base64.
const BODY_CAP: usize = 140 * 1024 * 1024;

/// Where errors outside an operation point.
const REST_DOCS: &str = "https://docs.github.com/rest";

/// Where errors of an app's own requests point.
const APP_DOCS: &str = "https://docs.github.com/rest/apps/apps";

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
        let refusal = json!({"message": "the body is too large or broke off"});
        return Answer::json(StatusCode::PAYLOAD_TOO_LARGE, &refusal).into_response();
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
        state.log.close(number, &answer, false);
        return answer.into_response();
    }
    hang(state, HangPoint::Request).await;
    let (answer, counted) = api(state, &request).await;
    state.log.close(number, &answer, counted);
    answer.into_response()
}

fn logged(state: &State, request: &ApiRequest) -> LoggedRequest {
    let credentials = request.credentials();
    let token = credentials.as_ref().map(|(_, value)| {
        let known = state.token(value);
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
        operation: Route::parse(&request.method, path).map(|route| route.operation_id().to_owned()),
        status: None,
        refusal: None,
        counted: false,
        user_agent: request.user_agent().map(str::to_owned),
        token,
        authorization: credentials.map(|(scheme, _)| scheme),
        conditional: request.headers.contains_key(IF_NONE_MATCH),
        cache_control: request.header(CACHE_CONTROL).map(str::to_owned),
    }
}

/// Answers a request to the API; says also whether it counts.
async fn api(state: &State, request: &ApiRequest) -> (Answer, bool) {
    if request.user_agent().is_none() {
        return (gates::no_user_agent(), false);
    }
    let route = Route::parse(&request.method, request.uri.path());
    if let Some(result) = route
        .as_ref()
        .and_then(|route| of_app(state, request, route))
    {
        let answer = result.unwrap_or_else(|error| error.answer(APP_DOCS));
        return (dressed(answer, request, None, None), false);
    }
    let token = match gates::authenticate(state, request) {
        Ok(token) => token,
        Err(error) => return (dressed(error.answer(REST_DOCS), request, None, None), false),
    };
    let token = token.as_deref();
    let user = token.map(|token| token.login.as_str());
    let documentation = match &route {
        Some(Route::Repository { operation, .. }) => operation.documentation(),
        _ => REST_DOCS,
    };
    let rate = state.limits.state(user);
    let result = match gates::limited(state, request, user, rate) {
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

/// Answers what an app asks by its JSON Web Token; `None` for any other route.
fn of_app(state: &State, request: &ApiRequest, route: &Route) -> Option<Result<Answer, ApiError>> {
    let own = matches!(
        route,
        Route::Installation { .. } | Route::AccessTokens { .. }
    );
    if own && state.switches().fail_app.take() {
        return Some(Err(ApiError::ServerError));
    }
    match route {
        Route::Installation { id } => Some(endpoints::installation(state, request, *id)),
        Route::AccessTokens { id } => Some(endpoints::access_token(state, request, *id)),
        Route::User
        | Route::UserRepositories
        | Route::InstallationRepositories
        | Route::RateLimit
        | Route::Repository { .. } => None,
    }
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
        // Only the three that a JSON Web Token opens: they are answered before.
        Route::Installation { .. } | Route::AccessTokens { .. } => Err(ApiError::NotFound),
        Route::InstallationRepositories => {
            let token = token.ok_or(ApiError::RequiresAuthentication)?;
            endpoints::installation_repositories(state, request, token)
        }
        Route::User | Route::UserRepositories if token.is_some_and(|one| one.ends.is_some()) => {
            Err(ApiError::NotAccessibleByIntegration)
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
            gates::admit(state, token, &hosted.full_name, operation)?;
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
