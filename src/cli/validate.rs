//! `trimtab validate`: parse and check policies, all problems at once.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};

use super::console::{Console, Failure, Shown};
use super::{Exit, Verb, graphical, input};
use crate::diagnostic::{Diagnostic, Severity};
use crate::host::Files;
use crate::pipeline::Compiler;
use crate::report;
use crate::source::SourceMap;

pub(super) static VERB: Verb = Verb {
    name: "validate",
    about: "Check policy files: syntax, names, types, units; all problems at once",
    arguments: Validate::augment_args,
    run,
};

/// Endings of policy files in directories. A YAML policy is named by itself: most YAML files are something else.
const ENDINGS: &[&str] = &["trim"];

#[derive(Args, Debug)]
struct Validate {
    /// Policy files, directories (their .trim files) or globs; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What standard input is called in messages; an ending .yaml makes it YAML
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// No file at all is not an error
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With the text around each finding
    Human,
    /// The same in words, for screen readers
    Plain,
    /// A line a finding
    Concise,
    /// One JSON object
    Json,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Validate::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.shown)?;
    let paths = input::files(&arguments.paths, ENDINGS)?;
    if paths.is_empty() && !arguments.allow_empty {
        return Err(Failure::Said("no policy file was found (--allow-empty if that is fine)".to_owned()));
    }
    let (mut compiler, mut unread) = (Compiler::default(), 0);
    for path in &paths {
        let name = input::shown(path, arguments.stdin_filename.as_deref());
        match input::read_text(path) {
            Ok(text) => {
                console.detail(&format!("{name}: {} lines", text.lines().count()));
                drop(compiler.compile(&name, &text, &mut Files::around(&name)));
            }
            Err(reason) => {
                Console::complain(&format!("error: cannot read {name}: {reason}"));
                unread += 1;
            }
        }
    }
    let (sources, diagnostics) = compiler.done();
    let text = render(&sources, &diagnostics, &arguments, &console);
    console.result(&text)?;
    console.close()?;
    let errors = diagnostics.iter().any(|one| one.severity == Severity::Error);
    match (unread, errors) {
        (0, false) => Ok(Exit::Fine),
        (0, true) => Ok(Exit::Findings),
        (unread, _) => Err(Failure::Said(format!("{unread} of {} files could not be read", paths.len()))),
    }
}

fn render(sources: &SourceMap, diagnostics: &[Diagnostic], arguments: &Validate, console: &Console) -> String {
    let files = sources.iter().count();
    match arguments.format {
        Format::Json => format!("{:#}\n", report::diagnostics_json(sources, diagnostics, files)),
        Format::Concise => diagnostics.iter().map(|one| graphical::concise(sources, one)).collect(),
        Format::Human | Format::Plain => {
            let plain = arguments.format == Format::Plain;
            let drawn = diagnostics.iter().map(|one| graphical::draw(sources, one, console.look, plain) + "\n");
            let silent = console.is_quiet() || files == 0;
            let summary = if silent { String::new() } else { summary(diagnostics, files) };
            drawn.collect::<String>() + &summary
        }
    }
}

fn summary(diagnostics: &[Diagnostic], files: usize) -> String {
    let count = |severity| diagnostics.iter().filter(|one| one.severity == severity).count();
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let files = plural(files, "file");
    match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) => format!("{files} checked, nothing to complain about\n"),
        (errors, warnings) => {
            format!("{files} checked: {}, {}\n", plural(errors, "error"), plural(warnings, "warning"))
        }
    }
}
