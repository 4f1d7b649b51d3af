//! Notes in memory: the reference implementation of [`VaultStorage`].
//!
//! It has what a git repository has, as far as the contract speaks of it: commits in a row, links
//! and submodules beside the notes, and somebody else who pushes in between. Tests use it wherever
//! the backend is not what they are about.

pub mod catalog;
mod history;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use super::github::above;
use crate::vault::{
    completion,
    path::DirPath,
    policy::{Visible, Writable},
    room::{self, obstacles},
    storage::{
        BrowsePage, BrowseQuery, CommitId, CommitInfo, Committed, CompletionPage, CompletionQuery,
        Entry, HistoryPage, HistoryQuery, Indexed, LinkQuery, Links, ListQuery, Listing, Lookup,
        Overview, OverviewQuery, Revision, SearchPage, SearchQuery, Sieve, StorageError,
        StoredNote, SweepPage, SweepQuery, VaultStorage,
    },
};
use async_trait::async_trait;

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File {
    /// A regular file with its bytes.
    Regular(Rc<[u8]>),
    /// A symbolic link: never shown, never changed.
    Symlink,
    /// A submodule: never shown, never changed.
    Submodule,
}

impl File {
    /// A regular file.
    #[must_use]
    pub fn regular(bytes: impl AsRef<[u8]>) -> Self {
        Self::Regular(bytes.as_ref().into())
    }

    fn bytes(&self) -> Option<&Rc<[u8]>> {
        match self {
            Self::Regular(bytes) => Some(bytes),
            Self::Symlink | Self::Submodule => None,
        }
    }
}

/// All files of one commit, by path.
type Files = BTreeMap<String, File>;

/// One commit and the files it holds.
#[derive(Clone, Debug)]
struct Commit {
    id: CommitId,
    info: Option<CommitInfo>,
    files: Files,
}

/// A vault in memory.
#[derive(Debug, Default)]
pub struct MemoryStorage {
    history: RefCell<Vec<Commit>>,
}

impl MemoryStorage {
    /// A vault without any commit.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// A vault whose first commit holds `files`.
    #[must_use]
    pub fn with(files: impl IntoIterator<Item = (String, File)>) -> Self {
        let storage = Self::empty();
        storage.push(|all| all.extend(files));
        storage
    }

    /// A commit by somebody else, past every policy; its files are what `edit` leaves.
    pub fn push(&self, edit: impl FnOnce(&mut BTreeMap<String, File>)) -> CommitId {
        let mut files = self.head_files();
        edit(&mut files);
        self.append(files, None)
    }

    /// A commit by somebody else, past every policy, that reads as `info` says.
    pub fn push_as(&self, info: &CommitInfo, edit: impl FnOnce(&mut BTreeMap<String, File>)) {
        let mut files = self.head_files();
        edit(&mut files);
        self.append(files, Some(info.clone()));
    }

    /// The head; `None` while there is no commit.
    #[must_use]
    pub fn head(&self) -> Option<CommitId> {
        self.history.borrow().last().map(|commit| commit.id.clone())
    }

    /// How the head's commit reads; `None` where somebody else made it.
    #[must_use]
    pub fn head_info(&self) -> Option<CommitInfo> {
        self.history
            .borrow()
            .last()
            .and_then(|commit| commit.info.clone())
    }

    fn head_files(&self) -> Files {
        self.history
            .borrow()
            .last()
            .map(|commit| commit.files.clone())
            .unwrap_or_default()
    }

