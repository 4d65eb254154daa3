//! `trimtab completions`: completion scripts for shells.

use clap::{ArgMatches, Args, FromArgMatches};
use clap_complete::Shell;
use trimtab_report::report::Encoding;

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "completions",
    about: "Print a completion script for a shell",
    arguments: Completions::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Completions::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::command(), "trimtab", &mut text);
    console.write(Encoding::Data.finish(String::from_utf8_lossy(&text)))?;
    console.close()?;
    Ok(Exit::Success)
}
