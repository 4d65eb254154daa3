//! A second interpreter, written only from the language documentation: what each rule does to each request of a recording. It
//! has its own conversation, conditions, guards and effects, and is slow and simple; the replay must agree with it.
//!
//! Given are how many tokens a text has, and how many a recorded request has besides its messages: both are fitted to the
//! recording and no part of the language.

mod act;
mod attempt;
mod bound;
mod clock;
mod compare;
mod condition;
mod count;
mod fact;
mod generate;
mod lifecycle;
mod machine;
mod message;
mod miss;
mod model;
mod participation;
mod playbook;
mod print;
mod read;
mod recent;
mod recording;
mod reduce;
mod redundant;
mod remove;
mod rule;
mod session;
mod shrink;
mod size;
mod summary;
mod tail;
mod views;

use trimtab::effect::{EFFECTS, Effect};
use trimtab::fact::{FACTS, ParameterKind};
use trimtab::guard::GUARDS;
use trimtab::phase::PHASES;

use self::compare::{Case, difference};
use self::participation::Totals;
use self::recording::Recording;
use crate::rng::Rng;

/// The number of cases, each a policy on a recording, unless `TRIMTAB_CASES` sets more.
const CASES: u64 = 600;

fn case(seed: u64) -> Case {
    // The streams of neighbouring seeds are the same but for a few numbers.
    let rng = &mut Rng::new(seed.wrapping_mul(0xD1B5_4A32_D192_ED03));
    if rng.percent(15) {
        return Case { policy: generate::searches(rng), recording: Recording::of_one_run(rng) };
    }
    Case { policy: generate::policy(rng), recording: Recording::random(rng) }
}

/// Compares both sides for these seeds.
fn compare(seeds: std::ops::Range<u64>) -> Totals {
    let mut totals = Totals::default();
    for seed in seeds {
        let case = case(seed);
        let Some(compared) = case.compare() else { continue };
        if difference(&compared).is_some() {
            let small = shrink::shrink(&case);
            let why = small.compare().and_then(|compared| difference(&compared)).unwrap_or_default();
            panic!("seed {seed}\n{}\n{}\n{why}", print::policy(&small.policy), small.recording.text());
        }
        totals.add(&compared.took_part, compared.reference.calls.len());
    }
    totals
}

/// The seeds are fixed, so that each run compares the same cases and no share of the table is a matter of luck.
#[test]
fn a_replay_agrees_with_the_reference_in_which_everything_takes_part() {
    let requested = std::env::var("TRIMTAB_CASES").ok().and_then(|cases| cases.parse().ok());
    let totals = compare(0..requested.unwrap_or(CASES).max(CASES));
    println!("{}", totals.table());
    let rare = expected().into_iter().filter(|(kind, name)| 100 * totals.count(kind, name) < totals.cases);
    assert_eq!(rare.collect::<Vec<_>>(), [], "these take part in less than 1% of the cases");
    let missing = labels().into_iter().filter(|label| totals.count("label", label) == 0);
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "no effect with these labels did anything");
}

/// What must take part: each effect with each target, each guard, fact and phase, each answer to a question and to a failed summary,
/// each view for the session, and each guard and fact that remembers it.
fn expected() -> Vec<(&'static str, String)> {
    let effects = EFFECTS.iter().flat_map(|effect| {
        let targets = effect.targets().iter().map(|target| format!("{} {}", effect.name, target.name));
        let alone = effect.targets().is_empty().then(|| effect.name.to_owned());
        targets.chain(alone).map(|name| ("effect", name))
    });
    let guards = GUARDS.iter().map(|guard| ("guard", guard.name.to_owned()));
    let facts = FACTS.iter().map(|fact| ("fact", fact.name.to_owned()));
    let arguments = FACTS.iter().flat_map(|fact| {
        let of = fact.parameters.iter().filter(|parameter| parameter.kind == ParameterKind::AfterTools);
        of.map(|parameter| ("argument", format!("{} {}", fact.name, parameter.name)))
    });
    let phases = PHASES.iter().map(|(_, name, _)| ("phase", (*name).to_owned()));
    let answers = ["default", "keep", "stop", "ask", "retry", "then"].map(|arm| ("on_failure", arm.to_owned()));
    let confirmations = ["confirmed", "declined"].map(|answer| ("confirm", answer.to_owned()));
    let values = rule::VALUES.iter().map(|form| ("value", (*form).to_owned()));
    let views = ["tools", "systems", "set"].map(|effect| ("label", format!("{effect} session")));
    let scoped = FACTS
        .iter()
        .filter(|fact| fact.parameters.iter().any(|parameter| matches!(parameter.kind, ParameterKind::Scope(_))));
    let scoped = scoped.map(|fact| fact.name).chain(GUARDS.iter().map(|guard| guard.name));
    let scoped = scoped.map(|name| ("in session", name.to_owned()));
    let rules = effects.chain(confirmations).chain(guards).chain(facts).chain(arguments).chain(phases).chain(answers);
    rules.chain(values).chain(views).chain(scoped).collect()
}

/// The labels of all effects, which are written.
fn labels() -> Vec<String> {
    let of = |effect: &&'static Effect| {
        let effect = *effect;
        let written = effect.labels.iter().filter(|label| !effect.is_value(label));
        written.map(move |label| format!("{} {}", effect.name, label.name))
    };
    EFFECTS.iter().flat_map(of).collect()
}

/// Only the comparison knows the engine. The interpreter shares nothing with it but exact decimals.
#[test]
fn the_second_interpreter_shares_no_code_with_the_engine() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/reference");
    let (mut folders, mut checked) = (vec![folder], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name != "compare.rs") {
                let text = std::fs::read_to_string(&path).unwrap().replace("trimtab::quantity::Decimal", "");
                assert!(!text.contains("trimtab::"), "{}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 20);
}