    /// The notes of the head that `sieve` lets through, in the order of their paths. When they were
    /// changed is not known: commits have no time here.
    fn with_notes<T>(
        &self,
        sieve: &dyn Sieve,
        answer: impl FnOnce(Option<CommitId>, &[catalog::Read<'_>]) -> T,
    ) -> T {
        let history = self.history.borrow();
        let Some(commit) = history.last() else {
            return answer(None, &[]);
        };
        let notes: Vec<_> = commit
            .files
            .iter()
            .filter_map(|(path, file)| {
                Some(catalog::Read {
                    bytes: file.bytes()?,
                    path: sieve.admit(path)?,
                    modified: None,
                })
            })
            .collect();
        answer(Some(commit.id.clone()), &notes)
    }

    /// The commit to look into; `None` while there is none at all.
    fn commit(&self, at: Option<&CommitId>) -> Result<Option<Commit>, StorageError> {
        let history = self.history.borrow();
        match at {
            None => Ok(history.last().cloned()),
            Some(at) => {
                let found = history.iter().find(|commit| commit.id == *at);
                found.cloned().map(Some).ok_or(StorageError::UnknownCommit)
            }
        }
    }

    fn append(&self, files: Files, info: Option<CommitInfo>) -> CommitId {
        let mut history = self.history.borrow_mut();
        let id = commit_id(
            history.last().map(|parent| &parent.id),
            history.len(),
            &files,
        );
        history.push(Commit {
            id: id.clone(),
            info,
            files,
        });
        id
    }

    fn commit_change(&self, files: Files, info: &CommitInfo) -> Committed {
        let commit = self.append(files, Some(info.clone()));
        Committed {
            commit,
            url: None,
            recreated: false,
        }
    }
}

/// An id that no other commit has: it takes in the parent, the position and all that it holds.
fn commit_id(parent: Option<&CommitId>, position: usize, files: &Files) -> CommitId {
    let parent = parent.map_or("", CommitId::as_str);
    let mut lines = vec![format!("parent {parent}"), format!("position {position}")];
    lines.extend(files.iter().map(|(path, file)| {
        let content = file.bytes().map(|bytes| Revision::of(bytes).to_string());
        format!("{} {path}", content.as_deref().unwrap_or("other"))
    }));
    CommitId::of(lines.join("\n").as_bytes())
}

/// Whether nothing can be made at `path`: something that is no note stands there or above it.
fn is_obstructed(files: &Files, path: &str) -> bool {
    let below = format!("{path}/");
    files.get(path).is_some_and(|file| file.bytes().is_none())
        || above(path).any(|folder| files.contains_key(folder))
        || files
            .range(below.clone()..)
            .next()
            .is_some_and(|(next, _)| next.starts_with(&below))
}

/// The paths of all files, and of the folders that they are in.
fn all_paths(files: &Files) -> BTreeSet<&str> {
    let folders = files.keys().flat_map(|path| above(path));
    files.keys().map(String::as_str).chain(folders).collect()
}

/// The revision of the note at `path`.
fn revision(files: &Files, path: &str) -> Option<Revision> {
    files.get(path)?.bytes().map(|bytes| Revision::of(bytes))
}

#[async_trait(?Send)]
impl VaultStorage for MemoryStorage {
    async fn list(&self, query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        let Some(commit) = self.commit(query.at.as_ref())? else {
            return Ok(Listing {
                commit: None,
                entries: Vec::new(),
            });
        };
        let below = commit
            .files
            .iter()
            .filter(|(path, _)| query.dir.strip(path).is_some());
        let entries = below.filter_map(|(path, file)| {
            let bytes = file.bytes()?;
            let path = query.sieve.admit(path)?;
            Some(Entry {
                path,
                revision: Revision::of(bytes),
                bytes: bytes.len() as u64,
            })
        });
        Ok(Listing {
            commit: Some(commit.id),
            entries: entries.collect(),
        })
    }

    async fn read(
        &self,
        sieve: &dyn Sieve,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        let Some(Commit { id, files, .. }) = self.commit(at)? else {
            return Ok(Lookup {
                commit: None,
                note: None,
                twins: Vec::new(),
            });
        };
        if let Some(bytes) = files.get(note.as_str()).and_then(File::bytes) {
            let revision = Revision::of(bytes);
            let note = StoredNote {
                path: note.clone(),
                revision,
                content: bytes.to_vec(),
            };
            return Ok(Lookup {
                commit: Some(id),
                note: Some(note),
                twins: Vec::new(),
            });
        }
        let fold = note.fold();
        let regular = files.iter().filter(|(_, file)| file.bytes().is_some());
        let shown = regular.filter_map(|(path, _)| sieve.admit(path));
        let twins = shown.filter(|other| other.fold() == fold).collect();
        Ok(Lookup {
            commit: Some(id),
            note: None,
            twins,
        })
    }

    async fn browse(&self, query: &BrowseQuery<'_>) -> Result<Indexed<BrowsePage>, StorageError> {
        Ok(Indexed::Answer(
            self.with_notes(query.sieve, |commit, notes| {
                catalog::browse(commit, notes, query)
            }),
        ))
    }

    async fn overview(&self, query: &OverviewQuery<'_>) -> Result<Indexed<Overview>, StorageError> {
        Ok(Indexed::Answer(
            self.with_notes(query.sieve, |commit, notes| {
                catalog::overview(commit, notes, query)
            }),
        ))
    }

    async fn complete(
        &self,
        query: &CompletionQuery<'_>,
    ) -> Result<Indexed<CompletionPage>, StorageError> {
        let page = self.with_notes(query.sieve, |_, notes| {
            let paths = notes.iter().map(|note| note.path.clone());
            let mut paths = completion::complete(query.typed, paths);
            let total = paths.len();
            paths.truncate(query.limit);
            CompletionPage { total, paths }
        });
        Ok(Indexed::Answer(page))
    }

    async fn links(&self, query: &LinkQuery<'_>) -> Result<Indexed<Links>, StorageError> {
        Ok(Indexed::Answer(
            self.with_notes(query.sieve, |commit, notes| {
                catalog::links(commit, notes, query)
            }),
        ))
    }

    async fn search(&self, query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        Ok(self.with_notes(query.sieve, |commit, notes| {
            catalog::search(commit, notes, query)
        }))
    }

    async fn history(&self, query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        let from = self.commit(query.from.as_ref())?.map(|commit| commit.id);
        let commits = self.history.borrow();
        let until = commits
            .iter()
            .position(|commit| Some(&commit.id) == from.as_ref());
        let looked_at = until
            .and_then(|last| commits.get(..=last))
            .unwrap_or_default();
        Ok(history::page(looked_at, from, query))
    }

    async fn sweep(&self, query: &SweepQuery<'_>) -> Result<Indexed<SweepPage>, StorageError> {
        self.with_notes(query.sieve, |commit, notes| {
            catalog::sweep(commit, notes, query)
        })
        .map(Indexed::Answer)
    }

    async fn create(
        &self,
        sieve: &dyn Sieve,
        note: &Writable,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        let mut files = self.head_files();
        let there = revision(&files, note.as_str());
        if there.is_some() {
            return Err(StorageError::AlreadyExists { revision: there });
        }
        let regular = files.iter().filter(|(_, file)| file.bytes().is_some());
        let shown: Vec<_> = regular.filter_map(|(path, _)| sieve.admit(path)).collect();
        if !obstacles(note.path(), shown.iter().map(Visible::path)).is_empty() {
            return Err(StorageError::NoRoom);
        }
        if is_obstructed(&files, note.as_str()) {
            return Err(StorageError::AlreadyExists { revision: None });
        }
        if let Some(twin) = room::twin(note.path(), sieve, all_paths(&files)) {
            return Err(match DirPath::parse(twin) {
                Ok(folder) if !files.contains_key(twin) => StorageError::FolderTwin(folder),
                Ok(_) | Err(_) => StorageError::AlreadyExists { revision: None },
            });
        }
        files.insert(note.as_str().to_owned(), File::regular(content));
        Ok(self.commit_change(files, info))
    }

    async fn update(
        &self,
        note: &Writable,
        base: &Revision,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        let mut files = self.head_files();
        let current = revision(&files, note.as_str());
        if current.as_ref() != Some(base) {
            return Err(StorageError::Conflict { current });
        }
        files.insert(note.as_str().to_owned(), File::regular(content));
        Ok(self.commit_change(files, info))
    }

    async fn delete(
        &self,
        note: &Writable,
        base: &Revision,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        let mut files = self.head_files();
        match revision(&files, note.as_str()) {
            None => Err(StorageError::NotFound),
            Some(current) if current != *base => Err(StorageError::Conflict {
                current: Some(current),
            }),
            Some(_) => {
                files.remove(note.as_str());
                Ok(self.commit_change(files, info))
            }
        }
    }
}
