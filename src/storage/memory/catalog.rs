//! The measure of what an index answers about notes: every note is read, and nothing remembered.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    runtime::Timestamp,
    vault::{
        filter::NoteFilter,
        links::Targets,
        markdown::{Link, Metadata},
        path::{DirPath, VaultPath, fold},
        policy::Visible,
        storage::{
            Backlink, BrowsePage, BrowseQuery, CatalogEntry, CommitId, FolderCount, LinkQuery,
            Links, NoteLinks, Order, Overview, OverviewQuery, RECENT, Revision, SearchHit,
            SearchPage, SearchQuery, StorageError, SweepPage, SweepQuery, TOP_TAGS, TagCount,
        },
        text::{self, Document, Sweep},
    },
};

/// A note that is read for an answer.
#[derive(Clone, Debug)]
pub struct Read<'a> {
    /// Where it is.
    pub path: Visible,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// When it was last changed, where known.
    pub modified: Option<Timestamp>,
}

impl Read<'_> {
    /// What it says of itself. A note that is no text says nothing.
    fn metadata(&self) -> Metadata {
        let text = str::from_utf8(self.bytes).unwrap_or_default();
        Metadata::of(self.path.path(), text)
    }

    fn entry(&self) -> CatalogEntry {
        CatalogEntry {
            path: self.path.clone(),
            title: self.metadata().title,
            revision: Revision::of(self.bytes),
            bytes: self.bytes.len() as u64,
            modified: self.modified,
        }
    }

    /// How many folders are above it.
    fn level(&self) -> usize {
        self.path.path().segments().count() - 1
    }
}

