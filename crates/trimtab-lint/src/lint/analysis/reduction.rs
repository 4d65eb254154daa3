//! The rules of a policy that reduce the context, phase by phase, and when they are due.

use std::cmp::Ordering;

use trimtab_base::quantity::{Counted, Decimal, Type, Unit, Value, whole};
use trimtab_language::check::{Action, Comparison, Condition, Guard, Operand, Policy, Relation, Rule, Test};
use trimtab_language::condition::iterations;
use trimtab_language::effect::{EffectKind, LabelRole, TargetKind};
use trimtab_language::fact::{Falls, Topic};
use trimtab_language::phase::Phase;

use crate::lint::Subject;
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::requirement::required_comparisons;
use crate::lint::analysis::threshold::Threshold;

/// A rule that reduces the context or stops the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReductionStep<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Its index among the rules of the policy.
    pub at: usize,
    /// The smallest size at which it can be due.
    pub threshold: Option<Threshold<'a>>,
    /// Whether only the size of the context and the number of iterations decide when it is due.
    pub by_size_only: bool,
}

impl ReductionStep<'_> {
    /// Whether it removes messages or stops the run, which is costly.
    pub(crate) fn is_costly(&self) -> bool {
        self.rule.actions.iter().any(|action| removes_older_messages(action) || action.effect.kind == EffectKind::Stop)
    }
}

/// Whether an action edits single contents, also those that it replaces with summaries of their own.
fn edits_content(action: &Action) -> bool {
    action.effect.kind.edits_content() || summarises_results(action)
}

/// Whether an action replaces single results with summaries.
pub(crate) fn summarises_results(action: &Action) -> bool {
    action.effect.kind.can_fail() && action.target_kind().is_some_and(TargetKind::is_of_results)
}

/// Whether an action edits or removes single contents, and keeps the course of the conversation.
pub(crate) fn reduces_contents(action: &Action) -> bool {
    edits_content(action) || action.effect.kind == EffectKind::Remove && !removes_older(action)
}

/// Whether an action edits contents that a prompt cache may hold. A result that no request has contained yet is in none.
pub(crate) fn edits_cached(action: &Action) -> bool {
    (reduces_contents(action) || removes_older(action)) && shrinks_old(action)
}

/// Whether an action edits a little at almost every call. An action that edits only long parts (`over`) does not. A tail counted
/// in interactions changes once per user message, a message of a person is changed only after its run, and not every call makes
/// a result redundant.
pub(crate) fn edits_a_little(action: &Action) -> bool {
    edits_cached(action)
        && !action.target_kind().is_some_and(TargetKind::is_redundant)
        && action.target_kind() != Some(TargetKind::UserMessages)
        && !effect_scope::edits_long_parts_only(action)
        && !effect_scope::keeps_interactions(action)
        && !effect_scope::keeps_nothing(action)
        && action.label(LabelRole::MinimumSaving).is_none()
}

/// Whether an action replaces messages by a summary, or removes all messages before the kept tail.
pub(crate) fn removes_older_messages(action: &Action) -> bool {
    action.effect.kind.can_fail() && !summarises_results(action) || removes_older(action)
}

/// Whether an action removes all messages before the kept tail.
fn removes_older(action: &Action) -> bool {
    action.effect.kind == EffectKind::Remove && action.target_kind() == Some(TargetKind::OlderMessages)
}

/// Whether an action shortens content of earlier requests. Results that no request has contained yet are no such content:
/// limiting them does not shrink a context that is already full.
pub(crate) fn shrinks_old(action: &Action) -> bool {
    (reduces_contents(action) || removes_older_messages(action)) && action.target_kind() != Some(TargetKind::Arrivals)
}

/// Whether an action removes calls with their results that newer results make redundant.
pub(crate) fn removes_redundant(action: &Action) -> bool {
    action.effect.kind == EffectKind::Remove && action.target_kind().is_some_and(TargetKind::is_redundant)
}

/// Whether an action takes whole messages out of the context, so that their number falls.
fn removes_messages(action: &Action) -> bool {
    removes_older_messages(action) || removes_redundant(action)
}

