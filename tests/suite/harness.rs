//! Edits by the recorded harness: windows, compactions, cleared results, and drops of the input.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use trimtab::conversation::{Body, Cleared, Compaction, HarnessEdits, Message, Role, Usage};
use trimtab::plan::Plan;
use trimtab::simulate::{Clearing, Extract, Options, ResetCause, Tokens, Trace, WindowSource, replay};
use trimtab::transcript::{self, Transcript};

use crate::cli::Run;
use crate::generated;
use crate::laws::{contexts, plan};

const IDLE: &str = "edition 2026\npolicy p { rule n { do notify \"\" } }";

fn under(text: &str, transcript: &Transcript, options: &Options) -> Trace {
    replay(&plan(text), transcript, options, &mut Extract, &mut |_| {})
}

fn idle(transcript: &Transcript) -> Trace {
    under(IDLE, transcript, &Options::default())
}

/// A session in Trimtab JSONL: the header, and calls of `bash` whose results count about 1,000 tokens each.
struct Session {
    text: String,
    input: u64,
}

impl Session {
    fn of(model: &str) -> Self {
        let header = json!({ "trimtab": 1, "model": model });
        Self { text: format!("{header}\n{}\n", json!({ "role": "user", "content": "Go." })), input: 30_000 }
    }

    fn line(mut self, json: &serde_json::Value) -> Self {
        self.text += &format!("{json}\n");
        self
    }

    /// A call and its result. The recorded input grows with each of them.
    fn call(mut self, id: &str, extra: &serde_json::Value) -> Self {
        let call = json!({ "type": "tool_call", "id": id, "name": "bash", "arguments": { "command": id } });
        let mut reply =
            json!({ "role": "assistant", "content": [call], "usage": { "input": self.input, "output": 20 } });
        for (key, value) in extra.as_object().into_iter().flatten() {
            reply[key] = value.clone();
        }
        let text = "one two three four five six seven eight nine ten\n".repeat(93);
        let result = json!({ "type": "tool_result", "id": id, "content": text });
        self.input += 1_060;
        self.line(&reply).line(&json!({ "role": "tool", "content": [result] }))
    }

    fn calls(mut self, from: usize, to: usize) -> Self {
        for at in from..to {
            self = self.call(&format!("c{at}"), &json!({}));
        }
        self
    }

    fn read(&self) -> Transcript {
        transcript::read(self.text.as_bytes(), None).unwrap().transcripts.remove(0)
    }
}

fn window(model: &str, input: u64, options: &Options) -> Option<(u64, WindowSource)> {
    let mut session = Session::of(model);
    session.input = input;
    under(IDLE, &session.calls(0, 2).read(), options).window
}

#[test]
fn the_window_is_the_standard_one_unless_the_long_one_is_opted_into() {
    let none = Options::default();
    let named = |model: &str| Options { model: Some(model.to_owned()), ..Options::default() };
    let (standard, long) = (Some((200_000, WindowSource::Model)), 1_000_000);
    assert_eq!(window("claude-opus-4-6", 30_000, &none), standard);
    assert_eq!(window("claude-sonnet-4-6", 200_000, &none), Some((long, WindowSource::LongContext)));
    assert_eq!(window("claude-opus-4-6[1m]", 30_000, &none), Some((long, WindowSource::LongModelId)));
    assert_eq!(
        window("claude-opus-4-6", 30_000, &named("claude-opus-4-6[1m]")),
        Some((long, WindowSource::LongModelId))
    );
    assert_eq!(
        window("claude-opus-4-6[1m]", 30_000, &named("claude-opus-4-6")),
        Some((long, WindowSource::LongModelId))
    );
    assert_eq!(window("claude-opus-4-6[1m]", 30_000, &named("claude-haiku-4-5")), standard);
    assert_eq!(window("claude-opus-4-5", 250_000, &none), standard, "it has no long window");
    let flag = Options { window: Some(100_000), ..Options::default() };
    assert_eq!(window("claude-opus-4-6[1m]", 30_000, &flag), Some((100_000, WindowSource::Flag)));
}

