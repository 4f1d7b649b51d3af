//! What a client is told about a tool's effects, so that it can ask the person first.
//!
//! Every hint is written out: left out, they mean the opposite of what most tools here do.

use rmcp::model::ToolAnnotations;

/// A tool that only looks.
pub(super) fn reads() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
}

/// A tool that changes a note. Doing it again changes nothing more: the second write finds the same
/// text, the second deletion no note.
pub(super) fn changes() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false)
}
