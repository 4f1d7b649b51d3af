//! Backends: implementations of [`crate::vault::storage::VaultStorage`].
//!
//! They move bytes. They import neither the policy nor anything that speaks to a client, and learn
//! what may be shown only from the [`Sieve`](crate::vault::storage::Sieve) of a call.
//!
//! - [`memory`]: the reference implementation.
//! - [`github`]: a repository at GitHub, asked anew for every call.

pub mod github;
pub mod memory;
