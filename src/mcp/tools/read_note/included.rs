//! What is added to a note's facts: where its links lead, and which notes link to it.

use std::borrow::Cow;

use serde::Serialize;

use super::super::{
    super::{result, window::LineRange},
    fit,
};
use crate::vault::{
    VaultError,
    client::{Backlinks, LinkingNote},
    markdown::Link,
    path::VaultPath,
};

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
    pub(super) fn of(
        links: &[Link],
        resolved: &[Option<VaultPath>],
        range: &LineRange,
        room: usize,
    ) -> Self {
        let all = links.iter().zip(resolved).map(|(link, path)| OneLink {
            target: format!("{}{}", link.target, link.place),
            path: path.as_ref().map(|path| path.as_str().to_owned()),
            line: link.line,
        });
        let mut all: Vec<OneLink> = all.collect();
        let total = all.len();
        let count = fit::into(all.iter().map(fit::size), room).count;
        let next = all.get(count).map(|link| range.from(link.line));
        all.truncate(count);
        Self {
            total,
            links: all,
            next,
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
                let facts = |note: &'a LinkingNote| OneBacklink {
                    path: note.path.as_str(),
                    title: fit::title(&note.title),
                    line: note.line,
                };
                let sizes = notes.iter().map(|note| fit::size(&facts(note)));
                let count = fit::into(sizes, room).count;
                Some(Self::Known {
                    total: *total,
                    notes: notes.iter().take(count).map(facts).collect(),
                    left_out: Some(total.saturating_sub(count)).filter(|left| *left > 0),
                })
            }
            Backlinks::Building(progress) => {
                let building = VaultError::IndexBuilding {
                    indexed: progress.indexed,
                    total: progress.total,
                };
                let unavailable = result::explanation(&building.into());
                Some(Self::Unavailable { unavailable })
            }
            Backlinks::OtherCommit => Some(Self::Unavailable {
                unavailable: "backlinks are known of the newest state only; leave at out"
                    .to_owned(),
            }),
            Backlinks::NotAsked => None,
        }
    }
}
