//! A fix of a lint that names money, tokens or firings makes the named thing better in simulated sessions.

use std::fs;
use std::sync::Arc;

use trimtab::check::Agent;
use trimtab::conversation::{Arguments, Message, Part, Role};
use trimtab::lint::{Lint, Settings, apply_fixes, find};
use trimtab::pipeline;
use trimtab::quantity::Decimal;
use trimtab::simulate::{ConstantSummariser, Options, Trace, replay};
use trimtab::source::SourceId;
use trimtab::transcript::Transcript;

use crate::rng::Rng;
use crate::{laws, lint};

/// What a lint says gets too large; less is better.
#[derive(Clone, Copy, Debug)]
enum Measure {
    /// Summaries.
    Summaries,
    /// Injected messages.
    Injections,
    /// Firings of all rules.
    Firings,
    /// Breaks of the prompt cache.
    Breaks,
    /// The cost in millionths of a dollar.
    Cost,
    /// Tokens sent over all calls.
    Tokens,
    /// The largest context.
    Peak,
    /// Calls whose context leaves less room than the reserve.
    TooLarge,
}

/// The lints whose finding names a measure that its fix lowers.
const MEASURED: &[(&str, Measure)] = &[
    ("no-hysteresis", Measure::Summaries),
    ("early-and-often", Measure::Summaries),
    ("early-and-often", Measure::Cost),
    ("heavy-before-light", Measure::Summaries),
    ("unguarded-injection", Measure::Injections),
    ("injection-feeds-itself", Measure::Injections),
    ("cache-trickle", Measure::Firings),
    ("cache-trickle", Measure::Cost),
    ("edits-before-bound-reasoning", Measure::Firings),
    ("target-too-near", Measure::Firings),
    ("target-above-threshold", Measure::Tokens),
    ("late-first-reduction", Measure::Peak),
    ("no-headroom", Measure::TooLarge),
    ("no-single-result-limit", Measure::Peak),
    ("no-last-resort", Measure::TooLarge),
    ("keep-covers-trigger", Measure::TooLarge),
    ("zones-cover-everything", Measure::Tokens),
    ("preview-not-shorter", Measure::Tokens),
    ("long-placeholder", Measure::Tokens),
    ("early-reduction", Measure::Cost),
    ("no-minimum-saving", Measure::Cost),
    ("no-minimum-saving", Measure::Breaks),
    ("volatile-placeholder", Measure::Cost),
    ("volatile-variable", Measure::Cost),
    ("threshold-below-overhead", Measure::Firings),
    ("duplicate-rule", Measure::Firings),
    ("injection-every-call", Measure::Injections),
];

impl Measure {
    fn of(self, trace: &Trace, room: u64) -> i128 {
        let series = trace.after();
        match self {
            Self::Summaries => trace.summaries.try_into().unwrap(),
            Self::Injections => trace.injections.try_into().unwrap(),
            Self::Firings => trace.rules.iter().map(|rule| i128::try_from(rule.fired).unwrap()).sum(),
            Self::Breaks => trace.rules.iter().map(|rule| i128::try_from(rule.money.breaks).unwrap()).sum(),
            Self::Tokens => series.sum.try_into().unwrap(),
            Self::Peak => series.peak.into(),
            Self::TooLarge => trace.calls.iter().filter(|call| call.after > room).count().try_into().unwrap(),
            Self::Cost => {
                assert!(trace.money.priced.is_complete(), "a model with prices");
                let cost = trace.money.after.cost + trace.money.summaries;
                (cost * Decimal::from(1_000_000)).trunc().to_string().parse().unwrap()
            }
        }
    }
}

/// The window of sessions if the policy has none.
const WINDOW: u64 = 40_000;