fn compacted(model: &str, tokens: u64, automatic: bool) -> Transcript {
    let summary = json!({ "role": "user", "content": "Summary.", "harness": true, "resets": true,
        "compaction": { "automatic": automatic, "tokens": tokens } });
    Session::of(model).calls(0, 3).line(&summary).calls(3, 5).read()
}

#[test]
fn an_automatic_compaction_far_below_the_window_contradicts_it() {
    let early = |model: &str, tokens, automatic| idle(&compacted(model, tokens, automatic)).early_compaction();
    assert_eq!(early("claude-opus-4-7", 160_000, true), Some(160_000));
    assert_eq!(early("claude-opus-4-7", 160_000, false), None, "a person may compact at any time");
    assert_eq!(early("claude-opus-4-6", 160_000, true), None);
    assert_eq!(early("claude-opus-4-6", 230_000, true), Some(230_000), "it shows the long window, and is far below it");
    let resets = idle(&compacted("claude-opus-4-6", 160_000, true)).resets;
    let compaction = Compaction { automatic: true, tokens: Some(160_000), ..Compaction::default() };
    assert_eq!(
        resets.iter().map(|reset| (reset.call, reset.cause)).collect::<Vec<_>>(),
        [(3, ResetCause::Compaction(compaction))]
    );
}

#[test]
fn the_report_and_the_json_output_contain_the_window_and_contradictions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let text = transcript::write(&compacted("claude-opus-4-7", 160_000, true));
    std::fs::write(&path, text).unwrap();
    let run = |more: &str| {
        Run::line(&format!("simulate policies/coding_agent.trim {more}")).arg(&path).output().exits_with(0)
    };
    let json = run("--format json").json();
    let transcript = &json["transcripts"][0];
    assert_eq!(transcript["window_source"], "model");
    assert_eq!(transcript["resets"], json!([3]));
    assert_eq!(transcript["compactions"], json!([{ "call": 3, "automatic": true, "tokens": 160_000 }]));
    let report = run("--width 1000").out;
    assert!(
        report.contains("The harness compacted at 16% of the window: set a smaller one with --window."),
        "{report}"
    );
    assert!(!run("--width 1000 --window 1M").out.contains("harness compacted at"), "a window that is named is meant");
    std::fs::copy(&path, folder.path().join("b.jsonl")).unwrap();
    let several =
        Run::line("simulate policies/coding_agent.trim --width 1000").arg(folder.path()).output().exits_with(0).out;
    assert!(several.contains("In 2 transcripts the harness compacted below half of the window"), "{several}");
    assert!(several.contains("Edits of the recorded harnesses: 2 context resets."), "{several}");
}

fn cleared(ids: &[&str], tokens: u64) -> serde_json::Value {
    json!({ "cleared": { "results": ids, "tokens": tokens } })
}

/// Ten calls; before the sixth the harness clears the first four results, and the recorded input drops accordingly.
fn with_clearing() -> Transcript {
    let mut session = Session::of("claude-opus-4-5").calls(0, 5);
    session.input -= 4 * 1_000;
    session.call("c5", &cleared(&["c0", "c1", "c2", "c3"], 3_900)).calls(6, 10).read()
}

const MASK: &str =
    "edition 2026\npolicy p { rule m { when iteration == 8 do mask results keep 2 results preview 10 chars } }";
const EARLY: &str =
    "edition 2026\npolicy p { rule m { when iteration == 4 do mask results keep 1 result preview 10 chars } }";

