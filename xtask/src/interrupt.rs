//! Ctrl-C, SIGTERM and a closed terminal, as a flag that every wait looks at.
//!
//! Programs run in process groups of their own (see [`crate::process`]), so the terminal's SIGINT
//! reaches only this process, and it is this process that ends them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::failure::{Failure, Result};

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From here on the signals set the flag instead of ending this process.
pub(crate) fn watch() -> Result<()> {
    let flag = REQUESTED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(flag))
            .map_err(|error| Failure::new(format!("cannot watch for signal {signal}: {error}")))?;
    }
    Ok(())
}

/// Whether the person asked for the end.
pub(crate) fn requested() -> bool {
    REQUESTED
        .get()
        .is_some_and(|flag| flag.load(Ordering::Relaxed))
}
