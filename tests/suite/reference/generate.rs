//! Random policies.

mod condition;
mod effect;

use super::bound::BINDING_MODEL;
use super::condition::Condition;
use super::fact::Scope;
use super::rule::{Effect, Guard, OnFailure, Phase, Policy, Rule, Scoped};
use crate::rng::Rng;

/// The tools that calls, lists and declarations name.
pub(super) const TOOLS: [&str; 5] = ["bash", "read_file", "mcp__web__search", "write_note", "recall"];

/// A random policy. Each rule is made of every phase, effect, guard and fact of the language page.
pub(super) fn policy(rng: &mut Rng) -> Policy {
    let count = 6 + rng.below(7);
    let mut policy = Policy {
        model: rng.percent(25).then(|| rng.choose(&["claude-sonnet-4-5", "gpt-5-mini", BINDING_MODEL])),
        window: rng.percent(20).then(|| rng.choose(&[500, 900, 1800])),
        reserve: rng.percent(40).then(|| rng.choose(&[50, 200])),
        overhead: rng.percent(30).then(|| rng.choose(&[20, 120, 400])),
        tools: if rng.percent(40) { TOOLS.into_iter().filter(|_| rng.percent(60)).collect() } else { Vec::new() },
        rules: Vec::new(),
    };
    policy.rules = (0..count).map(|number| rule(rng, number, count)).collect();
    policy
}

/// A random policy of a few rules that search the context before every request, without conditions and guards, so that most
/// searches continue earlier ones.
pub(super) fn searches(rng: &mut Rng) -> Policy {
    let count = 1 + rng.below(3);
    let always = Condition::All(Vec::new());
    let rule = |number| {
        let effects = vec![effect::Making { rng, when: &always, count }.search()];
        let (phase, on_failure) = (Phase::Request, OnFailure::Default);
        let (when, unless, confirm, retries) = (None, None, None, None);
        Rule { number, phase, when, unless, guards: Vec::new(), confirm, effects, retries, on_failure }
    };
    let rules = (0..count).map(rule).collect();
    Policy { model: None, window: None, reserve: None, overhead: None, tools: Vec::new(), rules }
}

fn rule(rng: &mut Rng, number: usize, count: usize) -> Rule {
    let phase = match rng.below(35) {
        0..16 => Phase::Request,
        16..20 => Phase::Reply,
        20..23 => Phase::CompactionMiss,
        30 | 31 => Phase::Compaction,
        32.. => Phase::Overflow,
        23 => Phase::IterationStart,
        24 => Phase::ContextBudget,
        25 => Phase::IterationEnd,
        _ => rng.choose(&[Phase::Reflection, Phase::ToolValidation, Phase::DryRun, Phase::PlanExecution]),
    };
    let when =
        rng.percent(if phase == Phase::CompactionMiss { 30 } else { 55 }).then(|| condition::condition(rng, count));
    let unless = rng.percent(12).then(|| condition::condition(rng, count));
    let all = when.iter().chain(&unless).cloned().collect();
    let all = Condition::All(all);
    let mut context = effect::Making { rng, when: &all, count };
    let effects = context.effects(phase);
    let (retries, on_failure) = context.on_failure();
    let confirm = context.question();
    let mut guards = guards(context.rng, count);
    // The bare name of a fact in a guard means the instance in the condition.
    guards.retain(|scoped| match &scoped.guard {
        Guard::OncePer(fact) => !context.means_another(fact),
        Guard::OnceUntil(end) | Guard::Until(end) => !end.facts().into_iter().any(|fact| context.means_another(fact)),
        _ => true,
    });
    Rule { number, phase, when, unless, guards, confirm, effects, retries, on_failure }
}

fn guards(rng: &mut Rng, count: usize) -> Vec<Scoped> {
    let mut guards = Vec::new();
    match rng.below(14) {
        0 => guards.push(Guard::Once),
        1 => guards.push(Guard::OncePer(condition::rising(rng, count))),
        2 => guards.push(Guard::OnceUntil(condition::condition(rng, count))),
        _ => {}
    }
    let number = 1 + rng.below_u64(3);
    for kind in 0..4 {
        if !rng.percent(7) {
            continue;
        }
        let guard = match kind {
            0 => Guard::Until(condition::condition(rng, count)),
            1 => Guard::Every(number),
            2 => Guard::Cooldown(number),
            _ => Guard::Limit(number),
        };
        guards.insert(rng.below(guards.len() + 1), guard);
    }
    let mut guards: Vec<Scoped> =
        guards.into_iter().map(|guard| Scoped { guard, scope: condition::scope(rng) }).collect();
    let joined = |two: &[Scoped]| {
        matches!(two, [Scoped { guard: Guard::Once, scope: Scope::Run }, Scoped { guard: Guard::Until(_), .. }])
    };
    if let Some(at) = guards.windows(2).position(joined) {
        guards.swap(at, at + 1);
    }
    guards
}

/// Whether an effect is allowed in a phase in which rules only signal.
pub(super) const fn is_signal(effect: &Effect) -> bool {
    matches!(effect, Effect::Emit(..) | Effect::Notify(_) | Effect::Stop(_))
}
