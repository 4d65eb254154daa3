//! `summary-failure-stops`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::source::Span;
use trimtab_language::check::{FailureAction, Rule};
use trimtab_syntax::syntax::tree::{ClauseKind, TermKind};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("summary-failure-stops", Severity::Info, include_str!("summary_failure_stops.md")),
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let (FailureAction::Stop, Some(clause)) = (&rule.on_failure.then, rule.clause("on_failure")) else { return };
    let mut finding = LINT
        .finding(clause, "a failed summary stops the run", "stops the run")
        .help("leave the context unchanged with `keep`, or use a cheaper effect with `then`");
    if let Some(span) = stop(subject, rule) {
        finding.fixes.push(fix("write `keep`", false, TextEdit { span, text: "keep".to_owned() }));
    }
    findings.push(finding);
}

/// The span of the word `stop` in the `on_failure` clause.
fn stop(subject: &Subject<'_>, rule: &Rule) -> Option<Span> {
    subject.clauses(rule).find_map(|clause| match &clause.kind {
        ClauseKind::OnFailure(terms, None) => terms
            .last()
            .filter(|term| matches!(&term.kind, TermKind::Word(word) if word == "stop"))
            .map(|term| term.span),
        _ => None,
    })
}
