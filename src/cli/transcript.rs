//! `trimtab transcript`: what recordings hold. A sub-verb is one file and two lines here: `mod` and the entry in `VERBS`.

mod convert;
mod find;
pub(super) mod inputs;
mod redact;
mod show;
mod stat;
mod validate;

use clap::{ArgMatches, Command};

use super::console::Failure;
use super::{Exit, Verb};

pub(super) static VERB: Verb = Verb {
    name: "transcript",
    about: "Inspect recorded transcripts: find, count, show, check, convert and redact them",
    arguments,
    run,
};

/// The sub-verbs, in the order of the help.
static VERBS: &[&Verb] = &[&find::VERB, &stat::VERB, &show::VERB, &validate::VERB, &convert::VERB, &redact::VERB];

fn arguments(command: Command) -> Command {
    let command = command.subcommand_required(true).arg_required_else_help(true);
    let of = |verb: &Verb| (verb.arguments)(Command::new(verb.name)).about(verb.about).long_about(None);
    VERBS.iter().fold(command, |command, verb| command.subcommand(of(verb)))
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let unknown = || Failure::Message("no command is given: see `trimtab transcript --help`".to_owned());
    let (name, matches) = matches.subcommand().ok_or_else(unknown)?;
    let verb = VERBS.iter().find(|verb| verb.name == name).ok_or_else(unknown)?;
    (verb.run)(matches)
}
