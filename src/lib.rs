//! vault-mcp: a remote MCP server for one private, GitHub-hosted Obsidian vault.
//!
//! | module | does |
//! | --- | --- |
//! | [`config`] | reads and checks the configuration, once |
//! | [`http`] | the table of routes, header policy, pages that belong to no login |
//! | [`oauth`] | the authorization server, one endpoint a file; `state` is its memory |
//! | [`login`] | who the person is, and who may enter |
//! | [`guard`] | from a bearer token to a principal |
//! | [`mcp`] | messages, tools, texts for the model |
//! | [`vault`] | paths, policy, the one client of a backend |
//! | [`storage`] | backends |
//! | [`runtime`], [`secret`], [`base_url`], [`date`], `percent` | the seams, and what everything uses |
//! | `entry`, `platform` | the Worker: builds the parts, implements the seams; Wasm only |
//!
//! The invariants that hold everywhere stand in `ARCHITECTURE.md`. The two that the types hold: a
//! backend cannot be asked for a path that the policy has not passed ([`vault::policy`]), and only
//! the guard makes a principal ([`guard::Principal`]).

pub mod base_url;
pub mod config;
pub mod date;
pub mod guard;
pub mod http;
pub mod login;
pub mod mcp;
pub mod oauth;
mod percent;
pub mod runtime;
pub mod secret;
pub mod storage;
pub mod vault;

#[cfg(target_arch = "wasm32")]
mod entry;
#[cfg(target_arch = "wasm32")]
mod platform;
