//! `trimtab transcript find`: the recordings of coding agents on this machine.

use clap::{ArgMatches, Args, FromArgMatches};
use jiff::Timestamp;
use trimtab_report::report::result::StoredRecordings;
use trimtab_report::report::{self, LISTING_FORMATS, ListingFormat};

use crate::cli::choice::choice;
use crate::cli::console::{Console, Failure, OutputArguments};
use crate::cli::{Exit, Subcommand};
use crate::host::{self, FoundRecordings};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "find",
    about: "Find recordings of coding agents in the home directory, by tool",
    arguments: Find::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Find {
    /// The output format
    #[arg(long, default_value = LISTING_FORMATS[0].name, value_parser = choice(LISTING_FORMATS, |format| (format.name, format.summary)))]
    format: &'static ListingFormat,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Find::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let found: Vec<StoredRecordings> = host::find_all_recordings().into_iter().map(stored).collect();
    let agents: Vec<&str> = host::RECORDING_STORES.iter().map(|store| store.agent).collect();
    let listing = report::stored_recordings(&found, &agents);
    console.write(arguments.format.render(&listing, console.style))?;
    console.close()?;
    Ok(Exit::Success)
}

/// The row of a tool.
fn stored(found: FoundRecordings) -> StoredRecordings {
    let newest = found.newest.and_then(|time| Timestamp::try_from(time).ok());
    StoredRecordings {
        tool: found.store.agent.to_owned(),
        format: found.store.format.to_owned(),
        files: u64::try_from(found.count).unwrap_or(u64::MAX),
        is_partial: found.is_partial,
        bytes: found.bytes,
        newest: newest.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        place: found.place,
    }
}
