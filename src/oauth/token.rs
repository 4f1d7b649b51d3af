//! The format of what this server issues: access tokens, refresh tokens and authorization codes.
//!
//! ```text
//! vmcp_at_1.<grant id>.<secret><checksum>
//! ```
//!
//! - The prefix says what it is (`at` access token, `rt` refresh token, `ac` authorization code)
//!   and lets a secret scanner find one; `1` is the version of the format.
//! - The grant id names the record it belongs to. It is no secret.
//! - The secret is 256 random bits in base64url.
//! - The checksum is 48 bits of HMAC-SHA256 over all before it, under a key of this server. Whoever
//!   makes up a token is found out before any state is asked, so the state that holds grants can
//!   only be reached by somebody who was once given something. It is no substitute for looking the
//!   token up. A side effect: a new `COOKIE_ENCRYPTION_KEY` voids every token.
//!
//! Only the SHA-256 digest of the whole text is stored.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use super::{
    seal::{Purpose, SealingKey},
    types::Digest,
};
use crate::{
    runtime::{Rng, RngError},
    secret::Secret,
};

/// The kinds of issued secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// An access token (RFC 6750).
    Access,
    /// A refresh token (RFC 6749 section 1.5).
    Refresh,
    /// An authorization code (RFC 6749 section 1.3.1).
    Code,
}

impl TokenKind {
    const ALL: [Self; 3] = [Self::Access, Self::Refresh, Self::Code];

    const fn prefix(self) -> &'static str {
        match self {
            Self::Access => "vmcp_at_1.",
            Self::Refresh => "vmcp_rt_1.",
            Self::Code => "vmcp_ac_1.",
        }
    }
}

/// The name of a grant's record: 128 random bits in base64url.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantId(String);

impl GrantId {
    const BYTES: usize = 16;
    const LENGTH: usize = 22;

    /// A new identifier.
    ///
    /// # Errors
    /// [`RngError`] when the system has no randomness to give.
    pub fn generate(rng: &dyn Rng) -> Result<Self, RngError> {
        random_base64url::<{ Self::BYTES }>(rng).map(Self)
    }

    /// An untrusted text as an identifier; `None` where it has not the shape of one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == Self::LENGTH && text.bytes().all(is_base64url))
            .then(|| Self(text.to_owned()))
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A token or code in the shape that this server gives it, with a checksum that is right.
///
/// Whether it is known, live, and whose, only the stored state can say.
#[derive(Clone, Debug)]
pub struct IssuedToken {
    kind: TokenKind,
    grant: GrantId,
    text: Secret,
}

const SECRET_BYTES: usize = 32;
const SECRET_LENGTH: usize = 43;
const CHECKSUM_BYTES: usize = 6;
const CHECKSUM_LENGTH: usize = 8;

impl IssuedToken {
    /// A new token or code for `grant`.
    ///
    /// # Errors
    /// [`RngError`] when the system has no randomness to give.
    pub fn generate(
        kind: TokenKind,
        grant: &GrantId,
        key: &SealingKey,
        rng: &dyn Rng,
    ) -> Result<Self, RngError> {
        let secret = random_base64url::<SECRET_BYTES>(rng)?;
        let body = format!("{}{grant}.{secret}", kind.prefix());
        let text = Secret::new(format!("{body}{}", checksum(&body, key)));
        Ok(Self {
            kind,
            grant: grant.clone(),
            text,
        })
    }

    /// Recognizes a token or code of any kind; `None` where `text` was never issued here.
    #[must_use]
    pub fn parse(text: &str, key: &SealingKey) -> Option<Self> {
        let (kind, rest) = TokenKind::ALL
            .into_iter()
            .find_map(|kind| text.strip_prefix(kind.prefix()).map(|rest| (kind, rest)))?;
        let (grant, secret) = rest.split_once('.')?;
        let grant = GrantId::parse(grant)?;
        let shaped =
            secret.len() == SECRET_LENGTH + CHECKSUM_LENGTH && secret.bytes().all(is_base64url);
        if !shaped {
            return None;
        }
        let (body, presented) = text.split_at_checked(text.len().checked_sub(CHECKSUM_LENGTH)?)?;
        let right: bool = checksum(body, key)
            .as_bytes()
            .ct_eq(presented.as_bytes())
            .into();
        right.then(|| Self {
            kind,
            grant,
            text: Secret::new(text),
        })
    }

