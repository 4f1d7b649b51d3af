//! What the server proves itself with to GitHub: a token, or a GitHub App.

use std::{fmt, rc::Rc};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rsa::{
    RsaPrivateKey,
    pkcs1::DecodeRsaPrivateKey,
    pkcs1v15::SigningKey,
    pkcs8::DecodePrivateKey,
    rand_core::OsRng,
    sha2::Sha256,
    signature::{RandomizedSigner, SignatureEncoding},
};
use serde::Serialize;

use crate::{runtime::Timestamp, secret::Secret};

/// How far a JSON Web Token is dated back, in seconds: GitHub refuses one from its future, and two
/// clocks differ (GitHub's documentation, "Generating a JSON Web Token (JWT) for a GitHub App").
const JWT_BACKDATED: u64 = 60;

/// For how many seconds a JSON Web Token holds. GitHub takes ten minutes at the most, by its own
/// clock; what is left of them is for a clock that is ahead of it.
const JWT_LIFE: u64 = 8 * 60;

/// How the server gets into the repository: one of the two.
#[derive(Clone, Debug)]
pub enum Credential {
    /// A fine-grained personal access token, as it stands.
    Token(Secret),
    /// A GitHub App, whose key buys tokens that live for an hour.
    App(GithubApp),
}

/// A GitHub App and the one place where it is installed.
#[derive(Clone, Debug)]
pub struct GithubApp {
    /// Which app.
    pub id: AppId,
    /// Which of its installations: the number at the end of the installation's settings page.
    pub installation: u64,
    /// The app's private key.
    pub key: AppKey,
}

/// An app's number, or its client identifier: GitHub takes either as the issuer of a JWT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppId(String);

impl AppId {
    /// Parses a number, or a client identifier such as `Iv23liabcdEFGH`. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = text.bytes().all(|byte| byte.is_ascii_digit());
        let client = text.starts_with("Iv")
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        let fits = (1..=40).contains(&text.len());
        (fits && (number || client)).then(|| Self(text.to_owned()))
    }
}

/// The text is no RSA private key in PEM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an RSA private key in PEM")]
pub struct InvalidKey;

/// An app's private key. It signs, and cannot be printed.
#[derive(Clone)]
pub struct AppKey(Rc<SigningKey<Sha256>>);

impl fmt::Debug for AppKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AppKey([redacted])")
    }
}

/// The header of every JSON Web Token of an app (RFC 7515, section 4.1).
const JWT_HEADER: &[u8] = br#"{"alg":"RS256","typ":"JWT"}"#;

/// What a JSON Web Token of an app says.
#[derive(Serialize)]
struct Claims<'a> {
    iat: u64,
    exp: u64,
    iss: &'a str,
}

impl AppKey {
    /// Reads a key in PEM: PKCS#1 (`BEGIN RSA PRIVATE KEY`), which is what GitHub hands out, or
    /// PKCS#8 (`BEGIN PRIVATE KEY`). Line ends may be written as `\n`, as they are where a value
    /// has to be one line.
    ///
    /// # Errors
    /// [`InvalidKey`]: for a public key, a key of another kind and an encrypted one too.
    pub fn parse(pem: &Secret) -> Result<Self, InvalidKey> {
        let pem = pem.expose().replace("\\r", "").replace("\\n", "\n");
        RsaPrivateKey::from_pkcs1_pem(&pem)
            .ok()
            .or_else(|| RsaPrivateKey::from_pkcs8_pem(&pem).ok())
            .map(|key| Self(Rc::new(SigningKey::new(key))))
            .ok_or(InvalidKey)
    }
}

impl GithubApp {
    /// A JSON Web Token by which GitHub knows the app, from `now` on.
    ///
    /// # Errors
    /// [`InvalidKey`] when the key is too short to sign with.
    pub(super) fn sign(&self, now: Timestamp) -> Result<Secret, InvalidKey> {
        let now = now.unix_seconds();
        let claims = Claims {
            iat: now.saturating_sub(JWT_BACKDATED),
            exp: now.saturating_add(JWT_LIFE),
            iss: &self.id.0,
        };
        let claims = serde_json::to_vec(&claims).map_err(|_| InvalidKey)?;
        // The compact serialization of RFC 7515, section 7.1; RS256 is RFC 7518, section 3.3.
        let encode = |part: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(part);
        let input = format!("{}.{}", encode(JWT_HEADER), encode(&claims));
        // What the random numbers do is to hide from a clock how long the key takes to sign.
        let signature = self.key.0.try_sign_with_rng(&mut OsRng, input.as_bytes());
        let signature = signature.map_err(|_| InvalidKey)?.to_bytes();
        Ok(Secret::new(format!("{input}.{}", encode(&signature))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_named_by_its_number_or_its_client_identifier() {
        for text in [
            "1",
            "100001",
            "Iv23liLOOKALIKE00001",
            "Iv1.8a61f9b3a7aba766",
        ] {
            assert_eq!(AppId::parse(text), Some(AppId(text.to_owned())));
        }
        let long = "1".repeat(41);
        for text in [
            "", "x", "-1", "1 ", "Iv23li/x", "iv23li", "1\n", "Iv\"", &long,
        ] {
            assert_eq!(AppId::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_signed_says_who_and_when_and_holds_for_less_than_ten_minutes() {
        let key = Secret::new(include_str!("../../../dev/keys/app.pkcs1.pem"));
        let app = GithubApp {
            id: AppId::parse("100001").unwrap(),
            installation: 1,
            key: AppKey::parse(&key).unwrap(),
        };
        let now = Timestamp::from_unix_seconds(1_796_000_000);
        let jwt = app.sign(now).unwrap();
        let parts: Vec<_> = jwt.expose().split('.').collect();
        let decoded = |part: &str| {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(part).unwrap();
            serde_json::from_slice::<serde_json::Value>(&bytes).unwrap()
        };
        assert_eq!(parts.len(), 3);
        assert_eq!(
            decoded(parts[0]),
            serde_json::json!({"alg": "RS256", "typ": "JWT"})
        );
        assert_eq!(
            decoded(parts[1]),
            serde_json::json!({"iat": 1_795_999_940, "exp": 1_796_000_480, "iss": "100001"})
        );
    }
}