/// Whether a rule reduces the context. One that edits each result when it is new leaves a full context full.
pub(crate) fn reduces(subject: &Subject<'_>, rule: &Rule) -> bool {
    let is_due_at_every_call = !is_rate_limited(subject, rule) && stays_true(subject, rule);
    let edits_new = |action: &Action| is_due_at_every_call && edits_when_new(action);
    rule.actions.iter().any(|action| shrinks_old(action) && !edits_new(action))
}

/// Whether an action of a rule that is due at every call edits contents only when they are new, because it keeps no tail.
fn edits_when_new(action: &Action) -> bool {
    edits_content(action)
        && effect_scope::keeps_nothing(action)
        && action.target_kind() != Some(TargetKind::UserMessages)
        && action.argument(LabelRole::DownTo).is_none()
}

/// The steps of each policy by phase. A rule that stops the run at some size of the context is a step too.
pub(crate) fn reduction_steps<'a>(subject: &Subject<'a>) -> Vec<(&'a Policy, Phase, Vec<ReductionStep<'a>>)> {
    let mut reduction_steps = Vec::new();
    for policy in &subject.checked.policies {
        for phase in [Phase::Request, Phase::Reply] {
            let rules = policy.rules.iter().enumerate().filter(|(_, rule)| rule.phase == phase);
            let steps: Vec<ReductionStep<'a>> = rules.filter_map(|(at, rule)| step(subject, at, rule)).collect();
            if !steps.is_empty() {
                reduction_steps.push((policy, phase, steps));
            }
        }
    }
    reduction_steps
}

fn step<'a>(subject: &Subject<'a>, at: usize, rule: &'a Rule) -> Option<ReductionStep<'a>> {
    let stops = || rule.does(EffectKind::Stop) && tests_context_size(rule);
    if !reduces(subject, rule) && !stops() {
        return None;
    }
    Some(ReductionStep {
        rule,
        at,
        threshold: subject.threshold(rule),
        by_size_only: tests_only_context_size(&rule.condition),
    })
}

/// Returns the step with the lowest threshold, or `None` if a rule that reduces the context has no threshold.
pub(crate) fn first_step<'a>(subject: &Subject<'a>, policy: &'a Policy) -> Option<(&'a Rule, Threshold<'a>)> {
    let mut first: Option<(&'a Rule, Threshold<'a>)> = None;
    for rule in policy.rules.iter().filter(|rule| reduces(subject, rule)) {
        let threshold = subject.threshold(rule)?;
        if first.is_none_or(|(_, other)| threshold.order(&other).is_some_and(Ordering::is_lt)) {
            first = Some((rule, threshold));
        }
    }
    first
}

/// Whether a guard, a test of its own history, or a condition for a single call of a run keeps a rule from firing at
/// every call of a run.
pub(crate) fn is_rate_limited(subject: &Subject<'_>, rule: &Rule) -> bool {
    rule.guards.iter().any(|guard| limits_repetition(&guard.node))
        || rule.condition.tests().any(|test| test.reading.fact.topic == Topic::Firings)
        || !rule.has_until() && iterations(&rule.condition, &subject.assumptions(rule)).is_single()
        || !rule.has_until() && waits_for_message(&rule.condition)
}

/// Whether a condition can hold only at the first call after a user message.
fn waits_for_message(condition: &Condition) -> bool {
    required_comparisons(condition).any(|(test, operator, operand)| {
        let Operand::Value(Value::Number(number)) = operand else { return false };
        let is_single = match operator {
            Comparison::Equal => true,
            Comparison::AtMost => *number < Decimal::ONE,
            Comparison::Less => *number <= Decimal::ONE,
            _ => false,
        };
        test.reading.fact.topic == Topic::UserMessages && is_single
    })
}

/// Whether a guard keeps a rule from firing at every call.
pub(crate) fn limits_repetition(guard: &Guard) -> bool {
    match guard {
        Guard::Once | Guard::OnceUntil(_) | Guard::Limit(_) => true,
        // A fact that increases with every call has a new value at every call.
        Guard::OncePer(reading) => !reading.fact.changes_every_call(),
        Guard::Every(iterations) | Guard::Cooldown(iterations) => *iterations > 1,
        Guard::Until(_) => false,
    }
}

