//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! This crate stays quick to compile: it starts programs and reads what they say. Whatever needs
//! TLS, git or an MCP client is a program of its own in `dev/` or `tests/`.

mod build_tools;
mod command;
mod failure;
mod interrupt;
mod node_tools;
mod options;
mod process;
mod system_packages;
mod toolchain;
mod wasm_build;
mod wasm_size;
mod wasm_sysroot;
mod workspace;

use std::process::ExitCode;

use failure::{Failure, Result};
use options::Options;
use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  build   the Worker's Wasm and JavaScript into build/ (what wrangler.toml calls)";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    match dispatch(&command, arguments.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(text) = failure.text() {
                eprintln!("xtask: {text}");
            }
            failure.exit_code()
        }
    }
}

fn dispatch(command: &str, arguments: Vec<String>) -> Result<()> {
    interrupt::watch()?;
    let options = Options::new(arguments);
    match command {
        "build" => {
            options.finish()?;
            wasm_build::build(&Workspace::locate()?).map(drop)
        }
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        "" => Err(Failure::usage(USAGE)),
        unknown => Err(Failure::usage(format!("no command `{unknown}`\n{USAGE}"))),
    }
}
