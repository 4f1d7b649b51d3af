//! The far side: calls come in, and are answered for what the policy lets through.

use serde::Serialize;

use super::{
    LinkError, as_text, unexpected,
    wire::{Call, WireListing, WireLookup, WireSweep},
};
use crate::vault::{
    filter::NoteFilter,
    path::{DirPath, VaultPath},
    policy::{VaultPolicy, Visible, Writable},
    storage::{
        BrowsePage, BrowseQuery, CommitId, CompletionQuery, HistoryPage, HistoryQuery, Indexed,
        LinkQuery, LinkedNote, Links, ListQuery, Order, Overview, OverviewQuery, SearchPage,
        SearchQuery, Sieve, StorageError, SweepPage, SweepQuery, VaultStorage,
    },
    text::{Pattern, Query},
};

/// Has `storage` answer a call, for what `policy` lets through.
///
/// # Errors
/// [`LinkError`] for a text that is no call of this version, and for an answer that cannot be put
/// into text. A [`StorageError`] is an answer.
pub async fn answer(
    call: &str,
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
) -> Result<String, LinkError> {
    let call: Call = serde_json::from_str(call).map_err(|error| LinkError(error.to_string()))?;
    match call {
        Call::List { dir, at } => text(&list(storage, policy, &dir, at).await),
        Call::Read { path, at } => text(&read(storage, policy, &path, at.as_ref()).await),
        Call::ReadTogether { paths, at } => {
            text(&read_together(storage, policy, &paths, at.as_ref()).await)
        }
        Call::Links { notes, backlinks } => text(&links(storage, policy, notes, backlinks).await),
        Call::Browse {
            dir,
            depth,
            filter,
            order,
            offset,
            limit,
        } => {
            let asked = (depth, &filter, order, offset, limit);
            let page = browse(storage, policy, &dir, asked).await;
            text(&page.map(|page| page.map(|page| page.with_paths(as_text))))
        }
        Call::Overview { named } => text(&overview(storage, policy, &named).await),
        Call::Complete { typed, limit } => {
            let query = CompletionQuery {
                sieve: policy,
                typed: &typed,
                limit,
            };
            let page = storage.complete(&query).await;
            text(&page.map(|page| page.map(|page| page.with_paths(as_text))))
        }
        Call::History {
            path,
            from,
            page,
            limit,
            diff,
        } => text(&match policy.admit(&path) {
            // The near side has asked its own policy; here a hidden path is as good as none.
            None => Ok(HistoryPage::of_nothing(None)),
            Some(note) => {
                let query = HistoryQuery {
                    sieve: policy,
                    note: &note,
                    from,
                    page,
                    limit,
                    diff,
                };
                let page = storage.history(&query).await;
                page.map(|page| page.with_paths(as_text))
            }
        }),
        Call::Hear { reference, commit } => text(&storage.hear_of(&reference, &commit).await),
        Call::Search {
            query,
            dir,
            filter,
            offset,
            limit,
        } => {
            let asked = (&dir[..], &filter);
            let page = search(storage, policy, &query, asked, (offset, limit)).await;
            text(&page.map(|page| page.with_paths(as_text)))
        }
        Call::Sweep(call) => {
            let page = sweep(storage, policy, call).await;
            text(&page.map(|page| page.map(|page| page.with_paths(as_text))))
        }
        Call::Create {
            path,
            content,
            info,
        } => text(&match writable(policy, &path) {
            Ok(note) => storage.create(policy, &note, &content.0, &info).await,
            Err(error) => Err(error),
        }),
        Call::Update {
            path,
            base,
            content,
            info,
        } => text(&match writable(policy, &path) {
            Ok(note) => storage.update(&note, &base, &content.0, &info).await,
            Err(error) => Err(error),
        }),
        Call::Delete { path, base, info } => text(&match writable(policy, &path) {
            Ok(note) => storage.delete(&note, &base, &info).await,
            Err(error) => Err(error),
        }),
    }
}

fn text<T: Serialize>(answer: &Result<T, StorageError>) -> Result<String, LinkError> {
    serde_json::to_string(answer).map_err(|error| LinkError(error.to_string()))
}

