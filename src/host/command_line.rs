//! A command line of the user, and what may be shown of it and of what its program prints.

#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::host::program;
use trimtab_base::conversation::shorten;
use trimtab_base::source::{self, sanitize};
use trimtab_language::effect::SummaryRequest;

/// The shell that runs a command line, and its flag.
const SHELL: (&str, &str) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };

/// The environment variable that contains the number of the summary.
const NUMBER_VARIABLE: &str = "TRIMTAB_SUMMARY";
/// The environment variable that contains the maximum length of the summary in tokens; empty if there is no limit.
const LIMIT_VARIABLE: &str = "TRIMTAB_AT_MOST";

/// How long a command may run by default.
pub(super) const TIMEOUT: Duration = Duration::from_secs(120);
/// The longest output that is read, in bytes.
pub(super) const MAX_OUTPUT: usize = 1 << 20;
/// How much of the end of the standard error is kept, in bytes.
pub(super) const MAX_TAIL: usize = 4096;

/// The process that runs a command line for a summary, with pipes to and from it. On Unix it is in a process group of its
/// own, so that it can be killed with the processes that it starts.
#[expect(clippy::disallowed_methods, reason = "this module starts the processes that the user names")]
pub(super) fn process(line: &str, request: &SummaryRequest, number: u64) -> Command {
    let (shell, flag) = SHELL;
    let mut command = Command::new(program::find(shell).unwrap_or_else(|| shell.into()));
    #[cfg(unix)]
    command.process_group(0);
    command
        .args([flag, line])
        .env(NUMBER_VARIABLE, number.to_string())
        .env(LIMIT_VARIABLE, request.at_most.map(|most| most.to_string()).unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Why a command that ended with this status has failed, with the last lines of its standard error.
pub(super) fn failure(line: &str, status: ExitStatus, stderr: &[u8]) -> String {
    let reason = reason(line, &String::from_utf8_lossy(stderr));
    format!("{} ended with {status}{reason}", name(line))
}

/// Why a command did not start.
pub(super) fn start_failure(line: &str, error: &std::io::Error) -> String {
    format!("{} did not start: {error}", name(line))
}

/// The name of the program, as text for a message.
pub(super) fn name(line: &str) -> String {
    program(line).map_or_else(|| "the command".to_owned(), |name| format!("`{name}`"))
}

/// The last lines of a command's output after a colon; nothing if there are none.
fn reason(line: &str, output: &str) -> String {
    /// How many lines are shown.
    const MAX_LINES: usize = 3;
    /// The most characters that are shown.
    const MAX_CHARS: usize = 300;
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(MAX_LINES)..].join("\n");
    if last.is_empty() {
        return String::new();
    }
    let hidden = without_words(&without_words(&last, arguments(line)), secret_values());
    format!(": {}", shorten(&sanitize::line(&hidden), MAX_CHARS))
}

/// Shorter words are not secrets.
const MIN_SECRET_CHARS: usize = 6;

/// A text with words replaced by `…`.
fn without_words(text: &str, mut words: Vec<String>) -> String {
    words.retain(|word| word.chars().count() >= MIN_SECRET_CHARS);
    // A word that contains another one is replaced first.
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.iter().fold(text.to_owned(), |text, word| text.replace(word, "…"))
}

/// The words of a command line besides the name of its program.
fn arguments(line: &str) -> Vec<String> {
    let is_separator = |char: char| char.is_whitespace() || matches!(char, '"' | '\'' | '`' | '=' | ',' | ';');
    let name = program(line);
    line.split(is_separator).filter(|word| name.as_deref() != Some(*word)).map(str::to_owned).collect()
}

/// The values of environment variables whose names suggest a secret. The command inherits them and may print them.
fn secret_values() -> Vec<String> {
    const PARTS: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH", "COOKIE"];
    let is_secret = |name: &str| PARTS.iter().any(|part| name.to_ascii_uppercase().contains(part));
    let variables = std::env::vars_os().filter(|(name, _)| is_secret(&name.to_string_lossy()));
    variables.map(|(_, value)| value.to_string_lossy().into_owned()).collect()
}

/// Returns the name of the program that a command line starts, without its folder, or `None` if it is uncertain.
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

/// Returns the first word of a command line as a shell would parse it, and the rest, or `None` if a quote is not
/// closed.
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
    fn only_the_last_lines_of_the_output_are_shown_and_no_arguments() {
        let output = "first\n\nsecond sk-secret-1\n  third\n\x1b[31mfourth\n";
        assert_eq!(reason("x --key=sk-secret-1", output), ": second … third \u{fffd}[31mfourth");
        assert_eq!(reason("x", " \n"), "");
        assert_eq!(reason("x", &"ab".repeat(900)).chars().count(), ": ".len() + 300 + 1);
    }

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
