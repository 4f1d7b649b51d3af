//! The control interface: what tests in other processes do to the look-alike.
//!
//! | request | does |
//! | --- | --- |
//! | `GET /__control/requests` | the requests since the last reset, as [`LoggedRequest`]s |
//! | `DELETE /__control/requests` | forgets them |
//! | `GET /__control/forms` | all `operations` and `refusals` that the log may name |
//! | `GET /__control/switches` | the [`Switches`] |
//! | `PUT /__control/switches` | replaces them; absent keys are off |
//! | `DELETE /__control/switches` | turns all off |
//! | `GET /__control/installation` | the app's [`Installation`] |
//! | `PUT /__control/installation` | replaces it |
//! | `DELETE /__control/installation-tokens` | ends all tokens that the app has bought |
//! | `GET /__control/secrets` | what has opened something without being configured: the app's tokens and JSON Web Tokens, tickets of tarballs |
//! | `POST /__control/push` | a commit from another device: `{repository?, branch?, message?, onto?, changes}`; says the `commit`, and the status that the webhook's receiver `delivered` |
//! | `POST /__control/repositories` | creates or replaces a repository: `{name, branch?, files}`; no files, no commit |
//!
//! A change is `{"put": path, "text" or "base64": …, "mode"?: "regular" or "executable" or
//! "symlink" or "submodule"}`, `{"delete": path}` or `{"rename": path, "to": path}`; a file is
//! what follows `put`. `onto` names a commit to build on and forces the push.
//!
//! [`LoggedRequest`]: super::LoggedRequest
//! [`Installation`]: super::Installation
//! [`Switches`]: super::Switches

use axum::http::{Method, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use strum::VariantNames as _;

use super::answer::Answer;
use super::error::ApiError;
use super::request::ApiRequest;
use super::route::{RepositoryName, Route};
use super::state::{Found, State};
use super::switches::Switches;
use crate::git::{Change, Oid, Push};
use crate::seed::{Mode, SeedFile};

/// Answers a request below `/__control/`; `None` for any other.
pub(super) async fn serve(state: &State, request: &ApiRequest) -> Option<Answer> {
    let path = request.uri.path().strip_prefix("/__control/")?;
    if !from_this_machine(request) {
        return Some(refusal(
            StatusCode::FORBIDDEN,
            "the control interface is for local programs",
        ));
    }
    let result = match (&request.method, path) {
        (&Method::GET, "requests") => Ok(json!(state.log.entries())),
        (&Method::DELETE, "requests") => {
            state.log.reset();
            Ok(Value::Null)
        }
        (&Method::GET, "forms") => Ok(json!({
            "operations": Route::operation_ids(),
            "refusals": ApiError::VARIANTS,
        })),
        (&Method::GET, "switches") => Ok(json!(*state.switches())),
        (&Method::PUT, "switches") => parse(request).map(|switches| {
            *state.switches() = switches;
            json!(*state.switches())
        }),
        (&Method::DELETE, "switches") => {
            *state.switches() = Switches::default();
            Ok(Value::Null)
        }
        (&Method::GET, "installation") => Ok(json!(*state.app.installation())),
        (&Method::PUT, "installation") => parse(request).map(|installation| {
            *state.app.installation() = installation;
            json!(*state.app.installation())
        }),
        (&Method::DELETE, "installation-tokens") => {
            state.revoke_installation_tokens();
            Ok(Value::Null)
        }
        (&Method::GET, "secrets") => Ok(json!(state.secrets())),
        (&Method::POST, "push") => push(state, request).await,
        (&Method::POST, "repositories") => replace(state, request).await,
        _ => return Some(refusal(StatusCode::NOT_FOUND, "no such control")),
    };
    Some(match result {
        Ok(Value::Null) => Answer::of(StatusCode::NO_CONTENT, "application/json", ""),
        Ok(body) => Answer::json(StatusCode::OK, &body),
        Err(message) => refusal(StatusCode::BAD_REQUEST, &message),
    })
}

/// A web page must not reach this: neither across origins (browsers then send `Origin`) nor under
/// a name that was pointed at the loopback address.
pub(super) fn from_this_machine(request: &ApiRequest) -> bool {
    let host = request.header("host").unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]") && request.header("origin").is_none()
}

