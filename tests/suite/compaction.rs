//! The phase `compaction`: when its rules are tried, live and in a replay.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use trimtab::conversation::{Message, Role};
use trimtab::run::{Environment, Next, Session};
use trimtab::simulate::{ConstantSummariser, Options, Trace, replay};
use trimtab::transcript::{self, Transcript, message_json, read_message};

use crate::laws::plan;

const SAY: &str = "rule say { on compaction do notify \"{context.messages}\" }";

fn user(text: &str) -> Json {
    json!({ "role": "user", "content": text })
}

fn summary() -> Json {
    json!({ "role": "user", "content": "In short.", "harness": true, "resets": true })
}

fn reply(text: &str) -> Json {
    json!({ "role": "assistant", "content": text })
}

/// A reply with a call, and its result.
fn step(id: usize) -> [Json; 2] {
    let call = json!({ "type": "tool_call", "id": format!("c{id}"), "name": "bash", "arguments": { "command": id } });
    let result = json!({ "type": "tool_result", "id": format!("c{id}"), "content": "out ".repeat(200) });
    [json!({ "role": "assistant", "content": [call] }), json!({ "role": "tool", "content": [result] })]
}

fn transcript(lines: &[Json]) -> Transcript {
    let header = json!({ "trimtab": 1, "window": 100_000 });
    let text: String = [&header].into_iter().chain(lines).map(|line| format!("{line}\n")).collect();
    transcript::read(text.as_bytes(), Some("trimtab")).expect("a recording").transcripts.remove(0)
}

fn run(policy: &str, lines: &[Json]) -> (Trace, Vec<String>) {
    let plan = plan(&format!("edition 2026\npolicy p {{ {policy} }}"));
    let (mut sent, mut summariser) = (Vec::new(), ConstantSummariser("short".to_owned()));
    let trace = replay(&plan, &transcript(lines), &Options::default(), &mut summariser, &mut |context| {
        let texts = context.messages().iter().map(|message| message.plain_text()).collect::<Vec<_>>();
        sent.push(texts.join("|"));
    });
    (trace, sent)
}

/// The calls at which the first rule on `compaction` fired.
fn fired(policy: &str, lines: &[Json]) -> Vec<usize> {
    let (trace, _) = run(policy, lines);
    trace.rules.iter().find(|rule| rule.name == "say").map(|rule| rule.calls.clone()).unwrap_or_default()
}

fn conversation(steps: std::ops::Range<usize>) -> Vec<Json> {
    [user("Go.")].into_iter().chain(steps.flat_map(step)).collect()
}

#[test]
fn a_compaction_of_the_harness_comes_before_the_next_call_and_once() {
    let lines = [conversation(0..2), vec![summary(), summary(), user("On.")], conversation(2..4)].concat();
    assert_eq!(fired(SAY, &lines), [2]);
    assert_eq!(fired(SAY, &conversation(0..4)), [0; 0]);
}

#[test]
fn rules_that_take_messages_away_compact_and_others_do_not() {
    let at = |rule: &str| fired(&format!("rule r {{ when iteration == 3 do {rule} }} {SAY}"), &conversation(0..6));
    for rule in ["summarise all", "summarise older keep 2 messages", "drop older keep 2 messages"] {
        assert_eq!(at(rule), [3], "{rule}");
    }
    assert_eq!(at("slide recent 2 messages medium 1 messages"), [3]);
    for rule in ["mask results keep 0 results", "trim results to 9 chars keep 0 results", "retain last 1 interactions"]
    {
        assert_eq!(at(rule), [0; 0], "{rule}");
    }
}

#[test]
fn what_a_rule_drops_after_a_reply_is_told_before_the_next_call() {
    let policy = format!("rule r {{ on reply when iteration == 2 do drop older keep 1 messages }} {SAY}");
    assert_eq!(fired(&policy, &conversation(0..5)), [3]);
}

#[test]
fn a_message_stands_behind_the_summary_and_in_the_same_request() {
    let add = "rule say { on compaction do inject \"Read it again.\" }";
    let (_, sent) = run(add, &[conversation(0..2), vec![summary(), user("On."), reply("Yes.")]].concat());
    assert_eq!(sent[2], "In short.|On.|Read it again.");
    let (_, sent) = run(&format!("rule r {{ when iteration == 1 do summarise all }} {add}"), &conversation(0..3));
    assert!(sent[1].ends_with("|Read it again.") && !sent[2].ends_with("|Read it again."), "{sent:?}");
    assert_eq!(sent[2].matches("Read it again.").count(), 1);
}

