//! A summariser that runs a command.

#![expect(clippy::disallowed_methods, reason = "starting the command is what this file is for")]

use std::io::Write;
use std::process::{self, Stdio};

use super::{command_line, prompt};
use crate::effect::SummaryRequest;
use crate::simulate::Summariser;

/// Runs a shell command for each summary. It gets the request on its standard input: the instructions, the previous
/// summary if there is one, and the transcript, separated by empty lines. Its output is the summary.
///
/// The command receives the conversation. The variables `TRIMTAB_SUMMARY` and `TRIMTAB_AT_MOST` contain the number of the
/// summary and its maximum length in tokens (empty if there is no limit).
#[derive(Clone, Debug)]
pub struct Command {
    line: String,
}

impl Command {
    /// A summariser that runs this line in the shell.
    pub fn new(line: impl Into<String>) -> Self {
        Self { line: line.into() }
    }

    fn run(&self, request: &SummaryRequest, number: u64) -> std::io::Result<process::Output> {
        let (shell, flag) = command_line::SHELL;
        let mut child = process::Command::new(shell)
            .args([flag, &self.line])
            .env(command_line::NUMBER_VARIABLE, number.to_string())
            .env(command_line::LIMIT_VARIABLE, request.at_most.map(|most| most.to_string()).unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let input = prompt::plain(request);
        let stdin = child.stdin.take();
        // In a separate thread, so that a command that writes before it has read all its input does not block.
        let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let output = child.wait_with_output();
        // A command may close the pipe without reading its input.
        drop(writer.join());
        output
    }
}

impl Summariser for Command {
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String> {
        let output = self.run(request, number).map_err(|error| command_line::start_failure(&self.line, &error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Err(command_line::failure(&self.line, output.status, &output.stderr))
    }
}
