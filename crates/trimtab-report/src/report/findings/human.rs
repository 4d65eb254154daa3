//! Findings for a terminal.

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::SourceMap;

use super::{FindingFormat, Findings};
use crate::report::Encoding;
use crate::report::drawing::Drawing;
use crate::report::style::TerminalStyle;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "human", summary: "Findings with the source around them", encoding: Encoding::Text, render };

fn render(all: &Findings<'_>) -> String {
    let findings: String = all.unsuppressed().map(|finding| draw(all.sources, finding, all.style) + "\n").collect();
    let summary = if all.quiet || all.files == 0 { String::new() } else { all.summary() + "\n" };
    findings + &summary
}

/// One finding.
pub(super) fn draw(sources: &SourceMap, finding: &Diagnostic, style: TerminalStyle) -> String {
    Drawing::of(sources, finding).draw(style)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trimtab_base::diagnostic::{Code, Severity};
    use trimtab_base::source::{SourceId, Span};

    use super::*;
    use crate::report::policy_error::PolicyError;
    use crate::report::report_handler::PolicyReportHandler;

    static CODE: Code = Code { id: "U001", severity: Severity::Error, title: "unit", why: "", wrong: "", right: "" };

    /// A span of a text, given as shares of its length.
    fn span(text: &str, id: SourceId, (from, length): (f64, usize)) -> Span {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "small"
        )]
        let from = (from * places.len() as f64) as usize % places.len();
        Span::new(id, places[from], places[(from + length).min(places.len() - 1)])
    }

    proptest! {
        #[test]
        fn a_finding_is_drawn_like_the_diagnostic_of_miette_that_it_becomes(
            lines in prop::collection::vec(("[a-cé ]{1,5}", prop_oneof![4 => 0usize..9, 1 => 900usize..2_000]), 1..9),
            places in prop::collection::vec((0.0..1.0, prop_oneof![3 => 0usize..9, 1 => 0usize..9_000]), 1..4),
            edits in prop::collection::vec((0.0..1.0, 0usize..5), 0..3),
        ) {
            let text: String = lines.iter().map(|(part, times)| part.repeat(*times) + "\n").collect();
            let mut sources = SourceMap::default();
            let id = sources.add("a.trim", text.as_str());
            let mut spans = places.into_iter().map(|place| span(&text, id, place));
            let mut finding = Diagnostic::new(&CODE, spans.next().unwrap_or_default(), "a message", "a label");
            for label in spans {
                finding = finding.label(label, "another label");
            }
            for edit in edits {
                finding = finding.fix("a change", true, span(&text, id, edit), "new");
            }
            let error = PolicyError::new(&sources, &finding);
            let style = TerminalStyle { width: 80, color: false, unicode: true };
            prop_assert_eq!(draw(&sources, &finding, style), PolicyReportHandler::new(style).render(&error));
        }
    }
}