#[test]
fn a_stopped_run_waits_for_the_next_one() {
    let policy = format!("rule halt {{ when iteration == 1 do stop \"enough\" }} {SAY}");
    let lines = [conversation(0..3), vec![summary(), reply("Done."), user("Next."), reply("Yes.")]].concat();
    assert_eq!(fired(&policy, &lines), [4]);
}

#[test]
fn rules_on_it_only_add() {
    let message = |effect: &str| {
        let text = format!("edition 2026\npolicy p {{ rule r {{ on compaction do {effect} }} }}");
        let found = trimtab::pipeline::compile("p.trim", text.as_str()).diagnostics;
        found.first().map(|one| one.message.clone())
    };
    for effect in ["inject \"a\"", "inject \"a\" for step", "remind [bash]", "notify \"a\"", "emit a", "stop \"a\""] {
        assert_eq!(message(effect), None, "{effect}");
    }
    assert!(message("mask results").is_some_and(|text| text.contains("which `compaction` does not allow")));
    assert!(message("tools hide [bash]").is_some_and(|text| text.contains("which `compaction` does not allow")));
}

fn messages(lines: &[Json]) -> Vec<Arc<Message>> {
    lines.iter().map(|line| Arc::new(read_message(line).expect("a message"))).collect()
}

/// The notices that a session gives before the request for a history.
fn notices(session: &mut Session, history: &[Json]) -> usize {
    assert_eq!(session.before_request(&messages(history), None), Next::Send);
    session.take_outcomes().iter().map(|(_, outcome)| outcome.signals.len()).sum()
}

#[test]
fn a_live_session_sees_that_its_client_has_compacted() {
    let plan = Arc::new(plan(&format!("edition 2026\npolicy p {{ {SAY} }}")));
    let begun = || {
        let mut session = Session::new(Arc::clone(&plan), Environment::default(), 0);
        let prompt = json!({ "role": "system", "content": "Be brief." });
        let history = [vec![prompt], conversation(0..5)].concat();
        assert_eq!(notices(&mut session, &history), 0);
        (session, history)
    };
    let short = |history: &[Json], from: usize| [&history[..1], &[user("In short.")], &history[from..]].concat();
    // The newest turns stay.
    let (mut session, history) = begun();
    let compacted = short(&history, 8);
    assert_eq!(notices(&mut session, &compacted), 1);
    assert_eq!(notices(&mut session, &[compacted.clone(), step(9).to_vec()].concat()), 0);
    // The recording repeats it.
    let (_, text) = session.take_recording().expect("a recording");
    let read = transcript::read(text.as_bytes(), None).expect("a recording").transcripts.remove(0);
    let trace = replay(&plan, &read, &Options::default(), &mut ConstantSummariser(String::new()), &mut |_| {});
    assert_eq!(trace.rules[0].fired, 1, "{text}");
    // A restarted session has seen it.
    let mut restored = Session::restore(&plan, &session.save()).expect("the same plan");
    assert_eq!(notices(&mut restored, &[compacted, step(9).to_vec(), step(10).to_vec()].concat()), 0);
    // Going back to an earlier point and asking something else is no compaction.
    let (mut session, history) = begun();
    assert_eq!(notices(&mut session, &[&history[..4], &[user("And this?")]].concat()), 0);
    assert_eq!(notices(&mut session, &[history[0].clone(), user("Another task.")]), 0);
}

#[test]
fn a_client_that_keeps_its_user_messages_has_compacted_too() {
    let plan = Arc::new(plan(&format!("edition 2026\npolicy p {{ {SAY} }}")));
    let mut session = Session::new(plan, Environment::default(), 0);
    let turns = |text: &str, id: usize| [vec![user(text)], step(id).to_vec(), vec![reply("Done.")]].concat();
    let history = [turns("One.", 0), turns("Two.", 1), turns("Three.", 2), vec![user("Four.")]].concat();
    assert_eq!(notices(&mut session, &history), 0);
    let kept: Vec<Json> = ["One.", "Two.", "Three.", "Four.", "In short."].map(user).to_vec();
    assert_eq!(notices(&mut session, &kept), 1);
    let sent: Vec<String> =
        session.request().iter().map(|sent| message_json(sent.message().as_ref())["content"].to_string()).collect();
    assert_eq!(sent.len(), 5, "{sent:?}");
    assert!(session.request().iter().all(|sent| sent.message().role == Role::User));
}

