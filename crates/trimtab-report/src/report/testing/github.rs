//! Test results as annotations of a GitHub workflow.

use trimtab_analysis::test::{CaseOutcome, TestResult};
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::Span;

use super::{TestFormat, TestReport, TestedFile, failure_details, percent};
use crate::report::Encoding;
use crate::report::github::{Annotation, Region};

pub(super) static FORMAT: TestFormat =
    TestFormat { name: "github", summary: "Annotations of a GitHub workflow", encoding: Encoding::Text, render };

fn render(testing: &TestReport<'_>) -> String {
    let mut out = String::new();
    for file in &testing.files {
        out.extend(file.outcomes.iter().map(|outcome| annotations(file, outcome)));
    }
    for (file, coverage) in testing.uncovered() {
        let message = format!("the coverage of {} is {}", coverage.policy, percent(coverage.share()));
        out += &error("coverage", file.file, None, &message);
    }
    if testing.quiet { out } else { out + &testing.summary() + "\n" }
}

fn annotations(file: &TestedFile<'_>, outcome: &CaseOutcome<'_>) -> String {
    let title = format!("test: {}", outcome.case.name);
    let at = |span: Span, message: &str| match file.sources.get(span.source) {
        Some(source) => {
            let region = Region { from: source.position(span.start), to: None };
            error(&title, source.name(), Some(region), message)
        }
        None => error(&title, file.file, None, message),
    };
    match &outcome.result {
        TestResult::Passed => String::new(),
        TestResult::Broken(span, reason) => at(*span, reason),
        TestResult::Failed(failures) => {
            failures.iter().map(|failure| at(failure.span, &failure_details(file, failure))).collect()
        }
    }
}

fn error(title: &str, file: &str, region: Option<Region>, message: &str) -> String {
    Annotation { severity: Severity::Error, title, file: Some(file), region, message }.to_string()
}