fn parse<T: DeserializeOwned>(request: &ApiRequest) -> Result<T, String> {
    serde_json::from_slice(&request.body).map_err(|error| error.to_string())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PushJson {
    repository: Option<String>,
    branch: Option<String>,
    message: Option<String>,
    onto: Option<String>,
    #[serde(default)]
    changes: Vec<ChangeJson>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ChangeJson {
    Put(FileJson),
    Rename { rename: String, to: String },
    Delete { delete: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileJson {
    put: String,
    text: Option<String>,
    base64: Option<String>,
    #[serde(default)]
    mode: ModeJson,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ModeJson {
    #[default]
    Regular,
    Executable,
    Symlink,
    Submodule,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RepositoryJson {
    name: String,
    branch: Option<String>,
    #[serde(default)]
    files: Vec<FileJson>,
}

impl TryFrom<FileJson> for SeedFile {
    type Error = String;

    fn try_from(json: FileJson) -> Result<Self, Self::Error> {
        let bytes = match (json.text, json.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => STANDARD.decode(text).map_err(|error| error.to_string())?,
            _ => return Err(format!("give one of text and base64 for {}", json.put)),
        };
        let mode = match json.mode {
            ModeJson::Regular => Mode::Regular,
            ModeJson::Executable => Mode::Executable,
            ModeJson::Symlink => Mode::Symlink,
            ModeJson::Submodule => Mode::Submodule,
        };
        Ok(Self {
            path: json.put,
            bytes,
            mode,
        })
    }
}

async fn push(state: &State, request: &ApiRequest) -> Result<Value, String> {
    let json: PushJson = parse(request)?;
    let hosted = match &json.repository {
        None => state.repositories().into_iter().next(),
        Some(name) => match state.find(&RepositoryName::Full(name.clone())) {
            Some(Found::Here(hosted) | Found::Renamed(hosted)) => Some(hosted),
            None => None,
        },
    };
    let hosted = hosted.ok_or("no such repository")?;
    let mut push = Push::new();
    if let Some(branch) = json.branch {
        push = push.branch(branch);
    }
    if let Some(message) = json.message {
        push = push.message(message);
    }
    if let Some(onto) = json.onto {
        push = push.forced_onto(onto.parse::<Oid>().map_err(|error| error.to_string())?);
    }
    for change in json.changes {
        push = push.change(match change {
            ChangeJson::Put(file) => Change::Put(file.try_into()?),
            ChangeJson::Delete { delete } => Change::Delete(delete),
            ChangeJson::Rename { rename, to } => Change::Rename { from: rename, to },
        });
    }
    let branch = push.branch_name().unwrap_or(&hosted.default_branch);
    let before = hosted
        .tip(branch)
        .await
        .map_err(|error| error.to_string())?;
    let commit = hosted
        .push(&push)
        .await
        .map_err(|error| error.to_string())?;
    // Whoever pushes here wants to see what a delivery does, so it has been made when they go on.
    let delivered = match state.delivery(&hosted, branch, (before, commit)) {
        Some(delivery) => Some(delivery.send().await.map_err(|error| error.to_string())?),
        None => None,
    };
    Ok(json!({"commit": commit.to_string(), "delivered": delivered}))
}

async fn replace(state: &State, request: &ApiRequest) -> Result<Value, String> {
    let json: RepositoryJson = parse(request)?;
    let files = json
        .files
        .into_iter()
        .map(SeedFile::try_from)
        .collect::<Result<Vec<_>, _>>()?;
    let branch = json.branch.as_deref().unwrap_or("main");
    let hosted = state
        .replace(&json.name, branch, super::builder::Source::Files(files))
        .await
        .map_err(|error| error.to_string())?;
    Ok(json!({"name": hosted.full_name, "id": hosted.id}))
}

/// An error for the caller.
fn refusal(status: StatusCode, message: &str) -> Answer {
    Answer::json(status, &json!({"message": message}))
}
