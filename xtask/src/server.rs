//! One server of the local stack: a process group, its log, and whether it is ready.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result, at};
use crate::interrupt;
use crate::process::{POLL, ProcessGroup};

/// How much of a log is shown when its server has failed.
const LOG_TAIL_LINES: usize = 20;

/// A running server. Dropping it ends it and all it started.
#[derive(Debug)]
pub(crate) struct Server {
    name: &'static str,
    group: ProcessGroup,
    log: PathBuf,
}

impl Server {
    /// Starts `command` with all its output in `log`, which is begun anew.
    pub(crate) fn start(name: &'static str, command: &mut Command, log: PathBuf) -> Result<Self> {
        let file = File::create(&log).map_err(at(&log))?;
        let copy = file.try_clone().map_err(at(&log))?;
        let group = ProcessGroup::start(command.stdout(file).stderr(copy))?;
        Ok(Self { name, group, log })
    }

    /// Waits until the server has printed a line that starts with `ready `.
    pub(crate) fn wait_for_ready_line(&mut self, patience: Duration) -> Result<()> {
        let log = self.log.clone();
        self.wait_until(patience, || {
            fs::read_to_string(&log).is_ok_and(|text| text.lines().any(|l| l.starts_with("ready ")))
        })
    }

    /// Waits until `path` on loopback answers 200.
    ///
    /// # Errors
    /// At once when the log holds `error_mark`: a server that watches its sources goes on running
    /// after an error, in the hope of better ones.
    pub(crate) fn wait_for_answer(
        &mut self,
        (port, path): (u16, &str),
        error_mark: &str,
        patience: Duration,
    ) -> Result<()> {
        let log = self.log.clone();
        let failed = || fs::read_to_string(&log).is_ok_and(|text| text.contains(error_mark));
        self.wait_until(patience, || status_of(port, path) == Some(200) || failed())?;
        if failed() {
            Err(self.failure("reports an error"))
        } else {
            Ok(())
        }
    }

    /// # Errors
    /// Says that the server has ended, and how its log ends.
    pub(crate) fn check(&mut self) -> Result<()> {
        match self.group.try_wait()? {
            None => Ok(()),
            Some(status) => Err(self.failure(&format!("ended early ({status})"))),
        }
    }

    fn wait_until(&mut self, patience: Duration, ready: impl Fn() -> bool) -> Result<()> {
        let deadline = Instant::now() + patience;
        while !ready() {
            self.check()?;
            if interrupt::requested() {
                return Err(Failure::Interrupted);
            }
            if Instant::now() > deadline {
                let waited = patience.as_secs();
                return Err(self.failure(&format!("is not ready after {waited} seconds")));
            }
            sleep(POLL * 5);
        }
        Ok(())
    }

    fn failure(&self, what: &str) -> Failure {
        let Self { name, log, .. } = self;
        let shown = log.display();
        Failure::new(format!(
            "{name} {what}; the end of {shown}:\n\n{}",
            tail(log)
        ))
    }
}

fn tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(LOG_TAIL_LINES);
    lines
        .iter()
        .skip(from)
        .flat_map(|line| ["  ", line, "\n"])
        .collect()
}

/// The status code of `GET path`, if something answers within two seconds.
fn status_of(port: u16, path: &str) -> Option<u16> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let patience = Duration::from_secs(2);
    let mut stream = TcpStream::connect_timeout(&address, patience).ok()?;
    stream.set_read_timeout(Some(patience)).ok()?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    line.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, log: &str) -> Server {
        let path = std::env::temp_dir().join(format!("xtask-{log}-{}.log", std::process::id()));
        Server::start("probe", Command::new("sh").args(["-c", script]), path).unwrap()
    }

    #[test]
    fn a_ready_line_ends_the_wait() {
        let mut server = shell(
            "echo starting; echo ready http://localhost:1; sleep 60",
            "ready",
        );
        server.wait_for_ready_line(Duration::from_secs(20)).unwrap();
        server.check().unwrap();
        let _ = fs::remove_file(&server.log);
    }

    #[test]
    fn an_early_end_is_told_with_the_end_of_the_log() {
        let mut server = shell("echo the reason >&2; exit 3", "early");
        let failure = server
            .wait_for_ready_line(Duration::from_secs(20))
            .unwrap_err();
        let text = failure.text().unwrap();
        assert!(
            text.starts_with("probe ended early (exit status: 3)"),
            "{text}"
        );
        assert!(text.ends_with("  the reason\n"), "{text}");
        let _ = fs::remove_file(&server.log);
    }
}
