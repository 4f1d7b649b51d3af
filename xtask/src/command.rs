//! Running other programs to their end.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::failure::{Failure, Result};
use crate::process::ProcessGroup;

/// Says on stderr what happens next. Stdout belongs to a command's result.
pub(crate) fn say(text: impl AsRef<str>) {
    eprintln!("xtask: {}", text.as_ref());
}

/// Runs `command` with its output on the terminal.
///
/// # Errors
/// A sentence when it cannot be started or fails, [`Failure::Interrupted`] when it was ended.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = ProcessGroup::start(command)?.wait()?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "`{}` failed ({status})",
        shown(command)
    )))
}

/// Like [`run`], for a program that says on its own why it failed.
pub(crate) fn run_outspoken(command: &mut Command) -> Result<()> {
    match run(command) {
        Err(Failure::Sentence(_)) => Err(Failure::Reported),
        result => result,
    }
}

/// Runs `command` with its stdout shown and returned line by line; returns whether it succeeded.
pub(crate) fn run_and_read(command: &mut Command) -> Result<(bool, Vec<String>)> {
    let mut group = ProcessGroup::start(command.stdout(Stdio::piped()))?;
    let stdout = group.leader().stdout.take();
    let reader = thread::spawn(move || {
        let lines = stdout
            .into_iter()
            .flat_map(|pipe| BufReader::new(pipe).split(b'\n'));
        lines
            .map_while(std::result::Result::ok)
            .map(|line| String::from_utf8_lossy(&line).into_owned())
            .inspect(|line| println!("{line}"))
            .collect::<Vec<_>>()
    });
    let status = group.wait()?;
    // Ends what the program left behind: a process that still holds the pipe would keep the
    // reader waiting.
    drop(group);
    Ok((status.success(), reader.join().unwrap_or_default()))
}

/// Runs `command` silently and returns its stdout, trimmed; `None` when it cannot be started or
/// fails.
pub(crate) fn capture(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The first program called one of `names` on PATH.
pub(crate) fn find_program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    names.iter().find_map(|name| {
        std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|file| file.is_file())
    })
}

/// Puts `folder` in front of the PATH that `command` will see.
pub(crate) fn prepend_path(command: &mut Command, folder: &Path) -> Result<()> {
    let own = command
        .get_envs()
        .find(|(name, _)| *name == "PATH")
        .and_then(|(_, path)| path);
    let path = own
        .map(OsStr::to_owned)
        .or_else(|| std::env::var_os("PATH"))
        .unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    let joined = std::env::join_paths(folders).map_err(|error| {
        Failure::new(format!(
            "{} cannot be put on PATH: {error}",
            folder.display()
        ))
    })?;
    command.env("PATH", joined);
    Ok(())
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(program).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
