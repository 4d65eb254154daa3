//! `trimtab validate`: parses and checks policies.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_base::diagnostic::Severity;

use super::console::{Console, Failure, OutputArguments};
use super::findings::{FindingsArguments, Report};
use super::project::ProjectArguments;
use super::since::SinceArguments;
use super::{Exit, Subcommand, input};
use crate::host::Files;
use crate::pipeline::Compiler;

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "validate",
    about: "Check the syntax, names, types and units of policy files",
    arguments: Validate::augment_args,
    run,
};

/// Extensions of policy files in directories. YAML policies must be named: most YAML files are something else.
const ENDINGS: &[&str] = &["trim"];

#[derive(Args, Debug)]
struct Validate {
    /// Policy files, directories (their .trim files) or globs; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The file name of standard input in messages; the extension .yaml selects YAML
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    #[command(flatten)]
    findings: FindingsArguments,
    /// Succeed if there are no files
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    since: SinceArguments,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Validate::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    if arguments.project.is_given() {
        // No check depends on the host, but an unknown host is an error.
        arguments.project.open(&arguments.paths, &console)?;
    }
    let paths = input::files(&arguments.paths, ENDINGS)?;
    if paths.is_empty() && !arguments.allow_empty {
        return Err(Failure::Message("no policy file was found (--allow-empty accepts this)".to_owned()));
    }
    let since = arguments.since.open()?;
    let (mut compiler, mut found) = (Compiler::default(), Report::default());
    for path in &paths {
        let name = input::display_name(path, arguments.stdin_filename.as_deref());
        match input::read_text(path) {
            Ok(text) => {
                console.detail(&format!("{name}: {} lines", text.lines().count()));
                let compiled = compiler.compile(&name, &text, &mut Files::around(&name));
                found.keep_path(path, compiled.id);
            }
            Err(reason) => found.unread(name, reason, &console),
        }
    }
    found.take(compiler);
    since.narrow(&mut found)?;
    let exit = arguments.findings.emit(&found, &arguments.findings.failing(Severity::Error), &mut console)?;
    console.close()?;
    match found.unread.len() {
        0 => Ok(exit),
        unread => Err(Failure::Message(format!("{unread} of {} files could not be read", paths.len()))),
    }
}