/// The notices before the request for a history.
fn told(session: &mut Session, history: &[Json]) -> Vec<String> {
    assert_eq!(session.before_request(&messages(history), None), Next::Send);
    let outcomes = session.take_outcomes();
    let signals = outcomes.iter().flat_map(|(_, outcome)| &outcome.signals);
    signals.filter_map(|given| given.signal.notice()).map(str::to_owned).collect()
}

const GUARDED: &str = "rule first { do notify \"once\" once }
    rule pause { do notify \"pause\" cooldown 4 iterations }
    rule each { do notify \"per\" once per tools.calls in session }
    rule again { do notify \"until\" once until (since_compaction ?? 9 iterations) < 1 iterations }
    rule count { do notify \"{run} {iteration} {compactions} {tools.calls}\" }";

#[test]
fn a_compaction_of_the_client_begins_no_run_and_ends_no_guard() {
    let plan = Arc::new(plan(&format!("edition 2026\npolicy p {{ {GUARDED} }}")));
    let mut session = Session::new(Arc::clone(&plan), Environment::default(), 0);
    let history = [vec![json!({ "role": "system", "content": "Be brief." })], conversation(0..5)].concat();
    let first = told(&mut session, &history);
    assert_eq!((first.first().map(String::as_str), first.last().map(String::as_str)), (Some("once"), Some("0 5 0 5")));
    // The newest two turns stay. The call that was not answered is made again.
    let compacted = [&history[..1], &[user("In short.")], &history[8..]].concat();
    assert_eq!(told(&mut session, &compacted), ["per", "until", "0 5 1 5"]);
    let more = [compacted, step(9).to_vec()].concat();
    assert_eq!(told(&mut session, &more), ["per", "0 6 1 6"]);
    // A restored session goes on alike, and so does a replay of the recording.
    let mut restored = Session::restore(&plan, &session.save()).expect("the same plan");
    let next = [more, step(10).to_vec()].concat();
    let expected = told(&mut session, &next);
    assert_eq!(expected, ["per", "0 7 1 7"]);
    assert_eq!(told(&mut restored, &next), expected);
    let (_, text) = session.take_recording().expect("a recording");
    let read = transcript::read(text.as_bytes(), None).expect("a recording").transcripts.remove(0);
    let fired = |recording: &Transcript| {
        let mut summariser = ConstantSummariser(String::new());
        let trace = replay(&plan, recording, &Options::default(), &mut summariser, &mut |_| {});
        trace.rules.iter().map(|rule| rule.calls.clone()).collect::<Vec<_>>()
    };
    // So does one of what the client would have recorded.
    let kept = |message: &Json| {
        Json::Object(
            message
                .as_object()
                .into_iter()
                .flatten()
                .map(|(key, value)| (key.clone(), value.clone()))
                .chain([
                    ("kept".to_owned(), true.into()),
                    ("harness".to_owned(), (message["role"] == "assistant").into()),
                ])
                .collect(),
        )
    };
    let of_client: Vec<Json> = history[8..].iter().map(kept).collect();
    let of_client = [&history[..], &[summary()], &of_client, &step(9), &step(10)].concat();
    assert_eq!(fired(&read), fired(&transcript(&of_client)));
    assert_eq!(fired(&read)[0], [0]);
}

#[test]
fn a_message_that_the_client_keeps_when_it_compacts_has_not_come_again() {
    let plan = Arc::new(plan("edition 2026\npolicy p { rule say { do notify \"{since_user_message}\" } }"));
    let mut session = Session::new(Arc::clone(&plan), Environment::default(), 0);
    let since = |session: &mut Session, history: &[Json]| told(session, history).pop().expect("a notice");
    let history = [conversation(0..4), vec![user("Not in b.")], step(4).to_vec()].concat();
    assert_eq!(since(&mut session, &history), "1");
    let compacted = [&[user("In short.")], &history[9..]].concat();
    assert_eq!(since(&mut session, &compacted), "1");
    let more = [compacted, step(5).to_vec(), vec![user("And c.")]].concat();
    assert_eq!(since(&mut session, &more), "0");
    let mut restored = Session::restore(&plan, &session.save()).expect("the same plan");
    let next = [more, step(6).to_vec()].concat();
    assert_eq!((since(&mut session, &next).as_str(), since(&mut restored, &next).as_str()), ("1", "1"));
}
