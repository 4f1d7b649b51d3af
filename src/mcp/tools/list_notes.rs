//! `list_notes`: which notes there are.

use std::borrow::Cow;

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        arguments,
        result::{self, MAX_CHARACTERS, ToolError},
    },
    annotations, fit, schema,
};
use crate::{
    date,
    vault::{
        VaultClient,
        client::{FilterRequest, ListRequest, ListedNote, MAX_PAGE, NotePage},
        storage::{CommitId, Order},
    },
};

/// The notes of a page where no limit is given.
const DEFAULT_LIMIT: u64 = 100;
/// Characters that the parts of an answer beside its notes usually take, folders aside.
const FRAME: usize = 2_000;

/// The arguments of `list_notes`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Arguments {
    /// Folder to list, such as "Projects" or "Areas/Home". The whole vault when left out.
    #[schemars(with = "String")]
    dir: Option<String>,
    /// How many levels of folders to go into; 1 lists only what lies directly in dir. All levels
    /// when left out.
    #[serde(deserialize_with = "arguments::integer")]
    #[schemars(with = "u32", range(min = 1))]
    depth: Option<u64>,
    /// Only notes with this tag or one below it, such as "boat" for #boat and #boat/refit, in the
    /// frontmatter or in the text.
    #[schemars(with = "String")]
    tag: Option<String>,
    /// Only notes whose frontmatter has these values, such as {"status": "done"}. A list matches
    /// if it has the value; letter case does not matter, and 3 is "3".
    #[serde(deserialize_with = "arguments::properties")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    frontmatter: Vec<(String, String)>,
    /// Only notes changed since then: a date such as "2026-11-30", which begins at midnight UTC, or
    /// a time such as "2026-11-30T09:30:00Z".
    #[schemars(with = "String")]
    modified_since: Option<String>,
    /// The order: by path, which is the default, or last changed first.
    #[schemars(with = "Sort")]
    sort: Option<Sort>,
    /// The most notes to return, from 1 to 1000; 100 when left out. Fewer are returned where they
    /// would not fit into one answer.
    #[serde(deserialize_with = "arguments::integer")]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    limit: Option<u64>,
    /// The `next_cursor` of the previous answer, to go on where it ended. Repeat the other
    /// arguments.
    #[schemars(with = "String")]
    cursor: Option<String>,
}

/// The order of notes.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    Path,
    Modified,
}

/// The facts of an answer.
#[derive(Serialize)]
struct Facts<'a> {
    dir: &'a str,
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_unknown: Option<usize>,
    notes: Vec<NoteFacts<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folders: Vec<FolderFacts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folders_left_out: Option<usize>,
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
}

#[derive(Serialize)]
struct NoteFacts<'a> {
    path: &'a str,
    title: Cow<'a, str>,
    bytes: u64,
    revision: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
}

#[derive(Serialize)]
struct FolderFacts<'a> {
    path: &'a str,
    notes: usize,
}

pub(super) fn definition() -> Tool {
    Tool::new(
        "list_notes",
        "List the vault's notes, or those with a tag, a frontmatter value or a recent change. Gives \
         each note's path, title, size, revision and, where known, when it was last changed; the \
         total over all pages; and the folders with how many of the notes lie in each. Call it with \
         {} to see the whole vault, or with dir for one folder. modified_unknown counts notes of \
         which it is not known when they were changed.",
        schema::of::<Arguments>(),
    )
    .with_title("List notes")
    .with_annotations(annotations::reads())
}

pub(super) async fn call(
    vault: &VaultClient,
    arguments: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let arguments: Arguments = arguments::parse(arguments).map_err(ToolError::Arguments)?;
    let request = ListRequest {
        dir: arguments.dir.as_deref().unwrap_or_default(),
        depth: arguments
            .depth
            .map(|depth| usize::try_from(depth).unwrap_or(usize::MAX)),
        filter: FilterRequest {
            tag: arguments.tag.as_deref(),
            frontmatter: &arguments.frontmatter,
            modified_since: arguments.modified_since.as_deref(),
        },
        order: match arguments.sort {
            None | Some(Sort::Path) => Order::Path,
            Some(Sort::Modified) => Order::Modified,
        },
        // Out of range where it does not fit, and refused as such.
        limit: usize::try_from(arguments.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(usize::MAX),
        cursor: arguments.cursor.as_deref(),
    };
    debug_assert!(usize::try_from(DEFAULT_LIMIT).is_ok_and(|limit| limit <= MAX_PAGE));
    let mut page = vault.list(&request).await?;
    let folders = fit::into(
        page.folders.iter().map(|folder| {
            fit::size(&FolderFacts {
                path: folder.path.as_str(),
                notes: folder.notes,
            })
        }),
        MAX_CHARACTERS / 2,
    );
    let room = MAX_CHARACTERS - FRAME - folders.size;
    let notes = fit::into(
        page.notes.iter().map(|note| fit::size(&note_facts(note))),
        room,
    );
    page.shorten(notes.count);
    // The folder's own path and the cursor can be longer than what is kept for them: a path may
    // have thousands of characters.
    let mut folders = folders.count;
    while fit::size(&facts(&page, folders)) > MAX_CHARACTERS {
        match page.notes.len() {
            0 | 1 if folders == 0 => break,
            0 | 1 => folders /= 2,
            more => page.shorten(more - 1),
        }
    }
    Ok(result::answer(&facts(&page, folders), Vec::new()))
}

fn note_facts(note: &ListedNote) -> NoteFacts<'_> {
    NoteFacts {
        path: note.path.as_str(),
        title: fit::title(&note.title),
        bytes: note.bytes,
        revision: note.revision.as_str(),
        modified: note.modified.map(date::format),
    }
}

fn facts(page: &NotePage, folders: usize) -> Facts<'_> {
    Facts {
        dir: page.dir.as_str(),
        total: page.total,
        modified_unknown: Some(page.undated).filter(|count| *count > 0),
        notes: page.notes.iter().map(note_facts).collect(),
        folders: page
            .folders
            .iter()
            .take(folders)
            .map(|folder| FolderFacts {
                path: folder.path.as_str(),
                notes: folder.notes,
            })
            .collect(),
        folders_left_out: Some(page.folders.len() - folders).filter(|count| *count > 0),
        commit: page.commit.as_ref().map(CommitId::as_str),
        next_cursor: page.next.as_deref(),
    }
}