#[test]
fn results_that_the_harness_cleared_leave_the_recorded_context_there() {
    let transcript = with_clearing();
    let estimate = Options { tokens: Tokens::Estimate, ..Options::default() };
    let trace = under(IDLE, &transcript, &estimate);
    let sizes: Vec<u64> = trace.calls.iter().map(|call| call.before).collect();
    assert!(sizes[5] < sizes[4] && sizes[4] - sizes[5] > 2_500, "{sizes:?}");
    let [Clearing { call, results, missing, estimated, stated, measured, inferred }] = trace.clearings[..] else {
        panic!("{:?}", trace.clearings)
    };
    assert_eq!((call, results, missing, stated, inferred), (5, 4, 0, Some(3_900), false));
    assert_eq!(Some(estimated), idle(&transcript).clearings.first().map(|one| one.estimated));
    assert!(estimated.abs_diff(4_000) < 200, "{estimated}");
    assert!(measured.is_none_or(|tokens| tokens.abs_diff(4_000) < 200), "{measured:?}");
    assert!(idle(&transcript).clearings[0].measured.is_some_and(|tokens| tokens.abs_diff(4_000) < 200));
    assert!(trace.resets.is_empty() && trace.drops.is_empty());
}

#[test]
fn a_mask_neither_changes_nor_counts_results_that_the_harness_cleared() {
    let trace = under(MASK, &with_clearing(), &Options::default());
    assert_eq!(trace.rules[0].edits, 2, "nine results, two kept, four cleared, the last still to come");
    let bare = under(MASK, &Session::of("claude-opus-4-5").calls(0, 10).read(), &Options::default());
    assert_eq!(bare.rules[0].edits, 6);
    assert!(trace.rules[0].saved < bare.rules[0].saved / 2);
}

#[test]
fn a_masked_result_saves_nothing_after_the_harness_clears_it() {
    let trace = under(EARLY, &with_clearing(), &Options::default());
    let at = |call: usize| i128::from(trace.calls[call].before) - i128::from(trace.calls[call].after);
    assert!(at(4) > 2_500, "three results are masked");
    assert!(at(5).abs() < 200, "the harness has cleared the same ones: {}", at(5));
    assert_eq!(trace.saved(), trace.rules[0].saved);
}

/// The transcript of a session in which a later message has a result with the id of the first call, and the harness clears one
/// of the two before the call `last`.
fn with_two_results_of_a_call(between: impl FnOnce(Session) -> Session) -> Transcript {
    let session = Session::of("claude-opus-4-5").calls(0, 3);
    let text = "another result of the first call\n".repeat(40);
    let second = json!({ "type": "tool_result", "id": "c0", "content": text });
    let session = between(session.line(&json!({ "role": "tool", "content": [second] })));
    session.call("last", &cleared(&["c0"], 300)).calls(8, 10).read()
}

/// The sizes of the results of the first call in each request that a plan sends.
fn results_of_first_call(policy: &str, transcript: &Transcript) -> (Trace, Vec<Vec<usize>>) {
    let mut sizes = Vec::new();
    let trace = replay(&plan(policy), transcript, &Options::default(), &mut Extract, &mut |sent| {
        let messages = sent.messages();
        let results = messages.iter().flat_map(|message| message.results());
        sizes.push(results.filter(|result| result.id == "c0").map(|result| result.text.len()).collect());
    });
    (trace, sizes)
}

#[test]
fn the_harness_clears_none_but_the_newest_result_of_a_call_though_a_rule_has_removed_it() {
    let policy = "edition 2026\npolicy p { rule s { on request when iteration == 4 \
                  do slide recent 0 messages medium 0 messages pin first 3 messages } }";
    let (trace, sizes) = results_of_first_call(policy, &with_two_results_of_a_call(|session| session.calls(3, 5)));
    let whole = sizes[1][0];
    assert_eq!(sizes[3].len(), 2);
    assert!(sizes[4..].iter().all(|results| *results == [whole]), "{sizes:?}");
    assert_eq!(trace.saved(), trace.rules[0].saved);
}

#[test]
fn the_harness_clears_no_other_result_for_one_that_a_stopped_run_kept_out() {
    let policy = "edition 2026\npolicy p { rule s { on request when iteration == 2 do stop \"enough\" } }";
    let transcript = with_two_results_of_a_call(|session| {
        let end = json!({ "role": "assistant", "content": "Done." });
        session.line(&end).line(&json!({ "role": "user", "content": "Go on." }))
    });
    let (trace, sizes) = results_of_first_call(policy, &transcript);
    let whole = sizes[1][0];
    assert_eq!(sizes.last(), Some(&vec![whole]), "{sizes:?}");
    let resumed = trace.calls.iter().filter(|call| call.made && call.prevented > 0);
    assert_eq!(resumed.count(), 2, "the second run has two calls before it is stopped");
    assert_eq!((trace.saved(), trace.rules[0].saved), (0, 0));
}

