//! How a change reads in the repository's history.

use super::{path::VaultPath, permit::Permit, storage::CommitInfo};

/// The longest first line of a message, in characters.
const MAX_SUBJECT: usize = 120;
/// The longest name of an author, in characters.
const MAX_NAME: usize = 100;
/// The longest e-mail address of an author, in characters (RFC 5321 section 4.5.3.1.3).
const MAX_EMAIL: usize = 254;
/// The longest name of a client in the trailer, in characters.
const MAX_CLIENT: usize = 64;

/// The person for whom changes are made, and the client through which.
///
/// Each part is one line: line breaks and control characters become spaces, and what git gives a
/// meaning in an identity (`<`, `>`) is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    name: String,
    email: String,
    client: String,
    permit: Permit,
}

/// What a change does to a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Create,
    Update,
    Restore,
    Delete,
}

impl Author {
    /// An author. GitHub wants a name and an address, so each has to hold some text.
    #[must_use]
    pub fn new(name: &str, email: &str, client: &str) -> Self {
        let plain = |text: &str, most| one_line(&text.replace(['<', '>'], " "), most);
        Self {
            name: plain(name, MAX_NAME),
            email: plain(email, MAX_EMAIL),
            client: one_line(client, MAX_CLIENT),
            permit: Permit::default(),
        }
    }

    /// The same author, whose changes show `permit` when their turn has come.
    #[must_use]
    pub fn with_permit(self, permit: Permit) -> Self {
        Self { permit, ..self }
    }

    /// The person's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The person's e-mail address, as commits show it.
    #[must_use]
    pub fn email(&self) -> &str {
        &self.email
    }

    /// What the client calls itself; nobody vouches for it.
    #[must_use]
    pub fn client(&self) -> &str {
        &self.client
    }

    /// The commit of a change to `path`.
    ///
    /// The message is one line, the caller's or our own, and a trailer that names the client. A
    /// caller's text cannot make a trailer: it has no line breaks, and trailers stand in the last
    /// paragraph (git-interpret-trailers), which is always ours.
    pub(super) fn commit(
        &self,
        action: Action,
        path: &VaultPath,
        message: Option<&str>,
    ) -> CommitInfo {
        let verb = match action {
            Action::Create => "Create",
            Action::Update => "Update",
            Action::Restore => "Restore",
            Action::Delete => "Delete",
        };
        let subject = message
            .map(|message| one_line(message, MAX_SUBJECT))
            .filter(|message| !message.is_empty())
            .unwrap_or_else(|| one_line(&format!("{verb} {path}"), MAX_SUBJECT));
        let client = if self.client.is_empty() {
            "unknown"
        } else {
            &self.client
        };
        CommitInfo {
            author_name: self.name.clone(),
            author_email: self.email.clone(),
            message: format!("{subject}\n\nVault-Client: {client}\n"),
            permit: self.permit.clone(),
        }
    }
}

/// The text on one line: runs of white space and control characters become one space, and what is
/// longer than `most` characters is cut.
fn one_line(text: &str, most: usize) -> String {
    let breaks = |character: char| {
        character.is_whitespace()
            || character.is_control()
            || matches!(character, '\u{2028}' | '\u{2029}')
    };
    let line = text
        .split(breaks)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Action, Author};
    use crate::vault::path::VaultPath;

    fn message(message: Option<&str>) -> String {
        let path = VaultPath::parse("Projects/Plan.md").unwrap();
        Author::new("A", "a@example.test", "Claude Code")
            .commit(Action::Update, &path, message)
            .message
    }

    #[test]
    fn our_own_message_names_the_note() {
        assert_eq!(
            message(None),
            "Update Projects/Plan.md\n\nVault-Client: Claude Code\n"
        );
        assert_eq!(message(Some(" \n")), message(None));
    }

    #[test]
    fn a_callers_message_stays_one_line_above_our_trailer() {
        assert_eq!(
            message(Some(
                "Add plan\n\nCo-authored-by: X <x@example.test>\r\nVault-Client: other"
            )),
            "Add plan Co-authored-by: X <x@example.test> Vault-Client: other\n\n\
             Vault-Client: Claude Code\n"
        );
        let long = message(Some(&"é".repeat(500)));
        assert_eq!(long.lines().next().unwrap().chars().count(), 120);
    }

    #[test]
    fn an_identity_holds_nothing_that_git_gives_a_meaning() {
        let author = Author::new("Eve\n<root@example.test>", "e@x.test>\0", "A\nB: c\u{7f}");
        let info = author.commit(Action::Create, &VaultPath::parse("a.md").unwrap(), None);
        assert_eq!(info.author_name, "Eve root@example.test");
        assert_eq!(info.author_email, "e@x.test");
        assert!(info.message.ends_with("\n\nVault-Client: A B: c\n"));
    }
}
