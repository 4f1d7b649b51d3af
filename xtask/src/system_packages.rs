//! Packages of the operating system. They are installed without asking only where nobody is
//! surprised by it: as root, on Debian and its relatives. It is said aloud.

use std::process::Command;

use crate::command::{find_program, run, say};
use crate::failure::Result;

/// Whether [`install`] may be called here.
pub(crate) fn can_install() -> bool {
    rustix::process::geteuid().is_root() && find_program(&["apt-get"]).is_some()
}

/// Installs `packages`, removing none: Debian's `rustc-web` would push out its `rustup`. The lists of a fresh container are empty or old, so a first failure
/// refreshes them and tries once more.
pub(crate) fn install(packages: &[&str], purpose: &str) -> Result<()> {
    say(format!(
        "installing {} with apt-get, {purpose}",
        packages.join(" ")
    ));
    let mut install = apt_get();
    install
        .args(["install", "--yes", "--no-install-recommends"])
        .args(packages);
    if run(&mut install).is_ok() {
        return Ok(());
    }
    say("refreshing the package lists with apt-get update");
    run(apt_get().arg("update"))?;
    run(&mut install)
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command
        .arg("--quiet")
        .env("DEBIAN_FRONTEND", "noninteractive");
    command
}
