//! The built Worker under `wrangler dev`, with real clients. The tests are Node's; this stage
//! builds and finds what they run.

use std::fs;
use std::path::{Path, PathBuf};

use super::tally::Tally;
use super::tap;
use crate::command::{find_program, run_and_read, say};
use crate::end_to_end;
use crate::failure::{Failure, Result, at};
use crate::python::{self, Environment};
use crate::system_packages;
use crate::workspace::Workspace;

const TESTS: &str = "tests/e2e";

/// The official Python client. The tests that want it skip themselves by name where there is none.
const PYTHON: Environment = Environment {
    what: "the Python client",
    requirements: "tests/e2e/python/requirements.txt",
    folder: "python",
    least: 10,
};

/// Milliseconds after which a hanging test fails.
const TEST_TIMEOUT: &str = "--test-timeout=1200000";

/// Builds what the tests run, then runs them.
pub(crate) fn run(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let mut look_alike = None;
    tally.check("what end-to-end tests run", || {
        look_alike = Some(end_to_end::prepare(workspace)?);
        Ok(())
    })?;
    // Without it every test would fail for the one reason that was just given.
    let Some(look_alike) = look_alike else {
        return Ok(());
    };
    let mut python = None;
    tally.check("Python client", || {
        python = match std::env::var_os("VAULT_MCP_PYTHON") {
            Some(given) => Some(given.into()),
            None => python::provision(workspace, &PYTHON)?,
        };
        Ok(())
    })?;
    say("end-to-end tests …");
    let tap = workspace.target("e2e.tap");
    let mut node = end_to_end::node(workspace, &look_alike)?;
    node.args(["--test", "--test-concurrency=1", TEST_TIMEOUT])
        .args([
            "--test-reporter=spec",
            "--test-reporter-destination=stdout",
            "--test-reporter=tap",
        ])
        .arg(format!("--test-reporter-destination={}", tap.display()))
        .args(test_files(workspace)?);
    if let Some(chromium) = chromium()? {
        node.env("VAULT_MCP_CHROMIUM", chromium);
    }
    if let Some(python) = python {
        node.env("VAULT_MCP_PYTHON", python);
    }
    let _ = fs::remove_file(&tap);
    let (succeeded, _) = run_and_read(&mut node)?;
    let report = fs::read_to_string(&tap)
        .ok()
        .and_then(|text| tap::parse(&text));
    // No totals: whatever Node's exit code was, the tests did not run to their end.
    let finished = succeeded && report.is_some();
    tally.add("end-to-end tests", report.unwrap_or_default(), finished);
    Ok(())
}

/// Relative to the repository, as they are to appear in the output.
fn test_files(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.path(TESTS);
    let entries = fs::read_dir(&folder).map_err(at(&folder))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> = names
        .filter(|name| name.ends_with(".test.mjs"))
        .map(|name| format!("{TESTS}/{name}"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(Failure::new(format!("there is no test in {TESTS}")));
    }
    Ok(files)
}

/// A browser for the tests that want one; they skip themselves by name without it.
fn chromium() -> Result<Option<PathBuf>> {
    const NAMES: [&str; 4] = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    const MAC: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    if let Some(given) = std::env::var_os("VAULT_MCP_CHROMIUM") {
        return Ok(Some(given.into()));
    }
    if let Some(found) = find_program(&NAMES) {
        return Ok(Some(found));
    }
    if Path::new(MAC).exists() {
        return Ok(Some(MAC.into()));
    }
    if system_packages::can_install() {
        match system_packages::install(&["chromium"], "for the tests in a browser") {
            Ok(()) => return Ok(find_program(&NAMES)),
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(_) => say("chromium cannot be installed here"),
        }
    }
    say("the tests in a browser are skipped: install chromium, or set VAULT_MCP_CHROMIUM to one");
    Ok(None)
}
