//! The checks of policy files: format, lints, tests.

use std::path::PathBuf;

use trimtab_analysis::test::{self, CaseOutcome, TestResult};
use trimtab_base::diagnostic::{Diagnostic, Severity};
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{Position, Source, SourceFormat, SourceId, SourceMap, Span};
use trimtab_report::report::{CiCheck, CiProblem, coverage_percent, plural};
use trimtab_syntax::format::{self, FormatError};

use crate::cli::findings::Report;
use crate::cli::input;
use crate::cli::lint::{FileToLint, run_lints};
use crate::cli::project::Project;
use crate::cli::test::load::LoadedFile;
use crate::host::Files;
use crate::pipeline;

/// A policy file, or why it cannot be read.
pub(super) struct PolicyFile {
    path: PathBuf,
    name: String,
    read: Result<String, String>,
}

pub(super) fn read(files: &[PathBuf]) -> Vec<PolicyFile> {
    let load = |path: &PathBuf| PolicyFile {
        path: path.clone(),
        name: input::display_name(path, None),
        read: input::read_text(path),
    };
    files.iter().map(load).collect()
}

pub(super) fn error(text: impl Into<String>) -> CiProblem {
    CiProblem { place: None, severity: Severity::Error, text: text.into() }
}

fn at(file: &str, text: impl Into<String>) -> CiProblem {
    CiProblem { place: Some((file.to_owned(), None)), ..error(text) }
}

/// The place of a span.
pub(super) fn place(sources: &SourceMap, span: Span) -> Option<(String, Option<Position>)> {
    let source = sources.get(span.source)?;
    let at = source.position(span.start);
    Some((source.name().to_owned(), Some(at)))
}

/// How many files could be read.
fn readable<'t>(texts: impl IntoIterator<Item = &'t PolicyFile>) -> String {
    plural(texts.into_iter().filter(|text| text.read.is_ok()).count(), "file")
}

impl PolicyFile {
    /// Whether it is a `.trim` file, which can be formatted and can have tests.
    fn is_trim(&self) -> bool {
        SourceFormat::from_name(&self.name) == SourceFormat::Policy
    }
}

/// Checks the format. Files with errors are reported by the lint check.
pub(super) fn format(texts: &[PolicyFile]) -> CiCheck {
    let mut check = CiCheck::new("format");
    let (mut unformatted, mut with_errors) = (0, 0);
    let formatted_files = || texts.iter().filter(|text| text.is_trim());
    for file in formatted_files() {
        let Ok(text) = &file.read else { continue };
        match format::format_source(&Source::new(SourceId(0), file.name.as_str(), text.as_str())) {
            Ok(new) if new == *text => {}
            Ok(_) => {
                unformatted += 1;
                check.problems.push(at(&file.name, "would be reformatted; run `trimtab fmt`"));
            }
            Err(FormatError::SyntaxErrors(_)) => with_errors += 1,
            Err(FormatError::Changed(reason)) => {
                check.is_incomplete = true;
                check.problems.push(at(&file.name, format!("trimtab has a bug and cannot format this file: {reason}")));
            }
        }
    }
    check.summary = format!("{}, {unformatted} would be reformatted", readable(formatted_files()));
    if with_errors > 0 {
        check.summary += &format!(", {with_errors} with errors not checked");
    }
    check
}

