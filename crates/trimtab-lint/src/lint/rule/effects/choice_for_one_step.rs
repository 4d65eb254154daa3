//! `choice-for-one-step`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Guard, Rule};
use trimtab_language::effect::{EffectKind, LabelRole};
use trimtab_language::fact::{Fact, ParameterKind, Scope};

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("choice-for-one-step", Severity::Warning, include_str!("choice_for_one_step.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some((why, scope)) = fires_rarely(rule) else { return };
    let lifetime = scope.word();
    for action in rule.actions.iter().filter(|action| is_choice(action) && lasts_one_step(action)) {
        let message = format!("what `{}` chooses ends after one request", rule.name);
        let mut finding = LINT
            .finding(action.span, message, why)
            .help(format!("add `for {lifetime}`, or remove what keeps the rule from firing again"));
        let edit = set_label(action, LabelRole::Lifetime, lifetime);
        finding.fixes.extend(edit.map(|edit| fix(format!("add `for {lifetime}`"), false, edit)));
        findings.push(finding);
    }
}

fn is_choice(action: &Action) -> bool {
    matches!(action.effect.kind, EffectKind::ChooseTools | EffectKind::ChooseSections | EffectKind::SetVariable)
}

/// Whether the lifetime is left out. One that is written is meant.
fn lasts_one_step(action: &Action) -> bool {
    action.place(LabelRole::Lifetime).is_none()
}

/// Why a rule does not fire at the next request again, and how far back that reaches.
fn fires_rarely(rule: &Rule) -> Option<(&'static str, Scope)> {
    let once = |guard: &Guard| matches!(guard, Guard::Once | Guard::OncePer(_) | Guard::OnceUntil(_));
    if let Some(guard) = rule.guards.iter().find(|guard| once(&guard.node)) {
        return Some(("the rule fires once", guard.scope));
    }
    let mut readings = rule.condition.tests().map(|test| &test.reading);
    let change = readings.find(|reading| is_about_changes(reading.fact))?;
    Some(("the rule fires at a change", change.scope()))
}

/// Whether a fact compares values with those at the last firing of its own rule.
fn is_about_changes(fact: &Fact) -> bool {
    fact.parameters.iter().any(|parameter| parameter.kind == ParameterKind::OwnRule)
}
