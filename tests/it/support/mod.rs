//! What the core needs from its surroundings, as the host has it.

pub(crate) mod app;
pub(crate) mod chance;
pub(crate) mod clock;
pub(crate) mod docs;
pub(crate) mod docs_tests;
pub(crate) mod github;
pub(crate) mod hostile_paths;
pub(crate) mod http_client;
pub(crate) mod index;
pub(crate) mod oauth;
pub(crate) mod openid;
pub(crate) mod recording;
pub(crate) mod sqlite;
pub(crate) mod storage;
pub(crate) mod unreliable;
pub(crate) mod vaults;
