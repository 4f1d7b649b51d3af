//! What can go wrong with the vault, as facts.
//!
//! Every variant has a stable code and carries what a sentence about it needs. The sentences for
//! models are made elsewhere; the `Display` text is for logs and tests. Text from outside is
//! carried as it came and shown through [`Echo`] only.

use std::time::Duration;

use super::{
    echo::Echo,
    edit::{EditError, EditProblem, PropertyError},
    markdown::{SectionError, SectionName},
    path::PathError,
    policy::{Denied, NameProblem, Visible},
    storage::{Denial, Progress, Revision, StorageError},
};

/// The stable codes, as they appear on the wire. A code never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// `INVALID_PATH`
    InvalidPath,
    /// `NOT_A_NOTE`
    NotANote,
    /// `NOT_FOUND`
    NotFound,
    /// `READ_ONLY`
    ReadOnly,
    /// `CONFLICT`
    Conflict,
    /// `ALREADY_EXISTS`
    AlreadyExists,
    /// `EDIT_NOT_UNIQUE`
    EditNotUnique,
    /// `EDIT_NOT_FOUND`
    EditNotFound,
    /// `AMBIGUOUS_SECTION`
    AmbiguousSection,
    /// `NOT_UTF8`
    NotUtf8,
    /// `TOO_LARGE`
    TooLarge,
    /// `INVALID_ARGUMENT`
    InvalidArgument,
    /// `RATE_LIMITED`
    RateLimited,
    /// `UPSTREAM_UNAVAILABLE`
    UpstreamUnavailable,
    /// `UPSTREAM_DENIED`
    UpstreamDenied,
    /// `INDEX_BUILDING`
    IndexBuilding,
}

impl Code {
    /// The code on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidPath => "INVALID_PATH",
            Self::NotANote => "NOT_A_NOTE",
            Self::NotFound => "NOT_FOUND",
            Self::ReadOnly => "READ_ONLY",
            Self::Conflict => "CONFLICT",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::EditNotUnique => "EDIT_NOT_UNIQUE",
            Self::EditNotFound => "EDIT_NOT_FOUND",
            Self::AmbiguousSection => "AMBIGUOUS_SECTION",
            Self::NotUtf8 => "NOT_UTF8",
            Self::TooLarge => "TOO_LARGE",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::RateLimited => "RATE_LIMITED",
            Self::UpstreamUnavailable => "UPSTREAM_UNAVAILABLE",
            Self::UpstreamDenied => "UPSTREAM_DENIED",
            Self::IndexBuilding => "INDEX_BUILDING",
        }
    }
}

