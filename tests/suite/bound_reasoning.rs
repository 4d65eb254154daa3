//! Reasoning that a provider binds to what precedes it: a law against a naive model of whole requests, and examples.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use trimtab::conversation::{Arguments, Body, Counter, Message, Part, Role};
use trimtab::simulate::{Basis, ConstantSummariser, Options, ReasoningHandling, Tokens, Trace, replay};
use trimtab::transcript::Transcript;

use crate::generated;
use crate::laws;

/// A model that binds reasoning.
const MODEL: &str = "claude-fable-5-1";

/// A call of a model: whether it reasons, and the lengths of the results that it gets.
type Step = (bool, Vec<usize>);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((prop::bool::weighted(0.8), prop::collection::vec(1usize..60, 0..3)), 1..16)
}

fn thinking(text: String) -> Part {
    Part::new(Body::Thinking { text: text.into(), signature: Some("signed".into()) })
}

/// A session in which each text of reasoning is unique.
fn transcript(steps: &[Step]) -> Transcript {
    let mut messages = vec![Message::text(Role::System, "You work."), Message::text(Role::User, "Begin.")];
    for (at, (reasons, results)) in steps.iter().enumerate() {
        let mut parts = Vec::new();
        if *reasons {
            parts.push(thinking(format!("thought {at} {}", "about it ".repeat(at + 1))));
        }
        parts.push(Part::text(format!("Step {at}.")));
        let arguments =
            |call: usize| Arguments::Text(format!("{{\"step\":\"{at} {call} {}\"}}", "x".repeat(60)).into());
        let calls = (0..results.len()).map(|call| Part::call(format!("{at}-{call}"), "bash", arguments(call)));
        parts.extend(calls);
        messages.push(Message::new(Role::Assistant, parts));
        for (call, length) in results.iter().enumerate() {
            let part = Part::result(format!("{at}-{call}"), "line of a result ".repeat(*length), false);
            messages.push(Message::new(Role::Tool, vec![part]));
        }
        if results.is_empty() {
            messages.push(Message::text(Role::User, format!("Go on after {at}.")));
        }
    }
    let messages = messages.into_iter().map(Arc::new).collect();
    let (id, model) = ("made".to_owned(), Some(MODEL.into()));
    Transcript { id, format: "made", model, window: Some(100_000), messages, ..Transcript::default() }
}

fn replayed(policy: &str, transcript: &Transcript, reasoning: ReasoningHandling) -> (Trace, Vec<Vec<Arc<Message>>>) {
    let mut sent = Vec::new();
    let mut summariser = ConstantSummariser("short {n}".to_owned());
    let options = Options { tokens: Tokens::Estimate, reasoning, ..Options::default() };
    let trace = replay(&laws::plan(policy), transcript, &options, &mut summariser, &mut |request| {
        sent.push(request.messages());
    });
    (trace, sent)
}

fn reasoning_of(message: &Message) -> Option<&Body> {
    message.parts.iter().map(|part| &part.body).find(|body| matches!(body, Body::Thinking { .. }))
}

fn text_of(body: &Body) -> String {
    match body {
        Body::Thinking { text, .. } => text.to_string(),
        _ => String::new(),
    }
}

/// For each request, the texts of the reasoning in it that is invalid: in some request since, the messages before it are
/// not those of the request that it answers.
fn invalid(requests: &[Vec<Arc<Message>>]) -> Vec<BTreeSet<String>> {
    let parts = |messages: &[Arc<Message>]| messages.iter().map(|message| message.parts.clone()).collect::<Vec<_>>();
    let mut lost: BTreeSet<String> = BTreeSet::new();
    let mut all = Vec::new();
    for request in requests {
        for (at, message) in request.iter().enumerate() {
            let Some(text) = reasoning_of(message).map(text_of) else { continue };
            let step: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
            if parts(&request[..at]) != parts(&requests[step]) {
                lost.insert(text);
            }
        }
        let present = request.iter().filter_map(|message| reasoning_of(message)).map(text_of);
        all.push(present.filter(|text| lost.contains(text)).collect());
    }
    all
}

