//! Programs in process groups of their own, so that ending one ends its children too: `wrangler`
//! starts a second Node, which starts `workerd`, and neither always takes its children along.

use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};

use crate::failure::{Failure, Result};
use crate::interrupt;

/// How often a wait looks at its process and at the interrupt flag.
pub(crate) const POLL: Duration = Duration::from_millis(20);

/// How long a group may take to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// Makes this process the parent of orphans among its descendants.
///
/// Otherwise they fall to process 1, which in many containers never reaps them, and a group with a
/// zombie in it looks alive. Only Linux has this; elsewhere process 1 does its work.
pub(crate) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // A kernel that refuses leaves things as they are elsewhere.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// A running program and all that it started. Dropping it ends them.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    leader: Child,
    group: Pid,
}

impl ProcessGroup {
    /// Starts `command` as the leader of a new group, without the terminal's input: a process
    /// outside the terminal's foreground group would be stopped for reading it.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let leader = command
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| {
                let program = command.get_program().to_string_lossy().into_owned();
                if error.kind() == ErrorKind::NotFound {
                    return Failure::new(format!("`{program}` is not installed"));
                }
                Failure::new(format!("cannot start `{program}`: {error}"))
            })?;
        let group = Pid::from_child(&leader);
        Ok(Self { leader, group })
    }

    /// The leader, to take its pipes from.
    pub(crate) fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// The leader's exit status, if it has ended.
    pub(crate) fn try_wait(&mut self) -> Result<Option<ExitStatus>> {
        self.leader
            .try_wait()
            .map_err(|error| Failure::new(format!("cannot wait for a process: {error}")))
    }

    /// Waits for the leader's end. An interrupt ends the group.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.try_wait()? {
                return Ok(status);
            }
            if interrupt::requested() {
                self.stop();
                return Err(Failure::Interrupted);
            }
            sleep(POLL);
        }
    }

    /// Ends the leader and all it started: SIGTERM, and SIGKILL for what is left after five
    /// seconds. Returns when the group is empty.
    pub(crate) fn stop(&mut self) {
        for (signal, patience) in [(Signal::TERM, GRACE), (Signal::KILL, GRACE)] {
            if kill_process_group(self.group, signal).is_err() {
                break;
            }
            let deadline = Instant::now() + patience;
            while Instant::now() < deadline {
                self.reap();
                if test_kill_process_group(self.group).is_err() {
                    return;
                }
                sleep(POLL);
            }
        }
        self.reap();
    }

    /// Takes note of members that have ended, which is what lets an empty group disappear.
    fn reap(&mut self) {
        let _ = self.leader.try_wait();
        while let Ok(Some(_)) = waitpgid(self.group, WaitOptions::NOHANG) {}
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alive(pid: &str) -> bool {
        Command::new("kill")
            .args(["-0", pid])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    #[test]
    fn dropping_a_group_ends_a_grandchild_whose_parent_has_ended() {
        adopt_orphans();
        let mut command = Command::new("sh");
        command
            .args(["-c", "sh -c 'sleep 60 & echo $!'; sleep 60"])
            .stdout(Stdio::piped());
        let mut group = ProcessGroup::start(&mut command).unwrap();
        let mut line = String::new();
        let stdout = group.leader().stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
        let grandchild = line.trim();
        assert!(alive(grandchild));
        drop(group);
        assert!(!alive(grandchild));
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let failure = ProcessGroup::start(&mut Command::new("no-such-program-here")).unwrap_err();
        assert_eq!(
            failure.text(),
            Some("`no-such-program-here` is not installed")
        );
    }
}
