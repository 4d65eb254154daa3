//! Policies: every effect, alone and in chains, every guard beside every other, several rules of one effect.

use proptest::prelude::*;
use trimtab::fact::FACTS;

/// A rule's parts before they are written down.
#[derive(Clone, Debug)]
struct Rule {
    on: &'static str,
    effects: Vec<String>,
    on_failure: &'static str,
    condition: String,
    guards: Vec<String>,
}

fn keep() -> impl Strategy<Value = String> {
    (0u8..12, prop_oneof![Just("messages"), Just("results"), Just("interactions")])
        .prop_map(|(count, unit)| format!("keep {count} {unit}"))
}

fn options() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        Just(String::new()),
        Just(" including errors".to_owned()),
        Just(" except [bash, mcp__*]".to_owned()),
        Just(" only [read_file]".to_owned()),
        (1u8..99).prop_map(|share| format!(" down_to {share}%")),
        (1u16..500).prop_map(|tokens| format!(" at_least {tokens} tokens")),
    ];
    // Texts that change from call to call, in length too.
    let placeholder = prop_oneof![
        3 => Just(""),
        1 => Just(" placeholder \"[{tool} at {iteration}]\""),
        1 => Just(" placeholder \"[{context.tokens} {call.arguments ?? \\\"\\\"}]\""),
    ];
    (keep(), one, placeholder).prop_map(|(keep, one, placeholder)| keep + &one + placeholder)
}

/// An effect that never asks for a summary.
fn light() -> impl Strategy<Value = String> {
    let targets = prop_oneof![Just("results"), Just("calls"), Just("thinking"), Just("images")];
    let roles = prop_oneof![Just("user"), Just("system"), Just("assistant")];
    prop_oneof![
        4 => (targets, options(), 0u8..90)
            .prop_map(|(target, rest, preview)| format!("mask {target} {rest} preview {preview} chars")),
        2 => (0u16..600, prop_oneof![Just("head"), Just("tail"), Just("middle")], options())
            .prop_map(|(to, from, rest)| format!("trim results to {to} chars from {from} {rest}")),
        1 => (0u16..90, options()).prop_map(|(to, rest)| format!("trim results to {to} tokens {rest}")),
        2 => (roles, any::<bool>()).prop_map(|(role, step)| {
            format!("inject \"at {{context.tokens}}\" as {role}{}", if step { " for step" } else { "" })
        }),
        1 => Just("notify \"{iteration}\"".to_owned()),
    ]
}

/// An effect that asks for a summary, which may fail.
fn heavy() -> impl Strategy<Value = String> {
    let pin = || prop_oneof![Just(""), Just(" pin first_user")];
    prop_oneof![
        (0u8..12, 0u8..12, 0u16..400, pin()).prop_map(|(recent, medium, trim, pin)| {
            format!("slide recent {recent} messages medium {medium} messages trim {trim} chars{pin}")
        }),
        (keep(), pin()).prop_map(|(keep, pin)| format!("summarise older {keep}{pin}")),
        pin().prop_map(|pin| format!("summarise all at_most 60 tokens{pin}")),
    ]
}

/// The effects of a rule: one to three in a chain, at most one of which can fail.
fn effects() -> impl Strategy<Value = Vec<String>> {
    let chain = (prop::collection::vec(light(), 0..3), prop::option::of(heavy()), any::<prop::sample::Index>());
    let chain = chain.prop_map(|(mut effects, heavy, place)| {
        if let Some(heavy) = heavy {
            effects.insert(place.index(effects.len() + 1), heavy);
        }
        effects
    });
    prop_oneof![
        3 => light().prop_map(|one| vec![one]),
        2 => heavy().prop_map(|one| vec![one]),
        3 => chain.prop_filter("a rule needs an effect", |effects| !effects.is_empty()),
        1 => (light(), Just("stop \"enough\"".to_owned())).prop_map(|(one, stop)| vec![one, stop]),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        (0u8..150).prop_map(|share| format!("when context.ratio >= {share}%")),
        (0u8..6).prop_map(|count| format!("when failures >= {count} or repeats(within: 5 calls) >= 2")),
        (0u8..90).prop_map(|share| format!("when known(reported.ratio) and reported.ratio >= {share}%")),
        Just("when iteration > 0 unless context.results < 2".to_owned()),
        (0u8..90).prop_map(|share| format!("when context.messages > 3 unless context.ratio > {share}%")),
        Just("when (budget.cost ?? $0) >= $1 or (budget.time ?? 0s) >= 2m".to_owned()),
        Just("unless failures.total < 2".to_owned()),
        // Every fact, as its own examples use it.
        example().prop_map(|example| format!("when {example}")),
    ]
}

