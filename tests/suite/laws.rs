//! Properties of generated conversations and policies: the seven invariants.

use std::sync::Arc;

use proptest::prelude::*;
use trimtab::conversation::{Conversation, Edit, Keep, Message, Origin, Role};
use trimtab::phase::Phase;
use trimtab::pipeline;
use trimtab::plan::{Plan, lower};
use trimtab::run::{Answer, Environment, Outcome, State, Step, StepContext, StepStatus};
use trimtab::simulate::{ConstantSummariser, FailingSummariser, Options, Trace, replay};
use trimtab::transcript::{Transcript, message_json};

use crate::generated;

pub(crate) fn plan(text: &str) -> Plan {
    let compiled = pipeline::compile("made.trim", text);
    let found: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|diagnostic| format!("{} {}", diagnostic.code.id, diagnostic.message))
        .collect();
    let Some(checked) = compiled.checked else { panic!("{text}\n{found:#?}") };
    lower(&checked, None).unwrap_or_else(|unclear| panic!("{unclear:?}"))
}

pub(crate) fn contexts(plan: &Plan, transcript: &Transcript, fails: bool) -> (Trace, Vec<String>) {
    let mut contexts = Vec::new();
    let mut fixed = ConstantSummariser("short {n}".to_owned());
    let summariser: &mut dyn trimtab::simulate::Summariser = if fails { &mut FailingSummariser } else { &mut fixed };
    let trace = replay(plan, transcript, &Options::default(), summariser, &mut |sent| {
        let messages = sent.messages();
        let messages: Vec<_> = messages.iter().map(|message| message_json(message)).collect();
        contexts.push(serde_json::Value::from(messages).to_string());
    });
    (trace, contexts)
}

/// One phase over a conversation, with fresh guards, without summaries.
pub(crate) fn once(plan: &Plan, conversation: &mut Conversation, phase: Phase) -> Outcome {
    let mut state = State::new(plan, 0);
    state.begin_run();
    state.next_iteration();
    carry_out(plan, &mut state, conversation, phase)
}

/// One phase over a conversation, without summaries.
fn carry_out(plan: &Plan, state: &mut State, conversation: &mut Conversation, phase: Phase) -> Outcome {
    let environment = Environment {
        counter: Arc::new(trimtab::model::TokenCounter::default()),
        window: Some(3000),
        ..Environment::default()
    };
    let context = StepContext { phase, environment: &environment, overrides: None, explain: false };
    let mut step = Step::begin(plan, state, conversation, context);
    let mut answer = None;
    loop {
        match step.resume(answer) {
            StepStatus::Done(outcome) => return *outcome,
            StepStatus::NeedsSummary(..) => answer = Some(Answer::Failed("no".to_owned())),
            StepStatus::NeedsConfirmation(_) => answer = Some(Answer::Confirmed),
            StepStatus::NeedsDecision(_) => answer = Some(Answer::Continue),
        }
    }
}

