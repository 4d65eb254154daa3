//! `trimtab hook`: the hooks of coding agents, which change tool results before the model sees them.

mod event;
mod installation;
mod summary;

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_live::hook_client::{HOOK_CLIENTS, HookClient};

use self::installation::HookFile;
use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "hook",
    about: "Shorten or mask tool results in the hooks of a coding agent, before the model sees them",
    arguments: Hook::augment_args,
    run,
};

#[derive(Args, Debug)]
#[command(
    after_help = "Without --install, --uninstall and --status it reads one event of the client from standard input \
    and prints the answer. A failure is an answer that changes nothing; --status shows the last one."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
struct Hook {
    /// The client
    #[arg(value_name = "CLIENT", value_parser = choice(HOOK_CLIENTS, |client| (client.name, client.title)))]
    client: &'static HookClient,
    /// A policy file, or a compiled plan
    #[arg(value_name = "POLICY")]
    policy_file: Option<PathBuf>,
    /// The policy to use, if the file or the files that it uses define several
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// Install the hook with this policy, and say what each rule can do in it; the change is shown as a patch
    #[arg(long, requires = "policy_file", group = "setup")]
    install: bool,
    /// Remove the hook; the change is shown as a patch
    #[arg(long, conflicts_with = "policy_file", group = "setup")]
    uninstall: bool,
    /// Print where the hook is installed, with which policy, and its last error
    #[arg(long, conflicts_with_all = ["policy_file", "dry_run"], group = "setup")]
    status: bool,
    /// For all projects of the user [default]
    #[arg(long, requires = "setup", conflicts_with = "project")]
    user: bool,
    /// For the current project: the repository of the working directory
    #[arg(long, requires = "setup")]
    project: bool,
    /// Show the change without making it
    #[arg(long, requires = "setup")]
    dry_run: bool,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Hook::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let client = arguments.client;
    if arguments.status {
        let places = match (arguments.user, arguments.project) {
            (false, false) => vec![HookFile::user(client)?, HookFile::project(client)?],
            (_, false) => vec![HookFile::user(client)?],
            (_, true) => vec![HookFile::project(client)?],
        };
        console.write(&installation::status(client, &places)?)?;
    } else if arguments.install || arguments.uninstall {
        let place = if arguments.project { HookFile::project(client)? } else { HookFile::user(client)? };
        let exit = match &arguments.policy_file {
            Some(policy) => arguments.install(&place, policy, &mut console)?,
            None => installation::uninstall(client, &place, arguments.dry_run, &mut console)?,
        };
        console.close()?;
        return Ok(exit);
    } else {
        let policy = (arguments.policy_file.as_deref(), arguments.policy.as_deref());
        console.write(event::answer(client, policy, &console))?;
    }
    console.close()?;
    Ok(Exit::Success)
}
