//! Relief: the rules of a policy that make the context smaller, phase by phase, and what makes them due.
//!
//! In: checked rules. Out: their steps in order, and what their conditions wait for. It finds fault with nothing.

use crate::check::{Action, Comparison, Condition, Guard, Operand, Policy, Relation, Rule, Test};
use crate::effect::EffectKind;
use crate::fact::{Falls, Topic};
use crate::lint::Subject;
use crate::lint::analysis::requirement::required_comparisons;
use crate::lint::analysis::threshold::Threshold;
use crate::phase::Phase;
use crate::quantity::{Decimal, Type, Unit, Value, whole};
use crate::source::SourceFormat;

/// A rule that makes the context smaller, or stops the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    /// The rule.
    pub(crate) rule: &'a Rule,
    /// Its place among the rules of the policy.
    pub(crate) at: usize,
    /// The least fill at which it can be due.
    pub(crate) threshold: Option<Threshold<'a>>,
    /// Whether nothing but the fill decides when it is due, save that some calls must have been made.
    pub(crate) by_size_only: bool,
}

impl Step<'_> {
    /// Whether it only edits contents.
    pub(crate) fn is_light(&self) -> bool {
        !self.is_heavy()
    }

    /// Whether it takes messages away, or stops.
    pub(crate) fn is_heavy(&self) -> bool {
        self.rule.actions.iter().any(|action| is_heavy(action) || action.effect.kind == EffectKind::Stop)
    }
}

/// Whether an action edits contents and leaves every message in its place.
pub(crate) fn is_light(action: &Action) -> bool {
    action.effect.kind.edits_content()
}

/// Whether an action puts a summary in the place of messages.
pub(crate) fn is_heavy(action: &Action) -> bool {
    action.effect.kind.can_fail()
}

/// Whether a rule makes the context smaller.
pub(crate) fn reduces(rule: &Rule) -> bool {
    rule.actions.iter().any(|action| is_light(action) || is_heavy(action))
}

/// The steps of each policy, phase by phase; `stop` counts as one where it waits for the fill.
pub(crate) fn ladders<'a>(subject: &Subject<'a>) -> Vec<(&'a Policy, Phase, Vec<Step<'a>>)> {
    let mut ladders = Vec::new();
    for policy in &subject.checked.policies {
        for phase in [Phase::Request, Phase::Reply] {
            let rules = policy.rules.iter().enumerate().filter(|(_, rule)| rule.phase == phase);
            let steps: Vec<Step<'a>> = rules.filter_map(|(at, rule)| step(subject, at, rule)).collect();
            if !steps.is_empty() {
                ladders.push((policy, phase, steps));
            }
        }
    }
    ladders
}

fn step<'a>(subject: &Subject<'a>, at: usize, rule: &'a Rule) -> Option<Step<'a>> {
    let stops = || rule.does(EffectKind::Stop) && tests_context_size(rule);
    if !reduces(rule) && !stops() {
        return None;
    }
    Some(Step { rule, at, threshold: subject.threshold(rule), by_size_only: tests_only_context_size(&rule.condition) })
}

/// The first step of a policy, by the fill at which it is due; none when a rule that makes the context smaller can be
/// due at any fill.
pub(crate) fn first_step<'a>(subject: &Subject<'a>, policy: &'a Policy) -> Option<(&'a Rule, Threshold<'a>)> {
    let mut first: Option<(&'a Rule, Threshold<'a>)> = None;
    for rule in policy.rules.iter().filter(|rule| reduces(rule)) {
        let threshold = subject.threshold(rule)?;
        if first.is_none_or(|(_, other)| below(&threshold, &other)) {
            first = Some((rule, threshold));
        }
    }
    first
}

/// Whether one fill is below another; false where they cannot be compared.
pub(crate) fn below(a: &Threshold<'_>, b: &Threshold<'_>) -> bool {
    order(a, b) == Some(std::cmp::Ordering::Less)
}

