//! Gets the bytes of notes from GitHub, by as few requests as will do.

use std::collections::BTreeMap;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{
    VaultIndex,
    plan::Wanted,
    unpack::{Unpacked, Unpacker},
};
use crate::{
    storage::github::{Refusal, Tree},
    vault::storage::{CommitId, Revision, StorageError},
};

/// Up to this many blobs are asked for one by one; more come in one archive, which counts as one
/// request however much it holds.
const FEW: usize = 3;

/// How many blobs one run asks for at the most: GitHub counts 5,000 requests an hour.
const RUN: usize = 300;

/// How many blobs are asked for at a time. A Worker has six connections.
const AT_ONCE: usize = 4;

/// The largest repository, in bytes of files, that is fetched as an archive: it carries every
/// attachment too.
const MAX_ARCHIVED: u64 = 1024 * 1024 * 1024;

/// Takes a note that has arrived. Its bytes hash to its revision.
pub(super) type Sink<'a> = dyn FnMut(Wanted, Vec<u8>) -> Result<(), StorageError> + 'a;

impl VaultIndex {
    /// Gives every note of `wanted` to `sink`, and says whether that were all: a run that would
    /// take too many requests ends early.
    pub(super) async fn fetch(
        &self,
        commit: &CommitId,
        tree: &Tree,
        wanted: Vec<Wanted>,
        sink: &mut Sink<'_>,
    ) -> Result<bool, StorageError> {
        let missing = if wanted.len() > FEW && tree.total_bytes() <= MAX_ARCHIVED {
            self.fetch_archive(commit, wanted, sink).await?
        } else {
            wanted
        };
        let complete = missing.len() <= RUN;
        self.fetch_blobs(missing.into_iter().take(RUN).collect(), sink)
            .await?;
        Ok(complete)
    }

    /// Takes notes from the archive of `commit`, and returns those that it does not hold as the
    /// tree has them: `export-ignore` leaves files out and `export-subst` rewrites them
    /// (gitattributes(5)).
    async fn fetch_archive(
        &self,
        commit: &CommitId,
        wanted: Vec<Wanted>,
        sink: &mut Sink<'_>,
    ) -> Result<Vec<Wanted>, StorageError> {
        let mut missing: BTreeMap<String, Wanted> = wanted
            .into_iter()
            .map(|each| (each.path.as_str().to_owned(), each))
            .collect();
        let sizes: BTreeMap<String, u64> = missing
            .iter()
            .map(|(path, each)| (path.clone(), each.bytes))
            .collect();
        let is_wanted = |path: &str, bytes: u64| sizes.get(path) == Some(&bytes);
        let mut unpacker = Unpacker::new(&is_wanted);
        let mut take = |files: Vec<Unpacked>| {
            files
                .into_iter()
                .try_for_each(|file| match missing.remove(&file.path) {
                    Some(each) if Revision::of(&file.content) == each.revision => {
                        sink(each, file.content)
                    }
                    Some(each) => {
                        missing.insert(file.path, each);
                        Ok(())
                    }
                    None => Ok(()),
                })
        };
        let mut archive = self.github.api().tarball(&*self.http, commit).await?;
        while let Some(piece) = archive.next().await {
            let piece = piece.map_err(|_| Refusal::NoOutcome)?;
            take(unpacker.push(&piece).map_err(|error| unreadable(&error))?)?;
        }
        take(unpacker.finish().map_err(|error| unreadable(&error))?)?;
        Ok(missing.into_values().collect())
    }

    async fn fetch_blobs(
        &self,
        wanted: Vec<Wanted>,
        sink: &mut Sink<'_>,
    ) -> Result<(), StorageError> {
        let api = self.github.api();
        let mut arriving = stream::iter(wanted)
            .map(|each| async move {
                let bytes = api.blob(&each.revision).await?;
                Ok::<_, StorageError>((each, bytes))
            })
            .buffer_unordered(AT_ONCE);
        while let Some((each, bytes)) = arriving.try_next().await? {
            sink(each, bytes.into())?;
        }
        Ok(())
    }
}

/// An archive that breaks off is a failure of the connection: another try may bring it whole.
fn unreadable(_: &super::unpack::ArchiveError) -> StorageError {
    StorageError::Unavailable {
        outcome_unknown: false,
    }
}
