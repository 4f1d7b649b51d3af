//! What must never show: dot folders at any depth, in any letter case, and in disguise.

use crate::seed::SeedFile;

/// A word that occurs in every hidden file and nowhere else in the sample vault. An answer that holds
/// it has leaked.
pub const HIDDEN_MARKER: &str = "underkeelwhisper";

/// Settings, plug-ins, deleted notes, agent folders, and a private folder within a visible one.
pub(super) fn files() -> Vec<SeedFile> {
    let note = |path: &str, text: &str| {
        SeedFile::regular(
            path,
            format!("# {HIDDEN_MARKER}\n\n{text} #{HIDDEN_MARKER}\n"),
        )
    };
    vec![
        SeedFile::regular(
            ".obsidian/app.json",
            format!("{{\"promptDelete\": false, \"note\": \"{HIDDEN_MARKER}\"}}\n"),
        ),
        note(
            ".obsidian/plugins/x.md",
            "A plug-in's own read-me. See [[Index]].",
        ),
        note(".trash/old.md", "A deleted note is not a note."),
        note(".github/copilot.md", "Instructions for another tool."),
        note(".claude/commands/tidy.md", "Instructions for an agent."),
        note(".scratch.md", "A note whose own name starts with a dot."),
        note(
            "Projects/.private/secret.md",
            "Hidden inside a folder that is listed.",
        ),
        note(
            "Archive/.Obsidian/Settings.md",
            "Letter case does not unhide a folder.",
        ),
        // HFS+ drops U+200C from names, so that there this folder is `.private`.
        note(
            "Archive/\u{200c}.private/disguised.md",
            "Nor does a character that nobody sees.",
        ),
    ]
}
