//! Adapters between the core's seams and Cloudflare Workers. They decide nothing.
//!
//! Beside `entry`, the only place that names `worker`.

pub(crate) mod auth_state_do;
pub(crate) mod clock;
pub(crate) mod convert;
pub(crate) mod environment;
pub(crate) mod fetch;
pub(crate) mod log;
pub(crate) mod sleep;
pub(crate) mod sql;
pub(crate) mod vault_index_do;
