//! Help and usage errors, with the colour and the width given by arguments that could not be parsed as a whole.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use trimtab_base::source::sanitize;
use trimtab_report::report::{self, Rendered};

use super::console::{ColorChoice, Console, one_message, terminal_width, use_color};

/// The largest width of help.
const MAX_WIDTH: usize = 100;

/// The arguments that count before parsing.
pub(super) struct EarlyOptions {
    color: ColorChoice,
    width: Option<usize>,
    /// Whether no argument has unsafe characters.
    is_safe: bool,
}

impl EarlyOptions {
    pub(super) fn of(arguments: &[OsString]) -> Self {
        let color = value(arguments, "--color").and_then(|word| ColorChoice::from_str(&word, false).ok());
        let width = value(arguments, "--width").and_then(|word| word.parse().ok()).filter(|width| *width >= 20);
        let is_unsafe = |argument: &OsString| sanitize::unsafe_chars(&argument.to_string_lossy()).next().is_some();
        Self { color: color.unwrap_or(ColorChoice::Auto), width, is_safe: !arguments.iter().any(is_unsafe) }
    }

    /// The width of help.
    pub(super) fn help_width(&self) -> usize {
        let terminal = || io::stdout().is_terminal().then(terminal_width).flatten();
        self.width.unwrap_or_else(|| terminal().unwrap_or(MAX_WIDTH).min(MAX_WIDTH))
    }

    /// Prints a message of clap: help and version to standard output, errors to standard error.
    pub(super) fn print(&self, error: &clap::Error) {
        let terminal = if error.use_stderr() { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
        let text = error.render();
        // The message has arguments as they were given, whose escape sequences cannot be told from its colours.
        let is_coloured = use_color(self.color, terminal) && self.is_safe;
        let text = if is_coloured { text.ansi().to_string() } else { Rendered::from(&text.to_string()).into_string() };
        // A closed pipe is no error.
        if error.use_stderr() {
            drop(writeln!(io::stderr(), "{}", self.folded(&text).trim_end_matches('\n')));
        } else {
            drop(io::stdout().write_all(text.as_bytes()));
        }
    }

    /// Prints why a subcommand failed.
    pub(super) fn print_error(&self, reason: &str) {
        Console::print_error(&self.folded(&one_message(&format!("error: {reason}"))));
    }

    fn folded(&self, text: &str) -> String {
        match self.width.or_else(|| io::stderr().is_terminal().then(terminal_width).flatten()) {
            Some(width) => report::fold_lines(text, width),
            None => text.to_owned(),
        }
    }
}

/// The value of a flag, `--flag value` or `--flag=value`; the last one counts.
fn value(arguments: &[OsString], flag: &str) -> Option<String> {
    let words: Vec<_> =
        arguments.iter().map(|argument| argument.to_string_lossy()).take_while(|argument| argument != "--").collect();
    let mut found = None;
    for (at, word) in words.iter().enumerate() {
        match word.strip_prefix(flag) {
            Some("") => found = words.get(at + 1).map(ToString::to_string),
            Some(rest) => found = rest.strip_prefix('=').map(str::to_owned).or(found),
            None => {}
        }
    }
    found
}
