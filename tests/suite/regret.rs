//! Later calls that needed what a rule removed: a law against a naive search of whole requests, and
//! examples.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use trimtab::conversation::{Arguments, Body, Cleared, HarnessEdits, Message, Part, Role};
use trimtab::simulate::{ConstantSummariser, Options, Quote, Trace, replay};
use trimtab::transcript::Transcript;

use crate::generated;
use crate::laws;

/// A policy that changes nothing.
const IDLE: &str = "edition 2026\npolicy p { rule n { do notify \"\" } }";

/// Names that texts contain. One is part of another, and must not be found in it.
const NAMES: [&str; 6] = ["first_name", "second_name", "my_first_name", "name_number_3", "39281", "notes-of-yesterday"];

/// A step of a generated conversation: the names in each text.
#[derive(Clone, Debug)]
enum Step {
    Person(Vec<usize>),
    /// Names in the reply's text, and in the arguments and the result of each call.
    Reply(Vec<usize>, Vec<(Vec<usize>, Vec<usize>)>),
    Compacted(Vec<usize>),
    /// The harness clears the result of an earlier call.
    Cleared(usize),
}

fn names() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..NAMES.len(), 0..3)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let calls = prop::collection::vec((names(), names()), 0..4);
    let step = prop_oneof![
        2 => names().prop_map(Step::Person),
        8 => (names(), calls).prop_map(|(text, calls)| Step::Reply(text, calls)),
        1 => names().prop_map(Step::Compacted),
        1 => (0usize..20).prop_map(Step::Cleared),
    ];
    prop::collection::vec(step, 1..24)
}

fn text(names: &[usize], filler: usize) -> String {
    let names: Vec<&str> = names.iter().map(|name| NAMES[*name]).collect();
    format!("{} ({}) {}", "some words ".repeat(filler), names.join(", "), "and more".repeat(filler))
}

fn transcript(steps: &[Step]) -> Transcript {
    let mut messages = vec![Message::text(Role::System, "You work.")];
    let mut ids = 0;
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Person(names) => messages.push(Message::text(Role::User, text(names, at % 3))),
            Step::Compacted(names) => {
                messages.push(Message { harness: true, resets: true, ..Message::text(Role::User, text(names, 1)) });
            }
            Step::Cleared(result) => {
                let cleared = Cleared { results: vec![format!("c{result}").into()], tokens: None };
                let edits = HarnessEdits { cleared: Some(cleared), ..HarnessEdits::default() };
                let mut message = Message::text(Role::User, "go on");
                message.harness_edits = Some(Box::new(edits));
                messages.push(message);
            }
            Step::Reply(said, calls) => {
                let mut reply = Message::new(Role::Assistant, vec![Part::text(text(said, 0))]);
                let first = ids;
                for (arguments, _) in calls {
                    let json = json!({ "number": ids, "query": text(arguments, 0) });
                    reply.parts.push(Part::call(format!("c{ids}"), "search", Arguments::from(json)));
                    ids += 1;
                }
                messages.push(reply);
                for (call, (_, result)) in calls.iter().enumerate() {
                    let part = Part::result(format!("c{}", first + call), text(result, 3 + at), at % 5 == 4);
                    messages.push(Message::new(Role::Tool, vec![part]));
                }
            }
        }
    }
    let messages = messages.into_iter().map(Arc::new).collect();
    Transcript { id: "made".to_owned(), format: "made", window: Some(3000), messages, ..Transcript::default() }
}

