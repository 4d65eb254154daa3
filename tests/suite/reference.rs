//! A second interpreter of rules, written only from the language documentation: which rules are due and fire, their messages,
//! and the contexts that are sent. It is slow and simple; the replay must agree with it.

mod dropping;
mod machine;
mod miss;
mod playbook;
mod reducing;
mod redundant;
mod scenario;

use proptest::prelude::*;
use trimtab::conversation::Message;
use trimtab::effect::EFFECTS;
use trimtab::fact::FACTS;
use trimtab::hook::{Event, FieldValue};
use trimtab::simulate::{FailingSummariser, Options, replay};

use crate::{generated, laws};

/// The effects, targets and labels that the interpreters of this module implement.
const IMPLEMENTED: &[(&str, &str)] = &[
    (
        "mask",
        "results arrivals duplicates superseded_reads calls thinking images over keep preview except only including \
         down_to at_least",
    ),
    ("trim", "results arrivals over to from keep except only including down_to at_least"),
    ("drop", "thinking images superseded_reads duplicates older over keep pin except only including down_to at_least"),
    ("offload", "results arrivals over keep preview except only including down_to at_least"),
    ("inject", "as for"),
    ("summarise", "all"),
    ("remind", "items as"),
    ("set", "name value for"),
    ("playbook", "at_most"),
    ("restore", "result for"),
    ("boost", "chunks by"),
    ("emit", "name fields"),
    ("notify", ""),
    ("stop", ""),
];

/// Those that they do not implement, with the reason.
const NOT_IMPLEMENTED: &[(&str, &str, &str)] = &[
    ("mask", "placeholder", "texts with facts need every fact"),
    ("drop", "reads writes", "`conversation/file_access.rs` tests which tools they stand for"),
    ("mask", "reads writes", "`conversation/file_access.rs` tests which tools they stand for"),
    ("offload", "placeholder", "texts with facts need every fact"),
    ("trim", "placeholder", "texts with facts need every fact"),
    ("retain", "last min down_to", "the conformance cases cover it"),
    ("tools", "only hide for", "the recordings of this law declare no tools"),
    ("systems", "only hide for", "the conformance cases cover it"),
    ("slide", "recent medium trim using at_most pin", "the conformance cases cover it"),
    ("summarise", "older keep using at_most pin", "summaries always fail here; the conformance cases cover them"),
];

#[test]
fn each_effect_target_and_label_is_implemented_or_excluded_with_a_reason() {
    let not_implemented = NOT_IMPLEMENTED.iter().map(|(effect, words, _)| (effect, words));
    let listed: Vec<(&str, Vec<&str>)> = IMPLEMENTED
        .iter()
        .map(|(effect, words)| (effect, words))
        .chain(not_implemented)
        .map(|(effect, words)| (*effect, words.split_whitespace().collect()))
        .collect();
    for effect in EFFECTS {
        let targets = effect.targets().iter().map(|target| target.name);
        let known = targets.chain(effect.labels.iter().map(|label| label.name));
        let mine: Vec<_> = listed.iter().filter(|(name, _)| *name == effect.name).collect();
        assert!(!mine.is_empty(), "`{}` is in neither list", effect.name);
        for word in known {
            let times = mine.iter().flat_map(|(_, words)| words).filter(|one| **one == word).count();
            assert_eq!(times, 1, "`{word}` of `{}` must be in one of the lists", effect.name);
        }
    }
    for (name, words) in &listed {
        let effect = trimtab::effect::find(name).unwrap_or_else(|| panic!("there is no effect `{name}`"));
        let is_known = |word: &&str| effect.target(word).is_some() || effect.label(word).is_some();
        assert!(words.iter().all(is_known), "`{name}` does not have all of {words:?}");
    }
}

/// The text of a message by which the interpreters are compared.
fn format(message: &Message) -> String {
    format!("{} {}", message.role.word(), trimtab::transcript::message_json(message))
}

