//! Tree objects: reading, listing, and changing one path.

use std::cmp::Ordering;

use super::{Git, GitError, ObjectKind, Oid};

/// What a tree's entry points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Directory,
    File,
    Symlink,
    Submodule,
}

/// One entry of a tree object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    /// The mode's number, e.g. `0o100644`.
    pub(crate) mode: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) oid: Oid,
}

impl TreeEntry {
    pub(crate) const fn kind(&self) -> EntryKind {
        kind_of(self.mode)
    }
}

/// The file-type bits of a mode, as in `stat(2)`.
const fn kind_of(mode: u32) -> EntryKind {
    match mode & 0o170_000 {
        0o040_000 => EntryKind::Directory,
        0o120_000 => EntryKind::Symlink,
        0o160_000 => EntryKind::Submodule,
        _ => EntryKind::File,
    }
}

/// One line of `git ls-tree -l`.
#[derive(Clone, Debug)]
pub(crate) struct ListedEntry {
    pub(crate) mode: u32,
    /// Full path from the listed tree, lossily decoded.
    pub(crate) path: String,
    pub(crate) oid: Oid,
    /// Bytes of a blob; `None` for trees and submodules.
    pub(crate) size: Option<u64>,
}

impl ListedEntry {
    pub(crate) const fn kind(&self) -> EntryKind {
        kind_of(self.mode)
    }
}

impl Git {
    /// The entries of a tree in git's order, or `None` when there is no such tree.
    pub(crate) async fn tree(&self, oid: Oid) -> Result<Option<Vec<TreeEntry>>, GitError> {
        if oid == Oid::EMPTY_TREE {
            return Ok(Some(Vec::new()));
        }
        let Some(bytes) = self.read_kind(ObjectKind::Tree, oid).await? else {
            return Ok(None);
        };
        parse(&bytes)
            .map(Some)
            .ok_or(GitError::Unexpected("cat-file of a tree"))
    }

    /// Every entry of a tree with blob sizes, sub-trees included and entered when `recursive`.
    pub(crate) async fn list(
        &self,
        tree: Oid,
        recursive: bool,
    ) -> Result<Vec<ListedEntry>, GitError> {
        let tree = tree.to_string();
        let mut args = vec!["ls-tree", "-l", "-z", "--full-tree"];
        if recursive {
            args.extend(["-r", "-t"]);
        }
        args.push(&tree);
        let output = self.run(&args).await?;
        output
            .split(|byte| *byte == 0)
            .filter(|line| !line.is_empty())
            .map(listed)
            .collect::<Option<_>>()
            .ok_or(GitError::Unexpected("ls-tree"))
    }

    /// The entry at `path` below `root`, or `None` when a segment is missing or not a folder.
    pub(crate) async fn entry_at(
        &self,
        root: Oid,
        path: &[String],
    ) -> Result<Option<TreeEntry>, GitError> {
        let mut found = TreeEntry {
            mode: 0o040_000,
            name: Vec::new(),
            oid: root,
        };
        for segment in path {
            if found.kind() != EntryKind::Directory {
                return Ok(None);
            }
            let entries = self.tree(found.oid).await?.unwrap_or_default();
            match entries
                .into_iter()
                .find(|entry| entry.name == segment.as_bytes())
            {
                Some(entry) => found = entry,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    /// The tree that differs from `root` in the one entry at `path`: set to `leaf` (mode and
    /// object), or removed together with folders that become empty.
    ///
    /// A file that stands where a folder is needed gives way to it.
    pub(crate) async fn with_entry(
        &self,
        root: Oid,
        path: &[String],
        leaf: Option<(u32, Oid)>,
    ) -> Result<Oid, GitError> {
        let mut levels = Vec::new();
        let mut below = Some(root);
        for segment in path {
            let entries = match below {
                Some(tree) => self.tree(tree).await?.unwrap_or_default(),
                None => Vec::new(),
            };
            below = entries
                .iter()
                .find(|entry| entry.name == segment.as_bytes())
                .filter(|entry| entry.kind() == EntryKind::Directory)
                .map(|entry| entry.oid);
            levels.push((segment, entries));
        }
        let mut replacement = leaf;
        let mut tree = Oid::EMPTY_TREE;
        while let Some((segment, mut entries)) = levels.pop() {
            entries.retain(|entry| entry.name != segment.as_bytes());
            if let Some((mode, oid)) = replacement {
                entries.push(TreeEntry {
                    mode,
                    name: segment.clone().into_bytes(),
                    oid,
                });
            }
            entries.sort_by(git_order);
            tree = self.write(ObjectKind::Tree, &serialize(&entries)).await?;
            replacement = (!entries.is_empty()).then_some((0o040_000, tree));
        }
        Ok(tree)
    }
}

/// Git sorts a folder as if its name ended in a slash.
fn git_order(a: &TreeEntry, b: &TreeEntry) -> Ordering {
    let key = |entry: &TreeEntry| {
        let mut name = entry.name.clone();
        if entry.kind() == EntryKind::Directory {
            name.push(b'/');
        }
        name
    };
    key(a).cmp(&key(b))
}

fn serialize(entries: &[TreeEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.extend_from_slice(format!("{:o} ", entry.mode).as_bytes());
        bytes.extend_from_slice(&entry.name);
        bytes.push(0);
        bytes.extend_from_slice(entry.oid.as_bytes());
    }
    bytes
}

fn parse(mut bytes: &[u8]) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let (mode, rest) = split_at_byte(bytes, b' ')?;
        let (name, rest) = split_at_byte(rest, 0)?;
        let (oid, rest) = rest.split_first_chunk::<20>()?;
        let mode = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
        entries.push(TreeEntry {
            mode,
            name: name.to_vec(),
            oid: Oid::from_bytes(*oid),
        });
        bytes = rest;
    }
    Some(entries)
}

fn split_at_byte(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == separator)?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}

/// `<mode> SP <type> SP <oid> SP+ <size> TAB <path>`.
fn listed(line: &[u8]) -> Option<ListedEntry> {
    let (facts, path) = split_at_byte(line, b'\t')?;
    let mut words = std::str::from_utf8(facts).ok()?.split_ascii_whitespace();
    let mode = u32::from_str_radix(words.next()?, 8).ok()?;
    let _type = words.next()?;
    let oid = words.next()?.parse().ok()?;
    let size = words.next()?.parse().ok();
    Some(ListedEntry {
        mode,
        path: String::from_utf8_lossy(path).into_owned(),
        oid,
        size,
    })
}
