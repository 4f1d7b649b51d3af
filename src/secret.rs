//! Values that must not be printed.

use std::fmt;

use subtle::ConstantTimeEq;

/// A secret text: a token, a key, a password.
///
/// It has no `Display` and no `Serialize`; `Debug` prints `[redacted]`. Equality takes the same
/// time wherever two values of one length differ.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The secret itself. Only for what sends, seals or hashes it; never for a log or an answer.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn debug_output_does_not_hold_the_secret() {
        let printed = format!("{:?}", Some(Secret::new("hunter2")));
        assert_eq!(printed, "Some([redacted])");
    }

    #[test]
    fn equality_compares_the_whole_text() {
        assert_eq!(Secret::new("abc"), Secret::new("abc"));
        assert_ne!(Secret::new("abc"), Secret::new("abd"));
        assert_ne!(Secret::new("abc"), Secret::new("abcd"));
    }
}
