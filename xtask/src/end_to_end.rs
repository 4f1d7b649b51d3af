//! What runs the built Worker with real clients: the tests of `tests/e2e`, and `tests/clients`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Result;
use crate::node_tools;
use crate::ports::Ports;
use crate::stack::build_look_alike;
use crate::wasm_build;
use crate::worker_env;
use crate::workspace::Workspace;

/// Builds and installs what all of them need; returns the GitHub look-alike.
pub(crate) fn prepare(workspace: &Workspace) -> Result<PathBuf> {
    demand_loopback(workspace)?;
    node_tools::provision(workspace)?;
    wasm_build::build(workspace)?;
    build_look_alike(workspace)
}

/// The pinned Node, told where that is.
pub(crate) fn node(workspace: &Workspace, look_alike: &Path) -> Result<Command> {
    let mut node = workspace.node_tool("node")?;
    node.env("VAULT_MCP_LOOK_ALIKE", look_alike)
        .env("VAULT_MCP_PTY", look_alike.with_file_name("pty"))
        .env("CI", "1")
        .env("WRANGLER_SEND_METRICS", "false");
    Ok(node)
}

/// Neither the example nor the environment may name a GitHub that is not on this machine.
fn demand_loopback(workspace: &Workspace) -> Result<()> {
    worker_env::derive(workspace, Ports::default())?;
    match std::env::var("GITHUB_API_URL") {
        Ok(url) => worker_env::demand_loopback(&format!("GITHUB_API_URL={url}")),
        Err(_) => Ok(()),
    }
}
