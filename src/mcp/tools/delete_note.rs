//! `delete_note`: removes one note; its text stays in the repository's history.

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        arguments,
        result::{self, ToolError},
    },
    annotations,
    commit::{CommitFacts, ReplacedFacts},
    schema,
};
use crate::vault::{VaultClient, client::DeleteRequest};

/// The arguments of `delete_note`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The note's path, letter for letter as `list_notes` returns it.
    path: String,
    /// The revision that the note must still have, from `read_note` or `list_notes`. If somebody
    /// has changed it since, it is not deleted.
    #[serde(default)]
    #[schemars(with = "String")]
    expected_revision: Option<String>,
    /// One line that says why; it becomes the commit's subject.
    #[serde(default)]
    #[schemars(with = "String")]
    message: Option<String>,
}

/// The facts of an answer.
#[derive(Serialize)]
struct Facts<'a> {
    path: &'a str,
    deleted: bool,
    #[serde(flatten)]
    commit: CommitFacts<'a>,
    replaced: ReplacedFacts<'a>,
    restore: String,
}

pub(super) fn definition() -> Tool {
    Tool::new(
        "delete_note",
        "Delete one note, by its exact path. It is one git commit; the answer names the revision \
         that was deleted and how to bring it back. Links to the note are not changed.",
        schema::of::<Arguments>(),
    )
    .with_title("Delete a note")
    .with_annotations(annotations::deletes())
}

pub(super) async fn call(
    vault: &VaultClient,
    arguments: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let arguments: Arguments = arguments::parse(arguments).map_err(ToolError::Arguments)?;
    let deleted = vault
        .delete(&DeleteRequest {
            path: &arguments.path,
            expected_revision: arguments.expected_revision.as_deref(),
            message: arguments.message.as_deref(),
        })
        .await?;
    let restore = match &deleted.replaced.commit {
        Some(commit) => format!(
            "to bring it back, call write_note with this path, mode \"restore\" and at \"{commit}\"; the text is git blob {}",
            deleted.replaced.revision
        ),
        None => format!(
            "the text is still in the repository's history as git blob {}",
            deleted.replaced.revision
        ),
    };
    let facts = Facts {
        path: deleted.path.as_str(),
        deleted: true,
        commit: CommitFacts::of(&deleted.committed),
        replaced: ReplacedFacts::of(&deleted.replaced),
        restore,
    };
    Ok(result::answer(&facts, Vec::new()))
}
