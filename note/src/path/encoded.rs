//! Percent-encoding, decoded for judging only.
//!
//! A path is always sent encoded exactly once, so an encoded `..` is harmless here. It is refused
//! all the same: nobody's note is called that, and some server on the way may decode twice.

use super::{PathError, is_absolute};

/// Refuses a path that climbs, is absolute or ends at a NUL once every percent-encoding in it is
/// decoded, however often it was encoded.
pub(super) fn check(path: &str) -> Result<(), PathError> {
    if !path.contains('%') {
        return Ok(());
    }
    let decoded =
        String::from_utf8_lossy(&plain_dots_and_slashes(&decode_fully(path))).into_owned();
    let climbs = decoded
        .split(['/', '\\'])
        .any(|segment| matches!(segment, "." | ".."));
    if climbs || is_absolute(&decoded) || decoded.contains('\0') {
        return Err(PathError::EncodedTraversal { decoded });
    }
    Ok(())
}

/// The fixed point of percent-decoding, in one pass.
///
/// Each byte goes to the end of the output, and while the output ends in an escape, the escape
/// becomes its byte. That byte may complete another escape (`%2%35` is `%25` is `%`), which the
/// loop sees, or begin one, which a later byte completes. Escapes cannot overlap, so the order in
/// which they are decoded does not matter and the result is the fixed point of decoding the whole
/// again and again.
fn decode_fully(path: &str) -> Vec<u8> {
    let mut output: Vec<u8> = Vec::with_capacity(path.len());
    for byte in path.bytes() {
        output.push(byte);
        while let [.., b'%', high, low] = output.as_slice() {
            let (Some(high), Some(low)) = (hex_digit(*high), hex_digit(*low)) else {
                break;
            };
            let decoded = high << 4 | low;
            output.truncate(output.len() - 3);
            output.push(decoded);
        }
    }
    output
}

/// The value of a hexadecimal digit in either letter case.
fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// Overlong UTF-8 forms of `.`, `/` and `\` become the characters that careless decoders take them
/// for. RFC 3629 section 10 tells of the attack.
fn plain_dots_and_slashes(bytes: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        let (byte, after) = match rest {
            [0xc0, 0xae, after @ ..] | [0xe0, 0x80, 0xae, after @ ..] => (b'.', after),
            [0xc0, 0xaf, after @ ..] | [0xe0, 0x80, 0xaf, after @ ..] => (b'/', after),
            [0xc1, 0x9c, after @ ..] | [0xe0, 0x81, 0x9c, after @ ..] => (b'\\', after),
            [0xc0, 0x80, after @ ..] | [0xe0, 0x80, 0x80, after @ ..] => (0, after),
            _ => (*first, after),
        };
        output.push(byte);
        rest = after;
    }
    output
}

#[cfg(test)]
mod tests {
    use super::{check, decode_fully};

    #[test]
    fn decoding_reaches_the_fixed_point() {
        let cases = [
            ("%2e", "."),
            ("%252e", "."),
            ("%25252E", "."),
            ("%2%35", "%"),
            ("%2%352e", "."),
            ("50% plan.md", "50% plan.md"),
            ("100%25.md", "100%.md"),
            ("%", "%"),
            ("%2", "%2"),
            ("%zz", "%zz"),
            ("%C3%A9", "é"),
        ];
        for (encoded, decoded) in cases {
            assert_eq!(decode_fully(encoded), decoded.as_bytes(), "{encoded}");
        }
    }

    #[test]
    fn encoded_traversal_is_refused_in_every_spelling() {
        for path in [
            "%2e%2e%2fsecret.md",
            "%2E%2E/secret.md",
            ".%2e/secret.md",
            "docs%2f..%2f..%2fx.md",
            "a/%2e/b.md",
            "..%5csecret.md",
            "%252e%252e%252fsecret.md",
            "%25252e%25252e%25252fsecret.md",
            "%2%65%2e/x.md",
            "%c0%ae%c0%ae/x.md",
            "%e0%80%ae%e0%80%ae%c0%afx.md",
            "%2fetc%2fx.md",
            "%5c%5csrv%5cx.md",
            "C%3A%5Cx.md",
            "file%3A%2F%2F%2Fx.md",
            "x.md%00.md",
        ] {
            assert!(check(path).is_err(), "{path}");
        }
    }

    #[test]
    fn names_with_percent_signs_are_names() {
        for path in [
            "50% plan.md",
            "100%25.md",
            "a%3Db.md",
            "%2ehidden.md",
            "a%2fb.md",
            "a%2f%2fb.md",
            "%2e%2e.md",
            "100%.md",
            "50%0ff.md",
            "%c0%ae.md",
            "up 20%10 days.md",
        ] {
            assert_eq!(check(path), Ok(()), "{path}");
        }
    }
}
