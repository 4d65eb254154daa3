//! `trimtab simulate`: replays transcripts with a policy.

pub(super) mod assertion;
mod batch;
pub(super) mod counting;
pub(super) mod determining;
mod events;
mod explain;
pub(super) mod fact;
mod inputs;
mod output;
mod playbook;
mod run;
mod stream;
pub(super) mod summariser;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Args, FromArgMatches};

use self::batch::Batch;
use self::counting::{Counter, Reasoning};
use self::explain::Explain;
use self::inputs::Inputs;
use self::output::Output;
use self::run::PolicyRun;
use self::stream::is_stdout;
use self::summariser::SummariserChoice;
use super::console::{Console, Failure, OutputArguments};
use super::load;
use super::model::check_model;
use super::project::ProjectArguments;
use super::recordings::{ErrorInference, Jobs, Sampling};
use super::{Exit, Verb, input};
use crate::playbook::Playbook;
use crate::report::{PolicyReplays, ReplayHead};
use crate::simulate::{Options, Tokens};

pub(super) static VERB: Verb = Verb {
    name: "simulate",
    about: "Replay recorded transcripts with a policy and report its effect on the context",
    arguments: Simulate::augment_args,
    run,
};

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct Simulate {
    /// A policy file or a compiled plan (`-` is standard input), then recordings: files, directories (their .json, .jsonl,
    /// .ndjson, .eval and .traj files) or globs
    #[arg(required = true, value_names = ["POLICY", "TRANSCRIPT"])]
    paths: Vec<PathBuf>,
    /// Compare several policy files on the same recordings: `--policies A B -- TRANSCRIPT`
    #[arg(long, value_name = "POLICY", num_args = 1.., conflicts_with_all = ["contexts", "events", "explain"])]
    policies: Vec<PathBuf>,
    /// The policy to use, if the file defines several
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// How tokens are counted [default: reported if the recording has usage, else estimate]
    #[arg(long, value_enum)]
    tokens: Option<Counter>,
    /// The context window in tokens, such as 200000 or 200k
    #[arg(long, value_name = "N", value_parser = window)]
    window: Option<u64>,
    /// The model, for its window and prices
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// Price all input as uncached, for comparison
    #[arg(long)]
    no_cache: bool,
    /// What the host does with reasoning behind a change, for models that bind it to what precedes it
    #[arg(long, value_enum, default_value_t)]
    reasoning: Reasoning,
    /// The summariser: extract, fixed:TEXT, fail, command:CMD, openai:MODEL[@URL] or anthropic:MODEL[@URL]. A command gets
    /// the conversation on standard input; the last two send it to a model server
    #[arg(long, value_name = "SUMMARISER", default_value = "extract", value_parser = summariser::parse)]
    summariser: SummariserChoice,
    /// The environment variable with the key of the model server [default: `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`, without
    /// URL only]
    #[arg(long, value_name = "VARIABLE")]
    summariser_key: Option<String>,
    /// A file with the playbook with which each recording begins [default: that of the recorded session, else empty]
    #[arg(long, value_name = "FILE")]
    playbook: Option<PathBuf>,
    /// Supply a fact that the policy declares with `agent { fact … }`, on every recording, such as `load=85%`; it overrides
    /// recorded values
    #[arg(long = "fact", value_name = "NAME=VALUE", value_parser = fact::parse)]
    facts: Vec<(String, String)>,
    /// Write every context that would have been sent to this file, one per line. Contains text of the recordings. `-` is
    /// standard output, in place of the report
    #[arg(long, value_name = "FILE")]
    contexts: Option<PathBuf>,
    /// Write the events that hooks would get to this file, one per line. Contains text of the recordings. `-` is standard
    /// output, in place of the report
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Draw a chart of the contexts, as recorded and with each policy, into this SVG file. It names recordings and rules and
    /// holds no text of the recordings. `-` is standard output, in place of the report
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Show the longest string that a call quotes of content that rules took, instead of its length. The report then contains
    /// text of the recordings
    #[arg(long)]
    quotes: bool,
    /// Add the figures of each call, with its usage and cost, to the formats json and jsonl
    #[arg(long)]
    per_call: bool,
    /// Explain every rule at this call, counted from 0, or one rule at every call. Contains text of the recordings
    #[arg(long, value_name = "CALL|RULE", value_parser = explain::parse)]
    explain: Option<Explain>,
    /// Fail unless this expectation of a test holds on every recording, such as 'peak context.ratio <= 90%'
    #[arg(long = "assert", value_name = "EXPECTATION")]
    assertions: Vec<String>,
    /// Read the recordings in this format instead of detecting it
    #[arg(long, value_name = "NAME", value_parser = load::input_formats())]
    input_format: Option<String>,
    /// The file name of standard input in messages
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    #[command(flatten)]
    errors: ErrorInference,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    output: Output,
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

pub(super) fn window(text: &str) -> Result<u64, String> {
    let text = text.trim_end_matches(" tokens").trim();
    let thousands = text.strip_suffix(['k', 'K']).map(|number| (number, 1_000));
    let millions = || text.strip_suffix('M').map(|number| (number, 1_000_000));
    let (number, factor) = thousands.or_else(millions).unwrap_or((text, 1));
    let number: u64 =
        number.replace('_', "").parse().map_err(|_| "expected a whole number of tokens, such as 200000 or 200k")?;
    if number == 0 {
        return Err("a window holds at least one token".to_owned());
    }
    number.checked_mul(factor).ok_or_else(|| "the number is too large".to_owned())
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Simulate::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let (policies, transcripts) = arguments.split()?;
    input::check_single_stdin(&[policies, transcripts])?;
    arguments.output.check()?;
    let mut console = Console::open(&arguments.output_options)?;
    let project = arguments.project.open(policies, &console)?;
    check_model(arguments.model.as_deref(), &project.config.models)?;
    let mut plans = Vec::with_capacity(policies.len());
    for path in policies {
        let name = input::display_name(path, arguments.stdin_filename.as_deref());
        if let Some(plan) = load::plan(path, &name, arguments.policy.as_deref(), &project, &console)? {
            plans.push((name, plan));
        }
    }
    if plans.len() < policies.len() {
        return Ok(Exit::Findings);
    }
    let paths = input::files(transcripts, load::RECORDINGS)?;
    if paths.is_empty() && !arguments.allow_empty {
        return Err(Failure::Message("no recording was found (--allow-empty accepts this)".to_owned()));
    }
    let inputs = Inputs::choose(paths, &arguments, &console)?;
    let playbook = arguments.playbook.as_deref().map(|path| playbook::read(path, &console)).transpose()?;
    let summarisers = arguments.summariser.open(arguments.summariser_key.as_deref())?;
    let head = ReplayHead {
        policies: plans.len(),
        version: env!("CARGO_PKG_VERSION"),
        options: arguments.determining_options(playbook.as_deref(), &project.config.models),
    };
    let replaces_report = arguments.replaces_report();
    let mut stream = arguments.output.stream(&head, arguments.explain.is_some()).filter(|_| !replaces_report);
    let mut done: Vec<Batch> = Vec::with_capacity(plans.len());
    for (at, (name, plan)) in plans.iter().enumerate() {
        arguments.explain.as_ref().map_or(Ok(()), |explain| explain.check(plan))?;
        let expectations = assertion::all("--assert", &arguments.assertions, plan, &console)?;
        let facts = fact::all(&arguments.facts, plan, &plans)?;
        let options = Options { facts, ..arguments.options(playbook.clone()) };
        let of = PolicyReplays { file: name, plan, replays: &[] };
        let (inputs, summarisers, first) = (&inputs, &summarisers, at == 0);
        let run = PolicyRun { of, first, inputs, summarisers, plan, arguments: &arguments, options, expectations };
        let mut policy = run.all(stream.as_deref_mut(), &mut console)?;
        arguments.explain.as_ref().map_or(Ok(()), |explain| explain.check_calls(&policy.replays))?;
        arguments.output.sort(&mut policy);
        if let Some(stream) = &mut stream {
            console.write(&stream.end(&done.first().unwrap_or(&policy).errors))?;
        }
        done.push(policy);
    }
    arguments.write_chart(&plans, &done)?;
    if let Some(stream) = &mut stream {
        console.write(&stream.finish())?;
    } else if !replaces_report {
        console.write(&arguments.render(&plans, &head, &done, &inputs, &console))?;
    }
    console.close()?;
    arguments.exit(&done, inputs.file_count())
}

impl Simulate {
    /// The policy files and the recordings.
    fn split(&self) -> Result<(&[PathBuf], &[PathBuf]), Failure> {
        if !self.policies.is_empty() {
            return Ok((&self.policies, &self.paths));
        }
        let (policy, transcripts) = self.paths.split_at(1.min(self.paths.len()));
        if transcripts.is_empty() {
            return Err(Failure::Message("no recording is given: trimtab simulate POLICY TRANSCRIPT".to_owned()));
        }
        Ok((policy, transcripts))
    }

    /// Whether standard output is for contexts, events or the chart.
    fn replaces_report(&self) -> bool {
        let is_stdout = |path: &Option<PathBuf>| path.as_deref().is_some_and(is_stdout);
        [&self.contexts, &self.events, &self.svg].into_iter().any(is_stdout) && !self.output_options.has_file()
    }

    fn options(&self, playbook: Option<Arc<Playbook>>) -> Options {
        let tokens = self.tokens.map_or(Tokens::Best, Tokens::from);
        let model = self.model.clone();
        let events = self.events.is_some();
        let reasoning = self.reasoning.into();
        let (window, without_cache, quotes) = (self.window, self.no_cache, self.quotes);
        let options = Options { tokens, window, model, playbook, events, quotes, ..Options::default() };
        let options = Options { without_cache, reasoning, per_call: self.per_call, ..options };
        match &self.explain {
            None => options,
            Some(explain) => explain.options(options),
        }
    }
}

#[cfg(test)]
mod tests;
