//! `cargo xtask test`: all that CI runs, in one count.

mod e2e;
mod host;
mod libtest;
mod tally;
mod tap;
mod wasm;

use tally::Tally;

use crate::failure::{Failure, Result};
use crate::options::Options;
use crate::workspace::Workspace;

/// Runs the named stage, or all, and closes with `N passed, N failed, N skipped`.
pub(crate) fn run(workspace: &Workspace, mut options: Options) -> Result<()> {
    let stage = options.word();
    options.finish()?;
    let stages: &[fn(&Workspace, &mut Tally) -> Result<()>] = match stage.as_deref() {
        None => &[host::run, wasm::run, e2e::run],
        Some("host") => &[host::run],
        Some("wasm") => &[wasm::run],
        Some("e2e") => &[e2e::run],
        Some(other) => {
            return Err(Failure::usage(format!(
                "no stage `{other}`: test takes host, wasm or e2e"
            )));
        }
    };
    let mut tally = Tally::default();
    for stage in stages {
        stage(workspace, &mut tally)?;
    }
    println!("{tally}");
    if tally.has_failures() {
        Err(Failure::Reported)
    } else {
        Ok(())
    }
}
