//! The embedded stack that vault-mcp is developed and tested against.
//!
//! - [`sample_vault`]: the vault that it serves by default.
//! - [`seed`]: the files a repository starts with.

pub mod sample_vault;
pub mod seed;

pub use seed::{Mode, SeedFile};
