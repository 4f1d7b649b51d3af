//! Pages that belong to no login: how to connect, and what is wrong with the configuration.

use ::http::StatusCode;
use maud::html;

use super::{Response, html};
use crate::{base_url::BaseUrl, config::ConfigError, runtime::Rng};

/// How to connect. Says nothing of the vault or of who may enter.
pub(super) fn home(base_url: &BaseUrl, rng: &dyn Rng) -> Response {
    let resource = base_url.resource();
    html::page(
        StatusCode::OK,
        "vault-mcp",
        &html! {
            h1 { "vault-mcp" }
            p { "This server gives MCP clients access to one private vault of notes. To connect:" }
            h2 { "Claude Code" }
            pre { code { "claude mcp add --transport http vault " (resource) } }
            p { "Then run " code { "/mcp" } " inside Claude Code, or " code { "claude mcp login vault" } "." }
            h2 { "claude.ai" }
            p { "Settings → Connectors → Add custom connector, with the URL " code { (resource) } "." }
            h2 { "What have I connected?" }
            p {
                a href="/sessions" { "Connected programs" }
                " shows which programs may use the vault in your name, and ends what you do not want any more."
            }
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
        &[],
        rng,
    )
}

/// The server cannot run as it is configured. Names the key, never a value.
#[must_use]
pub fn misconfigured(error: &ConfigError, rng: &dyn Rng) -> Response {
    let title = "This server is not configured right";
    html::page(
        StatusCode::INTERNAL_SERVER_ERROR,
        title,
        &html! {
            h1 { (title) }
            p { code { (error.key) } " " (error.problem) "." }
            p {
                "Whoever deployed this server can fix it: set the key with "
                code { "npx wrangler secret put " (error.key) }
                " or in wrangler.toml, and deploy again. Until then nothing is served."
            }
        },
        &[],
        rng,
    )
}
