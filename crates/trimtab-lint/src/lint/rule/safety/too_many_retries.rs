//! `too-many-retries`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Counted, Decimal, Unit};
use trimtab_base::source::Span;
use trimtab_language::check::Rule;
use trimtab_syntax::syntax::tree::{ClauseKind, TermKind};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("too-many-retries", Severity::Warning, include_str!("too_many_retries.md")),
    category: Category::Safety,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/NousResearch/hermes-agent/issues/53008",
        "https://github.com/code-yeongyu/senpi/issues/527",
    ],
    options: &[&RETRIES],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

static RETRIES: LintOption = LintOption {
    name: "retries",
    unit: Unit::Counted(Counted::Count),
    default: Decimal::from_parts(3, 0, 0, false, 0),
    summary: "The largest accepted number of retries.",
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let most = subject.option(&RETRIES);
    let retries = rule.on_failure.retries;
    let Some(clause) = rule.clause("on_failure").filter(|_| Decimal::from(retries) > most) else { return };
    let message = format!("a failed summary is retried {retries} times");
    let mut finding = LINT.finding(clause, message, format!("more than {most}"));
    if let Some(span) = number(subject, rule) {
        let edit = TextEdit { span, text: most.trunc().max(Decimal::ONE).to_string() };
        finding.fixes.push(fix(format!("retry {} times", edit.text), false, edit));
    }
    findings.push(finding.help("retry a few times, then apply something cheaper: `then mask results`"));
}

/// The span of the number after `retry`.
fn number(subject: &Subject<'_>, rule: &Rule) -> Option<Span> {
    subject.clauses(rule).find_map(|clause| match &clause.kind {
        ClauseKind::OnFailure(terms, _) => {
            terms.iter().find(|term| matches!(term.kind, TermKind::Number(_))).map(|term| term.span)
        }
        _ => None,
    })
}
