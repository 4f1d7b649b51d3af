//! Reading and writing objects through processes that stay alive.
//!
//! One `cat-file --batch` answers every read and one `hash-object --stdin-paths` per kind makes
//! every write, so that thousands of objects cost no process each.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::Mutex;

use super::{Git, GitError, Oid};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Blob,
    Tree,
    Commit,
    Tag,
}

impl ObjectKind {
    /// The word git uses.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Tree => "tree",
            Self::Commit => "commit",
            Self::Tag => "tag",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Blob, Self::Tree, Self::Commit, Self::Tag]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }
}

/// The processes of one repository.
pub(super) struct Objects {
    dir: PathBuf,
    scratch: AtomicU64,
    reader: Mutex<Option<Coprocess>>,
    blobs: Mutex<Option<Coprocess>>,
    trees: Mutex<Option<Coprocess>>,
    commits: Mutex<Option<Coprocess>>,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects")
            .field("dir", &self.dir)
            .finish_non_exhaustive()
    }
}

impl Objects {
    pub(super) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            scratch: AtomicU64::new(0),
            reader: Mutex::default(),
            blobs: Mutex::default(),
            trees: Mutex::default(),
            commits: Mutex::default(),
        }
    }
}

/// A git process that answers one question after another.
struct Coprocess {
    /// Held for its destructor, which ends the process.
    _child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Coprocess {
    fn start(dir: &Path, args: &[&str]) -> Result<Self, GitError> {
        let mut child = super::command(dir, args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(GitError::Unexpected("spawn"));
        };
        Ok(Self {
            _child: child,
            questions,
            answers: BufReader::new(answers),
        })
    }

    async fn ask(&mut self, question: &str) -> Result<String, GitError> {
        self.questions.write_all(question.as_bytes()).await?;
        self.questions.write_all(b"\n").await?;
        self.questions.flush().await?;
        let mut line = String::new();
        self.answers.read_line(&mut line).await?;
        Ok(line.trim_end_matches('\n').to_owned())
    }
}

/// Takes the process out for the time of one exchange: a caller that is cancelled half way drops
/// it, and the next one starts a new process rather than read a stranger's answer.
fn lease(slot: &mut Option<Coprocess>, dir: &Path, args: &[&str]) -> Result<Coprocess, GitError> {
    slot.take().map_or_else(|| Coprocess::start(dir, args), Ok)
}

impl Git {
    /// The object named `oid`, or `None` when the repository has none of that name.
    pub(crate) async fn read(&self, oid: Oid) -> Result<Option<(ObjectKind, Vec<u8>)>, GitError> {
        let found = self.find(&oid.to_string()).await?;
        Ok(found.map(|(_, kind, bytes)| (kind, bytes)))
    }

    /// The object that a reference points at, or `None` when there is no such reference.
    pub(super) async fn named(&self, reference: &str) -> Result<Option<Oid>, GitError> {
        Ok(self.find(reference).await?.map(|(oid, ..)| oid))
    }

    async fn find(&self, name: &str) -> Result<Option<(Oid, ObjectKind, Vec<u8>)>, GitError> {
        let mut slot = self.objects.reader.lock().await;
        let mut process = lease(&mut slot, &self.dir, &["cat-file", "--batch"])?;
        let header = process.ask(name).await?;
        if header.strip_prefix(name) == Some(" missing") {
            *slot = Some(process);
            return Ok(None);
        }
        let mut words = header.split(' ');
        let (Some(oid), Some(kind), Some(size)) = (
            words.next().and_then(|word| word.parse().ok()),
            words.next().and_then(ObjectKind::parse),
            words.next().and_then(|word| word.parse::<usize>().ok()),
        ) else {
            return Err(GitError::Unexpected("cat-file --batch"));
        };
        let mut bytes = vec![0; size];
        process.answers.read_exact(&mut bytes).await?;
        process.answers.read_u8().await?;
        *slot = Some(process);
        Ok(Some((oid, kind, bytes)))
    }

    /// The bytes of the object named `oid` when it is of the given kind.
    pub(crate) async fn read_kind(
        &self,
        kind: ObjectKind,
        oid: Oid,
    ) -> Result<Option<Vec<u8>>, GitError> {
        Ok(self
            .read(oid)
            .await?
            .filter(|(found, _)| *found == kind)
            .map(|(_, bytes)| bytes))
    }

    /// Stores an object and returns its name.
    ///
    /// Its form is not checked: a tree may hold names that git itself would refuse, as vaults do
    /// that other programs wrote.
    pub(crate) async fn write(&self, kind: ObjectKind, bytes: &[u8]) -> Result<Oid, GitError> {
        let slot = match kind {
            ObjectKind::Blob => &self.objects.blobs,
            ObjectKind::Tree => &self.objects.trees,
            ObjectKind::Commit | ObjectKind::Tag => &self.objects.commits,
        };
        let number = self.objects.scratch.fetch_add(1, Ordering::Relaxed);
        let path = self
            .dir
            .join(format!("scratch-{}-{number}", std::process::id()));
        tokio::fs::write(&path, bytes).await?;
        let answer = {
            let mut slot = slot.lock().await;
            let args = [
                "hash-object",
                "-t",
                kind.as_str(),
                "-w",
                "--literally",
                "--no-filters",
                "--stdin-paths",
            ];
            let mut process = lease(&mut slot, &self.dir, &args)?;
            let answer = process.ask(&path.to_string_lossy()).await;
            if answer
                .as_ref()
                .is_ok_and(|line| line.parse::<Oid>().is_ok())
            {
                *slot = Some(process);
            }
            answer
        };
        tokio::fs::remove_file(&path).await?;
        answer?
            .parse()
            .map_err(|_| GitError::Unexpected("hash-object"))
    }
}
