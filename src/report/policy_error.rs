//! A finding as an error of miette, for programs that embed the library and draw their errors with it.

use std::fmt::{self, Display};

use miette::{LabeledSpan, NamedSource, SourceCode, SourceSpan};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{SourceId, SourceMap};

/// A finding that owns its text: it can be returned with `?` from a function that gives `miette::Result`.
#[derive(Debug)]
pub struct PolicyError {
    message: String,
    code: &'static str,
    severity: Severity,
    help: Option<String>,
    source: NamedSource<String>,
    labels: Vec<LabeledSpan>,
    elsewhere: Vec<PolicyError>,
}

impl PolicyError {
    /// Takes from the texts what the finding points into. Labels in other files become related errors.
    pub fn new(sources: &SourceMap, one: &Diagnostic) -> Self {
        let home = one.primary.span.source;
        let mut error = Self::at(sources, home, one, &one.message);
        error.labels = vec![placed(&one.primary, LabeledSpan::new_primary_with_span)];
        for label in &one.labels {
            let place = placed(label, LabeledSpan::new_with_span);
            if label.span.source == home {
                error.labels.push(place);
            } else {
                let other = Self::at(sources, label.span.source, one, &label.message);
                error.elsewhere.push(Self { labels: vec![place], severity: Severity::Info, ..other });
            }
        }
        let notes = one.notes.iter().map(String::as_str);
        let help: Vec<&str> = notes.chain(one.help.as_deref()).collect();
        error.help = Some(help.join("\n")).filter(|help| !help.is_empty());
        error
    }

    fn at(sources: &SourceMap, id: SourceId, one: &Diagnostic, message: &str) -> Self {
        let (name, text) = sources.get(id).map_or(("", ""), |source| (source.name(), source.text()));
        Self {
            message: message.to_owned(),
            code: one.code.id,
            severity: one.severity,
            help: None,
            source: NamedSource::new(name, text.to_owned()),
            labels: Vec::new(),
            elsewhere: Vec::new(),
        }
    }
}

fn placed(label: &Label, make: fn(Option<String>, SourceSpan) -> LabeledSpan) -> LabeledSpan {
    let range = label.span.range();
    let text = Some(label.message.clone()).filter(|text| !text.is_empty());
    make(text, SourceSpan::new(range.start.into(), range.len()))
}

impl Display for PolicyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for PolicyError {}

impl miette::Diagnostic for PolicyError {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.code))
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
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(self.elsewhere.iter().map(|one| one as &dyn miette::Diagnostic)))
    }
}

#[cfg(test)]
mod tests {
    use miette::NarratableReportHandler;

    use super::*;
    use crate::diagnostic::Code;
    use crate::source::Span;

    static CODE: Code = Code { id: "U001", severity: Severity::Error, title: "unit", why: "", wrong: "", right: "" };

    fn found() -> (SourceMap, Diagnostic) {
        let mut sources = SourceMap::default();
        let id = sources.add("a.trim", "when ratio > 80\n");
        let one = Diagnostic::new(&CODE, Span::new(id, 13, 15), "`80` has no unit", "no unit");
        (sources, one.label(Span::new(id, 5, 10), "a share").help("write `80%`"))
    }

    fn told(error: &PolicyError) -> String {
        let mut out = String::new();
        NarratableReportHandler::new().render_report(&mut out, error).expect("a text takes what is written to it");
        out
    }

    #[test]
    fn miette_draws_a_finding_with_its_labels() {
        let (sources, one) = found();
        let out = told(&PolicyError::new(&sources, &one));
        for part in ["`80` has no unit", "severity: error", "a.trim", ": no unit", ": a share", "write `80%`", "U001"] {
            assert!(out.contains(part), "{part}: {out}");
        }
    }

    #[test]
    fn a_label_in_another_file_is_told_with_its_file() {
        let (mut sources, one) = found();
        let base = sources.add("base.trim", "rule a {}\n");
        let error = PolicyError::new(&sources, &one.label(Span::new(base, 5, 6), "first here"));
        let out = told(&error);
        assert!(out.contains("base.trim") && out.contains("first here"), "{out}");
        let _: miette::Report = error.into();
    }
}
