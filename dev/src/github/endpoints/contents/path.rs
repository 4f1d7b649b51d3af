//! Which paths a write takes.

use crate::github::error::ApiError;

/// The segments of a path that a write may name.
///
/// - a leading slash: 422 (Enveloppe/obsidian-enveloppe#115);
/// - an empty, `.`, `..` or `.git` segment: 422 (eduardoboucas/staticman#68; GitHub docs,
///   "Troubleshooting the REST API");
/// - a trailing slash names no file: 404.
pub(super) fn segments(path: &str) -> Result<Vec<String>, ApiError> {
    if path.starts_with('/') {
        return Err(ApiError::LeadingSlash);
    }
    if path.is_empty() || path.ends_with('/') {
        return Err(ApiError::NotFound);
    }
    let malformed = |segment: &str| {
        matches!(segment, "" | "." | "..")
            || segment.eq_ignore_ascii_case(".git")
            || segment.contains('\0')
    };
    if path.split('/').any(malformed) {
        return Err(ApiError::MalformedPath);
    }
    Ok(path.split('/').map(str::to_owned).collect())
}