async fn list(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    dir: &str,
    at: Option<CommitId>,
) -> Result<WireListing, StorageError> {
    let dir = DirPath::parse(dir).map_err(|error| unexpected(&error))?;
    let listing = storage
        .list(&ListQuery {
            sieve: policy,
            dir,
            at,
        })
        .await?;
    let entries = listing
        .entries
        .into_iter()
        .map(|entry| (entry.path.as_str().to_owned(), entry.revision, entry.bytes))
        .collect();
    Ok(WireListing {
        commit: listing.commit,
        entries,
    })
}

async fn read(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    path: &str,
    at: Option<&CommitId>,
) -> Result<WireLookup, StorageError> {
    // The near side has asked its own policy; here the answer for a hidden path is the same.
    let Some(note) = policy.admit(path) else {
        return Ok(WireLookup {
            commit: None,
            note: None,
            twins: Vec::new(),
        });
    };
    Ok(WireLookup::of(storage.read(policy, &note, at).await?))
}

async fn overview(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    named: &[String],
) -> Result<Indexed<Overview<String>>, StorageError> {
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let query = OverviewQuery {
        sieve: policy,
        named: &named,
    };
    let overview = storage.overview(&query).await?;
    Ok(overview.map(|facts| facts.with_paths(as_text)))
}

async fn read_together(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    paths: &[String],
    at: Option<&CommitId>,
) -> Result<Vec<Result<WireLookup, StorageError>>, StorageError> {
    let notes = paths.iter().map(|path| admitted(policy, path));
    let notes = notes.collect::<Result<Vec<_>, _>>()?;
    let lookups = storage.read_together(policy, &notes, at).await?.into_iter();
    Ok(lookups.map(|lookup| lookup.map(WireLookup::of)).collect())
}

async fn links(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    notes: Vec<LinkedNote<String>>,
    backlinks: usize,
) -> Result<Indexed<Links<String>>, StorageError> {
    let notes = notes.into_iter().map(|note| {
        Ok(LinkedNote {
            path: admitted(policy, &note.path)?,
            targets: note.targets,
        })
    });
    let query = LinkQuery {
        sieve: policy,
        notes: &notes.collect::<Result<Vec<_>, StorageError>>()?,
        backlinks,
    };
    let links = storage.links(&query).await?;
    Ok(links.map(|links| links.with_paths(as_text)))
}

async fn browse(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    dir: &str,
    (depth, filter, order, offset, limit): (Option<usize>, &NoteFilter, Order, usize, usize),
) -> Result<Indexed<BrowsePage>, StorageError> {
    let dir = DirPath::parse(dir).map_err(|error| unexpected(&error))?;
    let query = BrowseQuery {
        sieve: policy,
        dir,
        depth,
        filter,
        order,
        offset,
        limit,
    };
    storage.browse(&query).await
}

async fn search(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    query: &str,
    (dir, filter): (&str, &NoteFilter),
    (offset, limit): (usize, usize),
) -> Result<SearchPage, StorageError> {
    let query = &Query::parse(query).map_err(|error| unexpected(&error))?;
    let dir = DirPath::parse(dir).map_err(|error| unexpected(&error))?;
    let asked = SearchQuery {
        sieve: policy,
        query,
        dir,
        filter,
        offset,
        limit,
    };
    storage.search(&asked).await
}

/// The witness for one of several paths, which the near side has judged by the same policy.
fn admitted(policy: &VaultPolicy, path: &str) -> Result<Visible, StorageError> {
    let hidden = || unexpected(&"a path that policy does not let be read");
    policy.admit(path).ok_or_else(hidden)
}

async fn sweep(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    call: WireSweep,
) -> Result<Indexed<SweepPage>, StorageError> {
    let pattern = &Pattern::parse(&call.pattern).map_err(|error| unexpected(&error))?;
    let dir = DirPath::parse(&call.dir).map_err(|error| unexpected(&error))?;
    let after = call.after.map(|path| admitted(policy, &path)).transpose()?;
    let asked = SweepQuery {
        sieve: policy,
        pattern,
        dir,
        filter: &call.filter,
        after,
        limit: call.limit,
        budget: call.budget,
    };
    storage.sweep(&asked).await
}

fn writable(policy: &VaultPolicy, path: &str) -> Result<Writable, StorageError> {
    let parsed = VaultPath::parse(path).map_err(|error| unexpected(&error))?;
    policy
        .write(&parsed)
        .map_err(|_| unexpected(&"a path that policy does not let be written"))
}
