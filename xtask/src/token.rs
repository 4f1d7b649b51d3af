//! `cargo xtask token`: a bearer token by the real flow. Cookies and forms are the work of
//! `dev/token.mjs`.

use crate::command::{self, find_program};
use crate::failure::{Failure, Result};
use crate::options::Options;
use crate::ports::Ports;
use crate::workspace::Workspace;

/// Prints the token alone on stdout.
pub(crate) fn run(workspace: &Workspace, mut options: Options) -> Result<()> {
    let user = options.value("--user")?;
    let read_only = options.flag("--read-only");
    let ports = Ports::from_options(&mut options)?;
    options.finish()?;
    let user = user.ok_or_else(|| {
        Failure::usage("token needs --user U, for example --user owner@example.test")
    })?;

    // Nothing is installed here: its output would stand beside the token.
    if !workspace.node_bin().join("node").is_file() && find_program(&["node"]).is_none() {
        return Err(Failure::new(
            "`node` is not installed: start `cargo xtask dev`, which brings one",
        ));
    }
    let mut node = workspace.node_tool("node")?;
    node.arg("dev/token.mjs").args(["--user", &user]);
    node.args(["--server", &format!("http://localhost:{}", ports.worker())]);
    if read_only {
        node.arg("--read-only");
    }
    match command::run(&mut node) {
        // It has said why on stderr.
        Err(Failure::Sentence(_)) => Err(Failure::Reported),
        result => result,
    }
}
