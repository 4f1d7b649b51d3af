//! What every provider's answer to the browser must fulfil before anything is fetched.

use super::{LoginCallback, LoginError};
use crate::secret::Secret;

/// Most characters of a provider's error code that are repeated.
const MAX_CODE: usize = 64;

impl LoginCallback {
    /// Checks that the answer, if it names its sender, comes from `issuer` (RFC 9207 section 2.4).
    ///
    /// The comparison is of characters, as the RFC asks. It goes for errors too: an answer that
    /// names somebody else is no answer of this provider.
    pub(super) fn check_issuer(&self, issuer: &str) -> Result<(), LoginError> {
        match &self.issuer {
            Some(sender) if sender != issuer => Err(LoginError::Untrusted(
                "the authorization response names another issuer".to_owned(),
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// The authorization code (RFC 6749 section 4.1.2), or why there is none.
    pub(super) fn code(&self) -> Result<&Secret, LoginError> {
        match (&self.error, &self.code) {
            (Some(error), _) => Err(declined(error)),
            (None, Some(code)) if !code.expose().is_empty() => Ok(code),
            (None, _) => Err(LoginError::Untrusted(
                "the authorization response has neither a code nor an error".to_owned(),
            )),
        }
    }
}

/// The meaning of `error` in an authorization response (RFC 6749 section 4.1.2.1).
fn declined(error: &str) -> LoginError {
    match error {
        "server_error" | "temporarily_unavailable" => {
            LoginError::Unavailable(format!("the authorization endpoint answered {error}"))
        }
        // GitHub's name for a `redirect_uri` other than the registered one.
        "redirect_uri_mismatch" => LoginError::Misconfigured(
            "register PUBLIC_BASE_URL followed by /callback as the callback URL".to_owned(),
        ),
        other => LoginError::Declined(printable(other)),
    }
}

/// A provider's error code, less what RFC 6749 section 4.1.2.1 does not let into one, and short
/// enough for a line of a log.
pub(super) fn printable(code: &str) -> String {
    code.chars()
        .filter(|character| matches!(character, ' '..='~') && !matches!(character, '"' | '\\'))
        .take(MAX_CODE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callback(code: Option<&str>, error: Option<&str>) -> LoginCallback {
        LoginCallback {
            code: code.map(Secret::new),
            error: error.map(str::to_owned),
            issuer: None,
        }
    }

    #[test]
    fn c10_an_error_is_told_apart_from_an_outage_and_is_never_a_login() {
        for (code, error, expected) in [
            (
                None,
                Some("access_denied"),
                LoginError::Declined("access_denied".into()),
            ),
            (
                Some("c"),
                Some("access_denied"),
                LoginError::Declined("access_denied".into()),
            ),
            (
                None,
                Some("temporarily_unavailable"),
                LoginError::Unavailable(
                    "the authorization endpoint answered temporarily_unavailable".into(),
                ),
            ),
            (
                None,
                Some("<b>\"x\"\\\n\u{202e}"),
                LoginError::Declined("<b>x".into()),
            ),
            (Some("c"), Some(""), LoginError::Declined(String::new())),
        ] {
            assert_eq!(callback(code, error).code(), Err(expected));
        }
        assert_eq!(
            callback(None, Some(&"a".repeat(999))).code(),
            Err(LoginError::Declined("a".repeat(64)))
        );
        for code in [None, Some("")] {
            assert!(matches!(
                callback(code, None).code(),
                Err(LoginError::Untrusted(_))
            ));
        }
        assert_eq!(callback(Some("c"), None).code(), Ok(&Secret::new("c")));
    }

    #[test]
    fn d7_a_named_sender_is_compared_exactly() {
        for (sender, taken) in [
            (None, true),
            (Some("https://issuer.example"), true),
            (Some("https://issuer.example/"), false),
            (Some("https://ISSUER.example"), false),
            (Some("https://evil.example"), false),
            (Some(""), false),
        ] {
            let callback = LoginCallback {
                issuer: sender.map(str::to_owned),
                ..callback(None, None)
            };
            assert_eq!(
                callback.check_issuer("https://issuer.example").is_ok(),
                taken,
                "{sender:?}"
            );
        }
    }
}
