//! `trimtab suggest`: the policy that would have helped in recordings.

mod replays;
mod selection;
mod settings;
mod write;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::system::{self, SYSTEMS, System};
use trimtab_report::report::{self, LISTING_FORMATS, ListingFormat, ReadCount, SuggestionReport};
use trimtab_syntax::syntax;

use self::replays::Replays;
use self::selection::Selection;
use self::settings::Settings;
use super::choice::choice;
use super::compile::target;
use super::console::{Console, Failure, OutputArguments};
use super::model::check_model;
use super::project::ProjectArguments;
use super::replay::{self, InputArguments, Inputs, ReplayArguments};
use super::{Exit, Subcommand, input};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "suggest",
    about: "Show what filled the context of recordings, and suggest a policy or settings with their simulated savings",
    arguments: |command| {
        Suggest::augment_args(command)
            .mut_arg("policy", |argument| argument.help("The name of the suggested policy [default: suggested]"))
            .mut_arg("stdin_filename", |argument| argument.hide(true))
            .after_help(
                "Every variant of every rule is simulated on all recordings, so the recordings are read several times. The \
                 savings are those that `trimtab simulate` reports for the policy with the same options.\n\
                 Exit codes: 0 success, also if no rule would have saved anything; 2 no recording could be read, or the \
                 policy could not be written.",
            )
    },
    run,
};

#[derive(Args, Debug)]
struct Suggest {
    /// Recordings: files, directories (their .json, .jsonl, .ndjson, .eval and .traj files) or globs
    #[arg(required = true, value_name = "RECORDING")]
    transcripts: Vec<PathBuf>,
    /// Suggest settings of this system instead of a policy: only what the system can do
    #[arg(long = "for", value_name = "NAME", value_parser = systems())]
    system: Option<&'static System>,
    /// With `--for`, compare with this settings file instead of the defaults, and change it in place: only the options concerned
    #[arg(long, value_name = "FILE", requires = "system", conflicts_with = "write")]
    patch: Option<PathBuf>,
    /// Write the policy, or the settings, to this file, unless the file exists
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Replace the file of `--write` if it exists
    #[arg(long, requires = "write")]
    force: bool,
    #[command(flatten)]
    replay: ReplayArguments,
    #[command(flatten)]
    input: InputArguments,
    /// The output format
    #[arg(long, default_value = LISTING_FORMATS[0].name, value_parser = choice(LISTING_FORMATS, |format| (format.name, format.summary)))]
    format: &'static ListingFormat,
    /// Fail if any recording cannot be read
    #[arg(long)]
    strict: bool,
    /// Succeed if there are no recordings
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

/// Parses the name of a system.
fn systems() -> impl TypedValueParser<Value = &'static System> {
    let value = |system: &&'static System| {
        PossibleValue::new(system.name).help(format!("Settings of {}: {}", system.title, system.file))
    };
    // The parser lets only names of the table through.
    PossibleValuesParser::new(SYSTEMS.iter().map(value)).map(|name| system::find(&name).unwrap_or(SYSTEMS[0]))
}

/// The name of the policy, unless one is given.
const POLICY: &str = "suggested";

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Suggest::from_arg_matches(matches).map_err(|error| error.to_string())?;
    arguments.check()?;
    let mut console = Console::open(&arguments.output_options)?;
    let project = arguments.project.open(&arguments.transcripts, &console)?;
    check_model(arguments.replay.model.as_deref(), &project.config.models)?;
    let paths = replay::recordings(&arguments.transcripts, arguments.allow_empty)?;
    let inputs = Inputs::choose(paths, &arguments.input, &console)?;
    let replays = Replays {
        inputs: &inputs,
        arguments: &arguments.input,
        options: arguments.replay.options(),
        project: &project,
        name: arguments.replay.policy.as_deref().unwrap_or(POLICY),
    };
    let observed = replays.observe(&console)?;
    arguments.check_read(&observed, &inputs)?;
    let selection = Selection::of(&observed.sums, &replays, &console)?;
    let settings = arguments.system.map(|system| {
        let file = arguments.patch.as_ref().map(|path| target::settings_file(path, system, &console)).transpose()?;
        Settings { system, file: file.as_ref(), replays: &replays, console: &console }.suggest(&observed.sums)
    });
    let settings = settings.transpose()?;
    let text = settings.as_ref().map_or(selection.policy.as_ref(), |settings| settings.text.as_ref());
    if let (Some(text), Some(file)) = (text, &arguments.write) {
        write::policy(file, text, arguments.force)?;
    }
    if let (Some(text), Some(file)) = (text, &arguments.patch) {
        target::patch(file, text, &console)?;
    }
    let file = arguments.write.as_ref().or(arguments.patch.as_ref()).map(|file| file.display().to_string());
    let listing = report::suggestions(&SuggestionReport {
        observed: &observed.sums,
        results: &selection.results,
        simulated: selection.simulated.as_ref(),
        policy: selection.policy.as_deref(),
        settings: settings.as_ref(),
        written: file.as_deref(),
        errors: &observed.errors,
    });
    if std::ptr::eq(arguments.format, LISTING_FORMATS[0]) {
        let files = inputs.file_count();
        let read = files - observed.unread.min(files);
        console.write(&inputs.heading(arguments.input.sampling, console.style))?;
        console.write(&ReadCount { read, all: files }.heading(console.style))?;
    }
    console.write(arguments.format.render(&listing, console.style))?;
    console.close()?;
    input::check_exist(&arguments.transcripts)?;
    Ok(Exit::Success)
}

impl Suggest {
    /// Fails for arguments that cannot work, before any recording is read.
    fn check(&self) -> Result<(), Failure> {
        if self.transcripts.iter().any(|path| input::is_stdin(path)) {
            let reason = "suggest reads recordings several times, so it cannot read standard input; write it to a file";
            return Err(Failure::Message(reason.to_owned()));
        }
        let is_policy = |path: &&Path| path.extension().is_some_and(|end| end == "trim");
        if let Some(file) = self.output_options.file().filter(is_policy) {
            let reason = "`-o` names the file of the report; write the policy with `--write";
            return Err(Failure::Message(format!("{reason} {}`", file.display())));
        }
        if self.patch.as_deref().is_some_and(input::is_stdin) {
            let reason = "--patch changes a file in place, and `-` is none; use --write";
            return Err(Failure::Message(reason.to_owned()));
        }
        if let Some(name) = self.replay.policy.as_deref().filter(|name| !syntax::is_name(name)) {
            return Err(Failure::Message(format!("`{name}` is not a name for a policy; use letters, digits and `_`")));
        }
        self.write.as_deref().map_or(Ok(()), |file| write::check(file, self.force))
    }

    /// Fails if recordings could not be read.
    fn check_read(&self, observed: &replays::Observed, inputs: &Inputs) -> Result<(), Failure> {
        let failed = observed.errors.len();
        if observed.panicked > 0 || failed > 0 && (self.strict || observed.sums.transcripts == 0) {
            let files = inputs.file_count().max(observed.sums.transcripts + failed);
            return Err(Failure::Message(format!("{failed} of {files} recordings could not be replayed")));
        }
        Ok(())
    }
}
