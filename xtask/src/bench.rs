//! `cargo xtask bench`: what the server costs. The measuring is done by `benches/bench.mjs`; this
//! builds and finds what it runs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command;
use crate::failure::{Failure, Result, at};
use crate::node_tools;
use crate::options::Options;
use crate::stack::build_look_alike;
use crate::wasm_build;
use crate::workspace::Workspace;

/// Names the folder of a vault to measure in place of the generated one.
const REAL_VAULT: &str = "VAULT_MCP_REAL_VAULT";

/// Options without a value that the program takes too.
const FLAGS: [&str; 3] = ["--quick", "--json", "--write"];

/// Prints a table; with `--json`, one JSON object as the last line of stdout.
pub(crate) fn run(workspace: &Workspace, mut options: Options) -> Result<()> {
    let arguments = forwarded(&mut options)?;
    options.finish()?;
    let vault = real_vault()?;

    node_tools::provision(workspace)?;
    wasm_build::build(workspace)?;
    let look_alike = build_look_alike(workspace)?;
    let mut node = workspace.node_tool("node")?;
    // Node's own SQLite is one, and reads the traces.
    node.arg("--disable-warning=ExperimentalWarning")
        .arg("benches/bench.mjs")
        .args(arguments)
        .arg("--work")
        .arg(workspace.target("bench"))
        .env("VAULT_MCP_LOOK_ALIKE", look_alike);
    if let Some(vault) = vault {
        node.env(REAL_VAULT, vault);
    }
    command::run_outspoken(&mut node)
}

/// What the person asked for, as the program takes it.
fn forwarded(options: &mut Options) -> Result<Vec<String>> {
    let mut arguments = Vec::new();
    if let Some(notes) = options.value("--notes")? {
        if notes.parse::<u32>().is_err() {
            return Err(Failure::usage(format!(
                "--notes takes a number, and {notes} is none"
            )));
        }
        arguments.push(format!("--notes={notes}"));
    }
    let flags = FLAGS.into_iter().filter(|flag| options.flag(flag));
    arguments.extend(flags.map(str::to_owned));
    Ok(arguments)
}

/// The program runs in the repository's root, so a relative path is made absolute here.
fn real_vault() -> Result<Option<PathBuf>> {
    std::env::var_os(REAL_VAULT)
        .map(|folder| fs::canonicalize(&folder).map_err(at(Path::new(&folder))))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Result<Vec<String>> {
        let mut options = Options::new(line.split_whitespace().map(str::to_owned).collect());
        let arguments = forwarded(&mut options)?;
        options.finish()?;
        Ok(arguments)
    }

    #[test]
    fn what_is_known_is_passed_on() {
        assert_eq!(
            arguments("--json --notes 2000 --quick").unwrap(),
            ["--notes=2000", "--quick", "--json"]
        );
        assert!(arguments("").unwrap().is_empty());
    }

    #[test]
    fn what_is_not_known_is_refused() {
        assert!(arguments("--notes many").is_err());
        assert!(arguments("--fast").is_err());
    }
}
