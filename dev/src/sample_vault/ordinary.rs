//! The files of `dev/vault/`, which are what they look like: safe names, LF, UTF-8.

use crate::seed::SeedFile;

/// `(path, bytes)` of each path given, read from `dev/vault/` when this crate is compiled.
macro_rules! vault_files {
    ($($path:literal,)*) => {
        &[$(($path, include_bytes!(concat!("../../vault/", $path)).as_slice()),)*]
    };
}

const FILES: &[(&str, &[u8])] = vault_files![
    "Archive/2019 Moving here.md",
    "Areas/Health.md",
    "Areas/Home.md",
    "Areas/Languages.md",
    "Areas/Money.md",
    "Attachments/tide-gauge.png",
    "Board.canvas",
    "Clippings/A helpful newsletter.md",
    "Daily/2026-11-23.md",
    "Daily/2026-11-24.md",
    "Daily/2026-11-25.md",
    "Daily/2026-11-26.md",
    "Daily/2026-11-27.md",
    "Inbox.md",
    "Index.md",
    "Languages/Ελληνικά.md",
    "Languages/Русский.md",
    "Languages/العربية.md",
    "Languages/हिन्दी.md",
    "Languages/ภาษาไทย.md",
    "Languages/ភាសាខ្មែរ.md",
    "Languages/中文笔记.md",
    "Languages/日本語.md",
    "Languages/한국어.md",
    "Meetings/2026-11-18 Harbour committee.md",
    "People/Ines Okafor.md",
    "People/Tomasz Wren.md",
    "People/ليلى.md",
    "People/김하늘.md",
    "Projects/Boat refit/Boat refit.md",
    "Projects/Boat refit/Engine.md",
    "Projects/Boat refit/Shopping list.md",
    "Projects/Garden plan 2027.md",
    "Projects/Repair café.md",
    "Projects/Weather station.md",
    "Reading/A quiet room.md",
    "Reading/Reading list.md",
    "Reading/The Salt Almanac.md",
    "Reading/Tides and Clocks.md",
    "Recipes/Soda bread.md",
    "Recipes/Φασολάδα.md",
    "Recipes/味噌汁.md",
    "Reference/Markdown tour.md",
    "Templates/Book.md",
    "Templates/Daily note.md",
];

/// One row for each file of the folder; a test compares the two.
pub(super) fn files() -> Vec<SeedFile> {
    FILES
        .iter()
        .map(|&(path, bytes)| SeedFile::regular(path, bytes))
        .collect()
}
