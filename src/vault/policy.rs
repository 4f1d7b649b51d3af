//! What the vault shows and lets change: [`VaultPolicy`].
//!
//! The policy judges a path by the path alone. It never asks what the repository holds, so a
//! refusal tells nothing about it. A path that passes becomes a witness ([`Visible`],
//! [`Writable`], [`Creatable`]) that only this module can make and that backends demand.
//!
//! One function decides for reads and changes alike: every change is judged as a read first.

mod hidden;
mod names;
mod prefixes;
mod witness;

use std::{collections::BTreeSet, fmt::Write};

use sha2::{Digest, Sha256};

pub use names::{CREATABLE_PATH_BYTES, CREATABLE_SEGMENT_BYTES, NameProblem};
pub use prefixes::{PrefixError, parse_prefixes};
pub use witness::{Creatable, Visible, Writable};

use super::{
    path::{DirPath, VaultPath, fold},
    storage::Sieve,
};

/// Counts the versions of the rules that decide what is visible. It goes into
/// [`VaultPolicy::fingerprint`]: raise it with every change of those rules, so that indexes made
/// under the old ones are brought up to date.
const RULES_VERSION: u32 = 1;

/// File names by which agents load instructions, folded. A note so called may be read, but writing
/// one would let a conversation instruct every later one. The two longer ones are the personal
/// variants that Claude Code and Codex load beside them.
pub(super) const AGENT_FILES: [&str; 5] = [
    "agents.md",
    "agents.override.md",
    "claude.local.md",
    "claude.md",
    "gemini.md",
];

/// The rules that decide which notes exist for a client, and which it may change.
///
/// # Guarantees
/// - Only notes: the last segment ends in `.md` or `.markdown`, in any letter case.
/// - No segment at any depth is hidden: none starts with a dot, in any disguise that git or
///   Windows sees through.
/// - The path lies under an allowed prefix, compared exactly, and under no denied prefix, compared
///   folded ([`fold`]). Both compare whole segments. Denied wins.
/// - Nothing is writable that is not visible.
#[derive(Clone, Debug)]
pub struct VaultPolicy {
    allowed: BTreeSet<DirPath>,
    /// Folded, so that no spelling of a denied prefix gets around it.
    denied: BTreeSet<String>,
    read_only: bool,
}

/// Why the policy refuses a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The path names no Markdown note.
    #[error("not a note: only .md and .markdown files are")]
    NotANote,
    /// The path is hidden, denied, or not allowed. Which of them is nobody's business.
    #[error("the vault does not show this path")]
    Hidden,
    /// Nothing may be changed in this vault.
    #[error("the vault is read-only")]
    ReadOnly,
    /// The path names an agent's instruction file: it may be read, never changed.
    #[error("agent instruction files cannot be changed")]
    AgentFile,
    /// The path may be read and changed where it exists, but not be created.
    #[error("this name cannot be created: {0}")]
    Uncreatable(NameProblem),
}

impl VaultPolicy {
    /// A policy that shows what lies under one of `allowed` and under none of `denied`. With no
    /// `allowed` prefix it shows the whole vault, as [`DirPath::root`] does. A prefix may also name
    /// a single note.
    #[must_use]
    pub fn new(allowed: Vec<DirPath>, denied: &[DirPath], read_only: bool) -> Self {
        let allowed = if allowed.is_empty() {
            vec![DirPath::root()]
        } else {
            allowed
        };
        Self {
            allowed: allowed.into_iter().collect(),
            denied: denied.iter().map(DirPath::fold).collect(),
            read_only,
        }
    }

    /// Whether nothing may be changed.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The prefixes under which notes are shown, in ascending order; the root, which is empty, for
    /// the whole vault.
    pub fn allowed_prefixes(&self) -> impl Iterator<Item = &str> {
        self.allowed.iter().map(DirPath::as_str)
    }

    /// Judges a path for reading.
    ///
    /// # Errors
    /// [`Denied::NotANote`] or [`Denied::Hidden`]. The first depends on the file's extension
    /// alone, so that a hidden path and a missing one cannot be told apart by it.
    pub fn read(&self, path: &VaultPath) -> Result<Visible, Denied> {
        if !is_note(path.file_name()) {
            return Err(Denied::NotANote);
        }
        if self.hides_file(path) {
            Err(Denied::Hidden)
        } else {
            Ok(Visible::new(path.clone()))
        }
    }

