//! Redirect URIs: which ones may be used at all, and when two are the same.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::{Host, Url, form_urlencoded};

use crate::base_url::is_loopback;

/// A redirect URI that may receive an authorization response.
///
/// Invariants: at most 2,048 bytes; scheme `https`, or `http` on a loopback host; no fragment, no
/// user information, no `*`, no character that a URL parser would remove or replace; and none of
/// the parameters of an authorization response in its query, so that each stands in the final URL
/// once. The text is kept as it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RedirectUri {
    text: String,
    url: Url,
}

/// Why a text is no [`RedirectUri`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedirectUriError {
    /// It is no absolute URL, or one only after repairs.
    #[error("a redirect URI must be an absolute URL")]
    NotAUrl,
    /// The scheme is neither `https`, nor `http` on a loopback host.
    #[error("a redirect URI must use https, or http on a loopback host")]
    Scheme,
    /// There is a fragment, user information or a wildcard.
    #[error("a redirect URI must have no fragment, user information or wildcard")]
    Component,
    /// The query holds a parameter of the authorization response.
    #[error("a redirect URI must not hold a parameter of the authorization response")]
    ResponseParameter,
}

impl RedirectUri {
    /// Parses an untrusted redirect URI.
    ///
    /// # Errors
    /// [`RedirectUriError`] naming the invariant that does not hold.
    pub fn parse(text: &str) -> Result<Self, RedirectUriError> {
        let plain = text
            .bytes()
            .all(|b| b.is_ascii_graphic() && !b"\\\"<>^`{|}".contains(&b));
        if text.len() > 2048 || !plain {
            return Err(RedirectUriError::NotAUrl);
        }
        let url = Url::parse(text).map_err(|_| RedirectUriError::NotAUrl)?;
        let host = url.host().ok_or(RedirectUriError::Scheme)?;
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&host) => {}
            _ => return Err(RedirectUriError::Scheme),
        }
        if url.fragment().is_some()
            || text.contains('*')
            || text.contains('@')
            || !url.username().is_empty()
            || url.password().is_some()
        {
            return Err(RedirectUriError::Component);
        }
        let reserved = [
            "code",
            "state",
            "iss",
            "error",
            "error_description",
            "error_uri",
        ];
        if url
            .query_pairs()
            .any(|(name, _)| reserved.contains(&name.as_ref()))
        {
            return Err(RedirectUriError::ResponseParameter);
        }
        Ok(Self {
            text: text.to_owned(),
            url,
        })
    }

    /// The URI as it came.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it leads to a program on the person's own machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.url.scheme() == "http"
    }

    /// The host, for a person to read: `claude.ai`, `localhost`.
    #[must_use]
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// The source expression that lets a page's form end up here, as Content Security Policy
    /// spells it; `None` where `https:` covers it. An IPv6 address cannot be spelled there, so for
    /// one the whole scheme is named.
    #[must_use]
    pub fn form_action_source(&self) -> Option<String> {
        match self.url.host() {
            _ if !self.is_loopback() => None,
            Some(Host::Ipv6(_)) | None => Some("http:".to_owned()),
            Some(Host::Domain(_) | Host::Ipv4(_)) => Some(self.url.origin().ascii_serialization()),
        }
    }

    /// Whether a request that names `self` may use the registration of `registered`.
    ///
    /// Loopback URIs are the same where all but the port is the same: a native client listens on
    /// whatever port is free (RFC 8252 section 7.3). All others are compared byte for byte.
    #[must_use]
    pub fn is_covered_by(&self, registered: &Self) -> bool {
        if !self.is_loopback() || !registered.is_loopback() {
            return self.text == registered.text;
        }
        self.url.host() == registered.url.host()
            && self.url.path() == registered.url.path()
            && self.url.query() == registered.url.query()
    }

    /// The form in which registrations are compared: a loopback URI without its port.
    #[must_use]
    pub fn without_loopback_port(&self) -> String {
        if !self.is_loopback() {
            return self.text.clone();
        }
        let mut url = self.url.clone();
        // Fails only for URLs that cannot have a port; these can.
        let _ = url.set_port(None);
        url.into()
    }

    /// This URI with `parameters` added to its query (RFC 6749 section 4.1.2).
    #[must_use]
    pub fn with_parameters(&self, parameters: &[(&str, &str)]) -> String {
        let separator = match self.url.query() {
            None => "?",
            Some("") => "",
            Some(_) => "&",
        };
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(parameters.iter().copied())
            .finish();
        format!("{}{separator}{query}", self.text)
    }
}

impl TryFrom<String> for RedirectUri {
    type Error = RedirectUriError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<RedirectUri> for String {
    fn from(uri: RedirectUri) -> Self {
        uri.text
    }
}

impl fmt::Display for RedirectUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Which hosts a client may have its authorization responses sent to.
///
/// Anyone can register a client, and a person who trusts this server may be talked into approving a
/// client that is not theirs. A short list of hosts ends that whole class of attack: a code can
/// only go where the deployer expects one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectHosts {
    /// Loopback, and https on port 443 of exactly these hosts.
    Listed(Vec<String>),
    /// Loopback, and any https host.
    Any,
}