#[test]
fn edits_of_the_harness_survive_a_round_trip() {
    for written in [with_clearing(), compacted("claude-opus-4-6", 7, true)] {
        let text = transcript::write(&written);
        let read = transcript::read(text.as_bytes(), None).unwrap().transcripts.remove(0);
        assert_eq!(read.messages, written.messages);
    }
}

#[test]
fn an_unexplained_drop_of_the_input_counts_as_clearing_of_the_oldest_results() {
    let mut session = Session::of("claude-opus-4-5").calls(0, 20);
    session.input -= 10_000;
    let transcript = session.calls(20, 25).read();
    let trace = idle(&transcript);
    let [one] = &trace.clearings[..] else { panic!("{:?}", trace.clearings) };
    assert!(one.inferred && one.call == 20 && one.estimated.abs_diff(10_000) < 2_500, "{one:?}");
    assert_eq!((trace.drops.as_slice(), trace.resets.as_slice()), (&[20][..], &[][..]));
    let masked = under(
        "edition 2026\npolicy p { rule m { when iteration == 22 do mask results keep 5 results } }",
        &transcript,
        &Options::default(),
    );
    assert!(masked.rules[0].edits < 10, "{}", masked.rules[0].edits);
}

#[test]
fn a_drop_that_no_result_explains_starts_a_new_context() {
    let mut session = Session::of("claude-opus-4-5").calls(0, 4);
    session.input = 18_000;
    let trace = idle(&session.calls(4, 8).read());
    assert_eq!(trace.drops, [4]);
    assert_eq!(
        trace.resets.iter().map(|reset| (reset.call, reset.cause)).collect::<Vec<_>>(),
        [(4, ResetCause::Unexplained)]
    );
}

/// Ten calls whose replies reason for 900 tokens that the recording does not show. Then a person writes, and the provider
/// drops the reasoning.
#[test]
fn hidden_reasoning_that_leaves_when_a_person_writes_is_no_unexplained_drop() {
    let mut session = Session::of("gpt-5.1-codex");
    for at in 0..10 {
        let id = format!("c{at}");
        let call = json!({ "type": "tool_call", "id": id, "name": "bash", "arguments": { "command": id } });
        let content = json!([{ "type": "thinking", "text": "" }, call]);
        let usage = json!({ "input": session.input, "output": 920 });
        session = session.call(&id, &json!({ "content": content, "usage": usage }));
        session.input += 900;
    }
    session.input -= 9_000;
    let transcript = session.line(&json!({ "role": "user", "content": "Go on." })).calls(10, 14).read();
    let trace = idle(&transcript);
    assert!(trace.drops.is_empty() && trace.resets.is_empty(), "{:?} {:?}", trace.drops, trace.resets);
    let shown = transcript.messages.iter().map(|message| {
        let mut message = message.as_ref().clone();
        message.parts.retain(|part| !matches!(part.body, Body::Thinking { .. }));
        Arc::new(message)
    });
    let without = Transcript { messages: shown.collect(), ..transcript.clone() };
    assert_eq!(idle(&without).drops, [10], "replies without reasoning do not explain it");
}

#[test]
fn one_low_number_is_not_a_drop() {
    let mut session = Session::of("claude-opus-4-5").calls(0, 10);
    let input = std::mem::replace(&mut session.input, 900);
    session = session.calls(10, 11);
    session.input = input + 1_060;
    let trace = idle(&session.calls(11, 15).read());
    assert!(trace.drops.is_empty());
    assert!(trace.calls[10].before > 30_000, "usage below the overhead is not believed: {}", trace.calls[10].before);
}

/// A random edit of the harness before a message: none, cleared results, or a drop of the input from there on.
#[derive(Clone, Debug)]
enum Deed {
    Clear { back: usize, stride: usize },
    Fall(u64),
}

