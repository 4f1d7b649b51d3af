//! Replacing quoted text: edits that say what they replace.
//!
//! Edits are made one after the other, each in what the ones before it left, and all of them or
//! none. What one edit wrote no later one may touch: then every edit replaces text of the note
//! itself, their places do not overlap, and the bytes between those places are the note's own.
//!
//! A line break is a line break: `\n` in a quote matches `\r\n` in the note and the other way round.
//! What is written has the note's line ends.

use std::ops::Range;

use super::{LineEnding, Near, near::breaks_before};

/// The most edits of one change.
pub const MAX_EDITS: usize = 100;

/// Replaces text by other text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit<'a> {
    /// What is there.
    pub old: &'a str,
    /// What shall be there instead.
    pub new: &'a str,
    /// Whether every place is meant at which `old` is; otherwise it has to be at exactly one.
    pub all: bool,
}

/// Why edits cannot be made. None of them was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError {
    /// Which edit, counted from 1.
    pub edit: usize,
    /// What is wrong with it.
    pub problem: EditProblem,
}

/// What is wrong with an edit. Lines are counted from 1 in the note as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditProblem {
    /// Its old text is empty, which is everywhere.
    Empty,
    /// Its old text is not there.
    NotFound(Option<Near>),
    /// Its old text is there more than once, starting on these lines.
    NotUnique(Vec<usize>),
    /// Its old text takes in what this earlier edit has changed.
    Overlaps(usize),
}

/// `text` after `edits`, which see no more of it than `within`: whole lines, at the offsets of which
/// characters start.
///
/// ```
/// use vault_mcp::vault::edit::{Edit, replace};
///
/// let edit = Edit { old: "oak\nteak", new: "pine\nteak", all: false };
/// assert_eq!(replace("oak\r\nteak\r\n", 0..11, &[edit]).unwrap(), "pine\r\nteak\r\n");
/// ```
///
/// # Errors
/// [`EditError`] for the first edit that cannot be made.
pub fn replace(text: &str, within: Range<usize>, edits: &[Edit<'_>]) -> Result<String, EditError> {
    let flat = Flat::of(text);
    let mut draft = Draft {
        flat: &flat.text,
        within: flat_position(text, within.start)..flat_position(text, within.end),
        done: Vec::new(),
    };
    for (index, edit) in edits.iter().enumerate() {
        let number = index + 1;
        draft.make(number, edit).map_err(|problem| EditError {
            edit: number,
            problem,
        })?;
    }
    let written = edits.iter().map(|edit| edit.new);
    let ending = std::iter::once(text)
        .chain(written)
        .find_map(LineEnding::of);
    let mut result = String::with_capacity(text.len());
    let mut copied = 0;
    for Done { place, new, .. } in draft.done {
        // Where old and new agree at their ends, nothing is to be replaced.
        let old = flat.text.get(place.clone()).unwrap_or_default();
        let (head, tail) = common_ends(old, &new);
        let start = flat.offset(place.start + head);
        result.push_str(text.get(copied..start).unwrap_or_default());
        let new = new.get(head..new.len() - tail).unwrap_or_default();
        result.push_str(&ending.map_or(new.into(), |ending| ending.apply(new)));
        copied = flat.offset(place.end - tail);
    }
    result.push_str(text.get(copied..).unwrap_or_default());
    Ok(result)
}

/// A text whose lines all end with `\n`, and where it was otherwise.
struct Flat {
    text: String,
    /// The positions in `text` of line breaks that are `\r\n` in the original.
    pairs: Vec<usize>,
}

impl Flat {
    fn of(original: &str) -> Self {
        let before_pairs = original.match_indices("\r\n").enumerate();
        Self {
            pairs: before_pairs.map(|(before, (at, _))| at - before).collect(),
            text: original.replace("\r\n", "\n"),
        }
    }

    /// The offset in the original of a position in the flat text. A position at a line break is
    /// before the whole of it.
    fn offset(&self, position: usize) -> usize {
        position + self.pairs.partition_point(|pair| *pair < position)
    }
}

/// The position in the flat text of an offset in the original.
fn flat_position(original: &str, offset: usize) -> usize {
    let before = original.get(..offset).unwrap_or_default();
    before.len() - before.matches("\r\n").count()
}

/// A text in the middle of its edits.
struct Draft<'a> {
    flat: &'a str,
    within: Range<usize>,
    /// What was done, in the order of the places.
    done: Vec<Done>,
}

/// A replacement that was made.
struct Done {
    /// The place in the flat text.
    place: Range<usize>,
    new: String,
    edit: usize,
}

