//! Better values for the constants of a policy.

use std::error::Error;
use std::fmt;
use std::sync::OnceLock;

use trimtab_analysis::sweep::{
    AXES, Axis, DEFAULT_ABOVE, DEFAULT_AXES, Objective, Observation, Split, Variation, judge,
};
use trimtab_analysis::test::SummedExpectation;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::SourceLoader;
use trimtab_report::report::result::SweepResult;
use trimtab_report::report::{ReadCount, SweepReport, plural};

use super::lint::STYLE;
use super::policy::PlanError;
use super::recording::Transcript;
use super::simulation::SimulationOptions;
use crate::pipeline::sweep::{self as pipeline, Combinations, Replays, Sample, SweptFile};
use crate::pipeline::{assertion, compile_with};

/// Options of a sweep. Unset ones are those of `trimtab sweep`.
#[derive(Clone, Debug)]
pub struct SweepOptions {
    sample: Option<usize>,
    objective: &'static Axis,
    axes: Vec<&'static Axis>,
    constraints: Vec<String>,
    above: Decimal,
    split: Split,
    simulation: SimulationOptions,
}

/// A sweep: the figures of all combinations, and the winner.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sweep {
    /// The result, as `trimtab sweep --format json` prints it.
    pub result: SweepResult,
    /// The text of the policy file with the values of the winner, or `None` if no combination meets the constraints.
    pub winner: Option<String>,
}

/// Why a sweep cannot be made.
#[derive(Clone, Debug)]
pub struct SweepError {
    message: String,
    diagnostics: Vec<Diagnostic>,
}

impl SweepError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), diagnostics: Vec::new() }
    }

    fn of(error: pipeline::SweepError) -> Self {
        let message = match &error {
            pipeline::SweepError::TooManyCombinations => format!("{error}; try a sample of them, or fewer values"),
            pipeline::SweepError::Choice(reason) => PlanError::from(reason.clone()).to_string(),
            _ => error.to_string(),
        };
        let compiled = match error {
            pipeline::SweepError::Invalid { compiled, .. } => compiled,
            _ => Vec::new(),
        };
        Self { message, diagnostics: compiled.into_iter().flat_map(|one| one.diagnostics).collect() }
    }

    /// The errors of the policy or of a constraint, if these are the reason.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for SweepError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Error for SweepError {}

impl Default for SweepOptions {
    fn default() -> Self {
        Self {
            sample: None,
            objective: AXES[0],
            axes: DEFAULT_AXES.iter().filter_map(|name| axis(name)).collect(),
            constraints: Vec::new(),
            above: DEFAULT_ABOVE,
            split: Split::default(),
            simulation: SimulationOptions::default(),
        }
    }
}

impl SweepOptions {
    /// Tries only `count` combinations, evenly spread over all of them.
    pub fn samples(mut self, count: usize) -> Self {
        self.sample = Some(count);
        self
    }

    /// Sets the metric that decides the winner, one of [`sweep_axes`]; less is better.
    ///
    /// # Errors
    /// The axis is unknown.
    pub fn objective(mut self, name: &str) -> Result<Self, SweepError> {
        self.objective = known_axis(name)?;
        Ok(self)
    }

