//! Test results as Markdown: a table of files, then every failure, then coverage.

use trimtab_analysis::test::{CaseOutcome, Coverage, TestResult};

use super::{TestFormat, TestReport, TestedFile, failure_details, gaps, location, percent, source_line};
use crate::report::Encoding;
use crate::report::markdown::{Align, Table, block, code, escape};

pub(super) static FORMAT: TestFormat = TestFormat {
    name: "markdown",
    summary: "Tables and details, for a comment or a job summary",
    encoding: Encoding::Text,
    render,
};

fn render(testing: &TestReport<'_>) -> String {
    let mut out = format!("**{}**\n\n{}", testing.summary(), files(testing));
    for file in &testing.files {
        out.extend(file.outcomes.iter().map(|outcome| failure(file, outcome)));
    }
    if testing.shows_coverage {
        out += &format!("\n{}", coverages(testing));
    }
    out
}

fn files(testing: &TestReport<'_>) -> String {
    let right = ["tests", "passed", "failed"].map(|name| (name, Align::Right));
    let mut table = Table::new([("file", Align::Left)].into_iter().chain(right));
    for file in testing.files.iter().filter(|file| !file.outcomes.is_empty()) {
        let passed = file.outcomes.iter().filter(|outcome| matches!(outcome.result, TestResult::Passed)).count();
        let all = file.outcomes.len();
        table.row([code(file.file), all.to_string(), passed.to_string(), (all - passed).to_string()]);
    }
    table.text()
}

fn failure(file: &TestedFile<'_>, outcome: &CaseOutcome<'_>) -> String {
    let text = match &outcome.result {
        TestResult::Passed => return String::new(),
        TestResult::Broken(span, reason) => format!("{}: {}\n", code(&location(file, *span)), escape(reason)),
        TestResult::Failed(failures) => {
            block("text", &failures.iter().map(|failure| failure_details(file, failure)).collect::<String>())
        }
    };
    format!("\n### {}\n\n{text}", escape(&outcome.case.name))
}

fn coverages(testing: &TestReport<'_>) -> String {
    let mut table = Table::new([("policy", Align::Left), ("covered", Align::Right), ("missing", Align::Left)]);
    for file in &testing.files {
        for coverage in &file.coverage {
            table.row([code(&coverage.policy), percent(coverage.share()), missing(file, coverage)]);
        }
    }
    table.text()
}

fn missing(file: &TestedFile<'_>, coverage: &Coverage) -> String {
    let gaps = gaps(coverage).into_iter().map(|gap| {
        let text = code(&source_line(file.sources, gap.span));
        format!("{}: {text} {}", escape(&location(file, gap.span)), gap.missing)
    });
    gaps.collect::<Vec<_>>().join("<br>")
}
