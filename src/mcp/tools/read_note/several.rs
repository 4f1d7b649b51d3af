//! Several notes in one answer.
//!
//! Notes are shown in the order in which they are asked for, each whole as long as there is room;
//! the first one for which there is not is cut where it can be, and the rest are named. What is wrong
//! with a path takes little room and is always said.

use rmcp::model::CallToolResult;

use super::{
    super::{
        super::result::{self, MAX_CHARACTERS, ToolError},
        fit,
    },
    facts::{Entry, SeveralFacts},
    show::{Shown, Wish, check, show},
};
use crate::vault::client::{Linked, Note, ReadNote, Reading};

/// Characters that the frame of the facts takes.
const FRAME: usize = 500;
/// Characters that the paths which are to be asked for next take at most.
const NEXT_PATHS: usize = 5_000;
/// Characters that errors take at most.
const ERRORS: usize = 20_000;
/// The least room that a note is shown in, beside its path.
const LEAST: usize = 3_000;

/// The answer about all of `paths`, the first of which are in `reading`.
pub(super) fn answer(
    paths: &[&str],
    reading: &Reading,
    linked: &[Linked],
    wish: &Wish<'_>,
) -> CallToolResult {
    let mut linked = linked.iter();
    let tried: Vec<Result<Found<'_>, Entry<'_>>> = reading
        .notes
        .iter()
        .map(|read| try_one(read, &mut linked, wish))
        .collect();
    let errors = tried.iter().filter_map(|tried| tried.as_ref().err());
    let errors = fit::into(errors.map(fit::size), ERRORS);
    let mut errors_left = errors.count;
    let mut room = MAX_CHARACTERS - FRAME - NEXT_PATHS - errors.size;
    let mut notes = Vec::new();
    let mut texts = Vec::new();
    let mut left_out = Vec::new();
    for (read, tried) in reading.notes.iter().zip(tried) {
        let shown = match tried {
            Err(error) if errors_left > 0 => {
                errors_left -= 1;
                notes.push(error);
                continue;
            }
            Ok(found) if left_out.is_empty() && room >= found.least() => {
                show(found.note, found.linked, wish, room).ok()
            }
            Err(_) | Ok(_) => None,
        };
        let Some(Shown { mut facts, text }) = shown else {
            left_out.push(read.asked.as_str());
            continue;
        };
        facts.text_block = text.as_ref().map(|_| texts.len() + 1);
        let text_size = text.as_ref().map_or(0, |text| text.chars().count());
        room = room.saturating_sub(fit::size(&facts) + text_size);
        notes.push(Entry::Note(Box::new(facts)));
        texts.extend(text);
    }
    left_out.extend(paths.iter().skip(reading.notes.len()));
    let total = left_out.len();
    let (next_paths, _) = fit::first(left_out, NEXT_PATHS);
    let facts = SeveralFacts {
        commit: reading.commit.as_ref(),
        notes,
        left_out: Some(total).filter(|total| *total > 0),
        next_paths,
    };
    result::answer(&facts, texts)
}

/// A note of which there is something to show.
struct Found<'a> {
    note: &'a Note,
    linked: Option<&'a Linked>,
}

impl Found<'_> {
    /// The least room that it is shown in.
    fn least(&self) -> usize {
        // In JSON, a character may take two.
        LEAST + 2 * self.note.path.as_str().len()
    }
}

/// What came of one path: something to show, or why there is nothing.
fn try_one<'a>(
    read: &'a ReadNote,
    linked: &mut impl Iterator<Item = &'a Linked>,
    wish: &Wish<'_>,
) -> Result<Found<'a>, Entry<'a>> {
    let failed = |error: ToolError| Entry::Error {
        path: fit::title(&read.asked),
        error: result::explanation(&error),
    };
    match &read.note {
        Ok(note) => {
            let linked = linked.next();
            check(note, wish).map_err(failed)?;
            Ok(Found { note, linked })
        }
        Err(error) => Err(failed(error.clone().into())),
    }
}
