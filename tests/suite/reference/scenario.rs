//! Generated rules, as data from which both the policy and the second interpreter are built.

use proptest::prelude::*;

/// A fact that the second interpreter implements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fact {
    Iteration,
    Run,
    Messages,
    Failures,
    FailuresTotal,
    Calls,
    Repeats(usize),
    Occurrences(usize),
    /// Patterns of at most so many calls, within so many calls.
    Cycles(usize, usize),
    /// Among so many results.
    Stall(usize),
    RequestWords,
    ToolsUsed,
    Fired(usize),
    Failed(usize),
    Misses,
    PlaybookSize,
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    AtLeast(Fact, u64),
    Below(Fact, u64),
    Is(Fact, u64),
    Changed(Vec<Fact>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

#[derive(Clone, Debug)]
pub(super) enum Guard {
    Once,
    OncePer(Fact),
    OnceUntil(Condition),
    Until(Condition),
    Every(u64),
    Cooldown(u64),
    Limit(u64),
}

/// `Summarise` always fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Effect {
    Notify,
    Inject,
    InjectAsAssistant,
    InjectForStep,
    Remind,
    Set,
    SetForRun,
    /// `playbook at_most N strategies`
    Playbook(usize),
    /// `mask results keep N results preview 0 chars`
    Mask(usize),
    Summarise,
    /// `restore result`, for a number of iterations or for the run.
    Restore(Option<u64>),
    Boost(u64),
    /// `emit eN [value: FACT]`
    Emit(Fact),
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    IterationStart,
    Request,
    Reply,
    CompactionMiss,
    IterationEnd,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Failing {
    Keep,
    Stop,
    Ask,
    Retry,
    Notify,
    Inject,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) phase: Phase,
    pub(super) when: Option<Condition>,
    pub(super) unless: Option<Condition>,
    pub(super) guards: Vec<Guard>,
    pub(super) effects: Vec<Effect>,
    pub(super) failing: Failing,
}

/// Each fact once. Rules are made of this list, so that a fact in it is also compared.
pub(super) const ALL_FACTS: &[Fact] = &[
    Fact::Iteration,
    Fact::Run,
    Fact::Messages,
    Fact::Failures,
    Fact::FailuresTotal,
    Fact::Calls,
    Fact::Repeats(1),
    Fact::Occurrences(1),
    Fact::Cycles(1, 1),
    Fact::Stall(1),
    Fact::RequestWords,
    Fact::ToolsUsed,
    Fact::Fired(0),
    Fact::Failed(0),
    Fact::Misses,
    Fact::PlaybookSize,
];

fn fact() -> impl Strategy<Value = Fact> {
    (prop::sample::select(ALL_FACTS), 1usize..6).prop_map(|(fact, within)| match fact {
        Fact::Repeats(_) => Fact::Repeats(within),
        Fact::Occurrences(_) => Fact::Occurrences(within),
        Fact::Cycles(..) => Fact::Cycles(within, 2 * within),
        Fact::Stall(_) => Fact::Stall(within),
        other => other,
    })
}

/// An event with a fact whose value is a whole number.
fn emit() -> impl Strategy<Value = Effect> {
    prop::sample::select(vec![Fact::Iteration, Fact::Messages, Fact::Calls, Fact::Fired(0), Fact::Misses])
        .prop_map(Effect::Emit)
}

fn condition() -> impl Strategy<Value = Condition> {
    let number = prop_oneof![3 => 0u64..4, 1 => 0u64..30];
    let leaf = (fact(), number, 0u8..3).prop_map(|(fact, number, kind)| match kind {
        0 => Condition::AtLeast(fact, number),
        1 => Condition::Below(fact, number),
        _ => Condition::Is(fact, number),
    });
    let changed = prop::collection::vec(fact(), 0..3).prop_map(Condition::Changed);
    let leaf = prop_oneof![6 => leaf, 1 => changed];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::All),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::Any),
            inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

