//! Findings for a terminal, printed as diagnostics of miette.

use super::{FindingFormat, Findings};
use crate::diagnostic::Diagnostic;
use crate::report::Encoding;
use crate::report::policy_error::PolicyError;
use crate::report::report_handler::PolicyReportHandler;
use crate::report::style::TerminalStyle;
use crate::source::SourceMap;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "human", summary: "Findings with the source around them", encoding: Encoding::Text, render };

fn render(all: &Findings<'_>) -> String {
    let findings: String = all.unsuppressed().map(|finding| draw(all.sources, finding, all.style) + "\n").collect();
    let summary = if all.quiet || all.files == 0 { String::new() } else { all.summary() + "\n" };
    findings + &summary
}

/// One finding.
pub(crate) fn draw(sources: &SourceMap, finding: &Diagnostic, style: TerminalStyle) -> String {
    PolicyReportHandler::new(style).draw_finding(&PolicyError::new(sources, finding))
}
