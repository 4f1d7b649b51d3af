//! The vault: what a path is, what policy shows and lets change, and the one client through which
//! everything else reaches notes.
//!
//! [`VaultClient`] is the only caller of [`storage::VaultStorage`]. Strings from outside become
//! [`path::VaultPath`] and [`path::DirPath`] at its door, the [`policy::VaultPolicy`] turns those
//! into witnesses, and only witnesses reach a backend. What a backend hands back is checked again.
//!
//! This module knows no HTTP, no MCP and no GitHub. It makes no text for a model: it answers with
//! facts, or with a [`VaultError`] that carries what a sentence needs.

pub mod client;
pub mod commit;
pub mod completion;
pub mod cursor;
mod denial;
pub mod diff;
pub mod edit;
pub mod error;
pub mod filter;
pub mod links;
pub mod permit;
pub mod policy;
pub mod remote;
pub mod room;
pub mod storage;

pub use client::VaultClient;
pub use error::VaultError;
pub use vault_mcp_note::{echo, markdown, path, text, title};
