//! The checks of a project in every output format of `trimtab ci`, one file a format.
//!
//! A format is one file and two lines here: `mod` and the entry in [`CI_FORMATS`].

mod github;
mod human;
mod json;
mod markdown;

use trimtab_base::diagnostic::Severity;
use trimtab_base::source::Position;
use trimtab_base::source::sanitize;
use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::Trace;

use super::context_charts::{ContextCharts, ContextSeries};
use super::encoding::{Encoding, Rendered};
use super::style::TerminalStyle;
use super::verdict::{Subject, VerdictBlock, VerdictFigures};

/// An output format of `trimtab ci`.
#[derive(Debug)]
pub struct CiFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its help text.
    pub summary: &'static str,
    /// How it writes characters that act on what displays them.
    encoding: Encoding,
    /// The checks in this format.
    render: fn(&CiReport) -> String,
}

impl CiFormat {
    /// The final form of everything in this format.
    pub fn render(&self, all: &CiReport) -> Rendered {
        self.encoding.finish((self.render)(all))
    }
}

/// The formats, in the order of the help; the first is the default.
pub static CI_FORMATS: &[&CiFormat] = &[&human::FORMAT, &github::FORMAT, &markdown::FORMAT, &json::FORMAT];

/// The format with this name.
pub fn ci_format(name: &str) -> Option<&'static CiFormat> {
    CI_FORMATS.iter().copied().find(|format| format.name == name)
}

/// The maximum number of problems of a check in human-readable output.
const MAX_SHOWN: usize = 5;

/// A problem that a check found.
#[derive(Clone, Debug)]
pub struct CiProblem {
    /// The file, with line and column where they are known.
    pub place: Option<(String, Option<Position>)>,
    /// Its severity.
    pub severity: Severity,
    /// The message.
    pub text: String,
}

/// One check.
#[derive(Clone, Debug)]
pub struct CiCheck {
    /// Its name.
    pub name: &'static str,
    /// What was checked, and the results in numbers.
    pub summary: String,
    /// The problems found.
    pub problems: Vec<CiProblem>,
    /// Whether something could not be checked.
    pub is_incomplete: bool,
    /// Whether the project has nothing for this check.
    pub is_skipped: bool,
}

/// The replays of one simulation.
#[derive(Clone, Debug)]
pub struct CiSimulation {
    /// The policy file, with what the settings choose beside it.
    pub name: String,
    /// How many transcripts were replayed.
    pub replays: usize,
    /// How many expectations were met.
    pub met: usize,
    /// How many expectations were checked.
    pub expected: usize,
    plan: Plan,
    verdict: VerdictFigures,
    charts: ContextCharts,
}

/// All checks.
#[derive(Clone, Debug)]
pub struct CiReport {
    /// The checks in order.
    pub checks: Vec<CiCheck>,
    /// The simulations that could be prepared, in the order of the settings.
    pub simulations: Vec<CiSimulation>,
    /// What the reader's terminal can show.
    pub style: TerminalStyle,
}

impl CiCheck {
    /// A check without a result yet.
    pub const fn new(name: &'static str) -> Self {
        Self { name, summary: String::new(), problems: Vec::new(), is_incomplete: false, is_skipped: false }
    }

    /// The problems that are listed for people, the gravest first, and how many are left out.
    fn shown(&self) -> (Vec<&CiProblem>, usize) {
        let mut all: Vec<&CiProblem> = self.problems.iter().collect();
        // Stable, so that problems of one severity keep their order.
        all.sort_by_key(|problem| problem.severity);
        let left_out = all.len().saturating_sub(MAX_SHOWN);
        all.truncate(MAX_SHOWN);
        (all, left_out)
    }

    /// The exit code of this check alone: 0 passed, 1 problems, 2 incomplete.
    pub fn code(&self) -> u8 {
        if self.is_incomplete { 2 } else { u8::from(!self.problems.is_empty()) }
    }

    /// The result in a word or two.
    fn result(&self) -> &'static str {
        match self.code() {
            0 if self.is_skipped => "not run",
            0 => "passed",
            1 => "failed",
            _ => "incomplete",
        }
    }
}

impl CiSimulation {
    /// The figures of the verdict.
    pub(super) const fn figures(&self) -> &VerdictFigures {
        &self.verdict
    }

    /// A simulation without replays yet.
    pub fn new(name: String, plan: Plan) -> Self {
        let (verdict, charts) = (VerdictFigures::default(), ContextCharts::default());
        Self { name, replays: 0, met: 0, expected: 0, plan, verdict, charts }
    }

    /// Adds a replay. `id` is the name of the transcript.
    pub fn add(&mut self, id: &str, trace: &Trace) {
        self.verdict.add(&VerdictFigures::of(trace), id);
        self.charts.add(id, (trace.saved().unsigned_abs(), 0), ContextSeries::of(&[trace]));
    }

    fn verdict(&self) -> VerdictBlock {
        VerdictBlock::of(Subject::of(&self.plan), &self.verdict)
    }
}

impl CiReport {
    /// The highest exit code of a check.
    pub fn code(&self) -> u8 {
        self.checks.iter().map(CiCheck::code).max().unwrap_or(0)
    }

    fn verdict(&self) -> String {
        let failed: Vec<&str> = self.checks.iter().filter(|check| check.code() > 0).map(|check| check.name).collect();
        if failed.is_empty() { "all checks passed".to_owned() } else { format!("failed checks: {}", failed.join(", ")) }
    }
}

impl CiProblem {
    /// `FILE:LINE:COLUMN: `, as far as it is known.
    fn prefix(&self) -> String {
        match &self.place {
            None => String::new(),
            Some((file, None)) => format!("{}: ", sanitize::one_line(file)),
            Some((file, Some(at))) => format!("{}:{}:{}: ", sanitize::one_line(file), at.line, at.column),
        }
    }
}
