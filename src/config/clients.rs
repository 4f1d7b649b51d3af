//! Which clients may be used, beyond those that register themselves for Claude or loopback.

use serde::Deserialize;

use super::{
    host_name, items,
    reader::{ConfigError, Reader},
};
use crate::oauth::{
    redirect_uri::{RedirectHosts, RedirectUri},
    settings::StaticClient,
    types::{ClientId, Digest},
};

/// Hosts that authorization responses may go to, added to Claude's own.
pub(super) fn redirect_hosts(reader: &Reader<'_>) -> Result<RedirectHosts, ConfigError> {
    const KEY: &str = "MCP_REDIRECT_HOSTS";
    let list = reader.optional(KEY).unwrap_or_default();
    let mut hosts = RedirectHosts::DEFAULT.map(str::to_owned).to_vec();
    for item in items(&list) {
        if item == "*" {
            return Ok(RedirectHosts::Any);
        }
        let host = host_name(item).ok_or_else(|| {
            ConfigError::new(
                KEY,
                "must be a list of host names, without scheme, port, path or wildcard; or * alone",
            )
        })?;
        hosts.push(host);
    }
    Ok(RedirectHosts::Listed(hosts))
}

/// One entry of `MCP_STATIC_CLIENTS`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    client_id: String,
    secret_sha256: Option<String>,
    name: String,
    redirect_uris: Vec<String>,
}

/// The clients that the deployer registered by hand.
pub(super) fn static_clients(reader: &Reader<'_>) -> Result<Vec<StaticClient>, ConfigError> {
    const KEY: &str = "MCP_STATIC_CLIENTS";
    let entries = reader.parsed(KEY, |value| {
        // The parser's message can quote the value, which is a secret: only where it failed is told.
        serde_json::from_str::<Vec<Entry>>(value).map_err(|error| {
            format!(
                "must be a JSON list of {{client_id, secret_sha256?, name, redirect_uris}} (line {}, column {})",
                error.line(),
                error.column()
            )
        })
    })?;
    entries
        .unwrap_or_default()
        .into_iter()
        .enumerate()
        .map(|(index, entry)| {
            static_client(entry).map_err(|problem| {
                ConfigError::new(KEY, format_args!("entry {}: {problem}", index + 1))
            })
        })
        .collect()
}

fn static_client(entry: Entry) -> Result<StaticClient, &'static str> {
    let redirect_uris: Vec<RedirectUri> = entry
        .redirect_uris
        .iter()
        .map(|uri| RedirectUri::parse(uri))
        .collect::<Result<_, _>>()
        .map_err(|_| "every redirect URI must use https, or http on localhost")?;
    if redirect_uris.is_empty() {
        return Err("redirect_uris must not be empty");
    }
    Ok(StaticClient {
        id: ClientId::parse(&entry.client_id)
            .ok_or("client_id must be printable ASCII without spaces")?,
        secret: entry
            .secret_sha256
            .map(|digest| Digest::parse(&digest).ok_or("secret_sha256 must be a SHA-256 digest"))
            .transpose()?,
        name: entry.name,
        redirect_uris,
    })
}
