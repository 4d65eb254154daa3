//! Test results in every output format, one file a format.
//!
//! A format is one file and two lines here: `mod` and the entry in [`TEST_FORMATS`].

mod concise;
mod github;
mod human;
mod json;
mod junit;
mod markdown;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::test::{CaseOutcome, Coverage, Failure, TestResult};
use trimtab_base::quantity::Decimal;
use trimtab_base::source::sanitize::one_line;
use trimtab_base::source::{SourceMap, Span};

use super::encoding::{Encoding, Rendered};
use super::number::plural;
use super::style::TerminalStyle;

/// The tests of one file.
pub struct TestedFile<'a> {
    /// The file as the user gave it.
    pub file: &'a str,
    /// Its texts.
    pub sources: &'a SourceMap,
    /// The results of its tests, in the order in which they ran.
    pub outcomes: Vec<CaseOutcome<'a>>,
    /// What they covered of each policy.
    pub coverage: Vec<Coverage>,
}

/// Everything that the formats read.
pub struct TestReport<'a> {
    /// The files.
    pub files: Vec<TestedFile<'a>>,
    /// Whether coverage is shown.
    pub shows_coverage: bool,
    /// The least share that each policy must have covered.
    pub least: Option<Decimal>,
    /// The seed of the order, when it was shuffled.
    pub seed: Option<u64>,
    /// What the reader's terminal can show.
    pub style: TerminalStyle,
    /// Whether passed tests and the summary are left out.
    pub quiet: bool,
}

/// How many tests there are of each result.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct TestCounts {
    /// The files.
    pub files: usize,
    /// All tests.
    pub tests: usize,
    /// The tests that passed.
    pub passed: usize,
    /// The tests that failed.
    pub failed: usize,
    /// The tests that could not be run.
    pub broken: usize,
}

/// An output format of test results.
#[derive(Debug)]
pub struct TestFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Who it is for.
    pub summary: &'static str,
    /// How it writes characters that act on what displays them.
    encoding: Encoding,
    /// The results in this format.
    render: fn(&TestReport<'_>) -> String,
}

impl TestFormat {
    /// The final form of everything in this format.
    pub fn render(&self, all: &TestReport<'_>) -> Rendered {
        self.encoding.finish((self.render)(all))
    }
}

/// The formats, in the order of the help; the first is the default.
pub static TEST_FORMATS: &[&TestFormat] = &[
    &human::FORMAT,
    &human::PLAIN,
    &concise::FORMAT,
    &json::FORMAT,
    &junit::FORMAT,
    &github::FORMAT,
    &markdown::FORMAT,
];

impl TestReport<'_> {
    /// How many tests passed, failed and could not be run.
    pub fn counts(&self) -> TestCounts {
        let all = || self.files.iter().flat_map(|file| &file.outcomes);
        let count = |is: fn(&TestResult) -> bool| all().filter(|outcome| is(&outcome.result)).count();
        TestCounts {
            files: self.files.len(),
            tests: all().count(),
            passed: count(|result| matches!(result, TestResult::Passed)),
            failed: count(|result| matches!(result, TestResult::Failed(..))),
            broken: count(|result| matches!(result, TestResult::Broken(..))),
        }
    }

    /// The policies of which too little is covered.
    pub fn uncovered(&self) -> impl Iterator<Item = (&TestedFile<'_>, &Coverage)> {
        let all = self.files.iter().flat_map(|file| file.coverage.iter().map(move |coverage| (file, coverage)));
        all.filter(|(_, coverage)| self.least.is_some_and(|least| coverage.share() < least))
    }

    /// `3 tests: 2 passed, 1 failed`
    fn summary(&self) -> String {
        let TestCounts { files: _, tests, passed, failed, broken } = self.counts();
        let all = plural(tests, "test");
        let could_not = if broken == 0 { String::new() } else { format!(", {broken} could not be run") };
        let seed = self.seed.map(|seed| format!("; shuffled with seed {seed}")).unwrap_or_default();
        format!("{all}: {passed} passed, {failed} failed{could_not}{seed}")
    }
}

/// A part of a policy that is not covered.
pub(super) struct Gap<'a> {
    pub(super) span: Span,
    pub(super) rule: &'a str,
    pub(super) missing: &'static str,
}

/// Everything that is not covered, by place.
pub(super) fn gaps(coverage: &Coverage) -> Vec<Gap<'_>> {
    let mut gaps = Vec::new();
    for rule in coverage.rules.iter().filter(|rule| !rule.fired) {
        gaps.push(Gap { span: rule.span, rule: &rule.rule, missing: "never fires" });
    }
    for comparison in &coverage.comparisons {
        let missing = match (comparison.was_true, comparison.was_false) {
            (true, true) => continue,
            (true, false) => "never false",
            (false, true) => "never true",
            (false, false) => "never seen",
        };
        gaps.push(Gap { span: comparison.span, rule: &comparison.rule, missing });
    }
    gaps.sort_by_key(|gap| (gap.span.source, gap.span.start));
    gaps
}

/// `87.5%`, rounded down: only complete coverage is shown as 100%.
pub fn percent(share: Decimal) -> String {
    format!("{}%", percent_number(share).normalize())
}

/// A share as a percentage with one place, rounded down.
pub(super) fn percent_number(share: Decimal) -> Decimal {
    (share * Decimal::ONE_HUNDRED).trunc_with_scale(1)
}

/// The source text of a span as one line.
pub(super) fn source_line(sources: &SourceMap, span: Span) -> String {
    let text = sources.get(span.source).map_or("", |source| source.slice(span));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// File, line and column of a span.
pub(super) fn place(file: &TestedFile<'_>, span: Span) -> (String, usize, usize) {
    match file.sources.get(span.source) {
        Some(source) => {
            let at = source.position(span.start);
            (source.name().to_owned(), at.line, at.column)
        }
        None => (file.file.to_owned(), 1, 1),
    }
}

/// `FILE:LINE:COLUMN`
fn location(file: &TestedFile<'_>, span: Span) -> String {
    let (name, line, column) = place(file, span);
    format!("{}:{line}:{column}", one_line(&name))
}

/// A failure in one line.
fn failure_summary(failure: &Failure) -> &str {
    failure.actual.lines().next().unwrap_or_default().trim_end_matches(':')
}

/// The name of a test in one line.
fn name(outcome: &CaseOutcome<'_>) -> String {
    one_line(&outcome.case.name)
}

/// A failure with all its details, without colour.
fn failure_details(file: &TestedFile<'_>, failure: &Failure) -> String {
    let plain = TerminalStyle { width: 100, color: false, unicode: false };
    let expected = source_line(file.sources, failure.span);
    format!("{}: {expected}\n{}", location(file, failure.span), human::format_actual(failure, plain))
}
