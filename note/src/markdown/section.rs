//! Sections: a heading, and what stands below it up to the next heading of its level or above.
//!
//! A section is addressed by the text of its heading, `Plans`. Where several headings say that, the
//! headings above it tell them apart: `Projects#Plans`, as in an Obsidian link. White space around
//! the parts, marks before them (`## Plans`) and ` > ` between them in place of `#` are understood.
//!
//! Headings compare exactly first. Where none is exactly so, they compare as Obsidian compares them
//! in links (`stripHeading` of its API): characters that a link cannot hold count as spaces, spaces in
//! a row as one, and letter case does not matter.

use std::ops::Range;

use super::{Heading, headings};
use crate::path::fold;

/// The characters that Obsidian leaves out of a heading when it compares it with a link.
const IGNORED: &str = "!\"#$%&()*+,.:;<=>?@^`{|}~/[]\\\r\n";

/// The longest address that is looked at, in bytes.
const MAX_ADDRESS: usize = 2_000;

/// A section of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub heading: Heading,
    /// Its bytes in the note, from the start of the heading's line: up to the next heading of the
    /// same level or one above, or to the end. Deeper sections are part of it.
    pub range: Range<usize>,
    /// The same without the heading's own lines: what a change of its text replaces.
    pub body: Range<usize>,
}

/// A section's address: the texts of the headings from the outermost that is named to its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionName {
    /// How a caller may ask for it.
    pub address: String,
    /// The line of its heading.
    pub line: usize,
}

/// Why an address names no one section.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SectionError {
    /// It holds no text, or more than a heading would.
    #[error("is no heading of a note")]
    Unreadable,
    /// There is no such heading.
    #[error("no such section among {} headings", existing.len())]
    NotFound {
        /// The headings that there are, from the top.
        existing: Vec<SectionName>,
    },
    /// More than one heading fits.
    #[error("{} sections of that name", candidates.len())]
    Ambiguous {
        /// Those that do, from the top, each by as many of the headings above it as it has.
        candidates: Vec<SectionName>,
    },
}

impl Section {
    /// The section of `text` that `address` names.
    ///
    /// # Errors
    /// [`SectionError`], with the headings that there are.
    pub fn find(text: &str, address: &str) -> Result<Self, SectionError> {
        let headings = headings(text);
        let outline = Outline::of(&headings);
        let index = outline.find(address)?;
        let (heading, after) = outline.split(index).ok_or(SectionError::Unreadable)?;
        let end = after
            .iter()
            .find(|next| next.level <= heading.level)
            .map_or(text.len(), |next| next.range.start);
        Ok(Self {
            heading: heading.clone(),
            range: heading.range.start..end,
            body: heading.range.end..end,
        })
    }
}

/// The headings of a note, as a tree.
struct Outline<'a> {
    headings: &'a [Heading],
    /// For each heading, the one that its section lies in.
    above: Vec<Option<usize>>,
}

impl<'a> Outline<'a> {
    fn of(headings: &'a [Heading]) -> Self {
        let mut open: Vec<(usize, u8)> = Vec::new();
        let above = headings.iter().enumerate().map(|(index, heading)| {
            while open.pop_if(|(_, level)| *level >= heading.level).is_some() {}
            let above = open.last().map(|(index, _)| *index);
            open.push((index, heading.level));
            above
        });
        Self {
            above: above.collect(),
            headings,
        }
    }

    /// The position of the heading that `address` names.
    ///
    /// 1. The whole address is one heading's text: `C# and F#` is no path.
    /// 2. It is a path with `#` between its parts.
    /// 3. It is a path with ` > ` between them.
    ///
    /// Each exactly, and then all of them as Obsidian compares.
    fn find(&self, address: &str) -> Result<usize, SectionError> {
        let address = address.trim();
        let unmarked = address.trim_start_matches('#').trim();
        if unmarked.is_empty() || address.len() > MAX_ADDRESS {
            return Err(SectionError::Unreadable);
        }
        let readings = [
            vec![address],
            vec![unmarked],
            parts(unmarked, "#"),
            parts(unmarked, " > "),
        ];
        for is_same in [exactly as Comparison, as_obsidian] {
            for reading in &readings {
                let found: Vec<usize> = (0..self.headings.len())
                    .filter(|index| self.is_at(*index, reading, is_same))
                    .collect();
                match found.as_slice() {
                    [] => {}
                    [index] => return Ok(*index),
                    several => {
                        return Err(SectionError::Ambiguous {
                            candidates: several.iter().map(|index| self.name(*index)).collect(),
                        });
                    }
                }
            }
        }
        Err(SectionError::NotFound {
            existing: self.headings.iter().map(named).collect(),
        })
    }

    /// Whether the heading at `index` is what a path leads to: its text is the path's last part, and
    /// the parts before are among the headings above it, in their order.
    fn is_at(&self, index: usize, path: &[&str], is_same: Comparison) -> bool {
        let mut above = self.upwards(index);
        path.iter().rev().enumerate().all(|(depth, part)| {
            let is_part = |heading: &Heading| is_same(&heading.text, part);
            if depth == 0 {
                above.next().is_some_and(is_part)
            } else {
                above.any(is_part)
            }
        })
    }

    /// The heading at `index`, then the one that its section lies in, and so on.
    fn upwards(&self, index: usize) -> impl Iterator<Item = &'a Heading> + '_ {
        let above = |at: &usize| self.above.get(*at).copied().flatten();
        std::iter::successors(Some(index), above).filter_map(|at| self.headings.get(at))
    }

