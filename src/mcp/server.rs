//! What answers a request: the vault, nothing, or the advice to wait, as the guard picks.

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

/// The server of one request.
///
/// It is one type for every caller, and not one for each kind of them: rmcp's machinery is compiled
/// for every type of server, and that is a twentieth of the module.
#[derive(Clone, Debug)]
pub struct VaultServer {
    offer: Offer,
}

/// What a caller gets.
#[derive(Clone, Debug)]
enum Offer {
    /// The vault, which knows what its caller may do.
    Vault(Rc<VaultClient>),
    /// Nothing, and no word more.
    Nothing,
    /// The advice to wait.
    Wait(Duration),
}

impl VaultServer {
    /// The vault, for somebody who may see it.
    #[must_use]
    pub const fn new(vault: Rc<VaultClient>) -> Self {
        Self {
            offer: Offer::Vault(vault),
        }
    }

    /// The server of somebody whom the allowlist does not hold: it offers nothing.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            offer: Offer::Nothing,
        }
    }

    /// The server of somebody whose client has made too many calls: whatever is called, a model reads
    /// how long to wait.
    #[must_use]
    pub const fn hurried(retry_after: Duration) -> Self {
        Self {
            offer: Offer::Wait(retry_after),
        }
    }

    /// The vault, where this caller may see it.
    fn vault(&self) -> Option<&Rc<VaultClient>> {
        match &self.offer {
            Offer::Vault(vault) => Some(vault),
            Offer::Nothing | Offer::Wait(_) => None,
        }
    }

    /// The tools that this caller gets, in the order of [`ToolName::ALL`].
    fn tools(&self) -> Vec<Tool> {
        let Some(vault) = self.vault() else {
            return Vec::new();
        };
        ToolName::ALL
            .into_iter()
            .filter(|tool| !tool.is_mutation() || vault.may_write())
            .map(ToolName::definition)
            .collect()
    }
}

impl ServerHandler for VaultServer {
    fn get_info(&self) -> ServerConfig {
        match self.vault() {
            Some(_) => info().with_instructions(INSTRUCTIONS),
            None => info(),
        }
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
        let unknown = || unknown_tool(&request.name);
        match &self.offer {
            Offer::Vault(vault) => {
                let tool = ToolName::parse(&request.name).ok_or_else(unknown)?;
                Ok(tools::call(tool, vault, request.arguments).await.into())
            }
            Offer::Nothing => Err(unknown()),
            Offer::Wait(retry_after) => Ok(failure(&ToolError::TooManyCalls(*retry_after)).into()),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if let Some(vault) = self.vault() {
            return resources::list(vault, request).await;
        }
        only_page(request.as_ref())?;
        Ok(resources::private_list(Vec::new()))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(match self.vault() {
            Some(_) => resources::templates(),
            None => resources::private_templates(Vec::new()),
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.vault() {
            Some(vault) => resources::read(vault, &request.uri).await.map(Into::into),
            None => Err(resources::not_found(&request.uri)),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request.as_ref())?;
        Ok(match self.vault() {
            Some(_) => prompts::list(),
            None => prompts::private_list(Vec::new()),
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self.vault() {
            Some(vault) => prompts::get(vault, request).await.map(Into::into),
            None => Err(prompts::unknown_prompt(&request.name)),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match self.vault() {
            Some(vault) => completion::complete(vault, &request).await,
            None => Err(completion::unknown(&request.r#ref)),
        }
    }
}

/// What every server says of itself; it must not tell them apart before login.
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
fn private_discovery(server: &VaultServer) -> DiscoverResult {
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