    /// Judges a path for changing or removing the note that is there.
    ///
    /// # Errors
    /// What [`Self::read`] refuses, [`Denied::ReadOnly`] and [`Denied::AgentFile`].
    pub fn write(&self, path: &VaultPath) -> Result<Writable, Denied> {
        let visible = self.read(path)?;
        if self.read_only {
            return Err(Denied::ReadOnly);
        }
        if is_agent_file(path.file_name()) {
            return Err(Denied::AgentFile);
        }
        Ok(Writable::new(visible))
    }

    /// Judges a path for making a new note.
    ///
    /// # Errors
    /// What [`Self::write`] refuses, and [`Denied::Uncreatable`].
    pub fn create(&self, path: &VaultPath) -> Result<Creatable, Denied> {
        let writable = self.write(path)?;
        names::check_creatable(path).map_err(Denied::Uncreatable)?;
        Ok(Creatable::new(writable, names::unlinkable(path)))
    }

    /// Judges a folder for listing and searching. A folder above an allowed prefix may be listed;
    /// what is listed there is judged note by note.
    ///
    /// # Errors
    /// [`Denied::Hidden`].
    pub fn dir(&self, dir: &DirPath) -> Result<(), Denied> {
        let hidden = hidden::hides_folder(dir.segments()) || self.denies(|| dir.fold());
        let leads_to_notes = self
            .allowed
            .iter()
            .any(|prefix| prefix.covers(dir.as_str()) || dir.covers(prefix.as_str()));
        if hidden || !leads_to_notes {
            Err(Denied::Hidden)
        } else {
            Ok(())
        }
    }

    /// Names what decides about visibility, as 64 hexadecimal digits: two policies with one
    /// fingerprint show the same notes. Stable over restarts and releases as long as the rules
    /// stand. Whether the vault is read-only does not go into it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        // No path holds a line break, so lines cannot be forged.
        let mut rules = format!("vault-policy {RULES_VERSION}\n");
        for prefix in &self.allowed {
            let _ = writeln!(rules, "allow {prefix}");
        }
        for prefix in &self.denied {
            let _ = writeln!(rules, "deny {prefix}");
        }
        let mut fingerprint = String::with_capacity(64);
        for byte in Sha256::digest(rules) {
            let _ = write!(fingerprint, "{byte:02x}");
        }
        fingerprint
    }

    /// Whether a file is kept from view for where it is.
    fn hides_file(&self, path: &VaultPath) -> bool {
        let is_allowed = |prefix: &DirPath| prefix.covers(path.as_str());
        hidden::hides_file(path.segments())
            || self.denies(|| path.fold())
            || !self.allowed.iter().any(is_allowed)
    }

    /// Whether a path is a denied prefix or lies under one. It is folded only where something is
    /// denied at all: a listing judges every path of the vault, and folding is most of that work.
    fn denies(&self, folded: impl FnOnce() -> String) -> bool {
        if self.denied.is_empty() {
            return false;
        }
        let folded = folded();
        self.denied.iter().any(|prefix| {
            folded
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| prefix.is_empty() || rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl Sieve for VaultPolicy {
    fn admit(&self, path: &str) -> Option<Visible> {
        VaultPath::parse(path)
            .ok()
            .and_then(|path| self.read(&path).ok())
    }

    fn hides(&self, path: &str) -> bool {
        VaultPath::parse(path).map_or(true, |path| self.hides_file(&path))
    }
}

/// Whether a file name is that of a note. Only ASCII letters have a case here: the Kelvin sign
/// does not stand for a `k`.
fn is_note(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.eq_ignore_ascii_case("md") || extension.eq_ignore_ascii_case("markdown")
    })
}

/// Whether a file name is one that agents load instructions from, on a file system that overlooks
/// letter case, normalization or invisible characters.
fn is_agent_file(name: &str) -> bool {
    let plain = fold(&hidden::without_ignorable(name));
    AGENT_FILES.contains(&plain.as_str())
}

#[cfg(test)]
mod tests;
