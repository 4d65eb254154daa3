//! Annotations for workflows of GitHub.

use super::{FindingFormat, Findings, said};
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::sanitize;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "github", summary: "Annotations for a workflow of GitHub", render };

fn render(all: &Findings<'_>) -> String {
    all.open().map(|one| sanitize::line(&line(all, one)) + "\n").collect()
}

fn line(all: &Findings<'_>, one: &Diagnostic) -> String {
    let command = match one.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let title = property(&format!("{} {}", one.code.id, one.code.title));
    let text = data(&[vec![one.message.clone()], said(one)].concat().join("\n"));
    format!("::{command} title={title}{}::{text}", place(all, one))
}

/// The place as properties. Columns are for a span on one line: the host takes none with several.
fn place(all: &Findings<'_>, one: &Diagnostic) -> String {
    let Some(at) = all.place(one.primary.span) else { return String::new() };
    let file = property(&all.path(one.primary.span.source));
    let (from, to) = (at.from, at.to);
    if from.line == to.line {
        format!(",file={file},line={},col={},endLine={},endColumn={}", from.line, from.column, to.line, to.column)
    } else {
        format!(",file={file},line={},endLine={}", from.line, to.line)
    }
}

/// What stands behind `::`.
pub(crate) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What stands behind `=`.
pub(crate) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_or_a_property_is_escaped() {
        assert_eq!(data("80% of: a,\r\nb"), "80%25 of: a,%0D%0Ab");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
