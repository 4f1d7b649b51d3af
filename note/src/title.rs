//! What a note is called.

use super::{
    markdown::{Heading, Properties, headings},
    path::VaultPath,
};

/// The file name without `.md` or `.markdown`.
#[must_use]
pub fn of_file_name(path: &VaultPath) -> &str {
    let name = path.file_name();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The title of a note: `title` of its frontmatter, else its first heading of level 1, else
/// [`of_file_name`]. A title without any text does not count.
#[must_use]
pub fn of_note(path: &VaultPath, text: &str) -> String {
    from(path, &Properties::of(text), &headings(text))
}

/// The same, for whoever has read the note already.
pub(super) fn from(path: &VaultPath, properties: &Properties, headings: &[Heading]) -> String {
    let heading = headings
        .iter()
        .find(|heading| heading.level == 1 && !heading.text.is_empty());
    properties
        .title()
        .or_else(|| heading.map(|heading| heading.text.clone()))
        .unwrap_or_else(|| of_file_name(path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::{of_file_name, of_note};
    use crate::path::VaultPath;

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
            ("title: \"a\\n b\"", "a b"),
            ("title: |\n  two\n  lines", "two lines"),
            ("title: 1.10", "1.10"),
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
            "title: [a]",
            "other:\n  title: nested",
            "subtitle: x",
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
