//! The near side: calls go out, and what comes back is held against the caller's policy.

use async_trait::async_trait;

use super::{
    RemoteStorage, as_text,
    wire::{Bytes, Call, WireListing, WireLookup, WireSweep},
};
use crate::vault::{
    policy::{Visible, Writable},
    storage::{
        BrowsePage, BrowseQuery, CommitId, CommitInfo, Committed, CompletionPage, CompletionQuery,
        Entry, HistoryPage, HistoryQuery, Indexed, LinkQuery, Links, ListQuery, Listing, Lookup,
        Lookups, Overview, OverviewQuery, Revision, SearchPage, SearchQuery, Sieve, StorageError,
        SweepPage, SweepQuery, VaultStorage,
    },
};

#[async_trait(?Send)]
impl VaultStorage for RemoteStorage {
    async fn list(&self, query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        let call = Call::List {
            dir: query.dir.as_str().to_owned(),
            at: query.at.clone(),
        };
        let WireListing { commit, entries } = self.call(&call).await?;
        let entries = entries
            .into_iter()
            .filter_map(|(path, revision, bytes)| {
                Some(Entry {
                    path: query.sieve.admit(&path)?,
                    revision,
                    bytes,
                })
            })
            .collect();
        Ok(Listing { commit, entries })
    }

    async fn read(
        &self,
        sieve: &dyn Sieve,
        note: &Visible,
        at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        let call = Call::Read {
            path: note.as_str().to_owned(),
            at: at.cloned(),
        };
        let lookup: WireLookup = self.call(&call).await?;
        Ok(lookup.admitted_by(sieve))
    }

    async fn read_together(
        &self,
        sieve: &dyn Sieve,
        notes: &[Visible],
        at: Option<&CommitId>,
    ) -> Result<Lookups, StorageError> {
        let call = Call::ReadTogether {
            paths: notes.iter().map(|note| note.as_str().to_owned()).collect(),
            at: at.cloned(),
        };
        let lookups: Vec<Result<WireLookup, StorageError>> = self.call(&call).await?;
        let lookups = lookups.into_iter();
        Ok(lookups
            .map(|lookup| Ok(lookup?.admitted_by(sieve)))
            .collect())
    }

    async fn links(&self, query: &LinkQuery<'_>) -> Result<Indexed<Links>, StorageError> {
        let notes = query.notes.iter().cloned();
        let call = Call::Links {
            notes: notes.filter_map(|note| note.with_path(as_text)).collect(),
            backlinks: query.backlinks,
        };
        let links: Indexed<Links<String>> = self.call(&call).await?;
        Ok(links.map(|links| links.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn browse(&self, query: &BrowseQuery<'_>) -> Result<Indexed<BrowsePage>, StorageError> {
        let call = Call::Browse {
            dir: query.dir.as_str().to_owned(),
            depth: query.depth,
            filter: query.filter.clone(),
            order: query.order,
            offset: query.offset,
            limit: query.limit,
        };
        let page: Indexed<BrowsePage<String>> = self.call(&call).await?;
        Ok(page.map(|page| page.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn overview(&self, query: &OverviewQuery<'_>) -> Result<Indexed<Overview>, StorageError> {
        let call = Call::Overview {
            named: query.named.iter().map(ToString::to_string).collect(),
        };
        let overview: Indexed<Overview<String>> = self.call(&call).await?;
        Ok(overview.map(|overview| overview.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn complete(
        &self,
        query: &CompletionQuery<'_>,
    ) -> Result<Indexed<CompletionPage>, StorageError> {
        let call = Call::Complete {
            typed: query.typed.to_owned(),
            limit: query.limit,
        };
        let page: Indexed<CompletionPage<String>> = self.call(&call).await?;
        Ok(page.map(|page| page.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn history(&self, query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        let call = Call::History {
            path: query.note.as_str().to_owned(),
            from: query.from.clone(),
            page: query.page,
            limit: query.limit,
            diff: query.diff,
        };
        let page: HistoryPage<String> = self.call(&call).await?;
        Ok(page.with_paths(|path| query.sieve.admit(&path)))
    }

    async fn hear_of(&self, reference: &str, commit: &CommitId) -> Result<(), StorageError> {
        self.call(&Call::Hear {
            reference: reference.to_owned(),
            commit: commit.clone(),
        })
        .await
    }

    async fn search(&self, query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        let call = Call::Search {
            query: query.query.as_str().to_owned(),
            dir: query.dir.as_str().to_owned(),
            filter: query.filter.clone(),
            offset: query.offset,
            limit: query.limit,
        };
        let page: SearchPage<String> = self.call(&call).await?;
        Ok(page.with_paths(|path| query.sieve.admit(&path)))
    }

    async fn sweep(&self, query: &SweepQuery<'_>) -> Result<Indexed<SweepPage>, StorageError> {
        let call = Call::Sweep(WireSweep {
            pattern: query.pattern.as_str().to_owned(),
            dir: query.dir.as_str().to_owned(),
            filter: query.filter.clone(),
            after: query.after.as_ref().map(|path| path.as_str().to_owned()),
            limit: query.limit,
            budget: query.budget,
        });
        let page: Indexed<SweepPage<String>> = self.call(&call).await?;
        Ok(page.map(|page| page.with_paths(|path| query.sieve.admit(&path))))
    }

    async fn create(
        &self,
        _sieve: &dyn Sieve,
        note: &Writable,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.call(&Call::Create {
            path: note.as_str().to_owned(),
            content: Bytes(content.to_vec()),
            info: info.clone(),
        })
        .await
    }

    async fn update(
        &self,
        note: &Writable,
        base: &Revision,
        content: &[u8],
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.call(&Call::Update {
            path: note.as_str().to_owned(),
            base: base.clone(),
            content: Bytes(content.to_vec()),
            info: info.clone(),
        })
        .await
    }

    async fn delete(
        &self,
        note: &Writable,
        base: &Revision,
        info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.call(&Call::Delete {
            path: note.as_str().to_owned(),
            base: base.clone(),
            info: info.clone(),
        })
        .await
    }
}
