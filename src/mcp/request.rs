//! From an HTTP request to one JSON-RPC message of a known era.
//!
//! MCP has two eras on one endpoint. *Legacy* (2024-11-05 to 2025-11-25) opens with `initialize` and
//! names its version in a header afterwards. *Modern* (2026-07-28) repeats version and capabilities
//! in the `_meta` of every request and mirrors method and name in headers. Source: the MCP
//! specification, revisions 2025-11-25 and 2026-07-28, "Streamable HTTP" and "Versioning".

use ::http::{HeaderMap, StatusCode, header};
use rmcp::model::{ClientNotification, ClientRequest, ProtocolVersion, RequestId};
use serde_json::{Map, Value, json};

use super::{methods, standard_headers};
use crate::http::Request;

/// The first revision without `initialize`.
const FIRST_MODERN: &str = "2026-07-28";
/// `_meta` key of the protocol version of a modern request.
const META_PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// `_meta` key of the client's capabilities in a modern request.
const META_CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The header that names the protocol version.
pub(crate) const PROTOCOL_VERSION_HEADER: &str = "mcp-protocol-version";

/// Which family of protocol revisions a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2024-11-05 to 2025-11-25.
    Legacy,
    /// 2026-07-28.
    Modern,
}

/// One message that may be acted on.
#[derive(Debug)]
pub(crate) enum Message {
    /// A request; it gets an answer.
    Request {
        /// Its id, to be repeated in the answer.
        id: RequestId,
        /// Its family.
        era: Era,
        /// Method and parameters.
        request: Box<ClientRequest>,
    },
    /// A notification; it gets no answer.
    Notification,
}

/// Why a request is answered without being acted on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum RequestError {
    /// The client takes neither JSON nor an event stream.
    #[error("not acceptable: the Accept header must allow application/json")]
    NotAcceptable,
    /// The body is not declared as JSON.
    #[error("unsupported media type: the Content-Type must be application/json")]
    UnsupportedMediaType,
    /// The body is not JSON.
    #[error("parse error: the body is not JSON")]
    NotJson,
    /// The body is an array.
    #[error("batching was removed in 2025-06-18: send one message a request")]
    Batch,
    /// The body is JSON, but no JSON-RPC request or notification.
    #[error("invalid request: {0}")]
    NotAMessage(&'static str),
    /// A header that must mirror the body does not.
    #[error("{reason}")]
    HeaderMismatch {
        /// The request's id.
        id: Value,
        /// What is wrong.
        reason: String,
    },
    /// The request names a protocol version that this server does not speak.
    #[error("unsupported protocol version")]
    UnsupportedVersion {
        /// The request's id.
        id: Value,
        /// The version asked for.
        requested: String,
        /// In which era's form to say so.
        era: Era,
    },
    /// A modern request lacks what every one must carry.
    #[error("request _meta is missing {0}", missing.join(" and "))]
    MissingMeta {
        /// The request's id.
        id: Value,
        /// The missing keys.
        missing: Vec<&'static str>,
    },
    /// The era has no such method.
    #[error("method not found: {method}")]
    MethodNotFound {
        /// The request's id.
        id: Value,
        /// The method.
        method: String,
        /// In which era's form to say so.
        era: Era,
    },
    /// The parameters do not fit the method.
    #[error("invalid params for {method}")]
    InvalidParams {
        /// The request's id.
        id: Value,
        /// The method.
        method: String,
    },
}

impl RequestError {
    /// The HTTP status and the JSON-RPC error object's parts.
    pub(crate) fn to_wire(&self) -> (StatusCode, Value) {
        let bad = StatusCode::BAD_REQUEST;
        let (status, id, code, data) = match self {
            Self::NotAcceptable => (StatusCode::NOT_ACCEPTABLE, &Value::Null, -32600, None),
            Self::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                &Value::Null,
                -32600,
                None,
            ),
            Self::NotJson => (bad, &Value::Null, -32700, None),
            Self::Batch | Self::NotAMessage(_) => (bad, &Value::Null, -32600, None),
            Self::HeaderMismatch { id, .. } => (bad, id, -32020, None),
            Self::UnsupportedVersion { id, requested, era } => {
                let code = match era {
                    Era::Legacy => -32600,
                    Era::Modern => -32022,
                };
                let data = json!({ "supported": supported_versions(), "requested": requested });
                (bad, id, code, Some(data))
            }
            Self::MissingMeta { id, .. } => (bad, id, -32602, None),
            Self::MethodNotFound { id, era, .. } => {
                let status = match era {
                    Era::Legacy => StatusCode::OK,
                    Era::Modern => StatusCode::NOT_FOUND,
                };
                (status, id, -32601, None)
            }
            Self::InvalidParams { id, .. } => (StatusCode::OK, id, -32602, None),
        };
        (status, error_message(id, code, &self.to_string(), data))
    }
}

