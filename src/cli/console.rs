//! Output: results, notes, errors, progress, and how they may look.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use trimtab_report::report::{Encoding, Rendered, TerminalStyle, fold_lines};

use super::Exit;
use crate::host::output::OutputFile;

/// Arguments that every subcommand has.
#[derive(Args, Debug)]
pub(super) struct OutputArguments {
    /// When to use colour
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    color: ColorChoice,
    /// The width of the output in columns [default: that of the terminal, else $COLUMNS, else 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(20..))]
    width: Option<u16>,
    /// Print only findings and results: no summaries, notes or progress
    #[arg(short, long)]
    quiet: bool,
    /// Print more: all notes on a simulation; to standard error, the files read and the number of their lines or calls
    #[arg(short, long)]
    verbose: bool,
    /// Write the result to a file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputArguments {
    /// Returns the file that the result goes to, or `None` for standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Whether the result goes to a file.
    pub(super) fn has_file(&self) -> bool {
        self.file().is_some()
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal, unless the environment disables it
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Why a subcommand failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The reader of the output has closed it.
    OutputClosed,
    /// An error message.
    Message(String),
}

impl Failure {
    /// The message; empty if the output was closed.
    pub(super) fn reason(self) -> String {
        match self {
            Self::OutputClosed => String::new(),
            Self::Message(reason) => reason,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::OutputClosed } else { Self::Message(error.to_string()) }
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self::Message(reason)
    }
}

/// Where results go.
#[derive(Clone, Copy, Debug)]
enum Destination {
    File,
    Terminal,
    Pipe,
}

/// What results are written to.
enum Sink {
    Stdout(BufWriter<io::Stdout>),
    File(OutputFile),
}

impl Sink {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Stdout(out) => out,
            Self::File(file) => file,
        }
    }
}

/// Writes results to standard output or a file, everything else to standard error.
pub(super) struct Console {
    /// None when the reader has closed the output.
    out: Option<Sink>,
    /// The style of the result.
    pub(super) style: TerminalStyle,
    /// The style of notes on standard error.
    pub(super) notes: TerminalStyle,
    quiet: bool,
    /// Whether `--verbose` is given.
    pub(super) verbose: bool,
    destination: Destination,
    /// The width of notes, where it is known.
    folds: Option<usize>,
    /// Whether messages are JSON lines.
    json_messages: bool,
}

impl Console {
    /// Opens the output that the arguments name. A file is written when the console is closed.
    pub(super) fn open(output: &OutputArguments) -> Result<Self, Failure> {
        let file = output.file();
        let (out, terminal) = match file {
            Some(path) => (Sink::File(OutputFile::create(path)?), false),
            None => (Sink::Stdout(BufWriter::new(io::stdout())), io::stdout().is_terminal()),
        };
        let default = || if terminal { terminal_width() } else { columns_variable() };
        let destination = match (file, terminal) {
            (Some(_), _) => Destination::File,
            (None, true) => Destination::Terminal,
            (None, false) => Destination::Pipe,
        };
        let width = output.width.map(usize::from).or_else(default).unwrap_or(100);
        let style_of =
            |terminal| TerminalStyle { width, color: use_color(output.color, terminal), unicode: supports_unicode() };
        let notes = style_of(io::stderr().is_terminal());
        Ok(Self {
            out: Some(out),
            style: style_of(terminal),
            notes,
            quiet: output.quiet,
            verbose: output.verbose,
            destination,
            folds: output.width.map(usize::from).or_else(|| io::stderr().is_terminal().then(terminal_width).flatten()),
            json_messages: false,
        })
    }

    /// Writes a part of the result. A closed output does not change how the subcommand ends.
    pub(super) fn write(&mut self, text: impl Into<Rendered>) -> Result<(), Failure> {
        let text = text.into();
        let text = if self.is_terminal() { text.for_terminal() } else { (&*text).into() };
        self.try_write(|out| out.write_all(text.as_bytes()))
    }

    fn try_write(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let Some(out) = &mut self.out else { return Ok(()) };
        match write(out.writer()).map_err(Failure::from) {
            Err(Failure::OutputClosed) => {
                self.out = None;
                Ok(())
            }
            other => other,
        }
    }

    /// Fails if the reader has closed the output, so that long work can end early.
    pub(super) fn ensure_open(&mut self) -> Result<(), Failure> {
        self.try_write(|out| out.flush())?;
        if self.out.is_some() { Ok(()) } else { Err(Failure::OutputClosed) }
    }

    /// Whether only findings and results are printed.
    pub(super) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether the result goes to a file.
    pub(super) const fn has_file(&self) -> bool {
        matches!(self.destination, Destination::File)
    }

    /// Fails if the result, a web page, goes to a terminal. `example` is a name for its file.
    pub(super) fn refuse_terminal(&self, example: &str) -> Result<(), Failure> {
        let reason = || Failure::Message(format!("the result is a web page: name its file, such as `-o {example}`"));
        if self.is_terminal() { Err(reason()) } else { Ok(()) }
    }