    /// The heading at `index` by all the headings above it.
    fn name(&self, index: usize) -> SectionName {
        let mut path: Vec<&str> = self.upwards(index).map(|each| each.text.as_str()).collect();
        path.reverse();
        SectionName {
            address: path.join("#"),
            line: self.headings.get(index).map_or(0, |heading| heading.line),
        }
    }

    fn split(&self, index: usize) -> Option<(&'a Heading, &'a [Heading])> {
        self.headings.get(index..)?.split_first()
    }
}

/// Whether a heading's text is what a part of an address means.
type Comparison = fn(&str, &str) -> bool;

fn exactly(heading: &str, part: &str) -> bool {
    heading == part
}

fn as_obsidian(heading: &str, part: &str) -> bool {
    let part = comparable(part);
    // What compares by nothing at all names no heading.
    !part.is_empty() && comparable(heading) == part
}

fn named(heading: &Heading) -> SectionName {
    SectionName {
        address: heading.text.clone(),
        line: heading.line,
    }
}

/// The parts of a path that hold any text.
fn parts<'a>(path: &'a str, divider: &str) -> Vec<&'a str> {
    let parts = path.split(divider).map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// What Obsidian compares of a heading or of a link to one.
fn comparable(text: &str) -> String {
    let kept = text.replace(|c: char| IGNORED.contains(c), " ");
    let words: Vec<&str> = kept.split_whitespace().collect();
    fold(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{Section, SectionError};

    const NOTE: &str = "\u{feff}---\r\n# no: heading\r\n---\r\nintro\r\n# Projects\r\n## Boat\r\nsail\r\n```\r\n## Boat\r\n```\r\n### Plans\r\nsoon\r\n## Garden\r\n### Plans\r\nlater\r\n\r\nTail *end*\r\n---\r\nlast\r\n# C# and F#\r\n# boat\r\nlower";

    /// The bytes of a section, and those of its body.
    fn section(address: &str) -> Result<(&'static str, &'static str), SectionError> {
        let found = Section::find(NOTE, address)?;
        Ok((&NOTE[found.range], &NOTE[found.body]))
    }

    fn lines(found: Result<(&str, &str), SectionError>) -> Vec<(String, usize)> {
        let names = match found.unwrap_err() {
            SectionError::NotFound { existing } => existing,
            SectionError::Ambiguous { candidates } => candidates,
            SectionError::Unreadable => Vec::new(),
        };
        names.into_iter().map(|n| (n.address, n.line)).collect()
    }

    #[test]
    fn a_section_goes_on_to_the_next_heading_of_its_level() {
        let boat = "## Boat\r\nsail\r\n```\r\n## Boat\r\n```\r\n### Plans\r\nsoon\r\n";
        assert_eq!(
            section("Boat"),
            Ok((
                boat,
                "sail\r\n```\r\n## Boat\r\n```\r\n### Plans\r\nsoon\r\n"
            ))
        );
        assert_eq!(
            section("Tail *end*"),
            Ok(("Tail *end*\r\n---\r\nlast\r\n", "last\r\n")),
            "underlined"
        );
        assert_eq!(
            section("boat"),
            Ok(("# boat\r\nlower", "lower")),
            "the last"
        );
        assert_eq!(
            section("C# and F#"),
            Ok(("# C# and F#\r\n", "")),
            "nothing in it"
        );
    }

    #[test]
    fn headings_above_tell_sections_of_one_name_apart() {
        let soon = Ok(("### Plans\r\nsoon\r\n", "soon\r\n"));
        let later = Ok(("### Plans\r\nlater\r\n\r\n", "later\r\n\r\n"));
        for (address, found) in [
            ("Boat#Plans", &soon),
            ("#Projects#Boat#Plans", &soon),
            ("Projects > Boat > Plans", &soon),
            ("Garden # Plans", &later),
            ("projects#garden#plans", &later),
        ] {
            assert_eq!(&section(address), found, "{address}");
        }
        assert_eq!(
            lines(section("Plans")),
            [
                ("Projects#Boat#Plans".to_owned(), 11),
                ("Projects#Garden#Plans".to_owned(), 14),
            ]
        );
        assert!(matches!(
            section("Projects#Plans"),
            Err(SectionError::Ambiguous { .. })
        ));
        // Above, not below or beside.
        assert!(section("Plans#Boat").is_err());
        assert!(section("Boat#Garden").is_err());
    }

    /// As models write it, who see the line.
    #[test]
    fn marks_before_a_heading_are_not_part_of_it() {
        assert_eq!(section("## Garden"), section("Garden"));
        assert_eq!(section(" # C# and F# "), section("C# and F#"));
    }

    #[test]
    fn what_obsidian_overlooks_in_a_link_is_overlooked() {
        for address in ["tail end", "TAIL *END*", "tail   [end]", "Tail: end!"] {
            let start = "Tail *end*";
            assert!(
                section(address).is_ok_and(|s| s.0.starts_with(start)),
                "{address}"
            );
        }
        // Exactly so comes first: both `Boat` and `boat` can be had.
        assert!(section("BOAT").is_err());
    }

    #[test]
    fn what_is_not_there_is_answered_with_what_is() {
        let there = lines(section("Bout"));
        assert_eq!(there.len(), 8);
        assert_eq!(there[0], ("Projects".to_owned(), 5));
        assert_eq!(there[7], ("boat".to_owned(), 21));
        for address in ["", " ", "##", "# no: heading", "intro", "***"] {
            assert!(section(address).is_err(), "{address:?}");
        }
        assert_eq!(section(&"x".repeat(5_000)), Err(SectionError::Unreadable));
        assert_eq!(
            Section::find("no headings", "x"),
            Err(SectionError::NotFound {
                existing: Vec::new()
            })
        );
    }
}