impl RedirectHosts {
    /// The hosts that are allowed without configuration: those of Claude.
    pub const DEFAULT: [&str; 2] = ["claude.ai", "claude.com"];

    /// Whether `uri` leads to an allowed host.
    #[must_use]
    pub fn allow(&self, uri: &RedirectUri) -> bool {
        if uri.is_loopback() {
            return true;
        }
        match self {
            Self::Any => true,
            Self::Listed(hosts) => {
                uri.url.port().is_none() && hosts.iter().any(|host| host == uri.host())
            }
        }
    }
}

impl Default for RedirectHosts {
    fn default() -> Self {
        Self::Listed(Self::DEFAULT.map(str::to_owned).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::{RedirectHosts, RedirectUri};

    fn uri(text: &str) -> RedirectUri {
        RedirectUri::parse(text).unwrap()
    }

    #[test]
    fn b6_only_https_and_loopback_http_are_redirect_uris() {
        for text in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://claude.ai/cb?x=1",
            "http://localhost/callback",
            "http://localhost:53124/callback",
            "http://127.0.0.1:1/cb",
            "http://127.9.9.9/cb",
            "http://[::1]:4444/cb",
        ] {
            assert!(RedirectUri::parse(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "/callback",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "javascript:alert(1)",
            "data:text/html,x",
            "http://claude.ai/cb",
            "http://localhost.evil.example/cb",
            "http://localhost@evil.example/cb",
            "https://claude.ai@evil.example/cb",
            "https://claude.ai\\@evil.example/cb",
            "https://*.claude.ai/cb",
            "https://claude.ai/cb#",
            "https://claude.ai/cb#x",
            "https://claude.ai/c\nb",
            " https://claude.ai/cb",
            "https://claude.ai/cb?code=mine",
            "https://claude.ai/cb?st%61te=mine",
        ] {
            assert!(RedirectUri::parse(text).is_err(), "{text}");
        }
        assert!(RedirectUri::parse(&format!("https://claude.ai/{}", "a".repeat(2048))).is_err());
    }

    #[test]
    fn b5_the_port_of_a_loopback_uri_is_ignored_and_nothing_else_is() {
        let registered = uri("http://localhost/callback");
        assert!(uri("http://localhost:53124/callback").is_covered_by(&registered));
        assert!(registered.is_covered_by(&uri("http://localhost:53124/callback")));
        for other in [
            "http://127.0.0.1:53124/callback",
            "http://localhost:53124/callback/",
            "http://localhost:53124/other",
            "http://localhost:53124/callback?x=1",
            "https://localhost:53124/callback",
        ] {
            assert!(!uri(other).is_covered_by(&registered), "{other}");
        }
        let exact = uri("https://claude.ai/cb");
        assert!(uri("https://claude.ai/cb").is_covered_by(&exact));
        for other in [
            "https://claude.ai:443/cb",
            "https://claude.ai/cb?",
            "https://claude.ai/CB",
        ] {
            assert!(!uri(other).is_covered_by(&exact), "{other}");
        }
    }

    #[test]
    fn b10_only_listed_hosts_are_allowed() {
        let hosts = RedirectHosts::default();
        for text in [
            "https://claude.ai/cb",
            "https://claude.com/cb",
            "http://localhost:1/cb",
        ] {
            assert!(hosts.allow(&uri(text)), "{text}");
        }
        for text in [
            "https://evil.example/cb",
            "https://claude.ai.evil.example/cb",
            "https://sub.claude.ai/cb",
            "https://claude.ai:8443/cb",
            "https://localhost/cb",
        ] {
            assert!(!hosts.allow(&uri(text)), "{text}");
        }
        assert!(RedirectHosts::Any.allow(&uri("https://elsewhere.example:8443/cb")));
    }

    #[test]
    fn parameters_are_added_to_the_text_as_it_came() {
        let parameters = [("code", "a b"), ("state", "&")];
        for (text, expected) in [
            (
                "https://claude.ai/cb",
                "https://claude.ai/cb?code=a+b&state=%26",
            ),
            (
                "https://claude.ai/cb?",
                "https://claude.ai/cb?code=a+b&state=%26",
            ),
            (
                "https://claude.ai/cb?x=1",
                "https://claude.ai/cb?x=1&code=a+b&state=%26",
            ),
            (
                "http://localhost:1",
                "http://localhost:1?code=a+b&state=%26",
            ),
        ] {
            assert_eq!(uri(text).with_parameters(&parameters), expected);
        }
    }

    #[test]
    fn c6_a_loopback_uri_names_the_source_its_page_must_allow() {
        assert_eq!(uri("https://claude.ai/cb").form_action_source(), None);
        let source = uri("http://localhost:53124/cb").form_action_source();
        assert_eq!(source.as_deref(), Some("http://localhost:53124"));
        assert_eq!(
            uri("http://[::1]:1/cb").form_action_source().as_deref(),
            Some("http:")
        );
    }
}
