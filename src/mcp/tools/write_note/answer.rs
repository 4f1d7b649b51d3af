//! What `write_note` answers: facts, and what changed in a block of its own.

use rmcp::model::CallToolResult;
use serde::Serialize;

use super::super::{
    super::result,
    commit::{CommitFacts, ReplacedFacts},
};
use crate::vault::{
    client::{WriteOutcome, Written},
    diff::Diff,
};

/// The facts of an answer.
#[derive(Serialize)]
struct Facts<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    created: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unchanged: bool,
    revision: &'a str,
    bytes: usize,
    #[serde(flatten)]
    commit: CommitFacts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<ReplacedFacts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<DiffFacts>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// What the diff in the next block holds.
#[derive(Serialize)]
struct DiffFacts {
    added: usize,
    removed: usize,
    /// Lines of it that are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

impl DiffFacts {
    fn of(diff: &Diff) -> Self {
        Self {
            added: diff.added,
            removed: diff.removed,
            left_out: Some(diff.left_out).filter(|lines| *lines > 0),
        }
    }
}

/// The answer to a write that was made, or tried.
pub(super) fn of(written: &Written) -> CallToolResult {
    let texts = written.diff.iter().map(|diff| diff.text.clone());
    result::answer(&facts(written), texts.collect())
}

fn facts(written: &Written) -> Facts<'_> {
    let base = Facts {
        path: written.path.as_str(),
        dry_run: false,
        created: false,
        unchanged: false,
        revision: written.revision.as_str(),
        bytes: written.bytes,
        commit: CommitFacts::at(None),
        replaced: None,
        diff: written.diff.as_ref().map(DiffFacts::of),
        warnings: warnings(written),
    };
    match &written.outcome {
        WriteOutcome::Created(committed) => Facts {
            created: true,
            commit: CommitFacts::of(committed),
            ..base
        },
        WriteOutcome::Replaced {
            committed,
            replaced,
        } => Facts {
            commit: CommitFacts::of(committed),
            replaced: Some(ReplacedFacts::of(replaced)),
            ..base
        },
        WriteOutcome::Unchanged { commit } => Facts {
            unchanged: true,
            commit: CommitFacts::at(commit.as_ref()),
            ..base
        },
        WriteOutcome::Planned { commit, replaced } => Facts {
            dry_run: true,
            created: replaced.is_none(),
            commit: CommitFacts::at(commit.as_ref()),
            replaced: replaced.as_ref().map(ReplacedFacts::of),
            ..base
        },
    }
}

fn warnings(written: &Written) -> Vec<String> {
    let recreated = match &written.outcome {
        WriteOutcome::Created(committed) | WriteOutcome::Replaced { committed, .. } => {
            committed.recreated
        }
        WriteOutcome::Unchanged { .. } | WriteOutcome::Planned { .. } => false,
    };
    let recreated = recreated
        .then(|| "the note had been deleted by somebody else; this write made it again".to_owned());
    let unlinkable = written
        .unlinkable
        .as_ref()
        .map(|problem| format!("wikilinks cannot reach this note: {problem}"));
    recreated.into_iter().chain(unlinkable).collect()
}
