//! Clients written in Python, each in an environment of its own under the target folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{capture, find_program, run, say};
use crate::failure::{Failure, Result, at};
use crate::system_packages;
use crate::workspace::Workspace;

/// Prints the interpreter's version, and fails where it cannot make an environment.
const PROBE: &str = "import sys, venv, ensurepip; print('.'.join(map(str, sys.version_info[:3])))";

/// One client and all it needs.
#[derive(Debug)]
pub(crate) struct Environment {
    /// What it is, for people.
    pub(crate) what: &'static str,
    /// What is installed: exact versions, with the digest of each file.
    pub(crate) requirements: &'static str,
    /// Where, in the target folder.
    pub(crate) folder: &'static str,
    /// The minor version of Python 3 that the requirements are resolved for.
    pub(crate) least: u32,
}

/// A Python that has the client; `None` where the machine has none that is new enough.
///
/// # Errors
/// When there is a Python, and what it is to have cannot be installed.
pub(crate) fn provision(workspace: &Workspace, wants: &Environment) -> Result<Option<PathBuf>> {
    let Some((python, version)) = interpreter(workspace, wants)? else {
        say(format!(
            "{} is skipped: install Python 3.{} or newer with venv",
            wants.what, wants.least
        ));
        return Ok(None);
    };
    let environment = workspace.target(wants.folder);
    let program = environment.join("bin/python");
    let requirements = workspace.path(wants.requirements);
    let wanted = mark(&requirements, &version)?;
    let installed = environment.join("installed");
    if program.is_file() && fs::read_to_string(&installed).is_ok_and(|mark| mark == wanted) {
        return Ok(Some(program));
    }
    say(format!("installing {} with pip", wants.what));
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
        .arg(&requirements))?;
    fs::write(&installed, wanted).map_err(at(&installed))?;
    Ok(Some(program))
}

/// An interpreter that can make environments, and its version.
fn interpreter(workspace: &Workspace, wants: &Environment) -> Result<Option<(PathBuf, String)>> {
    let found = || {
        let python = find_program(&["python3"])?;
        let version = probe(workspace, &python)?;
        is_at_least(&version, wants.least).then_some((python, version))
    };
    if let Some(found) = found() {
        return Ok(Some(found));
    }
    if system_packages::can_install() {
        let packages = ["python3", "python3-venv"];
        match system_packages::install(&packages, &format!("for {}", wants.what)) {
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

/// Whether a version is 3.`least` or newer.
fn is_at_least(version: &str, least: u32) -> bool {
    let mut parts = version.split('.').map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (3, least),
        _ => false,
    }
}

/// The mark of a finished installation: another one is due when this changes.
fn mark(requirements: &Path, version: &str) -> Result<String> {
    let requirements = fs::read_to_string(requirements).map_err(at(requirements))?;
    Ok(format!("# Python {version}\n{requirements}"))
}

#[cfg(test)]
mod tests {
    use super::is_at_least;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, least, expected) in [
            ("3.11.7", 11, true),
            ("3.9.2", 11, false),
            ("3.10.0", 11, false),
            ("3.100.0", 11, true),
            ("2.15.0", 11, false),
            ("4.0.0", 11, true),
            ("three", 11, false),
            ("3", 11, false),
        ] {
            assert_eq!(is_at_least(version, least), expected, "{version}");
        }
    }
}
