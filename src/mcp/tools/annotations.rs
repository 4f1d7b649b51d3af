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

/// A tool that removes something. Doing it again changes nothing more: the second deletion finds no
/// note.
pub(super) fn deletes() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false)
}

/// A tool that changes a note, and may add to it: done twice, it may add twice.
pub(super) fn writes() -> ToolAnnotations {
    deletes().idempotent(false)
}
