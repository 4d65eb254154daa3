//! Test blocks: cases that are run with the plan of a policy.
//!
//! A run takes a checked file, the cases to run, and recordings by path. It returns the outcome of each case, with the
//! actual values of failed expectations, and the coverage. The module opens no files and does not render outcomes.

mod coverage;
mod filler;
mod judge;
mod observer;
mod order;
mod random;
mod summariser;
mod total;
mod transcript;

use std::collections::{HashMap, HashSet};

use trimtab_base::source::Span;
use trimtab_language::check::{CheckedFile, TestCase, TestInput};
use trimtab_language::plan::{self, Plan};
use trimtab_recordings::transcript::Transcript;
use trimtab_run::run::Explanation;
use trimtab_simulate::simulate::{Confirmations, FactSeries, Options, Trace, dry_run, replay};

pub use coverage::{ComparisonCoverage, Coverage, RuleCoverage};
pub use filler::filler;
pub use observer::{ExpectationResult, Observer};
pub use order::shuffle;
pub use random::Random;
use summariser::ScriptedSummariser;
pub use total::{SummedExpectation, TotalSum};

/// The context window of a test if neither the test, the `agent` block nor the model defines one.
pub const WINDOW: u64 = 200_000;

/// The recordings that tests refer to.
pub trait Recordings {
    /// The conversations of a recording.
    ///
    /// # Errors
    /// The reason why the recording cannot be read.
    fn find(&self, path: &str) -> Result<Vec<Transcript>, String>;
}

/// The outcome of a case.
#[derive(Clone, Debug)]
pub struct CaseOutcome<'a> {
    /// The case.
    pub case: &'a TestCase,
    /// Its result.
    pub result: TestResult,
    /// The coverage of its policy, or `None` if it could not be run.
    pub coverage: Option<Coverage>,
}

/// The result of a case.
#[derive(Clone, Debug)]
pub enum TestResult {
    /// All expectations were met.
    Passed,
    /// Some expectations were not met.
    Failed(Vec<Failure>),
    /// It could not be run; the place and the reason.
    Broken(Span, String),
}

/// An expectation that was not met.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The place of the expectation.
    pub span: Span,
    /// What happened instead.
    pub actual: String,
    /// The call that contradicts the expectation, if there is one.
    pub at: Option<usize>,
    /// The explanation of the rule at that call, phase by phase.
    pub explained: Vec<(&'static str, Explanation)>,
}

/// Runs cases of a checked file in this order.
pub fn run<'a>(checked: &CheckedFile, cases: &[&'a TestCase], recordings: &dyn Recordings) -> Vec<CaseOutcome<'a>> {
    cases.iter().map(|case| run_case(checked, case, recordings)).collect()
}

/// The coverage of each policy of the file that is not extended by another or that is tested.
pub fn coverage(checked: &CheckedFile, outcomes: &[CaseOutcome<'_>]) -> Vec<Coverage> {
    let extended: HashSet<&str> = checked.policies.iter().filter_map(|policy| policy.base.as_deref()).collect();
    let tested: HashSet<&str> = checked.tests.iter().map(|case| case.policy.as_str()).collect();
    let is_wanted = |name: &str| !extended.contains(name) || tested.contains(name);
    let wanted = checked.policies.iter().filter(|policy| is_wanted(&policy.name));
    let plans = wanted.filter_map(|policy| plan::lower(checked, Some(&policy.name)).ok());
    let mut parts: HashMap<&str, Vec<&Coverage>> = HashMap::new();
    for part in outcomes.iter().filter_map(|outcome| outcome.coverage.as_ref()) {
        parts.entry(&part.policy).or_default().push(part);
    }
    let all = |plan: Plan| {
        let mut coverage = Coverage::of(&plan);
        parts.get(plan.policy.as_str()).into_iter().flatten().for_each(|part| coverage.merge(part));
        coverage
    };
    plans.map(all).collect()
}

fn run_case<'a>(checked: &CheckedFile, case: &'a TestCase, recordings: &dyn Recordings) -> CaseOutcome<'a> {
    let done = plan(checked, case).and_then(|plan| {
        let mut observer = Observer::new(&case.expected);
        let trace = trace(&plan, &case.given, recordings, &mut observer)?;
        let mut coverage = Coverage::of(&plan);
        coverage.record(&plan, &trace);
        Ok((failures(case, &trace, &observer), coverage))
    });
    match done {
        Ok((failures, coverage)) => {
            let result = if failures.is_empty() { TestResult::Passed } else { TestResult::Failed(failures) };
            CaseOutcome { case, result, coverage: Some(coverage) }
        }
        Err(reason) => {
            let span = case.given.transcript.as_ref().map_or(case.head, |path| path.span);
            CaseOutcome { case, result: TestResult::Broken(span, reason), coverage: None }
        }
    }
}

