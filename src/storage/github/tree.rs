//! What a commit holds: every path with what git records there.

use std::collections::BTreeMap;

use super::{
    error::Refusal,
    model::{TreeAnswer, TreeItem},
    rest::internal,
};
use crate::vault::{
    path::{DirPath, VaultPath},
    room,
    storage::{CommitId, Revision, Sieve, StorageError},
};

/// What stands at a path of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::storage) enum Node {
    /// A regular file, executable or not.
    File {
        /// Its blob.
        revision: Revision,
        /// Its size in bytes.
        bytes: u64,
    },
    /// A folder.
    Folder,
    /// A symbolic link, a submodule, or a mode that git may invent: nothing that a note can be.
    Other,
}

/// All paths of one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::storage) struct Tree {
    nodes: BTreeMap<String, Node>,
}

impl Tree {
    /// What stands at exactly `path`.
    pub(in crate::storage) fn get(&self, path: &str) -> Option<&Node> {
        self.nodes.get(path)
    }

    /// The regular file at exactly `path`: its blob and its size.
    pub(in crate::storage) fn file(&self, path: &str) -> Option<(&Revision, u64)> {
        match self.get(path) {
            Some(Node::File { revision, bytes }) => Some((revision, *bytes)),
            Some(Node::Folder | Node::Other) | None => None,
        }
    }

    /// All regular files, in ascending order of their path's bytes.
    pub(in crate::storage) fn files(&self) -> impl Iterator<Item = (&str, &Revision, u64)> {
        self.nodes.iter().filter_map(|(path, node)| match node {
            Node::File { revision, bytes } => Some((path.as_str(), revision, *bytes)),
            Node::Folder | Node::Other => None,
        })
    }

    /// The paths of all that is no folder.
    pub(in crate::storage) fn leaves(&self) -> impl Iterator<Item = &str> {
        let leaves = self
            .nodes
            .iter()
            .filter(|(_, node)| !matches!(node, Node::Folder));
        leaves.map(|(path, _)| path.as_str())
    }

    /// The paths of all that is no regular file: folders, links, submodules.
    pub(in crate::storage) fn others(&self) -> impl Iterator<Item = &str> {
        let others = self
            .nodes
            .iter()
            .filter(|(_, node)| !matches!(node, Node::File { .. }));
        others.map(|(path, _)| path.as_str())
    }

    /// The size of all regular files together, in bytes.
    pub(in crate::storage) fn total_bytes(&self) -> u64 {
        self.files().map(|(_, _, bytes)| bytes).sum()
    }

    /// Whether `path` cannot hold a file without something else being lost: it is a link, a
    /// submodule or a folder, or something that is no folder stands where its folder would be.
    pub(in crate::storage) fn obstructs(&self, path: &str) -> bool {
        matches!(self.get(path), Some(Node::Folder | Node::Other))
            || above(path).any(|folder| !matches!(self.get(folder), Some(Node::Folder) | None))
    }

    /// Refuses a new note at `path` that something which is no note is another spelling of: see
    /// [`room::twin`].
    ///
    /// # Errors
    /// [`StorageError::FolderTwin`], and [`StorageError::AlreadyExists`] for what is no folder: the
    /// names of links and submodules are shown to nobody.
    pub(in crate::storage) fn refuse_twin(
        &self,
        path: &VaultPath,
        sieve: &dyn Sieve,
    ) -> Result<(), StorageError> {
        let all = self.nodes.keys().map(String::as_str);
        let Some(twin) = room::twin(path, sieve, all) else {
            return Ok(());
        };
        Err(match (self.get(twin), DirPath::parse(twin)) {
            (Some(Node::Folder), Ok(folder)) => StorageError::FolderTwin(folder),
            _ => StorageError::AlreadyExists { revision: None },
        })
    }

    /// Puts one node at `path`, and the folders above it, as a commit that adds it does.
    pub(super) fn insert(&mut self, path: &str, node: Node) {
        for folder in above(path) {
            self.nodes.insert(folder.to_owned(), Node::Folder);
        }
        self.nodes.insert(path.to_owned(), node);
    }