/// The names in a message, found word by word.
fn names_in(message: &Message) -> BTreeSet<String> {
    let mut texts = Vec::new();
    for part in &message.parts {
        match &part.body {
            Body::Text(text) | Body::Thinking { text, .. } => texts.push(text.to_string()),
            Body::ToolCall { arguments, .. } => texts.push(arguments.text().into_owned()),
            Body::ToolResult(result) => texts.push(result.text.to_string()),
            Body::Image { .. } | Body::Other(_) => {}
        }
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let words = texts.iter().flat_map(|text| text.split(|c| !is_of_name(c))).map(|word| word.trim_matches('-'));
    words.filter(|word| NAMES.contains(word)).map(str::to_owned).collect()
}

fn replayed(policy: &str, transcript: &Transcript) -> (Trace, BTreeMap<usize, BTreeSet<String>>) {
    let mut sent = BTreeMap::new();
    let mut summariser = ConstantSummariser("short {n}".to_owned());
    let options = Options { quotes: true, ..Options::default() };
    let trace = replay(&laws::plan(policy), transcript, &options, &mut summariser, &mut |request| {
        let names = request.messages().iter().flat_map(|message| names_in(message)).collect();
        sent.insert(request.call, names);
    });
    (trace, sent)
}

/// For each call of a tool, by model call and number: the names that the recorded request has and the sent one has not.
fn naive(
    transcript: &Transcript,
    recorded: &BTreeMap<usize, BTreeSet<String>>,
    sent: &BTreeMap<usize, BTreeSet<String>>,
) -> Vec<(usize, usize)> {
    let replies = transcript.messages.iter().filter(|message| message.role == Role::Assistant);
    let mut quotes = Vec::new();
    for (call, reply) in replies.enumerate() {
        let (Some(recorded), Some(sent)) = (recorded.get(&call), sent.get(&call)) else { continue };
        for part in reply.parts.iter().filter(|part| matches!(part.body, Body::ToolCall { .. })) {
            let quoted = names_in(&Message::new(Role::Assistant, vec![part.clone()]));
            let lost = quoted.iter().filter(|name| recorded.contains(*name) && !sent.contains(*name)).count();
            quotes.extend((lost > 0).then_some((call, lost)));
        }
    }
    quotes
}

/// The same of a trace. Strings of a call that different rules took are counted together.
fn found(trace: &Trace) -> BTreeMap<usize, usize> {
    let mut all = BTreeMap::new();
    for Quote { call, strings, .. } in &trace.regret.quotes {
        *all.entry(*call).or_default() += strings;
    }
    all
}

fn check(policy: &str, transcript: &Transcript) -> Result<(), TestCaseError> {
    let (_, recorded) = replayed(IDLE, transcript);
    let (trace, sent) = replayed(policy, transcript);
    let mut expected: BTreeMap<usize, usize> = BTreeMap::new();
    for (call, lost) in naive(transcript, &recorded, &sent) {
        *expected.entry(call).or_default() += lost;
    }
    // Each call has arguments of its own, so none is made again.
    prop_assert!(trace.regret.repeated.is_empty());
    prop_assert_eq!(found(&trace), expected, "{}", policy);
    Ok(())
}

/// Policies with one rule, which must be the one that is blamed.
const POLICIES: [&str; 12] = [
    "do mask results keep 1 result",
    "do mask results keep 2 results preview 60 chars including errors",
    "do trim arrivals to 40 chars",
    "do trim results to 80 chars from middle keep 1 result",
    "do mask calls keep 2 messages",
    "do drop older keep 4 messages",
    "do drop older keep 2 messages",
    "do offload results over 60 chars keep 1 result",
    "do summarise older keep 4 messages",
    "when iteration > 3 do summarise all",
    "do slide recent 3 messages medium 4 messages trim 30 chars",
    "do retain last 1 interactions",
];

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn quotes_are_those_of_a_naive_search(steps in steps(), at in 0..POLICIES.len()) {
        let transcript = transcript(&steps);
        check(&format!("edition 2026\npolicy p {{ rule r {{ {} }} }}", POLICIES[at]), &transcript)?;
    }

    #[test]
    fn quotes_are_those_of_a_naive_search_under_any_policy(steps in steps(), policy in generated::policy()) {
        // A stopped run would not have happened, so nothing in it counts as taken.
        prop_assume!(!policy.contains("stop"));
        check(&policy, &transcript(&steps))?;
    }
}

#[test]
fn a_quote_counts_for_the_rule_that_took_the_string() {
    let steps = [
        Step::Person(vec![]),
        Step::Reply(vec![], vec![(vec![], vec![0]), (vec![], vec![1])]),
        Step::Reply(vec![], vec![(vec![], vec![4])]),
        Step::Reply(vec![], vec![(vec![0, 4], vec![])]),
        Step::Reply(vec![], vec![(vec![0, 1], vec![])]),
    ];
    let policy = "edition 2026\npolicy p {\n  rule cut { do trim arrivals to 30 chars }\n  \
                  rule hide { when iteration == 2 do mask results keep 1 result preview 0 chars }\n}";
    let (trace, _) = replayed(policy, &transcript(&steps));
    let all: Vec<_> = trace.regret.quotes.iter().map(|quote| (quote.call, quote.rule, quote.strings)).collect();
    assert_eq!(all, [(2, 0, 2), (3, 0, 1)], "{:?}", trace.regret);
    let text = trace.regret.quotes[0].text.as_deref();
    assert_eq!((text, trace.regret.quotes[0].reduced), (Some("first_name"), 1));
    let plain = replay(
        &laws::plan(policy),
        &transcript(&steps),
        &Options::default(),
        &mut ConstantSummariser(String::new()),
        &mut |_| {},
    );
    assert!(plain.regret.quotes.iter().all(|quote| quote.text.is_none() && quote.chars > 0));
}

#[test]
fn a_call_that_is_made_again_does_not_count_as_a_quote_too() {
    let call = |id: &str| {
        Message::new(Role::Assistant, vec![Part::call(id, "read", Arguments::from(json!({ "path": "a/first_name" })))])
    };
    let result = |id: &str| Message::new(Role::Tool, vec![Part::result(id, "long text ".repeat(20), false)]);
    let messages = [Message::text(Role::User, "go"), call("a"), result("a"), Message::text(Role::User, "on")];
    let messages = messages.into_iter().chain([Message::text(Role::Assistant, "yes"), Message::text(Role::User, "on")]);
    let messages = messages.chain([call("b")]).map(Arc::new).collect();
    let transcript = Transcript { messages, ..Transcript::default() };
    let policy = "edition 2026\npolicy p { rule r { do drop older keep 1 message } }";
    let (trace, _) = replayed(policy, &transcript);
    assert_eq!((trace.regret.repeated.len(), trace.regret.quotes.len()), (1, 0), "{:?}", trace.regret);
    assert_eq!((trace.regret.repeated[0].call, trace.regret.repeated[0].reduced), (2, 1));
}
