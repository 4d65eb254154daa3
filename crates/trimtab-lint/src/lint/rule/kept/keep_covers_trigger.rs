//! `keep-covers-trigger`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::Quantity;
use trimtab_language::check::{Action, Rule, Test};
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::reduction::{all_but, is_rate_limited, least_count, tests_context_size};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("keep-covers-trigger", Severity::Warning, include_str!("keep_covers_trigger.md")),
    category: Category::Kept,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    // With a size threshold, the count only delays the rule until there is something to do.
    // With a guard, more can accumulate than the count.
    if tests_context_size(rule) || is_rate_limited(subject, rule) {
        return;
    }
    findings.extend(rule.actions.iter().filter_map(|action| covered(subject, rule, action)));
}

fn covered(subject: &Subject<'_>, rule: &Rule, action: &Action) -> Option<Diagnostic> {
    let kept = action.quantity(LabelRole::Keep)?;
    let (test, least) = least_count(&rule.condition, kept.unit)?;
    (kept.to_u64().saturating_add(1) >= least).then(|| finding(subject, rule, action, kept, test, least))
}

fn finding(subject: &Subject<'_>, rule: &Rule, action: &Action, kept: Quantity, test: &Test, least: u64) -> Diagnostic {
    let span = action.place(LabelRole::Keep).unwrap_or(action.span);
    let count = kept.to_u64();
    let message =
        format!("`{}` keeps {} of the items that it waits for", rule.name, all_but(least.saturating_sub(count)));
    let here = format!("keeps {count} unchanged");
    let there = format!("due at {least} or more: `{}`", subject.quote(test.span));
    let mut finding = LINT
        .finding(span, message, here)
        .label(test.span, there)
        .help("keep fewer than half of the items that the rule waits for");
    let fewer = Quantity::whole((least / 2).max(1), kept.unit);
    if fewer.to_u64().saturating_add(1) < least {
        let text = fewer.to_string();
        let edit = set_label(action, LabelRole::Keep, &text);
        finding.fixes.extend(edit.map(|edit| fix(format!("write `keep {text}`"), false, edit)));
    }
    finding
}
