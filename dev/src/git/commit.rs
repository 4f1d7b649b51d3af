//! Commit objects.

use chrono::DateTime;

use super::{Git, GitError, ObjectKind, Oid};

/// Who, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) email: String,
    /// Seconds since 1970.
    pub(crate) seconds: i64,
    /// The zone as git writes it, e.g. `+0200`.
    pub(crate) zone: String,
}

impl Signature {
    /// The moment in UTC as the REST API prints it, e.g. `2026-11-30T12:00:00Z`.
    pub(crate) fn date(&self) -> String {
        DateTime::from_timestamp(self.seconds, 0)
            .map(|moment| moment.format("%Y-%m-%dT%H:%M:%SZ").to_string())
            .unwrap_or_default()
    }

    fn parse(line: &str) -> Option<Self> {
        let (name, rest) = line.split_once(" <").or_else(|| line.split_once('<'))?;
        let (email, when) = rest.split_once('>')?;
        let mut words = when.split_ascii_whitespace();
        Some(Self {
            name: name.to_owned(),
            email: email.to_owned(),
            seconds: words.next()?.parse().ok()?,
            zone: words.next().unwrap_or("+0000").to_owned(),
        })
    }

    fn serialize(&self) -> String {
        format!(
            "{} <{}> {} {}",
            plain(&self.name),
            plain(&self.email),
            self.seconds,
            self.zone
        )
    }
}

/// Names and addresses lose the characters that delimit them, as `git commit` does it.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '<' | '>' | '\n' | '\0'))
        .collect::<String>()
        .trim()
        .into()
}

/// A commit to be made.
#[derive(Clone, Debug)]
pub(crate) struct CommitDraft {
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    pub(crate) author: Signature,
    pub(crate) committer: Signature,
    pub(crate) message: String,
}

/// A commit that exists.
#[derive(Clone, Debug)]
pub(crate) struct Commit {
    pub(crate) oid: Oid,
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    pub(crate) author: Signature,
    pub(crate) committer: Signature,
    pub(crate) message: String,
}

impl Git {
    /// The commit named `oid`, or `None` when there is none.
    pub(crate) async fn commit(&self, oid: Oid) -> Result<Option<Commit>, GitError> {
        let Some(bytes) = self.read_kind(ObjectKind::Commit, oid).await? else {
            return Ok(None);
        };
        parse(oid, &String::from_utf8_lossy(&bytes))
            .map(Some)
            .ok_or(GitError::Unexpected("cat-file of a commit"))
    }

    /// Stores a commit; no reference moves.
    pub(crate) async fn write_commit(&self, draft: CommitDraft) -> Result<Commit, GitError> {
        let parents: Vec<_> = draft
            .parents
            .iter()
            .map(|parent| format!("parent {parent}\n"))
            .collect();
        let text = format!(
            "tree {}\n{}author {}\ncommitter {}\n\n{}",
            draft.tree,
            parents.concat(),
            draft.author.serialize(),
            draft.committer.serialize(),
            // A NUL would end the message for git's readers.
            draft.message.replace('\0', ""),
        );
        let oid = self.write(ObjectKind::Commit, text.as_bytes()).await?;
        let CommitDraft {
            tree,
            parents,
            author,
            committer,
            message,
        } = draft;
        Ok(Commit {
            oid,
            tree,
            parents,
            author,
            committer,
            message,
        })
    }
}

fn parse(oid: Oid, text: &str) -> Option<Commit> {
    let (headers, message) = text.split_once("\n\n").unwrap_or((text.trim_end(), ""));
    let values = |key: &'static str| {
        headers
            .lines()
            .filter_map(move |line| line.strip_prefix(key)?.strip_prefix(' '))
    };
    Some(Commit {
        oid,
        tree: values("tree").next()?.parse().ok()?,
        parents: values("parent")
            .map(str::parse)
            .collect::<Result<_, _>>()
            .ok()?,
        author: Signature::parse(values("author").next()?)?,
        committer: Signature::parse(values("committer").next()?)?,
        message: message.to_owned(),
    })
}
