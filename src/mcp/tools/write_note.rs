//! `write_note`: makes a note, or replaces what one holds.

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
use crate::vault::{
    VaultClient,
    client::{WriteMode, WriteOutcome, WriteRequest, Written},
};

/// The arguments of `write_note`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The note's path, such as "Projects/Boat.md". Folders come into being with their first note.
    path: String,
    /// The whole text of the note, as plain text: it is stored exactly like this.
    content: String,
    /// "overwrite" (the default) replaces the note, or makes it where there is none; "create"
    /// makes a new note and refuses to touch an existing one.
    #[serde(default)]
    #[schemars(extend("default" = "overwrite"))]
    mode: Mode,
    /// The revision that the note must still have, from `read_note` or `list_notes`. If somebody
    /// has changed it since, nothing is written. Give it whenever the new text is based on the old.
    #[serde(default)]
    #[schemars(with = "String")]
    expected_revision: Option<String>,
    /// One line that says what the change is for; it becomes the commit's subject.
    #[serde(default)]
    #[schemars(with = "String")]
    message: Option<String>,
}

/// What a write does where the note exists.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Overwrite,
    Create,
}

impl From<Mode> for WriteMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Overwrite => Self::Overwrite,
            Mode::Create => Self::Create,
        }
    }
}

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
        "Write one Markdown note: make it, or replace its whole text. Each write is one git commit \
         in the vault's repository. The answer names the new revision, the commit, and what was \
         replaced. Read a note before you replace it, and pass its revision as expected_revision.",
        schema::of::<Arguments>(),
    )
    .with_title("Write a note")
    .with_annotations(annotations::changes())
}

pub(super) async fn call(
    vault: &VaultClient,
    arguments: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let arguments: Arguments = arguments::parse(arguments).map_err(ToolError::Arguments)?;
    let written = vault
        .write(&WriteRequest {
            path: &arguments.path,
            content: &arguments.content,
            mode: arguments.mode.into(),
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
