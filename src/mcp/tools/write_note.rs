//! `write_note`: makes a note, or changes what one holds.

mod arguments;

use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde::Serialize;

use self::arguments::Arguments;

use super::{
    super::{
        arguments::parse,
        result::{self, ToolError},
    },
    annotations,
    commit::{CommitFacts, ReplacedFacts},
    schema,
};
use crate::vault::{
    VaultClient,
    client::{WriteOutcome, WriteRequest, Written},
};

/// The facts of an answer.
#[derive(Serialize)]
struct Facts<'a> {
    path: &'a str,
    created: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unchanged: bool,
    revision: &'a str,
    bytes: usize,
    #[serde(flatten)]
    commit: CommitFacts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<ReplacedFacts<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) fn definition() -> Tool {
    Tool::new(
        "write_note",
        "Write one Markdown note: make it, replace its whole text, add to it, or replace quoted text \
         in it. Each write is one git commit in the vault's repository. The answer names the new \
         revision, the commit, and what was replaced. To change a part of a note, use mode \"edit\", \
         \"append\" or \"prepend\" rather than to send the whole. Read a note before you overwrite \
         it, and pass its revision as expected_revision.",
        schema::of::<Arguments>(),
    )
    .with_title("Write a note")
    .with_annotations(annotations::writes())
}

pub(super) async fn call(
    vault: &VaultClient,
    arguments: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let arguments: Arguments = parse(arguments).map_err(ToolError::Arguments)?;
    let edits = arguments.edits();
    let written = vault
        .write(&WriteRequest {
            path: &arguments.path,
            text: arguments.text(&edits).map_err(ToolError::Arguments)?,
            expected_revision: arguments.expected_revision.as_deref(),
            message: arguments.message.as_deref(),
        })
        .await?;
    Ok(result::answer(&facts(&written), Vec::new()))
}

fn facts(written: &Written) -> Facts<'_> {
    let (created, unchanged, commit, replaced, recreated) = match &written.outcome {
        WriteOutcome::Created(committed) => (
            true,
            false,
            CommitFacts::of(committed),
            None,
            committed.recreated,
        ),
        WriteOutcome::Replaced {
            committed,
            replaced,
        } => {
            let replaced = ReplacedFacts::of(replaced);
            (
                false,
                false,
                CommitFacts::of(committed),
                Some(replaced),
                committed.recreated,
            )
        }
        WriteOutcome::Unchanged { commit } => {
            (false, true, CommitFacts::at(commit.as_ref()), None, false)
        }
    };
    let mut warnings = Vec::new();
    if recreated {
        warnings
            .push("the note had been deleted by somebody else; this write made it again".into());
    }
    if let Some(problem) = &written.unlinkable {
        warnings.push(format!("wikilinks cannot reach this note: {problem}"));
    }
    Facts {
        path: written.path.as_str(),
        created,
        unchanged,
        revision: written.revision.as_str(),
        bytes: written.bytes,
        commit,
        replaced,
        warnings,
    }
}