    /// Whether the result goes to a terminal.
    pub(super) const fn is_terminal(&self) -> bool {
        matches!(self.destination, Destination::Terminal)
    }

    /// Ends the result: flushes standard output, or gives a file its name.
    pub(super) fn close(self) -> Result<(), Failure> {
        match self.out {
            Some(Sink::File(file)) => file.commit().map_err(Failure::Message),
            _ => self.close_without_result(),
        }
    }

    /// Ends without a result: flushes standard output, and leaves a file as it was.
    pub(super) fn close_without_result(mut self) -> Result<(), Failure> {
        match self.out {
            Some(Sink::Stdout(_)) => self.try_write(|out| out.flush()),
            _ => Ok(()),
        }
    }

    /// Ends a subcommand that has a result only if it succeeds.
    pub(super) fn close_with(self, exit: Result<Exit, Failure>) -> Result<Exit, Failure> {
        self.close_result(exit.is_ok())?;
        exit
    }

    /// Ends with the result, if there is one.
    pub(super) fn close_result(self, has_result: bool) -> Result<(), Failure> {
        if has_result { self.close() } else { self.close_without_result() }
    }

    /// Keeps a file that exists when the result is complete, which is an error then.
    pub(super) fn keep_existing(&mut self) {
        if let Some(Sink::File(file)) = &mut self.out {
            file.keep_existing();
        }
    }

    /// Prints a note to standard error.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            self.error(text);
        }
    }

    /// Prints a note below what has been printed so far.
    pub(super) fn note_below(&mut self, text: &str) -> Result<(), Failure> {
        self.try_write(|out| out.flush())?;
        self.note(text);
        Ok(())
    }

    /// Prints a note if `--verbose` is given.
    pub(super) fn detail(&self, text: &str) {
        if self.verbose {
            self.note(text);
        }
    }

    /// Writes each message as a JSON line `{"message":TEXT}`, so that a program can tell messages from progress.
    pub(super) fn use_json_messages(&mut self) {
        self.json_messages = true;
    }

    /// Reports to a program that a transcript is done, if messages are JSON lines.
    pub(super) fn transcript_done(&self, id: &str, format: &str, calls: usize) {
        if self.json_messages {
            Self::print_json(&JsonLine::Done { transcript: printable(id), format, calls });
        }
    }

    /// Whether progress may be shown.
    pub(super) fn shows_progress(&self) -> bool {
        !self.quiet && !self.json_messages && io::stderr().is_terminal()
    }

    /// Prints a progress line that the next one replaces.
    pub(super) fn progress(text: &str) {
        drop(write!(io::stderr(), "\r\u{1b}[K{text}"));
    }

    /// Prints an error to standard error, folded where the width is known.
    pub(super) fn error(&self, text: &str) {
        let text = one_message(text);
        if self.json_messages {
            return Self::print_json(&JsonLine::Message { message: printable(&text) });
        }
        Self::print_error(&self.folds.map_or_else(|| text.clone(), |width| fold_lines(&text, width)));
    }

    fn print_json(line: &JsonLine<'_>) {
        Self::print_error(Encoding::Json.finish(serde_json::to_string(line).unwrap_or_default()));
    }

    /// Prints a line to standard error.
    pub(super) fn print_error(text: impl Into<Rendered>) {
        // Nobody reads a closed standard error.
        drop(writeln!(io::stderr(), "{}", text.into()));
    }
}

/// A text as a program may print it.
fn printable(text: &str) -> String {
    Encoding::Text.finish(text).into_string()
}

/// A line on standard error for programs.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonLine<'a> {
    Done { transcript: String, format: &'a str, calls: usize },
    Message { message: String },
}

/// A message whose lines after the first are indented, so that none looks like another message: a file's name may have a line
/// break.
pub(super) fn one_message(text: &str) -> String {
    let indent = |(at, line): (usize, &str)| match line {
        line if at == 0 || line.starts_with(' ') || line.trim().is_empty() => line.to_owned(),
        line => format!("  {line}"),
    };
    text.split_inclusive('\n').enumerate().map(indent).collect()
}

/// The width of the terminal, else `$COLUMNS`.
pub(super) fn terminal_width() -> Option<usize> {
    let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).max(20));
    width.or_else(columns_variable)
}

/// The value of `$COLUMNS`.
fn columns_variable() -> Option<usize> {
    let columns: usize = std::env::var("COLUMNS").ok()?.parse().ok()?;
    Some(columns.max(20))
}

/// Whether text may be coloured.
pub(super) fn use_color(wanted: ColorChoice, terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    match wanted {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if set("NO_COLOR") => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE") => true,
        ColorChoice::Auto => terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// Whether the locale supports characters beyond ASCII; without a locale, assume so.
fn supports_unicode() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8") || !["c", "posix"].contains(&locale.as_str())
    })
}
