//! `cargo xtask dev`: everything a person needs to try the server, and its end.

use crate::failure::Result;
use crate::node_tools;
use crate::options::Options;
use crate::ports::Ports;
use crate::stack::{Plan, USERS};
use crate::wasm_build;
use crate::workspace::Workspace;

/// Runs until Ctrl-C, or with `--once` until everything is ready.
pub(crate) fn run(workspace: &Workspace, mut options: Options) -> Result<()> {
    let stack_only = options.flag("--stack-only");
    let fresh = options.flag("--fresh");
    let once = options.flag("--once");
    let vault = options.value("--vault")?;
    let ports = Ports::from_options(&mut options)?;
    options.finish()?;

    let plan = Plan::new(workspace, ports, vault.as_deref())?;
    plan.demand_free_ports(!stack_only)?;
    node_tools::provision(workspace)?;
    if !stack_only {
        wasm_build::build(workspace)?;
    }
    if fresh {
        plan.forget()?;
    }
    let mut stack = plan.start_surroundings()?;
    if !stack_only {
        plan.start_worker(&mut stack)?;
    }
    let vault = vault.map_or_else(
        || "the sample vault".to_owned(),
        |folder| format!("a copy of {folder}, made at its first start or by --fresh"),
    );
    println!(
        "{}",
        if stack_only {
            surroundings(ports)
        } else {
            welcome(ports, &vault)
        }
    );
    println!(
        "logs are in {}; Ctrl-C ends everything",
        workspace.shown(&plan.logs())
    );
    if once {
        return Ok(());
    }
    stack.serve()
}

fn welcome(ports: Ports, vault: &str) -> String {
    let port = ports.worker();
    let people: String = USERS
        .map(|(user, fate)| format!("  {user:24} {fate}\n"))
        .concat();
    format!(
        "\nthe server is ready at http://localhost:{port}/mcp and serves {vault}\n\n  \
         claude mcp add --transport http vault http://localhost:{port}/mcp\n\n\
         who can log in, each by a button on the login page:\n\n{people}"
    )
}

fn surroundings(ports: Ports) -> String {
    let start = if ports == Ports::default() {
        "  cp .dev.vars.example .dev.vars && npx wrangler dev\n".to_owned()
    } else {
        format!(
            "  npx wrangler dev --port {}   (with these URLs in .dev.vars)\n",
            ports.worker()
        )
    };
    format!(
        "\nready for a Worker on http://localhost:{}\n\n  \
         OpenID provider    http://localhost:{}\n  \
         GitHub look-alike  http://localhost:{}\n\n{start}",
        ports.worker(),
        ports.openid(),
        ports.look_alike()
    )
}
