//! What runs and sessions spend, compared with sums over the recording.

use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;
use trimtab::check::Reading;
use trimtab::conversation::{Counter, Message, Role, Usage};
use trimtab::effect::SummaryRequest;
use trimtab::fact;
use trimtab::model;
use trimtab::plan::Plan;
use trimtab::quantity::{Decimal, Value};
use trimtab::simulate::{Extract, Options, ReplayInputs, Summariser, Trace, replay};
use trimtab::source::{SourceId, Span};
use trimtab::transcript::Transcript;

use crate::generated::irregular;
use crate::{generated, laws};

const WATCHED: [&str; 6] =
    ["session.tokens", "session.cost", "session.time", "budget.tokens", "budget.cost", "budget.time"];

fn watched(facts: &[&str]) -> Options {
    let reading = |name: &&str| {
        let fact = fact::find(name).unwrap();
        Reading::new(fact, Vec::new(), Span::new(SourceId(0), 0, 0))
    };
    Options { observed: facts.iter().map(reading).collect(), ..Options::default() }
}

fn number(value: Option<&Value>) -> Option<Decimal> {
    match value {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    }
}

/// Tokens of each reply, from the recorded usage or else from the counter, and what it is billed.
fn spent(transcript: &Transcript, inputs: &ReplayInputs, trace: &Trace) -> Vec<(Decimal, Option<Decimal>)> {
    let replies = transcript.messages.iter().filter(|message| message.role == Role::Assistant);
    let billed = trace.money.calls.iter().map(|(_, with_policy)| with_policy.expect("no rule stops a run"));
    let calls = trace.calls.iter().zip(billed);
    replies.zip(calls).map(|(reply, (call, billed))| of_reply(reply, call.after, billed, inputs)).collect()
}

fn of_reply(reply: &Message, after: u64, billed: Usage, inputs: &ReplayInputs) -> (Decimal, Option<Decimal>) {
    let output = reply.usage.map_or(0, |usage| usage.output);
    let output = if output == 0 { inputs.counter.message(reply) } else { output };
    let cost = inputs.agent.prices().and_then(|prices| prices.of_reply(reply)).and_then(|prices| prices.cost(billed));
    (Decimal::from(after + output), cost)
}

/// Seconds from the first to the newest timestamp.
fn seconds<'a>(times: impl Iterator<Item = &'a str>) -> Option<Decimal> {
    let times: Vec<Timestamp> = times.filter_map(|at| at.parse().ok()).collect();
    between(times.first().copied(), times.iter().max().copied())
}

fn between(first: Option<Timestamp>, newest: Option<Timestamp>) -> Option<Decimal> {
    Some(Decimal::new(newest?.as_millisecond() - first?.as_millisecond(), 3))
}

fn times(messages: &[Arc<Message>]) -> impl Iterator<Item = &str> {
    messages.iter().filter_map(|message| message.at.as_deref())
}

fn near(found: Option<Decimal>, expected: Option<Decimal>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() < Decimal::new(1, 9),
        (found, expected) => found == expected,
    }
}

fn idle_plan() -> Plan {
    laws::plan("edition 2026\npolicy p { rule n { do notify \"\" } }")
}

/// A summariser with a fixed text that records its requests.
struct Kept(Vec<SummaryRequest>);

