//! Tests as annotations of a GitHub workflow.

use super::{TestReport, failure_details, percent, place};
use crate::test::End;

pub(super) fn report(testing: &TestReport<'_>, quiet: bool) -> String {
    let mut out = String::new();
    for file in &testing.files {
        for outcome in &file.outcomes {
            let mut annotate = |span, text: &str| {
                let (name, line, column) = place(file, span);
                let (name, title) = (property(&name), property(&format!("test: {}", outcome.case.name)));
                out +=
                    &format!("::error file={name},line={line},col={column},title={title}::{}\n", data(text.trim_end()));
            };
            match &outcome.end {
                End::Passed => {}
                End::Broken(span, reason) => annotate(*span, reason),
                End::Failed(failures) => {
                    for one in failures {
                        annotate(one.span, &failure_details(file, one));
                    }
                }
            }
        }
    }
    for (file, coverage) in testing.uncovered() {
        let share = percent(coverage.share());
        let name = property(file.file);
        out += &format!("::error file={name},title=coverage::{} is covered to {share}\n", data(&coverage.policy));
    }
    if quiet { out } else { out + &testing.summary() + "\n" }
}

/// A text as the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text as a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
