//! Backends: implementations of [`crate::vault::storage::VaultStorage`].
//!
//! They move bytes. They import neither the policy nor anything that speaks to a client, and learn
//! what may be shown only from the [`Sieve`](crate::vault::storage::Sieve) they are given.
//!
//! - [`memory`]: the reference implementation.
//! - [`github`]: a repository at GitHub, asked anew for every call.
//! - [`index`]: the same, with all notes at hand.

pub mod github;
pub mod index;
pub mod memory;
