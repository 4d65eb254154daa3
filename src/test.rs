//! Tests of the language: cases run against plans.
//!
//! In: a checked file, the cases to run, and recordings by their paths. Out: an outcome for each case, with what was
//! seen where it failed, and what was covered. It opens no file, and does not know how an outcome is shown.

mod coverage;
mod filler;
mod judge;
mod order;
mod talk;
mod watch;

pub use coverage::{Comparing, Coverage, Firing};
pub use filler::filler;
pub use order::shuffle;
pub use watch::{Verdict, Watch};

use crate::check::{Case, Checked, Given, Summary};
use crate::model;
use crate::plan::{self, Plan};
use crate::run::Explanation;
use crate::simulate::{Extract, FactSeries, Fails, Fixed, Options, Summariser, Trace, rehearse, replay};
use crate::source::Span;
use crate::transcript::Transcript;

/// The window of a test where nothing names one: neither the test, nor the `agent` block, nor the model.
pub const WINDOW: u64 = 200_000;

/// Where the recordings are that tests name.
pub trait Recordings {
    /// The conversations of a recording.
    ///
    /// # Errors
    /// When it cannot be had; the text says why.
    fn find(&self, path: &str) -> Result<Vec<Transcript>, String>;
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The case.
    pub case: &'a Case,
    /// How it ended.
    pub end: End,
    /// What it covered of its policy; nothing when it could not be run.
    pub coverage: Option<Coverage>,
}

/// How a case ended.
#[derive(Clone, Debug)]
pub enum End {
    /// Everything is as expected.
    Passed,
    /// These expectations were not met.
    Failed(Vec<Failure>),
    /// It could not be run; where that lies, and why.
    Broken(Span, String),
}

/// An expectation that was not met.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Where it stands.
    pub span: Span,
    /// What was seen instead.
    pub seen: String,
    /// The call at which it went wrong, where one can be named.
    pub at: Option<usize>,
    /// How the rule came out there, phase by phase.
    pub explained: Vec<(&'static str, Explanation)>,
}

/// Runs cases of a checked file, in this order.
pub fn run<'a>(checked: &Checked, cases: &[&'a Case], recordings: &dyn Recordings) -> Vec<Outcome<'a>> {
    cases.iter().map(|case| one(checked, case, recordings)).collect()
}

/// What outcomes have covered, for each policy of the file that no other extends or that a test names.
pub fn coverage(checked: &Checked, outcomes: &[Outcome<'_>]) -> Vec<Coverage> {
    let extended = |name: &str| checked.policies.iter().any(|other| other.base.as_deref() == Some(name));
    let tested = |name: &str| checked.tests.iter().any(|case| case.policy == name);
    let wanted = checked.policies.iter().filter(|policy| !extended(&policy.name) || tested(&policy.name));
    let plans = wanted.filter_map(|policy| plan::lower(checked, Some(&policy.name)).ok());
    let all = |plan: Plan| {
        let mut coverage = Coverage::of(&plan);
        let parts = outcomes.iter().filter_map(|outcome| outcome.coverage.as_ref());
        parts.filter(|part| part.policy == plan.policy).for_each(|part| coverage.join(part));
        coverage
    };
    plans.map(all).collect()
}

fn one<'a>(checked: &Checked, case: &'a Case, recordings: &dyn Recordings) -> Outcome<'a> {
    let done = plan(checked, case).and_then(|plan| {
        let mut watch = Watch::new(&case.expected);
        let trace = trace(&plan, &case.given, recordings, &mut watch)?;
        let mut coverage = Coverage::of(&plan);
        coverage.note(&plan, &trace);
        Ok((failures(case, &trace, &watch), coverage))
    });
    match done {
        Ok((failures, coverage)) => {
            let end = if failures.is_empty() { End::Passed } else { End::Failed(failures) };
            Outcome { case, end, coverage: Some(coverage) }
        }
        Err(reason) => {
            let span = case.given.transcript.as_ref().map_or(case.head, |path| path.span);
            Outcome { case, end: End::Broken(span, reason), coverage: None }
        }
    }
}

/// The plan of a case: that of its policy.
fn plan(checked: &Checked, case: &Case) -> Result<Plan, String> {
    let plan = plan::lower(checked, Some(&case.policy));
    plan.map_err(|_| format!("there is no policy `{}`", case.policy))
}

fn trace(plan: &Plan, given: &Given, recordings: &dyn Recordings, watch: &mut Watch<'_>) -> Result<Trace, String> {
    let options = watch.options(Options {
        window: given.window.or_else(|| window(plan, given)),
        model: given.model.as_ref().map(ToString::to_string),
        tools: given.tools.clone(),
        given: FactSeries(given.series.clone()),
        ..Options::default()
    });
    let options = Options { follow: true, ..options };
    if given.is_facts_alone() {
        return Ok(rehearse(plan, given.length(), &options));
    }
    let transcript = match &given.transcript {
        Some(path) => recorded(&path.node, recordings)?,
        None => talk::transcript(&given.lines),
    };
    let mut summariser: Box<dyn Summariser> = match &given.summary {
        None => Box::new(Extract),
        Some(Summary::Text(text)) => Box::new(Fixed(text.clone())),
        Some(Summary::Fails) => Box::new(Fails),
    };
    Ok(replay(plan, &transcript, &options, summariser.as_mut(), &mut |sent| watch.see(sent)))
}

/// The window of last resort; a recording may say its own.
fn window(plan: &Plan, given: &Given) -> Option<u64> {
    let model = given.model.as_deref().or(plan.agent.model.as_ref().map(|model| model.node.as_str()));
    let known = plan.agent.window.is_some() || model.and_then(model::find).is_some() || given.transcript.is_some();
    (!known).then_some(WINDOW)
}

/// The one conversation that a path names; `FILE#ID` names one of several.
fn recorded(path: &str, recordings: &dyn Recordings) -> Result<Transcript, String> {
    let (file, id) = path.split_once('#').map_or((path, None), |(file, id)| (file, Some(id)));
    let mut all = recordings.find(file)?;
    let ids = || all.iter().take(5).map(|one| format!("{file}#{}", one.id)).collect::<Vec<_>>().join(", ");
    match (id, all.len()) {
        (Some(id), _) => match all.iter().position(|one| one.id == id) {
            Some(at) => Ok(all.swap_remove(at)),
            None => Err(format!("{file} holds no conversation `{id}`, only {}", ids())),
        },
        (None, 0) => Err(format!("{file} holds no conversation")),
        (None, 1) => Ok(all.swap_remove(0)),
        (None, count) => Err(format!("{file} holds {count} conversations; name one of them, such as {}", ids())),
    }
}

fn failures(case: &Case, trace: &Trace, watch: &Watch<'_>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (expectation, verdict) in case.expected.iter().zip(watch.judge(trace)) {
        if verdict.held {
            continue;
        }
        let explained = verdict.at.map(|at| judge::explained(&expectation.claim, trace, at)).unwrap_or_default();
        failures.push(Failure { span: expectation.span, seen: verdict.seen, at: verdict.at, explained });
    }
    failures
}

#[cfg(test)]
mod tests;
