//! Calls and answers as they travel: JSON, with paths as text and bytes as Base64.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::vault::{
    filter::NoteFilter,
    storage::{CommitId, CommitInfo, LinkedNote, Lookup, Order, Revision, Sieve, StoredNote},
};

/// A call of a method of [`VaultStorage`](crate::vault::storage::VaultStorage).
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
pub(super) enum Call {
    List {
        dir: String,
        at: Option<CommitId>,
    },
    Read {
        path: String,
        at: Option<CommitId>,
    },
    ReadTogether {
        paths: Vec<String>,
        at: Option<CommitId>,
    },
    Links {
        notes: Vec<LinkedNote<String>>,
        backlinks: usize,
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
    Complete {
        typed: String,
        limit: usize,
    },
    History {
        path: String,
        from: Option<CommitId>,
        page: usize,
        limit: usize,
        diff: bool,
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
    Sweep(WireSweep),
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
    pub(super) const fn is_mutation(&self) -> bool {
        match self {
            Self::List { .. }
            | Self::Read { .. }
            | Self::ReadTogether { .. }
            | Self::Links { .. }
            | Self::Browse { .. }
            | Self::Overview { .. }
            | Self::Complete { .. }
            | Self::History { .. }
            | Self::Hear { .. }
            | Self::Search { .. }
            | Self::Sweep(_) => false,
            Self::Create { .. } | Self::Update { .. } | Self::Delete { .. } => true,
        }
    }
}

/// A listing on the way. Entries are tuples: there can be tens of thousands.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireListing {
    pub(super) commit: Option<CommitId>,
    pub(super) entries: Vec<(String, Revision, u64)>,
}

/// What a path was found to hold, on the way.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireLookup {
    pub(super) commit: Option<CommitId>,
    pub(super) note: Option<WireNote>,
    pub(super) twins: Vec<String>,
}

impl WireLookup {
    /// As it leaves.
    pub(super) fn of(lookup: Lookup) -> Self {
        let twins = lookup.twins.iter();
        Self {
            commit: lookup.commit,
            note: lookup.note.map(|note| WireNote {
                path: note.path.as_str().to_owned(),
                revision: note.revision,
                content: Bytes(note.content),
            }),
            twins: twins.map(|twin| twin.as_str().to_owned()).collect(),
        }
    }

    /// As it arrives, as far as `sieve` lets its paths through.
    pub(super) fn admitted_by(self, sieve: &dyn Sieve) -> Lookup {
        let twins = self.twins.iter();
        Lookup {
            commit: self.commit,
            note: self.note.and_then(|note| {
                Some(StoredNote {
                    path: sieve.admit(&note.path)?,
                    revision: note.revision,
                    content: note.content.0,
                })
            }),
            twins: twins.filter_map(|twin| sieve.admit(twin)).collect(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireNote {
    pub(super) path: String,
    pub(super) revision: Revision,
    pub(super) content: Bytes,
}

/// Bytes as base64, which JSON can carry.
#[derive(Debug)]
pub(super) struct Bytes(pub(super) Vec<u8>);

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

/// A [`SweepQuery`](crate::vault::storage::SweepQuery) on the way.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireSweep {
    pub(super) pattern: String,
    pub(super) dir: String,
    pub(super) filter: NoteFilter,
    pub(super) after: Option<String>,
    pub(super) limit: usize,
    pub(super) budget: u64,
}
