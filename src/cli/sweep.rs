//! `trimtab sweep`: replays transcripts with many values of a policy's constants and compares the results.

mod outcomes;
mod policy_file;
mod resume;
mod settings;
mod share;
mod winner;

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::sweep::{AXES, Axis, DEFAULT_ABOVE, DEFAULT_AXES, Objective, Split, Variation, judge};
use trimtab_analysis::test::SummedExpectation;
use trimtab_report::report::{ReadCount, SWEEP_FORMATS, SweepFormat, SweepReport};

use self::outcomes::{AllReplays, Outcomes};
use self::resume::FinishedReplays;
use self::settings::ReplaySettings;
use self::share::Share;
use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::load::{self, AgentFiles};
use super::model::check_model;
use super::project::{Project, ProjectArguments};
use super::recordings::{Jobs, Recordings, shows_progress};
use super::replay::fact;
use super::simulate::assertion;
use super::{Exit, Subcommand, input};
use crate::pipeline::sweep::{Combinations, Replays, Sample, SweptFile};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "sweep",
    about: "Find better values for the constants of a policy on recordings",
    arguments: |command| {
        Sweep::augment_args(command).after_help(
            "`--vary` takes the constants of the file (`let NAME`) and the literal ones in its rules: labels of effects \
             (`RULE.LABEL`), guards (`RULE.cooldown`) and the numbers that facts are compared with (`RULE.FACT`).\n\
             The transcripts are split by their names into a tuning set and a held-out set. The winner is chosen on the \
             tuning set and verified on the held-out set.\n\
             Exit codes: 0 success; 1 errors in the policy, no combination meets the constraints, or --write is refused; 2 \
             recordings could not be replayed, or other errors.",
        )
    },
    run,
};

#[derive(Args, Debug)]
struct Sweep {
    /// A policy file (`-` is standard input), then recordings: files, directories (their .json, .jsonl, .ndjson, .eval and
    /// .traj files) or globs
    #[arg(required = true, value_names = ["POLICY", "RECORDING"])]
    paths: Vec<PathBuf>,
    /// A constant and its values: `busy=50%..80% by 5%` or `mask_old_results.keep=5,10,20`
    #[arg(long, value_name = "NAME=VALUES", required = true, value_parser = Variation::parse)]
    vary: Vec<Variation>,
    /// Try only N combinations, evenly spread over all of them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// The metric that decides the winner; less is better
    #[arg(long, value_name = "METRIC", default_value = AXES[0].name, value_parser = axis())]
    objective: &'static Axis,
    /// The other metrics, which are the other axes of the Pareto front
    #[arg(long, value_name = "METRIC", value_delimiter = ',', default_values = DEFAULT_AXES, value_parser = axis())]
    axes: Vec<&'static Axis>,
    /// Consider only combinations that meet this expectation of a test on every recording of the tuning set, such as
    /// 'peak context.ratio <= 90%'
    #[arg(long = "subject-to", value_name = "EXPECTATION")]
    constraints: Vec<String>,
    /// The share of the context window for the metric calls-above
    #[arg(long, value_name = "SHARE", default_value_t = Share(DEFAULT_ABOVE), value_parser = share::parse)]
    above: Share,
    /// The share of the transcripts that is held out
    #[arg(long, value_name = "SHARE", default_value_t = Share(Split::default().held_out), value_parser = share::parse)]
    held_out: Share,
    /// The seed of the split, of --samples and of the intervals
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write the values of the winner into the policy file, if its lead holds on the held-out set
    #[arg(long)]
    write: bool,
    /// Write the values of the winner even if its lead was not verified
    #[arg(long, requires = "write")]
    force: bool,
    /// Keep finished replays in this file, and continue from it if it exists
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// The output format
    #[arg(long, default_value = SWEEP_FORMATS[0].name, value_parser = choice(SWEEP_FORMATS, |format| (format.name, format.summary)))]
    format: &'static SweepFormat,
    #[command(flatten)]
    replay: ReplaySettings,
    #[command(flatten)]
    jobs: Jobs,
    /// Fail if any recording cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn axis() -> impl clap::builder::TypedValueParser<Value = &'static Axis> {
    choice(AXES, |axis| (axis.name, axis.summary))
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Sweep::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let (policy, transcripts) = arguments.paths.split_at(1.min(arguments.paths.len()));
    if transcripts.is_empty() {
        return Err(Failure::Message("no recording is given: trimtab sweep POLICY RECORDING --vary …".to_owned()));
    }
    if arguments.write && policy.iter().any(|path| input::is_stdin(path)) {
        return Err(Failure::Message("--write cannot change standard input: name a file".to_owned()));
    }
    input::check_single_stdin(&[policy, transcripts])?;
    let mut console = Console::open(&arguments.output_options)?;
    if arguments.format.is_page {
        console.refuse_terminal("sweep.html")?;
    }
    let project = arguments.project.open(policy, &console)?;
    check_model(arguments.replay.model(), &project.config.models)?;
    let stdin_filename = arguments.replay.stdin_filename();
    let path = policy.first().map_or(Path::new("-"), PathBuf::as_path);
    let file = policy_file::open(path, stdin_filename, arguments.replay.replay.policy.as_deref(), &project, &console)?;
    let Some(file) = file else { return Ok(Exit::Findings) };
    let Some(combinations) = policy_file::combinations(&file, &arguments.vary, arguments.sample(), &project, &console)?
    else {
        return Ok(Exit::Findings);
    };
    let paths = input::files(transcripts, load::RECORDINGS)?;
    if paths.is_empty() {
        return Err(Failure::Message("no recording was found".to_owned()));
    }
    let mut outcomes = arguments.outcomes(&file, &combinations, &paths, &project, &console)?;
    let sweep = judge(combinations.candidates(), std::mem::take(&mut outcomes.observations), arguments.objective())
        .map_err(|unknown| arguments.unknown_objective(unknown.0))?;
    let report = SweepReport {
        file: &file.name,
        policy: &file.plan.policy,
        parameters: &combinations.parameters,
        possible: combinations.possible,
        tried: combinations.tried,
        split: arguments.split(),
        above: arguments.above.0,
        sweep: &sweep,
        errors: &outcomes.errors,
        read_count: ReadCount { read: paths.len() - outcomes.unread.min(paths.len()), all: paths.len() },
        version: env!("CARGO_PKG_VERSION"),
        style: console.style,
    };
    console.write(arguments.format.render(&report))?;
    let exit = if arguments.write {
        winner::write(path, &file, &combinations, &sweep, arguments.force, &mut console)?
    } else {
        winner::exit(&sweep)
    };
    console.close_result(!sweep.observations.is_empty() || outcomes.errors.is_empty())?;
    let exit = outcomes.exit(exit, sweep.observations.len(), paths.len(), arguments.strict)?;
    input::check_exist(transcripts)?;
    Ok(exit)
}

