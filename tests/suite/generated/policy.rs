//! Generated policies: every effect, target and label that the descriptors declare, alone and in chains; every guard
//! next to every other; several rules with the same effects.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use trimtab::effect::{EFFECTS, Effect, EffectKind, Label, LabelDefault, Positional, Shape};
use trimtab::fact::FACTS;
use trimtab::quantity::Unit;

/// The facts that generated policies read.
pub(crate) const AGENT: &str =
    "agent { fact mode text fact load share fact quota tokens default 50k tokens fact beta bool default false }";

/// The parts of a rule.
#[derive(Clone, Debug)]
struct Rule {
    on: &'static str,
    effects: Vec<String>,
    on_failure: &'static str,
    condition: String,
    guards: Vec<String>,
}

/// A number with the word of its unit, if it has one.
pub(crate) fn spelled(number: u32, unit: Unit) -> String {
    unit.word_for(number.into()).map_or_else(|| number.to_string(), |word| format!("{number} {word}"))
}

/// A number with its unit, at least as large as the label requires.
fn amount(unit: Unit, least: u32) -> BoxedStrategy<String> {
    let range = match unit {
        Unit::Share => return (1u32..99).prop_map(|share| format!("{share}%")).boxed(),
        Unit::Tokens => 1u32..500,
        Unit::Chars => 0..600,
        _ => least..12,
    };
    range.prop_map(move |count| spelled(count, unit)).boxed()
}

/// Texts that change from call to call, in length too; one contains every variable of the effect.
fn text(effect: &Effect) -> BoxedStrategy<String> {
    let variables: String = effect.variables.iter().map(|(name, _)| format!("{{{name}}} ")).collect();
    prop_oneof![
        Just(format!("\"[{variables}at {{iteration}}]\"")),
        Just(format!("\"[{variables}{{host.mode ?? \\\"-\\\"}} {{host.quota}}]\"")),
        Just("\"[{context.tokens} {call.arguments ?? \\\"\\\"}]\"".to_owned()),
    ]
    .boxed()
}

