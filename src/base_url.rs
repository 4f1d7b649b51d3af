//! The server's public origin.

use url::{Host, Url};

/// The origin under which the server is reached, such as `https://vault.example`.
///
/// Every URL that the server hands out is built from it, never from a request's headers
/// (RFC 8414 section 3.3 makes clients compare the issuer). It has no path, query, fragment,
/// credentials or trailing slash; its scheme is `https`, or `http` where the host is loopback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    origin: String,
    authority: String,
    loopback: bool,
}

/// Why a text is no [`BaseUrl`]; says what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// It is not an absolute URL.
    #[error("must be an origin such as https://vault.example.com")]
    NotAUrl,
    /// It has more than scheme, host and port.
    #[error("must be an origin alone: no path, no trailing slash, no query, no credentials")]
    NotAnOrigin,
    /// It is not `https`, and its host is not loopback.
    #[error("must begin with https:// (http:// is for localhost alone)")]
    NotSecure,
}

impl BaseUrl {
    /// Parses an origin.
    ///
    /// # Errors
    /// [`BaseUrlError`], with what to write instead.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let url = Url::parse(text).map_err(|_| BaseUrlError::NotAUrl)?;
        let host = url.host().ok_or(BaseUrlError::NotAUrl)?;
        let loopback = is_loopback(&host);
        match url.scheme() {
            "https" => {}
            "http" if loopback => {}
            "http" => return Err(BaseUrlError::NotSecure),
            _ => return Err(BaseUrlError::NotAUrl),
        }
        let origin = url.origin().ascii_serialization();
        // What the person wrote is compared, so that a trailing slash is seen.
        if !origin.eq_ignore_ascii_case(text) {
            return Err(BaseUrlError::NotAnOrigin);
        }
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        Ok(Self {
            origin,
            authority,
            loopback,
        })
    }

    /// The origin, which is also the issuer identifier of the authorization server.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Host and port as a `Host` header carries them.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The URL of `path`, which begins with a slash.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// The MCP endpoint, which is the resource identifier of RFC 8707 and RFC 9728.
    #[must_use]
    pub fn resource(&self) -> String {
        self.join("/mcp")
    }

    /// Whether the host is this machine: plain http and example keys are accepted there alone.
    #[must_use]
    pub const fn is_loopback(&self) -> bool {
        self.loopback
    }
}

/// Whether a host names this machine: `localhost`, `127.0.0.0/8`, `[::1]` (RFC 8252 section 7.3).
#[must_use]
pub fn is_loopback<S: AsRef<str>>(host: &Host<S>) -> bool {
    match host {
        Host::Domain(name) => name.as_ref().eq_ignore_ascii_case("localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_taken() {
        for (text, authority, loopback) in [
            ("https://vault.example", "vault.example", false),
            ("https://vault.example:8443", "vault.example:8443", false),
            ("http://localhost:8787", "localhost:8787", true),
            ("http://127.0.0.1:8787", "127.0.0.1:8787", true),
            ("http://[::1]:8787", "[::1]:8787", true),
        ] {
            let base = BaseUrl::parse(text).unwrap();
            assert_eq!(
                (base.origin(), base.authority(), base.is_loopback()),
                (text, authority, loopback)
            );
            assert_eq!(base.resource(), format!("{text}/mcp"));
        }
    }

    #[test]
    fn everything_else_is_refused_with_what_to_write() {
        use BaseUrlError::{NotAUrl, NotAnOrigin, NotSecure};
        for (text, error) in [
            ("", NotAUrl),
            ("vault.example", NotAUrl),
            ("ftp://vault.example", NotAUrl),
            ("http://vault.example", NotSecure),
            ("http://localhost.example", NotSecure),
            ("https://vault.example/", NotAnOrigin),
            ("https://vault.example/mcp", NotAnOrigin),
            ("https://vault.example?x", NotAnOrigin),
            ("https://vault.example#x", NotAnOrigin),
            ("https://user@vault.example", NotAnOrigin),
            ("https://vault.example:443", NotAnOrigin),
            (" https://vault.example", NotAnOrigin),
        ] {
            assert_eq!(BaseUrl::parse(text), Err(error), "{text}");
        }
    }
}
