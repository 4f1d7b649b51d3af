//! The MCP endpoint as HTTP: what is asked in which order, and how every defect is answered.

mod fuzz;
mod http;
mod legacy;
mod messages;
mod modern;

use crate::support::app::{Post, TestApp};
use serde_json::json;
use vault_mcp::mcp::Era;

/// A server over a vault with one note.
fn app() -> TestApp {
    TestApp::of(&[("Note.md", "text\n")])
}

/// A request that succeeds without touching the vault.
fn list_tools(era: Era) -> Post {
    Post::of(era, "tools/list", &json!({}))
}

/// Both eras, for tables.
const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];
