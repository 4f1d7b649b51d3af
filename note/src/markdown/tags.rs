//! Tags, as Obsidian reads them.

use std::fmt;

use crate::path::fold;

/// The longest tag, in bytes.
const MAX_BYTES: usize = 500;

/// A tag as it is written, without its `#`: letters, digits, `_`, `-`, `/` for levels, and other
/// characters that are neither white space nor punctuation; at least one that is no digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(String);

/// A text that is no tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no tag: a tag has no spaces or punctuation but _ - and /, and not only digits")]
pub struct NotATag;

impl Tag {
    /// Reads a tag, with or without `#` before it.
    ///
    /// # Errors
    /// [`NotATag`].
    pub fn parse(text: &str) -> Result<Self, NotATag> {
        let text = text.trim();
        let name = text.strip_prefix('#').unwrap_or(text).trim_end_matches('/');
        let is_tag = name.len() <= MAX_BYTES
            && name.chars().all(is_tag_character)
            && name.chars().any(|c| !c.is_ascii_digit() && c != '/')
            && name.split('/').all(|level| !level.is_empty());
        is_tag.then(|| Self(name.to_owned())).ok_or(NotATag)
    }

    /// The tag as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What tags compare by: neither letter case nor normalization matters.
    #[must_use]
    pub fn fold(&self) -> String {
        fold(&self.0)
    }

    /// Whether this is `other` or lies below it: `boat/refit` lies below `boat`.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        fold(&self.0)
            .strip_prefix(other.fold().as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The tags in a stretch of running text: `#` after white space or at the start, and what follows.
pub(super) fn in_text(text: &str) -> impl Iterator<Item = Tag> {
    text.match_indices('#').filter_map(|(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        if !before.is_none_or(char::is_whitespace) {
            return None;
        }
        let rest = text.get(at + 1..)?;
        let end = rest
            .find(|character| !is_tag_character(character))
            .unwrap_or(rest.len());
        // `# ` is a heading's mark and `##` nobody's tag.
        Tag::parse(rest.get(..end)?).ok()
    })
}

/// Whether a tag may hold a character: all but white space, ASCII's and Unicode's general
/// punctuation.
fn is_tag_character(character: char) -> bool {
    match character {
        '_' | '-' | '/' => true,
        _ if character.is_ascii() => character.is_ascii_alphanumeric(),
        '\u{200d}' => true,
        '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' => false,
        _ => !character.is_whitespace() && !character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Tag, in_text};

    fn found(text: &str) -> Vec<String> {
        in_text(text).map(|tag| tag.to_string()).collect()
    }

    #[test]
    fn tags_in_running_text() {
        for (text, tags) in [
            (
                "#boat and #Boat/refit-2, #x_y.",
                vec!["boat", "Boat/refit-2", "x_y"],
            ),
            (
                "#日本語 #été #🗺️ #y2026",
                vec!["日本語", "été", "🗺️", "y2026"],
            ),
            ("a#b http://x/#frag (#c) # d ##e #2026 #- #/", vec!["-"]),
            ("#a/ #a//b #a#b", vec!["a", "a"]),
            ("", vec![]),
        ] {
            assert_eq!(found(text), tags, "{text:?}");
        }
    }

    #[test]
    fn a_tag_lies_within_those_above_it() {
        let tag = |text: &str| Tag::parse(text).unwrap();
        assert!(tag("#Boat/Refit").is_within(&tag("boat")));
        assert!(tag("boat").is_within(&tag("BOAT")));
        assert!(!tag("boats").is_within(&tag("boat")));
        assert!(!tag("boat").is_within(&tag("boat/refit")));
        for text in ["", "#", "a b", "2026", "a,b", "a//b", "/", "#a#"] {
            assert!(Tag::parse(text).is_err(), "{text:?}");
        }
    }
}
