//! Reasoning that a provider binds to what precedes it: a law against a naive model of whole requests, and examples.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use trimtab::conversation::{Arguments, Body, Counter, Message, Part, Role};
use trimtab::hook::{Event, FieldValue};
use trimtab::simulate::{ConstantSummariser, Options, ReasoningHandling, ReplayInputs, Tokens, Trace, replay};
use trimtab::transcript::{Tool, Transcript};

use crate::generated;
use crate::laws;

/// A model that binds reasoning.
pub(crate) const BINDING_MODEL: &str = "claude-fable-5-1";

const TOOLS: [&str; 2] = ["bash", "search"];

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
    let (id, model) = ("made".to_owned(), Some(BINDING_MODEL.into()));
    let tools = TOOLS.map(|name| Tool { name: name.into(), description: Some("Does it.".into()), schema: None }).into();
    Transcript { id, format: "made", model, window: Some(100_000), tools, messages, ..Transcript::default() }
}

fn replayed(policy: &str, transcript: &Transcript, reasoning: ReasoningHandling) -> (Trace, Vec<Request>) {
    let mut sent = Vec::new();
    let mut summariser = ConstantSummariser("short {n}".to_owned());
    let options =
        Options { tokens: Tokens::Estimate, reasoning, events: true, assumes_usage: true, ..Options::default() };
    let trace = replay(&laws::plan(policy), transcript, &options, &mut summariser, &mut |request| {
        let hidden = TOOLS.map(|tool| !request.views.offers_tool(tool)).to_vec();
        sent.push(Request { messages: request.messages(), hidden });
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

/// A request: its messages, and the tools that it does not offer.
#[derive(Clone, Debug, PartialEq)]
struct Request {
    messages: Vec<Arc<Message>>,
    hidden: Vec<bool>,
}

/// For each request, the texts of the reasoning in it that is valid, and those of the reasoning that is invalid: the tools, or
/// the messages before it, are not those of the request that it answers.
fn validity(requests: &[Request]) -> Vec<[BTreeSet<String>; 2]> {
    let parts = |messages: &[Arc<Message>]| messages.iter().map(|message| message.parts.clone()).collect::<Vec<_>>();
    let of = |request: &Request| {
        let mut all = [BTreeSet::new(), BTreeSet::new()];
        for (at, message) in request.messages.iter().enumerate() {
            let Some(text) = reasoning_of(message).map(text_of) else { continue };
            let step: usize = text.split(' ').nth(1).unwrap().parse().unwrap();
            let answered = &requests[step];
            let is_bound =
                parts(&request.messages[..at]) == parts(&answered.messages) && request.hidden == answered.hidden;
            all[usize::from(!is_bound)].insert(text);
        }
        all
    };
    requests.iter().map(of).collect()
}

/// Policies whose edits leave reasoning after them.
const POLICIES: [&str; 26] = [
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
    "when iteration > 2 do retain last 2 interactions every 3 iterations",
    "when iteration > 1 do tools hide [search] for step every 2 iterations",
    "when iteration == 3 do tools hide [search] for run",
    "when iteration > 2 do set mode \"slow {iteration}\" for step every 3 iterations",
    "when iteration > 2 do set mode \"slow\" for step every 2 iterations",
    "when iteration in [2, 5] do set mode \"slow\" for run",
    "when iteration > 1 do remind [bash] every 2 iterations",
    "do drop thinking keep 4 messages",
    "do retain last 1 interaction pin first 4 messages",
    "do retain last 1 interaction keep_latest [bash]",
    "do retain last 1 interaction pin [users, first 2 messages]",
    "when iteration > 2 do set mode \"slow\" for step then retain last 1 interaction pin first 4 messages every 3 iterations",
    "when iteration > 1 do tools hide [search] for step then retain last 1 interaction pin first 3 messages every 2 iterations",
];

/// Policies whose rules depend on the size of the context, and so on the reasoning that they invalidate.
const BY_SIZE: [&str; 7] = [
    "do mask results down_to 300 tokens",
    "do drop older down_to 300 tokens",
    "do trim results to 40 chars keep 1 result down_to 400 tokens",
    "when context.tokens > 700 tokens do mask results keep 1 result",
    "when context.tokens > 700 tokens do drop older keep 4 messages",
    "when context.tokens > 600 tokens do retain last 2 interactions",
    "when (reported.tokens ?? 0 tokens) > 600 tokens do summarise older keep 4 messages",
];

fn policy_of(rule: &str) -> String {
    format!(
        "edition 2026\npolicy p {{ rule r {{ {rule} }} rule size {{ do emit size [context.tokens, reported.tokens] }} }}"
    )
}

/// The sizes of the context that rules read before each call, and that they read as reported by the call before it.
fn sizes_for_rules(trace: &Trace) -> Vec<(u64, Option<u64>)> {
    let emitted = trace.events.iter().filter_map(|traced| match &traced.event {
        Event::Emit(event) => Some(&event.fields),
        _ => None,
    });
    let size = |fields: &BTreeMap<String, FieldValue>, name: &str| match *fields.get(name)? {
        FieldValue::Integer(tokens) => u64::try_from(tokens).ok(),
        _ => None,
    };
    emitted.map(|fields| (size(fields, "context.tokens").unwrap(), size(fields, "reported.tokens"))).collect()
}

proptest! {
    #![proptest_config(generated::cases(150))]

    #[test]
    fn reasoning_is_lost_where_a_naive_comparison_finds_a_change(steps in steps(), at in 0..POLICIES.len()) {
        let transcript = transcript(&steps);
        let policy = policy_of(POLICIES[at]);
        let (kept, sent) = replayed(&policy, &transcript, ReasoningHandling::Keep);
        let (dropped, wire) = replayed(&policy, &transcript, ReasoningHandling::Drop);
        let (stripped, without) = replayed(&policy, &transcript, ReasoningHandling::Strip);
        let counter = ReplayInputs::of(&laws::plan(&policy), &transcript, &Options::default()).counter;
        prop_assert_eq!(&sent, &wire);
        let bodies = |request: &Request| -> Vec<Body> {
            request.messages.iter().filter_map(|message| reasoning_of(message)).cloned().collect()
        };
        let (mut before, mut tokens_lost) = (None::<BTreeSet<String>>, 0);
        for (call, [valid, invalid]) in validity(&sent).into_iter().enumerate() {
            let gone = bodies(&sent[call]).into_iter().filter(|body| invalid.contains(&text_of(body)));
            let gone: Vec<(String, u64)> = gone.map(|body| (text_of(&body), counter.body(&body))).collect();
            let tokens: u64 = gone.iter().map(|(_, tokens)| tokens).sum();
            prop_assert_eq!(dropped.calls[call].after, kept.calls[call].after - tokens, "{} at {}", policy, call);
            prop_assert_eq!(stripped.calls[call].after, dropped.calls[call].after);
            let left: BTreeSet<String> = bodies(&without[call]).iter().map(text_of).collect();
            prop_assert_eq!(&left, &valid);
            prop_assert_eq!(kept.refused.contains(&call), !invalid.is_empty());
            // The reply to the request before, and what was valid in it.
            let newest = format!("thought {} ", call.wrapping_sub(1));
            let was_valid = |text: &String| {
                text.starts_with(&newest) || before.as_ref().is_some_and(|before| before.contains(text))
            };
            tokens_lost += gone.iter().filter(|(text, _)| was_valid(text)).map(|(_, tokens)| tokens).sum::<u64>();
            before = Some(valid);
        }
        for trace in [&kept, &dropped, &stripped] {
            prop_assert_eq!(trace.rules[0].money.reasoning_lost, tokens_lost, "{}", policy);
            prop_assert_eq!(trace.saved(), trace.rules[0].saved);
        }
        prop_assert!(dropped.refused.is_empty());
    }

    #[test]
    fn rules_events_and_report_have_the_same_sizes(
        steps in steps(),
        at in 0..POLICIES.len() + BY_SIZE.len(),
        strips in any::<bool>(),
    ) {
        let transcript = transcript(&steps);
        let policy = policy_of(POLICIES.iter().chain(&BY_SIZE).nth(at).unwrap());
        let handling = if strips { ReasoningHandling::Strip } else { ReasoningHandling::Drop };
        let (trace, _) = replayed(&policy, &transcript, handling);
        let budgets = trace.events.iter().filter_map(|traced| match &traced.event {
            Event::ContextBudget(budget) => Some(budget.total_tokens),
            _ => None,
        });
        let (budgets, read): (Vec<u64>, _) = (budgets.collect(), sizes_for_rules(&trace));
        let after: Vec<u64> = trace.calls.iter().map(|call| call.after).collect();
        prop_assert_eq!(&budgets, &after, "{}", policy);
        prop_assert_eq!(read.iter().map(|(tokens, _)| *tokens).collect::<Vec<_>>(), after.clone(), "{}", policy);
        let reported = [None].into_iter().chain(after.iter().copied().map(Some)).take(after.len());
        prop_assert_eq!(read.iter().map(|(_, reported)| *reported).collect::<Vec<_>>(), reported.collect::<Vec<_>>());
        prop_assert_eq!(trace.saved(), trace.rules.iter().map(|rule| rule.saved).sum::<i128>());
    }
}

#[test]
fn reasoning_without_tokens_is_refused_and_removed_too() {
    let mut transcript = transcript(&(0..6).map(|_| (true, vec![30])).collect::<Vec<Step>>());
    for message in transcript.messages.iter_mut().filter(|message| message.is_reply()) {
        let empty = Part::new(Body::Thinking { text: "".into(), signature: None });
        Arc::make_mut(message).parts[0] = empty;
    }
    let policy = policy_of("when iteration == 3 do mask results keep 1 result");
    let (kept, _) = replayed(&policy, &transcript, ReasoningHandling::Keep);
    assert_eq!(kept.refused, [3, 4, 5]);
    let (_, stripped) = replayed(&policy, &transcript, ReasoningHandling::Strip);
    let count = |request: &Request| request.messages.iter().filter(|message| reasoning_of(message).is_some()).count();
    assert_eq!(stripped.iter().map(count).collect::<Vec<_>>(), [0, 1, 2, 1, 2, 3]);
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
