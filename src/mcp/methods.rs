//! The methods of the protocol, and which era has which: the one door to the handlers.
//!
//! Source: the MCP specification, schemas of 2025-11-25 and 2026-07-28. Methods of extensions that
//! this server does not declare are not in it, and so not found.

use super::request::Era;

/// A method that a client may call.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The name on the wire.
    pub name: &'static str,
    /// The eras that have it.
    pub eras: &'static [Era],
}

const BOTH: &[Era] = &[Era::Legacy, Era::Modern];
const LEGACY: &[Era] = &[Era::Legacy];
const MODERN: &[Era] = &[Era::Modern];

/// Every method, by name. A method that no handler serves is in it all the same: its parameters are
/// checked, and then it is not found.
pub const METHODS: &[Method] = &[
    method("completion/complete", BOTH),
    method("initialize", LEGACY),
    method("logging/setLevel", LEGACY),
    method("ping", LEGACY),
    method("prompts/get", BOTH),
    method("prompts/list", BOTH),
    method("resources/list", BOTH),
    method("resources/read", BOTH),
    method("resources/subscribe", LEGACY),
    method("resources/templates/list", BOTH),
    method("resources/unsubscribe", LEGACY),
    method("server/discover", MODERN),
    method("subscriptions/listen", MODERN),
    method("tools/call", BOTH),
    method("tools/list", BOTH),
];

const fn method(name: &'static str, eras: &'static [Era]) -> Method {
    Method { name, eras }
}

/// Whether `era` has a method of this name.
pub(super) fn exists(era: Era, name: &str) -> bool {
    METHODS
        .iter()
        .any(|method| method.name == name && method.eras.contains(&era))
}
