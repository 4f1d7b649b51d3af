//! rmcp's own client through the whole OAuth flow: `rmcp-client URL BROWSER`.
//!
//! 1. Asks for an authorization at what the server's metadata leads to, registering itself.
//! 2. Runs BROWSER with the authorization URL, and waits on a loopback port for the answer.
//! 3. Lists the tools, and calls `read_note` for `Index.md`.
//! 4. Prints `waiting`, reads a line, and calls again. If its access token was ended meanwhile, rmcp
//!    refreshes it by itself.
//!
//! Prints one JSON object: the names of the tools, and the first text of each call's result.

use std::error::Error;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, Peer, RoleClient};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::auth::{AuthClient, AuthorizationManager, AuthorizationRequest, OAuthState};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Map, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::time::timeout;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How long the person may take.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, browser] = arguments.as_slice() else {
        return Err("usage: rmcp-client URL BROWSER".into());
    };

    let client = AuthClient::new(reqwest::Client::new(), log_in(url, browser).await?);
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: None,
    };
    let server = ().serve_with_lifecycle(transport, lifecycle).await?;
    let tools = server.list_all_tools().await?;
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    let first = read_index(&server).await?;
    println!("waiting");
    std::io::stdin().read_line(&mut String::new())?;
    let second = read_index(&server).await?;
    println!("{}", json!({ "tools": names, "calls": [first, second] }));
    server.cancel().await?;
    Ok(())
}

/// Steps 1 and 2.
async fn log_in(url: &str, browser: &str) -> Result<AuthorizationManager> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
    let mut state = OAuthState::new(url, None).await?;
    let request = AuthorizationRequest::new(format!("{origin}/callback"))
        .with_client_name("rmcp client")
        .with_application_type("native");
    state.start_authorization(request).await?;
    let mut person = Command::new(browser)
        .arg(state.get_authorization_url().await?)
        .kill_on_drop(true)
        .spawn()?;
    let target = timeout(PATIENCE, callback(&listener)).await??;
    person.wait().await?;
    state
        .handle_callback_url(&format!("{origin}{target}"))
        .await?;
    state
        .into_authorization_manager()
        .ok_or_else(|| "the flow ended without an authorization".into())
}

/// Serves one request, and returns its target: the path with the query.
async fn callback(listener: &TcpListener) -> Result<String> {
    let (mut stream, _) = listener.accept().await?;
    let mut line = String::new();
    BufReader::new(&mut stream).read_line(&mut line).await?;
    stream
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nDone.")
        .await?;
    line.split(' ')
        .nth(1)
        .map(str::to_owned)
        .ok_or_else(|| "the browser came back with something that is no request".into())
}

/// The first text that `read_note` answers with, errors of the tool included.
async fn read_index(server: &Peer<RoleClient>) -> Result<String> {
    let arguments = Map::from_iter([("path".to_owned(), json!("Index.md"))]);
    let call = CallToolRequestParams::new("read_note").with_arguments(arguments);
    let result = server.call_tool(call).await?;
    let text = result.content.first().and_then(|block| block.as_text());
    text.map(|text| text.text.clone())
        .ok_or_else(|| "read_note answered without a text".into())
}
