//! What changed between two trees, with renames found as GitHub finds them (`-M`).

use std::collections::HashMap;

use super::{Git, GitError, Oid};

/// How a file differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffStatus {
    Added,
    Removed,
    Modified,
    Renamed,
    /// The entry's type or mode changed.
    Changed,
}

impl DiffStatus {
    /// The word of the REST API's `diff-entry`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
            Self::Changed => "changed",
        }
    }

    fn parse(letter: u8) -> Option<Self> {
        match letter {
            b'A' | b'C' => Some(Self::Added),
            b'D' => Some(Self::Removed),
            b'M' => Some(Self::Modified),
            b'R' => Some(Self::Renamed),
            b'T' => Some(Self::Changed),
            _ => None,
        }
    }
}

/// One file that differs.
#[derive(Clone, Debug)]
pub(crate) struct DiffFile {
    pub(crate) status: DiffStatus,
    pub(crate) path: String,
    pub(crate) previous_path: Option<String>,
    /// The new object; of a removed file, the old one.
    pub(crate) oid: Oid,
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
    /// The hunks, from the first `@@` on; `None` for binary files and pure renames.
    pub(crate) patch: Option<String>,
}

impl Git {
    /// The files that differ between two commits or trees, in path order.
    pub(crate) async fn diff(&self, old: Oid, new: Oid) -> Result<Vec<DiffFile>, GitError> {
        let (old, new) = (old.to_string(), new.to_string());
        let facts = self
            .run(&[
                "diff-tree",
                "-r",
                "-M",
                "-z",
                "--raw",
                "--numstat",
                "--no-abbrev",
                &old,
                &new,
            ])
            .await?;
        let mut files = parse(&facts).ok_or(GitError::Unexpected("diff-tree"))?;
        let text = self
            .run(&["diff-tree", "-r", "-M", "-p", "--full-index", &old, &new])
            .await?;
        // A line of content starts with a space, a sign or a backslash: only a header starts so.
        let text = format!("\n{}", String::from_utf8_lossy(&text));
        let mut patches = text.split("\ndiff --git ").skip(1);
        for file in &mut files {
            let patch = patches.next().and_then(|patch| patch.split_once("\n@@ "));
            file.patch =
                patch.map(|(_, hunks)| format!("@@ {}", hunks.strip_suffix('\n').unwrap_or(hunks)));
            if file.status == DiffStatus::Changed {
                // Git prints a change of type as a removal and an addition.
                patches.next();
            }
        }
        Ok(files)
    }
}

/// The records of `--raw -z` (they start with a colon), then those of `--numstat -z`.
fn parse(output: &[u8]) -> Option<Vec<DiffFile>> {
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let mut fields = output
        .split(|byte| *byte == 0)
        .filter(|field| !field.is_empty())
        .peekable();
    let mut files = Vec::new();
    while let Some(record) = fields.next_if(|field| field.starts_with(b":")) {
        let mut words = std::str::from_utf8(record).ok()?.split(' ').skip(2);
        let (old, new) = (words.next()?, words.next()?);
        let status = DiffStatus::parse(*words.next()?.as_bytes().first()?)?;
        let first = text(fields.next()?);
        let (previous_path, path) = if status == DiffStatus::Renamed {
            (Some(first), text(fields.next()?))
        } else {
            (None, first)
        };
        let oid = if status == DiffStatus::Removed {
            old
        } else {
            new
        };
        files.push(DiffFile {
            status,
            path,
            previous_path,
            oid: oid.parse().ok()?,
            additions: 0,
            deletions: 0,
            patch: None,
        });
    }
    let mut counts = HashMap::new();
    while let Some(record) = fields.next() {
        let mut columns = record.splitn(3, |byte| *byte == b'\t');
        let mut count = || {
            Some(
                std::str::from_utf8(columns.next()?)
                    .ok()?
                    .parse()
                    .unwrap_or(0),
            )
        };
        let (additions, deletions) = (count()?, count()?);
        // A renamed file has an empty third column; its two paths follow as fields.
        let path = match columns.next()? {
            b"" => {
                fields.next()?;
                text(fields.next()?)
            }
            path => text(path),
        };
        counts.insert(path, (additions, deletions));
    }
    for file in &mut files {
        (file.additions, file.deletions) = counts.get(&file.path).copied().unwrap_or_default();
    }
    Some(files)
}
