//! The headers that mirror a modern request's body, so that intermediaries can route it.
//!
//! Source: the MCP specification 2026-07-28, "Streamable HTTP", standard request headers. Names are
//! compared without regard to case (the HTTP library does), values with.

use ::http::HeaderMap;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::Value;

use super::header::single;

/// Checks `Mcp-Method`, and `Mcp-Name` where the method has a name to mirror.
///
/// # Errors
/// A sentence that says which header is missing, repeated, badly encoded or different.
pub(super) fn check(
    headers: &HeaderMap,
    method: &str,
    params: Option<&Value>,
) -> Result<(), String> {
    match single(headers, "mcp-method")? {
        None => return Err("missing required Mcp-Method header".to_owned()),
        Some(value) if value != method => {
            return Err("Mcp-Method header does not match the body's method".to_owned());
        }
        Some(_) => {}
    }
    let Some(expected) = name_in_body(method, params) else {
        return Ok(());
    };
    let Some(value) = single(headers, "mcp-name")? else {
        return Err(format!("missing required Mcp-Name header for {method}"));
    };
    match decode(value) {
        Some(value) if value == expected => Ok(()),
        Some(_) => Err("Mcp-Name header does not match the body".to_owned()),
        None => Err("Mcp-Name header is not valid base64".to_owned()),
    }
}

/// What `Mcp-Name` has to mirror.
fn name_in_body<'a>(method: &str, params: Option<&'a Value>) -> Option<&'a str> {
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return None,
    };
    params?.get(key)?.as_str()
}

/// Undoes the `=?base64?…?=` form that carries what a header value cannot.
fn decode(value: &str) -> Option<String> {
    match value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    {
        Some(encoded) => String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}
