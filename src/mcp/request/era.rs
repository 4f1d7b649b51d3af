//! Which family of protocol revisions a message belongs to, and what a modern one must carry.

use ::http::HeaderMap;
use rmcp::model::ProtocolVersion;
use serde_json::Value;

use super::{
    envelope::{Envelope, META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION},
    error::RequestError,
    header::single,
};

/// The first revision without `initialize`.
const FIRST_MODERN: &str = "2026-07-28";
/// The header that names the protocol version.
const PROTOCOL_VERSION_HEADER: &str = "mcp-protocol-version";

/// Which family of protocol revisions a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2024-11-05 to 2025-11-25.
    Legacy,
    /// 2026-07-28.
    Modern,
}

/// Every revision this server speaks, oldest first.
pub(super) fn supported_versions() -> Vec<&'static str> {
    ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .map(ProtocolVersion::as_str)
        .collect()
}

/// Tells the era, and refuses versions that nobody here speaks.
pub(super) fn tell(
    headers: &HeaderMap,
    envelope: &Envelope<'_>,
    id: &Value,
) -> Result<Era, RequestError> {
    let header = single(headers, PROTOCOL_VERSION_HEADER).map_err(|reason| {
        RequestError::HeaderMismatch {
            id: id.clone(),
            reason,
        }
    })?;
    // Judged before the version itself: a request that says two things has said nothing.
    if let (Some(header), Some(meta)) = (header, envelope.meta_version())
        && header != meta
    {
        return Err(RequestError::HeaderMismatch {
            id: id.clone(),
            reason: "MCP-Protocol-Version header does not match the request's _meta".to_owned(),
        });
    }
    // The handshake exists in the legacy era alone and negotiates in its parameters, whatever a
    // header says: some clients name there what `server/discover` told them.
    if envelope.method == "initialize" && !envelope.has_modern_meta() {
        return Ok(Era::Legacy);
    }
    let named = envelope.meta_version().or(header);
    let era = match named {
        Some(version) if version >= FIRST_MODERN => Era::Modern,
        _ if envelope.method == "server/discover" || envelope.has_modern_meta() => Era::Modern,
        // An absent header means 2025-03-26 or older.
        _ => Era::Legacy,
    };
    match named {
        Some(version) if !supported_versions().contains(&version) => {
            Err(RequestError::UnsupportedVersion {
                id: id.clone(),
                requested: version.to_owned(),
                era,
            })
        }
        _ => Ok(era),
    }
}

/// Requires what every modern request carries.
pub(super) fn check_meta(
    headers: &HeaderMap,
    envelope: &Envelope<'_>,
    id: &Value,
) -> Result<(), RequestError> {
    let mut missing = Vec::new();
    if envelope.meta_version().is_none() {
        missing.push(META_PROTOCOL_VERSION);
    }
    if !envelope.names_capabilities() {
        missing.push(META_CLIENT_CAPABILITIES);
    }
    if !missing.is_empty() {
        return Err(RequestError::MissingMeta {
            id: id.clone(),
            missing,
        });
    }
    // That it says the same was seen when the era was told.
    if headers.contains_key(PROTOCOL_VERSION_HEADER) {
        Ok(())
    } else {
        Err(RequestError::HeaderMismatch {
            id: id.clone(),
            reason: "missing required MCP-Protocol-Version header".to_owned(),
        })
    }
}