proptest! {
    #![proptest_config(generated::cases(300))]

    #[test]
    fn a_replay_agrees_with_the_reference(events in generated::events(), rules in scenario::rules()) {
        let (text, transcript) = (scenario::text(&rules), generated::transcript(&events));
        let plan = laws::plan(&text);
        let options = Options { events: true, ..Options::default() };
        let mut sent: Vec<(usize, Vec<String>)> = Vec::new();
        let trace = replay(&plan, &transcript, &options, &mut FailingSummariser, &mut |one| {
            sent.push((one.call, one.messages().iter().map(|message| format(message)).collect()));
        });
        let expected = machine::run(&rules, &transcript.messages);
        for (rule, (due, calls)) in trace.rules.iter().zip(expected.due.iter().zip(&expected.fired)) {
            prop_assert_eq!((&rule.name, rule.due, &rule.calls), (&rule.name, *due, calls), "{}", text);
        }
        let notices: Vec<(usize, &str)> = trace.notices.iter().map(|(call, one)| (*call, one.text.as_str())).collect();
        let expected_notices: Vec<(usize, &str)> = expected.notices.iter().map(|(call, one)| (*call, one.as_str())).collect();
        prop_assert_eq!(notices, expected_notices, "{}", text);
        let emitted = trace.events.iter().filter_map(|traced| match &traced.event {
            Event::Emit(event) => Some((traced.call.unwrap(), event.name.clone(), event.fields["value"].clone())),
            _ => None,
        });
        let events = expected.events.into_iter().map(|(call, name, value)| (call, name, FieldValue::Integer(value.cast_signed())));
        prop_assert_eq!(emitted.collect::<Vec<_>>(), events.collect::<Vec<_>>(), "{}", text);
        let boosts = trace.boosts.iter().map(|(call, one)| (*call, one.tool.to_string(), one.factor));
        prop_assert_eq!(boosts.collect::<Vec<_>>(), expected.boosts, "{}", text);
        prop_assert_eq!(trace.failures.len(), expected.failures, "{}", text);
        prop_assert_eq!(trace.calls.iter().map(|call| (call.run, call.iteration)).collect::<Vec<_>>(), expected.calls);
        prop_assert_eq!(sent, expected.sent, "{}", text);
    }
}

/// Facts that the second interpreter does not implement, with the reason.
const NOT_READ: &[(&[&str], &str)] = &[
    (
        &["context.tokens", "context.ratio", "context.free", "reported.tokens", "reported.ratio"],
        "it has no token counter",
    ),
    (&["share.persona", "share.tools", "share.history"], "it has no token counter"),
    (&["budget.tokens", "session.tokens", "budget.cost", "session.cost"], "it has no token counter and no prices"),
    (&["budget.time", "session.time", "idle"], "it has no clock"),
    (&["session.calls"], "the sum of `budget.calls`, which is read"),
    (&["context.results", "context.interactions"], "counts of messages like `context.messages`, which is read"),
    (&["failures.steps", "call.name", "call.arguments"], "`fact/tail/tests.rs` computes them a second time"),
    (&["result.tokens", "result.text", "result.error"], "`fact/tail/tests.rs` finds the newest result a second time"),
    (&["has_tool"], "the recordings of this law declare no tools"),
    (&["request.mentions"], "it is no number, and the conditions here compare numbers"),
    (&["used_tool"], "it is no number, and the conditions here compare numbers"),
    (&["var"], "it is no number, and the conditions here compare numbers"),
    (&["host"], "its values come from outside; `live.rs` and `host_facts.rs` supply some"),
    (&["missed.tool"], "it is no number; the tools of boosts are compared"),
    (&["since"], "it follows from the calls at which a rule fired, which are compared"),
];

#[test]
fn every_fact_is_implemented_by_the_reference_or_excluded_with_a_reason() {
    let read: Vec<String> = scenario::ALL_FACTS.iter().map(|fact| scenario::name(*fact)).collect();
    let is_read = |name: &str| name == "changed" || read.iter().any(|text| text.split('(').next() == Some(name));
    for fact in FACTS {
        let reasons = NOT_READ.iter().filter(|(names, _)| names.contains(&fact.name)).count();
        let places = reasons + usize::from(is_read(fact.name));
        assert_eq!(places, 1, "`{}` needs a place in `reference/scenario.rs` or a reason here", fact.name);
    }
}
