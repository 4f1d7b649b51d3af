//! The media types of GitHub's REST API (GitHub docs, "Media types").

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// The representation that `Accept` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    /// The bytes of a file.
    Raw,
    /// A folder as an object with `entries`.
    Object,
    /// A commit as its 40 digits.
    Sha,
}

impl Media {
    /// Reads `application/vnd.github[.version][.param][+json]`; anything else is JSON.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .filter_map(|range| range.trim().strip_prefix("application/vnd.github"))
            .find_map(|rest| {
                let name = rest.split([';', '+']).next().unwrap_or_default();
                name.split('.').find_map(|part| match part {
                    "raw" => Some(Self::Raw),
                    "object" => Some(Self::Object),
                    "sha" => Some(Self::Sha),
                    _ => None,
                })
            })
            .unwrap_or(Self::Json)
    }

    /// The value of `x-github-media-type`.
    pub(crate) const fn header(self) -> &'static str {
        match self {
            Self::Json => "github.v3; format=json",
            Self::Raw => "github.v3; param=raw",
            Self::Object => "github.v3; param=object; format=json",
            Self::Sha => "github.v3; param=sha",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameter_is_found_with_and_without_version_and_suffix() {
        for (accept, media) in [
            ("application/vnd.github+json", Media::Json),
            ("application/json", Media::Json),
            ("*/*", Media::Json),
            ("application/vnd.github.raw+json", Media::Raw),
            ("application/vnd.github.v3.raw", Media::Raw),
            ("text/html, application/vnd.github.raw;q=0.9", Media::Raw),
            ("application/vnd.github.object+json", Media::Object),
            ("application/vnd.github.sha", Media::Sha),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
            assert_eq!(Media::of(&headers), media, "{accept}");
        }
    }
}
