//! The two cargo tools that turn Wasm into a Worker, under `target/tools`.
//!
//! Their versions follow Cargo.lock: `worker-build` is released together with `worker`, and
//! `wasm-bindgen` reads only what its own version of the macro wrote.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{capture, run, say};
use crate::failure::{Failure, Result};
use crate::system_packages;
use crate::workspace::Workspace;

/// Programs that are installed at the right version.
#[derive(Debug)]
pub(crate) struct BuildTools {
    /// Compiles, binds, optimizes and bundles.
    pub(crate) worker_build: PathBuf,
    /// Called by `worker-build`.
    pub(crate) wasm_bindgen: PathBuf,
}

impl BuildTools {
    /// Installs what is missing or of another version; the first time takes minutes.
    pub(crate) fn provision(workspace: &Workspace) -> Result<Self> {
        let worker = workspace.locked_version("worker")?;
        let bindgen = workspace.locked_version("wasm-bindgen")?;
        let tools = Self {
            worker_build: workspace.target("tools/bin/worker-build"),
            wasm_bindgen: workspace.target("tools/bin/wasm-bindgen"),
        };
        if !is_installed(&tools.worker_build, &worker) {
            openssl_headers()?;
            install(workspace, "worker-build", &worker)?;
        }
        if !is_installed(&tools.wasm_bindgen, &bindgen) {
            install(workspace, "wasm-bindgen-cli", &bindgen)?;
        }
        // Half a gigabyte that nothing reads again. It may be gone already.
        let _ = std::fs::remove_dir_all(workspace.target("tools/build"));
        Ok(tools)
    }
}

/// One prints `0.8.7`, the other `wasm-bindgen 0.2.130`.
fn is_installed(program: &Path, version: &str) -> bool {
    capture(Command::new(program).arg("--version"))
        .is_some_and(|said| said.split_whitespace().last() == Some(version))
}

fn install(workspace: &Workspace, package: &str, version: &str) -> Result<()> {
    say(format!(
        "installing {package} {version} into target/tools, once (a few minutes)"
    ));
    let command = || {
        let mut command = workspace.cargo();
        command
            .args(["install", package, "--version", &format!("={version}")])
            .arg("--root")
            .arg(workspace.target("tools"))
            .arg("--target-dir")
            .arg(workspace.target("tools/build"));
        command
    };
    if run(command().arg("--locked")).is_ok() {
        return Ok(());
    }
    // A mirror may lag behind the lock file that the package was published with.
    say(format!(
        "that failed with the dependencies that {package} is locked to; trying others"
    ));
    run(&mut command())
}

/// `worker-build` links the system's OpenSSL on Linux.
fn openssl_headers() -> Result<()> {
    let present = || {
        !cfg!(target_os = "linux")
            || std::env::var_os("OPENSSL_DIR").is_some()
            || capture(Command::new("pkg-config").args(["--exists", "openssl"])).is_some()
    };
    if present() {
        return Ok(());
    }
    if system_packages::can_install() {
        return system_packages::install(&["pkg-config", "libssl-dev"], "to build worker-build");
    }
    Err(Failure::new(
        "worker-build needs OpenSSL's headers: install pkg-config and libssl-dev (Debian, Ubuntu), \
         or pkgconf and openssl-devel (Fedora)",
    ))
}
