//! Which notes are meant, by what they say of themselves.

use serde::{Deserialize, Serialize};

use super::markdown::{Metadata, Tag, properties};
use crate::runtime::Timestamp;

/// The most properties that a filter asks for.
pub const MAX_PROPERTIES: usize = 16;

/// Conditions that a note has to meet, all of them. Without any, every note meets them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteFilter {
    /// A tag that the note has, or one below it, in the form in which tags compare.
    tag: Option<String>,
    /// Properties with a value each, in the forms in which they compare.
    properties: Vec<(String, String)>,
    /// When the note was last changed, at the earliest.
    modified_since: Option<Timestamp>,
}

impl NoteFilter {
    /// Asks for a tag, or one below it, in the frontmatter or in the text.
    pub fn require_tag(&mut self, tag: &Tag) {
        self.tag = Some(tag.fold());
    }

    /// Asks for a property that is `value`, or a list that has it. See
    /// [`properties::comparable`] for what is the same.
    pub fn require_property(&mut self, key: &str, value: &str) {
        let pair = (
            properties::comparable_key(key),
            properties::comparable(value),
        );
        self.properties.push(pair);
    }

    /// Asks for notes that were changed at `time` or later. When a note was changed is not known of
    /// all notes; those of which it is not do not meet this.
    pub const fn require_modified_since(&mut self, time: Timestamp) {
        self.modified_since = Some(time);
    }

    /// Whether every note meets it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A text that two filters share only where they ask for the same.
    #[must_use]
    pub fn as_text(&self) -> String {
        format!("{self:?}")
    }

    /// The tag, in the form in which tags compare.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The properties with their values, in the forms in which they compare.
    #[must_use]
    pub fn properties(&self) -> &[(String, String)] {
        &self.properties
    }

    /// When the note was last changed, at the earliest.
    #[must_use]
    pub const fn modified_since(&self) -> Option<Timestamp> {
        self.modified_since
    }

    /// Whether a note with this metadata, last changed at `modified`, meets the conditions. The
    /// measure of what an index has to find.
    #[must_use]
    pub fn admits(&self, metadata: &Metadata, modified: Option<Timestamp>) -> bool {
        self.admits_metadata(metadata)
            && self
                .modified_since
                .is_none_or(|since| modified.is_some_and(|modified| modified >= since))
    }

    /// The same, whenever the note was changed.
    #[must_use]
    pub fn admits_metadata(&self, metadata: &Metadata) -> bool {
        let has_tag = |wanted: &String| {
            metadata.tags.iter().any(|tag| {
                let rest = tag.fold().strip_prefix(wanted.as_str()).map(str::to_owned);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let has_property = |wanted: &(String, String)| {
            metadata
                .properties
                .comparables()
                .any(|pair| pair == *wanted)
        };
        self.tag.as_ref().is_none_or(has_tag) && self.properties.iter().all(has_property)
    }
}

#[cfg(test)]
mod tests {
    use super::{NoteFilter, Timestamp};
    use crate::vault::{
        markdown::{Metadata, Tag},
        path::VaultPath,
    };

    fn note(text: &str) -> Metadata {
        Metadata::of(&VaultPath::parse("a.md").unwrap(), text)
    }

    #[test]
    fn all_conditions_have_to_be_met() {
        let note =
            note("---\ntags: [Boat]\nstatus: Done\nrating: 3\nwho: [Ines, Wren]\n---\n#wood/oak");
        let meets = |tag: Option<&str>, properties: &[(&str, &str)]| {
            let mut filter = NoteFilter::default();
            if let Some(tag) = tag {
                filter.require_tag(&Tag::parse(tag).unwrap());
            }
            for (key, value) in properties {
                filter.require_property(key, value);
            }
            filter.admits(&note, None)
        };
        assert!(meets(None, &[]));
        assert!(meets(
            Some("#WOOD"),
            &[("Status", "done"), ("who", "ines"), ("who", "Wren")]
        ));
        assert!(meets(Some("wood/oak"), &[("rating", "3.0")]));
        assert!(!meets(Some("oak"), &[]));
        assert!(!meets(Some("boat"), &[("status", "do")]));
        assert!(!meets(
            Some("boat"),
            &[("status", "done"), ("who", "Ines, Wren")]
        ));
    }

    #[test]
    fn a_note_of_unknown_age_is_not_recent() {
        let mut filter = NoteFilter::default();
        filter.require_modified_since(Timestamp::from_unix_seconds(100));
        let at = |seconds| filter.admits(&note(""), Some(Timestamp::from_unix_seconds(seconds)));
        assert_eq!((at(99), at(100)), (false, true));
        assert!(!filter.admits(&note(""), None));
    }
}
