//! `GET`, `PUT` and `DELETE contents/{path}`.

mod body;
mod path;
mod read;
mod secrets;
mod write;

pub(super) use read::read;
pub(super) use write::{delete, put};

/// The type of raw answers, whatever the file holds (octokit/fixtures, `get-content`).
pub(super) const RAW_TYPE: &str = "application/vnd.github.v3.raw; charset=utf-8";
