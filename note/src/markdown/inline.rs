//! Tags and links in the text of a note, as CommonMark 0.31 and Obsidian read it: not in code, not
//! in HTML, not in mathematics.

use std::ops::Range;

use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag as Element, TagEnd};

use super::{
    Properties,
    frontmatter::{self, Parts},
    tags::{self, Tag},
};
use crate::path::fold;

/// The longest target that is taken for one, in bytes: no path is longer.
const MAX_TARGET: usize = 1_000;
/// The most characters of a place in a target that are kept: a heading may be as long as a note.
const MAX_PLACE: usize = 300;

/// A link to something in the vault, or an embedding of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it names: a note's or file's name or path, with or without extension; never empty.
    pub target: String,
    /// The heading or block in it that is meant, with its `#`; empty where it is the whole.
    pub place: String,
    /// The line on which it begins, counted from 1 in the whole note.
    pub line: usize,
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
    fn of_wikilink(inside: &str, line: usize) -> Option<Self> {
        // A pipe in a table is escaped.
        let destination = inside.split('|').next()?.trim_end_matches('\\');
        let (target, place) = divided(destination);
        Self::to(target.trim(), place.trim(), line)
    }

    /// The link to a relative destination; `None` where it leads out of the vault or nowhere.
    fn of_destination(destination: &str, line: usize) -> Option<Self> {
        let (path, place) = divided(destination);
        let path = path.split('?').next()?;
        let has_scheme = path.split('/').next()?.contains(':');
        if path.is_empty() || has_scheme || path.starts_with("//") {
            return None;
        }
        let decoded = |text| percent_decode_str(text).decode_utf8().ok();
        Self::to(&decoded(path)?, &decoded(place)?, line)
    }

    fn to(target: &str, place: &str, line: usize) -> Option<Self> {
        let is_name = !target.is_empty() && target.len() <= MAX_TARGET;
        is_name.then(|| Self {
            target: target.to_owned(),
            place: place.chars().take(MAX_PLACE).collect(),
            line,
        })
    }
}

/// The parts of a link before the first `#`, and from there on.
fn divided(link: &str) -> (&str, &str) {
    let at = link.find('#').unwrap_or(link.len());
    link.split_at_checked(at).unwrap_or((link, ""))
}

/// The links of a note, from the top: those that are values of its properties, then those in its
/// text.
#[must_use]
pub fn links(text: &str) -> Vec<Link> {
    let properties = Properties::of(text);
    of_properties(text, &properties)
        .chain(read(frontmatter::split(text)).links)
        .collect()
}

/// The links among the values of a note's properties.
pub(super) fn of_properties(text: &str, properties: &Properties) -> impl Iterator<Item = Link> {
    let block = frontmatter::split(text).frontmatter;
    properties.wikilinks().filter_map(move |inside| {
        // A value may be written in other words than it means; then it stands where they all do.
        let at = block.find(&inside).unwrap_or(0);
        let before = block.get(..at).unwrap_or_default();
        Link::of_wikilink(&inside, before.matches('\n').count() + 1)
    })
}

/// The name by which links name the note or file at `path`: see [`Link::name`].
#[must_use]
pub fn name_of(path: &str) -> String {
    let name = fold(path.rsplit('/').next().unwrap_or(path));
    without_extension(&name).to_owned()
}

/// A folded path without the extension of a note.
#[must_use]
pub fn without_extension(fold: &str) -> &str {
    fold.strip_suffix(".md")
        .or_else(|| fold.strip_suffix(".markdown"))
        .unwrap_or(fold)
}

/// Reads the text below a note's frontmatter.
pub(super) fn read(note: Parts<'_>) -> Inline {
    let body = note.body;
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH
        | Options::ENABLE_WIKILINKS;
    let mut reader = Reader {
        body,
        found: Inline::default(),
        read: 0,
        line: note.lines_before_body() + 1,
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
    /// How much of the text has been counted into lines, and the line on which that ends.
    read: usize,
    line: usize,
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
            let found = destination(element);
            let link = found.and_then(|(kind, to)| link(kind, to, self.line_at(range.start)));
            self.found.links.extend(link);
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

    /// The line of a place in the text. Places come in order.
    fn line_at(&mut self, place: usize) -> usize {
        let passed = self.body.get(self.read..place).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.read = self.read.max(place);
        self.line
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

/// What a link or an image leads to.
fn destination<'a>(element: &'a Element<'_>) -> Option<(LinkType, &'a str)> {
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
        Some((*link_type, dest_url))
    } else {
        None
    }
}

fn link(kind: LinkType, destination: &str, line: usize) -> Option<Link> {
    match kind {
        LinkType::WikiLink { .. } => Link::of_wikilink(destination, line),
        LinkType::Autolink | LinkType::Email => None,
        LinkType::Inline
        | LinkType::Reference
        | LinkType::ReferenceUnknown
        | LinkType::Collapsed
        | LinkType::CollapsedUnknown
        | LinkType::Shortcut
        | LinkType::ShortcutUnknown => Link::of_destination(destination, line),
    }
}

#[cfg(test)]
mod tests {
    use super::{links, read};
    use crate::markdown::frontmatter;

    fn tags(body: &str) -> Vec<String> {
        let found = read(frontmatter::split(body)).tags;
        found.iter().map(ToString::to_string).collect()
    }

    fn found(text: &str) -> Vec<(String, String, usize)> {
        let links = links(text).into_iter();
        links
            .map(|link| (link.target, link.place, link.line))
            .collect()
    }

    /// What a text of one line links to.
    fn targets(text: &str) -> Vec<String> {
        let links = found(text).into_iter();
        links.map(|(target, place, _)| target + &place).collect()
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
        assert_eq!(
            targets("[[A]] [[B|shown]] ![[C.png]] [[d/E#Part#Sub|x]] [[#here]] [[]] [[F#^block]]"),
            ["A", "B", "C.png", "d/E#Part#Sub", "F#^block"]
        );
        assert_eq!(
            targets("| a |\n| - |\n| [[A\\|shown]] |\n| [[B#C\\|shown]] |\n"),
            ["A", "B#C"]
        );
        assert_eq!(
            targets("[x](a%20b.md) [y](<c d.md#a%20part>) ![z](../p.png) [r][]\n\n[r]: e.md\n"),
            ["a b.md", "c d.md#a part", "../p.png", "e.md"]
        );
        assert_eq!(
            targets(
                "[a](https://x/y.md) <https://z> [b](#here) [c](mailto:x@y) [d](//h/p) `[[code]]`"
            ),
            [""; 0]
        );
    }

    #[test]
    fn links_know_their_lines() {
        let text = "\u{feff}---\r\nup: '[[Index]]'\r\nrelated:\r\n  - \"[[a/B|b]]\"\r\n---\r\nx [[C]]\r\n\r\n- [[D]]\r\n  and [[E]] [f](F.md)\r\n\r\n> [[G]]\r\n";
        let lines: Vec<_> = found(text)
            .into_iter()
            .map(|(to, _, line)| (to, line))
            .collect();
        let expected = [
            ("Index", 2),
            ("a/B", 4),
            ("C", 6),
            ("D", 8),
            ("E", 9),
            ("F.md", 9),
            ("G", 11),
        ];
        assert_eq!(lines, expected.map(|(to, line)| (to.to_owned(), line)));
    }
}
