//! The Worker as Cloudflare would take it: lints by its own compiler, the build, and a deployment
//! that stops short of one.

use std::fs;
use std::path::{Path, PathBuf};

use super::tally::Tally;
use crate::command::{run as run_program, say};
use crate::failure::{Failure, Result, at};
use crate::node_tools;
use crate::stack::wrangler;
use crate::toolchain::{Toolchain, WASM_TARGET};
use crate::wasm_build;
use crate::wasm_size::{GZIP_GOAL, GZIP_LIMIT, WasmSize};
use crate::workspace::Workspace;

/// Lints, build, dry run.
pub(crate) fn run(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    tally.check("lints for Wasm", || lints(workspace))?;
    tally.check("Wasm build", || wasm_build::build(workspace).map(drop))?;
    tally.check("dry-run deployment within the size budget", || {
        dry_run(workspace)
    })
}

fn lints(workspace: &Workspace) -> Result<()> {
    let mut clippy = Toolchain::provision(workspace)?.clippy(workspace)?;
    // The release profile, to share build scripts and macros with the build.
    clippy.args([
        "--package",
        "vault-mcp",
        "--lib",
        "--release",
        "--target",
        WASM_TARGET,
    ]);
    run_program(clippy.args(["--", "-D", "warnings"]))
}

/// `wrangler` checks wrangler.toml, bundles, and writes what it would upload.
fn dry_run(workspace: &Workspace) -> Result<()> {
    node_tools::provision(workspace)?;
    let out = workspace.target("dry-run");
    if out.exists() {
        fs::remove_dir_all(&out).map_err(at(&out))?;
    }
    run_program(
        wrangler(workspace)?
            .args(["deploy", "--dry-run", "--outdir"])
            .arg(&out),
    )?;
    let module = wasm_module(&out)?;
    let size = WasmSize::measure(workspace, &module)?;
    demand_budget(size)
}

fn wasm_module(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .ok_or_else(|| Failure::new("the deployment holds no Wasm module"))
}

fn demand_budget(size: WasmSize) -> Result<()> {
    let limit = GZIP_LIMIT / 1024;
    if size.gzip > GZIP_LIMIT {
        return Err(Failure::new(format!(
            "{size}: more than the limit of {limit} KiB gzip"
        )));
    }
    let goal = GZIP_GOAL / 1024;
    let verdict = if size.gzip > GZIP_GOAL {
        "over"
    } else {
        "within"
    };
    say(format!(
        "{size}: within the limit of {limit} KiB gzip, {verdict} the goal of {goal} KiB"
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_itself_is_still_within() {
        let size = |gzip| WasmSize {
            raw: 4_000_000,
            gzip,
        };
        demand_budget(size(1_572_864)).unwrap();
        assert!(demand_budget(size(1_572_865)).is_err());
    }
}
