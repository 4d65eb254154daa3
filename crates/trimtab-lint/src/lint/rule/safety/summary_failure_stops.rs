//! `summary-failure-stops`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::source::Span;
use trimtab_language::check::{FailureAction, Rule};
use trimtab_syntax::syntax::tree::{ClauseKind, TermKind};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "summary-failure-stops",
        severity: Severity::Info,
        title: "failed summary that stops the run",
        why: "A summariser that is briefly unavailable ends a run that could continue: a failed summary \
              loses nothing, and there is often room for many more calls.",
        wrong: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens on_failure stop cooldown 3 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens on_failure keep cooldown 3 iterations }\n}\n",
    },
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
