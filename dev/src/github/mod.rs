//! The GitHub look-alike: the part of GitHub's REST API that a vault server uses, over real git.
//!
//! Statuses, texts, limits and headers are GitHub's as its documentation or a public issue has
//! them on record; each is cited where it is made. Commits, trees, blobs and archives are git's.
//!
//! Not on public record, and therefore nothing a test may rest on: what a write to a folder's path
//! answers (422 here), whether `permissions` of a repository are the token's or its owner's (the
//! token's here), which sha a followed link has (its target's here), and the texts of a refusal by
//! push protection and of a write to a missing branch.
//!
//! ```text
//! request -> pipeline -> gates -> endpoints -> git
//!               |           (one operation a file) -> finish (ETag, 304, headers)
//!               +-> control (switches, request log, pushes from elsewhere)
//! ```

mod answer;
pub mod app;
mod builder;
mod call;
mod control;
mod endpoints;
mod error;
mod finish;
mod gates;
mod hosted;
mod limits;
mod log;
mod media;
mod pipeline;
mod request;
mod route;
mod running;
mod state;
mod switches;
pub mod tokens;
mod web;
mod webhook;
mod wire;

pub use app::Installation;
pub use builder::{LookAlike, StartError};
pub use log::LoggedRequest;
pub use running::RunningLookAlike;
pub use switches::{
    CutTarball, Forbidden, Hang, HangPoint, PrimaryLimit, RefLag, RuleViolation, SecondaryLimit,
    Switches, Times,
};
pub use webhook::WebhookTarget;
