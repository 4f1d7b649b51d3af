//! Points in time as people and protocols write them (RFC 3339).

use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat, Utc};

use crate::runtime::Timestamp;

/// A text that is no date or time of RFC 3339, or is before 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a date such as \"2026-11-30\" or a time such as \"2026-11-30T09:30:00Z\"")]
pub struct NotADate;

/// Reads a full date, which stands for its first moment in UTC, or a date and time with an offset.
///
/// # Errors
/// [`NotADate`].
///
/// ```
/// use vault_mcp::date;
///
/// assert_eq!(date::parse("1970-01-02").unwrap().unix_seconds(), 86_400);
/// assert_eq!(date::parse("1970-01-01T02:00:00+01:00").unwrap().unix_seconds(), 3_600);
/// assert!(date::parse("yesterday").is_err());
/// ```
pub fn parse(text: &str) -> Result<Timestamp, NotADate> {
    let text = text.trim();
    full_date(text).map_or_else(|| parse_time(text), since_epoch)
}

/// Reads a date and time with an offset.
///
/// # Errors
/// [`NotADate`].
pub fn parse_time(text: &str) -> Result<Timestamp, NotADate> {
    let time = DateTime::parse_from_rfc3339(text).map_err(|_| NotADate)?;
    since_epoch(time.to_utc())
}

fn since_epoch(time: DateTime<Utc>) -> Result<Timestamp, NotADate> {
    u64::try_from(time.timestamp())
        .map(Timestamp::from_unix_seconds)
        .map_err(|_| NotADate)
}

/// The first moment of a `full-date`: four, two and two digits.
fn full_date(text: &str) -> Option<DateTime<Utc>> {
    let parts: Vec<&str> = text.split('-').collect();
    let &[year, month, day] = parts.as_slice() else {
        return None;
    };
    let is_number =
        |part: &str, digits| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
    if !(is_number(year, 4) && is_number(month, 2) && is_number(day, 2)) {
        return None;
    }
    let date = NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
    Some(date.and_time(NaiveTime::MIN).and_utc())
}

/// Writes a time in UTC, to the second.
///
/// ```
/// use vault_mcp::{date, runtime::Timestamp};
///
/// assert_eq!(date::format(Timestamp::from_unix_seconds(86_400)), "1970-01-02T00:00:00Z");
/// ```
#[must_use]
pub fn format(time: Timestamp) -> String {
    in_utc(time)
        .map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true))
        // Beyond what any clock shows there is no such form.
        .unwrap_or_default()
}

/// Writes a time for people, to the minute, such as `2027-01-15 08:00 UTC`. `None` beyond what any
/// clock shows.
#[must_use]
pub fn for_people(time: Timestamp) -> Option<String> {
    in_utc(time).map(|time| time.format("%Y-%m-%d %H:%M UTC").to_string())
}

fn in_utc(time: Timestamp) -> Option<DateTime<Utc>> {
    let seconds = i64::try_from(time.unix_seconds()).ok()?;
    DateTime::from_timestamp(seconds, 0)
}

#[cfg(test)]
mod tests {
    use super::{NotADate, parse};

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2026",
            "2026-11",
            "2026-13-01",
            "2026-02-30",
            "26-11-30",
            "2026-1-1",
            "2026-11-30T09:30:00",
            "2026-11-30 09:30",
            "30.11.2026",
            "1969-12-31",
            "-026-11-30",
            "+026-11-30",
            "2026-+1-01",
        ] {
            assert_eq!(parse(text), Err(NotADate), "{text:?}");
        }
        assert_eq!(parse(" 2026-11-30 "), parse("2026-11-30T00:00:00z"));
    }
}
