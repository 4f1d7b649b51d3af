//! `write_note`: makes a note, or changes what one holds.

mod answer;
mod arguments;
mod frontmatter;

use rmcp::model::{CallToolResult, JsonObject, Tool};

use self::arguments::Arguments;
use super::{
    super::{arguments::parse, result::ToolError},
    annotations, schema,
};
use crate::vault::{VaultClient, client::WriteRequest};

pub(super) fn definition() -> Tool {
    Tool::new(
        "write_note",
        "Write one Markdown note: make it, replace its whole text, add to it, or replace quoted text \
         in it. Each write is one git commit in the vault's repository. The answer names the new \
         revision, the commit, what was replaced, and in a second block what changed, as a diff. To \
         change a part of a note, use mode \"edit\", \
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
    let edits = arguments.edits().map_err(ToolError::Arguments)?;
    let written = vault
        .write(&WriteRequest {
            path: &arguments.path,
            text: arguments.text(&edits).map_err(ToolError::Arguments)?,
            properties: &edits.properties,
            expected_revision: arguments.expected_revision.as_deref(),
            dry_run: arguments.dry_run,
            message: arguments.message.as_deref(),
        })
        .await?;
    Ok(answer::of(&written))
}
