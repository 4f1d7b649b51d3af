//! The headings of a note, as CommonMark 0.31 and Obsidian read them.

use std::ops::Range;

use super::{frontmatter, html::HtmlBlock};

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The line it starts on, counted from 1 in the whole note.
    pub line: usize,
    /// Its level, from 1 to 6.
    pub level: u8,
    /// Its text without marks around it; inline markup is left as it is. May be empty.
    pub text: String,
    /// The bytes of its lines in the whole note, their line ends included.
    pub range: Range<usize>,
}

/// The headings of a note from top to bottom: `# …` (ATX) and underlined (setext), outside of
/// frontmatter, fenced and indented code and HTML. Headings inside quotes and lists belong to those
/// and do not divide the note.
#[must_use]
pub fn headings(text: &str) -> Vec<Heading> {
    let parts = frontmatter::split(text);
    let mut scanner = Scanner {
        number: parts.lines_before_body(),
        end: text.len() - parts.body.len(),
        ..Scanner::default()
    };
    for line in parts.body.split_inclusive('\n') {
        scanner.take(line);
    }
    scanner.found
}

/// What the lines so far mean for the next one.
#[derive(Default)]
struct Scanner {
    found: Vec<Heading>,
    /// How many lines there were so far, and how many bytes, in the whole note.
    number: usize,
    end: usize,
    fence: Option<Fence>,
    html: Option<HtmlBlock>,
    paragraph: Option<Paragraph>,
}

/// An open code fence.
struct Fence {
    mark: char,
    length: usize,
}

/// The paragraph that the last line belongs to.
struct Paragraph {
    /// The line it starts on.
    line: usize,
    /// Where it starts.
    start: usize,
    text: String,
}

impl Scanner {
    /// Takes the next line, with its line end.
    fn take(&mut self, line: &str) {
        let start = self.end;
        self.number += 1;
        self.end += line.len();
        let inner = line.trim_start_matches(' ');
        let content = inner.trim();
        let indented =
            !content.is_empty() && (line.len() - inner.len() > 3 || inner.starts_with('\t'));
        if let Some(fence) = &self.fence {
            if !indented && fence.is_closed_by(content) {
                self.fence = None;
            }
            return;
        }
        if let Some(html) = &self.html {
            if html.ends_with(content) {
                self.html = None;
            }
            return;
        }
        if indented {
            // Code, or a lazy line of the paragraph above; no heading either way.
            if let Some(paragraph) = &mut self.paragraph {
                append(&mut paragraph.text, content);
            }
            return;
        }
        if let Some(fence) = Fence::opened_by(content) {
            self.fence = Some(fence);
            self.paragraph = None;
        } else if let Some(html) = HtmlBlock::opened_by(content, self.paragraph.is_some()) {
            self.html = Some(html).filter(|html| !html.ends_with(content));
            self.paragraph = None;
        } else if let Some((level, text)) = atx(content) {
            self.paragraph = None;
            self.push((self.number, start), level, text.to_owned());
        } else if let Some(level) = underline(content) {
            if let Some(above) = self.paragraph.take() {
                self.push((above.line, above.start), level, above.text);
            }
        } else if content.is_empty() || opens_another_block(content) {
            self.paragraph = None;
        } else {
            match &mut self.paragraph {
                Some(paragraph) => append(&mut paragraph.text, content),
                None => {
                    self.paragraph = Some(Paragraph {
                        line: self.number,
                        start,
                        text: content.to_owned(),
                    });
                }
            }
        }
    }

    /// Takes in a heading that ends with the last line.
    fn push(&mut self, (line, start): (usize, usize), level: u8, text: String) {
        self.found.push(Heading {
            line,
            level,
            text,
            range: start..self.end,
        });
    }
}

fn append(text: &mut String, line: &str) {
    text.push(' ');
    text.push_str(line);
}

