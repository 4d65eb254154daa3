//! Findings as annotations of a GitHub workflow.

use super::{FindingFormat, Findings, notes_and_help};
use crate::diagnostic::Diagnostic;
use crate::report::github::{Annotation, Region};

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "github", summary: "Annotations of a GitHub workflow", render };

fn render(all: &Findings<'_>) -> String {
    all.unsuppressed().map(|one| annotation(all, one)).collect()
}

fn annotation(all: &Findings<'_>, one: &Diagnostic) -> String {
    let place = all.place(one.primary.span);
    let file = place.map(|_| all.path(one.primary.span.source));
    let annotation = Annotation {
        severity: one.severity,
        title: &format!("{} {}", one.code.id, one.code.title),
        file: file.as_deref(),
        region: place.map(|place| Region { from: place.from, to: Some(place.to) }),
        message: &[vec![one.message.clone()], notes_and_help(one)].concat().join("\n"),
    };
    annotation.to_string()
}
