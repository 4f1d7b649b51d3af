//! What a note is called.

use super::path::VaultPath;

/// The file name without `.md` or `.markdown`.
#[must_use]
pub fn of_file_name(path: &VaultPath) -> &str {
    let name = path.file_name();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The title of a note: `title` of its frontmatter, else its first heading of level 1, else
/// [`of_file_name`].
///
/// Only a frontmatter title on one line counts: plain, or in single or double quotes. A title
/// without any text does not count.
#[must_use]
pub fn of_note(path: &VaultPath, text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (frontmatter, body) = split_frontmatter(text);
    from_frontmatter(frontmatter)
        .or_else(|| first_heading(body))
        .unwrap_or_else(|| of_file_name(path).to_owned())
}

/// The lines between a first line `---` and the next one, and what follows it. Without a closing
/// line there is no frontmatter.
fn split_frontmatter(text: &str) -> (&str, &str) {
    let Some((first, rest)) = text.split_once('\n') else {
        return ("", text);
    };
    if first.trim_end() != "---" {
        return ("", text);
    }
    let mut offset = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let body = rest.get(offset + line.len()..).unwrap_or_default();
            return (rest.get(..offset).unwrap_or_default(), body);
        }
        offset += line.len();
    }
    ("", text)
}

/// The value of a top-level `title:` on one line.
fn from_frontmatter(frontmatter: &str) -> Option<String> {
    let value = frontmatter
        .lines()
        .find_map(|line| line.strip_prefix("title:"))?;
    if !value.starts_with([' ', '\t']) {
        return None;
    }
    let value = value.trim();
    let title = match value.chars().next()? {
        '"' => double_quoted(value)?,
        '\'' => single_quoted(value)?,
        // Block scalars, flow collections, anchors, aliases, tags and directives are not plain.
        '|' | '>' | '[' | '{' | '&' | '*' | '!' | '%' | '@' | '`' | '#' => return None,
        _ => value
            .split_once(" #")
            .map_or(value, |(title, _)| title)
            .trim_end()
            .to_owned(),
    };
    Some(title).filter(|title| !title.trim().is_empty())
}

/// YAML 1.2.2, section 7.3.1; a text with an escape that is not a quote or a backslash is left
/// alone rather than misread.
fn double_quoted(value: &str) -> Option<String> {
    let mut title = String::new();
    let mut characters = value.strip_prefix('"')?.chars();
    loop {
        match characters.next()? {
            '"' => break,
            '\\' => title.push(
                characters
                    .next()
                    .filter(|next| matches!(next, '"' | '\\' | '/'))?,
            ),
            character => title.push(character),
        }
    }
    only_a_comment(characters.as_str()).then_some(title)
}

/// YAML 1.2.2, section 7.3.2: a quote inside is doubled.
fn single_quoted(value: &str) -> Option<String> {
    let mut title = String::new();
    let mut rest = value.strip_prefix('\'')?;
    loop {
        let (before, after) = rest.split_once('\'')?;
        title.push_str(before);
        let Some(more) = after.strip_prefix('\'') else {
            return only_a_comment(after).then_some(title);
        };
        title.push('\'');
        rest = more;
    }
}

/// Whether nothing but a comment follows a quoted value.
fn only_a_comment(rest: &str) -> bool {
    rest.trim().is_empty() || rest.trim_start().starts_with('#') && rest.starts_with([' ', '\t'])
}

/// The text of the first heading of level 1 outside code fences (`CommonMark` 0.31, sections 4.2,
/// 4.3 and 4.5).
fn first_heading(body: &str) -> Option<String> {
    let mut fence: Option<(char, usize)> = None;
    let mut above: Option<&str> = None;
    for line in body.lines() {
        let indented = line.len() - line.trim_start_matches(' ').len() > 3;
        let line = line.trim();
        if let Some((mark, length)) = fence {
            let run = line
                .chars()
                .take_while(|character| *character == mark)
                .count();
            if run >= length && run == line.chars().count() && !indented {
                fence = None;
            }
            continue;
        }
        if indented {
            above = None;
            continue;
        }
        if let Some(opened) = opens_fence(line) {
            fence = Some(opened);
            above = None;
            continue;
        }
        if let Some(heading) = atx_heading(line) {
            return Some(heading);
        }
        let underlines = !line.is_empty() && line.bytes().all(|byte| byte == b'=');
        if let Some(heading) = above.filter(|_| underlines) {
            return Some(heading.to_owned());
        }
        // A paragraph of several lines would be one heading; the last line alone is not a title.
        above = match above {
            None if is_paragraph(line) => Some(line),
            _ => None,
        };
    }
    None
}

