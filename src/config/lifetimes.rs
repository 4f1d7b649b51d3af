//! How long logins last.

use std::time::Duration;

use super::reader::{ConfigError, Reader};
use crate::{
    oauth::settings::{Lifetimes, RefreshReuse},
    runtime::Timestamp,
};

const MINUTE: u64 = 60;
const DAY: u64 = 24 * 60 * MINUTE;

/// A lifetime with the least and the most that make sense, in seconds.
fn seconds(
    reader: &Reader<'_>,
    key: &'static str,
    default: Duration,
    (least, most): (u64, u64),
) -> Result<Duration, ConfigError> {
    match reader.number::<u64>(key)? {
        None => Ok(default),
        Some(seconds) if (least..=most).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        Some(_) => Err(ConfigError::new(
            key,
            format_args!("must be a number of seconds from {least} to {most}"),
        )),
    }
}

pub(super) fn read(reader: &Reader<'_>) -> Result<Lifetimes, ConfigError> {
    let default = Lifetimes::default();
    let lifetimes = Lifetimes {
        access: seconds(reader, "ACCESS_TTL", default.access, (MINUTE, DAY))?,
        refresh_idle: seconds(
            reader,
            "REFRESH_IDLE_TTL",
            default.refresh_idle,
            (60 * MINUTE, 365 * DAY),
        )?,
        refresh_absolute: seconds(
            reader,
            "REFRESH_ABSOLUTE_TTL",
            default.refresh_absolute,
            (60 * MINUTE, 2 * 365 * DAY),
        )?,
        refresh_grace: seconds(
            reader,
            "REFRESH_GRACE",
            default.refresh_grace,
            (0, 60 * MINUTE),
        )?,
    };
    if lifetimes.refresh_idle > lifetimes.refresh_absolute {
        return Err(ConfigError::new(
            "REFRESH_IDLE_TTL",
            "must not be over REFRESH_ABSOLUTE_TTL",
        ));
    }
    Ok(lifetimes)
}

pub(super) fn refresh_reuse(reader: &Reader<'_>) -> Result<RefreshReuse, ConfigError> {
    let reuse = reader.parsed("REFRESH_REUSE", |value| match value {
        "revoke" => Ok(RefreshReuse::Revoke),
        "reject" => Ok(RefreshReuse::Reject),
        _ => Err("must be revoke or reject"),
    })?;
    Ok(reuse.unwrap_or_default())
}

pub(super) fn revoke_before(reader: &Reader<'_>) -> Result<Option<Timestamp>, ConfigError> {
    let seconds = reader.number::<u64>("REVOKE_BEFORE")?;
    Ok(seconds.map(Timestamp::from_unix_seconds))
}
