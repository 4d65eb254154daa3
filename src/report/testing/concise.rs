//! Tests in lines: one for each expectation that was not met.

use super::{TestReport, failure_summary, gaps, location, percent, source_line};
use crate::test::End;

pub(super) fn report(testing: &TestReport<'_>, quiet: bool) -> String {
    let mut out = String::new();
    for file in &testing.files {
        for outcome in &file.outcomes {
            let name = &outcome.case.name;
            match &outcome.end {
                End::Passed => {}
                End::Broken(span, reason) => out += &format!("{}: {name}: {reason}\n", location(file, *span)),
                End::Failed(failures) => {
                    for failure in failures {
                        let expected = source_line(file.sources, failure.span);
                        out += &format!(
                            "{}: {name}: {expected}: {}\n",
                            location(file, failure.span),
                            failure_summary(failure)
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
    if quiet { out } else { out + &testing.summary() + "\n" }
}
