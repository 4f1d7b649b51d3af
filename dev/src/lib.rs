//! The embedded stack that vault-mcp is developed and tested against.
//!
//! - [`seed`]: the files a repository starts with.

pub mod seed;

pub use seed::{Mode, SeedFile};
