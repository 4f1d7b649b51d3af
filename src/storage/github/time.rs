//! Points in time as GitHub writes them.

use crate::{date, runtime::Timestamp};

/// Reads a time of a commit, such as `2026-11-30T12:00:00Z`, or one of a header, such as
/// `2026-12-31 00:00:00 UTC` or `2026-12-31 00:00:00 +0100`. `None` for anything else, and for what
/// is before 1970.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let Some((date, rest)) = text.split_once(' ') else {
        return date::parse_time(text).ok();
    };
    let (time, zone) = rest.split_once(' ')?;
    let zone = match zone {
        "UTC" => "Z".to_owned(),
        zone => format!("{}:{}", zone.get(..3)?, zone.get(3..)?),
    };
    date::parse_time(&format!("{date}T{time}{zone}")).ok()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_forms_are_read_and_nothing_else() {
        for (text, seconds) in [
            ("1970-01-02T00:00:00Z", Some(86_400)),
            ("1970-01-02T01:00:00+01:00", Some(86_400)),
            ("1970-01-02 00:00:00 UTC", Some(86_400)),
            ("1970-01-02 01:00:00 +0100", Some(86_400)),
            ("1970-01-01 23:00:00 -0100", Some(86_400)),
            ("1969-12-31T23:59:59Z", None),
            ("1970-01-02", None),
            ("1970-01-02 00:00:00", None),
            ("1970-01-02 00:00:00 CET", None),
            ("1970-01-02 00:00:00 é", None),
            ("", None),
            (" ", None),
        ] {
            let parsed = parse(text).map(crate::runtime::Timestamp::unix_seconds);
            assert_eq!(parsed, seconds, "{text}");
        }
    }
}
