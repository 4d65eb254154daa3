//! `edits-before-bound-reasoning`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::{EffectKind, LabelRole};
use trimtab_model::model;

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::reduction::{edits_a_little, is_rate_limited, stays_true};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("edits-before-bound-reasoning", Severity::Warning, include_str!("edits_before_bound_reasoning.md")),
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/earendil-works/pi/issues/9391", "https://github.com/openclaw/openclaw/pull/136990"],
    supersedes: &["cache-trickle", "no-minimum-saving"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// The minimum saving that the fix adds. It is larger than what pays off for the prompt cache alone.
const SAVING: &str = "20k tokens";

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(named) = &subject.checked.agent.model else { return };
    let binds = model::find(&named.node).is_some_and(|model| model.binds_reasoning);
    if !binds || is_rate_limited(subject, rule) || !stays_true(subject, rule) {
        return;
    }
    for action in &rule.actions {
        if edits_a_little(action) {
            findings.push(of_edit(rule, action, &named.node));
        } else if is_sent_once(action) {
            findings.push(of_transient_message(rule, action, &named.node));
        }
    }
}

/// Whether an action adds a message that only the next request contains.
fn is_sent_once(action: &Action) -> bool {
    match action.effect.kind {
        EffectKind::AddMessage => action.argument(LabelRole::Lifetime).is_some(),
        kind => kind == EffectKind::Remind,
    }
}

fn of_edit(rule: &Rule, action: &Action, model: &str) -> Diagnostic {
    let message = format!("`{}` makes reasoning invalid at every call", rule.name);
    let here = format!("always due, so each call changes a message before reasoning that `{model}` binds to it");
    let help = format!("edit `arrivals`, which no request has contained, or seldom and much: `at_least {SAVING}`");
    let mut finding = LINT.finding(action.span, message, here).help(help);
    let edit = set_label(action, LabelRole::MinimumSaving, SAVING);
    finding.fixes.extend(edit.map(|edit| fix(format!("add `at_least {SAVING}`"), false, edit)));
    finding
}

fn of_transient_message(rule: &Rule, action: &Action, model: &str) -> Diagnostic {
    let message = format!("`{}` makes the reasoning of every reply invalid", rule.name);
    let here = format!("the next request lacks this message, and `{model}` binds the reasoning of its reply to it");
    LINT.finding(action.span, message, here).help("inject a message that stays, and only when it is needed")
}
