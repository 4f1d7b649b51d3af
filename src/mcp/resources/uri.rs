//! How a note is called as a resource: `vault://note/{path}`.
//!
//! The path is percent-encoded (RFC 3986 section 2.1). A slash between folders may stand as it is or
//! encoded: clients that expand the template send `%2F` (RFC 6570 section 3.2.2), and no name holds a
//! slash. A path is decoded once and never normalized: what it then says, the vault judges.

use crate::{percent, vault::path::VaultPath};

/// The template of all notes (RFC 6570), whose only variable is a note's path.
pub(crate) const TEMPLATE: &str = "vault://note/{path}";

/// Scheme and authority; both are compared without regard to letter case (RFC 3986 section 6.2.2.1).
const PREFIX: &str = "vault://note/";

/// The URI of the note at `path`.
pub(crate) fn of(path: &VaultPath) -> String {
    format!("{PREFIX}{}", percent::encode_path(path.as_str()))
}

/// The path that a URI names, not judged yet. `None` for the URI of anything but a note: another
/// scheme or authority, a query, a fragment, or an escape that encodes no text.
pub(crate) fn path(uri: &str) -> Option<String> {
    let (prefix, encoded) = uri.split_at_checked(PREFIX.len())?;
    if !prefix.eq_ignore_ascii_case(PREFIX) || encoded.contains(['?', '#']) {
        return None;
    }
    percent::decode(encoded)
}

#[cfg(test)]
mod tests {
    use super::{of, path};
    use crate::vault::path::VaultPath;

    #[test]
    fn a_path_is_encoded_once_segment_by_segment() {
        for (path, uri) in [
            ("Projects/Boat.md", "vault://note/Projects/Boat.md"),
            ("My Notes/a+b.md", "vault://note/My%20Notes/a%2Bb.md"),
            ("What is this?.md", "vault://note/What%20is%20this%3F.md"),
            ("C# notes.md", "vault://note/C%23%20notes.md"),
            ("100%25.md", "vault://note/100%2525.md"),
            ("50% plan.md", "vault://note/50%25%20plan.md"),
            ("a:b@c,d;e=f.md", "vault://note/a%3Ab%40c%2Cd%3Be%3Df.md"),
            ("é.md", "vault://note/%C3%A9.md"),
            ("e\u{301}.md", "vault://note/e%CC%81.md"),
            ("~-_..md", "vault://note/~-_..md"),
        ] {
            assert_eq!(of(&VaultPath::parse(path).unwrap()), uri);
            assert_eq!(super::path(uri).as_deref(), Some(path));
        }
    }

    #[test]
    fn what_other_clients_write_for_the_same_note_is_read() {
        for uri in [
            "vault://note/My%20Notes/Caf%C3%A9.md",
            "vault://note/My%20Notes%2FCaf%C3%A9.md",
            "vault://note/My%20Notes%2fCaf%c3%a9.md",
            "vault://note/My Notes/Café.md",
            "VAULT://Note/My%20Notes/Caf%C3%A9.md",
            "vault://note/%4Dy%20Notes/Caf%C3%A9%2Emd",
        ] {
            assert_eq!(path(uri).as_deref(), Some("My Notes/Café.md"), "{uri}");
        }
    }

    #[test]
    fn other_uris_are_no_notes() {
        for uri in [
            "",
            "vault",
            "vault:note/a.md",
            "vault:/note/a.md",
            "vault:///note/a.md",
            "vault://note",
            "vault://notes/a.md",
            "vault://note.example/a.md",
            "vault://user@note/a.md",
            "vault://note:1/a.md",
            "file:///a.md",
            "https://note/a.md",
            " vault://note/a.md",
            "vault://note/a.md?b",
            "vault://note/a.md#b",
            "vault://note/50%.md",
            "vault://note/a%2.md",
            "vault://note/%ff.md",
            "vault://notÉ/a.md",
        ] {
            assert_eq!(path(uri), None, "{uri}");
        }
        // Named like a note, and judged as one later on: nothing is resolved on the way.
        for (uri, named) in [
            ("vault://note/", ""),
            ("vault://note/../a.md", "../a.md"),
            ("vault://note/%2e%2e/a.md", "../a.md"),
            ("vault://note/%252e%252e/a.md", "%2e%2e/a.md"),
            ("vault://note//a.md", "/a.md"),
            ("vault://note/a%00.md", "a\0.md"),
        ] {
            assert_eq!(path(uri).as_deref(), Some(named), "{uri}");
        }
    }
}
