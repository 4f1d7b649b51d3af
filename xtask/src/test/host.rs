//! What runs on the person's own machine and compiler.

use super::libtest;
use super::tally::Tally;
use crate::command::{find_program, run as run_program, run_and_read, say};
use crate::failure::Result;
use crate::workspace::Workspace;

/// Tests that want a real vault are ignored unless this names its folder.
const REAL_VAULT: &str = "VAULT_MCP_REAL_VAULT";

/// Formatting, lints, dependencies, tests, documentation.
pub(crate) fn run(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    tally.check("formatting", || {
        run_program(workspace.cargo().args(["fmt", "--all", "--check"]))
    })?;
    tally.check("lints", || {
        let mut clippy = workspace.cargo();
        clippy.args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]);
        run_program(&mut clippy)
    })?;
    dependencies(workspace, tally)?;
    tests(workspace, tally)?;
    tally.check("documentation", || {
        let mut doc = workspace.cargo();
        doc.args([
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ]);
        run_program(doc.env("RUSTDOCFLAGS", "-D warnings"))
    })
}

/// deny.toml's rules, except those about advisories: they change with the day, not with the code.
fn dependencies(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    const NAME: &str = "licenses and sources of dependencies";
    if find_program(&["cargo-deny"]).is_none() {
        tally.skip(
            NAME,
            "install cargo-deny (cargo install cargo-deny --locked)",
        );
        return Ok(());
    }
    tally.check(NAME, || {
        run_program(
            workspace
                .cargo()
                .args(["deny", "check", "bans", "licenses", "sources"]),
        )
    })
}

fn tests(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    say("host tests …");
    let mut cargo = workspace.cargo();
    cargo.args(["test", "--workspace", "--no-fail-fast"]);
    if std::env::var_os(REAL_VAULT).is_some() {
        cargo.args(["--", "--include-ignored"]);
    }
    let (succeeded, lines) = run_and_read(&mut cargo)?;
    tally.add("host tests", libtest::parse(&lines), succeeded);
    Ok(())
}
