//! Where a note's links lead, and which notes link to it.

use super::{Note, Reading, VaultClient};
use crate::vault::{
    error::VaultError,
    links::Targets,
    markdown::Link,
    path::{DirPath, VaultPath},
    storage::{Backlink, CommitId, Indexed, LinkQuery, LinkedNote, NoteLinks, Progress},
};

/// The most backlinks that are named of one note.
pub const MAX_BACKLINKS: usize = 100;

/// How often notes and links are asked for until they are of one commit.
const ATTEMPTS: usize = 3;

/// Where the links of one note lead, and which lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// Every link with the note that it leads to; `None` where that is none that may be shown: it is
    /// not there, or it is hidden, or it is no note.
    pub links: Vec<(Link, Option<VaultPath>)>,
    /// Which notes link here.
    pub backlinks: Backlinks,
}

/// Which notes link to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backlinks {
    /// These.
    Known {
        /// How many other notes link here.
        total: usize,
        /// The first [`MAX_BACKLINKS`] of them by path.
        notes: Vec<Backlink<VaultPath>>,
    },
    /// It is not known yet.
    Building(Progress),
    /// It is known of another commit than the one that was read.
    OtherCommit,
    /// Nobody asked.
    NotAsked,
}

impl VaultClient {
    /// Reads several notes, and finds out where those of their links lead that `links_of` names.
    ///
    /// Everything is of one commit. Where the branch moves on between the two questions, both are asked
    /// again; where it does so every time, backlinks are said to be of another commit.
    ///
    /// # Errors
    /// As of [`Self::read_together`].
    pub async fn read_linked(
        &self,
        (paths, at): (&[&str], Option<&str>),
        links_of: impl Fn(&Note) -> Vec<Link>,
        with_backlinks: bool,
    ) -> Result<(Reading, Vec<Linked>), VaultError> {
        let mut attempts_left = ATTEMPTS;
        loop {
            attempts_left -= 1;
            let reading = self.read_together(paths, at).await?;
            let notes = reading
                .notes
                .iter()
                .filter_map(|read| read.note.as_ref().ok());
            let notes: Vec<_> = notes.map(|note| (note, links_of(note))).collect();
            let asked = notes.iter().map(|(note, links)| (*note, links.as_slice()));
            let asked: Vec<_> = asked.collect();
            let commit = reading.commit.as_ref();
            let linked = self.links(&asked, commit, with_backlinks).await?;
            let has_moved = linked
                .iter()
                .any(|each| each.backlinks == Backlinks::OtherCommit);
            if !has_moved || at.is_some() || attempts_left == 0 {
                return Ok((reading, linked));
            }
        }
    }

    /// Finds out where the links of `notes` lead, which were read at `commit`, and, if
    /// `with_backlinks`, which notes link to them. The answers come in the order of the notes.
    ///
    /// While there is no index, and of a commit that is not its own, links are followed all the same.
    ///
    /// # Errors
    /// What the backend reports.
    async fn links(
        &self,
        notes: &[(&Note, &[Link])],
        commit: Option<&CommitId>,
        with_backlinks: bool,
    ) -> Result<Vec<Linked>, VaultError> {
        let asked = notes.iter().map(|(note, links)| {
            let path = self.visible(note.path.as_str())?;
            let targets = links.iter().map(|link| link.target.clone());
            Ok(LinkedNote {
                path,
                targets: targets.collect(),
            })
        });
        let asked = asked.collect::<Result<Vec<LinkedNote>, VaultError>>()?;
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let query = LinkQuery {
            sieve: &*self.policy,
            notes: &asked,
            backlinks: if with_backlinks { MAX_BACKLINKS } else { 0 },
        };
        let answer = self.storage.links(&query).await;
        let answer = answer.map_err(|error| VaultError::from_storage("", error))?;
        let why = match answer {
            Indexed::Answer(links) if links.commit.as_ref() == commit => {
                let links =
                    links.with_paths(|path| self.readmit(&path).then(|| path.path().clone()));
                let linked = notes.iter().zip(links.notes);
                return Ok(linked
                    .map(|((_, links), found)| linked_note(links, found, with_backlinks))
                    .collect());
            }
            Indexed::Answer(_) => Backlinks::OtherCommit,
            Indexed::Building(progress) => Backlinks::Building(progress),
        };
        let backlinks = if with_backlinks {
            why
        } else {
            Backlinks::NotAsked
        };
        self.links_in_tree(notes, commit, &backlinks).await
    }

    /// Where links lead among the notes of `commit`.
    async fn links_in_tree(
        &self,
        notes: &[(&Note, &[Link])],
        commit: Option<&CommitId>,
        backlinks: &Backlinks,
    ) -> Result<Vec<Linked>, VaultError> {
        let needed = notes.iter().any(|(_, links)| !links.is_empty());
        let entries = if needed {
            self.listing(&DirPath::root(), commit).await?.entries
        } else {
            Vec::new()
        };
        let targets = Targets::of(entries.iter().map(|entry| entry.path.as_str()));
        let linked = notes.iter().map(|(note, links)| {
            let links = links.iter().map(|link| {
                let found = targets.resolve(note.path.as_str(), &link.target);
                (
                    link.clone(),
                    found.and_then(|path| VaultPath::parse(path).ok()),
                )
            });
            Linked {
                links: links.collect(),
                backlinks: backlinks.clone(),
            }
        });
        Ok(linked.collect())
    }
}

/// What the index answered about one note.
fn linked_note(links: &[Link], found: NoteLinks<VaultPath>, with_backlinks: bool) -> Linked {
    Linked {
        links: links.iter().cloned().zip(found.resolved).collect(),
        backlinks: if with_backlinks {
            Backlinks::Known {
                total: found.backlinks_total,
                notes: found.backlinks,
            }
        } else {
            Backlinks::NotAsked
        },
    }
}
