//! The facts of an answer.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::included::{BacklinkFacts, LinkFacts};
use crate::vault::{markdown::Properties, storage::CommitId};

/// What can be added to a note's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Item {
    Frontmatter,
    Links,
    Backlinks,
}

/// The facts of one note.
#[derive(Serialize)]
pub(super) struct NoteFacts<'a> {
    pub(super) path: &'a str,
    pub(super) title: Cow<'a, str>,
    pub(super) revision: &'a str,
    pub(super) bytes: usize,
    pub(super) total_lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
    /// Which block of the answer the text is, the facts being block 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text_block: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outline: Option<Vec<HeadingFacts>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frontmatter: Option<Properties>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frontmatter_left_out: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) links: Option<LinkFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backlinks: Option<BacklinkFacts<'a>>,
}

/// The facts of the only note that was asked for.
#[derive(Serialize)]
pub(super) struct OneFacts<'a> {
    #[serde(flatten)]
    pub(super) note: NoteFacts<'a>,
    pub(super) commit: Option<&'a CommitId>,
}

/// A heading.
#[derive(Serialize)]
pub(super) struct HeadingFacts {
    pub(super) level: u8,
    pub(super) text: String,
    pub(super) line: usize,
}

/// The facts of several notes.
#[derive(Serialize)]
pub(super) struct SeveralFacts<'a> {
    pub(super) commit: Option<&'a CommitId>,
    pub(super) notes: Vec<Entry<'a>>,
    /// How many of the asked-for notes are not here, because the answer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<usize>,
    /// Their paths, to be asked for next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) next_paths: Vec<&'a str>,
}

/// What came of one of several paths.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Entry<'a> {
    Note(Box<NoteFacts<'a>>),
    Error { path: Cow<'a, str>, error: String },
}
