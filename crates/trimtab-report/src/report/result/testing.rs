//! Tests of policies.

use rust_decimal::prelude::ToPrimitive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use trimtab_analysis::test::{CaseOutcome, Coverage, Failure, TestResult};
use trimtab_base::source::Span;
use trimtab_run::run::{ConditionTrace, Explanation, RuleResult};

use super::SCHEMA_VERSION;
use crate::report::figure::number;
use crate::report::testing::{self, Gap, TestCounts, TestReport, TestedFile};

/// The result of `trimtab test`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TestsResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The tests in the order in which they ran.
    pub tests: Vec<TestOutcome>,
    /// How many there are of each result.
    pub summary: TestCounts,
    /// The seed of `--shuffle`.
    pub seed: Option<u64>,
    /// What the tests cover of each policy, with `--coverage` or `--min-coverage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Vec<CoverageResult>>,
}

/// A test.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TestOutcome {
    /// The file as it was given.
    pub file: String,
    /// The policy that is tested.
    pub policy: String,
    /// The name of the test.
    pub name: String,
    /// Where it begins.
    pub span: TestSpan,
    /// What came of it.
    #[schemars(extend("enum" = ["passed", "failed", "broken"]))]
    pub status: String,
    /// The expectations that were not met.
    pub failures: Vec<FailureResult>,
    /// Why it could not be run; null if it was.
    pub reason: Option<String>,
}

/// A place in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TestSpan {
    /// The file.
    pub file: String,
    /// The line, from 1.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// The column in characters, from 1.
    #[schemars(range(min = 1))]
    pub column: u64,
    /// The first byte, from 0.
    pub start: u32,
    /// The byte after it, from 0.
    pub end: u32,
}

/// An expectation that was not met.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FailureResult {
    /// Where it is.
    pub span: TestSpan,
    /// The expectation.
    pub expected: String,
    /// What happened instead.
    pub seen: String,
    /// The call that contradicts it, from 0.
    pub call: Option<u64>,
    /// What came of the rule at that call, in each phase.
    pub explanation: Vec<TriedRule>,
}

/// What came of a rule at a call.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TriedRule {
    /// The phase in which it was tried.
    pub phase: String,
    /// The rule.
    pub rule: String,
    /// What came of it.
    #[schemars(extend("enum" = RuleResult::ALL.map(RuleResult::word)))]
    pub result: String,
    /// Its condition.
    pub condition: ConditionResult,
    /// The condition that keeps it from firing.
    pub unless: Option<ConditionResult>,
    /// The guards that kept it from firing, and why.
    pub blocked_by: Vec<String>,
}

/// A condition at a call, or a part of one.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ConditionResult {
    /// The condition as a policy writes it.
    pub text: String,
    /// The value of its fact; null if it has parts.
    pub value: Option<String>,
    /// Whether it is true; null if that is unknown.
    pub truth: Option<bool>,
    /// Its parts.
    pub parts: Vec<Self>,
}

/// What tests cover of a policy.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CoverageResult {
    /// The file as it was given.
    pub file: String,
    /// The policy.
    pub policy: String,
    /// The parts that are covered.
    pub covered: u64,
    /// All parts: each rule, and both results of each comparison.
    pub all: u64,
    /// The covered percentage with one place, rounded down: only complete coverage is 100.
    #[serde(serialize_with = "short_number")]
    #[schemars(range(min = 0, max = 100))]
    pub percent: f64,
    /// What is not covered.
    pub missing: Vec<CoverageGap>,
}

/// A part of a policy that is not covered.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CoverageGap {
    /// Where it is.
    pub span: TestSpan,
    /// Its rule.
    pub rule: String,
    /// The rule or the comparison.
    pub text: String,
    /// What no test shows.
    #[schemars(extend("enum" = ["never fires", "never true", "never false", "never seen"]))]
    pub missing: String,
}

