//! Listing the notes of a folder.

use super::{
    FilterRequest, VaultClient, check_limit,
    folder::{Folder, summarize},
};
use crate::{
    runtime::Timestamp,
    vault::{
        cursor::{Cursor, QueryFingerprint},
        error::VaultError,
        filter::NoteFilter,
        path::{DirPath, VaultPath},
        storage::{
            BrowsePage, BrowseQuery, CatalogEntry, CommitId, Entry, FolderCount, Indexed, Order,
            Revision,
        },
        title,
    },
};

/// The most notes that one page holds.
pub const MAX_PAGE: usize = 1_000;

/// What to list.
#[derive(Clone, Copy, Debug)]
pub struct ListRequest<'a> {
    /// The folder; the whole vault where empty.
    pub dir: &'a str,
    /// How many levels of folders to go into: 1 lists only what lies directly in `dir`. All of
    /// them where `None`.
    pub depth: Option<usize>,
    /// Which notes to list.
    pub filter: FilterRequest<'a>,
    /// In which order.
    pub order: Order,
    /// The most notes that a page holds, from 1 to [`MAX_PAGE`].
    pub limit: usize,
    /// The `next` of the page before; the first page where `None`.
    pub cursor: Option<&'a str>,
}

/// A page of the notes of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotePage {
    /// The folder that was listed. It differs from the one that was asked for where only a twin
    /// of that exists.
    pub dir: DirPath,
    /// The commit whose state this is; all pages show the same. `None` in a vault without commits.
    pub commit: Option<CommitId>,
    /// How many notes all pages hold together.
    pub total: usize,
    /// The notes of this page.
    pub notes: Vec<ListedNote>,
    /// The folders at the level where listing stops (directly in `dir` where it does not stop),
    /// in ascending order of their path's bytes. On the first page only.
    pub folders: Vec<FolderSummary>,
    /// Where the request asks when notes were changed: of how many it is not known.
    pub undated: usize,
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
    /// How many notes the pages before this one hold.
    offset: usize,
    /// What the cursor belongs to.
    query: QueryFingerprint,
}

impl NotePage {
    /// Keeps the first `count` notes, at least one; the next page then starts after them. For
    /// whoever has less room than the page needs.
    pub fn shorten(&mut self, count: usize) {
        let count = count.max(1);
        if count < self.notes.len() {
            self.notes.truncate(count);
            self.set_next();
        }
    }

    /// Where the list goes on after the notes that this page holds.
    fn set_next(&mut self) {
        let after = self.offset + self.notes.len();
        let more = !self.notes.is_empty() && after < self.total;
        self.next = self.commit.as_ref().filter(|_| more).map(|commit| {
            let cursor = Cursor {
                commit: commit.clone(),
                after: after.to_string(),
            };
            cursor.encode(&self.query)
        });
    }
}

/// A note as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedNote {
    /// Where it is.
    pub path: VaultPath,
    /// Its title: see [`title::of_note`]. Its file name while the vault is not indexed, and where
    /// an older state is listed.
    pub title: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its revision.
    pub revision: Revision,
    /// When it was last changed, where known.
    pub modified: Option<Timestamp>,
}

/// A folder with the number of notes below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderSummary {
    /// The folder's path.
    pub path: DirPath,
    /// How many of the notes that are asked for lie below it, at any depth.
    pub notes: usize,
}

/// A request, understood.
struct Listed<'a> {
    dir: DirPath,
    filter: NoteFilter,
    request: &'a ListRequest<'a>,
    offset: usize,
    cursor: Option<Cursor>,
}

/// The parts of a page that depend on where it comes from.
struct Found {
    commit: Option<CommitId>,
    total: usize,
    notes: Vec<ListedNote>,
    folders: Vec<FolderSummary>,
    undated: usize,
}

impl VaultClient {
    /// Lists the notes of a folder, a page at a time.
    ///
    /// The folder is found exactly, or else by its only twin: the folder whose path differs in
    /// letter case or Unicode normalization alone. A folder without visible notes does not exist;
    /// only the root always does. With a cursor, the state of the cursor's commit is listed.
    ///
    /// # Errors
    /// - `INVALID_PATH` for a folder that is not in plain form.
    /// - `NOT_FOUND` for a folder that does not exist or that policy does not show.
    /// - `INVALID_ARGUMENT` for a limit, a depth or a filter out of bounds and for a cursor that is
    ///   not of this query, whose commit has left the branch's history, or, where only an index
    ///   could answer, is not the head any more.
    /// - `INDEX_BUILDING` for a filter or an order that only an index knows, while there is none.
    /// - What the backend reports.
    pub async fn list(&self, request: &ListRequest<'_>) -> Result<NotePage, VaultError> {
        let asked = self.dir(request.dir)?;
        check_bounds(request)?;
        let filter = Self::filter(&request.filter)?;
        let depth = request.depth.map_or_else(String::new, |d| d.to_string());
        let order = format!("{:?}", request.order);
        let query =
            QueryFingerprint::of(&["list", asked.as_str(), &depth, &filter.as_text(), &order]);
        let (cursor, offset) = Cursor::brought_back(request.cursor, &query)?;

        let mut listed = Listed {
            dir: asked,
            filter,
            request,
            offset,
            cursor,
        };
        let mut found = self.listed(&listed).await?;
        if found.total == 0 && found.folders.is_empty() && !listed.dir.is_root() {
            // It holds nothing of the kind, or it is not there, or it goes by a twin's name.
            let at = listed.cursor.as_ref().map(|cursor| &cursor.commit);
            let there = self.folder(&listed.dir, at).await?.dir;
            if there != listed.dir {
                listed.dir = there;
                found = self.listed(&listed).await?;
            }
        }
        let mut page = NotePage {
            dir: listed.dir,
            commit: found.commit,
            total: found.total,
            notes: found.notes,
            folders: if listed.cursor.is_some() {
                Vec::new()
            } else {
                found.folders
            },
            undated: found.undated,
            next: None,
            offset,
            query,
        };
        page.set_next();
        Ok(page)
    }