/// Runs the checker and the lints.
pub(super) fn lint(texts: &[PolicyFile], project: &Project) -> CiCheck {
    let mut check = CiCheck::new("lint");
    let mut files = Vec::new();
    for file in texts {
        match &file.read {
            Ok(text) => files.push(FileToLint {
                path: file.path.clone(),
                name: file.name.clone(),
                text: text.clone(),
                settings: project.settings(&file.path),
                recordings: None,
            }),
            Err(reason) => {
                check.is_incomplete = true;
                check.problems.push(at(&file.name, format!("cannot be read: {reason}")));
            }
        }
    }
    let mut found = Report::default();
    run_lints(&files, project, &mut found);
    let least = project.config.fail_level.unwrap_or(Severity::Warning);
    let open: Vec<&Diagnostic> = found
        .findings
        .iter()
        .filter(|finding| finding.suppressed.is_none())
        .map(|finding| &finding.diagnostic)
        .collect();
    // The order of severities begins with the worst.
    for finding in open.iter().filter(|finding| finding.severity <= least) {
        let text = format!("{}[{}] {}", finding.severity.word(), finding.code.id, finding.message);
        let place = place(&found.sources, finding.primary.span);
        check.problems.push(CiProblem { place, severity: finding.severity, text });
    }
    let kinds = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info message")];
    let count = |wanted: Severity| open.iter().filter(|finding| finding.severity == wanted).count();
    let counts = kinds.map(|(severity, noun)| plural(count(severity), noun));
    check.summary = format!("{}: {}", readable(texts), counts.join(", "));
    check
}

/// Runs the tests and measures coverage. Files with errors are reported by the lint check.
pub(super) fn test(texts: &[PolicyFile], project: &Project) -> CiCheck {
    let mut check = CiCheck::new("test");
    let least = project.config.coverage;
    let (mut count, mut passed, mut skipped, mut lowest) = (0, 0, 0, None);
    for policy_file in texts {
        let Ok(text) = &policy_file.read else { continue };
        let compiled = pipeline::compile_with(&policy_file.name, text, &mut Files::around(&policy_file.name));
        let Some(file) = LoadedFile::of(&policy_file.path, &policy_file.name, compiled, project) else {
            skipped += 1;
            continue;
        };
        let cases: Vec<_> = file.checked.tests.iter().collect();
        let outcomes = test::run(&file.checked, &cases, &file);
        count += outcomes.len();
        passed += outcomes.iter().filter(|outcome| matches!(outcome.result, TestResult::Passed)).count();
        for outcome in &outcomes {
            check.problems.extend(troubles(&file.sources, outcome));
        }
        for coverage in test::coverage(&file.checked, &outcomes).into_iter().filter(|_| policy_file.is_trim()) {
            let share = coverage.share();
            lowest = Some(lowest.map_or(share, |lowest: Decimal| lowest.min(share)));
            if least.is_some_and(|least| share < least) {
                let wanted = coverage_percent(least.unwrap_or_default());
                let text = format!(
                    "the coverage of `{}` is {}, below the required {wanted}",
                    coverage.policy,
                    coverage_percent(share)
                );
                check.problems.push(at(&policy_file.name, text));
            }
        }
    }
    check.is_skipped = count == 0;
    check.summary = match count {
        0 => "no tests".to_owned(),
        _ => format!("{passed} of {} passed", plural(count, "test")),
    };
    if let (Some(least), Some(lowest)) = (least, lowest) {
        check.summary += &format!(
            ", lowest coverage of a policy {} ({} required)",
            coverage_percent(lowest),
            coverage_percent(least)
        );
    }
    if skipped > 0 {
        check.summary += &format!(", {} with errors not run", plural(skipped, "file"));
    }
    check
}

fn troubles(sources: &SourceMap, outcome: &CaseOutcome<'_>) -> Vec<CiProblem> {
    let name = &outcome.case.name;
    let problem = |span: Span, text: String| CiProblem { place: place(sources, span), ..error(text) };
    match &outcome.result {
        TestResult::Passed => Vec::new(),
        TestResult::Broken(span, reason) => vec![problem(*span, format!("{name}: {reason}"))],
        TestResult::Failed(failures) => {
            let text = |span: Span| sources.get(span.source).map_or("", |source| source.slice(span)).trim();
            let summary = |seen: &str| seen.lines().next().unwrap_or_default().trim_end_matches(':').to_owned();
            let each = failures.iter();
            each.map(|one_of| {
                problem(one_of.span, format!("{name}: {}: {}", text(one_of.span), summary(&one_of.actual)))
            })
            .collect()
        }
    }
}
