//! Why a message is refused before anything acts on it, and how that is said.

use ::http::StatusCode;
use serde_json::{Value, json};

use super::era::{Era, supported_versions};

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
