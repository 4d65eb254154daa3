//! The stages in a chain: a policy text to a plan.
//!
//! In: names and texts. Out: checked files, plans and everything that was found on the way.
//! It reads no file; a door hands it the texts.

use crate::check::{self, Checked};
use crate::config;
use crate::diagnostic::{self, Diagnostic, Severity};
use crate::lint::{self, Advice, Day, Settings, Subject};
use crate::simulate::Trace;
use crate::source::{SourceId, SourceMap};
use crate::syntax;

/// A policy file as far as the stages could take it.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The texts, for showing what was found in them.
    pub sources: SourceMap,
    /// What was found, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The checked file; none when an error was found.
    pub checked: Option<Checked>,
}

impl Compiled {
    /// Whether an error was found.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|one| one.severity == Severity::Error)
    }
}

/// Takes one policy text through parser and checker. A name that ends in `.yaml` or `.yml` is read as YAML.
pub fn compile(name: &str, text: &str) -> Compiled {
    let mut sources = SourceMap::default();
    let id = sources.add(name, text);
    let (checked, diagnostics) = check_source(&sources, id);
    Compiled { sources, diagnostics, checked }
}

/// Takes one of several texts through parser and checker.
pub fn check_source(sources: &SourceMap, id: SourceId) -> (Option<Checked>, Vec<Diagnostic>) {
    let Some(source) = sources.get(id) else { return (None, Vec::new()) };
    if config::looks_like(source.name()) {
        return (None, config::read(source).1);
    }
    let parse = if syntax::yaml::looks_like(source.name()) { syntax::yaml::parse } else { syntax::parse };
    let (file, mut diagnostics) = parse(source);
    let (checked, found) = check::check(&file);
    diagnostics.extend(found);
    diagnostic::sort(&mut diagnostics);
    let broken = diagnostics.iter().any(|one| one.severity == Severity::Error);
    (checked.filter(|_| !broken), diagnostics)
}

/// Takes one of several texts through parser, checker and lints. A text with an error gets no advice beside it.
pub fn advise_source(
    sources: &SourceMap,
    id: SourceId,
    settings: &Settings,
    traces: Option<&[Trace]>,
    today: Option<Day>,
) -> Advice {
    let Some(source) = sources.get(id) else { return Advice::default() };
    if config::looks_like(source.name()) {
        return Advice { findings: config::read(source).1, suppressed: Vec::new() };
    }
    let yaml = syntax::yaml::looks_like(source.name());
    let (file, mut diagnostics) = if yaml { syntax::yaml::parse(source) } else { syntax::parse(source) };
    let (checked, found) = check::check(&file);
    diagnostics.extend(found);
    diagnostic::sort(&mut diagnostics);
    let broken = diagnostics.iter().any(|one| one.severity == Severity::Error);
    let Some(checked) = checked.filter(|_| !broken) else {
        return Advice { findings: diagnostics, suppressed: Vec::new() };
    };
    let comments = if yaml { Vec::new() } else { syntax::comments(source) };
    let mut advice = lint::advise(&Subject::new(source, &file, &comments, &checked, settings), traces, today);
    if yaml {
        // Fixes are written in the other form of the language.
        advice.findings.iter_mut().for_each(|one| one.fixes.clear());
    }
    advice.findings.extend(diagnostics);
    diagnostic::sort(&mut advice.findings);
    advice
}
