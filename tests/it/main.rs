#![cfg(test)]
//! Everything that is tested on the host, in one binary.

mod storage_contract;
mod storage_github;
mod support;
