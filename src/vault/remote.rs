//! A backend that runs elsewhere: calls and answers as text.
//!
//! The index lives in an object of its own, reached by messages. [`RemoteStorage`] is its
//! [`VaultStorage`] on the near side; [`answer`] is the far side. Both hold every path against the
//! policy: a witness does not travel, a path does, and it becomes a witness again where it arrives.

use std::{fmt, rc::Rc};

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned, de::Error};

use super::{
    filter::NoteFilter,
    path::{DirPath, VaultPath},
    policy::{VaultPolicy, Visible, Writable},
    storage::{
        BrowsePage, BrowseQuery, CommitId, CommitInfo, Committed, Entry, Indexed, ListQuery,
        Listing, Lookup, Order, Overview, OverviewQuery, Progress, Revision, SearchHit, SearchPage,
        SearchQuery, Sieve, StorageError, StoredNote, VaultStorage,
    },
    text::{Excerpt, Query},
};

/// Carries a call to the far side and its answer back.
#[async_trait(?Send)]
pub trait StorageLink {
    /// Has the far side answer `call` by [`answer`].
    ///
    /// # Errors
    /// [`LinkError`]: whether the call had an effect is then unknown.
    async fn call(&self, call: String) -> Result<String, LinkError>;
}

/// The far side cannot be reached, or failed. The text is for the operator's log only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the vault's object is unavailable: {0}")]
pub struct LinkError(pub String);

/// The near side of a backend that runs elsewhere.
#[derive(Clone)]
pub struct RemoteStorage {
    link: Rc<dyn StorageLink>,
}

impl fmt::Debug for RemoteStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteStorage").finish_non_exhaustive()
    }
}

/// A call of a [`VaultStorage`] method.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
enum Call {
    List {
        dir: String,
        at: Option<CommitId>,
    },
    Read {
        path: String,
        at: Option<CommitId>,
    },
    Browse {
        dir: String,
        depth: Option<usize>,
        filter: NoteFilter,
        order: Order,
        offset: usize,
        limit: usize,
    },
    Overview {
        named: Vec<String>,
    },
    Hear {
        reference: String,
        commit: CommitId,
    },
    Search {
        query: String,
        dir: String,
        filter: NoteFilter,
        offset: usize,
        limit: usize,
    },
    Create {
        path: String,
        content: Bytes,
        info: CommitInfo,
    },
    Update {
        path: String,
        base: Revision,
        content: Bytes,
        info: CommitInfo,
    },
    Delete {
        path: String,
        base: Revision,
        info: CommitInfo,
    },
}

impl Call {
    /// Whether the call changes something.
    const fn is_mutation(&self) -> bool {
        match self {
            Self::List { .. }
            | Self::Read { .. }
            | Self::Browse { .. }
            | Self::Overview { .. }
            | Self::Hear { .. }
            | Self::Search { .. } => false,
            Self::Create { .. } | Self::Update { .. } | Self::Delete { .. } => true,
        }
    }
}

/// A [`Listing`] on the way. Entries are tuples: there can be tens of thousands.
#[derive(Debug, Serialize, Deserialize)]
struct WireListing {
    commit: Option<CommitId>,
    entries: Vec<(String, Revision, u64)>,
}

/// A [`Lookup`] on the way.
#[derive(Debug, Serialize, Deserialize)]
struct WireLookup {
    commit: Option<CommitId>,
    note: Option<WireNote>,
    twins: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireNote {
    path: String,
    revision: Revision,
    content: Bytes,
}

/// A [`SearchPage`] on the way.
#[derive(Debug, Serialize, Deserialize)]
struct WireSearch {
    commit: Option<CommitId>,
    total: usize,
    hits: Vec<WireHit>,
    searched: u64,
    by_path_only: u64,
    unfinished: Option<Progress>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireHit {
    path: String,
    title: String,
    excerpt: Option<Excerpt>,
}

/// Bytes as base64, which JSON can carry.
#[derive(Debug)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        BASE64_STANDARD
            .decode(text.as_bytes())
            .map(Self)
            .map_err(D::Error::custom)
    }
}

impl RemoteStorage {
    /// The backend behind `link`.
    #[must_use]
    pub fn new(link: Rc<dyn StorageLink>) -> Self {
        Self { link }
    }

