//! Test results in lines, one for each expectation that was not met.

use trimtab_analysis::test::TestResult;
use trimtab_base::source::sanitize::one_line;

use super::{TestFormat, TestReport, failure_summary, gaps, location, percent, source_line};
use crate::report::Encoding;

pub(super) static FORMAT: TestFormat = TestFormat {
    name: "concise",
    summary: "One line per expectation that was not met",
    encoding: Encoding::Text,
    render,
};

fn render(testing: &TestReport<'_>) -> String {
    let mut out = String::new();
    for file in &testing.files {
        for outcome in &file.outcomes {
            let name = super::name(outcome);
            match &outcome.result {
                TestResult::Passed => {}
                TestResult::Broken(span, reason) => {
                    out += &format!("{}: {name}: {}\n", location(file, *span), one_line(reason));
                }
                TestResult::Failed(failures) => {
                    for failure in failures {
                        let expected = source_line(file.sources, failure.span);
                        out += &format!(
                            "{}: {name}: {expected}: {}\n",
                            location(file, failure.span),
                            one_line(failure_summary(failure))
                        );
                    }
                }
            }
        }
        for coverage in file.coverage.iter().filter(|_| testing.shows_coverage) {
            for gap in gaps(coverage) {
                out += &format!(
                    "{}: `{}` {}\n",
                    location(file, gap.span),
                    source_line(file.sources, gap.span),
                    gap.missing
                );
            }
            out += &format!("{}: {} covered\n", coverage.policy, percent(coverage.share()));
        }
    }
    if testing.quiet { out } else { out + &testing.summary() + "\n" }
}
