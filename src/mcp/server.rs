//! The servers that the guard can pick for a request: the vault, nothing, or one that asks to wait.

use std::{rc::Rc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        DiscoverResult, GetPromptRequestParams, GetPromptResponse, Implementation,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};

use super::{
    completion, prompts, resources,
    result::{ToolError, failure},
    tools::{self, ToolName},
};
use crate::vault::VaultClient;

/// How long a client may keep a list of what is offered, in milliseconds. Short, because the
/// allowlist and the read-only switch can change what belongs in it.
pub(super) const LIST_TTL_MS: u64 = 60_000;

/// What a model is told about the vault before it calls anything.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// The vault, for somebody who may see it.
#[derive(Clone, Debug)]
pub struct VaultServer {
    vault: Rc<VaultClient>,
}

impl VaultServer {
    /// A server over `vault`, which knows what its caller may do.
    #[must_use]
    pub const fn new(vault: Rc<VaultClient>) -> Self {
        Self { vault }
    }

    /// The tools that this caller gets, in the order of [`ToolName::ALL`].
    fn tools(&self) -> Vec<Tool> {
        ToolName::ALL
            .into_iter()
            .filter(|tool| !tool.is_mutation() || self.vault.may_write())
            .map(ToolName::definition)
            .collect()
    }
}

impl ServerHandler for VaultServer {
    fn get_info(&self) -> ServerConfig {
        info().with_instructions(INSTRUCTIONS)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        Ok(private_discovery(self))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(private_list(self.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = ToolName::parse(&request.name).ok_or_else(|| unknown_tool(&request.name))?;
        Ok(tools::call(tool, &self.vault, request.arguments)
            .await
            .into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.vault, request).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = resources::read(&self.vault, &request.uri).await;
        read.map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(prompts::list())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = prompts::get(&self.vault, request).await;
        prompt.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        completion::complete(&self.vault, &request).await
    }
}

/// The server of somebody whom the allowlist does not hold: it offers nothing, and says no more.
#[derive(Clone, Copy, Debug)]
pub struct EmptyServer;

impl ServerHandler for EmptyServer {
    fn get_info(&self) -> ServerConfig {
        info()
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        Ok(private_discovery(self))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(private_list(Vec::new()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Err(unknown_tool(&request.name))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(resources::private_list(Vec::new()))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(resources::private_templates(Vec::new()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Err(resources::not_found(&request.uri))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(prompts::private_list(Vec::new()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(prompts::unknown_prompt(&request.name))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(completion::unknown(&request.r#ref))
    }
}

/// The server of somebody whose client has made too many calls: a model reads what to do.
#[derive(Clone, Copy, Debug)]
pub struct HurriedServer {
    /// How long until the next call.
    pub retry_after: Duration,
}

impl ServerHandler for HurriedServer {
    fn get_info(&self) -> ServerConfig {
        info()
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(failure(&ToolError::TooManyCalls(self.retry_after)).into())
    }
}

/// What all servers say of themselves; it must not tell them apart before login.
fn info() -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_resources()
        .enable_prompts()
        .enable_completions()
        .build();
    ServerConfig::new(capabilities)
        .with_server_info(Implementation::new("vault-mcp", env!("CARGO_PKG_VERSION")))
}

/// The discovery answer, for the asking client's own cache alone: the library's default would let
/// anybody on the way keep it.
fn private_discovery(server: &impl ServerHandler) -> DiscoverResult {
    let mut result = DiscoverResult::from_server_info(
        server.supported_protocol_versions().into_owned(),
        server.get_info(),
    );
    result.ttl_ms = LIST_TTL_MS;
    result.cache_scope = CacheScope::Private;
    result
}

/// A list of tools, for the asking client's own cache alone.
fn private_list(tools: Vec<Tool>) -> ListToolsResult {
    ListToolsResult::with_all_items(tools)
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Private)
}

/// Refuses every cursor: a list of one page gives none away.
fn only_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    if request.is_some_and(|request| request.cursor.is_some()) {
        return Err(ErrorData::invalid_params(
            "unknown cursor: everything is on one page",
            None,
        ));
    }
    Ok(())
}

/// A tool that is not offered is a protocol error, not a tool's answer (MCP, "Tools").
fn unknown_tool(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown tool: {name}"), None)
}
