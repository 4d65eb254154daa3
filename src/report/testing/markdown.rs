//! Tests as Markdown: a table of files, then what failed.

use super::{TestReport, failure_details, gaps, location, percent, source_line};
use crate::test::End;

pub(super) fn report(testing: &TestReport<'_>) -> String {
    let mut out = format!("**{}**\n\n| file | tests | passed | failed |\n|---|--:|--:|--:|\n", testing.summary());
    for file in testing.files.iter().filter(|file| !file.outcomes.is_empty()) {
        let passed = file.outcomes.iter().filter(|one| matches!(one.end, End::Passed)).count();
        let all = file.outcomes.len();
        out += &format!("| `{}` | {all} | {passed} | {} |\n", file.file, all - passed);
    }
    for file in &testing.files {
        for outcome in &file.outcomes {
            let name = &outcome.case.name;
            match &outcome.end {
                End::Passed => {}
                End::Broken(span, reason) => out += &format!("\n### {name}\n\n`{}`: {reason}\n", location(file, *span)),
                End::Failed(failures) => {
                    let texts: String = failures.iter().map(|one| failure_details(file, one)).collect();
                    out += &format!("\n### {name}\n\n````text\n{texts}````\n");
                }
            }
        }
    }
    if testing.shows_coverage {
        out += "\n| policy | covered | missing |\n|---|--:|---|\n";
        for file in &testing.files {
            for coverage in &file.coverage {
                let gap = |gap: super::Gap<'_>| {
                    format!(
                        "{}: `{}` {}",
                        location(file, gap.span),
                        source_line(file.sources, gap.span).replace('|', "\\|"),
                        gap.missing
                    )
                };
                let missing: Vec<String> = gaps(coverage).into_iter().map(gap).collect();
                out +=
                    &format!("| `{}` | {} | {} |\n", coverage.policy, percent(coverage.share()), missing.join("<br>"));
            }
        }
    }
    out
}
