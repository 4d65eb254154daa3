//! `trimtab fmt`: formats policy files.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::sanitize::one_line;
use trimtab_base::source::{SourceFormat, SourceId, SourceMap};
use trimtab_report::report::{self, Encoding, plural};
use trimtab_syntax::format::{self, FormatError};

use super::console::{Console, Failure, OutputArguments};
use super::since::SinceArguments;
use super::{Exit, Subcommand, input};
use crate::host::output::edit_file;

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "fmt",
    about: "Format policy files without changing comments or meaning",
    arguments: |command| {
        let since = "Format only files changed since this git revision, committed or not";
        Format::augment_args(command).mut_arg("since", |argument| argument.help(since)).after_help(
            "Files are rewritten in place only if they change. `-` reads standard input and writes the result to standard \
             output.\n\
             Files with syntax errors and YAML policies are not changed.\n\
             Exit codes: 0 success; 1 syntax errors, or with --check or --diff files that would change; 2 files could \
             not be read or written.",
        )
    },
    run,
};

const ENDINGS: &[&str] = &["trim"];

#[derive(Args, Debug)]
struct Format {
    /// Policy files, directories (their .trim files) or globs; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// List the files that would change without writing them
    #[arg(long)]
    check: bool,
    /// Print the changes as a unified diff without writing them
    #[arg(long)]
    diff: bool,
    /// The file name of standard input in messages
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// Succeed if there are no files
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    since: SinceArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

impl Format {
    /// Whether nothing is written.
    const fn is_dry_run(&self) -> bool {
        self.check || self.diff
    }
}

/// How many files were changed, kept, erroneous and failed.
#[derive(Default)]
struct Tally {
    changed: usize,
    kept: usize,
    with_errors: usize,
    failed: usize,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Format::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let paths = input::files(&arguments.paths, ENDINGS)?;
    if paths.is_empty() && !arguments.allow_empty {
        return Err(Failure::Message("no policy file was found (--allow-empty accepts this)".to_owned()));
    }
    let paths = arguments.since.open()?.touched(paths)?;
    let mut tally = Tally::default();
    for path in &paths {
        format_file(path, &arguments, &mut console, &mut tally)?;
    }
    let takes_result = paths.iter().any(|path| is_input(path)) && !arguments.is_dry_run();
    if !console.is_quiet() && !takes_result {
        console.write(&summary(&tally, arguments.is_dry_run()))?;
    }
    // Standard input with errors has no result.
    if takes_result && tally.with_errors + tally.failed > 0 {
        console.close_without_result()?;
    } else {
        console.close()?;
    }
    match tally {
        Tally { failed: 1.., .. } => {
            Err(Failure::Message(format!("{} of {} files could not be formatted", tally.failed, paths.len())))
        }
        Tally { with_errors: 0, changed, .. } if changed == 0 || !arguments.is_dry_run() => Ok(Exit::Success),
        _ => Ok(Exit::Findings),
    }
}

/// Formats a file.
fn format_file(path: &Path, arguments: &Format, console: &mut Console, tally: &mut Tally) -> Result<(), Failure> {
    let name = input::display_name(path, arguments.stdin_filename.as_deref());
    if matches!(SourceFormat::from_name(&name), SourceFormat::Yaml | SourceFormat::SystemSettings) {
        console.note(&format!("{name}: only `.trim` policies are formatted"));
        return Ok(());
    }
    let text = match input::read_text(path) {
        Ok(text) => text,
        Err(reason) => {
            tally.failed += 1;
            console.error(&format!("error: cannot read {name}: {reason}"));
            return Ok(());
        }
    };
    let mut sources = SourceMap::default();
    let id = sources.add(name.as_str(), text.as_str());
    match formatted(&sources, id) {
        Ok(new) => write(path, (&name, &text, &new), arguments, console, tally),
        Err(FormatError::SyntaxErrors(found)) => {
            tally.with_errors += 1;
            print_error(&sources, &found, console);
            Ok(())
        }
        Err(FormatError::Changed(reason)) => {
            tally.failed += 1;
            console.error(&format!(
                "error: {name} was not formatted because of a bug in trimtab: {reason}\nplease report it with the file"
            ));
            Ok(())
        }
    }
}

fn formatted(sources: &SourceMap, id: SourceId) -> Result<String, FormatError> {
    sources.get(id).map_or_else(|| Ok(String::new()), format::format_source)
}

fn print_error(sources: &SourceMap, found: &[Diagnostic], console: &Console) {
    for finding in found {
        Console::print_error(report::draw(sources, finding, console.notes));
    }
}

/// Writes the new text to its destination and reports it.
fn write(
    path: &Path,
    (name, old, new): (&str, &str, &str),
    arguments: &Format,
    console: &mut Console,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let is_changed = old != new;
    tally.changed += usize::from(is_changed);
    tally.kept += usize::from(!is_changed);
    if arguments.diff {
        return console.write(&report::unified_diff(name, old, new, console.style));
    }
    if is_input(path) && !arguments.check {
        return console.write(Encoding::Data.finish(new));
    }
    if !is_changed {
        return Ok(());
    }
    if arguments.check {
        return console.write(&format!("{} would be reformatted\n", one_line(name)));
    }
    if let Err(reason) = edit_file(path, old, new) {
        (tally.changed, tally.failed) = (tally.changed - 1, tally.failed + 1);
        console.error(&format!("error: cannot write {name}: {reason}"));
    } else if !console.is_quiet() {
        console.write(&format!("{} reformatted\n", one_line(name)))?;
    }
    Ok(())
}

fn is_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn summary(tally: &Tally, dry: bool) -> String {
    let parts = [
        (tally.changed, if dry { "would be reformatted" } else { "reformatted" }),
        (tally.kept, "already formatted"),
        (tally.with_errors, "with syntax errors"),
        (tally.failed, "failed"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", plural(*count, "file")))
        .collect();
    if parts.is_empty() { String::new() } else { parts.join(", ") + "\n" }
}
