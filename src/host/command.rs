//! A summariser that asks a command.

#![expect(clippy::disallowed_methods, reason = "starting the command is what this file is for")]

use std::io::Write;
use std::process::{self, Stdio};

use crate::effect::SummaryRequest;
use crate::simulate::Summariser;

/// Runs a shell command for each summary. It gets the request on its standard input: the instructions, the previous
/// summary if there is one, and the transcript, each behind an empty line. What it prints is the summary.
///
/// The command sees the conversation. The variables `TRIMTAB_SUMMARY` and `TRIMTAB_AT_MOST` hold the number of the
/// summary and its longest length in tokens (empty when there is no limit).
#[derive(Clone, Debug)]
pub struct Command {
    line: String,
}

impl Command {
    /// A summariser that runs this line in the shell.
    pub fn new(line: impl Into<String>) -> Self {
        Self { line: line.into() }
    }

    fn ask(&self, request: &SummaryRequest, number: u64) -> std::io::Result<process::Output> {
        let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        let mut child = process::Command::new(shell)
            .args([flag, &self.line])
            .env("TRIMTAB_SUMMARY", number.to_string())
            .env("TRIMTAB_AT_MOST", request.at_most.map(|most| most.to_string()).unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let input = prompt(request);
        let stdin = child.stdin.take();
        // A writer of its own: a command that answers before it has read everything must not block.
        let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let output = child.wait_with_output();
        // A command that does not read its input closes the pipe; that is its right.
        drop(writer.join());
        output
    }
}

fn prompt(request: &SummaryRequest) -> String {
    let previous = request.previous.as_ref().map(|text| format!("Summary so far:\n{text}\n\n")).unwrap_or_default();
    format!("{}\n\n{previous}{}", request.instructions, request.transcript)
}

impl Summariser for Command {
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String> {
        let output = self.ask(request, number).map_err(|error| format!("`{}` did not start: {error}", self.line))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().map(|line| format!(": {line}")).unwrap_or_default();
        Err(format!("`{}` ended with {}{said}", self.line, output.status))
    }
}