impl Fence {
    /// Three or more backticks or tildes; after backticks, no further one on the line (section 4.5).
    fn opened_by(line: &str) -> Option<Self> {
        let mark = line
            .chars()
            .next()
            .filter(|mark| matches!(mark, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        (length >= 3 && (mark == '~' || !info.contains('`'))).then_some(Self { mark, length })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        line.len() >= self.length && line.chars().all(|character| character == self.mark)
    }
}

/// `## Text ##` (section 4.2). Obsidian, like CommonMark, wants white space after the marks:
/// `#tag` is none.
fn atx(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_start_matches('#');
    let level = u8::try_from(line.len() - text.len())
        .ok()
        .filter(|level| (1..=6).contains(level))?;
    if !text.is_empty() && !text.starts_with([' ', '\t']) {
        return None;
    }
    let text = text.trim();
    let open = text.trim_end_matches('#');
    let is_closing = open.is_empty() || open.ends_with([' ', '\t']);
    Some((level, if is_closing { open.trim_end() } else { text }))
}

/// A line of `=` or `-` (section 4.3).
fn underline(line: &str) -> Option<u8> {
    match line.chars().next()? {
        '=' if line.chars().all(|character| character == '=') => Some(1),
        '-' if line.chars().all(|character| character == '-') => Some(2),
        _ => None,
    }
}

/// Whether a line ends the paragraph above it by beginning a quote, a list item, a table row or a
/// rule.
fn opens_another_block(line: &str) -> bool {
    let first_word = line.split([' ', '\t']).next().unwrap_or_default();
    let is_number = first_word.strip_suffix(['.', ')']).is_some_and(|number| {
        !number.is_empty() && number.len() <= 9 && number.bytes().all(|b| b.is_ascii_digit())
    });
    let is_rule = |mark| {
        let marks = line.chars().filter(|character| *character == mark).count();
        marks >= 3
            && line
                .chars()
                .all(|character| character == mark || character == ' ')
    };
    line.starts_with(['>', '|'])
        || matches!(first_word, "-" | "*" | "+")
        || is_number
        || ['-', '*', '_'].into_iter().any(is_rule)
}

#[cfg(test)]
mod tests {
    use super::headings;

    fn found(text: &str) -> Vec<(usize, u8, String)> {
        headings(text)
            .into_iter()
            .map(|h| (h.line, h.level, h.text))
            .collect()
    }

    fn one(text: &str) -> Option<String> {
        let mut all = found(text);
        assert!(all.len() <= 1, "{text:?}: {all:?}");
        all.pop().map(|(_, level, text)| format!("{level} {text}"))
    }

    #[test]
    fn hashes_with_white_space_after_them() {
        for (text, heading) in [
            ("# One", "1 One"),
            ("###### Six", "6 Six"),
            ("   # Indented", "1 Indented"),
            ("#\tTab", "1 Tab"),
            ("# Closed #", "1 Closed"),
            ("## Closed ####  ", "2 Closed"),
            ("# C#", "1 C#"),
            ("# **Bold** [[link]]", "1 **Bold** [[link]]"),
            ("#", "1 "),
            ("# #", "1 "),
            ("## 日本語\r", "2 日本語"),
        ] {
            assert_eq!(one(text).as_deref(), Some(heading), "{text:?}");
        }
        for text in [
            "#tag",
            "####### Seven",
            "    # Code",
            "\t# Code",
            "a # b",
            "> # Quote",
            "- # Item",
        ] {
            assert_eq!(one(text), None, "{text:?}");
        }
    }

    #[test]
    fn underlines_make_a_heading_of_the_paragraph_above() {
        for (text, heading) in [
            ("Title\n===", "1 Title"),
            ("Title\n-", "2 Title"),
            ("Two\nlines\n---", "2 Two lines"),
            ("Title\n   ====   ", "1 Title"),
        ] {
            assert_eq!(one(text).as_deref(), Some(heading), "{text:?}");
        }
        for text in [
            "===",
            "\n---",
            "a\n\n---",
            "a\n      \n---",
            "- item\n---",
            "> quote\n---",
            "1. item\n===",
            "| a |\n---",
        ] {
            assert_eq!(one(text), None, "{text:?}");
        }
    }

    #[test]
    fn code_and_frontmatter_hold_no_headings() {
        let text = "---\n# comment\ntitle: x\n---\n```md\n# in code\n``\n```\n# Out\n~~~\n```\n# in\n~~~~\n## End\n";
        assert_eq!(
            found(text),
            [(9, 1, "Out".to_owned()), (14, 2, "End".to_owned())]
        );
        assert_eq!(found("```\n# never closed\n"), []);
        assert_eq!(found("``` a`b\n# Out\n"), [(2, 1, "Out".to_owned())]);
    }

    #[test]
    fn html_holds_no_headings() {
        for text in [
            "<!-- a\n\n# in\n-->\n# Out",
            "<!-- a --> # in\n# Out",
            "<div>\n# in\n\n# Out",
            "text\n</DIV >\n# in\n\n# Out",
            "<pre>\n\n# in\n</pre>\n# Out",
            "<style type=x>\n\n# in\n</script> # in\n# Out",
            "<?php\n# in\n?>\n# Out",
            "<!DOCTYPE\n# in\n>\n# Out",
            "<![CDATA[\n# in\n]]>\n# Out",
            "<my-tag a=\"b\">\n# in\n\n# Out",
            // No blocks: a tag with text beside it, in a paragraph, an address.
            "<b>x</b>\n# Out",
            "text\n<my-tag>\n# Out",
            "<https://x.example>\n# Out",
            "<3\n# Out",
            "<details open\n\n# Out",
        ] {
            assert_eq!(one(text).as_deref(), Some("1 Out"), "{text:?}");
        }
        assert_eq!(one("<b>x</b>\n===").as_deref(), Some("1 <b>x</b>"));
        assert_eq!(one("<!-- never closed\n\n# in"), None);
    }

    /// The bytes of a heading are its lines, whatever stands before them.
    #[test]
    fn a_heading_knows_its_bytes() {
        let text =
            "\u{feff}---\r\na: 1\r\n---\r\nx\r\n\r\n  ## A ##  \r\nTwo\r\nlines\r\n===\r\n# B";
        let found = headings(text);
        let lines: Vec<_> = found.iter().map(|h| &text[h.range.clone()]).collect();
        assert_eq!(lines, ["  ## A ##  \r\n", "Two\r\nlines\r\n===\r\n", "# B"]);
    }

    #[test]
    fn lines_are_counted_in_the_whole_note() {
        let text = "\u{feff}---\r\na: 1\r\n---\r\n\r\n# A\r\ntext\r\nB\r\n===\r\n";
        assert_eq!(
            found(text),
            [(5, 1, "A".to_owned()), (6, 1, "text B".to_owned())]
        );
    }
}