/// Whether the condition of a rule tests the size of the context.
pub(crate) fn tests_context_size(rule: &Rule) -> bool {
    rule.condition.tests().any(is_context_size_test)
}

/// Whether a test reads the size of the context.
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

/// Whether a condition that is true is still true at the next call, whatever its rule does: it is always true, or it reads only
/// facts that the rule does not lower, or lowers by no more than one call adds.
pub(crate) fn stays_true(subject: &Subject<'_>, rule: &Rule) -> bool {
    subject.always_holds(rule) || keeps_truth(&rule.condition, true, &|test| is_restored(rule, test))
}

/// Whether no effect of a rule makes its condition false, not even until the next call.
pub(crate) fn never_ends(subject: &Subject<'_>, rule: &Rule) -> bool {
    let removes = rule.actions.iter().any(removes_messages);
    subject.always_holds(rule) || keeps_truth(&rule.condition, true, &|_| !removes)
}

/// Whether a condition keeps its truth value, given which tests of counts of items in the context keep theirs.
fn keeps_truth(condition: &Condition, truth: bool, count_stays: &dyn Fn(&Test) -> bool) -> bool {
    match condition {
        Condition::Constant(constant) => *constant == truth,
        Condition::All(parts) | Condition::Any(parts) => parts.iter().all(|part| keeps_truth(part, truth, count_stays)),
        Condition::Not(inner) => keeps_truth(inner, !truth, count_stays),
        Condition::Test(test) => {
            let falls = test.reading.fact.falls(&test.reading.arguments);
            let stays = falls == Falls::Never || falls == Falls::Removals && count_stays(test);
            stays && is_monotonic(&test.relation, truth)
        }
    }
}

/// Whether the count that a test compares is as large at the next call as before a rule has removed items. A call adds a
/// reply and at least one result.
fn is_restored(rule: &Rule, test: &Test) -> bool {
    let Type::Number(unit) = test.reading.fact.ty else { return false };
    let added = match unit {
        Unit::Counted(Counted::Messages) => 2,
        Unit::Counted(Counted::Results) => 1,
        _ => 0,
    };
    let required = match &test.relation {
        Relation::Compare(Comparison::More | Comparison::AtMost, Operand::Value(Value::Number(number))) => {
            whole(*number).saturating_add(1)
        }
        Relation::Compare(_, Operand::Value(Value::Number(number))) => whole(number.ceil()),
        _ => return false,
    };
    let mut removing = rule.actions.iter().filter(|action| removes_messages(action));
    removing.all(|action| kept(action, unit).is_some_and(|kept| kept.saturating_add(added) >= required))
}

/// Returns the items of this unit that an action that removes messages leaves at the end of the context, or `None` if
/// that is unknown.
fn kept(action: &Action, unit: Unit) -> Option<u64> {
    let zones = [LabelRole::RecentZone, LabelRole::MediumZone, LabelRole::Keep].map(|role| action.quantity(role));
    let mut zones = zones.into_iter().flatten().peekable();
    zones.peek()?;
    zones.map(|zone| (zone.unit == unit).then(|| zone.to_u64())).sum()
}

/// Whether a test of an increasing fact keeps this truth value once it has it.
fn is_monotonic(relation: &Relation, truth: bool) -> bool {
    match relation {
        Relation::Holds | Relation::Known | Relation::Compare(Comparison::More | Comparison::AtLeast, _) => truth,
        Relation::Compare(Comparison::Less | Comparison::AtMost, _) => !truth,
        Relation::Compare(..) | Relation::OneOf(_) | Relation::Contains(_) => false,
    }
}

/// A share minus some points, or half of the share if that is less than the points.
pub(crate) fn lowered(share: Decimal, points: Decimal) -> Decimal {
    let half = (share * Decimal::new(50, 0)).floor() / Decimal::ONE_HUNDRED;
    if share > points * Decimal::TWO { share - points } else { half }
}

/// The number of kept items in words, when `rest` are not kept.
pub(crate) fn all_but(rest: u64) -> String {
    if rest == 0 { "all".to_owned() } else { format!("all but {rest}") }
}
