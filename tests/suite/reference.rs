//! A second interpreter of rules, written from the language page alone: which rules are due, which fire, what they say,
//! and what is sent. It is slow and plain, and knows messages only as a list; the replay must agree with it.

mod machine;
mod reducing;
mod scenario;

use proptest::prelude::*;
use trimtab::conversation::{Entry, Message};
use trimtab::simulate::{FailingSummariser, Options, replay};

use crate::{laws, made};

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
        let trace = replay(&plan, &transcript, &Options::default(), &mut FailingSummariser, &mut |one| {
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
