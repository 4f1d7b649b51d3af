//! A backend that fails in every way there is, and what a tool says of it.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use vault_mcp::vault::{
    policy::{Visible, Writable},
    storage::{
        AppProblem, CommitId, CommitInfo, Committed, Denial, HistoryPage, HistoryQuery, ListQuery,
        Listing, Lookup, Progress, Revision, SearchPage, SearchQuery, Sieve, StorageError,
        StoredNote, VaultStorage,
    },
};

use crate::support::{app::TestApp, recording::committed};

/// Secrets that a backend may come across. None may ever be shown.
pub(super) const TOKEN: &str = "github_pat_11ABCDEFG0123456789_secret";

/// When a backend fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Looking,
    Changing,
    /// Never, but there is no index yet.
    Building,
}

/// A backend that fails.
#[derive(Debug)]
struct Failing {
    when: When,
    error: StorageError,
}

impl Failing {
    fn fail<T>(&self, when: When, otherwise: T) -> Result<T, StorageError> {
        if self.when == when {
            Err(self.error.clone())
        } else {
            Ok(otherwise)
        }
    }
}

#[async_trait(?Send)]
impl VaultStorage for Failing {
    async fn list(&self, _query: &ListQuery<'_>) -> Result<Listing, StorageError> {
        let nothing = Listing {
            commit: Some(CommitId::of(b"head")),
            entries: Vec::new(),
        };
        self.fail(When::Looking, nothing)
    }

    async fn read(
        &self,
        _sieve: &dyn Sieve,
        note: &Visible,
        _at: Option<&CommitId>,
    ) -> Result<Lookup, StorageError> {
        let there = (note.as_str() == "Note.md").then(|| StoredNote {
            path: note.clone(),
            revision: Revision::of(b"old"),
            content: b"old".to_vec(),
        });
        let lookup = Lookup {
            commit: Some(CommitId::of(b"head")),
            note: there,
            twins: Vec::new(),
        };
        self.fail(When::Looking, lookup)
    }

    async fn history(&self, _query: &HistoryQuery<'_>) -> Result<HistoryPage, StorageError> {
        self.fail(When::Looking, HistoryPage::of_nothing(None))
    }

    async fn search(&self, _query: &SearchQuery<'_>) -> Result<SearchPage, StorageError> {
        let nothing = SearchPage {
            commit: Some(CommitId::of(b"head")),
            total: 0,
            hits: Vec::new(),
            searched: 0,
            by_path_only: 0,
            unfinished: (self.when == When::Building).then_some(Progress {
                indexed: 0,
                total: None,
            }),
        };
        self.fail(When::Looking, nothing)
    }

    async fn create(
        &self,
        _sieve: &dyn Sieve,
        _note: &Writable,
        _content: &[u8],
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.fail(When::Changing, committed())
    }

    async fn update(
        &self,
        _note: &Writable,
        _base: &Revision,
        _content: &[u8],
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.fail(When::Changing, committed())
    }

    async fn delete(
        &self,
        _note: &Writable,
        _base: &Revision,
        _info: &CommitInfo,
    ) -> Result<Committed, StorageError> {
        self.fail(When::Changing, committed())
    }
}

/// Every way in which a backend fails while it looks something up.
pub(super) fn looking() -> Vec<(&'static str, StorageError)> {
    vec![
        ("too large", StorageError::TooLarge { bytes: 120_000_000 }),
        (
            "rate limited",
            StorageError::RateLimited {
                retry_after: Duration::from_secs(61),
            },
        ),
        (
            "rate limited, a moment",
            StorageError::RateLimited {
                retry_after: Duration::from_millis(300),
            },
        ),
        (
            "unavailable",
            StorageError::Unavailable {
                outcome_unknown: false,
            },
        ),
        (
            "unexpected",
            StorageError::Unexpected(format!("Authorization: token {TOKEN}")),
        ),
        (
            "rejected",
            StorageError::Rejected(format!("400: token {TOKEN}")),
        ),
    ]
    .into_iter()
    .chain(denials())
    .collect()
}