/// Three or more backticks or tildes open a fence; backticks with another one after do not.
fn opens_fence(line: &str) -> Option<(char, usize)> {
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line
        .chars()
        .take_while(|character| *character == mark)
        .count();
    let info = line.trim_start_matches(mark);
    (length >= 3 && (mark == '~' || !info.contains('`'))).then_some((mark, length))
}

/// The text of `# Heading` and `# Heading #`.
fn atx_heading(line: &str) -> Option<String> {
    let text = line.strip_prefix('#')?;
    if !text.is_empty() && !text.starts_with([' ', '\t']) {
        return None;
    }
    let text = text.trim();
    let without_hashes = text.trim_end_matches('#');
    let closed = without_hashes.is_empty() || without_hashes.ends_with([' ', '\t']);
    let text = if closed {
        without_hashes.trim_end()
    } else {
        text
    };
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether a line can be the text above an underline: not blank, no quote, no list, no rule.
fn is_paragraph(line: &str) -> bool {
    !line.is_empty() && !line.starts_with(['>', '#', '-', '*', '+', '=', '<', '|'])
}

#[cfg(test)]
mod tests {
    use super::{of_file_name, of_note};
    use crate::vault::path::VaultPath;

    fn title(text: &str) -> String {
        of_note(&VaultPath::parse("Folder/File name.md").unwrap(), text)
    }

    #[test]
    fn the_file_name_loses_its_extension_only() {
        for (path, stem) in [
            ("a/b.md", "b"),
            ("v1.2.MARKDOWN", "v1.2"),
            ("2026-11-30.md", "2026-11-30"),
        ] {
            assert_eq!(of_file_name(&VaultPath::parse(path).unwrap()), stem);
        }
    }

    #[test]
    fn frontmatter_comes_first() {
        for (line, expected) in [
            ("title: Plain title", "Plain title"),
            ("title: A: B", "A: B"),
            ("title: \"Quoted: \\\"x\\\"\" # why", "Quoted: \"x\""),
            ("title: 'It''s'", "It's"),
            ("title: C# and F#", "C# and F#"),
            ("title: Plain # comment", "Plain"),
            ("title: 日本語", "日本語"),
        ] {
            let note = format!("---\ntags: [a]\n{line}\n---\n# Heading\n");
            assert_eq!(title(&note), expected, "{line}");
            let crlf = format!("\u{feff}{}", note.replace('\n', "\r\n"));
            assert_eq!(title(&crlf), expected, "{line} with CRLF and BOM");
        }
    }

    #[test]
    fn a_frontmatter_title_without_text_does_not_count() {
        for line in [
            "title:",
            "title: ''",
            "title: |",
            "  title: nested",
            "subtitle: x",
            "title: \"a\\n\"",
        ] {
            assert_eq!(
                title(&format!("---\n{line}\n---\n# Heading\n")),
                "Heading",
                "{line}"
            );
        }
    }

    #[test]
    fn the_first_heading_of_level_one_is_next() {
        for (text, expected) in [
            ("# One\n# Two\n", "One"),
            ("text\n\n## Not this\n\n# This #\n", "This"),
            ("# C#\n", "C#"),
            ("```\n# in a fence\n```\n# Out\n", "Out"),
            ("~~~~\n~~~\n# in\n~~~~\n# Out\n", "Out"),
            ("    # in code\n# Out\n", "Out"),
            ("Underlined\n=====\n", "Underlined"),
            ("#tag\n# Out\n", "Out"),
            ("---\nno: end\n# Out\n", "Out"),
            ("# \n# Second\n", "Second"),
        ] {
            assert_eq!(title(text), expected, "{text:?}");
        }
    }

    #[test]
    fn without_either_the_file_name_is_the_title() {
        for text in [
            "",
            "text",
            "## Two",
            "#tag",
            "---\ntitle: no end\n",
            "a\nb\n===\n",
        ] {
            assert_eq!(title(text), "File name", "{text:?}");
        }
    }
}
