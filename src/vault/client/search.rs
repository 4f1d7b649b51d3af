//! Searching the vault.

use super::{FilterRequest, VaultClient, check_limit};
use crate::vault::{
    cursor::{Cursor, QueryFingerprint},
    error::VaultError,
    filter::NoteFilter,
    path::{DirPath, VaultPath},
    storage::{CommitId, SearchHit, SearchPage, SearchQuery},
    text::{Excerpt, Query},
};

/// The most hits that one page holds.
pub const MAX_HITS: usize = 100;

/// How a query is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// As words, phrases and pieces of text: see [`crate::vault::text`].
    #[default]
    Text,
    /// As a regular expression: see [`crate::vault::text::Pattern`].
    Regex,
}

/// What to search for.
#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// What has to be found.
    pub query: &'a str,
    /// How that is meant.
    pub mode: SearchMode,
    /// The folder to search; the whole vault where empty.
    pub dir: &'a str,
    /// Which notes to search.
    pub filter: FilterRequest<'a>,
    /// The most hits that a page holds, from 1 to [`MAX_HITS`].
    pub limit: usize,
    /// The `next` of the page before; the first page where `None`.
    pub cursor: Option<&'a str>,
}

/// A page of what was found: the best first, or, for a regular expression, by path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// The commit that was searched; all pages show the same. `None` in a vault without commits.
    pub commit: Option<CommitId>,
    /// How many notes hold the query, all pages together; of those that were searched, where there
    /// are others.
    pub total: usize,
    /// The hits of this page.
    pub hits: Vec<FoundNote>,
    /// How many notes were searched, for this page and those before it.
    pub searched: u64,
    /// How many of those were searched by their path alone.
    pub by_path_only: u64,
    /// How many notes have not been searched yet, because one call may take no longer. They are
    /// behind the cursor. Never any where the index knows what holds a query.
    pub unsearched: u64,
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
    /// Where the page after this one begins.
    pub(super) onward: Onward,
    /// What the cursor belongs to.
    pub(super) fingerprint: QueryFingerprint,
}

/// Where the page after this one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Onward {
    /// After so many hits before this page, and those of this page.
    Offset(usize),
    /// After the last hit of this page, and where there are no more hits that are known of, after the
    /// note at which the search stopped.
    Path {
        /// How many hits the pages before this one hold.
        before: usize,
        /// Where the search stopped, if not at the end.
        stopped_at: Option<VaultPath>,
    },
}

/// A note that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNote {
    /// Where it is.
    pub path: VaultPath,
    /// Its title.
    pub title: String,
    /// The place in its text that says most about the query; `None` where the path alone does.
    pub excerpt: Option<Excerpt>,
}

impl FoundPage {
    /// Keeps the first `count` hits, at least one; the next page then starts after them.
    pub fn shorten(&mut self, count: usize) {
        let count = count.max(1);
        if count < self.hits.len() {
            self.hits.truncate(count);
            self.set_next();
        }
    }

    /// Where the list goes on after the hits that this page holds.
    pub(super) fn set_next(&mut self) {
        let after = match &self.onward {
            Onward::Offset(before) => {
                let after = before + self.hits.len();
                let more = !self.hits.is_empty() && after < self.total;
                more.then(|| after.to_string())
            }
            Onward::Path { before, stopped_at } => {
                let after = before + self.hits.len();
                let last = self.hits.last().filter(|_| after < self.total);
                let place = last.map(|hit| &hit.path).or(stopped_at.as_ref());
                place.map(|path| format!("{after} {path}"))
            }
        };
        let place = self.commit.clone().zip(after);
        self.next = place.map(|(commit, after)| Cursor { commit, after }.encode(&self.fingerprint));
    }

    /// # Errors
    /// `INVALID_ARGUMENT` for a cursor of another commit than the one that was searched.
    pub(super) fn check_commit(
        cursor: Option<&Cursor>,
        searched: Option<&CommitId>,
    ) -> Result<(), VaultError> {
        if cursor.is_some_and(|cursor| Some(&cursor.commit) != searched) {
            let problem = "is of an older state of the vault; leave it out to search again";
            return Err(VaultError::invalid("cursor", &problem));
        }
        Ok(())
    }
}

impl VaultClient {
    /// Searches the notes of a folder, a page at a time.
    ///
    /// A folder is found as for [`Self::list`]: exactly, or else by its only twin. Pages of one
    /// search show one commit: when the vault has moved on in between, the cursor is refused.
    ///
    /// # Errors
    /// - `INVALID_PATH` for a folder that is not in plain form; `NOT_FOUND` for one that does not exist
    ///   or that policy hides.
    /// - `INVALID_ARGUMENT` for an empty or overlong query or one that is no regular expression, a limit
    ///   out of bounds, and a cursor that is not of this query or whose commit is not the head any more.
    /// - `INDEX_BUILDING` while not all notes can be searched: an incomplete answer would be taken
    ///   for a complete one.
    /// - What the backend reports.
    pub async fn search(&self, request: &SearchRequest<'_>) -> Result<FoundPage, VaultError> {
        match request.mode {
            SearchMode::Text => self.search_text(request).await,
            SearchMode::Regex => self.search_pattern(request).await,
        }
    }

    async fn search_text(&self, request: &SearchRequest<'_>) -> Result<FoundPage, VaultError> {
        let dir = self.dir(request.dir)?;
        let query =
            Query::parse(request.query).map_err(|error| VaultError::invalid("query", &error))?;
        check_limit(request.limit, MAX_HITS)?;
        let filter = Self::filter(&request.filter)?;
        let fingerprint =
            QueryFingerprint::of(&["search", dir.as_str(), request.query, &filter.as_text()]);
        let (cursor, offset) = Cursor::brought_back(request.cursor, &fingerprint)?;

        let mut page = self
            .found(&query, (&dir, &filter), offset, request.limit)
            .await?;
        if page.total == 0 && !dir.is_root() {
            // It holds nothing of the kind, or it is not there, or it goes by a twin's name.
            let there = self.folder(&dir, None).await?.dir;
            if there != dir {
                page = self
                    .found(&query, (&there, &filter), offset, request.limit)
                    .await?;
            }
        }
        if let Some(progress) = page.unfinished {
            return Err(VaultError::building(progress));
        }
        FoundPage::check_commit(cursor.as_ref(), page.commit.as_ref())?;
        let mut found = FoundPage {
            commit: page.commit,
            total: page.total,
            hits: page.hits.into_iter().map(FoundNote::from).collect(),
            searched: page.searched,
            by_path_only: page.by_path_only,
            unsearched: 0,
            next: None,
            onward: Onward::Offset(offset),
            fingerprint,
        };
        found.set_next();
        Ok(found)
    }

    /// What the backend found, judged again.
    async fn found(
        &self,
        query: &Query,
        (dir, filter): (&DirPath, &NoteFilter),
        offset: usize,
        limit: usize,
    ) -> Result<SearchPage, VaultError> {
        let asked = SearchQuery {
            sieve: &*self.policy,
            query,
            dir: dir.clone(),
            filter,
            offset,
            limit,
        };
        let mut page = self
            .storage
            .search(&asked)
            .await
            .map_err(|error| VaultError::from_storage(dir.as_str(), error))?;
        page.hits.retain(|hit| self.is_shown_below(dir, &hit.path));
        Ok(page)
    }
}

impl From<SearchHit> for FoundNote {
    fn from(hit: SearchHit) -> Self {
        Self {
            path: hit.path.path().clone(),
            title: hit.title,
            excerpt: hit.excerpt,
        }
    }
}
