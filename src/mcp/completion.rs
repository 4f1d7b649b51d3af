//! Completing what a person types (MCP, "Completion"): the path of a note.

use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use super::{prompts::PromptName, resources::uri, result};
use crate::vault::{VaultClient, client::Completions};

/// What the path of a note is called, in the template and in every prompt that takes one.
const PATH: &str = "path";

/// `completion/complete`.
///
/// # Errors
/// Invalid parameters for a template, a prompt or an argument that does not exist; an internal
/// error for what the backend reports.
pub(super) async fn complete(
    vault: &VaultClient,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let found = if completes_path(request)? {
        let typed = &request.argument.value;
        let found = vault.complete(typed, CompletionInfo::MAX_VALUES).await;
        found.map_err(|error| result::rpc_error(&error))?
    } else {
        Completions::default()
    };
    let has_more = found.paths.len() < found.total;
    let values = found.paths.iter().map(ToString::to_string).collect();
    let total = u32::try_from(found.total).ok();
    CompletionInfo::with_pagination(values, total, has_more)
        .map(CompleteResult::new)
        .map_err(|problem| ErrorData::internal_error(problem, None))
}

/// Whether the path of a note is to be completed; nobody can guess another text of a person's own.
fn completes_path(request: &CompleteRequestParams) -> Result<bool, ErrorData> {
    let reference = &request.r#ref;
    let argument = request.argument.name.as_str();
    let is_known = if reference.as_resource_uri() == Some(uri::TEMPLATE) {
        argument == PATH
    } else {
        let prompt = reference.as_prompt_name().and_then(PromptName::parse);
        let prompt = prompt.ok_or_else(|| unknown(reference))?;
        prompt.arguments().iter().any(|each| each.name == argument)
    };
    if is_known {
        return Ok(argument == PATH);
    }
    let problem = format!("unknown argument: {argument}");
    Err(ErrorData::invalid_params(problem, None))
}

/// There is no such template or prompt (MCP, "Completion", error handling).
pub(super) fn unknown(reference: &Reference) -> ErrorData {
    let name = reference
        .as_prompt_name()
        .or_else(|| reference.as_resource_uri())
        .unwrap_or_default();
    let kind = reference.reference_type();
    ErrorData::invalid_params(format!("unknown {kind}: {name}"), None)
}
