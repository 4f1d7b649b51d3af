//! Which `Host` and which `Origin` a request may name.
//!
//! A web page that gets a browser to resolve its own name to this server (DNS rebinding) is seen by
//! its `Host`; a page of another site by its `Origin` (MCP, "Streamable HTTP", security warning).

use ::http::header;
use url::Url;

use super::Request;
use crate::base_url::{BaseUrl, is_loopback};

/// Origins whose scripts may call the MCP endpoint besides our own, loopback, and the configured.
const CLAUDE: [&str; 2] = ["https://claude.ai", "https://claude.com"];

/// Whether the request names this server as its host.
pub(super) fn is_our_host(request: &Request, base_url: &BaseUrl) -> bool {
    let host = match request.headers().get(header::HOST) {
        Some(host) => host.to_str().ok(),
        // HTTP/2 has it in the URI alone.
        None => request
            .uri()
            .authority()
            .map(::http::uri::Authority::as_str),
    };
    host.is_some_and(|host| {
        // A default port may be written out.
        let host = host.strip_suffix(":443").unwrap_or(host);
        host.eq_ignore_ascii_case(base_url.authority())
    })
}

/// Whether the request comes from no web page, or from one that may call us.
pub(super) fn is_trusted_origin(
    request: &Request,
    base_url: &BaseUrl,
    configured: &[String],
) -> bool {
    let mut origins = request.headers().get_all(header::ORIGIN).iter();
    let Some(origin) = origins.next() else {
        return true;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    if origins.next().is_some() {
        return false;
    }
    origin == base_url.origin()
        || CLAUDE.contains(&origin)
        || configured.iter().any(|configured| configured == origin)
        || is_loopback_origin(origin)
}

/// Whether an origin is this machine's, on any port: local tools such as inspectors.
fn is_loopback_origin(origin: &str) -> bool {
    Url::parse(origin).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.origin().ascii_serialization() == origin
            && url.host().is_some_and(|host| is_loopback(&host))
    })
}

/// Whether a form was sent from our own origin, as far as the browser says.
///
/// Our pages are sent with `Referrer-Policy: no-referrer`, for which browsers give the origin of
/// their forms as `null`; it counts only beside a `Sec-Fetch-Site` that says `same-origin`. What is
/// no browser sends neither header and is not protected by them: the cookie and the sealed handle
/// have to agree in any case.
pub(crate) fn is_same_origin(headers: &::http::HeaderMap, base: &BaseUrl) -> bool {
    let site = headers
        .get("sec-fetch-site")
        .map(::http::HeaderValue::as_bytes);
    let origin = headers
        .get(header::ORIGIN)
        .map(::http::HeaderValue::as_bytes);
    match (site, origin) {
        (Some(b"same-origin"), Some(origin)) => {
            origin == b"null" || origin == base.origin().as_bytes()
        }
        (Some(site), None) => site == b"same-origin",
        (Some(_), Some(_)) => false,
        (None, Some(origin)) => origin == base.origin().as_bytes(),
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(headers: &[(&str, &str)]) -> Request {
        let mut request = Request::default();
        for (name, value) in headers {
            let name = header::HeaderName::from_bytes(name.as_bytes()).unwrap();
            request.headers_mut().append(name, value.parse().unwrap());
        }
        request
    }

    #[test]
    fn g2_only_our_own_host_is_served() {
        let base = BaseUrl::parse("https://vault.example").unwrap();
        for host in ["vault.example", "VAULT.example", "vault.example:443"] {
            assert!(is_our_host(&request(&[("host", host)]), &base), "{host}");
        }
        for host in [
            "evil.example",
            "vault.example.evil",
            "vault.example:80",
            "localhost",
            "",
        ] {
            assert!(!is_our_host(&request(&[("host", host)]), &base), "{host}");
        }
        assert!(!is_our_host(&request(&[]), &base));
    }

    #[test]
    fn g2_only_known_origins_may_call() {
        let base = BaseUrl::parse("https://vault.example").unwrap();
        let configured = ["https://tool.example".to_owned()];
        for origin in [
            "https://vault.example",
            "https://claude.ai",
            "https://claude.com",
            "http://localhost:6274",
            "http://127.0.0.1",
            "http://[::1]:3000",
            "https://tool.example",
        ] {
            let request = request(&[("origin", origin)]);
            assert!(is_trusted_origin(&request, &base, &configured), "{origin}");
        }
        for origin in [
            "null",
            "",
            "https://evil.example",
            "http://claude.ai",
            "https://claude.ai.evil.example",
            "https://claude.ai:8443",
            "http://localhost.evil.example",
            "http://localhost:6274/path",
            "file://localhost",
        ] {
            let request = request(&[("origin", origin)]);
            assert!(!is_trusted_origin(&request, &base, &configured), "{origin}");
        }
        assert!(is_trusted_origin(&request(&[]), &base, &configured));
        let twice = request(&[
            ("origin", "https://claude.ai"),
            ("origin", "https://evil.example"),
        ]);
        assert!(!is_trusted_origin(&twice, &base, &configured));
    }

    #[test]
    fn c7_a_form_counts_only_from_our_own_origin() {
        let base = BaseUrl::parse("https://vault.example").unwrap();
        for (site, origin, expected) in [
            (Some("same-origin"), Some("https://vault.example"), true),
            (Some("same-origin"), Some("null"), true),
            (Some("same-origin"), None, true),
            (None, Some("https://vault.example"), true),
            (None, None, true),
            (Some("cross-site"), Some("https://vault.example"), false),
            (Some("cross-site"), None, false),
            (
                Some("same-site"),
                Some("https://other.vault.example"),
                false,
            ),
            (Some("none"), None, false),
            (Some("same-origin"), Some("https://evil.example"), false),
            (None, Some("null"), false),
            (None, Some("https://evil.example"), false),
            (None, Some("https://vault.example.evil.example"), false),
        ] {
            let mut headers = ::http::HeaderMap::new();
            if let Some(site) = site {
                headers.insert("sec-fetch-site", site.parse().unwrap());
            }
            if let Some(origin) = origin {
                headers.insert("origin", origin.parse().unwrap());
            }
            assert_eq!(
                is_same_origin(&headers, &base),
                expected,
                "{site:?} {origin:?}"
            );
        }
    }
}
