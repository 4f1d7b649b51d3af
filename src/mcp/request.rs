//! From an HTTP request to one JSON-RPC message of a known era.
//!
//! MCP has two eras on one endpoint. *Legacy* (2024-11-05 to 2025-11-25) opens with `initialize` and
//! names its version in a header afterwards. *Modern* (2026-07-28) repeats version and capabilities
//! in the `_meta` of every request and mirrors method and name in headers. Source: the MCP
//! specification, revisions 2025-11-25 and 2026-07-28, "Streamable HTTP" and "Versioning".

mod envelope;
mod era;
mod error;
mod header;
mod standard_headers;

use rmcp::model::{ClientNotification, ClientRequest, RequestId};
use serde_json::{Map, Value};

use envelope::Envelope;
pub use era::Era;
pub(crate) use error::RequestError;

use super::methods;
use crate::http::Request;

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
    if !header::accepts_json(headers) {
        return Err(RequestError::NotAcceptable);
    }
    if !header::is_json(headers) {
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
    let era = era::tell(headers, &envelope, &id)?;

    // (4)
    if era == Era::Modern {
        era::check_meta(headers, &envelope, &id)?;
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

/// Accepts a notification of either era; none of them makes this server do anything.
fn notification(object: &Map<String, Value>) -> Result<Message, RequestError> {
    serde_json::from_value::<ClientNotification>(Value::Object(object.clone()))
        .map(|_| Message::Notification)
        .map_err(|_| RequestError::NotAMessage("not a notification of this protocol"))
}
