//! How long a fetched document counts without being fetched again (RFC 9111).

use std::time::Duration;

use http::{
    HeaderMap, HeaderName,
    header::{AGE, CACHE_CONTROL},
};

/// The least: a document is not fetched at every request, whatever it says.
pub(super) const MIN_FRESH: Duration = Duration::from_mins(5);
/// The most: a client that changes its redirect URIs is believed within a day.
const MAX_FRESH: Duration = Duration::from_hours(24);
/// Where the document does not say.
const DEFAULT_FRESH: Duration = Duration::from_hours(1);

/// How long an answer with these headers is fresh, within the bounds above.
pub(super) fn fresh_for(headers: &HeaderMap) -> Duration {
    let cache_control = text(headers, &CACHE_CONTROL).to_ascii_lowercase();
    let directives = || cache_control.split(',').map(str::trim);
    if directives().any(|directive| matches!(directive, "no-store" | "no-cache")) {
        return MIN_FRESH;
    }
    let seconds = |name: &str| {
        directives().find_map(|directive| {
            let (present, value) = directive.split_once('=')?;
            (present == name)
                .then(|| value.trim_matches('"').parse::<u64>().ok())
                .flatten()
        })
    };
    let Some(max_age) = seconds("s-maxage").or_else(|| seconds("max-age")) else {
        return DEFAULT_FRESH;
    };
    let age = text(headers, &AGE).parse().unwrap_or(0);
    Duration::from_secs(max_age.saturating_sub(age)).clamp(MIN_FRESH, MAX_FRESH)
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_FRESH, Duration, HeaderMap, MAX_FRESH, MIN_FRESH, fresh_for};

    #[test]
    fn b4_cache_control_is_honoured_within_bounds() {
        for (cache_control, age, expected) in [
            ("", "", DEFAULT_FRESH),
            ("public", "", DEFAULT_FRESH),
            ("max-age=garbage", "", DEFAULT_FRESH),
            ("no-store", "", MIN_FRESH),
            ("max-age=600, no-cache", "", MIN_FRESH),
            ("max-age=0", "", MIN_FRESH),
            ("Public, Max-Age=\"1200\"", "", Duration::from_mins(20)),
            ("max-age=1200", "600", Duration::from_mins(10)),
            ("max-age=1200", "5000", MIN_FRESH),
            ("max-age=60, s-maxage=7200", "", Duration::from_hours(2)),
            ("max-age=31536000, immutable", "", MAX_FRESH),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [("cache-control", cache_control), ("age", age)] {
                if !value.is_empty() {
                    headers.insert(name, value.parse().unwrap());
                }
            }
            assert_eq!(fresh_for(&headers), expected, "{cache_control} {age}");
        }
    }
}