impl From<&TestReport<'_>> for TestsResult {
    fn from(testing: &TestReport<'_>) -> Self {
        let tests = testing.files.iter().flat_map(TestOutcome::all);
        let coverage = || testing.files.iter().flat_map(CoverageResult::all).collect();
        Self {
            schema_version: SCHEMA_VERSION,
            tests: tests.collect(),
            summary: testing.counts(),
            seed: testing.seed,
            coverage: testing.shows_coverage.then(coverage),
        }
    }
}

impl TestOutcome {
    fn all<'a>(file: &'a TestedFile<'_>) -> impl Iterator<Item = Self> + 'a {
        file.outcomes.iter().map(|outcome| Self::of(file, outcome))
    }

    fn of(file: &TestedFile<'_>, outcome: &CaseOutcome<'_>) -> Self {
        let (status, failures, reason) = match &outcome.result {
            TestResult::Passed => ("passed", [].as_slice(), None),
            TestResult::Failed(failures) => ("failed", failures.as_slice(), None),
            TestResult::Broken(_, reason) => ("broken", [].as_slice(), Some(reason)),
        };
        Self {
            file: file.file.to_owned(),
            policy: outcome.case.policy.to_string(),
            name: outcome.case.name.clone(),
            span: TestSpan::of(file, outcome.case.head),
            status: status.to_owned(),
            failures: failures.iter().map(|failure| FailureResult::of(file, failure)).collect(),
            reason: reason.cloned(),
        }
    }
}

impl TestSpan {
    fn of(file: &TestedFile<'_>, span: Span) -> Self {
        let (name, line, column) = testing::place(file, span);
        Self { file: name, line: number(line), column: number(column), start: span.start, end: span.end }
    }
}

impl FailureResult {
    fn of(file: &TestedFile<'_>, failure: &Failure) -> Self {
        let explained = failure.explained.iter().map(|(phase, explanation)| TriedRule::of(phase, explanation));
        Self {
            span: TestSpan::of(file, failure.span),
            expected: testing::source_line(file.sources, failure.span),
            seen: failure.actual.clone(),
            call: failure.at.map(number),
            explanation: explained.collect(),
        }
    }
}

impl TriedRule {
    fn of(phase: &str, explanation: &Explanation) -> Self {
        Self {
            phase: phase.to_owned(),
            rule: explanation.rule.to_string(),
            result: explanation.result.word().to_owned(),
            condition: ConditionResult::from(&explanation.when),
            unless: explanation.unless.as_ref().map(ConditionResult::from),
            blocked_by: explanation.blocked_by.clone(),
        }
    }
}

impl From<&ConditionTrace> for ConditionResult {
    fn from(trace: &ConditionTrace) -> Self {
        Self {
            text: trace.text.clone(),
            value: trace.value.clone(),
            truth: trace.truth,
            parts: trace.parts.iter().map(Self::from).collect(),
        }
    }
}

impl CoverageResult {
    fn all<'a>(file: &'a TestedFile<'_>) -> impl Iterator<Item = Self> + 'a {
        file.coverage.iter().map(|coverage| Self::of(file, coverage))
    }

    fn of(file: &TestedFile<'_>, coverage: &Coverage) -> Self {
        let (covered, all) = coverage.counts();
        let gaps = testing::gaps(coverage);
        Self {
            file: file.file.to_owned(),
            policy: coverage.policy.to_string(),
            covered: number(covered),
            all: number(all),
            percent: testing::percent_number(coverage.share()).to_f64().unwrap_or_default(),
            missing: gaps.iter().map(|gap| CoverageGap::of(file, gap)).collect(),
        }
    }
}

impl CoverageGap {
    fn of(file: &TestedFile<'_>, gap: &Gap<'_>) -> Self {
        Self {
            span: TestSpan::of(file, gap.span),
            rule: gap.rule.to_owned(),
            text: testing::source_line(file.sources, gap.span),
            missing: gap.missing.to_owned(),
        }
    }
}

/// A number, without a fraction if it is whole.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn short_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match number.to_string().parse::<u64>() {
        Ok(whole) => serializer.serialize_u64(whole),
        Err(_) => serializer.serialize_f64(*number),
    }
}
