//! The Node tools that package.json pins, Node itself among them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command::{find_program, run, say};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// Runs `npm ci` unless `node_modules` holds what package-lock.json says.
pub(crate) fn provision(workspace: &Workspace) -> Result<()> {
    let root = workspace.path("");
    // Put there by an install script, which npm can be told not to run.
    let node = workspace.node_bin().join("node");
    if node.is_file() && are_installed(&root) {
        return Ok(());
    }
    say("installing the Node tools with npm ci");
    npm(workspace, &["ci"], &root)?;
    if node.is_file() && are_installed(&root) {
        return Ok(());
    }
    Err(Failure::new(
        "npm ci left node_modules/.bin without a Node: allow install scripts \
         (`npm config set ignore-scripts false`) and run this again",
    ))
}

/// Installs the packages of the package.json and package-lock.json in `folder`, unless they are.
///
/// Not by `npm ci`: it demands the programs for every platform in the lock file, and not every
/// registry has them all.
pub(crate) fn install(workspace: &Workspace, folder: &Path) -> Result<()> {
    if are_installed(folder) {
        return Ok(());
    }
    say(format!(
        "installing the packages of {} with npm",
        workspace.shown(folder)
    ));
    npm(workspace, &["install", "--no-save"], folder)
}

/// Runs npm in `folder`.
fn npm(workspace: &Workspace, arguments: &[&str], folder: &Path) -> Result<()> {
    if find_program(&["npm"]).is_none() {
        return Err(Failure::new(
            "`npm` is not installed: install Node.js 20 or newer",
        ));
    }
    run(workspace
        .command("npm")
        .args(arguments)
        .args(["--no-audit", "--no-fund"])
        .current_dir(folder))
}

/// npm keeps the lock of what it installed inside `node_modules`.
fn are_installed(folder: &Path) -> bool {
    let wanted = read(&folder.join("package-lock.json"));
    let installed = read(&folder.join("node_modules/.package-lock.json"));
    wanted
        .zip(installed)
        .is_some_and(|(wanted, installed)| holds(&installed, &wanted))
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Whether every package of `wanted` is in `installed` at its version. Optional ones may be
/// missing: they are for other platforms.
fn holds(installed: &Value, wanted: &Value) -> bool {
    let version = |lock: &Value, path: &str| {
        lock.get("packages")?
            .get(path)?
            .get("version")?
            .as_str()
            .map(str::to_owned)
    };
    let Some(packages) = wanted.get("packages").and_then(Value::as_object) else {
        return false;
    };
    packages
        .iter()
        .filter(|(path, _)| !path.is_empty())
        .all(|(path, package)| {
            let optional = package.get("optional").is_some_and(|value| value == true);
            match version(installed, path) {
                Some(present) => version(wanted, path) == Some(present),
                None => optional,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lock(esbuild: &str) -> Value {
        json!({ "packages": {
            "": { "version": "9.9.9" },
            "node_modules/esbuild": { "version": esbuild },
            "node_modules/@esbuild/aix-ppc64": { "version": esbuild, "optional": true },
        }})
    }

    #[test]
    fn a_package_of_another_version_means_another_install() {
        let installed = json!({ "packages": { "node_modules/esbuild": { "version": "0.28.2" } } });
        assert!(holds(&installed, &lock("0.28.2")));
        assert!(!holds(&installed, &lock("0.28.3")));
    }

    #[test]
    fn only_an_optional_package_may_be_missing() {
        assert!(!holds(&json!({ "packages": {} }), &lock("0.28.2")));
        assert!(!holds(&json!({}), &json!({})));
    }
}
