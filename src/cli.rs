//! The command line: arguments, files, terminals, exit codes.
//!
//! Results go to standard output, notes and errors to standard error.
//! A subcommand is one file and two lines here: `mod` and the entry in `SUBCOMMANDS`.

#![expect(clippy::disallowed_methods, reason = "the command line reads files, the environment and the terminal")]

mod calibrate;
mod choice;
mod ci;
mod compare_arms;
mod compile;
mod completions;
mod console;
mod diff;
mod early;
mod explain;
mod findings;
mod fmt;
mod glob;
mod hook;
mod import;
mod init;
mod input;
mod inspect;
mod isolated;
mod lint;
mod lints;
mod load;
mod man;
mod merge;
mod model;
mod ordered;
mod outputs;
mod policy;
mod prices;
mod progress;
mod project;
#[cfg(feature = "proxy")]
mod proxy;
#[cfg(feature = "proxy")]
mod recall;
mod recordings;
mod replay;
mod report;
#[cfg(feature = "proxy")]
mod run;
mod schema;
mod simulate;
mod since;
mod suggest;
mod sweep;
mod test;
mod transcript;
mod unsupported;
mod validate;
mod version;
mod walk;
#[cfg(not(feature = "proxy"))]
mod without_proxy;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::host::file;
use console::Failure;
use early::EarlyOptions;

/// The subcommands, in the order of the help.
static SUBCOMMANDS: &[&Subcommand] = &[
    &init::SUBCOMMAND,
    &validate::SUBCOMMAND,
    &lint::SUBCOMMAND,
    &fmt::SUBCOMMAND,
    &test::SUBCOMMAND,
    &simulate::SUBCOMMAND,
    &report::SUBCOMMAND,
    &sweep::SUBCOMMAND,
    &suggest::SUBCOMMAND,
    &merge::SUBCOMMAND,
    &diff::SUBCOMMAND,
    &ci::SUBCOMMAND,
    &transcript::SUBCOMMAND,
    &calibrate::SUBCOMMAND,
    &inspect::SUBCOMMAND,
    &hook::SUBCOMMAND,
    #[cfg(feature = "proxy")]
    &run::SUBCOMMAND,
    #[cfg(feature = "proxy")]
    &proxy::SUBCOMMAND,
    #[cfg(feature = "proxy")]
    &recall::SUBCOMMAND,
    &compare_arms::SUBCOMMAND,
    #[cfg(not(feature = "proxy"))]
    &without_proxy::RUN,
    #[cfg(not(feature = "proxy"))]
    &without_proxy::PROXY,
    &compile::SUBCOMMAND,
    &import::SUBCOMMAND,
    &explain::SUBCOMMAND,
    &lints::SUBCOMMAND,
    &schema::SUBCOMMAND,
    &completions::SUBCOMMAND,
    &man::SUBCOMMAND,
    &version::SUBCOMMAND,
];

/// A subcommand.
struct Subcommand {
    name: &'static str,
    about: &'static str,
    arguments: fn(Command) -> Command,
    run: fn(&ArgMatches) -> Result<Exit, Failure>,
}

/// How a subcommand ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// There are no findings.
    Success,
    /// Findings, failed tests, unmet expectations or differences.
    Findings,
    /// That of a command which was run.
    #[cfg(feature = "proxy")]
    Of(u8),
}

/// Exit code for findings.
const FINDINGS: u8 = 1;
/// Exit code for usage, configuration, I/O and internal errors.
const FAILURE: u8 = 2;

/// Exit code when the reader of the output has closed it: that of a process that SIGPIPE ends.
const PIPE: u8 = 141;

/// Runs the command line.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    status(arguments).into()
}

/// Runs the command line, and returns its exit code as a number: for programs that end with it in another language.
pub fn status(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    std::panic::set_hook(Box::new(isolated::hook));
    file::keep_track();
    std::panic::catch_unwind(|| run(&arguments)).unwrap_or(FAILURE)
}

fn run(arguments: &[OsString]) -> u8 {
    let wanted = EarlyOptions::of(arguments);
    let mut command = command().term_width(wanted.help_width());
    let matches = match command.try_get_matches_from_mut(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            wanted.print(&error);
            return if error.use_stderr() { FAILURE } else { 0 };
        }
    };
    let checked = outputs::check(&command, &matches);
    let Some((name, matches)) = matches.subcommand() else { return FAILURE };
    let subcommand = SUBCOMMANDS.iter().find(|one| one.name == name);
    match subcommand.map(|subcommand| checked.and_then(|()| (subcommand.run)(matches))) {
        Some(Ok(Exit::Success)) => 0,
        Some(Err(Failure::OutputClosed)) => PIPE,
        Some(Ok(Exit::Findings)) => FINDINGS,
        #[cfg(feature = "proxy")]
        Some(Ok(Exit::Of(code))) => code,
        Some(Err(Failure::Message(reason))) => {
            wanted.print_error(&reason);
            FAILURE
        }
        None => FAILURE,
    }
}

/// The whole command line, for completions, manual pages and tests.
pub fn command() -> Command {
    let root = Command::new("trimtab")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Check context policies for agents and simulate them on recordings")
        .after_help(
            "Exit codes: 0 success, 1 findings, 2 usage, I/O or internal errors.\n\
             Start with `trimtab init`, `trimtab simulate POLICY RECORDING` or `trimtab explain mask`.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true);
    let command = |subcommand: &Subcommand| {
        (subcommand.arguments)(Command::new(subcommand.name)).about(subcommand.about).long_about(None)
    };
    SUBCOMMANDS.iter().fold(root, |root, subcommand| root.subcommand(command(subcommand)))
}