/// The plan of the policy of a case.
fn plan(checked: &CheckedFile, case: &TestCase) -> Result<Plan, String> {
    let plan = plan::lower(checked, Some(&case.policy));
    plan.map_err(|_| format!("there is no policy `{}`", case.policy))
}

fn trace(
    plan: &Plan,
    given: &TestInput,
    recordings: &dyn Recordings,
    observer: &mut Observer<'_>,
) -> Result<Trace, String> {
    let options = observer.options(Options {
        window: given.window.or_else(|| window(plan, given)),
        model: given.model.as_ref().map(ToString::to_string),
        tools: given.tools.clone(),
        given: FactSeries(given.series.clone()),
        assumes_usage: given.transcript.is_none(),
        confirm: Confirmations { declined: given.declined },
        ..Options::default()
    });
    let options = Options { explain_all: true, ..options };
    if given.has_only_facts() {
        return Ok(dry_run(plan, given.length(), &options));
    }
    let transcript = match &given.transcript {
        Some(path) => recorded(&path.node, recordings)?,
        None => transcript::from_lines(&given.lines),
    };
    let mut summariser = ScriptedSummariser { answers: &given.summaries, requests: 0 };
    Ok(replay(plan, &transcript, &options, &mut summariser, &mut |sent| observer.record(sent)))
}

/// The default window, if no other source defines one. A recording may contain its own.
fn window(plan: &Plan, given: &TestInput) -> Option<u64> {
    let model = given.model.as_deref().or(plan.agent.model.as_ref().map(|model| model.node.as_str()));
    let known = plan.agent.window.is_some()
        || model.and_then(|id| plan.agent.models.find(id)).is_some()
        || given.transcript.is_some();
    (!known).then_some(WINDOW)
}

/// The conversation at a path. `FILE#ID` selects one of several.
fn recorded(path: &str, recordings: &dyn Recordings) -> Result<Transcript, String> {
    let (file, id) = path.split_once('#').map_or((path, None), |(file, id)| (file, Some(id)));
    let mut all = recordings.find(file)?;
    let ids = || all.iter().take(5).map(|one| format!("{file}#{}", one.id)).collect::<Vec<_>>().join(", ");
    match (id, all.len()) {
        (Some(id), _) => match all.iter().position(|transcript| transcript.id == id) {
            Some(at) => Ok(all.swap_remove(at)),
            None => Err(format!("{file} contains no conversation `{id}`; it contains {}", ids())),
        },
        (None, 0) => Err(format!("{file} contains no conversation")),
        (None, 1) => Ok(all.swap_remove(0)),
        (None, count) => Err(format!("{file} contains {count} conversations; select one, for example {}", ids())),
    }
}

fn failures(case: &TestCase, trace: &Trace, observer: &Observer<'_>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (expectation, verdict) in case.expected.iter().zip(observer.judge(trace)) {
        if verdict.is_met {
            continue;
        }
        let explained = verdict.at.map(|at| judge::explain(&expectation.claim, trace, at)).unwrap_or_default();
        failures.push(Failure { span: expectation.span, actual: verdict.actual, at: verdict.at, explained });
    }
    failures
}

#[cfg(test)]
mod tests;
