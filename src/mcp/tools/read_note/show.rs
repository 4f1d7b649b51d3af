//! What is shown of one note.

use super::{
    super::{
        super::{
            result::ToolError,
            window::{self, LineRange, Window},
        },
        fit,
    },
    facts::{HeadingFacts, Item, NoteFacts},
    included::{BacklinkFacts, LinkFacts},
    part::Part,
};
use crate::vault::{
    client::{Linked, Note},
    markdown::{Properties, headings},
};

/// Characters that `lines`, `next`, `text_block` and `commit` take at most, names and all.
const WINDOW_FACTS: usize = 300;

/// What is asked of every note.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish<'a> {
    pub(super) part: Part<'a>,
    /// Whether the headings of the part are wanted in place of its text.
    pub(super) outline: bool,
    pub(super) include: &'a [Item],
}

impl Wish<'_> {
    pub(super) fn wants(&self, item: Item) -> bool {
        self.include.contains(&item)
    }
}

/// What is shown of a note.
pub(super) struct Shown<'a> {
    pub(super) facts: NoteFacts<'a>,
    /// The text, verbatim; `None` where the outline stands in its place.
    pub(super) text: Option<String>,
}

/// Whether there is anything to show of `note`: the section or the lines that are asked for.
pub(super) fn check(note: &Note, wish: &Wish<'_>) -> Result<(), ToolError> {
    let (range, _) = wish.part.within(note)?;
    if !wish.outline {
        cut(note, range, 0)?;
    }
    Ok(())
}

fn cut(note: &Note, range: LineRange, room: usize) -> Result<Window<'_>, ToolError> {
    window::cut(&note.text, range, room)
        .map_err(|error| ToolError::Arguments(format!("lines lie behind the end: {error}")))
}

/// Shows of `note` what is asked for and fits into `room` characters, which must be more than its
/// path and title take. What is included has three quarters of it at most.
pub(super) fn show<'a>(
    note: &'a Note,
    linked: Option<&'a Linked>,
    wish: &Wish<'_>,
    room: usize,
) -> Result<Shown<'a>, ToolError> {
    let (range, section) = wish.part.within(note)?;
    let mut facts = NoteFacts {
        path: note.path.as_str(),
        title: fit::title(&note.title),
        revision: note.revision.as_str(),
        bytes: note.text.len(),
        total_lines: window::count(&note.text),
        section: section.map(|heading| fit::title(&heading).into_owned()),
        lines: None,
        next: None,
        text_block: None,
        outline: None,
        frontmatter: None,
        frontmatter_left_out: None,
        links: None,
        backlinks: None,
    };
    let used = fit::size(&facts) + WINDOW_FACTS;
    include(
        &mut facts,
        note,
        linked,
        wish,
        range,
        room.saturating_sub(used) / 4,
    );
    let room = room.saturating_sub(fit::size(&facts) + WINDOW_FACTS);
    if wish.outline {
        outline(&mut facts, note, range, room);
        return Ok(Shown { facts, text: None });
    }
    let window = cut(note, range, room)?;
    facts.lines = window.lines;
    facts.next = window.next;
    Ok(Shown {
        facts,
        text: Some(window.text.to_owned()),
    })
}

/// Adds what is to be included, each item in at most `room` characters.
fn include<'a>(
    facts: &mut NoteFacts<'a>,
    note: &Note,
    linked: Option<&'a Linked>,
    wish: &Wish<'_>,
    range: LineRange,
    room: usize,
) {
    if wish.wants(Item::Frontmatter) {
        let properties = Properties::of(&note.text);
        if fit::size(&properties) <= room {
            facts.frontmatter = Some(properties);
        } else {
            facts.frontmatter_left_out = Some("it is too long; read it as lines, from 1 on");
        }
    }
    let Some(linked) = linked else {
        return;
    };
    if wish.wants(Item::Links) {
        facts.links = Some(LinkFacts::of(&linked.links, &range, room));
    }
    facts.backlinks = BacklinkFacts::of(&linked.backlinks, room);
}

/// Adds the headings that begin in `range`, as many as fit into `room` characters, and where to go on.
fn outline(facts: &mut NoteFacts<'_>, note: &Note, range: LineRange, room: usize) {
    let headings = headings(&note.text).into_iter();
    let wanted = headings
        .filter(|heading| range.contains(heading.line))
        .map(|heading| HeadingFacts {
            level: heading.level,
            text: fit::title(&heading.text).into_owned(),
            line: heading.line,
        });
    let (shown, cut) = fit::first(wanted, room);
    facts.next = cut.map(|heading| range.from(heading.line));
    facts.outline = Some(shown);
}
