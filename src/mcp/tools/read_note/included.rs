//! What is added to a note's facts: where its links lead, and which notes link to it.

use std::borrow::Cow;

use serde::Serialize;

use super::super::{
    super::{result, window::LineRange},
    fit,
};
use crate::vault::{VaultError, client::Backlinks, markdown::Link, path::VaultPath};

/// The links in what was read.
#[derive(Serialize)]
pub(super) struct LinkFacts {
    total: usize,
    links: Vec<OneLink>,
    /// The lines on which those are that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize)]
struct OneLink {
    /// As it is written.
    target: String,
    /// The note that it leads to; null where that is none of the vault's notes.
    path: Option<String>,
    line: usize,
}

impl LinkFacts {
    /// The links of `range` with where they lead, as many as fit into `room` characters.
    pub(super) fn of(links: &[(Link, Option<VaultPath>)], range: &LineRange, room: usize) -> Self {
        let facts = links.iter().map(|(link, path)| OneLink {
            target: format!("{}{}", link.target, link.place),
            path: path.as_ref().map(|path| path.as_str().to_owned()),
            line: link.line,
        });
        let (shown, cut) = fit::first(facts, room);
        Self {
            total: links.len(),
            links: shown,
            next: cut.map(|link| range.from(link.line)),
        }
    }
}

/// The notes that link to one.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum BacklinkFacts<'a> {
    Known {
        total: usize,
        notes: Vec<OneBacklink<'a>>,
        /// How many of them did not fit.
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<usize>,
    },
    Unavailable {
        /// Why they are not known.
        unavailable: String,
    },
}

#[derive(Serialize)]
pub(super) struct OneBacklink<'a> {
    path: &'a str,
    title: Cow<'a, str>,
    line: usize,
}

impl<'a> BacklinkFacts<'a> {
    /// The backlinks, as many as fit into `room` characters; `None` where nobody asked for them.
    pub(super) fn of(backlinks: &'a Backlinks, room: usize) -> Option<Self> {
        match backlinks {
            Backlinks::Known { total, notes } => {
                let facts = notes.iter().map(|note| OneBacklink {
                    path: note.path.as_str(),
                    title: fit::title(&note.title),
                    line: note.line,
                });
                let (notes, _) = fit::first(facts, room);
                Some(Self::Known {
                    total: *total,
                    left_out: Some(total.saturating_sub(notes.len())).filter(|left| *left > 0),
                    notes,
                })
            }
            Backlinks::Building(progress) => Some(Self::Unavailable {
                unavailable: result::explanation(&VaultError::building(*progress).into()),
            }),
            Backlinks::OtherCommit => Some(Self::Unavailable {
                unavailable: "backlinks are known of the newest state only; leave at out"
                    .to_owned(),
            }),
            Backlinks::NotAsked => None,
        }
    }
}