impl Draft<'_> {
    /// Makes an edit.
    fn make(&mut self, number: usize, edit: &Edit<'_>) -> Result<(), EditProblem> {
        let old = edit.old.replace("\r\n", "\n");
        if old.is_empty() {
            return Err(EditProblem::Empty);
        }
        let current = self.current();
        let found = occurrences(&current, &old);
        if found.is_empty() {
            return Err(self.missing(&old));
        }
        if !edit.all && found.len() > 1 {
            return Err(EditProblem::NotUnique(self.lines(&found)));
        }
        let places = if edit.all { apart(found) } else { found };
        let places: Result<Vec<_>, _> = self.origins(places.into_iter()).collect();
        let places = places.map_err(|done| EditProblem::Overlaps(done.edit))?;
        let new = edit.new.replace("\r\n", "\n");
        self.done.extend(places.into_iter().map(|place| Done {
            place,
            new: new.clone(),
            edit: number,
        }));
        self.done
            .sort_by_key(|done| (done.place.start, done.place.end));
        Ok(())
    }

    /// The text as the edits so far have left it.
    fn current(&self) -> String {
        let mut current = String::new();
        let mut copied = self.within.start;
        for Done { place, new, .. } in &self.done {
            current.push_str(self.flat.get(copied..place.start).unwrap_or_default());
            current.push_str(new);
            copied = place.end;
        }
        current.push_str(self.flat.get(copied..self.within.end).unwrap_or_default());
        current
    }

    /// Where in the flat text places of the current text are, which come in order; for one where an
    /// edit has written, what it did.
    fn origins<'p>(
        &'p self,
        places: impl Iterator<Item = Range<usize>> + 'p,
    ) -> impl Iterator<Item = Result<Range<usize>, &'p Done>> {
        let mut done = self.done.iter().peekable();
        let (mut removed, mut added) = (self.within.start, 0);
        places.map(move |place| {
            while let Some(&next) = done.peek() {
                let start = next.place.start + added - removed;
                if place.end <= start {
                    break;
                }
                if place.start < start + next.new.len() {
                    return Err(next);
                }
                removed += next.place.len();
                added += next.new.len();
                done.next();
            }
            Ok(place.start + removed - added..place.end + removed - added)
        })
    }

    /// The lines of the note on which places of the current text start, which come in order; for
    /// written text the one that it was written to.
    fn lines(&self, places: &[Range<usize>]) -> Vec<usize> {
        let (mut line, mut read) = (1, 0);
        let starts = places.iter().map(|place| place.start..place.start + 1);
        let starts = self.origins(starts).map(|origin| {
            let start = origin.map_or_else(|done| done.place.start, |place| place.start);
            line += breaks_before(self.flat.get(read..).unwrap_or_default(), start - read);
            read = start;
            line
        });
        starts.collect()
    }

    /// Why text that is not in the current text cannot be replaced.
    fn missing(&self, old: &str) -> EditProblem {
        let places = self
            .flat
            .match_indices(old)
            .map(|(at, _)| at..at + old.len());
        let (inside, outside): (Vec<_>, Vec<_>) = places
            .partition(|place| self.within.start <= place.start && place.end <= self.within.end);
        // It was there until an edit before this one changed it.
        let is_changed = |done: &&Done| {
            let overlaps =
                |place: &Range<usize>| place.start < done.place.end && done.place.start < place.end;
            inside.iter().any(overlaps)
        };
        if let Some(done) = self.done.iter().find(is_changed) {
            return EditProblem::Overlaps(done.edit);
        }
        let line = |position| breaks_before(self.flat, position) + 1;
        if let Some(place) = outside.first() {
            return EditProblem::NotFound(Some(Near::Elsewhere {
                line: line(place.start),
            }));
        }
        let inside = self.flat.get(self.within.clone()).unwrap_or_default();
        EditProblem::NotFound(Near::find(inside, old, line(self.within.start)))
    }
}

/// Where `wanted` is: the places that one finds from the start, each after the end of the one
/// before, and one that overlaps the first where that is the only one.
fn occurrences(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let place = |at| at..at + wanted.len();
    let mut found: Vec<_> = text
        .match_indices(wanted)
        .map(|(at, _)| place(at))
        .collect();
    if let [only] = found.as_slice() {
        let step = wanted.chars().next().map_or(1, char::len_utf8);
        let again = text
            .get(only.start + step..)
            .and_then(|rest| rest.find(wanted));
        found.extend(again.map(|at| place(only.start + step + at)));
    }
    found
}

/// Those places that do not overlap the one before.
fn apart(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut end = 0;
    places.retain(|place| {
        let is_apart = place.start >= end;
        if is_apart {
            end = place.end;
        }
        is_apart
    });
    places
}

/// How many bytes two texts have in common at their start, and behind that at their end.
fn common_ends(one: &str, other: &str) -> (usize, usize) {
    let alike = |pair: &(char, char)| pair.0 == pair.1;
    let length = |(character, _): (char, char)| character.len_utf8();
    let head: usize = one
        .chars()
        .zip(other.chars())
        .take_while(alike)
        .map(length)
        .sum();
    let rests = (
        one.get(head..).unwrap_or_default(),
        other.get(head..).unwrap_or_default(),
    );
    let backwards = rests.0.chars().rev().zip(rests.1.chars().rev());
    (head, backwards.take_while(alike).map(length).sum())
}

#[cfg(test)]
mod tests;
