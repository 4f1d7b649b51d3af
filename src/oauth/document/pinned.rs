//! Claude's own documents, as they were when this version was made.
//!
//! They stand in where the real ones cannot be fetched: a bot wall or an outage there then locks
//! nobody out of here. What they say is public and changes rarely; where the real document can be
//! fetched, it counts alone.

use crate::oauth::{
    client::{Client, ClientAuthentication, ClientSource},
    types::ClientId,
};

/// The pinned client of that identifier, if it is one of Claude's.
pub(in crate::oauth) fn client(id: &ClientId) -> Option<Client> {
    let (name, redirect_uris): (&str, &[&str]) = match id.as_str() {
        "https://claude.ai/oauth/mcp-oauth-client-metadata" => (
            "Claude",
            &[
                "https://claude.ai/api/mcp/auth_callback",
                "https://claude.com/api/mcp/auth_callback",
            ],
        ),
        "https://claude.ai/oauth/claude-code-client-metadata" => (
            "Claude Code",
            &["http://localhost/callback", "http://127.0.0.1/callback"],
        ),
        _ => return None,
    };
    Some(Client {
        id: id.clone(),
        name: Some(name.to_owned()),
        source: ClientSource::Document,
        redirect_uris: redirect_uris.iter().map(|&uri| uri.to_owned()).collect(),
        authentication: ClientAuthentication::None,
        may_refresh: true,
    })
}
