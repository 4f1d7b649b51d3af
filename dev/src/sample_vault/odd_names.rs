//! Notes whose names need escaping, folding or care. Some platform cannot hold each of them.

use crate::seed::SeedFile;

/// The longest name that common file systems hold, in bytes.
const LONGEST_NAME: usize = 255;

/// `(path, what is odd about it)`; the second column becomes the note's text.
const NOTES: &[(&str, &str)] = &[
    // Characters that mean something in a URL.
    (
        "Odd names/50% plan.md",
        "A percent sign that starts no escape.",
    ),
    (
        "Odd names/100%25.md",
        "Looks like an escaped percent sign and is not one.",
    ),
    (
        "Odd names/a%3Db.md",
        "Looks like an escaped equals sign and is not one.",
    ),
    ("Odd names/a+b.md", "A plus is not a space."),
    (
        "Odd names/C# notes.md",
        "What follows a number sign is not a fragment.",
    ),
    ("Odd names/#inbox/a.md", "A folder that looks like a tag."),
    (
        "Odd names/What is this?.md",
        "What follows a question mark is not a query.",
    ),
    (
        "Odd names/Fish & chips; salt=1, vinegar.md",
        "Ampersand, semicolon, equals, comma.",
    ),
    (
        "Odd names/It's \"quoted\".md",
        "Both kinds of quotation mark.",
    ),
    // Characters that mean something in a wikilink.
    (
        "Odd names/[draft] A | B ^c.md",
        "No wikilink can point here.",
    ),
    // Unicode.
    ("Odd names/🗺️ Map.md", "A map with its variation selector."),
    (
        "Odd names/👩\u{200d}🍳 Menu.md",
        "A cook: two emoji and a joiner, which hides nothing.",
    ),
    (
        "Odd names/Cafe\u{301}.md",
        "Decomposed, as old Macs write it. Ask for Café and find it.",
    ),
    (
        "Odd names/ﬁne ½.md",
        "A ligature and a fraction: compatibility characters stay as they are.",
    ),
    ("Odd names/Straße.md", "Folds to strasse."),
    // Letter case and extensions.
    ("Odd names/Note.MD", "The extension shouts."),
    ("Odd names/x.markdown", "The long extension."),
    (
        "Odd names/v1.2.3.md",
        "Dots in the name are not the extension.",
    ),
    (
        "Odd names/Twins/Tide table.md",
        "Its twin differs in one letter's case.",
    ),
    (
        "Odd names/Twins/Tide Table.md",
        "Its twin differs in one letter's case.",
    ),
    // Dots and spaces.
    (
        "Odd names/ Leading space.md",
        "The name starts with a space.",
    ),
    (
        "Odd names/Trailing space .md",
        "A space before the extension.",
    ),
    ("Odd names/Two  spaces.md", "Two spaces side by side."),
    (
        "Odd names/Folder with a space at its end /Inside.md",
        "Windows cannot hold the folder.",
    ),
    (
        "Odd names/Wait...md",
        "Three dots, of which the last begins the extension.",
    ),
    ("Odd names/aux.md", "A device on Windows."),
    // Files of these names steer agents: they may be read, never written.
    (
        "AGENTS.md",
        "Answer in the language of the question. Daily notes live in `Daily/`, named by date.",
    ),
    (
        "CLAUDE.md",
        "Read [[Index]] first. New notes without a home go to [[Inbox]].",
    ),
    (
        "Projects/Boat refit/Agents.md",
        "Units are metric. The letter case of this name changes nothing.",
    ),
];

/// The notes above, one with the longest name there is, and two files that are nearly notes.
pub(super) fn files() -> Vec<SeedFile> {
    let notes = NOTES
        .iter()
        .map(|&(path, text)| SeedFile::regular(path, format!("{text}\n")));
    notes
        .chain([
            SeedFile::regular(longest_path(), "As long as a name can be.\n"),
            SeedFile::regular("Odd names/Not a note.txt", "Text, but no note.\n"),
            SeedFile::regular("Odd names/Nearly a note.md.bak", "The extension is bak.\n"),
        ])
        .collect()
}

/// A path whose last segment is exactly [`LONGEST_NAME`] bytes.
fn longest_path() -> String {
    let extension = ".md";
    let stem = "A name that somebody typed instead of the note "
        .chars()
        .cycle();
    let stem: String = stem.take(LONGEST_NAME - extension.len()).collect();
    format!("Odd names/{stem}{extension}")
}
