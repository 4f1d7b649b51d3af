//! Answers, read as clients read them.

use http::StatusCode;
use serde_json::Value;
use vault_mcp::http::Response;

/// An answer of the server.
#[derive(Debug)]
pub(crate) struct Answer(Response);

impl Answer {
    pub(super) const fn new(response: Response) -> Self {
        Self(response)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.0.status()
    }

    /// The only value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.0.headers().get_all(name).iter();
        let value = values.next()?.to_str().unwrap();
        assert!(values.next().is_none(), "{name} stands twice");
        Some(value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(self.0.body()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(self.0.body())
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The result of a request that must have succeeded.
    pub(crate) fn result(&self) -> Value {
        let mut message = self.json();
        assert_eq!(self.status(), StatusCode::OK, "{message}");
        assert!(message["error"].is_null(), "{message}");
        message["result"].take()
    }

    /// Status and JSON-RPC error code of a request that must have failed.
    pub(crate) fn failure(&self) -> (u16, i64) {
        let message = self.json();
        let code = message["error"]["code"].as_i64();
        (
            self.status().as_u16(),
            code.unwrap_or_else(|| panic!("no error: {message}")),
        )
    }

    /// What came of a request, in a word or two for a table: the status where it is not 200, and
    /// then the JSON-RPC code, the OAuth error, or the code of a tool's error.
    pub(crate) fn outcome(&self) -> String {
        let status = self.status().as_u16();
        let message: Value = serde_json::from_slice(self.0.body()).unwrap_or_default();
        let said = if let Some(code) = message["error"]["code"].as_i64() {
            code.to_string()
        } else if let Some(error) = message["error"].as_str() {
            error.to_owned()
        } else if message["result"]["isError"] == true {
            ToolAnswer::of(&message["result"]).code().to_owned()
        } else {
            String::new()
        };
        match (status, said.as_str()) {
            (200, "") => "ok".to_owned(),
            (200, _) => said,
            (_, "") => status.to_string(),
            _ => format!("{status} {said}"),
        }
    }
}

/// The result of a tool call.
#[derive(Debug)]
pub(crate) struct ToolAnswer {
    is_error: bool,
    blocks: Vec<String>,
}

impl ToolAnswer {
    pub(crate) fn of(result: &Value) -> Self {
        let blocks = result["content"].as_array().unwrap().iter();
        Self {
            is_error: result["isError"].as_bool().unwrap_or_default(),
            blocks: blocks
                .map(|block| {
                    assert_eq!(block["type"], "text", "{block}");
                    block["text"].as_str().unwrap().to_owned()
                })
                .collect(),
        }
    }

    /// Whether the call failed.
    pub(crate) fn is_error(&self) -> bool {
        self.is_error
    }

    /// The facts of a call that must have succeeded.
    pub(crate) fn facts(&self) -> Value {
        assert!(!self.is_error, "{:?}", self.blocks);
        let facts: Value = serde_json::from_str(&self.blocks[0]).unwrap();
        // Compact: what a person would add for reading costs a model.
        assert_eq!(facts.to_string().len(), self.blocks[0].len());
        facts
    }

    /// The texts beside the facts.
    pub(crate) fn texts(&self) -> &[String] {
        assert!(!self.is_error, "{:?}", self.blocks);
        &self.blocks[1..]
    }

    /// The one text of a call that must have failed.
    pub(crate) fn error(&self) -> &str {
        assert!(self.is_error, "{:?}", self.blocks);
        assert_eq!(self.blocks.len(), 1);
        &self.blocks[0]
    }

    /// The code that an error begins with.
    pub(crate) fn code(&self) -> &str {
        let (code, _) = self
            .error()
            .split_once(": ")
            .expect("a code and a sentence");
        code
    }

    /// How many characters a model has to read.
    pub(crate) fn characters(&self) -> usize {
        self.blocks.iter().map(|block| block.chars().count()).sum()
    }
}