    /// Takes away what is at `path`, and the folders above it that are empty then: git keeps none.
    pub(super) fn remove(&mut self, path: &str) {
        self.nodes.remove(path);
        for folder in above(path).collect::<Vec<_>>().into_iter().rev() {
            let inside = format!("{folder}/");
            let first = self.nodes.range(inside.clone()..).next();
            if first.is_some_and(|(path, _)| path.starts_with(&inside)) {
                break;
            }
            self.nodes.remove(folder);
        }
    }
}

/// The folders above `path`, the outermost first.
pub(in crate::storage) fn above(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(end, _)| end);
    ends.filter_map(|end| path.get(..end))
}

/// A tree that is still being put together from GitHub's answers.
///
/// GitHub cuts a recursive answer at 100,000 entries or 7 MB and says `truncated`. Such an answer is
/// dropped, and the tree is walked folder by folder instead, each one recursively again if it fits.
#[derive(Debug)]
pub(super) struct Assembly {
    tree: Tree,
    pending: Vec<Request>,
}

/// One tree to ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The tree, or the commit that has it.
    pub(super) object: String,
    /// Where it is; empty for the root, otherwise with a trailing `/`.
    pub(super) prefix: String,
    /// Whether everything below is wanted in one answer.
    pub(super) recursive: bool,
}

impl Assembly {
    /// Starts with the whole of `commit`.
    pub(super) fn of(commit: &CommitId) -> Self {
        let root = Request {
            object: commit.to_string(),
            prefix: String::new(),
            recursive: true,
        };
        Self {
            tree: Tree::default(),
            pending: vec![root],
        }
    }

    /// The next tree to ask for; `None` when nothing is missing.
    pub(super) fn next(&mut self) -> Option<Request> {
        self.pending.pop()
    }

    /// Takes in the answer to `request`.
    pub(super) fn accept(&mut self, request: &Request, body: &[u8]) -> Result<(), Refusal> {
        let answer: TreeAnswer<'_> = serde_json::from_slice(body)
            .map_err(|error| internal(&format!("tree answer: {error}")))?;
        match (answer.truncated, request.recursive) {
            (true, true) => {
                self.pending.push(Request {
                    recursive: false,
                    ..request.clone()
                });
                return Ok(());
            }
            (true, false) => return Err(internal("a folder over GitHub's limit for one tree")),
            (false, _) => {}
        }
        for item in answer.tree {
            let path = format!("{}{}", request.prefix, item.path);
            let node = node(&item)?;
            if node == Node::Folder && !request.recursive {
                self.pending.push(Request {
                    object: item.sha.into_owned(),
                    prefix: format!("{path}/"),
                    recursive: true,
                });
            }
            self.tree.nodes.insert(path, node);
        }
        Ok(())
    }

    /// The finished tree. Call it once [`Assembly::next`] has nothing more.
    pub(super) fn finish(self) -> Tree {
        self.tree
    }
}

