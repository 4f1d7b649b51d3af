//! How large the Worker is, raw and as Cloudflare counts it: gzipped.

use std::fmt;
use std::path::Path;

use crate::command::capture;
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// More than this fails `cargo xtask test`. Workers Free takes 3 MB, and a large module starts
/// slowly.
pub(crate) const GZIP_LIMIT: u64 = 1024 * 1024 * 3 / 2;

/// What we would like it to be.
pub(crate) const GZIP_GOAL: u64 = 1024 * 1024;

/// Counts with Node's zlib, which is what `wrangler` counts with.
const MEASURE: &str = "\
    const bytes = require('node:fs').readFileSync(process.argv[1]);\
    console.log(bytes.length, require('node:zlib').gzipSync(bytes).length)";

/// Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WasmSize {
    /// As a file.
    pub(crate) raw: u64,
    /// Compressed with gzip's default level.
    pub(crate) gzip: u64,
}

impl WasmSize {
    /// Measures `module`.
    pub(crate) fn measure(workspace: &Workspace, module: &Path) -> Result<Self> {
        let mut node = workspace.node_tool("node")?;
        let measured = capture(node.args(["-e", MEASURE]).arg(module));
        measured
            .as_deref()
            .and_then(Self::parse)
            .ok_or_else(|| Failure::new(format!("cannot measure {}", workspace.shown(module))))
    }

    /// Reads `RAW GZIP`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (raw, gzip) = text.split_once(' ')?;
        Some(Self {
            raw: raw.parse().ok()?,
            gzip: gzip.parse().ok()?,
        })
    }
}

impl fmt::Display for WasmSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Wasm {} KiB, {} KiB gzip",
            self.raw.div_ceil(1024),
            self.gzip.div_ceil(1024)
        )
    }
}