/// A value that a label of an effect takes.
fn value(effect: &Effect, label: &'static Label) -> BoxedStrategy<String> {
    let one_of = |words: &[&'static str]| prop::sample::select(words.to_vec()).prop_map(str::to_owned).boxed();
    match label.shape {
        Shape::Quantity(units) => {
            prop::sample::select(units.to_vec()).prop_flat_map(|unit| amount(unit, label.least)).boxed()
        }
        Shape::Tools => one_of(&["[bash, mcp__*]", "[read_file]", "[read_file, bash]"]),
        Shape::Name => one_of(&["mode", "plan"]),
        Shape::Fields => {
            one_of(&["[iteration]", "[share: context.ratio, call.name]", "[n: repeats(in: run), host.load]"])
        }
        Shape::Names => one_of(&["[role]", "[role, bash]", "[mode, extra]"]),
        Shape::Text => text(effect),
        Shape::Word(words) => one_of(words),
        Shape::Sides(_) => one_of(&["tail", "head", "middle", "ends 1.5k chars, 500 chars", "ends 20 chars, 9 tokens"]),
        Shape::Pins => one_of(&[
            "request",
            "first_user",
            "[first_user, request]",
            "users",
            "newest 2 users",
            "users within 2k tokens",
            "first 2 messages",
            "[first 2 messages, newest 3 users, users within 1k tokens]",
            "none",
        ]),
        Shape::Prompt => one_of(&["handover"]),
    }
}

/// The value of a label, which is left out at times unless it is required.
fn given(label: &Label, share: f64, value: BoxedStrategy<String>) -> BoxedStrategy<Option<String>> {
    match label.default {
        LabelDefault::Required => value.prop_map(Some).boxed(),
        _ => prop::option::weighted(share, value).boxed(),
    }
}

/// An effect with a target and labels that its descriptor allows.
fn effect(effect: &'static Effect) -> BoxedStrategy<String> {
    let positional = match effect.positional {
        Positional::Target(targets) => {
            prop::sample::select(targets.iter().map(|target| target.name.to_owned()).collect::<Vec<_>>()).boxed()
        }
        Positional::Text => text(effect),
        Positional::Values(values) => {
            let optional = |label: &&'static Label| given(label, 0.5, value(effect, label));
            // A value can be left out only if none follows it.
            let values = values.iter().map(optional).collect::<Vec<_>>();
            values.prop_map(|given| given.into_iter().map_while(|one| one).collect::<Vec<_>>().join(" ")).boxed()
        }
        Positional::AtLeastOneOf(labels) => {
            let label = prop::sample::select(labels.to_vec());
            label
                .prop_flat_map(|label| value(effect, label).prop_map(|value| format!("{} {value}", label.name)))
                .boxed()
        }
    };
    let with_labels = move |positional: String| {
        let is_open = |label: &&&Label| !effect.is_value(label) && !positional.starts_with(&format!("{} ", label.name));
        let allowed = effect.labels.iter().filter(|label| label.is_allowed_with(&positional)).filter(is_open);
        let labels = allowed.map(|label| {
            let clause = value(effect, label).prop_map(|value| format!(" {} {value}", label.name));
            given(label, 0.35, clause.boxed())
        });
        let name = effect.name;
        labels.collect::<Vec<_>>().prop_map(move |labels| {
            let labels: Vec<String> = labels.into_iter().flatten().collect();
            let has = |name: &str| labels.iter().any(|label| label.starts_with(&format!(" {name} ")));
            // A label beside the one that it stands for would be the same label given twice.
            let twice: Vec<&str> = effect
                .labels
                .iter()
                .filter(|label| label.stands_for.is_some_and(|(other, _)| has(other.name)))
                .map(|label| label.name)
                .collect();
            let is_single = |label: &&String| !twice.iter().any(|name| label.starts_with(&format!(" {name} ")));
            let labels: String = labels.iter().filter(is_single).map(String::as_str).collect();
            format!("{name} {positional}{labels}")
        })
    };
    positional.prop_flat_map(with_labels).boxed()
}

/// An effect of one of these kinds.
fn effect_of(is_wanted: impl Fn(EffectKind) -> bool) -> impl Strategy<Value = String> {
    let wanted = EFFECTS.iter().filter(|effect| is_wanted(effect.kind));
    let weight = |kind: EffectKind| if kind.is_signal() { 1 } else { 3 };
    prop::strategy::Union::new_weighted(wanted.map(|one| (weight(one.kind), effect(one))).collect())
}

/// An effect that never needs a summary and does not end the run.
fn light() -> impl Strategy<Value = String> {
    effect_of(|kind| !kind.can_fail() && !kind.answers_miss() && kind != EffectKind::Stop)
}

/// An effect that needs a summary, which may fail.
fn heavy() -> impl Strategy<Value = String> {
    effect_of(EffectKind::can_fail)
}

/// The effects of a rule: a chain of one to three, of which at most one can fail.
fn effects() -> impl Strategy<Value = Vec<String>> {
    let chain = (prop::collection::vec(light(), 0..3), prop::option::of(heavy()), any::<prop::sample::Index>());
    let chain = chain.prop_map(|(mut effects, heavy, place)| {
        if let Some(heavy) = heavy {
            effects.insert(place.index(effects.len() + 1), heavy);
        }
        effects
    });
    prop_oneof![
        3 => light().prop_map(|effect| vec![effect]),
        2 => heavy().prop_map(|effect| vec![effect]),
        3 => chain.prop_filter("a rule needs an effect", |effects| !effects.is_empty()),
        1 => (light(), effect_of(|kind| kind == EffectKind::Stop)).prop_map(|(one, stop)| vec![one, stop]),
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
        (0u8..120).prop_map(|share| format!("when host.beta or (host.load ?? 10%) >= {share}%")),
        (1u8..99).prop_map(|share| format!("when host.quota < {share}% unless changed(host.mode)")),
        // Every fact, as its own examples use it.
        example().prop_map(|example| format!("when {example}")),
    ]
}

/// A condition from the examples of any fact, about the first rule.
fn example() -> impl Strategy<Value = String> {
    let examples: Vec<&str> = FACTS.iter().flat_map(|fact| fact.examples).copied().collect();
    prop::sample::select(examples).prop_map(|example| example.replace("(example", "(r0"))
}

/// A guard of the run or of the session.
fn scoped(guard: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (guard, prop::bool::weighted(0.35)).prop_map(|(guard, is_session)| {
        let scope = if is_session { " in session" } else { "" };
        guard + scope
    })
}

/// Guards of any kinds, each once, in any order that parses as the same guards.
pub(crate) fn guards() -> impl Strategy<Value = Vec<String>> {
    let end = || (5u8..60).prop_map(|share| format!("context.ratio < {share}%"));
    let once = prop_oneof![
        Just("once".to_owned()),
        Just("once per context.messages".to_owned()),
        Just("once per (host.load ?? 0%)".to_owned()),
        end().prop_map(|end| format!("once until {end}")),
    ];
    let all = (
        prop::option::weighted(0.3, scoped(once)),
        prop::option::weighted(0.25, scoped(end().prop_map(|end| format!("until {end}")))),
        prop::option::weighted(0.15, scoped((1u8..4).prop_map(|each| format!("every {each} iterations")))),
        prop::option::weighted(0.15, scoped((1u8..4).prop_map(|pause| format!("cooldown {pause} iterations")))),
        prop::option::weighted(0.15, scoped((1u8..4).prop_map(|times| format!("limit {times}")))),
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

/// The effects of a rule about compaction misses: one to three, which edit nothing but the missed result.
fn answers() -> impl Strategy<Value = Vec<String>> {
    let one = || effect_of(|kind| kind.answers_miss() || kind == EffectKind::Signal);
    prop::collection::vec(one(), 1..4)
}

/// The effects of a rule about compactions: one to three, which take nothing away.
fn additions() -> impl Strategy<Value = Vec<String>> {
    let one = || effect_of(|kind| kind.adds() || kind == EffectKind::Signal);
    prop::collection::vec(one(), 1..4)
}

fn rule() -> impl Strategy<Value = Rule> {
    let edits = (prop_oneof![6 => Just("request"), 2 => Just("reply"), 1 => Just("overflow")], effects());
    let acts = prop_oneof![
        10 => edits,
        2 => answers().prop_map(|effects| ("compaction_miss", effects)),
        1 => additions().prop_map(|effects| ("compaction", effects)),
    ];
    let on_failure = prop::sample::select(vec![
        "",
        "on_failure keep",
        "on_failure retry 2 keep",
        "on_failure stop",
        "on_failure ask",
        "on_failure then notify \"failed\"",
        "on_failure then mask results keep 2 messages",
    ]);
    let condition = (condition(), prop::bool::weighted(0.08)).prop_map(|(condition, asks)| {
        condition + if asks { " confirm \"Now, at {context.tokens} and {iteration}?\"" } else { "" }
    });
    (acts, on_failure, condition, guards()).prop_map(|((on, effects), on_failure, condition, guards)| {
        let fails =
            |text: &String| EFFECTS.iter().any(|effect| effect.kind.can_fail() && text.starts_with(effect.name));
        let can_fail = effects.iter().any(fails);
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
        let mut text = format!("edition 2026\n{AGENT}\nprompt handover \"Write it down.\"\npolicy made {{\n");
        for (at, Rule { on, effects, on_failure, condition, guards }) in rules.iter().enumerate() {
            let (effects, guards) = (effects.join(" then "), guards.join(" "));
            text += &format!("  rule r{at} {{ on {on} {condition} do {effects} {on_failure} {guards} }}\n");
        }
        text + "}\n"
    })
}

#[test]
fn generated_policies_contain_every_effect_target_and_label() {
    let mut runner = TestRunner::deterministic();
    let policies = (0..600).map(|_| policy().new_tree(&mut runner).expect("a policy").current());
    let actions: Vec<String> = policies
        .flat_map(|text| text.split(" do ").skip(1).map(|action| format!("{action} ")).collect::<Vec<_>>())
        .flat_map(|text| text.split(" then ").map(|action| format!("{action} ")).collect::<Vec<_>>())
        .collect();
    let mut missing = Vec::new();
    for effect in EFFECTS {
        let written = effect.labels.iter().filter(|label| !effect.is_value(label));
        let words = effect.targets().iter().map(|target| target.name).chain(written.map(|label| label.name));
        for word in words.chain([""]) {
            let word = format!(" {word} ");
            let has =
                |action: &String| action.starts_with(&format!("{} ", effect.name)) && action.contains(word.trim_end());
            if !actions.iter().any(has) {
                missing.push(format!("{}{word}", effect.name));
            }
        }
    }
    assert!(missing.is_empty(), "no generated policy contains {missing:?}");
}