/// What went wrong. Except where `outcome_unknown` says otherwise, nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// The path is not in plain form, or it may not be changed.
    #[error("invalid path {}: {reason}", Echo(path))]
    InvalidPath {
        /// The path as asked.
        path: String,
        /// What is wrong with it.
        reason: InvalidPath,
    },
    /// The path has another extension than `.md` and `.markdown`.
    #[error("not a note: {}", Echo(path))]
    NotANote {
        /// The path as asked.
        path: String,
    },
    /// There is no such note or folder, or policy does not show it: the two are one answer.
    #[error("not found: {}", Echo(path))]
    NotFound {
        /// The path as asked.
        path: String,
        /// Visible paths that differ from it in letter case or normalization only, where one alone
        /// does not settle what was meant. Never anything for a path that policy does not show.
        near: Vec<String>,
    },
    /// Nothing may be changed.
    #[error(transparent)]
    ReadOnly(ReadOnly),
    /// The note is not what the change was based on.
    #[error("note has changed: {}", Echo(path))]
    Conflict {
        /// The note's path.
        path: String,
        /// The revision that was expected, where one was.
        expected: Option<Revision>,
        /// The note's revision now; `None` when there is no such note.
        current: Option<Revision>,
    },
    /// Something is in the way of a new note: the note itself, or a twin of it or of its folder.
    #[error("already exists: {}", echo_all(existing))]
    AlreadyExists {
        /// The path as asked.
        path: String,
        /// What is in the way; a folder ends in `/`. Nothing where it is something that is never
        /// shown, such as a symbolic link.
        existing: Vec<String>,
        /// The revision of the note that is in the way, where it is one note and known.
        revision: Option<Revision>,
    },
    /// An edit does not say exactly what it replaces.
    #[error("edit {} cannot be made in {}", error.edit, Echo(path))]
    Edit {
        /// The note's path.
        path: String,
        /// Which edit, and why.
        error: EditError,
    },
    /// Properties cannot be changed.
    #[error("{error} in {}", Echo(path))]
    Properties {
        /// The note's path.
        path: String,
        /// Which, and why.
        error: PropertyError,
    },
    /// No section has the heading.
    #[error("no section is called {} in {}", Echo(section), Echo(path))]
    NoSection {
        /// The note's path.
        path: String,
        /// The section as asked.
        section: String,
        /// The headings that there are, from the top.
        existing: Vec<SectionName>,
    },
    /// More than one section has the heading.
    #[error("{} sections are called {} in {}", candidates.len(), Echo(section), Echo(path))]
    AmbiguousSection {
        /// The note's path.
        path: String,
        /// The section as asked.
        section: String,
        /// Those that do, from the top.
        candidates: Vec<SectionName>,
    },
    /// The note's bytes are not UTF-8. They are not shown: a replacement character that is written
    /// back would destroy them.
    #[error("not UTF-8: {}", Echo(path))]
    NotUtf8 {
        /// The note's path.
        path: String,
        /// Its revision.
        revision: Revision,
        /// Its size in bytes.
        bytes: usize,
        /// The offset of the first byte that is not UTF-8.
        offset: usize,
    },
    /// The note is too large.
    #[error("too large: {} has {bytes} bytes", Echo(path))]
    TooLarge {
        /// The note's path.
        path: String,
        /// Its size in bytes.
        bytes: u64,
        /// The most bytes that are taken, where it is us who set the limit.
        limit: Option<u64>,
    },
    /// An argument other than a path makes no sense.
    #[error("invalid argument: {argument} {problem}")]
    InvalidArgument {
        /// The argument's name.
        argument: &'static str,
        /// What is wrong with it, to be read after its name.
        problem: String,
    },
    /// GitHub asks to wait.
    #[error("rate limited for {} seconds", retry_after.as_secs())]
    RateLimited {
        /// How long to wait before the next try.
        retry_after: Duration,
    },
    /// GitHub cannot be reached, fails, or answers what nobody expects.
    #[error("upstream unavailable")]
    UpstreamUnavailable {
        /// Whether a change may have been made all the same.
        outcome_unknown: bool,
        /// What the operator should know. Never part of an answer.
        detail: Option<String>,
    },
    /// GitHub refuses, and will go on refusing until somebody changes a setting.
    #[error("upstream denied: {0}")]
    UpstreamDenied(Denial),
    /// The index is being built, and the question cannot be answered before it is.
    #[error("the index is being built")]
    IndexBuilding {
        /// Notes that are in the index.
        indexed: u64,
        /// Notes that will be in it, where known.
        total: Option<u64>,
    },
}

/// What is wrong with a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    /// It is no path in plain form.
    #[error(transparent)]
    Malformed(#[from] PathError),
    /// Policy does not let it be written; whether it hides, denies or does not allow it, and
    /// whether anything is there, is not said.
    #[error("the vault's policy does not allow changes here")]
    OutsidePolicy,
    /// It names an agent's instruction file, which may be read only.
    #[error("agent instruction files cannot be changed")]
    AgentFile,
    /// Some platform cannot hold the name.
    #[error("{0}")]
    Uncreatable(NameProblem),
    /// GitHub would not have a file of that name.
    #[error("GitHub refuses the path")]
    Upstream,
}

/// Why nothing may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadOnly {
    /// The operator set the whole vault read-only.
    #[error("the vault is read-only")]
    Vault,
    /// This login, or this connection, may only read.
    #[error("this login may only read")]
    Login,
    /// This login was ended or cut down while the change waited for its turn.
    #[error("this login may not write any more")]
    Withdrawn,
}

impl VaultError {
    /// An argument of which `problem` says what is wrong.
    pub(super) fn invalid(argument: &'static str, problem: &impl ToString) -> Self {
        Self::InvalidArgument {
            argument,
            problem: problem.to_string(),
        }
    }

    /// That the index is not ready, and how far it is.
    pub(crate) const fn building(Progress { indexed, total }: Progress) -> Self {
        Self::IndexBuilding { indexed, total }
    }

