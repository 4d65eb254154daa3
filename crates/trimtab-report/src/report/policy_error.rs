//! Findings as miette diagnostics, for the command line and for programs that embed the library.

use std::fmt::{self, Display};

use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use trimtab_base::diagnostic::{Diagnostic, Fix, Label, Severity, TextEdit};
use trimtab_base::source::{Source, SourceId, SourceMap};

/// How a line of help text that is a note begins.
pub(super) const NOTE: &str = "note: ";
/// The prefix of a help line with a link to more information.
pub(super) const MORE: &str = "more: ";
/// The code of a suggested change that can be applied unseen.
pub(super) const FIX_SAFE: &str = "fix(safe)";
/// The code of a suggested change that needs a review.
pub(super) const FIX_UNSAFE: &str = "fix(unsafe)";

/// A finding that owns its text, so that it can be returned with `?` from a function that returns `miette::Result`.
///
/// Any report handler of miette can print it. `PolicyReportHandler` prints it as the
/// command line does. Data that miette has no field for is encoded like this: the lines of the help text that begin with
/// `note: ` are notes; a related diagnostic with the code `fix(safe)` or `fix(unsafe)` is a suggested change, each of its
/// labels a replacement; any other related diagnostic is a label in another file.
#[derive(Clone, Debug)]
pub struct PolicyError {
    message: String,
    code: Option<&'static str>,
    severity: Severity,
    help: Option<String>,
    text: Option<Text>,
    labels: Vec<LabeledSpan>,
    related: Vec<PolicyError>,
}

impl PolicyError {
    /// Creates the error with the texts that the finding refers to.
    pub fn new(sources: &SourceMap, finding: &Diagnostic) -> Self {
        let home = finding.primary.span.source;
        let (here, elsewhere): (Vec<&Label>, Vec<&Label>) =
            finding.labels.iter().partition(|label| label.span.source == home);
        let primary = labeled(&finding.primary, LabeledSpan::new_primary_with_span);
        let labels = here.into_iter().map(|label| labeled(label, LabeledSpan::new_with_span));
        let mut other_files: Vec<SourceId> = elsewhere.iter().map(|label| label.span.source).collect();
        other_files.sort_unstable();
        other_files.dedup();
        let other_files = other_files.into_iter().map(|id| Self::elsewhere(sources, id, &elsewhere));
        Self {
            code: Some(finding.code.id),
            severity: finding.severity,
            help: Some(help(finding)),
            labels: std::iter::once(primary).chain(labels).collect(),
            related: other_files.chain(finding.fixes.iter().filter_map(|fix| suggestion(sources, home, fix))).collect(),
            ..Self::without_labels(sources, home, &finding.message, None)
        }
    }

    /// The labels in another file; the message repeats the first of them.
    fn elsewhere(sources: &SourceMap, id: SourceId, labels: &[&Label]) -> Self {
        let labels: Vec<&Label> = labels.iter().copied().filter(|label| label.span.source == id).collect();
        let message = labels.first().map_or("", |label| label.message.as_str());
        Self {
            labels: labels.iter().map(|label| labeled(label, LabeledSpan::new_with_span)).collect(),
            ..Self::without_labels(sources, id, message, None)
        }
    }

    fn without_labels(sources: &SourceMap, source: SourceId, message: &str, code: Option<&'static str>) -> Self {
        Self {
            message: message.to_owned(),
            code,
            severity: Severity::Info,
            help: None,
            text: sources.get(source).cloned().map(Text),
            labels: Vec::new(),
            related: Vec::new(),
        }
    }
}

/// Notes, help and where to read more, a line each.
fn help(finding: &Diagnostic) -> String {
    let line = |text: &String| text.lines().collect::<Vec<_>>().join(" ");
    let notes = finding.notes.iter().map(|note| format!("{NOTE}{}", line(note)));
    let help = finding.help.iter().map(line);
    let more = format!("{MORE}trimtab explain {}", finding.code.id);
    notes.chain(help).chain([more]).collect::<Vec<_>>().join("\n")
}

