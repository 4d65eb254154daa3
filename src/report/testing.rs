//! What came of tests, for people and for machines: one file per form.

mod concise;
mod github;
mod human;
mod json;
mod junit;
mod markdown;

use super::style::TerminalStyle;
use crate::quantity::Decimal;
use crate::source::{SourceMap, Span};
use crate::test::{Coverage, End, Failure, Outcome};

/// The tests of one file.
pub struct TestedFile<'a> {
    /// The file as the user gave it.
    pub file: &'a str,
    /// Its texts.
    pub sources: &'a SourceMap,
    /// What came of its tests, in the order in which they ran.
    pub outcomes: Vec<Outcome<'a>>,
    /// What they covered of each policy.
    pub coverage: Vec<Coverage>,
}

/// Everything that a report of tests shows.
pub struct TestReport<'a> {
    /// The files.
    pub files: Vec<TestedFile<'a>>,
    /// Whether coverage is shown.
    pub shows_coverage: bool,
    /// The least share that each policy must have covered.
    pub least: Option<Decimal>,
    /// The seed of the order, when it was shuffled.
    pub seed: Option<u64>,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestFormat {
    /// Every test, with what was seen where it failed.
    Human,
    /// The same in words.
    Plain,
    /// A line for each expectation that was not met.
    Concise,
    /// One JSON object.
    Json,
    /// JUnit's XML.
    Junit,
    /// Annotations of a GitHub workflow.
    Github,
    /// A table and details.
    Markdown,
}

/// The report in a form.
pub fn tests(testing: &TestReport<'_>, form: TestFormat, style: TerminalStyle, quiet: bool) -> String {
    match form {
        TestFormat::Human => human::report(testing, style, false, quiet),
        TestFormat::Plain => human::report(testing, style, true, quiet),
        TestFormat::Concise => concise::report(testing, quiet),
        TestFormat::Json => json::report(testing),
        TestFormat::Junit => junit::report(testing),
        TestFormat::Github => github::report(testing, quiet),
        TestFormat::Markdown => markdown::report(testing),
    }
}

impl TestReport<'_> {
    /// How many tests passed, failed and could not be run.
    pub fn counts(&self) -> (usize, usize, usize) {
        let all = || self.files.iter().flat_map(|file| &file.outcomes);
        let passed = all().filter(|one| matches!(one.end, End::Passed)).count();
        let broken = all().filter(|one| matches!(one.end, End::Broken(..))).count();
        (passed, all().count() - passed - broken, broken)
    }

    /// The policies of which too little is covered.
    pub fn uncovered(&self) -> impl Iterator<Item = (&TestedFile<'_>, &Coverage)> {
        let all = self.files.iter().flat_map(|file| file.coverage.iter().map(move |one| (file, one)));
        all.filter(|(_, one)| self.least.is_some_and(|least| one.share() < least))
    }

    /// `3 tests: 2 passed, 1 failed`
    fn summary(&self) -> String {
        let (passed, failed, broken) = self.counts();
        let all = passed + failed + broken;
        let could_not = if broken == 0 { String::new() } else { format!(", {broken} could not be run") };
        let seed = self.seed.map(|seed| format!("; shuffled with seed {seed}")).unwrap_or_default();
        let noun = if all == 1 { "test" } else { "tests" };
        format!("{all} {noun}: {passed} passed, {failed} failed{could_not}{seed}")
    }
}

/// Something of a policy that is not covered: where, the rule, and what is missing.
struct Gap<'a> {
    span: Span,
    rule: &'a str,
    missing: &'static str,
}

/// Everything that is not covered, in order.
fn gaps(coverage: &Coverage) -> Vec<Gap<'_>> {
    let mut gaps = Vec::new();
    for rule in coverage.rules.iter().filter(|rule| !rule.fired) {
        gaps.push(Gap { span: rule.span, rule: &rule.rule, missing: "never fires" });
    }
    for one in &coverage.comparisons {
        let missing = match (one.was_true, one.was_false) {
            (true, true) => continue,
            (true, false) => "never false",
            (false, true) => "never true",
            (false, false) => "never seen",
        };
        gaps.push(Gap { span: one.span, rule: &one.rule, missing });
    }
    gaps.sort_by_key(|gap| (gap.span.source, gap.span.start));
    gaps
}

/// `87.5%`, cut: what is not all covered is never shown as 100 %.
pub fn percent(share: Decimal) -> String {
    format!("{}%", (share * Decimal::ONE_HUNDRED).trunc_with_scale(1).normalize())
}

/// The text at a place in one line.
fn source_line(sources: &SourceMap, span: Span) -> String {
    let text = sources.get(span.source).map_or("", |source| source.slice(span));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// File, line and column of a place.
fn place(file: &TestedFile<'_>, span: Span) -> (String, usize, usize) {
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
    format!("{name}:{line}:{column}")
}

/// What a failure says in one line.
fn failure_summary(failure: &Failure) -> &str {
    failure.actual.lines().next().unwrap_or_default().trim_end_matches(':')
}

/// Everything that a failure says, for a text without colour.
fn failure_details(file: &TestedFile<'_>, failure: &Failure) -> String {
    let plain = TerminalStyle { width: 100, color: false, unicode: false };
    let expected = source_line(file.sources, failure.span);
    format!("{}: {expected}\n{}", location(file, failure.span), human::seen(failure, plain))
}
