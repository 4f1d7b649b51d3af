//! Object names.

use std::fmt;
use std::str::FromStr;

/// The SHA-1 name of a git object: always 20 bytes, printed as 40 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid([u8; 20]);

impl Oid {
    /// The name that `git update-ref` takes for "the reference must not exist yet".
    pub(crate) const ZERO: Self = Self([0; 20]);

    /// The tree without entries, which git knows without storing it.
    pub(crate) const EMPTY_TREE: Self = Self([
        0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92,
        0x88, 0xfb, 0xee, 0x49, 0x04,
    ]);

    /// The 20 bytes, as they stand in tree objects.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// Takes the 20 bytes of a tree object's entry.
    pub(crate) const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }
}

/// The text is not 40 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 40 lower-case hexadecimal digits")]
pub struct OidError;

impl FromStr for Oid {
    type Err = OidError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.as_bytes();
        if digits.len() != 40 {
            return Err(OidError);
        }
        let mut bytes = [0; 20];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let [high, low] = pair else {
                return Err(OidError);
            };
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

const fn digit(ascii: u8) -> Result<u8, OidError> {
    match ascii {
        b'0'..=b'9' => Ok(ascii - b'0'),
        b'a'..=b'f' => Ok(ascii - b'a' + 10),
        _ => Err(OidError),
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_a_round_trip_and_anything_else_is_refused() {
        let text = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(text.parse::<Oid>(), Ok(Oid::EMPTY_TREE));
        assert_eq!(Oid::EMPTY_TREE.to_string(), text);
        for bad in ["", "4b825dc", &text.to_uppercase(), &text.replace('4', "g")] {
            assert_eq!(bad.parse::<Oid>(), Err(OidError), "{bad}");
        }
    }
}