    /// Recognizes a token or code of one kind.
    #[must_use]
    pub fn parse_as(kind: TokenKind, text: &str, key: &SealingKey) -> Option<Self> {
        Self::parse(text, key).filter(|token| token.kind == kind)
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> TokenKind {
        self.kind
    }

    /// The grant it says it belongs to.
    #[must_use]
    pub const fn grant(&self) -> &GrantId {
        &self.grant
    }

    /// The digest under which it is stored.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.text.expose())
    }

    /// The token itself, for the client that it is issued to.
    #[must_use]
    pub const fn secret(&self) -> &Secret {
        &self.text
    }
}

/// `N` random bytes in base64url without padding.
///
/// # Errors
/// [`RngError`] when the system has no randomness to give.
pub(crate) fn random_base64url<const N: usize>(rng: &dyn Rng) -> Result<String, RngError> {
    let mut bytes = [0; N];
    rng.fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn checksum(body: &str, key: &SealingKey) -> String {
    URL_SAFE_NO_PAD.encode(key.tag::<CHECKSUM_BYTES>(Purpose::TokenChecksum, body))
}

const fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::{GrantId, IssuedToken, TokenKind};
    use crate::{oauth::seal::SealingKey, runtime::SystemRng, secret::Secret};

    fn key() -> SealingKey {
        SealingKey::new(&Secret::new("0123456789abcdef0123456789abcdef"))
    }

    fn issue(kind: TokenKind) -> IssuedToken {
        let grant = GrantId::generate(&SystemRng).unwrap();
        IssuedToken::generate(kind, &grant, &key(), &SystemRng).unwrap()
    }

    #[test]
    fn e13_an_issued_token_has_its_prefix_and_is_recognized() {
        for (kind, prefix) in [
            (TokenKind::Access, "vmcp_at_1."),
            (TokenKind::Refresh, "vmcp_rt_1."),
            (TokenKind::Code, "vmcp_ac_1."),
        ] {
            let token = issue(kind);
            assert!(token.secret().expose().starts_with(prefix));
            let parsed = IssuedToken::parse_as(kind, token.secret().expose(), &key()).unwrap();
            assert_eq!(parsed.grant(), token.grant());
            assert_eq!(parsed.digest(), token.digest());
        }
    }

    #[test]
    fn e13_a_token_of_another_kind_key_or_shape_is_not_recognized() {
        let token = issue(TokenKind::Access);
        let text = token.secret().expose();
        assert!(IssuedToken::parse_as(TokenKind::Refresh, text, &key()).is_none());
        let other = SealingKey::new(&Secret::new("another key, also of 32 bytes..."));
        assert!(IssuedToken::parse(text, &other).is_none());
        for changed in [
            text.replace("_at_", "_rt_"),
            format!("{text}A"),
            text[..text.len() - 1].to_owned(),
            text.replacen('.', "", 1),
            String::new(),
            "vmcp_at_1.".to_owned(),
            "é".repeat(90),
        ] {
            assert!(IssuedToken::parse(&changed, &key()).is_none(), "{changed}");
        }
    }

    #[test]
    fn e13_every_single_changed_character_is_noticed() {
        let token = issue(TokenKind::Refresh);
        let text = token.secret().expose();
        for position in 0..text.len() {
            let mut bytes = text.as_bytes().to_vec();
            bytes[position] = if bytes[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(IssuedToken::parse(&changed, &key()).is_none(), "{position}");
        }
    }

    #[test]
    fn e13_no_debug_output_holds_a_token() {
        let token = issue(TokenKind::Access);
        let printed = format!("{token:?}");
        let secret = token.secret().expose().rsplit('.').next().unwrap();
        assert!(!printed.contains(secret));
    }
}