/// Effects that take something from messages, wherever they are.
const REDUCTIONS: [&str; 9] = [
    "mask results keep 0 messages including errors",
    "mask calls keep 0 messages",
    "mask duplicates keep 0 messages including errors",
    "trim results keep 0 messages including errors",
    "offload results keep 0 messages over 10 chars",
    "drop older keep 0 messages",
    "drop duplicates keep 0 messages including errors",
    "drop thinking keep 0 messages",
    "drop images keep 0 messages",
];

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn no_policy_breaks_an_invariant(events in generated::events(), policy in generated::policy(), fails in any::<bool>()) {
        let (trace, _) = contexts(&plan(&policy), &generated::transcript(&events), fails);
        prop_assert!(trace.invariants.broken.is_empty(), "{policy}\n{:?}", trace.invariants.broken);
    }

    #[test]
    fn replaying_twice_gives_identical_output(events in generated::events(), policy in generated::policy()) {
        let (plan, transcript) = (plan(&policy), generated::transcript(&events));
        prop_assert_eq!(contexts(&plan, &transcript, false).1, contexts(&plan, &transcript, false).1);
    }

    #[test]
    fn a_failed_summary_loses_nothing(events in generated::events(), recent in 0u8..9, medium in 0u8..9) {
        let text = format!(
            "edition 2026\npolicy p {{ rule s {{ do slide recent {recent} messages medium {medium} messages trim 0 chars }}
             rule t {{ do summarise older keep {recent} messages on_failure retry 2 keep }} }}"
        );
        let (failing, transcript) = (plan(&text), generated::transcript(&events));
        let idle = plan("edition 2026\npolicy p { rule n { do notify \"\" } }");
        let (trace, kept) = contexts(&failing, &transcript, true);
        // A slide without old messages requests no summary, but may cut its medium zone.
        prop_assume!(trace.rules[0].edits == 0);
        prop_assert_eq!(kept, contexts(&idle, &transcript, true).1);
    }

    #[test]
    fn a_reducing_effect_does_nothing_the_second_time(events in generated::events(), policy in generated::policy()) {
        prop_assume!(!policy.contains("inject") && !policy.contains("at_least"));
        // Such a condition may become true only in a later round.
        prop_assume!(!policy.contains("fired(") && !policy.contains("since("));
        let plan = plan(&policy);
        let mut conversation = Conversation::with_invariant_checks();
        for message in generated::transcript(&events).messages {
            conversation.push(message, &trimtab::model::TokenCounter::default());
        }
        for phase in [Phase::Request, Phase::Reply] {
            once(&plan, &mut conversation, phase);
            // Rules see the edits of later rules only in the next round, so another round may be needed.
            once(&plan, &mut conversation, phase);
            let again = once(&plan, &mut conversation, phase);
            prop_assert!(!again.edited(), "{policy}\n{again:#?}");
        }
    }

    #[test]
    fn nothing_is_taken_from_messages_that_a_window_leaves_out(
        events in generated::events(), action in prop::sample::select(&REDUCTIONS[..]), goal in any::<bool>()
    ) {
        let goal = if goal { " down_to 1 tokens" } else { "" };
        let plan = plan(&format!(
            "edition 2026 policy p {{ rule w {{ do retain last 1 interaction }} rule r {{ do {action}{goal} }} }}"
        ));
        let mut conversation = Conversation::default();
        for message in generated::transcript(&events).messages {
            conversation.push(message, &trimtab::model::TokenCounter::default());
        }
        let left_out = |conversation: &Conversation, end: usize| -> Vec<_> {
            conversation.entries()[..end].iter().map(|entry| (entry.id(), entry.message().clone())).collect()
        };
        let end = conversation.whole_requests_before(Keep::Interactions(1).boundary(&conversation));
        let before = left_out(&conversation, end);
        once(&plan, &mut conversation, Phase::Request);
        prop_assert_eq!(before, left_out(&conversation, end), "{}", action);
    }

    #[test]
    fn caches_of_effects_do_not_change_results(events in generated::events(), policy in generated::policy()) {
        let (plan, counter) = (plan(&policy), trimtab::model::TokenCounter::default());
        let (mut states, mut kept) = ([State::new(&plan, 0), State::new(&plan, 0)], [(); 2].map(|()| Conversation::default()));
        for message in generated::transcript(&events).messages {
            // Caches belong to one conversation, so a copy is searched from the start.
            kept[1] = kept[1].clone();
            for (state, conversation) in states.iter_mut().zip(&mut kept) {
                conversation.push(message.clone(), &counter);
                carry_out(&plan, state, conversation, Phase::Request);
                state.next_iteration();
            }
            let [a, b] = [&kept[0], &kept[1]].map(|conversation| conversation.entries().iter().map(|entry| (entry.tokens(), entry.message())));
            prop_assert!(a.eq(b), "{policy}");
        }
    }

    #[test]
    fn injected_messages_do_not_change_what_is_kept_of_the_open_turn(
        events in generated::events(), places in prop::collection::vec(any::<prop::sample::Index>(), 1..4)
    ) {
        let counter = trimtab::model::TokenCounter::default();
        let messages = generated::transcript(&events).messages;
        let places: Vec<usize> = places.iter().map(|place| place.index(messages.len())).collect();
        let (mut plain, mut injected) = (Conversation::default(), Conversation::default());
        for (at, message) in messages.into_iter().enumerate() {
            plain.push(message.clone(), &counter);
            injected.push(message, &counter);
            if places.contains(&at) {
                let mut note = Message::text(Role::Assistant, "note");
                note.origin = Origin::Injected;
                injected.apply(vec![Edit::Append(Box::new(note))], &counter);
            }
        }
        let kept = [plain, injected].map(|mut conversation| {
            conversation.keep_pending_calls();
            let recorded = conversation.entries().iter().map(|entry| entry.message().clone());
            recorded.filter(|message| message.origin == Origin::Recorded).collect::<Vec<_>>()
        });
        prop_assert_eq!(&kept[0], &kept[1]);
    }

    #[test]
    fn the_savings_of_a_plan_are_the_sum_over_its_rules(events in generated::events(), policy in generated::policy()) {
        let (trace, _) = contexts(&plan(&policy), &generated::transcript(&events), false);
        let rules: i128 = trace.rules.iter().map(|rule| rule.saved).sum();
        prop_assert_eq!(trace.saved(), rules);
    }
}
