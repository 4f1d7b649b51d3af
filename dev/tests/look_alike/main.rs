#![cfg(test)]
//! The look-alike against real git: what its API says is what `git` says, and its refusals are
//! GitHub's.

mod archive;
mod client;
mod compare;
mod contents;
mod control;
mod gates;
mod git_data;
mod limits;
mod process;
mod switches;
mod writes;
