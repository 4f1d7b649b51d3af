//! The tools: one file each, with its arguments, its definition and its call.
//!
//! A tool reads its arguments, makes one call to the vault and shows the answer. Names and the main
//! arguments are fixed: they are what people's prompts and clients' permissions refer to.

mod annotations;
mod commit;
mod delete_note;
pub(super) mod fit;
mod list_notes;
mod note_history;
mod read_note;
mod schema;
mod search_notes;
mod vault_overview;
mod write_note;

use rmcp::model::{CallToolResult, JsonObject, Tool};

use super::result;
use crate::vault::VaultClient;

/// A tool that this server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolName {
    /// `list_notes`.
    ListNotes,
    /// `read_note`.
    ReadNote,
    /// `search_notes`.
    SearchNotes,
    /// `vault_overview`.
    VaultOverview,
    /// `note_history`.
    NoteHistory,
    /// `write_note`.
    WriteNote,
    /// `delete_note`.
    DeleteNote,
}

impl ToolName {
    /// Every tool, in the order in which they are offered. The first accepts `{}`.
    pub const ALL: [Self; 7] = [
        Self::ListNotes,
        Self::ReadNote,
        Self::SearchNotes,
        Self::VaultOverview,
        Self::NoteHistory,
        Self::WriteNote,
        Self::DeleteNote,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ListNotes => "list_notes",
            Self::ReadNote => "read_note",
            Self::SearchNotes => "search_notes",
            Self::VaultOverview => "vault_overview",
            Self::NoteHistory => "note_history",
            Self::WriteNote => "write_note",
            Self::DeleteNote => "delete_note",
        }
    }

    /// The tool of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }

    /// Whether the tool changes the vault.
    #[must_use]
    pub const fn is_mutation(self) -> bool {
        match self {
            Self::ListNotes
            | Self::ReadNote
            | Self::SearchNotes
            | Self::VaultOverview
            | Self::NoteHistory => false,
            Self::WriteNote | Self::DeleteNote => true,
        }
    }

    /// What a client is told about the tool.
    #[must_use]
    pub fn definition(self) -> Tool {
        match self {
            Self::ListNotes => list_notes::definition(),
            Self::ReadNote => read_note::definition(),
            Self::SearchNotes => search_notes::definition(),
            Self::VaultOverview => vault_overview::definition(),
            Self::NoteHistory => note_history::definition(),
            Self::WriteNote => write_note::definition(),
            Self::DeleteNote => delete_note::definition(),
        }
    }
}

/// Calls a tool. Whatever goes wrong is an answer that the model can read (MCP SEP-1303).
///
/// Who may change nothing is told so whatever the arguments are: no others would do either.
pub(super) async fn call(
    tool: ToolName,
    vault: &VaultClient,
    arguments: Option<JsonObject>,
) -> CallToolResult {
    if tool.is_mutation()
        && let Err(refused) = vault.check_writable()
    {
        return result::failure(&refused.into());
    }
    let answer = match tool {
        ToolName::ListNotes => list_notes::call(vault, arguments).await,
        ToolName::ReadNote => read_note::call(vault, arguments).await,
        ToolName::SearchNotes => search_notes::call(vault, arguments).await,
        ToolName::VaultOverview => vault_overview::call(vault, arguments).await,
        ToolName::NoteHistory => note_history::call(vault, arguments).await,
        ToolName::WriteNote => write_note::call(vault, arguments).await,
        ToolName::DeleteNote => delete_note::call(vault, arguments).await,
    };
    answer.unwrap_or_else(|error| result::failure(&error))
}