impl Summariser for Kept {
    fn summarise(&mut self, request: &SummaryRequest, _: u64) -> Result<String, String> {
        self.0.push(request.clone());
        if self.0.len().is_multiple_of(3) { Err("not now".to_owned()) } else { Ok("short".to_owned()) }
    }
}

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn a_session_spends_the_tokens_of_its_calls_and_what_they_are_billed(transcript in irregular::transcript()) {
        let plan = idle_plan();
        let trace = replay(&plan, &transcript, &watched(&WATCHED), &mut Extract, &mut |_| {});
        let inputs = ReplayInputs::of(&plan, &transcript, &Options::default());
        let spent = spent(&transcript, &inputs, &trace);
        let priced = transcript.model.as_deref().and_then(model::find).and_then(|model| model.prices).is_some();
        let mut call = 0;
        for (at, message) in transcript.messages.iter().enumerate() {
            if message.role != Role::Assistant {
                continue;
            }
            let values: Vec<Option<Decimal>> = trace.calls[call].values.iter().map(|value| number(value.as_ref())).collect();
            let first = trace.calls.iter().position(|other| other.run == trace.calls[call].run).unwrap();
            let tokens = |from: usize| Some(spent[from..call].iter().map(|(tokens, _)| *tokens).sum::<Decimal>());
            let cost = |from: usize| {
                let known = priced.then_some(Decimal::ZERO);
                spent[from..call].iter().fold(known, |sum, (_, cost)| Some(sum? + (*cost)?))
            };
            prop_assert_eq!(values[0], tokens(0));
            prop_assert_eq!(values[3], tokens(first));
            prop_assert!(near(values[1], cost(0)) && near(values[4], cost(first)), "{:?}", values);
            prop_assert_eq!(values[2], seconds(times(&transcript.messages[..at])));
            call += 1;
        }
        let missing = transcript.messages.iter().filter(|message| message.role == Role::Assistant);
        let missing = missing.filter(|reply| reply.usage.map_or(0, Usage::context) == 0).count();
        prop_assert_eq!(trace.spent.estimated, u64::try_from(missing).unwrap());
    }

    #[test]
    fn the_time_of_a_run_spans_its_first_to_its_newest_timestamp(transcript in irregular::transcript()) {
        let trace = replay(&idle_plan(), &transcript, &watched(&["budget.time"]), &mut Extract, &mut |_| {});
        let (mut begun, mut open, mut call, mut newest): (_, _, _, Option<Timestamp>) = (0, true, 0, None);
        for (at, message) in transcript.messages.iter().enumerate() {
            if message.role != Role::Assistant && call > 0 && message.run.unwrap_or(message.is_person() && open) {
                begun = at;
                newest = newest_of(times(&transcript.messages[..at]));
            }
            match message.role {
                Role::Assistant => {
                    // Time never goes back, so a run begins no earlier than the newest time before it.
                    let first: Option<Timestamp> = times(&transcript.messages[begun..at]).find_map(|at| at.parse().ok());
                    let first = first.map(|first| newest.map_or(first, |newest| first.max(newest)));
                    let end = newest_of(times(&transcript.messages[..at]));
                    prop_assert_eq!(number(trace.calls[call].values[0].as_ref()), between(first, end));
                    open = message.calls().next().is_none();
                    call += 1;
                }
                Role::Tool => open = false,
                Role::User if message.is_person() => open = false,
                Role::User | Role::System => {}
            }
        }
    }

    #[test]
    fn summaries_count_as_spending(transcript in irregular::transcript(), keep in 0u8..6) {
        let plan = laws::plan(&format!(
            "edition 2026\npolicy p {{ rule s {{ do summarise older keep {keep} messages on_failure retry 1 keep }} }}"
        ));
        let mut kept = Kept(Vec::new());
        let trace = replay(&plan, &transcript, &Options::default(), &mut kept, &mut |_| {});
        let inputs = ReplayInputs::of(&plan, &transcript, &Options::default());
        let mut expected: Decimal = spent(&transcript, &inputs, &trace).iter().map(|(tokens, _)| *tokens).sum();
        for (at, request) in kept.0.iter().enumerate() {
            if (at + 1).is_multiple_of(3) {
                continue;
            }
            let texts = [Some(&request.instructions), request.previous.as_ref(), Some(&request.transcript)];
            let input: u64 = texts.into_iter().flatten().map(|text| inputs.counter.text(text)).sum();
            expected += Decimal::from(input + inputs.counter.text("short"));
        }
        prop_assert_eq!(Decimal::from(trace.spent.tokens), expected);
    }
}

/// The newest of some times.
fn newest_of<'a>(times: impl Iterator<Item = &'a str>) -> Option<Timestamp> {
    times.filter_map(|at| at.parse().ok()).max()
}

const HEAD: &str = r#"{"trimtab":1,"id":"r","model":"MODEL"}"#;

fn recording(model: &str, lines: &[&str]) -> Transcript {
    let text = format!("{}\n{}\n", HEAD.replace("MODEL", model), lines.join("\n"));
    trimtab::transcript::read(text.as_bytes(), None).unwrap().transcripts.remove(0)
}

