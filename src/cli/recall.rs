//! `trimtab recall`: prints a result that a policy has moved out of the context of an agent.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_base::conversation::is_content_id;
use trimtab_report::report::Encoding;

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand};
use crate::host::{KEPT_DAYS, OffloadedContents, STATE_VARIABLE, proxy_state};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "recall",
    about: "Print a tool result that a policy moved out of the context of an agent",
    arguments: Recall::augment_args,
    run,
};

#[derive(Args, Debug)]
#[command(after_help = "The placeholder of the result has the command with its id. Agents run it in their shell.")]
struct Recall {
    /// The id in the placeholder
    #[arg(value_name = "ID")]
    id: String,
    /// The directory of the proxy's --state [default: `$TRIMTAB_STATE`, or `proxy` in the state directory of the user]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Recall::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let id = &arguments.id;
    if !is_content_id(id) {
        return Err(Failure::Message(format!("`{id}` is not an id; the placeholder of the result has it")));
    }
    let Some(state) = arguments.state.or_else(proxy_state) else {
        return Err(Failure::Message(format!("the home directory is not known; give --state or set {STATE_VARIABLE}")));
    };
    let content = OffloadedContents::of(&state).read(id).map_err(|error| format!("{}: {error}", state.display()))?;
    let Some(content) = content else {
        let folder = state.display();
        return Err(Failure::Message(format!(
            "there is no offloaded content `{id}` in {folder}; contents are kept for {KEPT_DAYS} days"
        )));
    };
    let mut console = Console::open(&arguments.output_options)?;
    console.write(Encoding::Data.finish(content))?;
    console.close()?;
    Ok(Exit::Success)
}
