//! Why a command stopped. The reader is the person at the terminal, so a failure is a sentence
//! that says what is wrong and, where there is one, the way to fix it.

use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The result of everything in this crate.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong; the text is printed as it is.
    Sentence(String),
    /// The command line itself is wrong.
    Usage(String),
    /// Ctrl-C, SIGTERM or a closed terminal arrived before the work was done.
    Interrupted,
    /// The details are on the screen already.
    Reported,
}

impl Failure {
    /// A sentence for the person.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self::Sentence(sentence.into())
    }

    /// A wrong command line.
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// What to print, if anything is left to say.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Sentence(text) | Self::Usage(text) => Some(text),
            Self::Interrupted => Some("interrupted"),
            Self::Reported => None,
        }
    }

    /// 2 for a wrong command line, 130 after an interrupt (as shells do), 1 otherwise.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Interrupted => ExitCode::from(130),
            Self::Sentence(_) | Self::Reported => ExitCode::FAILURE,
        }
    }
}

/// Names the path in an error of the file system, which by itself says only "not found".
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Failure {
    move |error| Failure::new(format!("{}: {error}", path.display()))
}
