//! Findings as JUnit XML: one test case per file. Findings that fail the run are its failure, others are its output.

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::Source;

use super::{FindingFormat, Findings, notes_and_help};
use crate::report::Encoding;
use crate::report::junit::{Case, CaseResult, Problem, Suite, render as render_suites};
use crate::report::number::plural;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "junit", summary: "JUnit XML, one test case per file", encoding: Encoding::Xml, render };

fn render(all: &Findings<'_>) -> String {
    let read = all.sources.iter().map(|source| file(all, source));
    let unread = all.unread.iter().map(|file| {
        let problem = Problem { kind: "unread".into(), message: file.message.clone(), details: String::new() };
        case(&file.file, CaseResult::Error(problem), String::new())
    });
    render_suites(vec![Suite { name: "trimtab".into(), cases: read.chain(unread).collect() }])
}

fn case(name: &str, result: CaseResult, output: String) -> Case {
    Case { name: name.to_owned(), classname: "trimtab".into(), place: None, result, output }
}

fn file(all: &Findings<'_>, source: &Source) -> Case {
    let within = all.unsuppressed().filter(|finding| finding.primary.span.source == source.id());
    let (failing, others): (Vec<_>, Vec<_>) = within.partition(|finding| all.fails(finding));
    let result = if failing.is_empty() { CaseResult::Passed } else { CaseResult::Failed(problem(source, &failing)) };
    case(source.name(), result, describe(source, &others))
}

/// Everything that fails a test case, since a case has at most one failure.
fn problem(source: &Source, findings: &[&Diagnostic]) -> Problem {
    let mut kinds: Vec<String> = Vec::new();
    for finding in findings {
        let kind = format!("{}[{}]", finding.severity.word(), finding.code.id);
        kinds.extend(Some(kind).filter(|kind| !kinds.contains(kind)));
    }
    let message = match findings {
        [only] => only.message.clone(),
        several => plural(several.len(), "finding"),
    };
    Problem { kind: kinds.join(", "), message, details: describe(source, findings) }
}

/// Findings with their places, notes and help.
fn describe(source: &Source, findings: &[&Diagnostic]) -> String {
    let describe = |finding: &&Diagnostic| {
        let at = source.position(finding.primary.span.start);
        let place = format!("{}:{}:{}", source.name(), at.line, at.column);
        let head = format!("{place}: {}[{}] {}", finding.severity.word(), finding.code.id, finding.message);
        [vec![head], notes_and_help(finding)].concat().join("\n")
    };
    findings.iter().map(describe).collect::<Vec<_>>().join("\n")
}
