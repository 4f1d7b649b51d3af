//! Requests to the MCP endpoint, put together right and then taken apart by a test.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE, HOST},
};
use serde_json::{Value, json};
use vault_mcp::{http::Request, mcp::Era};

/// The newest revision that opens with `initialize`.
pub(crate) const LEGACY: &str = "2025-11-25";
/// The revision that repeats version and capabilities in every request.
pub(crate) const MODERN: &str = "2026-07-28";

/// A request to the endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    method: Method,
    target: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Post {
    /// A body as it is, with the headers that every client sends.
    pub(crate) fn raw(body: impl Into<Bytes>) -> Self {
        let headers = [
            (HOST, HeaderValue::from_static("vault.example")),
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (
                ACCEPT,
                HeaderValue::from_static("application/json, text/event-stream"),
            ),
        ];
        Self {
            method: Method::POST,
            target: "/mcp".to_owned(),
            headers: headers.into_iter().collect(),
            body: body.into(),
        }
    }

    pub(crate) fn json(message: &Value) -> Self {
        Self::raw(message.to_string())
    }

    /// A request of an era, with everything that one needs; its id is 1.
    pub(crate) fn of(era: Era, method: &str, params: &Value) -> Self {
        match era {
            Era::Legacy => Self::legacy(method, params),
            Era::Modern => Self::modern(method, params),
        }
    }

    /// A call of a tool.
    pub(crate) fn call(era: Era, tool: &str, arguments: &Value) -> Self {
        let params = json!({ "name": tool, "arguments": arguments });
        Self::of(era, "tools/call", &params)
    }

    /// A request of 2025-11-25; the handshake knows no version yet.
    pub(crate) fn legacy(method: &str, params: &Value) -> Self {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let post = Self::json(&message);
        if method == "initialize" {
            return post;
        }
        post.header("mcp-protocol-version", LEGACY)
    }

    /// A request of 2026-07-28.
    pub(crate) fn modern(method: &str, params: &Value) -> Self {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = ["name", "uri", "taskId"]
            .into_iter()
            .find_map(|key| params[key].as_str())
            .map(str::to_owned);
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let post = Self::json(&message)
            .header("mcp-protocol-version", MODERN)
            .header("mcp-method", method);
        match name {
            Some(name) => post.header("mcp-name", &header_form(&name)),
            None => post,
        }
    }

    /// With another HTTP method.
    pub(crate) fn method(mut self, method: &Method) -> Self {
        self.method = method.clone();
        self
    }

    /// To another path, or with a query.
    pub(crate) fn to(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    /// With a header of this one value.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        self.headers.insert(HeaderName::from_static(name), value);
        self
    }

    /// With one more header of that name.
    pub(crate) fn and_header(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        self.headers.append(HeaderName::from_static(name), value);
        self
    }

    pub(crate) fn without_header(mut self, name: &'static str) -> Self {
        self.headers.remove(name);
        self
    }

    /// With the message changed, and the headers as they were.
    pub(crate) fn edit(mut self, edit: impl FnOnce(&mut Value)) -> Self {
        let mut message: Value = serde_json::from_slice(&self.body).unwrap();
        edit(&mut message);
        self.body = message.to_string().into();
        self
    }

    /// With another id.
    pub(crate) fn id(self, id: &Value) -> Self {
        self.edit(|message| message["id"] = id.clone())
    }

    /// What reaches the server.
    pub(crate) fn request(&self) -> Request {
        let mut request = Request::new(self.body.clone());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.target.parse().unwrap();
        *request.headers_mut() = self.headers.clone();
        request
    }
}

/// A name as a header carries it: encoded where it would not survive as it is.
fn header_form(name: &str) -> String {
    let plain = name.bytes().all(|byte| (0x21..0x7f).contains(&byte)) && !name.starts_with("=?");
    if plain {
        return name.to_owned();
    }
    format!("=?base64?{}?=", BASE64_STANDARD.encode(name))
}
