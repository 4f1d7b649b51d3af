//! Takes a gzipped tar archive apart while it arrives.
//!
//! Nothing is held but the file that is arriving, and that only where it is wanted. The archive is
//! what `git archive` makes of a commit: one folder that holds everything, long and non-ASCII paths
//! in pax headers. Sources: RFC 1952; POSIX.1-2024, `pax`; git-archive(1).

use std::io::Write;

use flate2::write::GzDecoder;
use tar_core::parse::{Limits, ParseError, ParseEvent, Parser};

/// How much is decompressed at a time. Deflate can expand a thousandfold, so this bounds what the
/// smallest input can turn into.
const STEP: usize = 16 * 1024;

/// Files in a tar archive fill blocks of this size.
const BLOCK: u64 = 512;

/// Why an archive could not be read to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiveError {
    /// The compression is broken, or its checksum is wrong.
    #[error("gzip: {0}")]
    Gzip(#[from] std::io::Error),
    /// The archive inside is broken.
    #[error("tar: {0}")]
    Tar(#[from] ParseError),
    /// The archive ends before its end.
    #[error("the archive is cut short")]
    Cut,
}

/// A regular file that was wanted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unpacked {
    /// Its path below the archive's one folder.
    pub(super) path: String,
    /// Its bytes.
    pub(super) content: Vec<u8>,
}

/// Takes in an archive piece by piece.
pub(super) struct Unpacker<'a> {
    gzip: GzDecoder<Vec<u8>>,
    tar: Parser,
    /// Says whether a file is wanted, by path and size.
    wanted: &'a dyn Fn(&str, u64) -> bool,
    /// What is to be done with the bytes that come next.
    state: State,
}

enum State {
    /// They are a header.
    Header,
    /// They are the rest of a file, of which `padded` bytes are left, and `left` before the padding.
    File {
        left: u64,
        padded: u64,
        keep: Option<Unpacked>,
    },
    /// They are nothing: the archive is complete.
    End,
}

impl<'a> Unpacker<'a> {
    pub(super) fn new(wanted: &'a dyn Fn(&str, u64) -> bool) -> Self {
        Self {
            gzip: GzDecoder::new(Vec::new()),
            tar: Parser::new(Limits::default()),
            wanted,
            state: State::Header,
        }
    }

    /// Takes in the next piece, and gives out the wanted files that are complete with it.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<Vec<Unpacked>, ArchiveError> {
        let mut complete = Vec::new();
        for step in piece.chunks(STEP) {
            self.gzip.write_all(step)?;
            self.gzip.flush()?;
            self.advance(&mut complete)?;
        }
        Ok(complete)
    }

    /// Checks that the archive is whole, and gives out what was still held back.
    pub(super) fn finish(mut self) -> Result<Vec<Unpacked>, ArchiveError> {
        let mut complete = Vec::new();
        self.gzip.try_finish()?;
        self.advance(&mut complete)?;
        match self.state {
            State::End => Ok(complete),
            State::Header | State::File { .. } => Err(ArchiveError::Cut),
        }
    }

    /// Goes as far as the decompressed bytes reach.
    fn advance(&mut self, complete: &mut Vec<Unpacked>) -> Result<(), ArchiveError> {
        let buffer = std::mem::take(self.gzip.get_mut());
        let mut rest = buffer.as_slice();
        loop {
            match &mut self.state {
                State::End => return Ok(()),
                State::File { left, padded, keep } => {
                    let here = rest
                        .len()
                        .min(usize::try_from(*padded).unwrap_or(usize::MAX));
                    let (taken, after) = rest.split_at(here);
                    let content = taken
                        .len()
                        .min(usize::try_from(*left).unwrap_or(usize::MAX));
                    if let (Some(file), Some(content)) = (keep.as_mut(), taken.get(..content)) {
                        file.content.extend_from_slice(content);
                    }
                    *left -= content as u64;
                    *padded -= here as u64;
                    rest = after;
                    if *padded > 0 {
                        return Ok(());
                    }
                    complete.extend(keep.take());
                    self.state = State::Header;
                }
                State::Header => match self.tar.parse(rest)? {
                    ParseEvent::NeedData { .. } => {
                        // Headers are parsed again from their start once more of them is there.
                        *self.gzip.get_mut() = rest.to_vec();
                        return Ok(());
                    }
                    ParseEvent::Entry { consumed, entry } => {
                        let size = entry.size;
                        let path = entry.is_file().then(|| inner(&entry.path)).flatten();
                        let keep = path.filter(|path| (self.wanted)(path, size));
                        let keep = keep.map(|path| Unpacked {
                            path: path.to_owned(),
                            content: Vec::new(),
                        });
                        self.state = State::File {
                            left: size,
                            padded: size.next_multiple_of(BLOCK),
                            keep,
                        };
                        rest = rest.get(consumed..).unwrap_or_default();
                    }
                    ParseEvent::SparseEntry {
                        consumed, entry, ..
                    } => {
                        // Git writes none; its map would have to be applied, so it is passed over.
                        let size = entry.size;
                        self.state = State::File {
                            left: size,
                            padded: size.next_multiple_of(BLOCK),
                            keep: None,
                        };
                        rest = rest.get(consumed..).unwrap_or_default();
                    }
                    ParseEvent::GlobalExtensions { consumed, .. } => {
                        rest = rest.get(consumed..).unwrap_or_default();
                    }
                    ParseEvent::End { .. } => self.state = State::End,
                },
            }
        }
    }
}

/// The path below the archive's one folder; `None` where it is no text.
fn inner(path: &[u8]) -> Option<&str> {
    str::from_utf8(path)
        .ok()?
        .split_once('/')
        .map(|(_, inner)| inner)
}

#[cfg(test)]
#[path = "unpack_tests.rs"]
mod tests;
