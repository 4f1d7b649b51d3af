//! The block of properties at a note's start.

/// A note's text, taken apart. The parts put together are the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    /// A byte order mark, where there is one.
    pub mark: &'a str,
    /// The frontmatter with the lines that open and close it; empty where there is none.
    pub frontmatter: &'a str,
    /// Everything after it.
    pub body: &'a str,
}

/// Takes a note apart. Frontmatter opens with `---` as the very first line (a byte order mark may
/// stand before it) and closes with the next line `---`; white space after the dashes is
/// overlooked. Without a closing line there is no frontmatter.
#[must_use]
pub fn split(text: &str) -> Parts<'_> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mark, rest) = text.split_at(text.len() - rest.len());
    let end = closing_end(rest).unwrap_or(0);
    let (frontmatter, body) = rest.split_at_checked(end).unwrap_or(("", rest));
    Parts {
        mark,
        frontmatter,
        body,
    }
}

impl<'a> Parts<'a> {
    /// What stands between the line that opens the frontmatter and the one that closes it.
    #[must_use]
    pub fn block(&self) -> &'a str {
        let mut lines = self.frontmatter.split_inclusive('\n');
        let first = lines.next().map_or(0, str::len);
        let last = lines.next_back().map_or(0, str::len);
        let end = self.frontmatter.len() - last;
        self.frontmatter.get(first..end).unwrap_or_default()
    }

    /// How many lines stand before the body.
    #[must_use]
    pub fn lines_before_body(&self) -> usize {
        self.frontmatter.matches('\n').count()
    }
}

/// Where the closing line ends, its line end included.
fn closing_end(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_dashes(line))?;
    let mut end = first.len();
    for line in lines {
        end += line.len();
        if is_dashes(line) {
            return Some(end);
        }
    }
    None
}

fn is_dashes(line: &str) -> bool {
    line.trim_end() == "---"
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_parts_are_the_text() {
        for (text, frontmatter, body) in [
            ("", "", ""),
            ("a\n", "", "a\n"),
            ("---\na: 1\n---\nbody", "---\na: 1\n---\n", "body"),
            (
                "\u{feff}---\r\na: 1\r\n--- \r\nbody",
                "---\r\na: 1\r\n--- \r\n",
                "body",
            ),
            ("---\n---", "---\n---", ""),
            ("---\nno end\n", "", "---\nno end\n"),
            ("\n---\na: 1\n---\n", "", "\n---\na: 1\n---\n"),
            ("----\na: 1\n---\n", "", "----\na: 1\n---\n"),
            ("---", "", "---"),
        ] {
            let parts = split(text);
            assert_eq!(
                (parts.frontmatter, parts.body),
                (frontmatter, body),
                "{text:?}"
            );
            assert_eq!([parts.mark, parts.frontmatter, parts.body].concat(), text);
        }
    }

    #[test]
    fn the_block_is_what_stands_between() {
        let parts = split("---\r\na: 1\r\n\r\nb: 2\r\n---\r\nc: 3\r\n");
        assert_eq!(parts.block(), "a: 1\r\n\r\nb: 2\r\n");
        assert_eq!(parts.lines_before_body(), 5);
        for text in ["a: 1", "---\n---\n", "---\n---"] {
            assert_eq!(split(text).block(), "", "{text:?}");
        }
    }
}