    /// The page out of the index, or out of the tree where there is none or it is of another
    /// commit. What the tree does not know is refused then.
    async fn listed(&self, listed: &Listed<'_>) -> Result<Found, VaultError> {
        let is_plain = listed.filter.is_empty() && listed.request.order == Order::Path;
        match self.browsed(listed).await? {
            Indexed::Answer(page) => {
                let is_current = listed
                    .cursor
                    .as_ref()
                    .is_none_or(|cursor| Some(&cursor.commit) == page.commit.as_ref());
                if is_current {
                    Ok(self.found_in_index(page))
                } else if is_plain {
                    self.found_in_tree(listed).await
                } else {
                    let problem = "is of an older state of the vault; leave it out to list again";
                    Err(VaultError::invalid("cursor", &problem))
                }
            }
            Indexed::Building(_) if is_plain => self.found_in_tree(listed).await,
            Indexed::Building(progress) => Err(VaultError::building(progress)),
        }
    }

    /// What the backend's index has, judged again.
    async fn browsed(&self, listed: &Listed<'_>) -> Result<Indexed<BrowsePage>, VaultError> {
        let query = BrowseQuery {
            sieve: &*self.policy,
            dir: listed.dir.clone(),
            depth: listed.request.depth,
            filter: &listed.filter,
            order: listed.request.order,
            offset: listed.offset,
            limit: listed.request.limit,
        };
        let page = self
            .storage
            .browse(&query)
            .await
            .map_err(|error| VaultError::from_storage(listed.dir.as_str(), error))?;
        Ok(page.map(|mut page| {
            page.entries
                .retain(|entry| self.is_shown_below(&listed.dir, &entry.path));
            page
        }))
    }

    fn found_in_index(&self, page: BrowsePage) -> Found {
        Found {
            commit: page.commit,
            total: page.total,
            notes: page.entries.into_iter().map(ListedNote::from).collect(),
            folders: self.summaries(page.folders),
            undated: page.undated,
        }
    }

    /// Folders that came back from the backend, if this client's own policy shows them.
    pub(super) fn summaries(&self, folders: Vec<FolderCount>) -> Vec<FolderSummary> {
        let folders = folders.into_iter().filter_map(|folder| {
            let path = DirPath::parse(&folder.path).ok()?;
            self.policy.dir(&path).ok()?;
            Some(FolderSummary {
                path,
                notes: folder.notes,
            })
        });
        folders.collect()
    }

    async fn found_in_tree(&self, listed: &Listed<'_>) -> Result<Found, VaultError> {
        let at = listed.cursor.as_ref().map(|cursor| &cursor.commit);
        let Folder {
            dir,
            commit,
            entries,
        } = self.folder(&listed.dir, at).await?;
        let depth = listed.request.depth;
        let near: Vec<&Entry> = entries
            .iter()
            .filter(|entry| within_depth(&dir, entry, depth))
            .collect();
        let notes = near.iter().skip(listed.offset).take(listed.request.limit);
        Ok(Found {
            total: near.len(),
            notes: notes.copied().map(ListedNote::from).collect(),
            folders: summarize(&dir, &entries, depth.unwrap_or(1)),
            commit,
            undated: 0,
        })
    }
}

/// Refuses a page or a depth of nothing.
fn check_bounds(request: &ListRequest<'_>) -> Result<(), VaultError> {
    check_limit(request.limit, MAX_PAGE)?;
    if request.depth == Some(0) {
        return Err(VaultError::invalid("depth", &"must be at least 1"));
    }
    Ok(())
}

/// Whether a note lies at most `depth` levels below `dir`.
fn within_depth(dir: &DirPath, entry: &Entry, depth: Option<usize>) -> bool {
    depth.is_none_or(|depth| {
        dir.strip(entry.path.as_str())
            .is_some_and(|inside| inside.split('/').count() <= depth)
    })
}

impl From<&Entry> for ListedNote {
    fn from(entry: &Entry) -> Self {
        Self {
            path: entry.path.path().clone(),
            title: title::of_file_name(entry.path.path()).to_owned(),
            bytes: entry.bytes,
            revision: entry.revision.clone(),
            modified: None,
        }
    }
}

impl From<CatalogEntry> for ListedNote {
    fn from(entry: CatalogEntry) -> Self {
        Self {
            path: entry.path.path().clone(),
            title: entry.title,
            bytes: entry.bytes,
            revision: entry.revision,
            modified: entry.modified,
        }
    }
}
