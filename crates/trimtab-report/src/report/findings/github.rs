//! Findings as annotations of a GitHub workflow.

use trimtab_base::diagnostic::Diagnostic;

use super::{FindingFormat, Findings, notes_and_help};
use crate::report::Encoding;
use crate::report::github::{Annotation, Region};

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "github", summary: "Annotations of a GitHub workflow", encoding: Encoding::Text, render };

fn render(all: &Findings<'_>) -> String {
    all.unsuppressed().map(|finding| annotation(all, finding)).collect()
}

fn annotation(all: &Findings<'_>, finding: &Diagnostic) -> String {
    let place = all.place(finding.primary.span);
    let file = place.map(|_| all.path(finding.primary.span.source));
    let annotation = Annotation {
        severity: finding.severity,
        title: &format!("{} {}", finding.code.id, finding.code.title),
        file: file.as_deref(),
        region: place.map(|place| Region { from: place.from, to: Some(place.to) }),
        message: &[vec![finding.message.clone()], notes_and_help(finding)].concat().join("\n"),
    };
    annotation.to_string()
}
