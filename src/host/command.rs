//! A summariser that runs a command.

#![expect(clippy::disallowed_methods, reason = "starting the command is what this file is for")]

use std::io::Write;
use std::process::{self, Stdio};

use crate::effect::SummaryRequest;
use crate::simulate::Summariser;
use crate::source;

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
        // In a separate thread, so that a command that writes before it has read all its input does not block.
        let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let output = child.wait_with_output();
        // A command may close the pipe without reading its input.
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
        let name = || program(&self.line).map_or_else(|| "the command".to_owned(), |name| format!("`{name}`"));
        let output = self.run(request, number).map_err(|error| format!("{} did not start: {error}", name()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        let reason = String::from_utf8_lossy(&output.stderr);
        let reason = reason.lines().map(str::trim).find(|line| !line.is_empty());
        let reason = reason.map(|line| format!(": {}", self.without_arguments(line))).unwrap_or_default();
        Err(format!("{} ended with {}{reason}", name(), output.status))
    }
}

impl Command {
    /// A line of the command's output, shortened and without words of its command line.
    fn without_arguments(&self, line: &str) -> String {
        /// Shorter words are not secrets.
        const MIN_SECRET_CHARS: usize = 6;
        /// The maximum length of the line in characters.
        const MAX_CHARS: usize = 200;
        let mut shown = crate::source::sanitize::line(line);
        let name = program(&self.line);
        let is_separator = |char: char| char.is_whitespace() || matches!(char, '"' | '\'' | '`' | '=' | ',' | ';');
        let mut words: Vec<&str> =
            self.line.split(is_separator).filter(|word| word.chars().count() >= MIN_SECRET_CHARS).collect();
        // A word that contains another one is replaced first.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        for word in words.into_iter().filter(|word| name.as_deref() != Some(*word)) {
            shown = shown.replace(word, "…");
        }
        match shown.char_indices().nth(MAX_CHARS) {
            Some((end, _)) => format!("{}…", source::up_to(&shown, end)),
            None => shown,
        }
    }
}

/// The name of the program that a command line starts, without its folder; none if it is uncertain.
/// Variables before it and its arguments may contain secrets.
fn program(line: &str) -> Option<String> {
    let mut rest = line.trim_start();
    loop {
        let (word, rest_of_line) = word(rest)?;
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
        if !word.split_once('=').is_some_and(|(name, _)| is_name(name)) {
            let name = word.rsplit(['/', '\\']).next()?;
            let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | '+');
            return (!name.is_empty() && !word.contains('=') && name.chars().all(is_plain)).then(|| name.to_owned());
        }
        rest = rest_of_line.trim_start();
    }
}

/// The first word of a command line as a shell would parse it, and the rest; none if a quote is not closed.
fn word(line: &str) -> Option<(String, &str)> {
    let (mut word, mut quote, mut chars) = (String::new(), None, line.char_indices());
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), char) if char == open => quote = None,
            (None, char) if char.is_whitespace() => return Some((word, source::starting_at(line, at))),
            (None | Some('"'), '\\') => word.extend(chars.next().map(|(_, char)| char)),
            (_, char) => word.push(char),
        }
    }
    (quote.is_none() && !word.is_empty()).then_some((word, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_program_excludes_variables_folder_and_arguments() {
        for (line, name) in [
            ("curl -H 'x-api-key: sk-1'", Some("curl")),
            ("KEY=sk-1 OTHER='a b' /usr/bin/llm -m x", Some("llm")),
            ("KEY=\"a $(cat key) b\" llm", Some("llm")),
            ("  'my-tool' x", Some("my-tool")),
            ("KEY=a\\ b llm", Some("llm")),
            ("KEY=sk-1", None),
            ("KEY='sk-1 llm", None),
            ("$(cat key) x", None),
            ("(llm --key sk-1)", None),
            ("--key=sk-1", None),
        ] {
            assert_eq!(program(line).as_deref(), name, "{line}");
        }
    }
}
