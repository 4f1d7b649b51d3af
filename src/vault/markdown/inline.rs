//! Tags and links in the text of a note, as CommonMark 0.31 and Obsidian read it: not in code, not
//! in HTML, not in mathematics.

use std::ops::Range;

use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag as Element, TagEnd};

use super::tags::{self, Tag};
use crate::vault::path::fold;

/// The longest target that is taken for one, in bytes: no path is longer.
const MAX_TARGET: usize = 1_000;

/// A link to something in the vault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// What it names: a note's or file's name or path, with or without extension; never empty.
    pub target: String,
    /// Whether it is written as a wikilink, and so names its target by less than a path.
    pub is_wiki: bool,
}

/// What is found in a text, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inline {
    pub(super) tags: Vec<Tag>,
    pub(super) links: Vec<Link>,
}

impl Link {
    /// What links to the same note have in common: the last segment of the target without the
    /// extension of a note, neither letter case nor normalization mattering.
    #[must_use]
    pub fn name(&self) -> String {
        name_of(&self.target)
    }

    /// The link that `[[inside]]` is; `None` where it only names a place in its own note.
    pub(super) fn of_wikilink(inside: &str) -> Option<Self> {
        // A pipe in a table is escaped.
        let target = inside
            .split(['#', '|'])
            .next()?
            .trim_end_matches('\\')
            .trim();
        Self::to(target, true)
    }

    /// The link to a relative destination; `None` where it leads out of the vault or nowhere.
    fn of_destination(destination: &str) -> Option<Self> {
        let path = destination.split(['#', '?']).next()?;
        let has_scheme = path.split('/').next()?.contains(':');
        if path.is_empty() || has_scheme || path.starts_with("//") {
            return None;
        }
        Self::to(&percent_decode_str(path).decode_utf8().ok()?, false)
    }

    fn to(target: &str, is_wiki: bool) -> Option<Self> {
        let is_name = !target.is_empty() && target.len() <= MAX_TARGET;
        is_name.then(|| Self {
            target: target.to_owned(),
            is_wiki,
        })
    }
}

/// The name by which links name the note or file at `path`: see [`Link::name`].
#[must_use]
pub fn name_of(path: &str) -> String {
    let name = fold(path.rsplit('/').next().unwrap_or(path));
    let stem = name
        .strip_suffix(".md")
        .or_else(|| name.strip_suffix(".markdown"));
    stem.unwrap_or(&name).to_owned()
}

/// Reads a text without its frontmatter.
pub(super) fn read(body: &str) -> Inline {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH
        | Options::ENABLE_WIKILINKS;
    let mut reader = Reader {
        body,
        found: Inline::default(),
        run: 0..0,
        quiet: 0,
    };
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        reader.take(&event, range);
    }
    reader.end_run();
    reader.found
}

struct Reader<'a> {
    body: &'a str,
    found: Inline,
    /// The stretch of text that the last events make up: the parser cuts text where markup might
    /// have been, in the middle of `#a_b`.
    run: Range<usize>,
    /// How many elements are open whose text holds no tags.
    quiet: usize,
}

impl Reader<'_> {
    fn take(&mut self, event: &Event<'_>, range: Range<usize>) {
        if let Event::Text(_) = event {
            if self.quiet > 0 {
                return;
            }
            if range.start != self.run.end {
                self.end_run();
                self.run.start = range.start;
            }
            self.run.end = range.end;
            return;
        }
        self.end_run();
        if let Event::Start(element) = event {
            self.found.links.extend(link_of(element));
        }
        if let Event::Start(element) = event
            && is_quiet(element.to_end())
        {
            self.quiet += 1;
        } else if let Event::End(end) = event
            && is_quiet(*end)
        {
            self.quiet -= 1;
        }
    }

    /// Takes the tags out of the stretch that has come to its end.
    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        let before = self.body.get(..run.start).unwrap_or_default();
        let text = self.body.get(run).unwrap_or_default();
        // A text begins anew after a backslash, with the character that it escapes.
        let escaped = text.strip_prefix('#').filter(|_| before.ends_with('\\'));
        self.found
            .tags
            .extend(tags::in_text(escaped.unwrap_or(text)));
    }
}

/// Whether the text in an element holds no tags.
const fn is_quiet(end: TagEnd) -> bool {
    matches!(
        end,
        TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Link | TagEnd::Image
    )
}

fn link_of(element: &Element<'_>) -> Option<Link> {
    if let Element::Link {
        link_type,
        dest_url,
        ..
    }
    | Element::Image {
        link_type,
        dest_url,
        ..
    } = element
    {
        link(*link_type, dest_url)
    } else {
        None
    }
}

fn link(kind: LinkType, destination: &str) -> Option<Link> {
    match kind {
        LinkType::WikiLink { .. } => Link::of_wikilink(destination),
        LinkType::Autolink | LinkType::Email => None,
        LinkType::Inline
        | LinkType::Reference
        | LinkType::ReferenceUnknown
        | LinkType::Collapsed
        | LinkType::CollapsedUnknown
        | LinkType::Shortcut
        | LinkType::ShortcutUnknown => Link::of_destination(destination),
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, read};

    fn tags(body: &str) -> Vec<String> {
        read(body).tags.iter().map(ToString::to_string).collect()
    }

    fn links(body: &str) -> Vec<(String, bool)> {
        let links = read(body).links.into_iter();
        links
            .map(|Link { target, is_wiki }| (target, is_wiki))
            .collect()
    }

    #[test]
    fn tags_stand_in_text_and_nowhere_else() {
        for (body, found) in [
            ("a #b_c d_ #e*f* g\n", vec!["b_c", "e"]),
            (
                "# Heading #h\n\n- #item\n- [ ] #task\n\n> #quote\n",
                vec!["h", "item", "task", "quote"],
            ),
            (
                "| a | b |\n| - | - |\n| #cell | **#bold** |\n",
                vec!["cell", "bold"],
            ),
            ("`#code` ``x #y`` #out\n", vec!["out"]),
            ("```\n#fenced\n```\n\n    #indented\n\n#out\n", vec!["out"]),
            (
                "[#text](x.md) [[n#head]] ![#alt](p.png) <#a> $#m$ #out\n",
                vec!["out"],
            ),
            ("<div>\n#html\n</div>\n\n#out\n", vec!["out"]),
            (
                "\\#escaped #first\n#second\r\n#third",
                vec!["first", "second", "third"],
            ),
        ] {
            assert_eq!(tags(body), found, "{body:?}");
        }
    }

    #[test]
    fn links_into_the_vault() {
        let wiki = |target: &str| (target.to_owned(), true);
        let plain = |target: &str| (target.to_owned(), false);
        assert_eq!(
            links("[[A]] [[B|shown]] ![[C.png]] [[d/E#Part]] [[#here]] [[]]"),
            [wiki("A"), wiki("B"), wiki("C.png"), wiki("d/E")]
        );
        assert_eq!(
            links("[x](a%20b.md) [y](<c d.md#part>) ![z](../p.png) [r][]\n\n[r]: e.md\n"),
            [
                plain("a b.md"),
                plain("c d.md"),
                plain("../p.png"),
                plain("e.md")
            ]
        );
        assert_eq!(
            links(
                "[a](https://x/y.md) <https://z> [b](#here) [c](mailto:x@y) [d](//h/p) `[[code]]`"
            ),
            []
        );
    }
}
