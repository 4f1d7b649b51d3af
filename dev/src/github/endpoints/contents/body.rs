//! The JSON body of a write.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::DateTime;
use serde_json::{Map, Value};

use crate::git::Signature;
use crate::github::error::ApiError;
use crate::github::limits::epoch_seconds;
use crate::github::wire;

/// The members that writes know; unknown ones are ignored (pome-sh/digital-twins#400).
#[derive(Debug)]
pub(super) struct WriteBody {
    pub(super) message: String,
    /// The blob that the caller believes to replace.
    pub(super) sha: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) author: Signature,
    pub(super) committer: Signature,
    /// Base64 as it came; missing for a deletion.
    content: Option<String>,
}

impl WriteBody {
    /// Reads the body. `login` is whom the commit names when the body names nobody (GitHub docs,
    /// "Create or update file contents": the committer is the authenticated user, the author is
    /// the committer).
    pub(super) fn parse(bytes: &[u8], login: &str) -> Result<Self, ApiError> {
        let body: Value =
            serde_json::from_slice(bytes).map_err(|_| ApiError::ProblemsParsingJson)?;
        let Value::Object(body) = body else {
            return Err(ApiError::NotAnObject);
        };
        let message = string(&body, "message")?.ok_or(ApiError::NotSupplied("message"))?;
        let myself = Signature {
            name: login.to_owned(),
            email: wire::noreply(login),
            seconds: i64::try_from(epoch_seconds()).unwrap_or(i64::MAX),
            zone: "+0000".to_owned(),
        };
        let committer = person(&body, "committer", &myself)?;
        let author = person(&body, "author", &myself)?;
        Ok(Self {
            message,
            sha: string(&body, "sha")?,
            branch: string(&body, "branch")?,
            content: string(&body, "content")?,
            author: author
                .or_else(|| committer.clone())
                .unwrap_or_else(|| myself.clone()),
            committer: committer.unwrap_or(myself),
        })
    }

    /// The file's new bytes. White space in the base64 is allowed, a wrong alphabet or length is
    /// not (pome-sh/digital-twins#400).
    pub(super) fn content(&self) -> Result<Vec<u8>, ApiError> {
        let text = self
            .content
            .as_ref()
            .ok_or(ApiError::NotSupplied("content"))?;
        let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        STANDARD.decode(packed).map_err(|_| ApiError::NotBase64)
    }
}

fn string(body: &Map<String, Value>, key: &'static str) -> Result<Option<String>, ApiError> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(ApiError::NotAString(key, other.to_string())),
    }
}

/// A person needs both name and address (GitHub docs, "Create or update file contents").
fn person(
    body: &Map<String, Value>,
    key: &'static str,
    default: &Signature,
) -> Result<Option<Signature>, ApiError> {
    let members = match body.get(key) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(members)) => members,
        Some(other) => return Err(ApiError::NotAnObjectField(key, other.to_string())),
    };
    let name = string(members, "name")?.ok_or(ApiError::NotSupplied("name"))?;
    let email = string(members, "email")?.ok_or(ApiError::NotSupplied("email"))?;
    let moment = string(members, "date")?.and_then(|date| DateTime::parse_from_rfc3339(&date).ok());
    let (seconds, zone) = moment.map_or_else(
        || (default.seconds, default.zone.clone()),
        |moment| (moment.timestamp(), moment.format("%z").to_string()),
    );
    Ok(Some(Signature {
        name,
        email,
        seconds,
        zone,
    }))
}
