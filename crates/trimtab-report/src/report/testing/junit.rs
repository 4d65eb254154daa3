//! Test results as JUnit XML.

use trimtab_analysis::test::{CaseOutcome, Failure, TestResult};

use super::{TestFormat, TestReport, TestedFile, failure_details, failure_summary, place};
use crate::report::Encoding;
use crate::report::junit::{Case, CaseResult, Problem, Suite, render as render_suites};
use crate::report::number::whole;

pub(super) static FORMAT: TestFormat =
    TestFormat { name: "junit", summary: "JUnit XML, for CI systems", encoding: Encoding::Xml, render };

fn render(testing: &TestReport<'_>) -> String {
    let tested = testing.files.iter().filter(|file| !file.outcomes.is_empty());
    let suite = |file: &TestedFile<'_>| Suite {
        name: file.file.to_owned(),
        cases: file.outcomes.iter().map(|outcome| case(file, outcome)).collect(),
    };
    render_suites(tested.map(suite).collect())
}

fn case(file: &TestedFile<'_>, outcome: &CaseOutcome<'_>) -> Case {
    let (name, line, _) = place(file, outcome.case.head);
    Case {
        name: outcome.case.name.clone(),
        classname: outcome.case.policy.to_string(),
        place: Some((name, line)),
        result: match &outcome.result {
            TestResult::Passed => CaseResult::Passed,
            TestResult::Failed(failures) => CaseResult::Failed(problem(file, failures)),
            TestResult::Broken(_, reason) => {
                CaseResult::Error(Problem { kind: String::new(), message: reason.clone(), details: String::new() })
            }
        },
        output: String::new(),
    }
}

/// All failures of a test, since a test case has at most one.
fn problem(file: &TestedFile<'_>, failures: &[Failure]) -> Problem {
    let first = failures.first().map_or("", failure_summary);
    let message = match failures.len() {
        0 | 1 => first.to_owned(),
        several => format!("{first} (and {} more)", whole(several - 1)),
    };
    let details = failures.iter().map(|failure| failure_details(file, failure)).collect();
    Problem { kind: String::new(), message, details }
}
