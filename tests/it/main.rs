#![cfg(test)]
//! Everything that is tested on the host, in one binary.

mod login_github;
mod login_google;
mod login_oidc;
mod storage_contract;
mod storage_github;
mod support;
mod vault_list;
mod vault_policy;
mod vault_properties;
mod vault_read;
mod vault_write;