/// A session of an agent whose context fills the window once or twice: calls with results of different sizes, a few errors
/// in a row, calls that are repeated.
fn session(rng: &mut Rng, window: u64) -> Transcript {
    let mut messages =
        vec![Message::text(Role::System, "You are a careful agent."), Message::text(Role::User, "Go on.")];
    let words = usize::try_from(window / 26).unwrap();
    for at in 0..60 {
        let size = words / 4 + rng.below(words) + if rng.percent(5) { words * 4 } else { 0 };
        let id = format!("c{at}");
        let argument = if at % 9 < 3 { "again".to_owned() } else { format!("file {at}") };
        let call = Part::call(
            id.as_str(),
            rng.choose(&["bash", "read_file"]),
            Arguments::from(serde_json::json!({ "path": argument })),
        );
        messages.push(Message::new(Role::Assistant, vec![Part::text("Let me look."), call]));
        let text: String = (0..size).map(|word| format!("w{} ", (word * 7 + at) % 9973)).collect();
        messages.push(Message::new(Role::Tool, vec![Part::result(id.as_str(), text, at % 13 > 10)]));
    }
    messages.push(Message::text(Role::Assistant, "Done."));
    Transcript {
        id: "made".to_owned(),
        messages: messages.into_iter().map(Arc::new).collect(),
        ..Transcript::default()
    }
}

/// What the sessions of a policy use.
fn measured(text: &str, measure: Measure) -> i128 {
    let plan = laws::plan(text);
    let Agent { window, reserve, .. } = &plan.agent;
    let window = window.map_or(WINDOW, |window| window.node);
    let room = window - reserve.unwrap_or(0);
    let model = plan.agent.model.as_ref().map_or("claude-sonnet-4-5", |model| model.node.as_str());
    let options = Options { window: Some(window), model: Some(model.into()), ..Options::default() };
    let mut summariser = ConstantSummariser("a short summary of the work".to_owned());
    (0..4)
        .map(|seed| {
            let transcript = session(&mut Rng::new(seed), window);
            measure.of(&replay(&plan, &transcript, &options, &mut summariser, &mut |_| {}), room)
        })
        .sum()
}

/// The examples of a lint that compile by themselves and define one policy.
fn examples(lint: &Lint) -> Vec<String> {
    let folder = format!("tests/lint/{}", lint.name().replace('-', "_"));
    let cases = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let cases = cases.filter(|path| path.extension().is_some_and(|end| end == "trim"));
    let texts = cases.map(|path| fs::read_to_string(path).unwrap());
    let mut all: Vec<String> = std::iter::once(lint.code.wrong.to_owned()).chain(texts).collect();
    let is_alone =
        |text: &String| pipeline::compile("case.trim", text).checked.is_some_and(|checked| checked.policies.len() == 1);
    all.retain(is_alone);
    all
}

#[test]
fn a_fix_lowers_what_its_finding_names() {
    let mut wrong = Vec::new();
    for &(name, measure) in MEASURED {
        let lint = find(name).unwrap();
        let mut settings = Settings::default();
        settings.select(&[name]).unwrap();
        let mut look = |text: &str| lint::found(text, &settings);
        let mut lowered = 0;
        for text in examples(lint).into_iter().filter(|text| !lint::found(text, &settings).is_empty()) {
            let fixed = apply_fixes(&text, SourceId(0), true, &mut look);
            if fixed.applied.is_empty() {
                continue;
            }
            let [before, after] = [&text, &fixed.text].map(|text| measured(text, measure));
            lowered += usize::from(after < before);
            if after > before {
                wrong.push(format!(
                    "{name}: {measure:?} rises from {before} to {after}\n{text}\nfixed:\n{}",
                    fixed.text
                ));
            }
        }
        if lowered == 0 {
            wrong.push(format!("{name}: no fix lowers {measure:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_shorter_tail_costs_less_than_a_longer_pause() {
    let rule = |keep: u64, rest: &str| {
        format!(
            "edition 2026\nagent {{ window 40k tokens reserve 2k tokens }}\npolicy p {{\n  rule compact {{\n    \
             when context.ratio >= 60%\n    do summarise older keep {keep} messages at_most 1k tokens pin first_user\n    \
             on_failure keep\n    {rest}\n  }}\n}}\n"
        )
    };
    let cost = |text: &str| measured(text, Measure::Cost);
    let often = rule(30, "cooldown 1 iteration");
    let fixed = apply_fixes(&often, SourceId(0), true, &mut |text| {
        lint::found(text, &Settings::default()).into_iter().filter(|one| one.code.id == "no-hysteresis").collect()
    });
    assert!(fixed.text.contains("keep 10 messages") && fixed.text.contains("cooldown 3 iterations"), "{}", fixed.text);
    assert!(cost(&fixed.text) < cost(&rule(30, "cooldown 3 iterations")), "{}", fixed.text);
    assert!(cost(&fixed.text) < cost(&often), "{}", fixed.text);
}
