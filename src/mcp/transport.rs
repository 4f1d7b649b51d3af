//! The endpoint's HTTP side: one message in, one JSON answer out. The only file that drives rmcp.
//!
//! rmcp's own HTTP service needs a runtime with timers and threads, which Workers have not. Its
//! protocol types and its dispatch need neither: a request is handed to the handler directly, with
//! a peer whose transport never delivers anything. `docs/decisions/0001` has the reasons.
//!
//! Answers are always JSON, never an event stream: no tool reports progress, and this server never
//! asks its client anything. Nothing is kept between two requests, so there is no session either.

use std::{convert::Infallible, future};

use ::http::StatusCode;
use bytes::Bytes;
use rmcp::{
    RoleServer, Service,
    model::{
        ClientRequest, ErrorCode, ErrorData, GetMeta, RequestId, ServerJsonRpcMessage, ServerResult,
    },
    service::{RequestContext, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly},
    transport::Transport,
};

use super::{
    request::{self, Era, Message},
    server::VaultServer,
    tools::ToolName,
};
use crate::http::{Request, Response, headers, json};

/// Answers one `POST` to the MCP endpoint on behalf of `server`.
///
/// 1. Read one message, or say what is wrong with it.
/// 2. A notification is accepted with 202 and no body.
/// 3. A request is dispatched; the answer repeats its id.
/// 4. The status tells modern clients about errors that concern routing; legacy clients read all
///    JSON-RPC errors from a 200.
pub async fn respond(server: VaultServer, request: &Request) -> Response {
    // (1)
    let (id, era, request) = match request::read(request) {
        // (2)
        Ok(Message::Notification) => return empty(StatusCode::ACCEPTED),
        Ok(Message::Request { id, era, request }) => (id, era, request),
        Err(error) => {
            let (status, body) = error.to_wire();
            return json(status, &body);
        }
    };
    // (3)
    let outcome = dispatch(server, id.clone(), *request).await;
    // (4)
    let status = match &outcome {
        Err(error) if era == Era::Modern => modern_status(error.code),
        Ok(_) | Err(_) => StatusCode::OK,
    };
    let message = match outcome {
        Ok(result) => ServerJsonRpcMessage::response(result, id),
        Err(error) => ServerJsonRpcMessage::error(error, Some(id)),
    };
    json(status, &message)
}

/// Whether a request calls a tool that changes the vault. Anything that cannot be read does not.
#[must_use]
pub fn calls_mutation(request: &Request) -> bool {
    let Ok(Message::Request { request, .. }) = request::read(request) else {
        return false;
    };
    matches!(*request, ClientRequest::CallToolRequest(call)
        if ToolName::parse(&call.params.name).is_some_and(ToolName::is_mutation))
}

/// Whether a request calls a tool, of whatever name.
#[must_use]
pub fn calls_tool(request: &Request) -> bool {
    matches!(request::read(request), Ok(Message::Request { request, .. })
        if matches!(*request, ClientRequest::CallToolRequest(_)))
}

/// The status of a JSON-RPC error for a modern client (MCP 2026-07-28, "Streamable HTTP").
fn modern_status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// Hands one request to the handler.
///
/// The service that `serve_directly` starts is there for its peer alone: it waits on a transport
/// that stays silent, and ends with the task set.
async fn dispatch(
    server: VaultServer,
    id: RequestId,
    request: ClientRequest,
) -> Result<ServerResult, ErrorData> {
    let tasks = tokio::task::LocalSet::new();
    tasks
        .run_until(async move {
            let running = serve_directly::<RoleServer, _, _, _, _>(server, Silent, None);
            let mut context = RequestContext::new(id, running.peer().clone());
            context.meta = request.get_meta().clone();
            Service::handle_request(running.service(), request, context).await
        })
        .await
}

/// A transport that never receives anything and drops what is sent.
struct Silent;

impl Transport<RoleServer> for Silent {
    type Error = Infallible;

    fn send(
        &mut self,
        _message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        future::pending().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// An answer without a body.
fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = status;
    headers::no_store(response.headers_mut());
    response
}
