//! `vault_overview`: what the vault is, and what the caller may do in it.

use std::borrow::Cow;

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        arguments,
        result::{self, ToolError},
    },
    annotations, fit, schema,
};
use crate::{
    date,
    vault::{
        VaultClient,
        client::{FolderSummary, IndexedFacts, ListedNote, VaultOverview},
        commit::Author,
        error::ReadOnly,
        storage::{CommitId, Indexed, Progress, TagCount},
    },
};

/// The characters that each list of an answer takes at most.
const ROOM: usize = 10_000;

/// `vault_overview` has no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

/// The facts of an answer.
#[derive(Serialize)]
struct Facts<'a> {
    notes: usize,
    bytes: u64,
    folders: Vec<FolderFacts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folders_left_out: Option<usize>,
    #[serde(flatten)]
    indexed: Option<IndexedPart<'a>>,
    instructions: Vec<InstructionFacts<'a>>,
    you: YouFacts<'a>,
    index: IndexState,
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// What is missing while the index is being built.
#[derive(Serialize)]
struct IndexedPart<'a> {
    distinct_tags: usize,
    tags: Vec<TagFacts<'a>>,
    recent: Vec<RecentFacts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_unknown: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vault_token_expires: Option<String>,
}

#[derive(Serialize)]
struct FolderFacts<'a> {
    path: &'a str,
    notes: usize,
}

#[derive(Serialize)]
struct TagFacts<'a> {
    tag: Cow<'a, str>,
    notes: usize,
}

#[derive(Serialize)]
struct RecentFacts<'a> {
    path: &'a str,
    title: Cow<'a, str>,
    modified: Option<String>,
}

#[derive(Serialize)]
struct InstructionFacts<'a> {
    path: &'a str,
    revision: &'a str,
}

#[derive(Serialize)]
struct YouFacts<'a> {
    name: &'a str,
    email: &'a str,
    client: &'a str,
    scope: &'static str,
    may_write: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum IndexState {
    Ready {
        #[serde(skip_serializing_if = "Option::is_none")]
        checked: Option<String>,
    },
    Building {
        indexed: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<u64>,
    },
}

pub(super) fn definition() -> Tool {
    Tool::new(
        "vault_overview",
        "Sum the vault up: how many notes, the folders at its root, the tags most used, the notes \
         changed last, for whom you act and what you may change, how far the search index is, and \
         where the vault's own instructions for agents are, to be read with read_note. Call it with \
         {} before you begin.",
        schema::of::<Arguments>(),
    )
    .with_title("Vault overview")
    .with_annotations(annotations::reads())
}

pub(super) async fn call(
    vault: &VaultClient,
    arguments: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let Arguments {} = arguments::parse(arguments).map_err(ToolError::Arguments)?;
    let overview = vault.overview().await?;
    Ok(result::answer(
        &facts(&overview, vault.author()),
        Vec::new(),
    ))
}

fn facts<'a>(overview: &'a VaultOverview, author: &'a Author) -> Facts<'a> {
    let folders = fit::first(overview.folders.iter().map(folder), ROOM).0;
    let (indexed, index, warning) = match &overview.indexed {
        Indexed::Answer(indexed) => (
            Some(indexed_part(indexed)),
            IndexState::Ready {
                checked: indexed.checked_at.map(date::format),
            },
            token_warning(indexed),
        ),
        Indexed::Building(Progress { indexed, total }) => (
            None,
            IndexState::Building {
                indexed: *indexed,
                of: *total,
            },
            None,
        ),
    };
    Facts {
        notes: overview.notes,
        bytes: overview.bytes,
        folders_left_out: Some(overview.folders.len() - folders.len()).filter(|count| *count > 0),
        folders,
        indexed,
        instructions: overview.instructions.iter().map(instruction).collect(),
        you: you(author, overview.read_only),
        index,
        commit: overview.commit.as_ref().map(CommitId::as_str),
        warning,
    }
}

fn indexed_part(indexed: &IndexedFacts) -> IndexedPart<'_> {
    IndexedPart {
        distinct_tags: indexed.distinct_tags,
        tags: fit::first(indexed.tags.iter().map(tag), ROOM).0,
        recent: fit::first(indexed.recent.iter().map(recent), ROOM).0,
        modified_unknown: Some(indexed.undated).filter(|count| *count > 0),
        vault_token_expires: indexed.token_expires_at.map(date::format),
    }
}

fn token_warning(indexed: &IndexedFacts) -> Option<String> {
    let end = indexed
        .token_expires_at
        .filter(|_| indexed.token_expires_soon)?;
    Some(format!(
        "the vault token expires at {}; tell the vault's owner to set a new VAULT_GITHUB_TOKEN before then",
        date::format(end)
    ))
}

fn folder(folder: &FolderSummary) -> FolderFacts<'_> {
    FolderFacts {
        path: folder.path.as_str(),
        notes: folder.notes,
    }
}

fn tag(tag: &TagCount) -> TagFacts<'_> {
    TagFacts {
        tag: fit::title(&tag.tag),
        notes: tag.notes,
    }
}

fn recent(note: &ListedNote) -> RecentFacts<'_> {
    RecentFacts {
        path: note.path.as_str(),
        title: fit::title(&note.title),
        modified: note.modified.map(date::format),
    }
}

fn instruction(note: &ListedNote) -> InstructionFacts<'_> {
    InstructionFacts {
        path: note.path.as_str(),
        revision: note.revision.as_str(),
    }
}

fn you(author: &Author, read_only: Option<ReadOnly>) -> YouFacts<'_> {
    YouFacts {
        name: author.name(),
        email: author.email(),
        client: author.client(),
        scope: match read_only {
            None => "vault:read vault:write",
            Some(_) => "vault:read",
        },
        may_write: read_only.is_none(),
        why_not: read_only.map(|reason| match reason {
            ReadOnly::Vault => "the vault is read-only by its owner's setting",
            ReadOnly::Login => "this login may only read",
            ReadOnly::Withdrawn => "this login may no longer write",
        }),
    }
}
