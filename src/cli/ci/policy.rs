//! The parts that look at policy files: their layout, advice on them, their tests.

use std::path::PathBuf;

use crate::cli::findings::Report;
use crate::cli::input;
use crate::cli::lint::{Work, run_lints};
use crate::cli::project::Project;
use crate::cli::test::load::LoadedFile;
use crate::diagnostic::{Diagnostic, Severity};
use crate::format::{self, FormatError};
use crate::host::Files;
use crate::pipeline;
use crate::quantity::Decimal;
use crate::report::{CiPart, CiProblem, coverage_percent};
use crate::source::{Source, SourceFormat, SourceId, SourceMap, Span};
use crate::test::{self, End, Outcome};

/// A policy file, or why it cannot be read.
pub(super) struct Text {
    path: PathBuf,
    name: String,
    read: Result<String, String>,
}

pub(super) fn read(files: &[PathBuf]) -> Vec<Text> {
    let one = |path: &PathBuf| Text {
        path: path.clone(),
        name: input::display_name(path, None),
        read: input::read_text(path),
    };
    files.iter().map(one).collect()
}

/// `1 file`, `2 files`
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn error(text: impl Into<String>) -> CiProblem {
    CiProblem { place: None, severity: Severity::Error, text: text.into() }
}

fn at(file: &str, text: impl Into<String>) -> CiProblem {
    CiProblem { place: Some((file.to_owned(), None)), ..error(text) }
}

/// A place in one of some texts.
pub(super) fn place(sources: &SourceMap, span: Span) -> Option<(String, Option<(usize, usize)>)> {
    let source = sources.get(span.source)?;
    let at = source.position(span.start);
    Some((source.name().to_owned(), Some((at.line, at.column))))
}

/// How many files were looked at.
fn readable<'t>(texts: impl IntoIterator<Item = &'t Text>) -> String {
    plural(texts.into_iter().filter(|one| one.read.is_ok()).count(), "file")
}

impl Text {
    /// Whether it is written in the form that has a layout of its own and a place for tests.
    fn is_own_form(&self) -> bool {
        SourceFormat::from_name(&self.name) == SourceFormat::Policy
    }
}

/// The layout. Files with mistakes are left to the lints, which name them.
pub(super) fn format(texts: &[Text]) -> CiPart {
    let mut part = CiPart { name: "format", summary: String::new(), problems: Vec::new(), failed: false };
    let (mut odd, mut mistaken) = (0, 0);
    let laid_out = || texts.iter().filter(|one| one.is_own_form());
    for one in laid_out() {
        let Ok(text) = &one.read else { continue };
        match format::format_source(&Source::new(SourceId(0), one.name.as_str(), text.as_str())) {
            Ok(new) if new == *text => {}
            Ok(_) => {
                odd += 1;
                part.problems.push(at(&one.name, "would be reformatted: trimtab fmt"));
            }
            Err(FormatError::SyntaxErrors(_)) => mistaken += 1,
            Err(FormatError::Changed(reason)) => {
                part.failed = true;
                part.problems.push(at(&one.name, format!("trimtab has a bug and cannot lay this file out: {reason}")));
            }
        }
    }
    part.summary = format!("{}, {odd} would be reformatted", readable(laid_out()));
    if mistaken > 0 {
        part.summary += &format!(", {mistaken} with errors not looked at");
    }
    part
}

/// What the checker and the lints say.
pub(super) fn lint(texts: &[Text], project: &Project) -> CiPart {
    let mut part = CiPart { name: "lint", summary: String::new(), problems: Vec::new(), failed: false };
    let mut work = Vec::new();
    for one in texts {
        match &one.read {
            Ok(text) => work.push(Work {
                path: one.path.clone(),
                name: one.name.clone(),
                text: text.clone(),
                settings: project.settings(&one.path),
                recordings: None,
            }),
            Err(reason) => {
                part.failed = true;
                part.problems.push(at(&one.name, format!("cannot be read: {reason}")));
            }
        }
    }
    let mut found = Report::default();
    run_lints(&work, project, &mut found);
    let least = project.config.fail_level.unwrap_or(Severity::Warning);
    let open: Vec<&Diagnostic> =
        found.findings.iter().filter(|one| one.suppressed.is_none()).map(|one| &one.diagnostic).collect();
    // The order of severities begins with the worst.
    for one in open.iter().filter(|one| one.severity <= least) {
        let text = format!("{}[{}] {}", one.severity.word(), one.code.id, one.message);
        let place = place(&found.sources, one.primary.span);
        part.problems.push(CiProblem { place, severity: one.severity, text });
    }
    let kinds = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "remark")];
    let count = |wanted: Severity| open.iter().filter(|one| one.severity == wanted).count();
    let counts = kinds.map(|(severity, noun)| plural(count(severity), noun));
    part.summary = format!("{}: {}", readable(texts), counts.join(", "));
    part
}

/// The tests, and what they cover. Files with errors have been named by the lints.
pub(super) fn test(texts: &[Text], project: &Project) -> CiPart {
    let mut part = CiPart { name: "test", summary: String::new(), problems: Vec::new(), failed: false };
    let least = project.config.coverage;
    let (mut count, mut passed, mut skipped, mut lowest) = (0, 0, 0, None);
    for one in texts {
        let Ok(text) = &one.read else { continue };
        let compiled = pipeline::compile_with(&one.name, text, &mut Files::around(&one.name));
        let Some(file) = LoadedFile::of(&one.path, &one.name, compiled, project) else {
            skipped += 1;
            continue;
        };
        let cases: Vec<_> = file.checked.tests.iter().collect();
        let outcomes = test::run(&file.checked, &cases, &file);
        count += outcomes.len();
        passed += outcomes.iter().filter(|one| matches!(one.end, End::Passed)).count();
        for outcome in &outcomes {
            part.problems.extend(troubles(&file.sources, outcome));
        }
        for coverage in test::coverage(&file.checked, &outcomes).into_iter().filter(|_| one.is_own_form()) {
            let share = coverage.share();
            lowest = Some(lowest.map_or(share, |lowest: Decimal| lowest.min(share)));
            if least.is_some_and(|least| share < least) {
                let wanted = coverage_percent(least.unwrap_or_default());
                let text =
                    format!("`{}` is covered to {}, and {wanted} is wanted", coverage.policy, coverage_percent(share));
                part.problems.push(at(&one.name, text));
            }
        }
    }
    part.summary = format!("{passed} of {} passed", plural(count, "test"));
    if let (Some(least), Some(lowest)) = (least, lowest) {
        part.summary += &format!(
            ", at least {} of each policy covered ({} wanted)",
            coverage_percent(lowest),
            coverage_percent(least)
        );
    }
    if skipped > 0 {
        part.summary += &format!(", {} with errors not run", plural(skipped, "file"));
    }
    part
}

fn troubles(sources: &SourceMap, outcome: &Outcome<'_>) -> Vec<CiProblem> {
    let name = &outcome.case.name;
    let one = |span: Span, text: String| CiProblem { place: place(sources, span), ..error(text) };
    match &outcome.end {
        End::Passed => Vec::new(),
        End::Broken(span, reason) => vec![one(*span, format!("{name}: {reason}"))],
        End::Failed(failures) => {
            let text = |span: Span| sources.get(span.source).map_or("", |source| source.slice(span)).trim();
            let said = |seen: &str| seen.lines().next().unwrap_or_default().trim_end_matches(':').to_owned();
            let each = failures.iter();
            each.map(|one_of| one(one_of.span, format!("{name}: {}: {}", text(one_of.span), said(&one_of.actual))))
                .collect()
        }
    }
}
