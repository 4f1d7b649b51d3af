#![cfg(test)]
//! Everything that is tested on the host, in one binary.

mod app_routes;
mod guard_bearer;
mod guard_coverage;
mod login_github;
mod login_google;
mod login_oidc;
mod mcp_hostile_paths;
mod mcp_tools;
mod mcp_transport;
mod oauth_authorize;
mod oauth_callback;
mod oauth_consent;
mod oauth_documents;
mod oauth_metadata;
mod oauth_refresh;
mod oauth_registration;
mod oauth_revoke;
mod oauth_state;
mod oauth_token;
mod storage_contract;
mod storage_github;
mod storage_index;
mod storage_index_changes;
mod storage_real;
mod storage_search;
mod support;
mod vault_list;
mod vault_policy;
mod vault_properties;
mod vault_read;
mod vault_real;
mod vault_recheck;
mod vault_text;
mod vault_write;
