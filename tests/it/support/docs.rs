//! The files beside the code that speak of it, as text.

/// `.dev.vars.example`.
pub(crate) const EXAMPLE: &str = include_str!("../../../.dev.vars.example");
/// `README.md`.
pub(crate) const README: &str = include_str!("../../../README.md");
/// `docs/operations.md`.
pub(crate) const OPERATIONS: &str = include_str!("../../../docs/operations.md");
/// `wrangler.toml`.
pub(crate) const WRANGLER: &str = include_str!("../../../wrangler.toml");

/// The keys that `.dev.vars.example` sets, with their values.
pub(crate) fn example_variables() -> Vec<(String, String)> {
    EXAMPLE.lines().filter_map(assignment).collect()
}

/// The keys that it shows in comments, with their defaults; empty where there is none.
pub(crate) fn example_defaults() -> Vec<(String, String)> {
    let comments = EXAMPLE.lines().filter_map(|line| line.strip_prefix("# "));
    comments.filter_map(assignment).collect()
}

/// `KEY=value` or `KEY="value"`.
fn assignment(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once('=')?;
    let is_key = key
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let value = value.trim_matches('"');
    (is_key && !key.is_empty()).then(|| (key.to_owned(), value.to_owned()))
}
