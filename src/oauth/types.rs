//! The protocol's small values. Each is parsed at the door, and its type says what it then is.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::base_url::BaseUrl;
use crate::secret::Secret;

/// A client identifier.
///
/// Invariants: 1 to 2,048 bytes of visible ASCII (RFC 6749 appendix A.1, without the space).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClientId(String);

impl ClientId {
    /// Parses an untrusted identifier; `None` where an invariant does not hold.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=2048).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ClientId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not a client identifier")
    }
}

impl From<ClientId> for String {
    fn from(id: ClientId) -> Self {
        id.0
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a grant or an access token allows. Writing implies reading, so there are two cases, and the
/// lesser of two is [`Ord::min`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// `vault:read`.
    #[serde(rename = "vault:read")]
    Read,
    /// `vault:read vault:write`.
    #[serde(rename = "vault:read vault:write")]
    ReadWrite,
}

impl Scope {
    /// Reads the `scope` parameter of a request. Values that are not ours are dropped and never an
    /// error: deployed clients ask for `claudeai`, for `offline_access`, and for whatever else they
    /// have seen. `None` where nothing of ours is asked for.
    #[must_use]
    pub fn requested(text: &str) -> Option<Self> {
        text.split_ascii_whitespace()
            .filter_map(|value| match value {
                "vault:read" => Some(Self::Read),
                "vault:write" => Some(Self::ReadWrite),
                _ => None,
            })
            .max()
    }

    /// The scope as it stands in an answer (RFC 6749 section 3.3).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "vault:read",
            Self::ReadWrite => "vault:read vault:write",
        }
    }

    /// The scope's values, one by one.
    #[must_use]
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            Self::Read => &["vault:read"],
            Self::ReadWrite => &["vault:read", "vault:write"],
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The `resource` of a request names something that this server does not protect (RFC 8707).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the resource must be this server's MCP endpoint")]
pub struct InvalidTarget;

/// Checks the `resource` parameters of a request against the one resource there is.
///
/// Absent means that resource: clients of the 2025-03-26 specification send none. A trailing slash,
/// the bare origin, and another letter case of scheme and host all mean it too, because URL
/// libraries in clients add and fold them.
///
/// # Errors
/// [`InvalidTarget`] for any other value, and for more than one.
pub fn check_resource<S: AsRef<str>>(values: &[S], base: &BaseUrl) -> Result<(), InvalidTarget> {
    let value = match values {
        [] => return Ok(()),
        [value] => value.as_ref(),
        [_, _, ..] => return Err(InvalidTarget),
    };
    let authority = value.find("://").ok_or(InvalidTarget)? + "://".len();
    let path = value
        .get(authority..)
        .and_then(|rest| rest.find('/'))
        .map_or(value.len(), |offset| authority + offset);
    let (origin, path) = value.split_at_checked(path).ok_or(InvalidTarget)?;
    let ours = origin.eq_ignore_ascii_case(base.origin());
    (ours && matches!(path, "" | "/" | "/mcp" | "/mcp/"))
        .then_some(())
        .ok_or(InvalidTarget)
}

/// A PKCE code challenge by the method `S256` (RFC 7636 section 4.2).
///
/// Invariants: 43 to 128 unreserved characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CodeChallenge(String);

impl CodeChallenge {
    /// Parses an untrusted challenge; `None` where an invariant does not hold.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_pkce_text(text).then(|| Self(text.to_owned()))
    }

    /// Whether both are the same challenge, in constant time.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

/// A PKCE code verifier (RFC 7636 section 4.1).
///
/// Invariants: 43 to 128 unreserved characters.
#[derive(Clone, Debug)]
pub struct CodeVerifier(Secret);

impl CodeVerifier {
    /// Parses an untrusted verifier; `None` where an invariant does not hold.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_pkce_text(text).then(|| Self(Secret::new(text)))
    }

    /// The challenge that this verifier answers.
    #[must_use]
    pub fn challenge(&self) -> CodeChallenge {
        CodeChallenge(sha256_base64url(self.0.expose().as_bytes()))
    }
}

fn is_pkce_text(text: &str) -> bool {
    (43..=128).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
}

/// A client's `state`: opaque, given back byte for byte (RFC 6749 section 4.1.1).
///
/// Invariants: at most 4,096 bytes, so that a redirect stays within what browsers and servers take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientState(String);

impl ClientState {
    /// Takes an untrusted value; `None` where it is too long.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() <= 4096).then(|| Self(text.to_owned()))
    }

    /// The value as it came.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The SHA-256 digest of a secret: all that is ever stored of one.