/// The page of `query` out of all `notes`, which are in the order of their paths.
#[must_use]
pub fn browse(commit: Option<CommitId>, notes: &[Read<'_>], query: &BrowseQuery<'_>) -> BrowsePage {
    let below: Vec<(&Read<'_>, Metadata)> = notes
        .iter()
        .filter(|note| query.dir.strip(note.path.as_str()).is_some())
        .map(|note| (note, note.metadata()))
        .collect();
    let is_meant =
        |(note, metadata): &&(&Read<'_>, Metadata)| query.filter.admits(metadata, note.modified);
    let is_near = |note: &Read<'_>| query.last_level().is_none_or(|last| note.level() <= last);
    let meant: Vec<&Read<'_>> = below
        .iter()
        .filter(is_meant)
        .map(|(note, _)| *note)
        .collect();
    let mut near: Vec<&Read<'_>> = meant.iter().copied().filter(|note| is_near(note)).collect();
    if query.order == Order::Modified {
        near.sort_by_key(|note| std::cmp::Reverse(note.modified));
    }
    let by_age = query.order == Order::Modified || query.filter.modified_since().is_some();
    let is_undated = |(note, metadata): &&(&Read<'_>, Metadata)| {
        by_age && note.modified.is_none() && is_near(note) && query.filter.admits_metadata(metadata)
    };
    let page = near.iter().skip(query.offset).take(query.limit);
    BrowsePage {
        commit,
        total: near.len(),
        entries: page.map(|note| note.entry()).collect(),
        folders: folders(&meant, query.folder_level()),
        undated: below.iter().filter(is_undated).count(),
    }
}

/// All `notes`, which are in the order of their paths, summed up.
#[must_use]
pub fn overview(
    commit: Option<CommitId>,
    notes: &[Read<'_>],
    query: &OverviewQuery<'_>,
) -> Overview {
    let mut tags: BTreeMap<String, (BTreeSet<String>, usize)> = BTreeMap::new();
    for tag in notes.iter().flat_map(|note| note.metadata().tags) {
        let (shown, count) = tags.entry(tag.fold()).or_default();
        shown.insert(tag.to_string());
        *count += 1;
    }
    let distinct_tags = tags.len();
    let mut tags: Vec<TagCount> = tags
        .into_values()
        .filter_map(|(shown, notes)| {
            let tag = shown.into_iter().next()?;
            Some(TagCount { tag, notes })
        })
        .collect();
    tags.sort_by_key(|tag| std::cmp::Reverse(tag.notes));
    tags.truncate(TOP_TAGS);
    let mut recent: Vec<&Read<'_>> = notes.iter().filter(|n| n.modified.is_some()).collect();
    let undated = notes.len() - recent.len();
    recent.sort_by_key(|note| std::cmp::Reverse(note.modified));
    let is_named = |note: &&Read<'_>| query.named.contains(&fold(note.path.as_str()).as_str());
    Overview {
        commit,
        notes: notes.len(),
        bytes: notes.iter().map(|note| note.bytes.len() as u64).sum(),
        folders: folders(&notes.iter().collect::<Vec<_>>(), 1),
        tags,
        distinct_tags,
        recent: recent.iter().take(RECENT).map(|n| n.entry()).collect(),
        undated,
        named: notes.iter().filter(is_named).map(Read::entry).collect(),
        answered_at: None,
        checked_at: None,
        token_expires_at: None,
    }
}

/// Where the links from and to some of `notes` lead.
#[must_use]
pub fn links(commit: Option<CommitId>, notes: &[Read<'_>], query: &LinkQuery<'_>) -> Links {
    let targets = Targets::of(notes.iter().map(|note| note.path.as_str()));
    let find = |path: &str| notes.iter().find(|note| note.path.as_str() == path);
    let answer = query.notes.iter().map(|asked| {
        let to = asked.path.as_str();
        let resolve = |from: &str, target: &str| targets.resolve(from, target);
        let resolved = asked.targets.iter();
        let resolved = resolved.map(|target| Some(find(resolve(to, target)?)?.path.clone()));
        let mut backlinks: Vec<Backlink> = notes
            .iter()
            .filter(|note| note.path.as_str() != to)
            .filter_map(|note| {
                let metadata = note.metadata();
                let from = note.path.as_str();
                let leads_here = |link: &&Link| resolve(from, &link.target) == Some(to);
                Some(Backlink {
                    line: metadata.links.iter().find(leads_here)?.line,
                    path: note.path.clone(),
                    title: metadata.title,
                })
            })
            .collect();
        let backlinks_total = backlinks.len();
        backlinks.truncate(query.backlinks);
        NoteLinks {
            resolved: resolved.collect(),
            backlinks_total: if query.backlinks == 0 {
                0
            } else {
                backlinks_total
            },
            backlinks,
        }
    });
    Links {
        commit,
        notes: answer.collect(),
    }
}

/// What `query` finds in `notes`.
pub(super) fn search(
    commit: Option<CommitId>,
    notes: &[Read<'_>],
    query: &SearchQuery<'_>,
) -> SearchPage {
    let meant = meant(notes, &query.dir, query.filter);
    let documents = meant.iter().map(|(path, text)| Document {
        path: path.path(),
        text: text.unwrap_or_default(),
    });
    let found = text::search(query.query, documents);
    let total = found.len();
    let page = found.into_iter().skip(query.offset).take(query.limit);
    let admit = |path: VaultPath| query.sieve.admit(path.as_str());
    let hits = page.map(SearchHit::from);
    SearchPage {
        commit,
        total,
        hits: hits.filter_map(|hit| hit.with_path(admit)).collect(),
        searched: meant.len() as u64,
        by_path_only: without_text(&meant),
        unfinished: None,
    }
}

/// The notes below `dir` that `filter` admits, with their texts. One that is no text is searched by
/// its path, as if it were empty.
fn meant<'a>(
    notes: &'a [Read<'_>],
    dir: &DirPath,
    filter: &NoteFilter,
) -> Vec<(&'a Visible, Option<&'a str>)> {
    notes
        .iter()
        .filter(|note| dir.strip(note.path.as_str()).is_some())
        .map(|note| (&note.path, str::from_utf8(note.bytes).ok()))
        .filter(|(path, text)| is_meant(filter, path, text.unwrap_or_default()))
        .collect()
}

fn without_text(notes: &[(&Visible, Option<&str>)]) -> u64 {
    notes.iter().filter(|(_, text)| text.is_none()).count() as u64
}

/// What `query` finds in `notes`, which are in the order of their paths.
///
/// # Errors
/// [`StorageError::Unexpected`] for a pattern that no engine takes.
pub fn sweep(
    commit: Option<CommitId>,
    notes: &[Read<'_>],
    query: &SweepQuery<'_>,
) -> Result<SweepPage, StorageError> {
    let meant = meant(notes, &query.dir, query.filter);
    let after = query.after.as_ref().map(Visible::as_str);
    let mut end =
        meant.partition_point(|(path, _)| after.is_some_and(|after| path.as_str() <= after));
    let mut sweep = Sweep::new(query.pattern, query.limit, query.budget)
        .map_err(|error| StorageError::Unexpected(error.to_string()))?;
    for (path, text) in meant.iter().skip(end) {
        let (path, text) = (path.path(), text.unwrap_or_default());
        if !sweep.affords((path.as_str().len() + text.len()) as u64) {
            break;
        }
        sweep.look_at(&Document { path, text });
        end += 1;
    }
    let (hits, found) = sweep.into_found();
    let admit = |path: VaultPath| query.sieve.admit(path.as_str());
    let hits = hits.into_iter().map(SearchHit::from);
    let (covered, behind) = meant.split_at(end);
    let last = covered.last().filter(|_| !behind.is_empty());
    Ok(SweepPage {
        commit,
        found,
        hits: hits.filter_map(|hit| hit.with_path(admit)).collect(),
        searched: covered.len() as u64,
        by_path_only: without_text(covered),
        unsearched: behind.len() as u64,
        stopped_at: last.map(|(path, _)| (*path).clone()),
    })
}

/// Whether the filter admits a note that says `text`.
fn is_meant(filter: &NoteFilter, path: &Visible, text: &str) -> bool {
    filter.is_empty() || filter.admits(&Metadata::of(path.path(), text), None)
}

/// The folders of `level` segments, with how many of `notes` lie below each.
fn folders(notes: &[&Read<'_>], level: usize) -> Vec<FolderCount> {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for note in notes.iter().filter(|note| note.level() >= level) {
        let segments: Vec<&str> = note.path.path().segments().take(level).collect();
        *folders.entry(segments.join("/")).or_default() += 1;
    }
    folders
        .into_iter()
        .map(|(path, notes)| FolderCount { path, notes })
        .collect()
}