/// A suggested change; changes of other files are related to that of the first one.
fn suggestion(sources: &SourceMap, home: SourceId, fix: &Fix) -> Option<PolicyError> {
    let mut files: Vec<SourceId> = fix.edits.iter().map(|edit| edit.span.source).collect();
    files.sort_unstable_by_key(|id| (*id != home, *id));
    files.dedup();
    let code = if fix.safe { FIX_SAFE } else { FIX_UNSAFE };
    let mut parts = files.into_iter().map(|id| PolicyError {
        labels: fix.edits.iter().filter(|edit| edit.span.source == id).map(replacement).collect(),
        ..PolicyError::without_labels(sources, id, &fix.title, Some(code))
    });
    let first = parts.next()?;
    Some(PolicyError { related: parts.collect(), ..first })
}

fn replacement(edit: &TextEdit) -> LabeledSpan {
    let range = edit.span.range();
    LabeledSpan::new(Some(edit.text.clone()).filter(|text| !text.is_empty()), range.start, range.len())
}

fn labeled(label: &Label, make: fn(Option<String>, SourceSpan) -> LabeledSpan) -> LabeledSpan {
    let range = label.span.range();
    let text = Some(label.message.clone()).filter(|text| !text.is_empty());
    make(text, SourceSpan::new(range.start.into(), range.len()))
}

/// A source text as miette reads it.
#[derive(Clone, Debug)]
struct Text(Source);

impl SourceCode for Text {
    /// Whole lines, whatever the span; an offset beyond the end counts as the end.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let Self(source) = self;
        let line = |at: usize| source.position(u32::try_from(at).unwrap_or(u32::MAX)).line;
        let first = line(span.offset()).saturating_sub(lines_before).max(1);
        let last = line(span.offset().saturating_add(span.len())) + lines_after;
        let (start, end) = (source.line_start(first), source.line_start(last + 1));
        let data = source.text().get(start..end).ok_or(MietteError::OutOfBounds)?;
        let span = SourceSpan::new(start.into(), data.len());
        let name = source.name().to_owned();
        Ok(Box::new(MietteSpanContents::new_named(name, data.as_bytes(), span, first - 1, 0, last - first)))
    }
}

impl Display for PolicyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for PolicyError {}

impl miette::Diagnostic for PolicyError {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.code.map(|code| Box::new(code) as Box<dyn Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.text.as_ref().map(|text| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(self.related.iter().map(|finding| finding as &dyn miette::Diagnostic)))
    }
}

#[cfg(test)]
mod tests {
    use miette::NarratableReportHandler;
    use trimtab_base::diagnostic::Code;
    use trimtab_base::source::Span;

    use super::*;

    static CODE: Code = Code { id: "U001", severity: Severity::Error, title: "unit", why: "", wrong: "", right: "" };

    fn finding() -> (SourceMap, Diagnostic) {
        let mut sources = SourceMap::default();
        let id = sources.add("a.trim", "when ratio > 80\n");
        let finding = Diagnostic::new(&CODE, Span::new(id, 13, 15), "`80` has no unit", "no unit");
        (sources, finding.label(Span::new(id, 5, 10), "a share").help("write `80%`"))
    }

    fn narrate(error: &PolicyError) -> String {
        let mut out = String::new();
        NarratableReportHandler::new().render_report(&mut out, error).expect("writing to a string succeeds");
        out
    }

    #[test]
    fn a_miette_handler_prints_a_finding_with_its_labels() {
        let (sources, finding) = finding();
        let out = narrate(&PolicyError::new(&sources, &finding));
        for part in ["`80` has no unit", "severity: error", "a.trim", ": no unit", ": a share", "write `80%`", "U001"] {
            assert!(out.contains(part), "{part}: {out}");
        }
    }

    #[test]
    fn a_label_in_another_file_is_printed_with_its_file() {
        let (mut sources, finding) = finding();
        let base = sources.add("base.trim", "rule a {}\n");
        let error = PolicyError::new(&sources, &finding.label(Span::new(base, 5, 6), "first here"));
        let out = narrate(&error);
        assert!(out.contains("base.trim") && out.contains("first here"), "{out}");
        let _: miette::Report = error.into();
    }

    #[test]
    fn a_miette_handler_prints_the_replacement_of_a_fix() {
        let (sources, finding) = finding();
        let span = finding.primary.span;
        let out = narrate(&PolicyError::new(&sources, &finding.fix("add the unit", true, span, "80%")));
        assert!(out.contains("add the unit") && out.contains(": 80%") && out.contains("fix(safe)"), "{out}");
    }
}
