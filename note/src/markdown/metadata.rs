//! What a note says of itself.

use super::{Heading, Link, Properties, Tag, frontmatter, headings, inline};
use crate::{path::VaultPath, title};

/// What a note says of itself, in its frontmatter and in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Its title: see [`title::of_note`].
    pub title: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its headings, from the top.
    pub headings: Vec<Heading>,
    /// Its tags, each once, as first written: those of the frontmatter, then those of the text.
    pub tags: Vec<Tag>,
    /// Its properties.
    pub properties: Properties,
    /// What it links to: each target once, by its first link, in order.
    pub links: Vec<Link>,
}

impl Metadata {
    /// The metadata of the note at `path` that says `text`.
    #[must_use]
    pub fn of(path: &VaultPath, text: &str) -> Self {
        let properties = Properties::of(text);
        let headings = headings(text);
        let inline = inline::read(frontmatter::split(text));
        let mut tags: Vec<Tag> = Vec::new();
        let mut folds = std::collections::BTreeSet::new();
        for tag in properties.tags().chain(inline.tags) {
            if folds.insert(tag.fold()) {
                tags.push(tag);
            }
        }
        let mut links: Vec<Link> = inline::of_properties(text, &properties)
            .chain(inline.links)
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        links.retain(|link| seen.insert(link.target.clone()));
        Self {
            title: title::from(path, &properties, &headings),
            aliases: properties.aliases().collect(),
            headings,
            tags,
            properties,
            links,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Metadata, Tag};
    use crate::path::VaultPath;

    #[test]
    fn what_a_note_says_of_itself() {
        let text = "---\naliases: [She]\ntags: [Boat, wood]\nup: '[[Index]]'\nrelated:\n  - '[[a/B|b]]'\n---\n# Title\n\n#boat #refit [[Index]] [[C]]\n\n## Part\n";
        let path = VaultPath::parse("x.md").unwrap();
        let found = Metadata::of(&path, text);
        assert_eq!(found.title, "Title");
        assert_eq!(found.aliases, ["She"]);
        let headings: Vec<_> = found.headings.iter().map(|h| h.text.as_str()).collect();
        assert_eq!(headings, ["Title", "Part"]);
        let tags: Vec<_> = found.tags.iter().map(Tag::as_str).collect();
        assert_eq!(tags, ["Boat", "wood", "refit"]);
        let links: Vec<_> = found
            .links
            .iter()
            .map(|link| link.target.as_str())
            .collect();
        assert_eq!(links, ["Index", "a/B", "C"]);
    }
}
