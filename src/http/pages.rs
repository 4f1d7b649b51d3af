//! Pages that belong to no login: how to connect, and what is wrong with the configuration.

use ::http::StatusCode;
use bytes::Bytes;
use maud::{DOCTYPE, Markup, html};

use super::{
    Response,
    headers::{self, PagePolicy},
};
use crate::{base_url::BaseUrl, config::ConfigError};

/// How to connect. Says nothing of the vault or of who may enter.
pub(super) fn home(base_url: &BaseUrl) -> Response {
    let resource = base_url.resource();
    page(
        StatusCode::OK,
        "vault-mcp",
        &html! {
            p { "This server gives MCP clients access to one private vault of notes. To connect:" }
            h2 { "Claude Code" }
            pre { code { "claude mcp add --transport http vault " (resource) } }
            p { "Then run " code { "/mcp" } " inside Claude Code, or " code { "claude mcp login vault" } "." }
            h2 { "claude.ai" }
            p { "Settings → Connectors → Add custom connector, with the URL " code { (resource) } "." }
            h2 { "Does it answer?" }
            ul {
                li { a href="/.well-known/oauth-protected-resource" { "Protected resource metadata" } }
                li { a href="/.well-known/oauth-authorization-server" { "Authorization server metadata" } }
                li { a href="/healthz" { "Health" } }
            }
            p {
                "If a client logs in and then reports that it cannot connect, look at what stands in front \
                 of the server: Cloudflare's \"Block AI bots\", Bot Fight Mode, Access and WAF rules must \
                 let /mcp, /token, /register, /authorize and /.well-known/* pass."
            }
        },
    )
}

/// The server cannot run as it is configured. Names the key, never a value.
#[must_use]
pub fn misconfigured(error: &ConfigError) -> Response {
    page(
        StatusCode::INTERNAL_SERVER_ERROR,
        "This server is not configured right",
        &html! {
            p { code { (error.key) } " " (error.problem) "." }
            p {
                "Whoever deployed this server can fix it: set the key with "
                code { "npx wrangler secret put " (error.key) }
                " or in wrangler.toml, and deploy again. Until then nothing is served."
            }
        },
    )
}

fn page(status: StatusCode, title: &str, body: &Markup) -> Response {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
            }
            body { main { h1 { (title) } (body) } }
        }
    };
    let mut response = Response::new(Bytes::from(document.into_string()));
    *response.status_mut() = status;
    // No style element, so no nonce that would have to be drawn.
    headers::html_page(
        response.headers_mut(),
        &PagePolicy {
            style_nonce: "none",
            form_action: &[],
        },
    );
    response
}
