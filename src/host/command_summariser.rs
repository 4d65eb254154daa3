//! A summariser that runs a command while other tasks run.

use std::fmt;
use std::io;
use std::pin::pin;
use std::process::Output;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;
use trimtab_language::effect::SummaryRequest;
use trimtab_live::engine::{Summarise, SummaryAnswer, SummaryError, SummaryFuture};

use super::command_line::{self, MAX_OUTPUT, MAX_TAIL};
use super::prompt;

/// Runs a shell command for each summary. It gets the request on its standard input: the instructions, the previous
/// summary if there is one, and the transcript, separated by empty lines. Its output is the summary.
///
/// The command receives the conversation. The variables `TRIMTAB_SUMMARY` and `TRIMTAB_AT_MOST` contain the number of the
/// summary and its maximum length in tokens (empty if there is no limit). If the summary takes too long or is cancelled,
/// the command and the processes that it has started are killed; on Windows, only the command is.
///
/// It must be polled in a tokio runtime with I/O and time.
#[derive(Clone)]
pub struct CommandSummariser {
    line: String,
    timeout: Duration,
}

impl CommandSummariser {
    /// A summariser that runs this line in the shell, for at most two minutes.
    pub fn new(line: impl Into<String>) -> Self {
        Self { line: line.into(), timeout: command_line::TIMEOUT }
    }

    /// Sets how long the command may run.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    async fn run(&self, request: &SummaryRequest, number: u64) -> Result<SummaryAnswer, SummaryError> {
        let started = ProcessGroup::start(&self.line, request, number);
        let mut group =
            started.map_err(|error| SummaryError::Command(command_line::start_failure(&self.line, &error)))?;
        let output = timeout(self.timeout, group.output(prompt::plain(request))).await;
        let output = output.unwrap_or(Err(SummaryError::Timeout(self.timeout)))?;
        if output.status.success() {
            return answer(&output.stdout);
        }
        Err(SummaryError::Command(command_line::failure(&self.line, output.status, &output.stderr)))
    }
}

fn answer(stdout: &[u8]) -> Result<SummaryAnswer, SummaryError> {
    let text = String::from_utf8_lossy(stdout).trim().to_owned();
    if text.is_empty() { Err(SummaryError::Empty) } else { Ok(text.into()) }
}

impl fmt::Debug for CommandSummariser {
    /// Shows the name of the program only, because its arguments may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = command_line::name(&self.line);
        f.debug_struct("CommandSummariser").field("command", &name).field("timeout", &self.timeout).finish()
    }
}

impl Summarise for CommandSummariser {
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, number: u64) -> SummaryFuture<'a> {
        Box::pin(self.run(request, number))
    }
}

/// A command with the processes that it starts. Dropping it kills those that still run.
struct ProcessGroup(Child);

impl ProcessGroup {
    fn start(line: &str, request: &SummaryRequest, number: u64) -> io::Result<Self> {
        Command::from(command_line::process(line, request, number)).kill_on_drop(true).spawn().map(Self)
    }

    /// Writes the input and reads the output until the command has ended.
    async fn output(&mut self, input: String) -> Result<Output, SummaryError> {
        let (stdin, stdout, stderr) = (self.0.stdin.take(), self.0.stdout.take(), self.0.stderr.take());
        // A command may close the pipe without reading its input, so failures to write do not count.
        let mut write = pin!(async move {
            if let Some(mut stdin) = stdin {
                let _: io::Result<()> = stdin.write_all(input.as_bytes()).await;
            }
        });
        let mut finish = pin!(async {
            let (stdout, stderr) = tokio::try_join!(read_all(stdout), read_tail(stderr))?;
            // The process is waited for last: until then its number belongs to this group.
            let status = self.0.wait().await.map_err(|error| unreadable(&error))?;
            Ok(Output { status, stdout, stderr })
        });
        tokio::select! {
            output = &mut finish => output,
            () = &mut write => finish.await,
        }
    }

    #[cfg(unix)]
    fn kill(&self) {
        // There is no number once the process has been waited for.
        let id = self.0.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(id) = id {
            // It fails if the processes have just ended.
            let _: Result<(), _> = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&self) {}
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

fn unreadable(error: &io::Error) -> SummaryError {
    SummaryError::Command(format!("the output of the command cannot be read: {error}"))
}

/// Everything that a pipe contains, up to a limit.
async fn read_all(pipe: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, SummaryError> {
    let Some(pipe) = pipe else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    let limit = u64::try_from(MAX_OUTPUT).unwrap_or(u64::MAX);
    pipe.take(limit.saturating_add(1)).read_to_end(&mut all).await.map_err(|error| unreadable(&error))?;
    if all.len() > MAX_OUTPUT { Err(SummaryError::TooLong(MAX_OUTPUT)) } else { Ok(all) }
}

/// The last bytes of what a pipe contains.
async fn read_tail(pipe: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, SummaryError> {
    let Some(mut pipe) = pipe else { return Ok(Vec::new()) };
    let mut tail = Vec::new();
    while pipe.read_buf(&mut tail).await.map_err(|error| unreadable(&error))? > 0 {
        // Cut rarely, so that not every read moves the tail.
        if tail.len() > 2 * MAX_TAIL {
            tail.drain(..tail.len() - MAX_TAIL);
        }
    }
    tail.drain(..tail.len().saturating_sub(MAX_TAIL));
    Ok(tail)
}
