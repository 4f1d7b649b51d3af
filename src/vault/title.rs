//! What a note is called.

use super::{
    markdown::{frontmatter, headings},
    path::VaultPath,
};

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
    from_frontmatter(text)
        .or_else(|| first_heading(text))
        .unwrap_or_else(|| of_file_name(path).to_owned())
}

fn first_heading(text: &str) -> Option<String> {
    let first = headings(text)
        .into_iter()
        .find(|h| h.level == 1 && !h.text.is_empty());
    first.map(|heading| heading.text)
}

/// The value of a top-level `title:` on one line.
fn from_frontmatter(text: &str) -> Option<String> {
    let parts = frontmatter::split(text);
    let value = parts
        .properties()
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
            ("Two\nlines\n===\n", "Two lines"),
            ("#tag\n# Out\n", "Out"),
            ("---\nno: end\n# Out\n", "Out"),
            ("# \n# Second\n", "Second"),
        ] {
            assert_eq!(title(text), expected, "{text:?}");
        }
    }

    #[test]
    fn without_either_the_file_name_is_the_title() {
        for text in ["", "text", "## Two", "#tag", "---\ntitle: no end\n"] {
            assert_eq!(title(text), "File name", "{text:?}");
        }
    }
}
