//! `miss-without-reduction`

use std::collections::HashSet;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Type, Value};
use trimtab_base::source::Span;
use trimtab_language::check::{Policy, Rule, Test};
use trimtab_language::condition::test;
use trimtab_language::fact::{Fact, Facts, Topic};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("miss-without-reduction", Severity::Warning, include_str!("miss_without_reduction.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let bases: HashSet<&SmolStr> =
        subject.checked.policies.iter().flat_map(|other| &other.bases).map(|base| &base.node).collect();
    let is_extended = |policy: &Policy| bases.contains(&policy.name);
    for policy in subject.checked.policies.iter().filter(|policy| !is_extended(policy) && !reduces(policy)) {
        for rule in subject.rules_of(policy) {
            if let Some((place, here)) = waits(rule) {
                let message = format!("rule `{}` waits for compaction misses, which never come", rule.name);
                let finding = LINT.finding(place, message, here);
                findings
                    .push(finding.help("add a rule that reduces results, such as `mask results`, or remove this one"));
            }
        }
    }
}

/// Whether a rule reduces or removes results.
fn reduces(policy: &Policy) -> bool {
    policy.rules.iter().flat_map(Rule::all_actions).any(|action| action.effect.kind.reduces_results())
}

/// Where a rule needs a miss, if it does: its phase, or a fact that its condition reads.
fn waits(rule: &Rule) -> Option<(Span, &'static str)> {
    if rule.phase.is_miss() {
        return Some((rule.clause("on").unwrap_or(rule.head), "this phase never runs"));
    }
    let needed = |(known, truth): &(&Test, bool)| {
        known.reading.fact.topic == Topic::Misses && test(known, &NoMiss).is_some_and(|holds| holds != *truth)
    };
    rule.condition.required_tests().find(needed).map(|(test, _)| (test.span, "requires a miss"))
}

/// The facts about misses while there was none.
struct NoMiss;

impl Facts for NoMiss {
    fn value(&self, fact: &'static Fact, _: &[Value]) -> Option<Value> {
        matches!(fact.ty, Type::Number(_)).then(|| Value::whole(0))
    }

    fn window(&self) -> Option<u64> {
        None
    }
}
