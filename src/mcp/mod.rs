//! Tools, resources and prompts: what a model and its person see of the vault.
//!
//! Talks to the vault through `vault::VaultClient` alone, which keeps the policy; knows nothing of
//! tokens, GitHub or Workers. `transport` is the one file that drives rmcp.

mod arguments;
mod completion;
mod methods;
mod prompts;
mod request;
mod resources;
mod result;
mod server;
pub mod tools;
mod transport;
mod window;

pub use methods::{METHODS, Method};
pub use request::Era;
pub use server::VaultServer;
pub use transport::{calls_mutation, calls_tool, respond};
