//! Where things are.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::prepend_path;
use crate::failure::{Failure, Result, at};

/// The repository and its target folder.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Finds both from what cargo says about this package and this program.
    pub(crate) fn locate() -> Result<Self> {
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package.parent().map(Path::to_owned);
        // This program is TARGET/PROFILE/xtask, wherever cargo was told to put TARGET.
        let program = std::env::current_exe().ok();
        let target = program
            .as_deref()
            .and_then(|file| file.ancestors().nth(2))
            .map(Path::to_owned);
        match (root, target) {
            (Some(root), Some(target)) => Ok(Self { root, target }),
            _ => Err(Failure::new(
                "cannot find the repository; run this as `cargo xtask`",
            )),
        }
    }

    /// A path inside the repository.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A path inside the target folder.
    pub(crate) fn target(&self, relative: &str) -> PathBuf {
        self.target.join(relative)
    }

    /// `path` as a person in the repository would write it.
    pub(crate) fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }

    /// A command that runs in the repository's root.
    pub(crate) fn command(&self, program: impl Into<OsString>) -> Command {
        let mut command = Command::new(program.into());
        command.current_dir(&self.root);
        command
    }

    /// The cargo that started this program: the person's own toolchain.
    pub(crate) fn cargo(&self) -> Command {
        self.command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// Where npm puts the programs of package.json's tools.
    pub(crate) fn node_bin(&self) -> PathBuf {
        self.path("node_modules/.bin")
    }

    /// A program of package.json's tools, with the pinned Node in front of whatever Node the
    /// machine has.
    pub(crate) fn node_tool(&self, program: &str) -> Result<Command> {
        let bin = self.node_bin();
        let mut command = self.command(bin.join(program));
        prepend_path(&mut command, &bin)?;
        Ok(command)
    }

    /// The version of `package` in Cargo.lock.
    pub(crate) fn locked_version(&self, package: &str) -> Result<String> {
        let path = self.path("Cargo.lock");
        let lock = fs::read_to_string(&path).map_err(at(&path))?;
        locked_version(&lock, package).ok_or_else(|| {
            Failure::new(format!("Cargo.lock does not hold the package `{package}`"))
        })
    }
}

/// Cargo writes every package as a `name` line with its `version` line right below.
fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines();
    lines.find(|line| *line == name)?;
    let version = lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"worker-macros\"\nversion = \"0.8.6\"\n\n\
                    [[package]]\nname = \"worker\"\nversion = \"0.8.7\"\nsource = \"…\"\n";
        assert_eq!(locked_version(lock, "worker").as_deref(), Some("0.8.7"));
        assert_eq!(locked_version(lock, "work"), None);
    }
}