/// Reads one line. Git writes the modes 100644 and 100755; 100664 is found in old histories.
fn node(item: &TreeItem<'_>) -> Result<Node, Refusal> {
    Ok(match &*item.mode {
        "040000" => Node::Folder,
        "100644" | "100755" | "100664" => Node::File {
            revision: Revision::parse(&item.sha)
                .map_err(|_| internal("a tree entry without an object id"))?,
            bytes: item.size,
        },
        _ => Node::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn commit() -> CommitId {
        CommitId::parse(A).unwrap()
    }

    fn body(truncated: bool, entries: &[(&str, &str, &str)]) -> Vec<u8> {
        let tree: Vec<_> = entries
            .iter()
            .map(|(path, mode, sha)| {
                let mut item = serde_json::json!({ "path": path, "mode": mode, "sha": sha });
                if mode.starts_with("100") {
                    item["size"] = 7.into();
                }
                item
            })
            .collect();
        serde_json::json!({ "sha": A, "tree": tree, "truncated": truncated })
            .to_string()
            .into()
    }

    #[test]
    fn modes_decide_what_a_path_is() {
        let mut assembly = Assembly::of(&commit());
        let request = assembly.next().unwrap();
        let answer = body(
            false,
            &[
                ("a.md", "100644", B),
                ("run.md", "100755", B),
                ("link.md", "120000", B),
                ("sub.md", "160000", B),
                ("dir", "040000", B),
                ("dir/é \\\" quoted.md", "100644", B),
            ],
        );
        assembly.accept(&request, &answer).unwrap();
        assert_eq!(assembly.next(), None);
        let tree = assembly.finish();
        let files: Vec<_> = tree.files().map(|(path, _, bytes)| (path, bytes)).collect();
        assert_eq!(
            files,
            [("a.md", 7), ("dir/é \\\" quoted.md", 7), ("run.md", 7)]
        );
        assert_eq!(tree.get("link.md"), Some(&Node::Other));
        assert_eq!(tree.get("sub.md"), Some(&Node::Other));
    }

    #[test]
    fn a_cut_answer_is_walked_folder_by_folder() {
        let mut assembly = Assembly::of(&commit());
        let root = assembly.next().unwrap();
        assert!(root.recursive);
        assembly
            .accept(&root, &body(true, &[("a.md", "100644", B)]))
            .unwrap();
        let flat = assembly.next().unwrap();
        assert_eq!((flat.object.as_str(), flat.recursive), (A, false));
        assembly
            .accept(
                &flat,
                &body(false, &[("a.md", "100644", B), ("deep", "040000", B)]),
            )
            .unwrap();
        let deep = assembly.next().unwrap();
        assert_eq!((deep.prefix.as_str(), deep.recursive), ("deep/", true));
        assembly
            .accept(&deep, &body(false, &[("x/y.md", "100644", B)]))
            .unwrap();
        assert_eq!(assembly.next(), None);
        let tree = assembly.finish();
        let files: Vec<_> = tree.files().map(|(path, ..)| path).collect();
        assert_eq!(files, ["a.md", "deep/x/y.md"]);
    }

    #[test]
    fn a_folder_that_is_cut_by_itself_is_an_error_and_no_short_list() {
        let mut assembly = Assembly::of(&commit());
        let request = Request {
            object: A.to_owned(),
            prefix: String::new(),
            recursive: false,
        };
        assert!(assembly.accept(&request, &body(true, &[])).is_err());
    }

    #[test]
    fn folders_come_with_their_first_file_and_go_with_their_last() {
        let file = Node::File {
            revision: Revision::of(b""),
            bytes: 0,
        };
        let mut tree = Tree::default();
        tree.insert("a/b/c.md", file.clone());
        tree.insert("a-.md", file.clone());
        tree.insert("a/d.md", file);
        let paths = |tree: &Tree| tree.nodes.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(&tree), ["a", "a-.md", "a/b", "a/b/c.md", "a/d.md"]);
        tree.remove("a/b/c.md");
        assert_eq!(paths(&tree), ["a", "a-.md", "a/d.md"]);
        tree.remove("a/d.md");
        assert_eq!(paths(&tree), ["a-.md"]);
    }

    #[test]
    fn nothing_but_a_file_or_a_gap_can_take_a_note() {
        let mut tree = Tree::default();
        let file = Node::File {
            revision: Revision::of(b""),
            bytes: 0,
        };
        tree.insert("a.md", file);
        tree.insert("dir", Node::Folder);
        tree.insert("link.md", Node::Other);
        for (path, obstructed) in [
            ("a.md", false),
            ("new.md", false),
            ("dir/new.md", false),
            ("new/new.md", false),
            ("dir", true),
            ("link.md", true),
            ("a.md/b.md", true),
            ("link.md/deep/b.md", true),
        ] {
            assert_eq!(tree.obstructs(path), obstructed, "{path}");
        }
    }
}