/// A JSON-RPC error response.
fn error_message(id: &Value, code: i32, message: &str, data: Option<Value>) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let (Some(data), Some(error)) = (data, error.as_object_mut()) {
        error.insert("data".to_owned(), data);
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// Every revision this server speaks, oldest first.
fn supported_versions() -> Vec<&'static str> {
    ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .map(ProtocolVersion::as_str)
        .collect()
}

/// Reads one message, in this order:
///
/// 1. `Accept` allows JSON, and `Content-Type` is JSON.
/// 2. The body is one JSON-RPC 2.0 request or notification.
/// 3. The era, by `_meta`, method and `MCP-Protocol-Version`; the version is one we speak.
/// 4. A modern request carries its `_meta`, and its headers mirror its body.
/// 5. The era has the method, and the parameters fit it.
pub(crate) fn read(request: &Request) -> Result<Message, RequestError> {
    let headers = request.headers();
    // (1) Lenient: absent and wildcards count, because real probes send `*/*`.
    if !accepts_json(headers) {
        return Err(RequestError::NotAcceptable);
    }
    if !is_json(headers) {
        return Err(RequestError::UnsupportedMediaType);
    }

    // (2)
    let body: Value = serde_json::from_slice(request.body()).map_err(|_| RequestError::NotJson)?;
    let object = match body {
        Value::Object(object) => object,
        Value::Array(_) => return Err(RequestError::Batch),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(RequestError::NotAMessage("the message must be an object"));
        }
    };
    let envelope = Envelope::read(&object)?;
    let Some(id) = envelope.id.clone() else {
        return notification(&object);
    };

    // (3)
    let era = era(headers, &envelope, &id)?;

    // (4)
    if era == Era::Modern {
        check_meta(headers, &envelope, &id)?;
        standard_headers::check(headers, envelope.method, envelope.params).map_err(|reason| {
            RequestError::HeaderMismatch {
                id: id.clone(),
                reason,
            }
        })?;
    }

    // (5)
    if !methods::exists(era, envelope.method) {
        return Err(RequestError::MethodNotFound {
            id,
            method: envelope.method.to_owned(),
            era,
        });
    }
    let typed_id: RequestId = serde_json::from_value(id.clone())
        .map_err(|_| RequestError::NotAMessage("the id must be a string or an integer"))?;
    match serde_json::from_value(Value::Object(object.clone())) {
        // What arrives as "custom" under the name of a method did not fit its type.
        Err(_) | Ok(ClientRequest::CustomRequest(_)) => Err(RequestError::InvalidParams {
            id,
            method: envelope.method.to_owned(),
        }),
        Ok(request) => Ok(Message::Request {
            id: typed_id,
            era,
            request: Box::new(request),
        }),
    }
}

/// The parts of a message that decide how the rest is read.
struct Envelope<'a> {
    id: Option<Value>,
    method: &'a str,
    params: Option<&'a Value>,
    meta: Option<&'a Map<String, Value>>,
}

impl<'a> Envelope<'a> {
    fn read(object: &'a Map<String, Value>) -> Result<Self, RequestError> {
        if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(RequestError::NotAMessage("jsonrpc must be \"2.0\""));
        }
        let Some(method) = object.get("method") else {
            return Err(RequestError::NotAMessage(
                "only requests and notifications are accepted",
            ));
        };
        let method = method
            .as_str()
            .ok_or(RequestError::NotAMessage("the method must be a string"))?;
        let id = match object.get("id") {
            None => None,
            Some(id @ Value::String(_)) => Some(id.clone()),
            Some(id @ Value::Number(number)) if number.is_i64() || number.is_u64() => {
                Some(id.clone())
            }
            Some(_) => {
                return Err(RequestError::NotAMessage(
                    "the id must be a string or an integer",
                ));
            }
        };
        let params = object.get("params");
        let meta = params
            .and_then(|params| params.get("_meta"))
            .and_then(Value::as_object);
        Ok(Self {
            id,
            method,
            params,
            meta,
        })
    }

    fn meta_version(&self) -> Option<&'a str> {
        self.meta?.get(META_PROTOCOL_VERSION)?.as_str()
    }
}

/// Accepts a notification of either era; none of them makes this server do anything.
fn notification(object: &Map<String, Value>) -> Result<Message, RequestError> {
    serde_json::from_value::<ClientNotification>(Value::Object(object.clone()))
        .map(|_| Message::Notification)
        .map_err(|_| RequestError::NotAMessage("not a notification of this protocol"))
}

