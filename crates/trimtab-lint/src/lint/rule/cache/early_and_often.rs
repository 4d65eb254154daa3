//! `early-and-often`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::TargetKind;
use trimtab_syntax::syntax::tree::{ClauseKind, ExprKind};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::{is_rate_limited, never_ends, stays_true};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("early-and-often", Severity::Warning, include_str!("early_and_often.md")),
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/code-yeongyu/senpi/issues/527",
        "https://github.com/anthropics/claude-code/issues/3351",
    ],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// The condition that the fix adds.
const ADDED_CONDITION: &str = "context.ratio >= 60%";

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if is_rate_limited(subject, rule) || !stays_true(subject, rule) {
        return;
    }
    // A result is summarised once before its first request, which changes no cached content.
    let is_repeated = |action: &&Action| action.target_kind() != Some(TargetKind::Arrivals);
    let mut summaries = rule.actions.iter().filter(|action| action.effect.kind.can_fail());
    let Some(action) = summaries.find(is_repeated) else { return };
    let message = format!("`{}` makes a summary at every call", rule.name);
    let help = format!("wait until the context is larger: `{ADDED_CONDITION}`");
    let mut finding = LINT.finding(action.span, message, "due at every call").help(help);
    if let Some(when) = rule.clause("when") {
        let holds = if never_ends(subject, rule) {
            "nothing ends this condition"
        } else {
            "one call is enough for this to hold again"
        };
        finding = finding.label(when, holds);
    }
    finding.fixes.extend(add_threshold(subject, rule));
    findings.push(finding);
}

/// The fix that adds a threshold to the condition.
fn add_threshold(subject: &Subject<'_>, rule: &Rule) -> Option<Fix> {
    let own = subject.tree(rule)?.span.source;
    let is_foreign = |word| rule.clause(word).is_some_and(|span| span.source != own);
    if ["when", "do"].into_iter().any(is_foreign) {
        return None;
    }
    let when = subject.clauses(rule).find_map(|clause| match &clause.kind {
        ClauseKind::When(expr) => Some(expr),
        _ => None,
    });
    let edit = match when {
        Some(expr) if matches!(expr.kind, ExprKind::Or(_)) => return None,
        Some(expr) => TextEdit { span: expr.span.after(), text: format!(" and {ADDED_CONDITION}") },
        None => {
            let mut span = rule.clause("do")?;
            span.end = span.start;
            TextEdit { span, text: format!("when {ADDED_CONDITION} ") }
        }
    };
    Some(fix(format!("wait for `{ADDED_CONDITION}`"), false, edit))
}
