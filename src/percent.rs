//! Percent-encoding of paths in URLs (RFC 3986 section 2).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but the unreserved characters of RFC 3986 section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Encodes a path for a URL: every segment by itself, so that `/` goes on separating them and
/// `?`, `#`, `%` and `+` mean themselves.
pub(crate) fn encode_path(path: &str) -> String {
    path.split('/')
        .map(encode_value)
        .collect::<Vec<_>>()
        .join("/")
}

/// Encodes one segment of a path, or one value of a query.
pub(crate) fn encode_value(value: &str) -> String {
    utf8_percent_encode(value, RESERVED).to_string()
}

/// Undoes one encoding. `None` for a percent sign that encodes nothing, and for bytes that are no
/// UTF-8: nobody could tell what was meant.
pub(crate) fn decode(text: &str) -> Option<String> {
    let is_escape = |rest: &str| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_escape) {
        return None;
    }
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::{decode, encode_path, encode_value};

    #[test]
    fn every_segment_is_encoded_once() {
        for (path, encoded) in [
            ("a b.md", "a%20b.md"),
            ("a+b.md", "a%2Bb.md"),
            ("50% plan.md", "50%25%20plan.md"),
            ("100%25.md", "100%2525.md"),
            ("%2ehidden-like.md", "%252ehidden-like.md"),
            ("#in/C# ?.md", "%23in/C%23%20%3F.md"),
            ("Café/日.md", "Caf%C3%A9/%E6%97%A5.md"),
            ("~a_b-c.d/e", "~a_b-c.d/e"),
        ] {
            assert_eq!(encode_path(path), encoded);
        }
        assert_eq!(encode_value("a/b&c=d"), "a%2Fb%26c%3Dd");
    }

    #[test]
    fn what_is_encoded_is_decoded_to_itself() {
        for path in [
            "a b/c.md",
            "100%25.md",
            "%2e%2e.md",
            "50% plan.md",
            "a+b&c=d?e#f.md",
            "日本語/メモ.md",
            "Cafe\u{301}.md",
        ] {
            let encoded = encode_path(path);
            assert!(encoded.is_ascii(), "{encoded}");
            assert_eq!(decode(&encoded).as_deref(), Some(path));
        }
    }

    #[test]
    fn an_escape_that_is_none_is_refused() {
        for text in ["%", "a%", "a%2", "%zz", "%é", "%%41", "%ff", "%c3", "%+1"] {
            assert_eq!(decode(text), None, "{text}");
        }
        assert_eq!(decode("a%2Fb%2fc").as_deref(), Some("a/b/c"));
    }
}
