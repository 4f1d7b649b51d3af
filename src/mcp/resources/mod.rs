//! Notes as resources (MCP, "Resources"): what clients list, attach and embed by URI.
//!
//! Read by the same [`VaultClient`] as the tools, and by nothing else. A note that policy hides, one
//! that does not exist and a URI of something else are the same answer.

pub(super) mod uri;

use rmcp::{
    ErrorData,
    model::{
        Annotations, CacheScope, ListResourceTemplatesResult, ListResourcesResult,
        PaginatedRequestParams, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    },
};
use serde_json::json;

use super::{
    result::{self, MAX_CHARACTERS},
    server::LIST_TTL_MS,
    tools::fit,
};
use crate::{
    date,
    vault::{
        VaultClient,
        client::{FilterRequest, ListRequest, ListedNote, Note},
        error::Code,
        path::VaultPath,
        storage::Order,
    },
};

/// The type of every note (RFC 7763).
const MARKDOWN: &str = "text/markdown";

/// The most notes on a page.
const PAGE: usize = 200;

/// Characters of a page beside its notes: the cursor and the members of the result.
const FRAME: usize = 1_000;

/// How long a client may keep what the vault holds, in milliseconds: not at all, or it would not see
/// its own changes.
const VAULT_TTL_MS: u64 = 0;

/// `resources/list`: a page of all notes, in the order of their paths.
///
/// # Errors
/// Invalid parameters for a cursor that is not ours or of a state that is gone; an internal error
/// for what the backend reports.
pub(super) async fn list(
    vault: &VaultClient,
    request: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    let request = ListRequest {
        dir: "",
        depth: None,
        filter: FilterRequest::default(),
        order: Order::Path,
        limit: PAGE,
        cursor: cursor.as_deref(),
    };
    let page = vault.list(&request).await;
    let mut page = page.map_err(|error| result::rpc_error(&error))?;
    let sizes = page.notes.iter().map(|note| fit::size(&resource(note)));
    page.shorten(fit::into(sizes, MAX_CHARACTERS - FRAME).count);
    let mut listed = private_list(page.notes.iter().map(resource).collect());
    listed.next_cursor = page.next;
    Ok(listed)
}

/// A page of resources, for the asking client alone.
pub(super) fn private_list(resources: Vec<Resource>) -> ListResourcesResult {
    ListResourcesResult::with_all_items(resources)
        .with_ttl_ms(VAULT_TTL_MS)
        .with_cache_scope(CacheScope::Private)
}

/// `resources/templates/list`: the one template, for the asking client alone.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let note = ResourceTemplate::new(uri::TEMPLATE, "note")
        .with_title("A note of the vault")
        .with_description(
            "The text of one note, by its path as list_notes returns it, percent-encoded.",
        )
        .with_mime_type(MARKDOWN);
    private_templates(vec![note])
}

/// Templates, for the asking client alone.
pub(super) fn private_templates(templates: Vec<ResourceTemplate>) -> ListResourceTemplatesResult {
    ListResourceTemplatesResult::with_all_items(templates)
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Private)
}

/// `resources/read`: a whole note, verbatim, under the URI of the path that was read.
///
/// # Errors
/// [`not_found`] for what is no note that may be shown; an internal error for a note that is no text
/// or too long for one answer, and for what the backend reports.
pub(super) async fn read(vault: &VaultClient, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let path = uri::path(uri).ok_or_else(|| not_found(uri))?;
    let note = vault.read(&path, None).await;
    let note = note.map_err(|error| {
        let code = error.code();
        if matches!(code, Code::InvalidPath | Code::NotANote | Code::NotFound) {
            not_found(uri)
        } else {
            result::rpc_error(&error)
        }
    })?;
    let contents = contents(&note).ok_or_else(|| too_large(&note))?;
    Ok(ReadResourceResult::new(vec![contents])
        .with_ttl_ms(VAULT_TTL_MS)
        .with_cache_scope(CacheScope::Private))
}

/// A note with its text; `None` where that is too long for one answer.
pub(super) fn contents(note: &Note) -> Option<ResourceContents> {
    let uri = uri::of(&note.path);
    let size = note.text.chars().count() + uri.len();
    (size <= MAX_CHARACTERS - FRAME)
        .then(|| ResourceContents::text(note.text.as_str(), uri).with_mime_type(MARKDOWN))
}

/// A note without its text, for whoever wants to read it.
pub(super) fn link(path: &VaultPath, title: &str) -> Resource {
    Resource::new(uri::of(path), path.file_name())
        .with_title(fit::title(title))
        // A URI is hard to read where a name has other letters than a to z.
        .with_description(path.as_str())
        .with_mime_type(MARKDOWN)
}

/// The same with what a listing knows.
pub(super) fn resource(note: &ListedNote) -> Resource {
    let resource = link(&note.path, &note.title).with_size(note.bytes);
    match note.modified {
        None => resource,
        Some(time) => {
            let mut annotations = Annotations::default();
            annotations.last_modified = Some(date::format(time));
            resource.with_annotations(annotations)
        }
    }
}

/// There is no such resource: -32002 for legacy clients and -32602 for modern ones, which the
/// dispatch makes of it (MCP 2025-11-25 and 2026-07-28, "Resources", error handling).
pub(super) fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(
        "there is no such resource; resources/list names them all",
        Some(json!({ "uri": uri })),
    )
}

fn too_large(note: &Note) -> ErrorData {
    let code = Code::TooLarge.as_str();
    let message = format!(
        "{code}: the note has {} bytes, and a resource of this server at most {MAX_CHARACTERS} characters. \
         Read it in windows: read_note with lines.",
        note.text.len()
    );
    ErrorData::internal_error(message, Some(json!({ "code": code })))
}
