//! Authenticated encryption of what leaves this server and has to come back unchanged, and the keys
//! for it: one key a use, all derived from the configured one (RFC 5869).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{
    Key, KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use hkdf::{
    Hkdf,
    hmac::{Hmac, Mac as _},
};
use sha2::Sha256;

use crate::{
    runtime::{Rng, RngError},
    secret::Secret,
};

/// What a derived key is for. A text sealed for one use cannot be opened for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The authorization request inside the consent form's handle.
    Consent,
    /// The transaction of a client's login at rest.
    ClientLogin,
    /// The transaction of a login for the person's own session at rest.
    SessionLogin,
    /// The cookie of a person's own session.
    Session,
    /// The token in the forms of that session.
    SessionForm,
    /// The cookie of a remembered consent.
    RememberedConsent,
    /// The checksum inside issued tokens.
    TokenChecksum,
    /// The pseudonym of a person in the log.
    Pseudonym,
    /// The successor of a rotated refresh token; its key comes from that token.
    Successor,
}

impl Purpose {
    /// The label that goes into the derivation. Changing one voids what was made under it.
    const fn label(self) -> &'static [u8] {
        match self {
            Self::Consent => b"vault-mcp/1/consent-handle",
            Self::ClientLogin => b"vault-mcp/1/login-transaction",
            Self::SessionLogin => b"vault-mcp/1/session-login-transaction",
            Self::Session => b"vault-mcp/1/session",
            Self::SessionForm => b"vault-mcp/1/session-form",
            Self::RememberedConsent => b"vault-mcp/1/remembered-consent",
            Self::TokenChecksum => b"vault-mcp/1/token-checksum",
            Self::Pseudonym => b"vault-mcp/1/log-pseudonym",
            Self::Successor => b"vault-mcp/1/refresh-successor",
        }
    }
}

/// A secret that keys are derived from: `COOKIE_ENCRYPTION_KEY`, or an issued token.
#[derive(Clone)]
pub struct SealingKey(Hkdf<Sha256>);

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey([redacted])")
    }
}

/// A sealed text cannot be opened: it was changed, made for another purpose or context, or made
/// under another key. Which of them it was is not to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sealed text cannot be opened")]
pub struct OpenError;

/// The length of an XChaCha20-Poly1305 nonce. At 192 bits, random ones do not repeat.
const NONCE: usize = 24;

impl SealingKey {
    /// Keys derived from `secret`. The caller sees to it that it has entropy enough.
    #[must_use]
    pub fn new(secret: &Secret) -> Self {
        Self(Hkdf::new(Some(b"vault-mcp"), secret.expose().as_bytes()))
    }

    /// Encrypts and authenticates `plaintext` for `purpose`, bound to `context`. The result is
    /// base64url without padding.
    ///
    /// # Errors
    /// [`RngError`] when no nonce can be drawn.
    pub fn seal(
        &self,
        purpose: Purpose,
        context: &str,
        plaintext: &[u8],
        rng: &dyn Rng,
    ) -> Result<String, RngError> {
        let mut nonce = [0; NONCE];
        rng.fill(&mut nonce)?;
        let payload = Payload {
            msg: plaintext,
            aad: context.as_bytes(),
        };
        // Encryption fails only for plaintexts of some 256 GiB.
        let ciphertext = self
            .cipher(purpose)
            .encrypt(XNonce::from_slice(&nonce), payload)
            .map_err(|_| RngError)?;
        Ok(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &ciphertext].concat()))
    }

    /// Undoes [`SealingKey::seal`].
    ///
    /// # Errors
    /// [`OpenError`] unless `sealed` was made by this key for the same purpose and context.
    pub fn open(
        &self,
        purpose: Purpose,
        context: &str,
        sealed: &str,
    ) -> Result<Vec<u8>, OpenError> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| OpenError)?;
        let (nonce, ciphertext) = bytes.split_at_checked(NONCE).ok_or(OpenError)?;
        let payload = Payload {
            msg: ciphertext,
            aad: context.as_bytes(),
        };
        self.cipher(purpose)
            .decrypt(XNonce::from_slice(nonce), payload)
            .map_err(|_| OpenError)
    }

    /// The first `N` bytes of the HMAC-SHA256 of `message` under the key of `purpose`; `N` is at
    /// most 32.
    #[must_use]
    pub fn tag<const N: usize>(&self, purpose: Purpose, message: &str) -> [u8; N] {
        let mut tag = [0; N];
        // A key of any length is good for HMAC.
        if let Ok(mut mac) =
            <Hmac<Sha256> as hkdf::hmac::Mac>::new_from_slice(&self.derive(purpose))
        {
            mac.update(message.as_bytes());
            for (to, from) in tag.iter_mut().zip(mac.finalize().into_bytes()) {
                *to = from;
            }
        }
        tag
    }

    fn cipher(&self, purpose: Purpose) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(self.derive(purpose)))
    }

    fn derive(&self, purpose: Purpose) -> [u8; 32] {
        let mut key = [0; 32];
        // Fails only for outputs of more than 255 hashes.
        let _ = self.0.expand(purpose.label(), &mut key);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::{OpenError, Purpose, SealingKey};
    use crate::{runtime::SystemRng, secret::Secret};

    fn key(secret: &str) -> SealingKey {
        SealingKey::new(&Secret::new(secret))
    }

    #[test]
    fn a_sealed_text_opens_for_its_own_purpose_context_and_key_only() {
        let ours = key("0123456789abcdef0123456789abcdef");
        let sealed = ours
            .seal(Purpose::Consent, "tx", b"hello", &SystemRng)
            .unwrap();
        assert_eq!(
            ours.open(Purpose::Consent, "tx", &sealed).unwrap(),
            b"hello"
        );
        assert_eq!(
            ours.open(Purpose::ClientLogin, "tx", &sealed),
            Err(OpenError)
        );
        assert_eq!(
            ours.open(Purpose::Consent, "other", &sealed),
            Err(OpenError)
        );
        let theirs = key("0123456789abcdef0123456789abcdeX");
        assert_eq!(theirs.open(Purpose::Consent, "tx", &sealed), Err(OpenError));
    }

    #[test]
    fn a_changed_or_cut_text_does_not_open() {
        let key = key("0123456789abcdef0123456789abcdef");
        let sealed = key
            .seal(Purpose::Consent, "", b"hello", &SystemRng)
            .unwrap();
        for position in [0, 20, sealed.len() - 2] {
            let mut changed = sealed.clone().into_bytes();
            changed[position] = if changed[position] == b'A' {
                b'B'
            } else {
                b'A'
            };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(key.open(Purpose::Consent, "", &changed), Err(OpenError));
        }
        for text in ["", "AAAA", "not base64!", &sealed[..sealed.len() / 2]] {
            assert_eq!(
                key.open(Purpose::Consent, "", text),
                Err(OpenError),
                "{text}"
            );
        }
    }

    #[test]
    fn a_tag_depends_on_key_purpose_and_message() {
        let tag = key("a").tag::<16>(Purpose::Pseudonym, "m");
        assert_eq!(tag, key("a").tag(Purpose::Pseudonym, "m"));
        assert_ne!(tag, key("b").tag(Purpose::Pseudonym, "m"));
        assert_ne!(tag, key("a").tag(Purpose::TokenChecksum, "m"));
        assert_ne!(tag, key("a").tag(Purpose::Pseudonym, "n"));
        assert_ne!(tag, [0; 16]);
    }

    #[test]
    fn debug_output_shows_no_key() {
        assert_eq!(format!("{:?}", key("secret")), "SealingKey([redacted])");
    }
}
