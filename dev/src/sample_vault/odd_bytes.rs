//! Notes whose bytes an editor, or git's line-end conversion, would not leave alone.

use crate::seed::SeedFile;

const BYTE_ORDER_MARK: &str = "\u{feff}";

const WITH_PROPERTIES: &str = "---
title: \"Line ends\"
time: 12:30
date: 2026-01-02
tags:
  - bytes/crlf
  - 'quoted'
aliases: [CR and LF]
---

# Line ends

Change one word of this sentence and nothing else may change.

## List

- one
- two
";

/// One note for each way in which bytes surprise.
pub(super) fn files() -> Vec<SeedFile> {
    let crlf = WITH_PROPERTIES.replace('\n', "\r\n");
    let utf16 = "\u{feff}# Saved as \"Unicode\"\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes);
    let note = |name: &str, bytes: Vec<u8>| SeedFile::regular(format!("Odd bytes/{name}"), bytes);
    let text = |name: &str, text: &str| note(name, text.as_bytes().to_vec());
    vec![
        text("Windows line ends.md", &crlf),
        text(
            "Byte order mark.md",
            &format!("{BYTE_ORDER_MARK}{WITH_PROPERTIES}"),
        ),
        text(
            "Byte order mark and CRLF.md",
            &format!("{BYTE_ORDER_MARK}{crlf}"),
        ),
        text("Byte order mark only.md", BYTE_ORDER_MARK),
        text(
            "Mixed line ends.md",
            "# Mixed\n\nunix\nwindows\r\nold mac\rend\r\n\r\n",
        ),
        text("Empty.md", ""),
        text("Only newlines.md", "\n\n\n"),
        text("No final newline.md", "line"),
        text("Only properties.md", "---\ntags: [bytes]\n---"),
        text(
            "Unclosed properties.md",
            "---\ntags: [bytes]\n\nThe second fence never comes.\n",
        ),
        text(
            "Late properties.md",
            "\n---\ntags: [not-properties]\n---\n\nThe first line is empty.\n",
        ),
        text(
            "Trailing spaces.md",
            "# Trailing spaces\t \n\ntwo spaces  \nbreak a line\t\n\n\n",
        ),
        // The composed query finds the decomposed text and the other way round; both keep their bytes.
        text(
            "Two ways to write it.md",
            "composed: crème brûlée\ndecomposed: cre\u{300}me bru\u{302}le\u{301}e\n",
        ),
        text(
            "Invisible characters.md",
            "soft\u{ad}hyphen, zero\u{200b}width, no\u{a0}break, \u{202e}override\u{202c}, form\u{c}feed\n",
        ),
        // SQLite's `length` stops at the first NUL; the note does not.
        text("NUL.md", "before the nul\0after the nul: barnacle\n"),
        note(
            "Latin-1.md",
            b"# Caf\xe9 \xe0 la carte\n\nna\xefve, 20 \xb0C\n".to_vec(),
        ),
        note("UTF-16.md", utf16.collect()),
        note(
            "Cut in the middle.md",
            "The last character is half a kanji: 灯"
                .bytes()
                .take(38)
                .collect(),
        ),
    ]
}