const TIMED: [&str; 5] = [
    r#"{"role":"user","content":"go","at":"2026-03-14T09:00:00Z"}"#,
    r#"{"role":"assistant","content":[{"type":"tool_call","id":"a","name":"bash","arguments":"{}"}],"at":"2026-03-14T09:00:10Z","usage":{"input":1000,"cache_read":0,"cache_write":0,"output":100}}"#,
    r#"{"role":"tool","content":[{"type":"tool_result","id":"a","content":"ok","is_error":false}],"at":"2026-03-14T09:10:10Z"}"#,
    r#"{"role":"assistant","content":[{"type":"tool_call","id":"b","name":"bash","arguments":"{}"}]}"#,
    r#"{"role":"tool","content":[{"type":"tool_result","id":"b","content":"ok","is_error":false}]}"#,
];

#[test]
fn timestamps_of_results_advance_the_time() {
    let mut lines = TIMED.to_vec();
    lines.push(r#"{"role":"assistant","content":"done"}"#);
    let transcript = recording("gpt-4o", &lines);
    let trace = replay(&idle_plan(), &transcript, &watched(&["budget.time", "idle"]), &mut Extract, &mut |_| {});
    let values = |call: usize, at: usize| number(trace.calls[call].values[at].as_ref());
    assert_eq!((values(0, 0), values(0, 1)), (Some(Decimal::ZERO), None));
    assert_eq!((values(1, 0), values(1, 1)), (Some(Decimal::from(610)), Some(Decimal::from(600))));
    assert_eq!((values(2, 0), values(2, 1)), (Some(Decimal::from(610)), None));
}

#[test]
fn one_reply_without_usage_leaves_the_cost_known_and_marked_as_incomplete() {
    let mut lines = TIMED.to_vec();
    lines.push(r#"{"role":"assistant","content":"done"}"#);
    let transcript = recording("gpt-4o", &lines);
    let plan = laws::plan("edition 2026\npolicy p { rule c { when (session.cost ?? $0) > $0.005 do stop \"dear\" } }");
    let trace = replay(&plan, &transcript, &Options::default(), &mut Extract, &mut |_| {});
    // The second reply has no usage: 1000 tokens and more at $2.50 for a million, and its output at $10.
    assert_eq!(trace.spent.estimated, 1);
    assert!(trace.spent.cost.unwrap() > Decimal::new(5, 3), "{:?}", trace.spent);
    assert_eq!(trace.stops().count(), 1);
}

#[test]
fn only_an_unknown_price_makes_a_cost_unknown_and_the_report_names_the_rules() {
    let plan = laws::plan(
        "edition 2026\npolicy p { rule cost { when (session.cost ?? $0) > $1 do stop \"dear\" } \
         rule time { when known(budget.time) and budget.time > 1m do notify \"slow\" } \
         rule pause { when (idle ?? 0s) > 5m do notify \"slow\" } \
         rule full { when context.tokens > 50% do notify \"full\" } \
         rule free { when iteration > 0 do notify \"free\" once per context.ratio } \
         rule calls { when budget.calls > 90 calls do notify \"many\" } }",
    );
    let unknown = |transcript: &Transcript| {
        let trace = replay(&plan, transcript, &Options::default(), &mut Extract, &mut |_| {});
        let word = |unknown: &trimtab::simulate::UnknownFact| {
            (plan.rules[unknown.rule].name.to_string(), unknown.fact.clone())
        };
        trace.unknown.iter().map(word).map(|(rule, fact)| format!("{rule} {fact}")).collect::<Vec<_>>()
    };
    assert_eq!(
        unknown(&recording("home-made", &TIMED)),
        ["cost session.cost", "full context.tokens", "free context.ratio"],
    );
    assert_eq!(unknown(&recording("gpt-4o", &TIMED)), [""; 0]);
    let bare = [r#"{"role":"user","content":"go"}"#, r#"{"role":"assistant","content":"done"}"#];
    assert_eq!(unknown(&recording("gpt-4o", &bare)), ["time budget.time", "pause idle"]);
}
