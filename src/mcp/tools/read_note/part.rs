//! Which part of a note is asked for.

use std::collections::HashSet;

use super::super::super::{
    result::ToolError,
    window::{self, LineRange, NotALineRange},
};
use crate::vault::{
    VaultError,
    client::Note,
    markdown::{Link, Section, links},
};

/// The asked-for part of a note.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    /// These lines; all of them where nothing else is asked for.
    Lines(LineRange),
    /// The section of this name.
    Section(&'a str),
}

impl<'a> Part<'a> {
    /// The part that the arguments ask for.
    pub(super) fn of(section: Option<&'a str>, lines: Option<&str>) -> Result<Self, ToolError> {
        match (section, lines) {
            (None, None) => Ok(Self::Lines(LineRange::ALL)),
            (Some(section), None) => Ok(Self::Section(section)),
            (None, Some(lines)) => lines
                .parse()
                .map(Self::Lines)
                .map_err(|error: NotALineRange| ToolError::Arguments(error.to_string())),
            (Some(_), Some(_)) => Err(ToolError::Arguments(
                "section and lines are both there; give one of them: lines count in the whole note"
                    .to_owned(),
            )),
        }
    }

    /// The lines that it is of a note, and the heading of the section that it is.
    pub(super) fn within(&self, note: &Note) -> Result<(LineRange, Option<String>), VaultError> {
        match self {
            Self::Lines(range) => Ok((*range, None)),
            Self::Section(name) => {
                let found = Section::find(&note.text, name)
                    .map_err(|error| VaultError::no_section(note.path.as_str(), name, error))?;
                let text = note.text.get(found.range.clone()).unwrap_or_default();
                let first = found.heading.line;
                let last = first + window::count(text) - 1;
                Ok((LineRange::of_lines(first, last), Some(found.heading.text)))
            }
        }
    }
}

/// The links in a part of a note, each once; none where there is no such part.
pub(super) fn links_in(part: &Part<'_>, note: &Note) -> Vec<Link> {
    let Ok((range, _)) = part.within(note) else {
        return Vec::new();
    };
    let mut links = links(&note.text);
    let mut seen = HashSet::new();
    links.retain(|link| {
        range.contains(link.line) && seen.insert((link.target.clone(), link.place.clone()))
    });
    links
}
