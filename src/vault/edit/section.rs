//! Changing the text of one section. Its heading stays, and so do blank lines around its text.

use std::ops::Range;

use super::insert::{insert, splice};
use crate::vault::markdown::Section;

/// A text for a section begins with the section's own heading, which would then stand there twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("begins with the section's heading, which stays: give what stands below it")]
pub struct RepeatsHeading;

/// `text` with `content` at the end of a section, its deeper sections included: behind the last line
/// that is not blank. Joined as by [`append`](super::append).
#[must_use]
pub fn append_to(text: &str, section: &Section, content: &str) -> String {
    let at = filled(text, section).end;
    let following = text.get(at..).unwrap_or_default();
    let is_at_heading = at == section.range.end && !following.is_empty();
    // Right above an underlined heading, a paragraph would become a part of it.
    if is_at_heading && !following.trim_start_matches(' ').starts_with('#') && !content.is_empty() {
        let content = content.strip_suffix('\n').unwrap_or(content);
        return insert(text, at, &format!("{content}\n\n"));
    }
    insert(text, at, content)
}

/// `text` with `content` at the start of a section, right below its heading. Joined as by
/// [`prepend`](super::prepend).
#[must_use]
pub fn prepend_to(text: &str, section: &Section, content: &str) -> String {
    insert(text, section.body.start, content)
}

/// `text` with `content` in place of what a section says, its deeper sections included.
///
/// # Errors
/// [`RepeatsHeading`].
pub fn overwrite_in(
    text: &str,
    section: &Section,
    content: &str,
) -> Result<String, RepeatsHeading> {
    let heading = text
        .get(section.range.start..section.body.start)
        .unwrap_or_default();
    let first = |text: &str| {
        text.trim_start()
            .lines()
            .next()
            .map(|line| line.trim_end().to_owned())
    };
    if first(content).is_some() && first(content) == first(heading) {
        return Err(RepeatsHeading);
    }
    Ok(splice(text, filled(text, section), content))
}

/// The lines of a section's body from the first that is not blank to the last; of a blank body, none
/// at its start.
fn filled(text: &str, section: &Section) -> Range<usize> {
    let body = text.get(section.body.clone()).unwrap_or_default();
    let start = section.body.start;
    let mut filled: Option<Range<usize>> = None;
    let mut at = start;
    for line in body.split_inclusive('\n') {
        let end = at + line.len();
        if !line.trim().is_empty() {
            filled = Some(filled.map_or(at, |filled| filled.start)..end);
        }
        at = end;
    }
    filled.unwrap_or(start..start)
}

#[cfg(test)]
mod tests {
    use super::{RepeatsHeading, append_to, overwrite_in, prepend_to};
    use crate::vault::markdown::Section;

    const NOTE: &str = "# A\r\none\r\n\r\n## Sub\r\n\r\ntwo\r\n\r\n# B\r\n# C\r\n```\r\nx\r\n```\r\nUnder\r\n===\r\nlast";

    fn section(name: &str) -> Section {
        Section::find(NOTE, name).unwrap()
    }

    #[test]
    fn text_is_added_behind_the_last_line_of_a_section() {
        for (name, content, old, new) in [
            ("A", "new\nlines", "two\r\n", "two\r\nnew\r\nlines\r\n"),
            ("Sub", "new\n", "two\r\n", "two\r\nnew\r\n"),
            ("B", "new", "# B\r\n", "# B\r\nnew\r\n"),
            ("C", "new", "x\r\n```\r\n", "x\r\n```\r\nnew\r\n\r\n"),
            ("C", "new\n", "x\r\n```\r\n", "x\r\n```\r\nnew\r\n\r\n"),
            ("Under", "new", "last", "last\r\nnew"),
            ("A", "", "two", "two"),
        ] {
            let expected = NOTE.replace(old, new);
            assert_eq!(append_to(NOTE, &section(name), content), expected, "{name}");
        }
        // The note's sections are what they were.
        let appended = append_to(NOTE, &section("C"), "new");
        assert!(Section::find(&appended, "Under").is_ok());
    }

    #[test]
    fn text_is_added_right_below_a_heading() {
        for (name, old, new) in [
            ("A", "# A\r\n", "# A\r\nnew\r\n"),
            ("Sub", "## Sub\r\n", "## Sub\r\nnew\r\n"),
            ("B", "# B\r\n", "# B\r\nnew\r\n"),
            ("Under", "===\r\n", "===\r\nnew\r\n"),
        ] {
            let expected = NOTE.replace(old, new);
            assert_eq!(prepend_to(NOTE, &section(name), "new"), expected, "{name}");
        }
        let text = "# A";
        let section = Section::find(text, "A").unwrap();
        assert_eq!(prepend_to(text, &section, "new"), "# A\nnew");
    }

    #[test]
    fn a_sections_text_is_replaced_below_its_heading() {
        for (name, content, old, new) in [
            ("Sub", "2\n2b", "two\r\n", "2\r\n2b\r\n"),
            ("A", "all", "one\r\n\r\n## Sub\r\n\r\ntwo\r\n", "all\r\n"),
            ("B", "new\n", "# B\r\n", "# B\r\nnew\r\n"),
            ("Sub", "", "two\r\n", ""),
            ("Under", "new", "last", "new"),
            ("Under", "# Under\n", "last", "# Under\r\n"),
        ] {
            let expected = NOTE.replace(old, new);
            assert_eq!(
                overwrite_in(NOTE, &section(name), content),
                Ok(expected),
                "{name}"
            );
        }
        for content in ["## Sub\ntwo", "\n## Sub  \r\ntwo", "## Sub"] {
            assert_eq!(
                overwrite_in(NOTE, &section("Sub"), content),
                Err(RepeatsHeading)
            );
        }
    }
}