    /// Sets the other metrics, which are the other axes of the Pareto front.
    ///
    /// # Errors
    /// An axis is unknown.
    pub fn axes<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self, SweepError> {
        self.axes = names.iter().map(|name| known_axis(name.as_ref())).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Considers only combinations with which this expectation of a test holds on every transcript of the tuning set, such as
    /// `peak context.ratio <= 90%`.
    pub fn subject_to(mut self, expectation: impl Into<String>) -> Self {
        self.constraints.push(expectation.into());
        self
    }

    /// Sets the share of the window above which the axis `calls-above` counts a call, in percent; more than 100 is 100.
    pub fn above(mut self, percent: u8) -> Self {
        self.above = share(percent);
        self
    }

    /// Sets the share of transcripts that are held out, in percent; more than 100 is 100. The winner is verified on them, and chosen on the
    /// others, the tuning set.
    pub fn held_out(mut self, percent: u8) -> Self {
        self.split.held_out = share(percent);
        self
    }

    /// Sets the seed of the split into tuning and held-out transcripts, of samples and of intervals.
    pub fn seed(mut self, seed: u64) -> Self {
        self.split.seed = seed;
        self
    }

    /// Sets how transcripts are replayed.
    pub fn simulation(mut self, options: SimulationOptions) -> Self {
        self.simulation = options;
        self
    }

    /// Everything that is replayed and judged.
    fn run(
        &self,
        file: &SweptFile,
        all: &Combinations,
        transcripts: &[(&str, &Transcript)],
    ) -> Result<Sweep, SweepError> {
        let expectations =
            assertion::parse("constraint", &self.constraints, &file.plan).map_err(|errors| SweepError {
                message: "a constraint is not an expectation of a test".to_owned(),
                diagnostics: errors.diagnostics,
            })?;
        if expectations.iter().any(|one| SummedExpectation::of(&one.claim).is_some()) {
            return Err(SweepError::new("a constraint holds on each transcript; leave out `total`"));
        }
        let options = &self.simulation.options;
        let replays = Replays { plans: &all.plans, options, expectations: &expectations, above: self.above };
        let observed = |(name, transcript): &(&str, &Transcript)| {
            let inputs = OnceLock::new();
            let outcome = |plan| replays.outcome(plan, &transcript.0, &inputs, self.simulation.summariser().as_mut());
            let outcomes: Vec<_> = all.plans.iter().map(outcome).collect();
            Observation { half: self.split.half(name), outcomes: all.of_plans(&outcomes) }
        };
        let observations = transcripts.iter().map(observed).collect();
        let objective = Objective::new(self.objective, &self.axes, &self.constraints, self.split.seed);
        let sweep = judge(all.candidates(), observations, objective).map_err(|unknown| {
            let (name, count) = (self.objective.name, plural(unknown.0, "transcript"));
            let verb = if unknown.0 == 1 { "contains" } else { "contain" };
            SweepError::new(format!(
                "the value of `{name}` is unknown in {count}, which {verb} more than half of all tokens"
            ))
        })?;
        let report = SweepReport {
            file: &file.name,
            policy: &file.plan.policy,
            parameters: &all.parameters,
            possible: all.possible,
            tried: all.tried,
            split: self.split,
            above: self.above,
            sweep: &sweep,
            errors: &[],
            read_count: ReadCount { read: transcripts.len(), all: transcripts.len() },
            version: env!("CARGO_PKG_VERSION"),
            style: STYLE,
        };
        let winner = sweep.winner.and_then(|winner| all.text(winner)).map(str::to_owned);
        Ok(Sweep { result: (&report).into(), winner })
    }
}

/// Replays transcripts with every combination of some values of a policy's constants, and compares the results.
///
/// `parameters` are `NAME=VALUES` as `trimtab sweep --vary` takes them, such as `busy=50%..80% by 5%` or `mask_old.keep=5,10`. The
/// name of a transcript decides whether the winner is chosen or verified on it.
///
/// ```
/// # let recording = br#"{"role":"user","content":"Read both files."}
/// # {"role":"assistant","content":"Done."}
/// # {"role":"user","content":"And the third."}
/// # {"role":"assistant","content":"Done again."}"#;
/// use trimtab::{NoSources, SweepOptions, sweep};
///
/// let policy = "edition 2026\npolicy p { rule mask_old { when context.results > 4 do mask results keep 2 results } }";
/// let transcripts = trimtab::read_transcripts(recording, None)?;
/// let named: Vec<_> = transcripts.iter().map(|transcript| ("first.jsonl", transcript)).collect();
///
/// let options = SweepOptions::default().objective("tokens-sent")?;
/// let swept = sweep("p.trim", policy, &mut NoSources, None, &["mask_old.keep=1,2,4"], &named, &options)?;
/// assert_eq!(swept.result.combinations.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The policy has errors as written or with some values, a constant or a constraint is wrong, or the value of the objective is unknown
/// in transcripts that contain more than half of all tokens.
pub fn sweep<S: AsRef<str>>(
    name: &str,
    text: &str,
    sources: &mut dyn SourceLoader,
    policy: Option<&str>,
    parameters: &[S],
    transcripts: &[(&str, &Transcript)],
    options: &SweepOptions,
) -> Result<Sweep, SweepError> {
    let variations = parameters.iter().map(|one| Variation::parse(one.as_ref()));
    let variations: Vec<Variation> = variations.collect::<Result<_, _>>().map_err(SweepError::new)?;
    let compiled = compile_with(name, text, sources);
    let Some(checked) = &compiled.checked else {
        let message = format!("{name} has errors");
        return Err(SweepError { message, diagnostics: compiled.diagnostics });
    };
    let plan = trimtab_language::plan::lower(checked, policy)
        .map_err(|error| SweepError::new(PlanError::from(error).to_string()))?;
    let file = SweptFile::new(name, text.to_owned(), compiled, plan, policy);
    let sample = options.sample.map(|count| Sample { count, seed: options.split.seed });
    let combinations = Combinations::of(&file, &variations, sample, &mut |text| compile_with(name, text, sources))
        .map_err(SweepError::of)?;
    options.run(&file, &combinations, transcripts)
}

/// The metrics (*axes*) by which [`sweep`](fn@sweep) compares combinations, each with a one-line description.
pub fn sweep_axes() -> impl Iterator<Item = (&'static str, &'static str)> {
    AXES.iter().map(|axis| (axis.name, axis.summary))
}

fn axis(name: &str) -> Option<&'static Axis> {
    AXES.iter().find(|axis| axis.name == name).copied()
}

fn known_axis(name: &str) -> Result<&'static Axis, SweepError> {
    axis(name).ok_or_else(|| {
        let names: Vec<&str> = AXES.iter().map(|axis| axis.name).collect();
        SweepError::new(format!("unknown axis `{name}`; choose one of {}", names.join(", ")))
    })
}

fn share(percent: u8) -> Decimal {
    Decimal::new(percent.min(100).into(), 2)
}
