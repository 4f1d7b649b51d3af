//! Which compiler builds the Worker. The first of these that works:
//!
//! 1. the person's own, where it has the standard library for the Wasm target;
//! 2. the one that an earlier run made of Debian's packages (see [`crate::wasm_sysroot`]);
//! 3. the person's own, after `rustup target add`;
//! 4. one made of Debian's packages now, for networks on which rustup downloads nothing.

use std::path::Path;
use std::process::Command;

use crate::command::{capture, find_program, prepend_path, run, say};
use crate::failure::{Failure, Result};
use crate::wasm_sysroot::WasmSysroot;
use crate::workspace::Workspace;

/// What Workers run.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// A compiler that can build for [`WASM_TARGET`].
#[derive(Debug)]
pub(crate) enum Toolchain {
    /// The one on PATH.
    Own,
    /// Debian's, with our sysroot.
    Debian(WasmSysroot),
}

impl Toolchain {
    /// Finds or makes one, and says what it installs.
    pub(crate) fn provision(workspace: &Workspace) -> Result<Self> {
        if own_has_target() {
            return Ok(Self::Own);
        }
        if let Some(sysroot) = WasmSysroot::built_earlier(workspace) {
            return Ok(Self::Debian(sysroot));
        }
        if find_program(&["rustup"]).is_some() {
            say(format!("adding the target {WASM_TARGET} with rustup"));
            let added = run(Command::new("rustup").args(["target", "add", WASM_TARGET]));
            if added.is_ok() && own_has_target() {
                return Ok(Self::Own);
            }
            say("rustup cannot add the target here");
        }
        if WasmSysroot::can_build() {
            return WasmSysroot::build(workspace).map(Self::Debian);
        }
        Err(Failure::new(format!(
            "the standard library for {WASM_TARGET} is missing: run `rustup target add \
             {WASM_TARGET}`, or, on Debian, run this once as root so that it can install rustc-web"
        )))
    }

    /// Lets `command` and every cargo it starts use this compiler. Wasm builds have a target
    /// folder of their own: two compilers that share one rebuild each other's work.
    pub(crate) fn apply(&self, workspace: &Workspace, command: &mut Command) -> Result<()> {
        command.env("CARGO_TARGET_DIR", workspace.target("wasm"));
        if let Self::Debian(sysroot) = self {
            prepend_path(command, &sysroot.bin())?;
            command
                .env("CARGO", sysroot.bin().join("cargo"))
                .env("RUSTC", sysroot.bin().join("rustc"));
        }
        Ok(())
    }

    /// `cargo clippy` of this very compiler: another one's cannot read its libraries.
    pub(crate) fn clippy(&self, workspace: &Workspace) -> Result<Command> {
        let mut command = match self {
            Self::Own => workspace.cargo(),
            Self::Debian(sysroot) => {
                let mut command = workspace.command(WasmSysroot::CARGO_CLIPPY);
                // clippy's driver is a compiler of its own and asks this variable.
                command.env("SYSROOT", sysroot.path());
                command
            }
        };
        self.apply(workspace, &mut command)?;
        command.arg("clippy");
        Ok(command)
    }
}

fn own_has_target() -> bool {
    capture(Command::new("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]))
        .is_some_and(|folder| Path::new(&folder).is_dir())
}