///
/// The text form is base64url without padding. Looking a secret up by its digest tells an attacker
/// who measures time nothing that helps to guess the secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// The digest of `secret`.
    #[must_use]
    pub fn of(secret: &str) -> Self {
        Self(sha256_base64url(secret.as_bytes()))
    }

    /// A digest in its text form, or in hexadecimal as `sha256sum` prints it; `None` where it is
    /// neither.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = if text.len() == 64 {
            hexadecimal(text)?
        } else {
            URL_SAFE_NO_PAD.decode(text).ok()?
        };
        (bytes.len() == 32).then(|| Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The text form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both are the same digest, in constant time.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    Some(
        digits?
            .chunks(2)
            .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
            .collect(),
    )
}

/// SHA-256 of `bytes` in base64url without padding: 43 characters.
#[must_use]
pub(crate) fn sha256_base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::{
        BaseUrl, ClientId, ClientState, CodeChallenge, CodeVerifier, Digest, Scope, check_resource,
    };

    #[test]
    fn unknown_scopes_are_dropped_and_write_implies_read() {
        assert_eq!(Scope::requested("claudeai offline_access"), None);
        assert_eq!(Scope::requested(""), None);
        assert_eq!(Scope::requested("vault:read claudeai"), Some(Scope::Read));
        assert_eq!(Scope::requested("vault:write"), Some(Scope::ReadWrite));
        assert_eq!(
            Scope::requested("vault:read vault:write"),
            Some(Scope::ReadWrite)
        );
        assert_eq!(Scope::ReadWrite.min(Scope::Read), Scope::Read);
    }

    #[test]
    fn every_usual_spelling_of_the_resource_is_the_resource() {
        let base = BaseUrl::parse("https://vault.example").unwrap();
        assert_eq!(check_resource::<&str>(&[], &base), Ok(()));
        for value in [
            "https://vault.example/mcp",
            "https://vault.example/mcp/",
            "https://vault.example",
            "https://vault.example/",
            "HTTPS://Vault.Example/mcp",
        ] {
            assert_eq!(check_resource(&[value], &base), Ok(()), "{value}");
        }
    }

    #[test]
    fn any_other_resource_is_refused() {
        let base = BaseUrl::parse("https://vault.example").unwrap();
        for value in [
            "",
            "vault.example/mcp",
            "https://vault.example/MCP",
            "https://vault.example/mcp#x",
            "https://vault.example#",
            "https://vault.example/mcp?x=1",
            "https://vault.example?",
            "https://vault.example:8443/mcp",
            "https://me@vault.example/mcp",
            "https://vault.example.evil.example/mcp",
            "https://vault.example/a/../mcp",
            "http://vault.example/mcp",
        ] {
            assert!(check_resource(&[value], &base).is_err(), "{value}");
        }
        let twice = ["https://vault.example/mcp", "https://vault.example/mcp"];
        assert!(check_resource(&twice, &base).is_err());
    }

    #[test]
    fn the_challenge_is_that_of_rfc_7636_appendix_b() {
        let verifier = CodeVerifier::parse("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").unwrap();
        let expected = CodeChallenge::parse("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM").unwrap();
        assert!(verifier.challenge().matches(&expected));
    }

    #[test]
    fn pkce_values_have_43_to_128_unreserved_characters() {
        for length in [43, 128] {
            assert!(CodeVerifier::parse(&"a".repeat(length)).is_some());
        }
        for text in [
            "a".repeat(42),
            "a".repeat(129),
            format!("{} ", "a".repeat(43)),
        ] {
            assert!(CodeVerifier::parse(&text).is_none());
            assert!(CodeChallenge::parse(&text).is_none());
        }
    }

    #[test]
    fn a_digest_is_read_in_base64url_and_in_hexadecimal() {
        let digest = Digest::of("abc");
        let hexadecimal = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::parse(hexadecimal), Some(digest.clone()));
        assert_eq!(
            Digest::parse(&hexadecimal.to_uppercase()),
            Some(digest.clone())
        );
        assert_eq!(Digest::parse(digest.as_str()), Some(digest));
        for text in ["", "abc", &hexadecimal[1..], &hexadecimal.replace('b', "x")] {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }

    #[test]
    fn identifiers_and_state_are_bounded() {
        assert!(ClientId::parse("").is_none());
        assert!(ClientId::parse("a b").is_none());
        assert!(ClientId::parse("dcr_é").is_none());
        assert!(ClientId::parse(&"a".repeat(2049)).is_none());
        assert!(ClientState::parse(&"s".repeat(4096)).is_some());
        assert!(ClientState::parse(&"s".repeat(4097)).is_none());
    }
}
