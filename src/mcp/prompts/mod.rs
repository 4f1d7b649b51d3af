//! Prompts (MCP, "Prompts"): what a person picks out of a menu to begin with.
//!
//! A prompt says what to do and names the notes it is about by their resources. A note's text is in
//! it only as an embedded resource, never among the instructions.

mod find_in_vault;
mod summarize_note;
mod weekly_review;

use rmcp::{
    ErrorData,
    model::{
        CacheScope, ContentBlock, GetPromptRequestParams, GetPromptResult, JsonObject,
        ListPromptsResult, Prompt, PromptArgument, PromptMessage, Resource, Role,
    },
};
use serde::de::DeserializeOwned;

use super::{arguments, server::LIST_TTL_MS};
use crate::vault::VaultClient;

/// How many notes a prompt names at the most.
const MAX_LINKS: usize = 20;

/// A prompt that this server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptName {
    FindInVault,
    SummarizeNote,
    WeeklyReview,
}

impl PromptName {
    /// Every prompt, in the order in which they are offered.
    const ALL: [Self; 3] = [Self::FindInVault, Self::SummarizeNote, Self::WeeklyReview];

    /// The name on the wire.
    const fn as_str(self) -> &'static str {
        match self {
            Self::FindInVault => "find_in_vault",
            Self::SummarizeNote => "summarize_note",
            Self::WeeklyReview => "weekly_review",
        }
    }

    /// The prompt of this name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prompt| prompt.as_str() == name)
    }

    /// Its title, and what a person is told about it.
    const fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::FindInVault => find_in_vault::DESCRIBED,
            Self::SummarizeNote => summarize_note::DESCRIBED,
            Self::WeeklyReview => weekly_review::DESCRIBED,
        }
    }

    /// Its arguments.
    pub(super) fn arguments(self) -> Vec<PromptArgument> {
        vec![match self {
            Self::FindInVault => find_in_vault::argument(),
            Self::SummarizeNote => summarize_note::argument(),
            Self::WeeklyReview => weekly_review::argument(),
        }]
    }

    fn definition(self) -> Prompt {
        let (title, description) = self.described();
        Prompt::new(self.as_str(), Some(description), Some(self.arguments())).with_title(title)
    }
}

/// `prompts/list`: all prompts.
pub(super) fn list() -> ListPromptsResult {
    private_list(
        PromptName::ALL
            .into_iter()
            .map(PromptName::definition)
            .collect(),
    )
}

/// A list of prompts, for the asking client alone.
pub(super) fn private_list(prompts: Vec<Prompt>) -> ListPromptsResult {
    ListPromptsResult::with_all_items(prompts)
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Private)
}

/// `prompts/get`: a prompt's messages, all of them the person's.
///
/// # Errors
/// Invalid parameters for a prompt that does not exist and for arguments that do not fit; an
/// internal error for what the backend reports.
pub(super) async fn get(
    vault: &VaultClient,
    request: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let GetPromptRequestParams {
        name, arguments, ..
    } = request;
    let prompt = PromptName::parse(&name).ok_or_else(|| unknown_prompt(&name))?;
    let blocks = match prompt {
        PromptName::FindInVault => find_in_vault::blocks(vault, parsed(arguments)?).await,
        PromptName::SummarizeNote => summarize_note::blocks(vault, parsed(arguments)?).await,
        PromptName::WeeklyReview => weekly_review::blocks(vault, parsed(arguments)?).await,
    }?;
    let messages = blocks
        .into_iter()
        .map(|block| PromptMessage::new(Role::User, block));
    let (_, description) = prompt.described();
    Ok(GetPromptResult::new(messages.collect()).with_description(description))
}

/// A prompt that is not offered (MCP, "Prompts", error handling).
pub(super) fn unknown_prompt(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown prompt: {name}"), None)
}

fn parsed<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, ErrorData> {
    arguments::parse(arguments).map_err(|problem| ErrorData::invalid_params(problem, None))
}

/// What to do, followed by the notes it is about.
fn with_links(instructions: String, links: impl Iterator<Item = Resource>) -> Vec<ContentBlock> {
    let links = links.take(MAX_LINKS).map(ContentBlock::resource_link);
    std::iter::once(ContentBlock::text(instructions))
        .chain(links)
        .collect()
}
