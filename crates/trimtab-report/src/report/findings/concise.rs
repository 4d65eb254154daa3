//! One line per finding, for editors and `grep`.

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::sanitize;

use super::{FindingFormat, Findings};
use crate::report::Encoding;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "concise", summary: "One line per finding", encoding: Encoding::Text, render };

fn render(all: &Findings<'_>) -> String {
    all.unsuppressed().map(|finding| sanitize::one_line(&line(all, finding)) + "\n").collect()
}

fn line(all: &Findings<'_>, finding: &Diagnostic) -> String {
    let (severity, code, message) = (finding.severity.word(), finding.code.id, &finding.message);
    match all.place(finding.primary.span) {
        Some(at) => format!("{}:{}:{}: {severity}[{code}] {message}", at.source.name(), at.from.line, at.from.column),
        None => format!("{severity}[{code}] {message}"),
    }
}
