//! `stops-at-once`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Type, Value};
use trimtab_language::check::{Condition, Guard, Policy, Rule};
use trimtab_language::condition::holds;
use trimtab_language::effect::EffectKind;
use trimtab_language::fact::{AtStart, Fact, Facts};
use trimtab_language::phase::Phase;

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("stops-at-once", Severity::Error, include_str!("stops_at_once.md")),
    category: Category::Safety,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// A session before its first call: all counters are zero, and nothing is known about the context.
struct Fresh {
    window: Option<u64>,
    /// Whether optional facts are known; they are zero then.
    is_known: bool,
}

impl Facts for Fresh {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        let is_zero = fact.at_start(arguments) == AtStart::Zero && (self.is_known || !fact.is_optional());
        is_zero.then(|| if fact.ty == Type::Bool { Value::Bool(false) } else { Value::whole(0) })
    }

    fn window(&self) -> Option<u64> {
        self.window
    }
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (rule, spends) in rules(subject) {
        let early = matches!(rule.phase, Phase::IterationStart | Phase::Request | Phase::ContextBudget);
        let late = rule.guards.iter().any(|guard| matches!(guard.node, Guard::Every(_)));
        let mut before = rule.actions.iter().take_while(|action| !action.effect.kind.can_fail());
        let Some(stop) = before.find(|action| action.effect.kind == EffectKind::Stop).filter(|_| early && !late) else {
            continue;
        };
        if holds_at_once(subject, &rule.condition, spends) {
            let when = rule.condition_span().unwrap_or(rule.head);
            let message = format!("`{}` stops every run before its first call", rule.name);
            let finding = LINT.finding(when, message, "holds before anything has happened");
            let finding = finding.label(stop.span, "stops the run");
            findings.push(finding.help("reverse the comparison, or add `iteration > 0`"));
        }
    }
}

/// The rules of the file, each with whether a summary of its policy may cost something before the first call.
fn rules<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (&'a Rule, bool)> {
    subject.checked.policies.iter().flat_map(|policy| {
        let spends = spends(policy);
        subject.rules_of(policy).map(move |rule| (rule, spends))
    })
}

/// Whether a summary may cost something before the first call.
fn spends(policy: &Policy) -> bool {
    policy.rules.iter().flat_map(|rule| &rule.actions).any(|action| action.effect.kind.can_fail())
}

fn holds_at_once(subject: &Subject<'_>, condition: &Condition, spends: bool) -> bool {
    let mut is_decided = true;
    for test in condition.tests() {
        let fact = test.reading.fact;
        let is_any = fact.at_start(&test.reading.arguments) == AtStart::Any;
        // A fact that may be unknown or have any value may have the one after `??`, or not.
        is_decided &= !(is_any && fact.is_optional() || spends && fact.is_estimated_usage());
    }
    let window = subject.window();
    is_decided && [true, false].iter().all(|&is_known| holds(condition, &Fresh { window, is_known }) == Some(true))
}