    /// The error's stable code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::InvalidPath { .. } => Code::InvalidPath,
            Self::NotANote { .. } => Code::NotANote,
            Self::NotFound { .. } | Self::NoSection { .. } => Code::NotFound,
            Self::ReadOnly(_) => Code::ReadOnly,
            Self::Conflict { .. } => Code::Conflict,
            Self::AlreadyExists { .. } => Code::AlreadyExists,
            Self::Edit { error, .. } => match error.problem {
                EditProblem::NotUnique(_) => Code::EditNotUnique,
                EditProblem::NotFound(_) => Code::EditNotFound,
                EditProblem::Empty | EditProblem::Overlaps(_) => Code::InvalidArgument,
            },
            Self::AmbiguousSection { .. } => Code::AmbiguousSection,
            Self::NotUtf8 { .. } => Code::NotUtf8,
            Self::TooLarge { .. } => Code::TooLarge,
            Self::InvalidArgument { .. } | Self::Properties { .. } => Code::InvalidArgument,
            Self::RateLimited { .. } => Code::RateLimited,
            Self::UpstreamUnavailable { .. } => Code::UpstreamUnavailable,
            Self::UpstreamDenied(_) => Code::UpstreamDenied,
            Self::IndexBuilding { .. } => Code::IndexBuilding,
        }
    }

    /// A path that is not in plain form.
    pub(super) fn malformed(path: &str, error: PathError) -> Self {
        Self::InvalidPath {
            path: path.to_owned(),
            reason: InvalidPath::Malformed(error),
        }
    }

    /// What a reader is told about a path that the policy refused.
    pub(super) fn unreadable(path: &str, denied: &Denied) -> Self {
        match denied {
            Denied::NotANote => Self::NotANote {
                path: path.to_owned(),
            },
            // A read is never denied for the other reasons; if it were, it must look the same.
            Denied::Hidden | Denied::ReadOnly | Denied::AgentFile | Denied::Uncreatable(_) => {
                Self::missing(path)
            }
        }
    }

    /// What a writer is told about a path that the policy refused.
    pub(super) fn unwritable(path: &str, denied: Denied) -> Self {
        let reason = match denied {
            Denied::NotANote => {
                return Self::NotANote {
                    path: path.to_owned(),
                };
            }
            Denied::ReadOnly => return Self::ReadOnly(ReadOnly::Vault),
            Denied::Hidden => InvalidPath::OutsidePolicy,
            Denied::AgentFile => InvalidPath::AgentFile,
            Denied::Uncreatable(problem) => InvalidPath::Uncreatable(problem),
        };
        Self::InvalidPath {
            path: path.to_owned(),
            reason,
        }
    }

    /// What a section's address that names no one section of the note at `path` means.
    #[must_use]
    pub fn no_section(path: &str, section: &str, error: SectionError) -> Self {
        let (path, section) = (path.to_owned(), section.to_owned());
        match error {
            SectionError::Unreadable => Self::invalid("section", &error),
            SectionError::NotFound { existing } => Self::NoSection {
                path,
                section,
                existing,
            },
            SectionError::Ambiguous { candidates } => Self::AmbiguousSection {
                path,
                section,
                candidates,
            },
        }
    }

    /// Nothing is there, and nothing near it.
    pub(super) fn missing(path: &str) -> Self {
        Self::not_found(path, &[])
    }

    /// Nothing is there; `near` differ from it in letter case or normalization alone.
    pub(super) fn not_found(path: &str, near: &[Visible]) -> Self {
        Self::NotFound {
            path: path.to_owned(),
            near: near.iter().map(|twin| twin.as_str().to_owned()).collect(),
        }
    }

    /// What a backend's error on a change means for `path`. An answer that nobody expects leaves
    /// open whether the change was made.
    pub(super) fn from_change(path: &str, error: StorageError) -> Self {
        if let StorageError::Unexpected(detail) = error {
            return Self::UpstreamUnavailable {
                outcome_unknown: true,
                detail: Some(detail),
            };
        }
        Self::from_storage(path, error)
    }

    /// What a backend's error means for `path`.
    pub(super) fn from_storage(path: &str, error: StorageError) -> Self {
        let path = path.to_owned();
        match error {
            StorageError::NotFound => Self::NotFound {
                path,
                near: Vec::new(),
            },
            StorageError::AlreadyExists { revision } => Self::AlreadyExists {
                existing: vec![path.clone()],
                path,
                revision,
            },
            StorageError::NoRoom | StorageError::FolderTwin(_) => Self::AlreadyExists {
                existing: Vec::new(),
                path,
                revision: None,
            },
            StorageError::Conflict { current } => Self::Conflict {
                path,
                expected: None,
                current,
            },
            StorageError::UnknownCommit => Self::InvalidArgument {
                argument: "at",
                problem: "is not a commit of the branch's history".to_owned(),
            },
            StorageError::TooLarge { bytes } => Self::TooLarge {
                path,
                bytes,
                limit: None,
            },
            StorageError::Withdrawn => Self::ReadOnly(ReadOnly::Withdrawn),
            StorageError::RateLimited { retry_after } => Self::RateLimited { retry_after },
            StorageError::Unavailable { outcome_unknown } => Self::UpstreamUnavailable {
                outcome_unknown,
                detail: None,
            },
            StorageError::Denied(denial) => Self::UpstreamDenied(denial),
            StorageError::PathRefused => Self::InvalidPath {
                path,
                reason: InvalidPath::Upstream,
            },
            StorageError::Rejected(detail) | StorageError::Unexpected(detail) => {
                Self::UpstreamUnavailable {
                    outcome_unknown: false,
                    detail: Some(detail),
                }
            }
        }
    }
}

/// Texts as an error message may show them, one after another.
fn echo_all(texts: &[String]) -> String {
    texts
        .iter()
        .map(|text| Echo(text).to_string())
        .collect::<Vec<_>>()
        .join(", ")
}
