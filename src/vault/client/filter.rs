//! Which notes a caller means.

use super::VaultClient;
use crate::{
    date,
    vault::{
        error::VaultError,
        filter::{MAX_PROPERTIES, NoteFilter},
        markdown::Tag,
    },
};

/// Conditions as a caller gives them.
#[derive(Clone, Copy, Debug, Default)]
pub struct FilterRequest<'a> {
    /// A tag, with or without `#`.
    pub tag: Option<&'a str>,
    /// Properties, each with a value that it is or has.
    pub frontmatter: &'a [(String, String)],
    /// A date or time of RFC 3339.
    pub modified_since: Option<&'a str>,
}

impl VaultClient {
    /// The filter that a caller asks for.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for what is no tag, no date, or too many properties.
    pub(super) fn filter(request: &FilterRequest<'_>) -> Result<NoteFilter, VaultError> {
        let mut filter = NoteFilter::default();
        if let Some(tag) = request.tag {
            let tag = Tag::parse(tag).map_err(|error| VaultError::invalid("tag", &error))?;
            filter.require_tag(&tag);
        }
        if request.frontmatter.len() > MAX_PROPERTIES {
            let problem = format!("asks for more than {MAX_PROPERTIES} values");
            return Err(VaultError::invalid("frontmatter", &problem));
        }
        for (key, value) in request.frontmatter {
            if key.trim().is_empty() {
                return Err(VaultError::invalid("frontmatter", &"has an empty name"));
            }
            filter.require_property(key, value);
        }
        if let Some(since) = request.modified_since {
            let since = date::parse(since)
                .map_err(|error| VaultError::invalid("modified_since", &error))?;
            filter.require_modified_since(since);
        }
        Ok(filter)
    }
}