    async fn call<T: DeserializeOwned>(&self, call: &Call) -> Result<T, StorageError> {
        let body = serde_json::to_string(call).map_err(|error| unexpected(&error))?;
        match self.link.call(body).await {
            Ok(answer) => serde_json::from_str::<Result<T, StorageError>>(&answer)
                .map_err(|error| unexpected(&error))?,
            Err(_) => Err(StorageError::Unavailable {
                outcome_unknown: call.is_mutation(),
            }),
        }
    }
}

fn unexpected(error: &impl fmt::Display) -> StorageError {
    StorageError::Unexpected(error.to_string())
}

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
        let WireLookup {
            commit,
            note,
            twins,
        } = self.call(&call).await?;
        let note = note.and_then(|note| {
            Some(StoredNote {
                path: sieve.admit(&note.path)?,
                revision: note.revision,
                content: note.content.0,
            })
        });
        let twins = twins.iter().filter_map(|twin| sieve.admit(twin)).collect();
        Ok(Lookup {
            commit,
            note,
            twins,
        })
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
        let found: WireSearch = self.call(&call).await?;
        let hits = found.hits.into_iter().filter_map(|hit| {
            let path = query.sieve.admit(&hit.path)?;
            Some(SearchHit {
                path,
                title: hit.title,
                excerpt: hit.excerpt,
            })
        });
        Ok(SearchPage {
            commit: found.commit,
            total: found.total,
            hits: hits.collect(),
            searched: found.searched,
            by_path_only: found.by_path_only,
            unfinished: found.unfinished,
        })
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

/// The far side: has `storage` answer a call, for what `policy` lets through.
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
        Call::Browse {
            dir,
            depth,
            filter,
            order,
            offset,
            limit,
        } => text(&match DirPath::parse(&dir) {
            Err(error) => Err(unexpected(&error)),
            Ok(dir) => {
                let query = BrowseQuery {
                    sieve: policy,
                    dir,
                    depth,
                    filter: &filter,
                    order,
                    offset,
                    limit,
                };
                let page = storage.browse(&query).await;
                page.map(|page| page.map(|page| page.with_paths(as_text)))
            }
        }),
        Call::Overview { named } => {
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            let query = OverviewQuery {
                sieve: policy,
                named: &named,
            };
            let overview = storage.overview(&query).await;
            text(&overview.map(|overview| overview.map(|facts| facts.with_paths(as_text))))
        }
        Call::Hear { reference, commit } => text(&storage.hear_of(&reference, &commit).await),
        Call::Search {
            query,
            dir,
            filter,
            offset,
            limit,
        } => text(&search(storage, policy, &query, (&dir, &filter), (offset, limit)).await),
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

/// A witness as it travels.
#[expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "the shape of a conversion of paths"
)]
fn as_text(path: Visible) -> Option<String> {
    Some(path.as_str().to_owned())
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
    let lookup = storage.read(policy, &note, at).await?;
    Ok(WireLookup {
        commit: lookup.commit,
        note: lookup.note.map(|note| WireNote {
            path: note.path.as_str().to_owned(),
            revision: note.revision,
            content: Bytes(note.content),
        }),
        twins: lookup
            .twins
            .iter()
            .map(|twin| twin.as_str().to_owned())
            .collect(),
    })
}

async fn search(
    storage: &dyn VaultStorage,
    policy: &VaultPolicy,
    query: &str,
    (dir, filter): (&str, &NoteFilter),
    (offset, limit): (usize, usize),
) -> Result<WireSearch, StorageError> {
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
    let found = storage.search(&asked).await?;
    let hits = found.hits.into_iter().map(|hit| WireHit {
        path: hit.path.as_str().to_owned(),
        title: hit.title,
        excerpt: hit.excerpt,
    });
    Ok(WireSearch {
        commit: found.commit,
        total: found.total,
        hits: hits.collect(),
        searched: found.searched,
        by_path_only: found.by_path_only,
        unfinished: found.unfinished,
    })
}

fn writable(policy: &VaultPolicy, path: &str) -> Result<Writable, StorageError> {
    let parsed = VaultPath::parse(path).map_err(|error| unexpected(&error))?;
    policy
        .write(&parsed)
        .map_err(|_| unexpected(&"a path that policy does not let be written"))
}
