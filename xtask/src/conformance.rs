//! `cargo xtask conformance`: the official suite, and with `--all` further real clients against the
//! built Worker. The checking is done by `tests/e2e/conformance.test.mjs` and `tests/clients`; this
//! builds and finds what they run.

use std::fs;
use std::path::Path;

use crate::command::{self, say};
use crate::end_to_end;
use crate::failure::{Failure, Result, at};
use crate::node_tools;
use crate::options::Options;
use crate::python::{self, Environment};
use crate::workspace::Workspace;

const SUITE: &str = "tests/e2e/conformance.test.mjs";
const CLIENTS: &str = "tests/clients/run.mjs";

/// The most used framework of Python.
const FASTMCP: Environment = Environment {
    what: "fastmcp",
    requirements: "tests/clients/requirements.txt",
    folder: "clients/python",
    least: 11,
};

/// Runs the suite; with `--all` also the clients, whose table goes into docs/clients.md with
/// `--write`.
pub(crate) fn run(workspace: &Workspace, mut options: Options) -> Result<()> {
    let (all, write) = (options.flag("--all"), options.flag("--write"));
    options.finish()?;
    if write && !all {
        return Err(Failure::usage("--write goes with --all"));
    }
    let look_alike = end_to_end::prepare(workspace)?;
    say("the official conformance suite …");
    let mut suite = end_to_end::node(workspace, &look_alike)?;
    suite.args(["--test", "--test-reporter=spec", SUITE]);
    command::run_outspoken(&mut suite)?;
    if all {
        clients(workspace, &look_alike, write)?;
    }
    Ok(())
}

/// Installs the clients into the target folder, and runs them.
fn clients(workspace: &Workspace, look_alike: &Path, write: bool) -> Result<()> {
    let npm = workspace.target("clients/npm");
    fs::create_dir_all(&npm).map_err(at(&npm))?;
    for file in [
        "tests/clients/package.json",
        "tests/clients/package-lock.json",
        ".npmrc",
    ] {
        let source = workspace.path(file);
        let name = source.file_name().unwrap_or_default();
        fs::copy(&source, npm.join(name)).map_err(at(&source))?;
    }
    node_tools::install(workspace, &npm)?;
    python::provision(workspace, &FASTMCP)?;
    say("building rmcp's client");
    command::run(workspace.cargo().args([
        "build",
        "--package=vault-mcp-dev",
        "--bin=rmcp-client",
        "--features=rmcp-client",
    ]))?;

    say("further clients …");
    let mut node = end_to_end::node(workspace, look_alike)?;
    node.arg(CLIENTS)
        .env("VAULT_MCP_CLIENTS", workspace.target("clients"))
        .env(
            "VAULT_MCP_RMCP_CLIENT",
            look_alike.with_file_name("rmcp-client"),
        );
    if write {
        node.arg("--write");
    }
    command::run_outspoken(&mut node)
}