/// Policies whose edits leave reasoning behind them.
const POLICIES: [&str; 13] = [
    "do mask results keep 1 result",
    "do mask results keep 3 results",
    "when iteration == 5 do mask results keep 1 result",
    "do mask calls keep 3 messages",
    "do trim results to 40 chars keep 2 results",
    "do trim arrivals to 40 chars",
    "do drop older keep 6 messages",
    "when iteration == 4 do summarise older keep 4 messages",
    "do inject \"Be brief.\" as user for step",
    "when iteration > 2 do inject \"Be brief.\" as user for step every 2 iterations",
    "do inject \"Be brief.\" as user once",
    "do retain last 1 interaction",
    "when iteration == 6 do offload results over 40 chars keep 1 result",
];

proptest! {
    #![proptest_config(generated::cases(150))]

    #[test]
    fn reasoning_is_lost_where_a_naive_comparison_finds_a_change(steps in steps(), at in 0..POLICIES.len()) {
        let transcript = transcript(&steps);
        let policy = format!("edition 2026\npolicy p {{ rule r {{ {} }} }}", POLICIES[at]);
        let (kept, sent) = replayed(&policy, &transcript, ReasoningHandling::Keep);
        let (dropped, wire) = replayed(&policy, &transcript, ReasoningHandling::Drop);
        let (stripped, without) = replayed(&policy, &transcript, ReasoningHandling::Strip);
        let counter = Basis::of(&laws::plan(&policy), &transcript, &Options::default()).counter;
        let invalid = invalid(&sent);
        prop_assert_eq!(&sent, &wire);
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        let mut tokens_lost = 0;
        for (call, texts) in invalid.iter().enumerate() {
            let bodies = sent[call].iter().filter_map(|message| reasoning_of(message));
            let gone: Vec<&Body> = bodies.filter(|body| texts.contains(&text_of(body))).collect();
            let tokens: u64 = gone.iter().map(|body| counter.body(body)).sum();
            prop_assert_eq!(dropped.calls[call].after, kept.calls[call].after - tokens, "{} at {}", policy, call);
            prop_assert_eq!(stripped.calls[call].after, dropped.calls[call].after);
            let left: Vec<String> =
                without[call].iter().filter_map(|message| reasoning_of(message)).map(text_of).collect();
            prop_assert!(left.iter().all(|text| !texts.contains(text)), "{left:?}");
            prop_assert_eq!(kept.refused.contains(&call), !texts.is_empty());
            for body in gone {
                let text = texts.get(&text_of(body)).unwrap();
                tokens_lost += if seen.insert(text) { counter.body(body) } else { 0 };
            }
        }
        for trace in [&kept, &dropped, &stripped] {
            prop_assert_eq!(trace.rules[0].money.reasoning_lost, tokens_lost, "{}", policy);
            prop_assert_eq!(trace.saved(), trace.rules[0].saved);
        }
        prop_assert!(dropped.refused.is_empty());
    }
}

#[test]
fn arrivals_lose_no_reasoning_and_other_models_neither() {
    let steps: Vec<Step> = (0..8).map(|at| (true, vec![20 + at])).collect();
    let policy = |rule: &str| format!("edition 2026\npolicy p {{ rule r {{ {rule} }} }}");
    let arrivals = policy("do trim arrivals to 40 chars");
    let (trace, _) = replayed(&arrivals, &transcript(&steps), ReasoningHandling::Drop);
    assert_eq!((trace.rules[0].edits > 0, trace.rules[0].money.reasoning_lost), (true, 0));
    assert_eq!(trace.reasoning, Some(ReasoningHandling::Drop));
    let other = Transcript { model: Some("claude-sonnet-4-5".into()), ..transcript(&steps) };
    let (trace, _) = replayed(&policy("do trim results to 40 chars keep 2 results"), &other, ReasoningHandling::Keep);
    assert_eq!((trace.rules[0].money.reasoning_lost, trace.refused.len(), trace.reasoning), (0, 0, None));
}
