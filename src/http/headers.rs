//! Header policy: what is cached, what a page may do, and which scripts may read an answer.
//!
//! The only place where these headers are spelled.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL,
        CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, PRAGMA, REFERRER_POLICY, RETRY_AFTER,
        VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};

use super::Response;

/// Keeps an answer out of every cache (RFC 6749 section 5.1 asks for both headers).
pub fn no_store(headers: &mut HeaderMap) {
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
}

/// Lets an answer that is the same for everybody be cached for five minutes.
pub fn public_for_five_minutes(headers: &mut HeaderMap) {
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=300"),
    );
}

/// `Retry-After` in whole seconds, rounded up (RFC 9110 section 10.2.3).
pub fn retry_after(headers: &mut HeaderMap, wait: Duration) {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    headers.insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
}

/// Marks an answer as JSON.
pub fn json(headers: &mut HeaderMap) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// What a page of ours may do, beyond showing text.
#[derive(Clone, Debug)]
pub struct PagePolicy<'a> {
    /// The nonce of the page's one style element: base64 characters.
    pub style_nonce: &'a str,
    /// The sources to which the page's form may lead, every redirect on the way included:
    /// Chromium applies `form-action` to the whole chain. Empty where there is no form.
    pub form_action: &'a [String],
}

/// The headers of a page: no script, no foreign content, no frame around it, no cache, no referrer.
pub fn html_page(headers: &mut HeaderMap, policy: &PagePolicy<'_>) {
    let form_action = match policy.form_action {
        [] => "'none'".to_owned(),
        sources => sources.join(" "),
    };
    let content_security_policy = format!(
        "default-src 'none'; style-src 'nonce-{}'; form-action {form_action}; \
         frame-ancestors 'none'; base-uri 'none'",
        policy.style_nonce
    );
    // Nonce and sources are ASCII by construction. If ever not, nothing is allowed at all.
    let content_security_policy = HeaderValue::try_from(content_security_policy).unwrap_or(
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
    headers.insert(CONTENT_SECURITY_POLICY, content_security_policy);
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    no_store(headers);
}

/// Lets scripts of any origin read an answer. Nothing that is answered this way depends on cookies,
/// so credentials are never allowed.
pub fn allow_any_origin(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(
            "WWW-Authenticate, MCP-Protocol-Version, Mcp-Session-Id, Retry-After",
        ),
    );
    headers.append(VARY, HeaderValue::from_static("Origin"));
}

/// The answer to a preflight request (Fetch standard, CORS protocol): before any authentication,
/// because a browser sends none with it.
#[must_use]
pub fn preflight() -> Response {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    allow_any_origin(headers);
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST, DELETE, OPTIONS"),
    );
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, \
             Mcp-Session-Id, Last-Event-ID",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, PagePolicy, allow_any_origin, html_page, preflight};

    #[test]
    fn a7_a_preflight_allows_what_clients_send_and_never_credentials() {
        let response = preflight();
        assert_eq!(response.status(), 204);
        let of = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(of("access-control-allow-origin"), "*");
        assert_eq!(of("access-control-max-age"), "86400");
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            assert!(
                of("access-control-allow-methods").contains(method),
                "{method}"
            );
        }
        for name in [
            "Authorization",
            "Content-Type",
            "Accept",
            "MCP-Protocol-Version",
            "Mcp-Method",
            "Mcp-Name",
            "Mcp-Session-Id",
            "Last-Event-ID",
        ] {
            assert!(
                of("access-control-allow-headers")
                    .split(", ")
                    .any(|h| h == name),
                "{name}"
            );
        }
        assert!(
            !response
                .headers()
                .contains_key("access-control-allow-credentials")
        );
    }

    #[test]
    fn a7_an_answer_shows_what_clients_have_to_read() {
        let mut headers = HeaderMap::new();
        allow_any_origin(&mut headers);
        let exposed = headers["access-control-expose-headers"].to_str().unwrap();
        for name in [
            "WWW-Authenticate",
            "MCP-Protocol-Version",
            "Mcp-Session-Id",
            "Retry-After",
        ] {
            assert!(exposed.split(", ").any(|h| h == name), "{name}");
        }
        assert_eq!(headers["vary"], "Origin");
    }

    #[test]
    fn c6_a_policy_that_cannot_be_written_allows_nothing() {
        let mut headers = HeaderMap::new();
        let sources = ["'self'\n".to_owned()];
        html_page(
            &mut headers,
            &PagePolicy {
                style_nonce: "n",
                form_action: &sources,
            },
        );
        assert_eq!(
            headers["content-security-policy"],
            "default-src 'none'; frame-ancestors 'none'"
        );
    }
}