/// A condition from the examples of any fact, about the first rule.
fn example() -> impl Strategy<Value = String> {
    let examples: Vec<&str> = FACTS.iter().flat_map(|fact| fact.examples).copied().collect();
    prop::sample::select(examples).prop_map(|example| example.replace("(example)", "(r0)"))
}

/// Guards of any kinds, each once, in any order in which they can be read back.
pub(crate) fn guards() -> impl Strategy<Value = Vec<String>> {
    let end = || (5u8..60).prop_map(|share| format!("context.ratio < {share}%"));
    let once = prop_oneof![
        Just("once".to_owned()),
        Just("once per context.messages".to_owned()),
        end().prop_map(|end| format!("once until {end}")),
    ];
    let all = (
        prop::option::weighted(0.3, once),
        prop::option::weighted(0.25, end().prop_map(|end| format!("until {end}"))),
        prop::option::weighted(0.15, (1u8..4).prop_map(|each| format!("every {each} iterations"))),
        prop::option::weighted(0.15, (1u8..4).prop_map(|pause| format!("cooldown {pause} iterations"))),
        prop::option::weighted(0.15, (1u8..4).prop_map(|times| format!("limit {times}"))),
    );
    let listed = all.prop_map(|(a, b, c, d, e)| [a, b, c, d, e].into_iter().flatten().collect::<Vec<_>>());
    listed.prop_shuffle().prop_map(|mut guards| {
        // `once` right before `until` would be read as `once until`.
        if let Some(once) = guards.windows(2).position(|two| two[0] == "once" && two[1].starts_with("until")) {
            guards.swap(once, once + 1);
        }
        guards
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    let on = prop_oneof![3 => Just("request"), 1 => Just("reply")];
    let on_failure = prop::sample::select(vec![
        "",
        "on_failure keep",
        "on_failure retry 2 keep",
        "on_failure stop",
        "on_failure ask",
        "on_failure then notify \"failed\"",
        "on_failure then mask results keep 2 messages",
    ]);
    (on, effects(), on_failure, condition(), guards()).prop_map(|(on, effects, on_failure, condition, guards)| {
        let can_fail = effects.iter().any(|one| one.starts_with("slide") || one.starts_with("summarise"));
        Rule { on, effects, on_failure: if can_fail { on_failure } else { "" }, condition, guards }
    })
}

/// The text of a policy of one to six rules, two of which may have the same effects.
pub(crate) fn policy() -> impl Strategy<Value = String> {
    let twin = prop::option::weighted(0.3, (any::<prop::sample::Index>(), condition(), guards()));
    (prop::collection::vec(rule(), 1..6), twin).prop_map(|(mut rules, twin)| {
        if let Some((index, condition, guards)) = twin {
            let twin = Rule { condition, guards, ..index.get(&rules).clone() };
            rules.push(twin);
        }
        let mut text = "edition 2026\npolicy made {\n".to_owned();
        for (at, Rule { on, effects, on_failure, condition, guards }) in rules.iter().enumerate() {
            let (effects, guards) = (effects.join(" then "), guards.join(" "));
            text += &format!("  rule r{at} {{ on {on} {condition} do {effects} {on_failure} {guards} }}\n");
        }
        text + "}\n"
    })
}
