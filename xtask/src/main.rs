//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! This crate stays quick to compile: it starts programs and reads what they say. Whatever needs
//! TLS, git or an MCP client is a program of its own in `dev/` or `tests/`.

mod bench;
mod build_tools;
mod command;
mod conformance;
mod dev;
mod end_to_end;
mod failure;
mod interrupt;
mod node_tools;
mod options;
mod ports;
mod process;
mod python;
mod server;
mod stack;
mod system_packages;
mod test;
mod token;
mod toolchain;
mod wasm_build;
mod wasm_size;
mod wasm_sysroot;
mod worker_env;
mod workspace;

use std::process::ExitCode;

use failure::{Failure, Result};
use options::Options;
use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  build   the Worker's Wasm and JavaScript into build/ (what wrangler.toml calls)
  dev     the server and all it needs, on http://localhost:8787/mcp
            --vault DIR    serve a copy of this folder instead of the sample vault
            --stack-only   the GitHub look-alike and the OpenID provider, without the server
            --port N       ports N, N+1 and N+2 instead of 8787, 8788 and 8789
            --fresh        forget what earlier runs stored
            --once         stop as soon as everything is ready
  token   a bearer token for a running `dev`, alone on stdout
            --user U       owner@example.test, reader@example.test, …
            --read-only    ask for reading only
            --port N       the port that `dev` was given
  test    everything that CI runs; or one stage: test host, test wasm, test e2e
  conformance  the official conformance suite
            --all          besides, further real clients; about 900 MB are installed for them, once
            --write        put what they did into docs/clients.md
  bench   what a call costs, in counts, ratios and milliseconds
            --notes N      a vault of N notes instead of 10000
            --quick        1000 notes and few samples, to try it
            --large        besides, a vault of three times as many notes
            --json         one JSON object as the last line
            --write        put the results into docs/performance.md";

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
    process::adopt_orphans();
    let options = Options::new(arguments);
    match command {
        "build" => {
            options.finish()?;
            wasm_build::build(&Workspace::locate()?).map(drop)
        }
        "dev" => dev::run(&Workspace::locate()?, options),
        "token" => token::run(&Workspace::locate()?, options),
        "bench" => bench::run(&Workspace::locate()?, options),
        "conformance" => conformance::run(&Workspace::locate()?, options),
        "test" => test::run(&Workspace::locate()?, options),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        "" => Err(Failure::usage(USAGE)),
        unknown => Err(Failure::usage(format!("no command `{unknown}`\n{USAGE}"))),
    }
}
