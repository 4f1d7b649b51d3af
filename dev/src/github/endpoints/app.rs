//! `GET /app/installations/{id}`, `POST /app/installations/{id}/access_tokens`,
//! `GET /installation/repositories`.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use chrono::DateTime;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::github::answer::Answer;
use crate::github::app::{self, App, Installation, TOKEN_LIFE};
use crate::github::error::ApiError;
use crate::github::request::ApiRequest;
use crate::github::state::State;
use crate::github::switches::Switches;
use crate::github::tokens::{Contents, Reach, Token};
use crate::github::wire::{self, Links};

/// What `POST …/access_tokens` may ask for: less than the installation has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Wanted {
    repositories: Option<Vec<String>>,
    repository_ids: Option<Vec<u64>>,
    permissions: Option<BTreeMap<String, String>>,
}

/// The installation, to the app that proves itself by a JSON Web Token (GitHub docs, "Get an
/// installation for the authenticated app").
pub(in crate::github) fn installation(
    state: &State,
    request: &ApiRequest,
    id: u64,
) -> Result<Answer, ApiError> {
    let installation = proven(state, request, id)?;
    Ok(Answer::ok(&described(request, &installation)))
}

/// A token for the installation (GitHub docs, "Create an installation access token for an app").
pub(in crate::github) fn access_token(
    state: &State,
    request: &ApiRequest,
    id: u64,
) -> Result<Answer, ApiError> {
    let installation = proven(state, request, id)?;
    // Said here, not where the installation is looked at (Mergifyio/mergify#1462).
    if installation.suspended {
        return Err(ApiError::InstallationSuspended);
    }
    let wanted: Wanted = if request.body.is_empty() {
        Wanted::default()
    } else {
        serde_json::from_slice(&request.body).map_err(|_| ApiError::ProblemsParsingJson)?
    };
    let permissions = permitted(&installation, wanted.permissions.as_ref())?;
    let selected = selected(state, &installation, &wanted)?;
    let level = permissions.get("contents").map(String::as_str);
    let ends = state.now() + TOKEN_LIFE;
    let token = Token {
        value: state.new_installation_token(),
        label: "installation".to_owned(),
        login: format!("{}[bot]", app::SLUG),
        reach: selected
            .clone()
            .map_or_else(|| reach(&installation), Reach::Only),
        contents: match level {
            Some("write") => Contents::Write,
            Some(_) => Contents::Read,
            None => Contents::None,
        },
        valid: true,
        expires: None,
        ends: Some(ends),
    };
    let mut answer = json!({
        "token": token.value,
        "expires_at": time(ends),
        "permissions": permissions,
        "repository_selection": if installation.repositories.is_some() || selected.is_some() {
            "selected"
        } else {
            "all"
        },
    });
    if let (Some(_), Value::Object(members)) = (&selected, &mut answer) {
        let list = repositories(state, request, &token);
        members.insert("repositories".to_owned(), Value::Array(list));
    }
    state.keep_token(token);
    Ok(Answer::json(StatusCode::CREATED, &answer))
}

/// The repositories that an installation token reaches (GitHub docs, "List repositories accessible
/// to the app installation").
pub(in crate::github) fn installation_repositories(
    state: &State,
    request: &ApiRequest,
    token: &Token,
) -> Result<Answer, ApiError> {
    if token.ends.is_none() {
        return Err(ApiError::InstallationRequired);
    }
    let mut list = repositories(state, request, token);
    let total = list.len();
    list.truncate(request.query_number("per_page").unwrap_or(30).min(100));
    Ok(Answer::ok(&json!({
        "total_count": total,
        "repository_selection": "selected",
        "repositories": list,
    })))
}

/// The installation of that number, if the request proves that it comes from its app.
fn proven(state: &State, request: &ApiRequest, id: u64) -> Result<Installation, ApiError> {
    let (scheme, jwt) = request
        .credentials()
        .ok_or(ApiError::RequiresAuthentication)?;
    if scheme != "bearer" {
        return Err(ApiError::JwtUndecodable);
    }
    App::verify(jwt, state.now())?;
    state.keep_secret(jwt);
    let installation = state.app.installation().clone();
    if id == app::INSTALLATION_ID && !installation.uninstalled {
        Ok(installation)
    } else {
        Err(ApiError::NotFound)
    }
}

