//! `injection-ends-streak`

use crate::check::{Action, Comparison, Condition, Guard, Operand, Relation, Rule, Test};
use crate::conversation::Role;
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::effect::LabelRole;
use crate::fact::{Fact, Falls};
use crate::lint::analysis::edit::fix;
use crate::lint::analysis::{effect_scope, requirement};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::quantity::{Decimal, Value};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "injection-ends-streak",
        severity: Severity::Warning,
        title: "injected message that resets the error count of another rule",
        why: "`failures` counts consecutive errors at the tail, and every message that is not from the \
              model resets it. A rule injects such a message at a lower count, so the higher count of this \
              rule is reached only if several calls fail at once. `failures.total` is not reset.",
        wrong: "edition 2026\npolicy p {\n  rule nudge { when failures >= 2 do inject \"Name the cause.\" once per failures }\n  rule give_up { when failures >= 6 do stop \"six errors in a row\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule nudge { when failures >= 2 do inject \"Name the cause.\" once per failures }\n  rule give_up { when failures.total >= 6 do stop \"six errors\" }\n}\n",
    },
    category: Category::Injection,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let nudges = policy
            .rules
            .iter()
            .filter(|rule| resets_failures(rule))
            .filter_map(|rule| Some((required_failures(rule)?.2, rule)));
        let Some((low, nudge)) = nudges.min_by_key(|(limit, _)| *limit) else { continue };
        for rule in subject.rules_of(policy) {
            if let Some((test, total, limit)) = required_failures(rule)
                && limit > low
            {
                findings.push(finding(test, total, limit, nudge));
            }
        }
    }
}

/// Whether a rule injects a message that resets `failures`, each time its condition holds.
fn resets_failures(rule: &Rule) -> bool {
    let limits_repetition = |guard: &Guard| !matches!(guard, Guard::OncePer(_) | Guard::Until(_));
    let resets = |action: &Action| {
        effect_scope::injects(action) && action.word(LabelRole::MessageRole) != Some(Role::Assistant.word())
    };
    rule.actions.iter().any(resets)
        && !rule.guards.iter().any(|guard| limits_repetition(&guard.node))
        && matches!(rule.condition, Condition::Test(_))
}

/// How many consecutive errors a rule waits for, and the fact that counts all errors of the run, which no message resets.
fn required_failures(rule: &Rule) -> Option<(&Test, &'static Fact, Decimal)> {
    rule.condition.required_tests().find_map(|(test, truth)| match &test.relation {
        Relation::Compare(operator, Operand::Value(Value::Number(limit)))
            if requirement::is_lower_bound(test, truth) == Some(true) =>
        {
            let fact = test.reading.fact;
            let total = fact.total().filter(|_| fact.falls == Falls::Messages && !test.reading.has_arguments())?;
            Some((test, total, *limit + Decimal::from(u8::from(*operator == Comparison::More))))
        }
        _ => None,
    })
}

fn finding(test: &Test, total: &Fact, limit: Decimal, nudge: &Rule) -> Diagnostic {
    let message =
        format!("{limit} consecutive errors are rarely reached, because `{}` injects a message earlier", nudge.name);
    let mut finding = LINT
        .finding(test.span, message, "each injected message resets this count")
        .label(nudge.clause("when").unwrap_or(nudge.head), "injects a message at a lower count")
        .help(format!("count all errors of the run with `{}`, or inject `for step`", total.name));
    let edit = TextEdit { span: test.reading.span, text: total.name.to_owned() };
    finding.fixes.push(fix("count all errors of the run", false, edit));
    finding
}
