//! `trimtab transcript redact`: recordings without user names, addresses and keys.

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::recording::{RedactedText, redact};
use trimtab_recordings::transcript;
use trimtab_report::report::Encoding;

use super::inputs::Inputs;
use crate::cli::console::{Console, Failure, OutputArguments};
use crate::cli::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "redact",
    about: "Replace user names, addresses and keys in recordings; lengths and structure stay",
    arguments: |command| Redact::augment_args(command).after_help(PROMISE),
    run,
};

/// What is replaced and what cannot be.
const PROMISE: &str = "The output is Trimtab JSONL. The structure and the number of characters of each text stay; image data is \
    left out. Replaced are user names in home directories, environments, prompts and file listings, e-mail and IP addresses, \
    keys and tokens of known forms, numbers of payment cards, values of names and options such as `password` and `--token`, \
    credentials in URLs, headers and commands, and random strings. Ids, tool names, models and keys of arguments stay, except \
    for user names, addresses and keys in them. --personal-numbers also replaces phone numbers, IBANs, US social security \
    numbers and MAC addresses.\n\
    Names of people, companies, hosts and projects in running text are not recognised, and neither are passwords in running \
    text and short keys of unknown forms. --all-text replaces them too, but not in ids, tool names and plain keys. Read the \
    output before you share it.";

#[derive(Args, Debug)]
struct Redact {
    #[command(flatten)]
    inputs: Inputs,
    /// Replace phone numbers, IBANs, US social security numbers and MAC addresses, too
    #[arg(long)]
    personal_numbers: bool,
    /// Replace every word, too
    #[arg(long)]
    all_text: bool,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Redact::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let what = match (arguments.all_text, arguments.personal_numbers) {
        (true, _) => RedactedText::All,
        (false, true) => RedactedText::PersonalNumbers,
        (false, false) => RedactedText::Secrets,
    };
    let outcome = arguments.inputs.each(
        &mut console,
        |_, file| {
            let text: String = file.transcripts.iter().map(transcript::write).collect();
            redact(&text, what)
        },
        |console, text| console.write(Encoding::Data.finish(text)),
    )?;
    if !arguments.all_text {
        console.note("note: names in running text are not recognised; read the output before you share it");
    }
    console.close_with(outcome.exit())
}
