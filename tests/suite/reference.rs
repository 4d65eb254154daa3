//! A second interpreter of rules, written from the language page alone: which rules are due, which fire, what they say,
//! and what is sent. It is slow and plain, and knows messages only as a list; the replay must agree with it.

mod machine;
mod reducing;
mod scenario;

use proptest::prelude::*;
use trimtab::conversation::{Entry, Message};
use trimtab::effect::EFFECTS;
use trimtab::simulate::{Fails, Options, replay};

use crate::{laws, made};

/// The effects, targets and labels that the interpreters of this module implement.
const IMPLEMENTED: &[(&str, &str)] = &[
    ("mask", "results calls thinking images keep preview except only including down_to at_least"),
    ("trim", "results to from keep except only including down_to at_least"),
    ("inject", "as for"),
    ("summarise", "all"),
    ("notify", ""),
    ("stop", ""),
];

/// Those that they do not implement, with the reason.
const NOT_IMPLEMENTED: &[(&str, &str, &str)] = &[
    ("mask", "placeholder", "texts with facts need every fact"),
    ("trim", "placeholder", "texts with facts need every fact"),
    ("slide", "recent medium trim using at_most pin", "the conformance cases cover it"),
    ("summarise", "older keep using at_most pin", "summaries always fail here; the conformance cases cover them"),
];

#[test]
fn each_effect_target_and_label_is_implemented_or_left_out_for_a_reason() {
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

/// What a message says, as far as two interpreters can be compared by it.
fn said(message: &Message) -> String {
    format!("{} {}", message.role.word(), trimtab::transcript::message_json(message))
}

proptest! {
    #![proptest_config(made::cases(300))]

    #[test]
    fn a_replay_agrees_with_the_reference(beats in made::beats(), rules in scenario::rules()) {
        let (text, transcript) = (scenario::text(&rules), made::transcript(&beats));
        let plan = laws::plan(&text);
        let mut sent: Vec<(usize, Vec<String>)> = Vec::new();
        let trace = replay(&plan, &transcript, &Options::default(), &mut Fails, &mut |one| {
            let kept = one.conversation.entries().iter().map(Entry::message);
            sent.push((one.call, kept.chain(one.views).map(said).collect()));
        });
        let expected = machine::run(&rules, &transcript.messages);
        for (rule, (due, calls)) in trace.rules.iter().zip(expected.due.iter().zip(&expected.fired)) {
            prop_assert_eq!((&rule.name, rule.due, &rule.calls), (&rule.name, *due, calls), "{}", text);
        }
        let notices: Vec<(usize, &str)> = trace.notices.iter().map(|(call, one)| (*call, one.text.as_str())).collect();
        let expected_notices: Vec<(usize, &str)> = expected.notices.iter().map(|(call, one)| (*call, one.as_str())).collect();
        prop_assert_eq!(notices, expected_notices, "{}", text);
        prop_assert_eq!(trace.failures.len(), expected.failures, "{}", text);
        prop_assert_eq!(trace.calls.iter().map(|call| (call.run, call.iteration)).collect::<Vec<_>>(), expected.calls);
        prop_assert_eq!(sent, expected.sent, "{}", text);
    }
}
