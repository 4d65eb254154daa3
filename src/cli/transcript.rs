//! `trimtab transcript`: what recordings hold. A nested subcommand is one file and two lines here: `mod` and the entry in `SUBCOMMANDS`.

mod convert;
mod find;
pub(super) mod inputs;
mod redact;
mod show;
mod stat;
mod validate;

use clap::{ArgMatches, Command};

use super::console::Failure;
use super::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "transcript",
    about: "Inspect recordings: find, count, show, check, convert and redact them",
    arguments,
    run,
};

/// The nested subcommands, in the order of the help.
static SUBCOMMANDS: &[&Subcommand] = &[
    &find::SUBCOMMAND,
    &stat::SUBCOMMAND,
    &show::SUBCOMMAND,
    &validate::SUBCOMMAND,
    &convert::SUBCOMMAND,
    &redact::SUBCOMMAND,
];

fn arguments(command: Command) -> Command {
    let command = command.subcommand_required(true).arg_required_else_help(true);
    let of = |subcommand: &Subcommand| {
        (subcommand.arguments)(Command::new(subcommand.name)).about(subcommand.about).long_about(None)
    };
    SUBCOMMANDS.iter().fold(command, |command, subcommand| command.subcommand(of(subcommand)))
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let unknown = || Failure::Message("no command is given: see `trimtab transcript --help`".to_owned());
    let (name, matches) = matches.subcommand().ok_or_else(unknown)?;
    let subcommand = SUBCOMMANDS.iter().find(|one| one.name == name).ok_or_else(unknown)?;
    (subcommand.run)(matches)
}