impl Sweep {
    /// Replays the recordings with all combinations.
    fn outcomes(
        &self,
        file: &SweptFile,
        combinations: &Combinations,
        paths: &[PathBuf],
        project: &Project,
        console: &Console,
    ) -> Result<Outcomes, Failure> {
        let expectations = assertion::all("--subject-to", &self.constraints, &file.plan, console)?;
        if expectations.iter().any(|one| SummedExpectation::of(&one.claim).is_some()) {
            let reason = "--subject-to: a constraint holds on each recording; leave out `total`";
            return Err(Failure::Message(reason.to_owned()));
        }
        let facts = fact::all(self.replay.facts(), &file.plan, &[])?;
        let summarisers = self.replay.summarisers()?;
        let determining = self.replay.determining(&self.constraints, self.above.0, &project.config.models);
        let state = self.resume.as_deref();
        let finished =
            state.map(|state| FinishedReplays::open(state, paths, combinations, &determining)).transpose()?;
        let agents = AgentFiles::among(paths);
        let mut recordings = Recordings::new(paths, self.jobs.count());
        recordings.agents = Some(&agents);
        recordings.needs_names = finished.is_some();
        recordings.shows_progress = shows_progress(console, false);
        self.replay.apply_to(&mut recordings);
        let options = self.replay.options(facts);
        let (plans, expectations) = (combinations.plans.as_slice(), expectations.as_slice());
        let replays = AllReplays {
            replays: Replays { plans, options: &options, expectations, above: self.above.0 },
            summarisers: &summarisers,
            finished: finished.as_ref(),
        };
        replays.all(&recordings, self.split(), combinations, console)
    }

    fn sample(&self) -> Option<Sample> {
        let count = self.samples.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        count.map(|count| Sample { count, seed: self.seed })
    }

    const fn split(&self) -> Split {
        Split { held_out: self.held_out.0, seed: self.seed }
    }

    /// The metrics by which the combinations are compared.
    fn objective(&self) -> Objective {
        Objective::new(self.objective, &self.axes, &self.constraints, self.seed)
    }

    fn unknown_objective(&self, transcripts: usize) -> Failure {
        let (name, count) = (self.objective.name, trimtab_report::report::plural(transcripts, "transcript"));
        let verb = if transcripts == 1 { "contains" } else { "contain" };
        Failure::Message(format!(
            "--objective {name}: the value is unknown in {count}, which {verb} more than half of all tokens; set --model or \
             --window, or choose another objective, such as `tokens-sent`"
        ))
    }
}