/// The permissions of a token: those of the installation, or the lesser ones that are asked for.
fn permitted(
    installation: &Installation,
    wanted: Option<&BTreeMap<String, String>>,
) -> Result<BTreeMap<String, String>, ApiError> {
    let Some(wanted) = wanted else {
        return Ok(installation.permissions.clone());
    };
    let granted = |(name, level): (&String, &String)| match installation.permissions.get(name) {
        Some(has) => has == level || (has == "write" && level == "read"),
        None => name == "metadata" && level == "read",
    };
    if wanted.iter().all(granted) {
        Ok(wanted.clone())
    } else {
        Err(ApiError::PermissionsNotGranted)
    }
}

/// The repositories that are asked for by name or number; `None` where none are.
fn selected(
    state: &State,
    installation: &Installation,
    wanted: &Wanted,
) -> Result<Option<Vec<String>>, ApiError> {
    if wanted.repositories.is_none() && wanted.repository_ids.is_none() {
        return Ok(None);
    }
    let names = wanted.repositories.iter().flatten();
    let ids = wanted.repository_ids.iter().flatten();
    let mut chosen = Vec::new();
    for hosted in state.repositories() {
        let name = state.current_name(&hosted);
        let short = name.split('/').next_back().unwrap_or_default();
        let asked = names.clone().any(|asked| asked.eq_ignore_ascii_case(short))
            || ids.clone().any(|id| *id == hosted.id);
        let within = installation.repositories.as_ref().is_none_or(|selected| {
            selected
                .iter()
                .any(|one| one.eq_ignore_ascii_case(&hosted.full_name))
        });
        if asked && within {
            chosen.push(hosted.full_name.clone());
        }
    }
    if chosen.len() == names.count() + ids.count() {
        Ok(Some(chosen))
    } else {
        Err(ApiError::RepositoryNotInstalled)
    }
}

fn reach(installation: &Installation) -> Reach {
    installation
        .repositories
        .clone()
        .map_or(Reach::All, Reach::Only)
}

fn repositories(state: &State, request: &ApiRequest, token: &Token) -> Vec<Value> {
    let missing = state.switches().missing.clone();
    state
        .repositories()
        .iter()
        .filter(|hosted| token.reaches(&hosted.full_name))
        .filter(|hosted| !Switches::lists(&missing, &hosted.full_name))
        .map(|hosted| {
            let links = Links {
                origin: request.origin(),
                full_name: state.current_name(hosted),
            };
            let archived = Switches::lists(&state.switches().archived, &hosted.full_name);
            wire::repository(&links, hosted, archived, token)
        })
        .collect()
}

/// `installation`.
fn described(request: &ApiRequest, installation: &Installation) -> Value {
    let origin = request.origin();
    let api = format!("{origin}/app/installations/{}", app::INSTALLATION_ID);
    let suspended = installation.suspended;
    json!({
        "id": app::INSTALLATION_ID,
        "account": wire::user(&origin, "example"),
        "repository_selection": if installation.repositories.is_some() { "selected" } else { "all" },
        "access_tokens_url": format!("{api}/access_tokens"),
        "repositories_url": format!("{origin}/installation/repositories"),
        "html_url": format!("{origin}/settings/installations/{}", app::INSTALLATION_ID),
        "app_id": app::ID,
        "client_id": app::CLIENT_ID,
        "app_slug": app::SLUG,
        "target_id": wire::user_id("example"),
        "target_type": "User",
        "permissions": installation.permissions,
        "events": [],
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "single_file_name": null,
        "has_multiple_single_files": false,
        "single_file_paths": [],
        "suspended_by": suspended.then(|| wire::user(&origin, "example")),
        "suspended_at": suspended.then_some("2026-01-02T00:00:00Z"),
    })
}

fn time(epoch_seconds: u64) -> String {
    let seconds = i64::try_from(epoch_seconds).unwrap_or(i64::MAX);
    DateTime::from_timestamp(seconds, 0)
        .unwrap_or_default()
        .format("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}
