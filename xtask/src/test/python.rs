//! The Python client, in an environment of its own under the target folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{capture, find_program, run, say};
use crate::failure::{Failure, Result, at};
use crate::system_packages;
use crate::workspace::Workspace;

/// What is installed: exact versions, with the digest of each file.
const REQUIREMENTS: &str = "tests/e2e/python/requirements.txt";

/// Prints the interpreter's version, and fails where it cannot make an environment or is older than
/// the requirements are resolved for.
const PROBE: &str = "import sys, venv, ensurepip; assert sys.version_info >= (3, 10); \
                     print('.'.join(map(str, sys.version_info[:3])))";

/// A Python that has the client, for the tests that want one; they skip themselves by name without
/// it.
///
/// # Errors
/// When there is a Python, and what it is to have cannot be installed.
pub(super) fn provision(workspace: &Workspace) -> Result<Option<PathBuf>> {
    if let Some(given) = std::env::var_os("VAULT_MCP_PYTHON") {
        return Ok(Some(given.into()));
    }
    let Some((python, version)) = interpreter(workspace)? else {
        say("the tests of the Python client are skipped: install Python 3.10 or newer with venv");
        return Ok(None);
    };
    let environment = workspace.target("python");
    let program = environment.join("bin/python");
    let wanted = mark(workspace, &version)?;
    let installed = environment.join("installed");
    if program.is_file() && fs::read_to_string(&installed).is_ok_and(|mark| mark == wanted) {
        return Ok(Some(program));
    }
    say("installing the Python client with pip");
    // Whatever was there may lack its mark because an installation was cut short.
    run(workspace
        .command(python)
        .args(["-m", "venv", "--clear"])
        .arg(&environment))?;
    run(workspace
        .command(&program)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        // A package that has to be built would fetch what nothing pins.
        .args(["--require-hashes", "--only-binary=:all:", "--requirement"])
        .arg(workspace.path(REQUIREMENTS)))?;
    fs::write(&installed, wanted).map_err(at(&installed))?;
    Ok(Some(program))
}

/// An interpreter that can make environments, and its version.
fn interpreter(workspace: &Workspace) -> Result<Option<(PathBuf, String)>> {
    let found = || {
        let python = find_program(&["python3"])?;
        let version = probe(workspace, &python)?;
        Some((python, version))
    };
    if let Some(found) = found() {
        return Ok(Some(found));
    }
    if system_packages::can_install() {
        let packages = ["python3", "python3-venv"];
        match system_packages::install(&packages, "for the tests of the Python client") {
            Ok(()) => return Ok(found()),
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(_) => say("Python cannot be installed here"),
        }
    }
    Ok(None)
}

fn probe(workspace: &Workspace, python: &Path) -> Option<String> {
    capture(workspace.command(python).args(["-c", PROBE]))
}

/// The mark of a finished installation: another one is due when this changes.
fn mark(workspace: &Workspace, version: &str) -> Result<String> {
    let path = workspace.path(REQUIREMENTS);
    let requirements = fs::read_to_string(&path).map_err(at(&path))?;
    Ok(format!("# Python {version}\n{requirements}"))
}
