//! `unguarded-injection`

use trimtab_base::conversation::Role;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::source::Span;
use trimtab_language::check::{Comparison, Condition, Relation, Rule, Test};
use trimtab_language::effect::LabelRole;
use trimtab_language::fact::{Falls, Rises, Topic};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::new_clause;
use crate::lint::analysis::reduction::limits_repetition;
use crate::lint::analysis::{effect_scope, requirement};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unguarded-injection", Severity::Warning, include_str!("unguarded_injection.md")),
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/openclaw/openclaw/pull/17118"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let mut actions = rule.actions.iter().filter(|_| rule.phase.runs_once_per_iteration());
    let Some(action) = actions.find(|action| effect_scope::injects(action)) else { return };
    let free = !rule.guards.iter().any(|guard| limits_repetition(&guard.node));
    let always = rule.condition == Condition::Constant(true);
    let spoken = action.word(LabelRole::MessageRole) != Some(Role::Assistant.word());
    if free && !always && !ends(&rule.condition, true, spoken) {
        findings.push(unguarded(subject, rule, action.span));
    }
}

fn unguarded(subject: &Subject<'_>, rule: &Rule, span: Span) -> Diagnostic {
    let clause = counted(&rule.condition).map_or("cooldown 5 iterations".to_owned(), |fact| format!("once per {fact}"));
    let when = rule.condition_span().unwrap_or(rule.head);
    let mut finding = LINT
        .finding(
            span,
            "this message is injected at each call while the condition holds",
            "each copy stays in the conversation",
        )
        .label(when, "the message does not end this condition")
        .help(format!("add a guard such as `{clause}`"));
    let edit = new_clause(subject, rule, &clause);
    finding.fixes.extend(edit.map(|edit| fix(format!("add `{clause}`"), false, edit)));
    finding
}

/// A fact of the condition that increases with each new occasion.
fn counted(condition: &Condition) -> Option<&'static str> {
    let much = |(test, truth): &(&Test, bool)| requirement::is_lower_bound(test, *truth) == Some(true);
    let mut tests = condition.required_tests().filter(much);
    let counted = tests.find(|(test, _)| test.reading.fact.topic == Topic::Trouble);
    counted.map(|(test, _)| test.reading.fact.name)
}

/// Whether a condition ends by itself: because of the message, at the next call, or because it reads the state of the rule.
fn ends(condition: &Condition, truth: bool, spoken: bool) -> bool {
    match (condition, truth) {
        (Condition::Constant(_), _) => false,
        (Condition::All(parts), true) | (Condition::Any(parts), false) => {
            parts.iter().any(|part| ends(part, truth, spoken))
        }
        (Condition::All(parts), false) | (Condition::Any(parts), true) => {
            parts.iter().all(|part| ends(part, truth, spoken))
        }
        (Condition::Not(inner), _) => ends(inner, !truth, spoken),
        (Condition::Test(test), _) => passes(test, truth, spoken),
    }
}

fn passes(test: &Test, truth: bool, spoken: bool) -> bool {
    let much = requirement::is_lower_bound(test, truth);
    let exactly = requirement::effective_comparison(test, truth) == Some(Comparison::Equal)
        || truth && matches!(test.relation, Relation::OneOf(_));
    let fact = test.reading.fact;
    match (fact.topic, fact.rises, fact.falls) {
        (_, _, Falls::Messages) => spoken && (much == Some(true) || exactly),
        (Topic::NewestCall | Topic::NewestResult, ..) => test.relation != Relation::Known,
        (Topic::Firings, ..) => true,
        (Topic::Iteration | Topic::UserMessages, ..) => exactly,
        (_, Rises::EveryMessage, _) => much == Some(fact.is_inverse()) || exactly,
        _ => false,
    }
}
