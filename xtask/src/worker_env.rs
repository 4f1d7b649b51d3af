//! The Worker's configuration in the local stack: `.dev.vars.example` at other ports.
//!
//! The person's own `.dev.vars` is neither read nor written, so a real token cannot get here.

use std::fs;

use crate::failure::{Failure, Result, at};
use crate::ports::Ports;
use crate::workspace::Workspace;

/// The values of the example, ready for `wrangler dev --env-file`.
///
/// # Errors
/// When the GitHub they name is not on this machine.
pub(crate) fn derive(workspace: &Workspace, ports: Ports) -> Result<String> {
    let path = workspace.path(".dev.vars.example");
    let example = fs::read_to_string(&path).map_err(at(&path))?;
    let values = ports.move_urls(&assignments(&example));
    demand_loopback(&values)?;
    Ok(values)
}

/// The lines that set something.
fn assignments(example: &str) -> String {
    let lines = example.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .flat_map(|l| [l, "\n"])
        .collect()
}

/// Local stacks and tests write to the vault they are given.
pub(crate) fn demand_loopback(values: &str) -> Result<()> {
    let url = values
        .lines()
        .find_map(|line| line.strip_prefix("GITHUB_API_URL="))
        .unwrap_or_default();
    let url = url.trim_matches(['"', '\'']);
    let host = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split(['/', ':', '?', '#']).next());
    match host {
        Some("localhost" | "127.0.0.1") if !url.contains('@') => Ok(()),
        _ => Err(Failure::new(format!(
            "refusing to run against GITHUB_API_URL={url}: it is not on this machine"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_optional_keys_are_left_out() {
        let example = "# a comment\nA=1\n\n# B=2\nC=\"x y\"\n";
        assert_eq!(assignments(example), "A=1\nC=\"x y\"\n");
    }

    #[test]
    fn only_a_github_on_this_machine_is_taken() {
        for good in ["http://localhost:8789", "\"http://127.0.0.1:9/api\""] {
            demand_loopback(&format!("A=1\nGITHUB_API_URL={good}\n")).unwrap();
        }
        for bad in [
            "https://api.github.com",
            "http://localhost.example.com",
            "http://localhost:x@github.example.com",
            "http://127.0.0.1.example.com",
            "",
        ] {
            assert!(
                demand_loopback(&format!("GITHUB_API_URL={bad}\n")).is_err(),
                "{bad}"
            );
        }
        assert!(demand_loopback("A=1\n").is_err());
    }
}
