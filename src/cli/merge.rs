//! `trimtab merge`: merges results of parts of the recordings.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_report::report::{self, Encoding, SORTS, Sort};

use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand, input};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "merge",
    about: "Combine results of `simulate --format json` on parts of the recordings",
    arguments: Merge::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Merge {
    /// Results of `simulate --format json` or `merge` with the same policies, options and version: files, directories (their
    /// .json files) or globs; `-` is standard input
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    /// The order of the transcripts [default: input]
    #[arg(long, value_name = "KEY", value_parser = choice(SORTS, |sort| (sort.name, sort.summary)))]
    sort: Option<&'static Sort>,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Merge::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut parts = Vec::new();
    for path in input::files(&arguments.results, &["json"])? {
        let name = input::display_name(&path, None);
        let text =
            input::read(&path).and_then(input::text).map_err(|reason| format!("cannot read {name}: {reason}"))?;
        parts.push((name, text));
    }
    let merged = report::merge(&parts, arguments.sort)?;
    // The file may be one of the parts.
    let mut console = Console::open(&arguments.output_options)?;
    console.write(Encoding::Json.finish(merged.text))?;
    console.close()?;
    Ok(if merged.has_findings { Exit::Findings } else { Exit::Success })
}
