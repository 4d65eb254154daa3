//! `keep-covers-trigger`

use crate::check::{Action, Rule, Test};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::LabelRole;
use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::reduction::{all_but, is_rate_limited, least_count, tests_context_size};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::quantity::Quantity;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "keep-covers-trigger",
        severity: Severity::Warning,
        title: "what is kept covers what the rule waits for",
        why: "The rule waits until there are so many messages, results or interactions, and keeps as many of them \
              as they are. When it becomes due at most one lies outside, so it does nothing, or one thing at a \
              time at every call from then on.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.results > 10 do mask results keep 10 results at_least 4k tokens }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.results > 20 do mask results keep 5 results at_least 4k tokens }\n}\n",
    },
    category: Category::Zones,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    // Where the fill decides too, the count only holds the rule back until there is something to do.
    // A pause lets more gather than the count says.
    if tests_context_size(rule) || is_rate_limited(rule) {
        return;
    }
    found.extend(rule.actions.iter().filter_map(|action| covered(subject, rule, action)));
}

fn covered(subject: &Subject<'_>, rule: &Rule, action: &Action) -> Option<Diagnostic> {
    let kept = action.quantity(LabelRole::Keep)?;
    let (test, least) = least_count(&rule.condition, kept.unit)?;
    (kept.to_u64().saturating_add(1) >= least).then(|| finding(subject, rule, action, kept, test, least))
}

fn finding(subject: &Subject<'_>, rule: &Rule, action: &Action, kept: Quantity, test: &Test, least: u64) -> Diagnostic {
    let span = action.place(LabelRole::Keep).unwrap_or(action.span);
    let count = kept.to_u64();
    let message = format!("`{}` keeps {} of what it waits for", rule.name, all_but(least.saturating_sub(count)));
    let here = format!("{count} stay as they are");
    let there = format!("due from {least} on: `{}`", subject.text(test.span));
    let mut finding = LINT
        .finding(span, message, here)
        .label(test.span, there)
        .help("keep fewer than half of what the rule waits for");
    let fewer = Quantity::whole((least / 2).max(1), kept.unit);
    if fewer.to_u64().saturating_add(1) < least {
        let text = fewer.to_string();
        let edit = set_label(action, LabelRole::Keep, &text);
        finding.fixes.extend(edit.map(|edit| fix(format!("write `keep {text}`"), false, edit)));
    }
    finding
}
