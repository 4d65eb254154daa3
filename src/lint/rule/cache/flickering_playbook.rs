//! `flickering-playbook`

use crate::check::{Condition, Rule, Test};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::EffectKind;
use crate::fact::{Falls, Topic};
use crate::lint::analysis::reduction::limits_repetition;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::source::Span;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "flickering-playbook",
        severity: Severity::Warning,
        title: "strategies that are in some requests only",
        why: "Strategies are part of the system prompt, at the beginning of a request. A rule that adds them to \
              some requests of a run changes the system prompt each time they appear or disappear, and nothing \
              after it can be read from the prompt cache.",
        wrong: "edition 2026\npolicy p {\n  rule learned { do playbook every 5 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule learned { do playbook }\n}\n",
    },
    category: Category::Cache,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(action) = rule.actions.iter().find(|action| action.effect.kind == EffectKind::Playbook) else { return };
    let guard = rule.guards.iter().find(|guard| limits_repetition(&guard.node)).map(|guard| guard.span);
    let Some(cause) = guard.or_else(|| flickering_test(rule)) else { return };
    let finding = LINT
        .finding(action.span, "the strategies are in some requests of a run only", "changes the system prompt")
        .label(cause, "keeps them out of other requests")
        .help("add the strategies to every request");
    findings.push(finding);
}

/// A test that holds at some calls of a run and not at others, without an edit. The size of the playbook is none: an empty
/// playbook adds nothing anyway.
fn flickering_test(rule: &Rule) -> Option<Span> {
    let flickers = |test: &&Test| {
        let reading = &test.reading;
        let falls = reading.fact.falls(&reading.arguments);
        reading.fact.topic != Topic::Playbook && matches!(falls, Falls::AnyTime | Falls::Messages)
    };
    let conditions = [Some(&rule.condition), rule.unless.as_ref()];
    let test = conditions.into_iter().flatten().flat_map(Condition::tests).find(flickers)?;
    Some(test.reading.span)
}