/// Tells the era, and refuses versions that nobody here speaks.
fn era(headers: &HeaderMap, envelope: &Envelope<'_>, id: &Value) -> Result<Era, RequestError> {
    let header = single(headers, PROTOCOL_VERSION_HEADER).map_err(|reason| {
        RequestError::HeaderMismatch {
            id: id.clone(),
            reason,
        }
    })?;
    // Judged before the version itself: a request that says two things has said nothing.
    if let (Some(header), Some(meta)) = (header, envelope.meta_version())
        && header != meta
    {
        return Err(RequestError::HeaderMismatch {
            id: id.clone(),
            reason: "MCP-Protocol-Version header does not match the request's _meta".to_owned(),
        });
    }
    // The handshake exists in the legacy era alone and negotiates in its parameters, whatever a
    // header says: some clients name there what `server/discover` told them.
    if envelope.method == "initialize" && !has_modern_meta(envelope) {
        return Ok(Era::Legacy);
    }
    let named = envelope.meta_version().or(header);
    let era = match named {
        Some(version) if version >= FIRST_MODERN => Era::Modern,
        _ if envelope.method == "server/discover" || has_modern_meta(envelope) => Era::Modern,
        // An absent header means 2025-03-26 or older.
        _ => Era::Legacy,
    };
    match named {
        Some(version) if !supported_versions().contains(&version) => {
            Err(RequestError::UnsupportedVersion {
                id: id.clone(),
                requested: version.to_owned(),
                era,
            })
        }
        _ => Ok(era),
    }
}

fn has_modern_meta(envelope: &Envelope<'_>) -> bool {
    envelope.meta.is_some_and(|meta| {
        meta.contains_key(META_PROTOCOL_VERSION) || meta.contains_key(META_CLIENT_CAPABILITIES)
    })
}

/// Requires what every modern request carries.
fn check_meta(
    headers: &HeaderMap,
    envelope: &Envelope<'_>,
    id: &Value,
) -> Result<(), RequestError> {
    let mut missing = Vec::new();
    if envelope.meta_version().is_none() {
        missing.push(META_PROTOCOL_VERSION);
    }
    if !envelope
        .meta
        .and_then(|meta| meta.get(META_CLIENT_CAPABILITIES))
        .is_some_and(Value::is_object)
    {
        missing.push(META_CLIENT_CAPABILITIES);
    }
    if !missing.is_empty() {
        return Err(RequestError::MissingMeta {
            id: id.clone(),
            missing,
        });
    }
    // That it says the same was seen when the era was told.
    if headers.contains_key(PROTOCOL_VERSION_HEADER) {
        Ok(())
    } else {
        Err(RequestError::HeaderMismatch {
            id: id.clone(),
            reason: "missing required MCP-Protocol-Version header".to_owned(),
        })
    }
}

/// The only value of a header, trimmed of optional white space.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(format!("duplicate {name} header"));
    }
    match value.to_str() {
        Ok(value) => Ok(Some(value.trim_matches([' ', '\t']))),
        Err(_) => Err(format!("{name} header holds invalid characters")),
    }
}

/// Whether `Accept` leaves room for JSON. Of the ranges that match, the most specific one decides
/// (RFC 9110 section 12.5.1). Only an explicit refusal counts.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut named = false;
    let mut best: Option<(Specificity, bool)> = None;
    for value in headers.get_all(header::ACCEPT) {
        let Ok(value) = value.to_str() else {
            return false;
        };
        for range in value
            .split(',')
            .map(str::trim)
            .filter(|range| !range.is_empty())
        {
            named = true;
            let Ok(range) = range.parse::<mime::Mime>() else {
                continue;
            };
            if let Some(specificity) = matches_json(&range)
                && best.is_none_or(|(best, _)| specificity > best)
            {
                best = Some((specificity, !is_refusal(&range)));
            }
        }
    }
    best.map_or(!named, |(_, accepted)| accepted)
}

/// How closely a media range describes JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Specificity {
    Anything,
    Application,
    Json,
}

fn matches_json(range: &mime::Mime) -> Option<Specificity> {
    match (range.type_(), range.subtype()) {
        (mime::STAR, _) => Some(Specificity::Anything),
        (mime::APPLICATION, mime::STAR) => Some(Specificity::Application),
        (mime::APPLICATION, mime::JSON) => Some(Specificity::Json),
        _ => None,
    }
}

/// Whether a range has the weight 0, which means "not acceptable".
fn is_refusal(range: &mime::Mime) -> bool {
    range.get_param("q").is_some_and(|quality| {
        quality
            .as_str()
            .parse::<f32>()
            .is_ok_and(|quality| quality <= 0.0)
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    matches!(single(headers, header::CONTENT_TYPE.as_str()), Ok(Some(value))
        if value.parse::<mime::Mime>().is_ok_and(|kind| kind.essence_str() == "application/json"))
}