/// How two fills stand to each other; none when one is a share and the other in tokens of an unknown window.
pub(crate) fn order(a: &Threshold<'_>, b: &Threshold<'_>) -> Option<std::cmp::Ordering> {
    match (a.share, b.share, a.tokens, b.tokens) {
        (Some(a), Some(b), ..) => Some(a.cmp(&b)),
        (_, _, Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => None,
    }
}

/// Whether something beside its condition keeps a rule from firing at call after call.
pub(crate) fn is_rate_limited(rule: &Rule) -> bool {
    rule.guards.iter().any(|guard| limits_repetition(&guard.node))
        || rule.condition.tests().any(|test| test.reading.fact.topic == Topic::Firings)
}

/// Whether a guard keeps a rule from firing at call after call.
pub(crate) fn limits_repetition(guard: &Guard) -> bool {
    match guard {
        Guard::Once | Guard::OnceUntil(_) | Guard::Limit(_) => true,
        // What grows with every call is new at every call.
        Guard::OncePer(reading) => !reading.fact.changes_every_call(),
        Guard::Every(iterations) | Guard::Cooldown(iterations) => *iterations > 1,
        Guard::Until(_) => false,
    }
}

/// Whether the fill of the context has a say in when a rule is due.
pub(crate) fn tests_context_size(rule: &Rule) -> bool {
    rule.condition.tests().any(is_context_size_test)
}

/// Whether a test asks how full the context is.
pub(crate) fn is_context_size_test(test: &Test) -> bool {
    test.reading.fact.is_size()
}

fn tests_only_context_size(condition: &Condition) -> bool {
    condition.tests().all(|test| is_context_size_test(test) || test.reading.fact.topic == Topic::Iteration)
}

/// The least number of items in the context at which a condition can hold, and the test that requires it.
pub(crate) fn least_count(condition: &Condition, unit: Unit) -> Option<(&Test, u64)> {
    let counts = required_comparisons(condition).filter_map(|(test, operator, operand)| {
        let Operand::Value(Value::Number(number)) = operand else { return None };
        let least = match operator {
            Comparison::More => whole(*number).checked_add(1)?,
            Comparison::AtLeast | Comparison::Equal => whole(number.ceil()),
            _ => return None,
        };
        let fact = test.reading.fact;
        (fact.topic == Topic::ContextCount && fact.ty == Type::Number(unit)).then_some((test, least))
    });
    counts.max_by_key(|(_, least)| *least)
}

/// Whether a condition that has come true stays true whatever contents are edited: it waits for nothing, or only for
/// what grows. With `counts` the messages in the context are taken for something that grows.
pub(crate) fn stays_true(condition: &Condition, counts: bool) -> bool {
    keeps_truth(condition, true, counts)
}

fn keeps_truth(condition: &Condition, truth: bool, counts: bool) -> bool {
    match condition {
        Condition::Constant(constant) => *constant == truth,
        Condition::All(parts) | Condition::Any(parts) => parts.iter().all(|part| keeps_truth(part, truth, counts)),
        Condition::Not(inner) => keeps_truth(inner, !truth, counts),
        Condition::Test(test) => {
            let falls = test.reading.fact.falls;
            let stays = falls == Falls::Never || counts && falls == Falls::Removals;
            stays && is_monotonic(&test.relation, truth)
        }
    }
}

/// Whether a test of something that grows stays as it is once it is of this truth.
fn is_monotonic(relation: &Relation, truth: bool) -> bool {
    match relation {
        Relation::Holds | Relation::Known | Relation::Compare(Comparison::More | Comparison::AtLeast, _) => truth,
        Relation::Compare(Comparison::Less | Comparison::AtMost, _) => !truth,
        Relation::Compare(..) | Relation::OneOf(_) | Relation::Contains(_) => false,
    }
}

/// A share less some points, or half of it when it has not so many.
pub(crate) fn lowered(share: Decimal, points: Decimal) -> Decimal {
    let half = (share * Decimal::new(50, 0)).floor() / Decimal::ONE_HUNDRED;
    if share > points * Decimal::TWO { share - points } else { half }
}

/// How much is kept when so many are left, in words.
pub(crate) fn all_but(rest: u64) -> String {
    if rest == 0 { "all".to_owned() } else { format!("all but {rest}") }
}

/// Whether a file is written in the form that has words for pins, pauses and the live size of the context. What can only
/// be mended with these is not held against a list of effects in YAML.
pub(crate) fn is_native_form(subject: &Subject<'_>) -> bool {
    subject.source.format() == SourceFormat::Policy
}
