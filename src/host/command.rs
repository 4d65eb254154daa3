//! A summariser that runs a command.

#![expect(clippy::disallowed_methods, reason = "starting the command is what this file is for")]

mod guarded;

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use trimtab_language::effect::SummaryRequest;
use trimtab_simulate::simulate::Summariser;

use self::guarded::GuardedCommand;
use super::command_line::{self, MAX_OUTPUT, MAX_TAIL};
use super::prompt;

/// Runs a shell command for each summary. It gets the request on its standard input: the instructions, the previous
/// summary if there is one, and the transcript, separated by empty lines. Its output is the summary.
///
/// The command receives the conversation. The variables `TRIMTAB_SUMMARY` and `TRIMTAB_AT_MOST` contain the number of the
/// summary and its maximum length in tokens (empty if there is no limit). If the summary takes too long or this process
/// ends, the command and the processes that it has started are killed; on Windows, only the command is, after the time
/// limit.
#[derive(Clone, Debug)]
pub struct Command {
    line: String,
    timeout: Duration,
}

impl Command {
    /// A summariser that runs this line in the shell, for at most two minutes.
    pub fn new(line: impl Into<String>) -> Self {
        Self { line: line.into(), timeout: command_line::TIMEOUT }
    }

    /// Sets how long the command may run.
    #[cfg(any(test, feature = "internals"))]
    #[must_use]
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    fn run(&self, request: &SummaryRequest, number: u64) -> Result<String, String> {
        let end = Instant::now() + self.timeout;
        let started = GuardedCommand::start(&self.line, request, number);
        let mut command = started.map_err(|error| command_line::start_failure(&self.line, &error))?;
        let (stdin, stdout, stderr) = command.pipes();
        let input = prompt::plain(request);
        // In a separate thread, so that a command that writes before it has read all its input does not block. It may close
        // the pipe without reading its input.
        thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let (stdout, stderr) = (in_background(stdout, read_all), in_background(stderr, read_tail));
        let late = || format!("no answer within {} s", self.timeout.as_secs_f64());
        let left = || end.saturating_duration_since(Instant::now());
        let stdout = stdout.recv_timeout(left()).map_err(|_| late())?;
        if stdout.len() > MAX_OUTPUT {
            return Err(format!("the answer is longer than {MAX_OUTPUT} bytes"));
        }
        let stderr = stderr.recv_timeout(left()).map_err(|_| late())?;
        let status = command.wait_until(end).map_err(|error| format!("the command cannot be waited for: {error}"))?;
        let status = status.ok_or_else(late)?;
        if status.success() {
            return Ok(String::from_utf8_lossy(&stdout).trim().to_owned());
        }
        Err(command_line::failure(&self.line, status, &stderr))
    }
}

impl Summariser for Command {
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String> {
        self.run(request, number)
    }
}

/// Reads a pipe in a thread of its own, which ends with the processes that have the other end.
fn in_background<P: Read + Send + 'static>(pipe: Option<P>, read: fn(P) -> Vec<u8>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        // Nobody listens after the time limit.
        let _ = sender.send(pipe.map(read).unwrap_or_default());
    });
    receiver
}

/// The content of a pipe, up to one byte more than the limit.
fn read_all(pipe: impl Read) -> Vec<u8> {
    let mut all = Vec::new();
    let limit = u64::try_from(MAX_OUTPUT).unwrap_or(u64::MAX);
    // What was read before an error is the output.
    let _ = pipe.take(limit.saturating_add(1)).read_to_end(&mut all);
    all
}

/// The last bytes of the content of a pipe.
fn read_tail(mut pipe: impl Read) -> Vec<u8> {
    let (mut tail, mut buffer) = (Vec::new(), [0; MAX_TAIL]);
    while let Ok(length @ 1..) = pipe.read(&mut buffer) {
        tail.extend_from_slice(buffer.get(..length).unwrap_or_default());
        tail.drain(..tail.len().saturating_sub(MAX_TAIL));
    }
    tail
}