fn deeds() -> impl Strategy<Value = Vec<(prop::sample::Index, Deed)>> {
    let deed = prop_oneof![
        (0usize..12, 1usize..4).prop_map(|(back, stride)| Deed::Clear { back, stride }),
        (1u64..100).prop_map(Deed::Fall),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), deed), 0..5)
}

fn decorated(mut transcript: Transcript, deeds: &[(prop::sample::Index, Deed)]) -> Transcript {
    for (place, deed) in deeds {
        let at = place.index(transcript.messages.len());
        match deed {
            Deed::Clear { back, stride } => {
                let results = transcript.messages[..at].iter().rev().flat_map(|message| message.results());
                let results: Vec<_> = results.skip(*back).step_by(*stride).map(|result| result.id.clone()).collect();
                let edits =
                    HarnessEdits { cleared: Some(Cleared { results, tokens: Some(9) }), ..HarnessEdits::default() };
                Arc::make_mut(&mut transcript.messages[at]).harness_edits = Some(Box::new(edits));
            }
            Deed::Fall(share) => {
                for message in &mut transcript.messages[at..] {
                    if let Some(usage) = &mut Arc::make_mut(message).usage {
                        usage.input = usage.input * share / 100;
                    }
                }
            }
        }
    }
    transcript
}

fn believed(usage: Option<Usage>, overhead: u64) -> Option<u64> {
    usage.map(Usage::context).filter(|context| *context > 0 && *context >= overhead)
}

fn check(plan: &Plan, transcript: &Transcript) -> Result<Trace, TestCaseError> {
    let (trace, sent) = contexts(plan, transcript, false);
    prop_assert!(trace.invariants.broken.is_empty(), "{:?}", trace.invariants.broken);
    prop_assert_eq!(sent, contexts(plan, transcript, false).1);
    let replies = transcript.messages.iter().filter(|message| message.role == Role::Assistant);
    let usages: Vec<Option<Usage>> = replies.map(|reply| reply.usage).collect();
    prop_assert_eq!(usages.len(), trace.calls.len());
    let reported = trace.counter.name == "reported";
    for (call, usage) in trace.calls.iter().zip(usages) {
        prop_assert!(call.before >= call.overhead, "{call:?}");
        prop_assert!(!call.made || call.after >= call.overhead, "{call:?}");
        if let Some(context) = believed(usage, call.overhead).filter(|_| reported) {
            prop_assert_eq!(call.before, context);
        }
    }
    let calls: BTreeSet<usize> = trace.resets.iter().map(|reset| reset.call).collect();
    prop_assert!(trace.drops.iter().all(|call| *call < trace.calls.len()));
    prop_assert!(calls.iter().all(|call| *call <= trace.calls.len()));
    Ok(trace)
}

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn no_context_is_smaller_than_the_overhead_whatever_the_harness_did(
        events in generated::events(), deeds in deeds(), policy in generated::policy(),
    ) {
        let transcript = decorated(generated::transcript(&events), &deeds);
        let trace = check(&plan(&policy), &transcript)?;
        let anew = trace.resets.iter().any(|reset| reset.cause == ResetCause::Unexplained);
        let clamped = trace.calls.iter().any(|call| call.after <= call.overhead);
        if !policy.contains("for step") && !anew && !clamped {
            prop_assert_eq!(trace.saved(), trace.rules.iter().map(|rule| rule.saved).sum::<i128>(), "{}", policy);
        }
    }

    #[test]
    fn clearing_alone_saves_nothing_and_changes_no_context_but_the_recorded_one(events in generated::events(), deeds in deeds()) {
        let trace = check(&plan(IDLE), &decorated(generated::transcript(&events), &deeds))?;
        prop_assert_eq!(trace.saved(), 0);
        prop_assert_eq!(trace.first_divergence, None);
    }
}

#[test]
fn a_message_without_harness_edits_has_none() {
    let message = Message::text(Role::User, "x");
    assert!(message.compaction().is_none() && message.cleared().is_none());
}