fn guards() -> impl Strategy<Value = Vec<Guard>> {
    let once = prop_oneof![Just(Guard::Once), fact().prop_map(Guard::OncePer), condition().prop_map(Guard::OnceUntil),];
    let all = (
        prop::option::weighted(0.4, once),
        prop::option::weighted(0.3, condition().prop_map(Guard::Until)),
        prop::option::weighted(0.2, (1u64..4).prop_map(Guard::Every)),
        prop::option::weighted(0.2, (1u64..4).prop_map(Guard::Cooldown)),
        prop::option::weighted(0.2, (1u64..4).prop_map(Guard::Limit)),
    );
    let listed = all.prop_map(|(a, b, c, d, e)| [a, b, c, d, e].into_iter().flatten().collect::<Vec<_>>());
    listed.prop_shuffle().prop_map(|mut guards| {
        let joined = |two: &[Guard]| matches!(two, [Guard::Once, Guard::Until(_)]);
        if let Some(at) = guards.windows(2).position(joined) {
            guards.swap(at, at + 1);
        }
        guards
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    let signals = prop_oneof![4 => Just(Effect::Notify), 1 => emit(), 1 => Just(Effect::Stop)];
    let edits = prop_oneof![
        Just(Effect::Notify),
        Just(Effect::Inject),
        Just(Effect::InjectAsAssistant),
        Just(Effect::InjectForStep),
        Just(Effect::Remind),
        Just(Effect::Set),
        Just(Effect::SetForRun),
        (0usize..4).prop_map(Effect::Playbook),
        (0usize..3).prop_map(Effect::Mask),
    ];
    let answers = prop_oneof![
        1 => Just(Effect::Notify),
        2 => emit(),
        3 => prop::option::of(1u64..4).prop_map(Effect::Restore),
        2 => (2u64..4).prop_map(Effect::Boost),
    ];
    let chain = (prop::collection::vec(edits, 0..3), prop::option::of(0usize..3), prop::bool::weighted(0.1));
    let chain = chain.prop_map(|(mut effects, summary, stop)| {
        if let Some(place) = summary {
            effects.insert(place.min(effects.len()), Effect::Summarise);
        }
        effects.extend(stop.then_some(Effect::Stop));
        effects
    });
    let acts = prop_oneof![
        3 => (prop_oneof![Just(Phase::Request), Just(Phase::Reply)], chain),
        1 => (prop_oneof![Just(Phase::IterationStart), Just(Phase::IterationEnd)], prop::collection::vec(signals, 1..3)),
        1 => (Just(Phase::CompactionMiss), prop::collection::vec(answers, 1..4)),
    ];
    let acts = acts.prop_filter("a rule needs an effect", |(_, effects)| !effects.is_empty());
    let failing = prop::sample::select(vec![
        Failing::Keep,
        Failing::Stop,
        Failing::Ask,
        Failing::Retry,
        Failing::Notify,
        Failing::Inject,
    ]);
    let (when, unless) = (prop::option::weighted(0.8, condition()), prop::option::weighted(0.3, condition()));
    (acts, when, unless, guards(), failing).prop_map(|((phase, effects), when, unless, guards, failing)| Rule {
        phase,
        when,
        unless,
        guards,
        effects,
        failing,
    })
}

pub(super) fn rules() -> impl Strategy<Value = Vec<Rule>> {
    prop::collection::vec(rule(), 1..5)
}

/// The text of a policy with these rules.
pub(super) fn text(rules: &[Rule]) -> String {
    let mut text = "edition 2026\npolicy made {\n".to_owned();
    for (at, rule) in rules.iter().enumerate() {
        let phase = match rule.phase {
            Phase::IterationStart => "iteration_start",
            Phase::Request => "request",
            Phase::Reply => "reply",
            Phase::CompactionMiss => "compaction_miss",
            Phase::IterationEnd => "iteration_end",
        };
        text += &format!("  rule r{at} {{ on {phase}");
        text += &rule.when.as_ref().map_or_else(String::new, |condition| format!(" when {}", spelled(condition)));
        text += &rule.unless.as_ref().map_or_else(String::new, |condition| format!(" unless {}", spelled(condition)));
        let effects: Vec<String> = rule.effects.iter().map(|one| effect(*one, at)).collect();
        text += &format!(" do {}", effects.join(" then "));
        if rule.effects.contains(&Effect::Summarise) {
            text += match rule.failing {
                Failing::Keep => " on_failure keep",
                Failing::Stop => " on_failure stop",
                Failing::Ask => " on_failure ask",
                Failing::Retry => " on_failure retry 2 keep",
                Failing::Notify => " on_failure then notify \"failed\"",
                Failing::Inject => " on_failure then inject \"failed\"",
            };
        }
        for guard in &rule.guards {
            text += &match guard {
                Guard::Once => " once".to_owned(),
                Guard::OncePer(one) => format!(" once per {}", name(*one)),
                Guard::OnceUntil(end) => format!(" once until {}", spelled(end)),
                Guard::Until(end) => format!(" until {}", spelled(end)),
                Guard::Every(each) => format!(" every {each} iterations"),
                Guard::Cooldown(pause) => format!(" cooldown {pause} iterations"),
                Guard::Limit(times) => format!(" limit {times}"),
            };
        }
        text += " }\n";
    }
    text + "}\n"
}

fn effect(effect: Effect, rule: usize) -> String {
    match effect {
        Effect::Notify => format!("notify \"n{rule}\""),
        Effect::Inject => format!("inject \"i{rule}\""),
        Effect::InjectAsAssistant => format!("inject \"a{rule}\" as assistant"),
        Effect::InjectForStep => format!("inject \"v{rule}\" for step"),
        Effect::Remind => format!("remind [step, run{rule}]"),
        Effect::Set => format!("set step \"{{iteration}}\\n{rule}\""),
        Effect::SetForRun => format!("set run{rule} \"{{iteration}}\" for run"),
        Effect::Playbook(at_most) => format!("playbook at_most {at_most} strategies"),
        Effect::Mask(keep) => format!("mask results keep {keep} results preview 0 chars"),
        Effect::Summarise => "summarise all".to_owned(),
        Effect::Restore(None) => "restore result".to_owned(),
        Effect::Restore(Some(iterations)) => format!("restore result for {iterations} iterations"),
        Effect::Emit(fact) => format!("emit e{rule} [value: {}]", name(fact)),
        Effect::Boost(factor) => format!("boost chunks by {factor}"),
        Effect::Stop => format!("stop \"s{rule}\""),
    }
}

fn spelled(condition: &Condition) -> String {
    let list =
        |parts: &[Condition], word: &str| format!("({})", parts.iter().map(spelled).collect::<Vec<_>>().join(word));
    match condition {
        Condition::AtLeast(fact, number) => format!("{} >= {}", name(*fact), amount(*fact, *number)),
        Condition::Below(fact, number) => format!("{} < {}", name(*fact), amount(*fact, *number)),
        Condition::Is(fact, number) => format!("{} == {}", name(*fact), amount(*fact, *number)),
        Condition::Changed(facts) => {
            format!("changed({})", facts.iter().map(|fact| name(*fact)).collect::<Vec<_>>().join(", "))
        }
        Condition::All(parts) => list(parts, " and "),
        Condition::Any(parts) => list(parts, " or "),
        Condition::Not(inner) => format!("not ({})", spelled(inner)),
    }
}

/// A number that a fact is compared with. A share is compared with so many tenths, at most all of them.
fn amount(fact: Fact, number: u64) -> String {
    match fact {
        Fact::Stall(_) => format!("{}%", 10 * number.min(10)),
        _ => number.to_string(),
    }
}

pub(super) fn name(fact: Fact) -> String {
    match fact {
        Fact::Iteration => "iteration".to_owned(),
        Fact::Run => "run".to_owned(),
        Fact::Messages => "context.messages".to_owned(),
        Fact::Failures => "failures".to_owned(),
        Fact::FailuresTotal => "failures.total".to_owned(),
        Fact::Calls => "budget.calls".to_owned(),
        Fact::Repeats(within) => format!("repeats(within: {within} calls)"),
        Fact::Occurrences(within) => format!("occurrences(within: {within} calls)"),
        Fact::Cycles(period, within) => format!("cycles(period: {period}, within: {within} calls)"),
        Fact::Stall(last) => format!("stall(last: {last} results)"),
        Fact::RequestWords => "request.words".to_owned(),
        Fact::ToolsUsed => "tools.used".to_owned(),
        Fact::Fired(rule) => format!("fired(r{rule})"),
        Fact::Failed(rule) => format!("failed(r{rule})"),
        Fact::Misses => "misses".to_owned(),
        Fact::PlaybookSize => "playbook.size".to_owned(),
    }
}
