//! The outer form of a message: JSON-RPC 2.0, and the `_meta` of its parameters.

use serde_json::{Map, Value};

use super::error::RequestError;

/// `_meta` key of the protocol version of a modern request.
pub(super) const META_PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// `_meta` key of the client's capabilities in a modern request.
pub(super) const META_CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The parts of a message that decide how the rest is read.
pub(super) struct Envelope<'a> {
    pub(super) id: Option<Value>,
    pub(super) method: &'a str,
    pub(super) params: Option<&'a Value>,
    pub(super) meta: Option<&'a Map<String, Value>>,
}

impl<'a> Envelope<'a> {
    /// Reads the parts of one JSON-RPC 2.0 request or notification.
    pub(super) fn read(object: &'a Map<String, Value>) -> Result<Self, RequestError> {
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

    /// The protocol version that a modern request names in its `_meta`.
    pub(super) fn meta_version(&self) -> Option<&'a str> {
        self.meta?.get(META_PROTOCOL_VERSION)?.as_str()
    }
    /// Whether the `_meta` holds a key that only modern requests have.
    pub(super) fn has_modern_meta(&self) -> bool {
        self.meta.is_some_and(|meta| {
            meta.contains_key(META_PROTOCOL_VERSION) || meta.contains_key(META_CLIENT_CAPABILITIES)
        })
    }

    /// Whether the `_meta` says what the client can do, as every modern request must.
    pub(super) fn names_capabilities(&self) -> bool {
        self.meta
            .and_then(|meta| meta.get(META_CLIENT_CAPABILITIES))
            .is_some_and(Value::is_object)
    }
}
