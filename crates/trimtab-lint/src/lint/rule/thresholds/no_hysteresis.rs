//! `no-hysteresis`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_base::quantity::{Counted, Quantity, Unit};
use trimtab_language::check::{Action, Guard, Rule};
use trimtab_language::effect::{LabelRole, TargetKind};

use crate::lint::analysis::edit::set_label;
use crate::lint::analysis::guard_scope::scope_text;
use crate::lint::analysis::placement::new_clause;
use crate::lint::analysis::reduction::{is_rate_limited, summarises_results, tests_context_size};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-hysteresis", Severity::Warning, include_str!("no_hysteresis.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/NousResearch/hermes-agent/issues/53008",
        "https://github.com/vtemian/micode/issues/14",
        "https://github.com/code-yeongyu/senpi/issues/527",
        "https://github.com/anthropics/claude-code/issues/3351",
        "https://github.com/cline/cline/issues/9510",
    ],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// The clause that the fix adds.
const COOLDOWN: &str = "cooldown 3 iterations";

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !subject.is_policy_source() {
        return;
    }
    if is_rate_limited(subject, rule) || !tests_context_size(rule) {
        return;
    }
    if let Some(action) = rule.actions.iter().find(|action| keeps_tail(action)) {
        findings.push(finding(subject, rule, action));
    }
}

/// Whether an action makes a summary of messages and keeps a tail that may itself exceed the threshold.
fn keeps_tail(action: &Action) -> bool {
    action.effect.kind.can_fail()
        && !summarises_results(action)
        && (action.target_kind() != Some(TargetKind::AllMessages) || action.label(LabelRole::Keep).is_some())
}

fn finding(subject: &Subject<'_>, rule: &Rule, action: &Action) -> Diagnostic {
    let message = format!("`{}` can summarise at every call", rule.name);
    let here = "the kept content may still be above the threshold";
    let short = shorter_tail(action);
    let help = match &short {
        Some(tail) => format!("keep a shorter tail, such as `{}`, and add a guard such as `{COOLDOWN}`", tail.text),
        None => format!("add a guard such as `{COOLDOWN}`"),
    };
    let mut finding = LINT.finding(action.span, message, here).help(help);
    if let Some(when) = rule.condition_span() {
        finding = finding.label(when, "due again as soon as this holds");
    }
    let cooldown = rule.guards.iter().find(|guard| matches!(guard.node, Guard::Cooldown(_)));
    let cooldown_edit = match cooldown {
        Some(guard) => Some(TextEdit { span: guard.span, text: format!("{COOLDOWN}{}", scope_text(guard)) }),
        None => new_clause(subject, rule, COOLDOWN),
    };
    let Some(cooldown_edit) = cooldown_edit else { return finding };
    let title = match &short {
        Some(tail) => format!("write `{}` and `{COOLDOWN}`", tail.text),
        None => format!("write `{COOLDOWN}`"),
    };
    finding.fixes.push(Fix::new(title, false, short.into_iter().chain([cooldown_edit]).collect()));
    finding
}

/// The edit that shortens a long tail. With a cooldown alone, a tail above the threshold is summarised less often, but each
/// summary still rewrites the prompt cache and saves little.
fn shorter_tail(action: &Action) -> Option<TextEdit> {
    [LabelRole::Keep, LabelRole::RecentZone].into_iter().find_map(|role| {
        let (kept, _) = action.explicit(role)?;
        let most = match kept.unit {
            Unit::Counted(Counted::Messages) => 10,
            Unit::Counted(Counted::Results) => 5,
            _ => return None,
        };
        let short = Quantity::whole(most, kept.unit);
        (kept.amount > short.amount).then(|| set_label(action, role, &short.to_string())).flatten()
    })
}