/// Every denial, by the name of its variant.
pub(super) fn denials() -> impl Iterator<Item = (&'static str, StorageError)> {
    std::iter::successors(after(None), |(_, denial)| after(Some(denial)))
        .map(|(name, denial)| (name, StorageError::Denied(denial)))
}

/// The denial that follows another one. A variant that is added does not compile before it has a
/// place here.
fn after(denial: Option<&Denial>) -> Option<(&'static str, Denial)> {
    use AppProblem as P;
    use Denial as D;
    Some(match denial {
        None => ("bad credentials", D::BadCredentials),
        Some(D::BadCredentials) => ("locked out", D::LockedOut),
        Some(D::LockedOut) => ("no repository", D::RepositoryNotFound),
        Some(D::RepositoryNotFound) => ("no branch", D::BranchNotFound),
        Some(D::BranchNotFound) => ("no permission", D::MissingPermission),
        Some(D::MissingPermission) => ("archived", D::Archived),
        Some(D::Archived) => ("blocked", D::Blocked),
        Some(D::Blocked) => ("protected branch", D::ProtectedBranch),
        Some(D::ProtectedBranch) => {
            let rule = "commit message must match".to_owned();
            ("rule", D::RuleViolation(rule))
        }
        Some(D::RuleViolation(_)) => {
            let kind = "GitHub Personal Access Token".to_owned();
            ("secret", D::SecretFound(kind))
        }
        Some(D::SecretFound(_)) => ("single sign-on", D::SingleSignOn),
        Some(D::SingleSignOn) => ("address", D::AddressNotAllowed),
        Some(D::AddressNotAllowed) => ("app: key", D::App(P::BadKey)),
        Some(D::App(P::BadKey)) => ("app: clock", D::App(P::WrongClock)),
        Some(D::App(P::WrongClock)) => ("app: not installed", D::App(P::NotInstalled)),
        Some(D::App(P::NotInstalled)) => ("app: suspended", D::App(P::Suspended)),
        Some(D::App(P::Suspended)) => ("app: everywhere", D::App(P::EveryRepository)),
        Some(D::App(P::EveryRepository)) => ("app: elsewhere", D::App(P::OtherRepositories)),
        Some(D::App(P::OtherRepositories)) => {
            let more = "issues: write".to_owned();
            ("app: more rights", D::App(P::ExtraPermissions(more)))
        }
        Some(D::App(P::ExtraPermissions(_))) => ("app: no contents", D::App(P::NoContents)),
        Some(D::App(P::NoContents)) => return None,
    })
}

/// Those in which a change fails, as far as the contract allows them for `tool` on `path`.
pub(super) fn changing(tool: &str, path: &str) -> Vec<(&'static str, StorageError)> {
    let mut all = looking();
    all.retain(|(_, error)| !matches!(error, StorageError::TooLarge { .. }));
    all.extend([
        (
            "outcome unknown",
            StorageError::Unavailable {
                outcome_unknown: true,
            },
        ),
        ("path", StorageError::PathRefused),
        ("withdrawn", StorageError::Withdrawn),
    ]);
    let current = Some(Revision::of(b"theirs"));
    if path == "New.md" {
        all.push(("exists", StorageError::AlreadyExists { revision: current }));
        all.push(("obstructed", StorageError::AlreadyExists { revision: None }));
    } else {
        all.push(("conflict", StorageError::Conflict { current }));
        if tool == "delete_note" {
            all.push(("not found", StorageError::NotFound));
        } else {
            all.push(("gone", StorageError::Conflict { current: None }));
        }
    }
    all
}

/// What a tool says of a backend's error.
pub(super) async fn said(when: When, error: &StorageError, tool: &str, path: &str) -> String {
    let app = TestApp::over(Failing {
        when,
        error: error.clone(),
    });
    let mut arguments = json!({});
    match tool {
        "list_notes" => {}
        "search_notes" => arguments = json!({ "query": "x" }),
        "write_note" => arguments = json!({ "path": path, "content": "new" }),
        _ => arguments = json!({ "path": path }),
    }
    let answer = app.owner().await.call(tool, arguments).await;
    answer.error().to_owned()
}
