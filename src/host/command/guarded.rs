//! A command that does not outlive this process.

#![expect(clippy::disallowed_methods, reason = "starting the command is what this file is for")]

use std::io;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{self, Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::host::{command_line, program};
use trimtab_language::effect::SummaryRequest;

/// How often is looked whether the command has ended.
const POLL: Duration = Duration::from_millis(2);

/// A running command. Unless it has ended, dropping it kills it and the processes that it has started.
///
/// On Unix a guard, which is started first, has a process group of its own, which the command joins. The guard waits on a pipe
/// until this process closes it, deliberately or because it has been killed, and then kills the group. A signal handler would
/// not run after `SIGKILL`.
pub(super) struct GuardedCommand {
    command: Child,
    /// None after the command has ended.
    guard: Option<Child>,
}

impl GuardedCommand {
    pub(super) fn start(line: &str, request: &SummaryRequest, number: u64) -> io::Result<Self> {
        let guard = guard()?;
        let mut process = command_line::process(line, request, number);
        #[cfg(unix)]
        if let Some(group) = guard.as_ref().and_then(|guard| i32::try_from(guard.id()).ok()) {
            process.process_group(group);
        }
        match process.spawn() {
            Ok(command) => Ok(Self { command, guard }),
            Err(error) => {
                guard.into_iter().for_each(end);
                Err(error)
            }
        }
    }

    /// The pipes to and from the command.
    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.command.stdin.take(), self.command.stdout.take(), self.command.stderr.take())
    }

    /// Waits until the command has ended, or returns `None` if it still runs at that time.
    pub(super) fn wait_until(&mut self, end: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.command.try_wait()? {
                // The number of the group may soon belong to other processes.
                if let Some(mut guard) = self.guard.take() {
                    guard.kill()?;
                    guard.wait()?;
                }
                return Ok(Some(status));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            thread::sleep(POLL);
        }
    }
}

/// Starts the process that kills its group when its standard input is closed. The group is its own, so that it outlives an
/// interrupt from the terminal.
#[cfg(unix)]
fn guard() -> io::Result<Option<Child>> {
    let mut guard = process::Command::new(program::find("sh").unwrap_or_else(|| "sh".into()));
    guard.process_group(0).args(["-c", "read -r line; kill -s KILL -- \"-$$\""]);
    guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Some)
}

#[cfg(not(unix))]
fn guard() -> io::Result<Option<Child>> {
    Ok(None)
}

impl Drop for GuardedCommand {
    fn drop(&mut self) {
        // Nothing can be done about failures, which mean that the processes have ended.
        self.guard.take().into_iter().for_each(end);
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}

/// Lets a guard kill its group, and waits for it.
fn end(mut guard: Child) {
    drop(guard.stdin.take());
    // A failure means that it has ended.
    let _ = guard.wait();
}
