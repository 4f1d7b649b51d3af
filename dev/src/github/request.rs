//! A request to the API, read once.

use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, HOST, IF_NONE_MATCH, USER_AGENT};
use axum::http::{HeaderMap, Method, Uri};

use super::media::Media;

/// Method, target, headers and whole body.
#[derive(Debug)]
pub(crate) struct ApiRequest {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl ApiRequest {
    /// A header's text.
    pub(crate) fn header(&self, name: impl axum::http::header::AsHeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The `User-Agent`, unless empty.
    pub(crate) fn user_agent(&self) -> Option<&str> {
        self.header(USER_AGENT).filter(|value| !value.is_empty())
    }

    /// Scheme (in lower case) and credential of `Authorization`.
    pub(crate) fn credentials(&self) -> Option<(String, &str)> {
        let (scheme, value) = self.header(AUTHORIZATION)?.split_once(' ')?;
        Some((scheme.to_ascii_lowercase(), value.trim()))
    }

    /// The entity tags of `If-None-Match`, weakness marks removed.
    pub(crate) fn known_tags(&self) -> Vec<&str> {
        self.headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .collect()
    }

    /// The representation asked for.
    pub(crate) fn media(&self) -> Media {
        Media::of(&self.headers)
    }

    /// A query parameter's first value, decoded.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        url::form_urlencoded::parse(self.uri.query()?.as_bytes())
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    }

    /// A query parameter as a number of at least 1.
    pub(crate) fn query_number(&self, name: &str) -> Option<usize> {
        self.query(name)?.parse().ok().filter(|number| *number >= 1)
    }

    /// The origin under which the client reached this server.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.header(HOST).unwrap_or("localhost"))
    }
}
