//! E-mail addresses as identities: what counts as one, and when two are the same.

/// The most bytes that an address can have in mail (RFC 5321 section 4.5.3.1.3, less the brackets).
const MAX_BYTES: usize = 254;

/// An e-mail address in the form in which addresses are compared: without surrounding white space,
/// ASCII letters in lower case.
///
/// Nothing else is folded: not dots, not `+tags`, not Unicode. What one mail provider treats as the
/// same mailbox belongs to two people at another, and a letter that merely looks like an ASCII one
/// is another letter.
#[derive(Clone, PartialEq, Eq)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Takes `text` if it is a plain address: one `@` with something on both sides, and none of the
    /// characters that an address could carry only in quotes. `*` is none of ours either: it would
    /// be read as a wildcard.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (local, domain) = text.split_once('@')?;
        let plain = |part: &str| !part.is_empty() && !part.contains(is_special);
        (text.len() <= MAX_BYTES && plain(local) && plain(domain))
            .then(|| Self(text.to_ascii_lowercase()))
    }

    /// The address in its compared form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Characters that never stand bare in an address (RFC 5322 section 3.2.3), and `*`.
fn is_special(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' | '"' | '*'
        )
}

/// Prints nothing of the address: it is personal data, and debug output ends up in logs.
impl std::fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EmailAddress([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::EmailAddress;

    #[test]
    fn d5_addresses_compare_trimmed_and_in_ascii_lower_case() {
        for (text, compared) in [
            ("owner@example.test", Some("owner@example.test")),
            (" Owner@Example.TEST\n", Some("owner@example.test")),
            (
                "first.last+tag@example.test",
                Some("first.last+tag@example.test"),
            ),
            ("o'hara_1%x@example.test", Some("o'hara_1%x@example.test")),
            // Kelvin sign, Turkish dotless and dotted i, full-width a: none is the ASCII letter.
            ("\u{212a}ate@example.test", Some("\u{212a}ate@example.test")),
            (
                "\u{131}\u{130}@example.test",
                Some("\u{131}\u{130}@example.test"),
            ),
            ("\u{ff41}@example.test", Some("\u{ff41}@example.test")),
            ("", None),
            ("owner", None),
            ("@example.test", None),
            ("owner@", None),
            ("a@b@example.test", None),
            ("*@example.test", None),
            ("owner@*.test", None),
            ("own er@example.test", None),
            ("owner@example.test\u{0}", None),
            ("owner\n@example.test", None),
            ("Owner <owner@example.test>", None),
            ("\"owner\"@example.test", None),
            ("owner@[127.0.0.1]", None),
        ] {
            let parsed = EmailAddress::parse(text);
            assert_eq!(
                parsed.as_ref().map(EmailAddress::as_str),
                compared,
                "{text:?}"
            );
        }
        let longest = format!("{}@example.test", "a".repeat(241));
        assert!(EmailAddress::parse(&longest).is_some());
        assert!(EmailAddress::parse(&format!("a{longest}")).is_none());
    }

    #[test]
    fn h1_debug_output_does_not_hold_the_address() {
        let address = EmailAddress::parse("owner@example.test").unwrap();
        assert_eq!(format!("{address:?}"), "EmailAddress([redacted])");
    }
}
