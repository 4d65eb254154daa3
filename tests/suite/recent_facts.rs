//! Facts that look back over a session: what was called, used and changed when; of which agent, live and in its recording.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use trimtab::conversation::Message;
use trimtab::run::{Environment, Next, Session};
use trimtab::simulate::{ConstantSummariser, Options, Trace, replay};
use trimtab::transcript::{self, Transcript, read_message};
use trimtab::{Dialect, Host};

use crate::laws::plan;

fn user(text: &str) -> Json {
    json!({ "role": "user", "content": text })
}

/// A reply with calls of tools with arguments, and their results in the opposite order.
fn step(id: usize, calls: &[(&str, Json)]) -> Vec<Json> {
    let ids: Vec<String> = (0..calls.len()).map(|at| format!("c{id}_{at}")).collect();
    let made = ids
        .iter()
        .zip(calls)
        .map(|(id, (tool, arguments))| json!({ "type": "tool_call", "id": id, "name": tool, "arguments": arguments }));
    let made: Vec<Json> = made.collect();
    let content = if made.is_empty() { json!("Done.") } else { made.into() };
    let reply = json!({ "role": "assistant", "content": content });
    let result = |id: &String| {
        let result = json!({ "type": "tool_result", "id": id, "content": "done" });
        json!({ "role": "tool", "content": [result] })
    };
    [reply].into_iter().chain(ids.iter().rev().map(result)).collect()
}

fn edit(path: &str) -> (&'static str, Json) {
    ("edit_file", json!({ "path": path, "old": "a", "new": "b" }))
}

/// The same lines, each some seconds after the one before it.
fn timed(lines: Vec<Json>, seconds: usize) -> Vec<Json> {
    let at = |at: usize| format!("2026-01-02T{:02}:{:02}:{:02}Z", at / 3600, at / 60 % 60, at % 60);
    let line = |(number, mut line): (usize, Json)| {
        line["at"] = at(number * seconds).into();
        line
    };
    lines.into_iter().enumerate().map(line).collect()
}

fn transcript(lines: &[Json]) -> Transcript {
    let header = json!({ "trimtab": 1, "window": 100_000, "model": "claude-sonnet-4-5" });
    let text: String = [&header].into_iter().chain(lines).map(|line| format!("{line}\n")).collect();
    transcript::read(text.as_bytes(), Some("trimtab")).expect("a recording").transcripts.remove(0)
}

fn trace(policy: &str, transcript: &Transcript) -> Trace {
    let plan = plan(&format!("edition 2026\npolicy p {{ {policy} }}"));
    replay(&plan, transcript, &Options::default(), &mut ConstantSummariser("short".to_owned()), &mut |_| {})
}

/// A text at each call.
fn said(text: &str, lines: &[Json]) -> Vec<String> {
    let trace = trace(&format!("rule say {{ do notify \"{text}\" }}"), &transcript(lines));
    trace.notices().map(|(_, _, text)| text.to_owned()).collect()
}

fn talk() -> Vec<Json> {
    let note = ("write_note", json!("notes.txt"));
    [
        vec![user("Go.")],
        step(0, &[edit("./a.rs"), edit("b.rs"), ("bash", json!({ "command": "sed -i s/a/b/ c.rs" }))]),
        step(1, &[edit("a.rs"), note]),
        step(2, &[]),
        vec![user("On.")],
        step(3, &[edit("a.rs")]),
        step(4, &[]),
    ]
    .concat()
}

#[test]
fn the_list_of_changed_files_has_the_newest_first_and_counts_in_the_session() {
    let all = ["none", "b.rs, a.rs", "notes.txt, a.rs, b.rs", "notes.txt, a.rs, b.rs", "a.rs, notes.txt, b.rs"];
    assert_eq!(said("{files.changed}", &talk()), all);
    let of_run = ["none", "b.rs, a.rs", "notes.txt, a.rs, b.rs", "none", "a.rs"];
    assert_eq!(said("{files.changed(in: run)}", &talk()), of_run);
    let counts = trace("rule many { when files.changed >= 3 do emit many [files.changed] }", &transcript(&talk()));
    assert_eq!(counts.rules[0].calls, [2, 3, 4]);
    let many: Vec<Json> =
        [vec![user("Go.")], (0..60).flat_map(|at| step(at, &[edit(&format!("{at}"))])).collect()].concat();
    let text = said("{files.changed}", &many).pop().expect("a notice");
    assert!(text.starts_with("58, 57, ") && text.ends_with(", 9 and 9 more"), "{text}");
}

#[test]
fn the_file_that_most_calls_change_is_the_one_of_edits() {
    let text = "{edits(within: 3 calls)} {edits.path(within: 3 calls) ?? \"-\"}";
    assert_eq!(said(text, &talk()), ["0 -", "1 b.rs", "1 notes.txt", "0 -", "1 a.rs"]);
    let text = "{edits(in: session)} {edits.path(in: session) ?? \"-\"}";
    assert_eq!(said(text, &talk()), ["0 -", "1 b.rs", "2 a.rs", "2 a.rs", "3 a.rs"]);
}

#[test]
fn only_edits_after_the_newest_call_of_a_tool_count() {
    let test = ("run_tests", json!({}));
    let lines = [
        vec![user("Go.")],
        step(0, &[edit("a"), edit("a")]),
        step(1, &[edit("b"), test.clone(), edit("a")]),
        step(2, &[edit("b")]),
        step(3, &[]),
        vec![user("On.")],
        step(4, &[edit("b")]),
        step(5, &[test]),
        step(6, &[]),
    ]
    .concat();
    let text = |of: &str| format!("{{edits({of})}} {{edits.path({of}) ?? \"-\"}}");
    assert_eq!(said(&text("after: run_tests"), &lines), ["0 -", "2 a", "1 a", "1 b", "0 -", "1 b", "0 -"]);
    let session = ["0 -", "2 a", "1 a", "1 b", "1 b", "2 b", "0 -"];
    assert_eq!(said(&text("after: [run_*, check], in: session"), &lines), session);
    let newest = ["0 -", "2 a", "1 a", "1 b", "1 b", "2 b", "0 -"];
    assert_eq!(said(&text("within: 2 calls, after: run_tests, in: session"), &lines), newest);
    assert_eq!(said(&text("after: other"), &lines), said(&text(""), &lines));
    let named = "edition 2026\nlet tests = [run_tests, check]\n\
                 policy p { rule say { do notify \"{edits(after: tests)}\" } }";
    let trace = replay(
        &plan(named),
        &transcript(&lines),
        &Options::default(),
        &mut ConstantSummariser(String::new()),
        &mut |_| {},
    );
    let counts: Vec<String> = trace.notices().map(|(_, _, text)| text.to_owned()).collect();
    assert_eq!(counts, ["0", "2", "1", "1", "0", "1", "0"]);
}

#[test]
fn recent_calls_are_counted_in_calls_iterations_and_time() {
    let count = |of: &str, lines: &[Json]| said(&format!("{{calls({of})}}"), lines).join(" ");
    assert_eq!(count("of: edit_file", &talk()), "0 2 3 0 1");
    assert_eq!(count("in: session", &talk()), "0 3 5 5 6");
    assert_eq!(count("within: 4 calls, in: session, of: [edit*]", &talk()), "0 2 2 2 2");
    assert_eq!(count("within: 1 iteration, in: session", &talk()), "0 3 2 0 1");
    // Parallel calls are made at one time, whatever the order of their results.
    assert_eq!(count("within: 1m, in: session", &timed(talk(), 15)), "0 3 2 0 1");
    assert_eq!(count("within: 1m, in: session", &talk()), "0 0 0 0 0");
}

#[test]
fn tokens_and_cost_of_a_time_need_timestamps() {
    let mut lines = talk();
    for line in lines.iter_mut().filter(|line| line["role"] == "assistant") {
        line["usage"] = json!({ "input": 1000, "cache_read": 0, "cache_write": 0, "output": 100 });
    }
    let text = "{tokens(within: 1h)} {cost(within: 1h) ?? \"?\"}";
    assert_eq!(said(text, &lines), ["0 $0", "0 $0", "0 $0", "0 $0", "0 $0"]);
    assert_eq!(
        said(text, &timed(lines.clone(), 60)),
        ["0 $0", "1100 $0.0045", "2200 $0.009", "3300 $0.0135", "4400 $0.018"]
    );
    // With eight minutes between two lines, an hour has the newest replies only.
    let tokens = said("{tokens(within: 1h)}", &timed(lines, 480));
    assert_eq!(tokens, ["0", "1100", "2200", "2200", "3300"]);
}

#[test]
fn the_cache_is_warm_as_long_as_it_was_written_for() {
    let write =
        |hour: u64| json!({ "input": 5, "cache_read": 0, "cache_write": 900, "cache_write_1h": hour, "output": 9 });
    let at = |line: Json, minute: usize| {
        let mut line = line;
        line["at"] = format!("2026-01-02T{:02}:{:02}:00Z", minute / 60, minute % 60).into();
        line
    };
    let reply = |hour: u64| json!({ "role": "assistant", "content": "Yes.", "usage": write(hour) });
    let lines = |hour: u64| {
        let all = [user("A"), reply(hour), user("B"), reply(hour), user("C"), reply(hour), user("D"), reply(hour)];
        let minutes = [0, 0, 4, 4, 10, 10, 75, 75];
        all.into_iter().zip(minutes).map(|(line, minute)| at(line, minute)).collect::<Vec<_>>()
    };
    let text = |lines: &[Json]| {
        let policy = "rule warm { when cache.warm ?? false do notify \"warm\" } \
                      rule cold { when known(cache.warm) and not cache.warm do notify \"cold\" }";
        let trace = trace(policy, &transcript(lines));
        trace.notices().map(|(call, _, text)| (call, text.to_owned())).collect::<Vec<_>>()
    };
    let words = |all: &[(usize, &str)]| all.iter().map(|(call, word)| (*call, (*word).to_owned())).collect::<Vec<_>>();
    assert_eq!(text(&lines(0)), words(&[(1, "warm"), (2, "cold"), (3, "cold")]));
    assert_eq!(text(&lines(900)), words(&[(1, "warm"), (2, "warm"), (3, "cold")]));
    assert_eq!(text(&talk()), words(&[]));
}

#[test]
fn compactions_are_counted_over_runs_whoever_compacts() {
    let summary = json!({ "role": "user", "content": "In short.", "harness": true, "resets": true });
    let lines = [
        vec![user("Go.")],
        step(0, &[edit("a")]),
        vec![summary.clone()],
        step(1, &[edit("a")]),
        step(2, &[]),
        vec![summary, user("On.")],
        step(3, &[edit("a")]),
        step(4, &[]),
    ]
    .concat();
    let rule = "rule drop { when iteration == 1 do drop older keep 1 messages } \
                rule say { do notify \"{compactions} {since_compaction ?? \"-\"}\" }";
    let said: Vec<String> = trace(rule, &transcript(&lines)).notices().map(|(_, _, text)| text.to_owned()).collect();
    assert_eq!(said, ["0 -", "1 0", "1 1", "2 0", "3 0"]);
}

#[test]
fn a_message_of_a_person_counts_also_while_the_agent_works() {
    let other = |key: &str| {
        let mut line = user("Mind the tests.");
        line[key] = true.into();
        line
    };
    let summary = json!({ "role": "user", "content": "In short.", "harness": true, "resets": true });
    let lines = [
        vec![json!({ "role": "system", "content": "Be brief." }), user("Go.")],
        step(0, &[edit("a")]),
        step(1, &[edit("a")]),
        vec![user("Not in b.")],
        step(2, &[edit("a")]),
        vec![other("harness")],
        step(3, &[edit("a")]),
        vec![summary, other("kept")],
        step(4, &[]),
        vec![user("On.")],
        step(5, &[]),
    ]
    .concat();
    let rule = "rule hint { when iteration == 3 do inject \"Mind the time.\" as user } \
                rule say { do notify \"{run} {iteration} {since_user_message}\" }";
    let said: Vec<String> = trace(rule, &transcript(&lines)).notices().map(|(_, _, text)| text.to_owned()).collect();
    assert_eq!(said, ["0 0 0", "0 1 1", "0 2 0", "0 3 1", "0 4 2", "1 0 0"]);
}

#[test]
fn before_the_first_message_of_a_person_the_session_counts() {
    let mut note = user("The date is the second.");
    note["harness"] = true.into();
    let lines = [vec![note], step(0, &[edit("a")]), step(1, &[edit("a")]), vec![user("Go.")], step(2, &[])].concat();
    assert_eq!(said("{since_user_message}", &lines), ["0", "1", "0"]);
}

/// The notices that a session gives before the request for a history.
fn notices(session: &mut Session, history: &[Json]) -> Vec<String> {
    let history: Vec<Arc<Message>> =
        history.iter().map(|line| Arc::new(read_message(line).expect("a message"))).collect();
    assert_eq!(session.before_request(&history, None), Next::Send);
    let outcomes = session.take_outcomes();
    let signals = outcomes.iter().flat_map(|(_, outcome)| &outcome.signals);
    signals.filter_map(|given| given.signal.notice()).map(str::to_owned).collect()
}

#[test]
fn a_live_session_its_restored_copy_and_its_recording_look_back_alike() {
    let text = "rule say { do notify \"{calls(within: 2 calls, in: session)} {files.changed} {edits(in: session)} \
                {tokens(within: 90s)} {calls(within: 90s)} {cache.warm ?? false} {failures.same} {context.largest} \
                {since_user_message}\" }";
    let plan = Arc::new(plan(&format!("edition 2026\npolicy p {{ {text} }}")));
    let lines = timed(talk(), 30);
    let replies: Vec<usize> = (0..lines.len()).filter(|at| lines[*at]["role"] == "assistant").collect();
    let mut session = Session::new(Arc::clone(&plan), Environment::default(), 0);
    let mut live = Vec::new();
    for (nth, at) in replies.into_iter().enumerate() {
        if nth == 3 {
            session = Session::restore(&plan, &session.save()).expect("the same plan");
        }
        live.extend(notices(&mut session, &lines[..at]));
    }
    let (_, text) = session.take_recording().expect("a recording");
    let read = transcript::read(text.as_bytes(), None).expect("a recording").transcripts.remove(0);
    let trace = replay(&plan, &read, &Options::default(), &mut ConstantSummariser(String::new()), &mut |_| {});
    let mut again: Vec<String> = trace.notices().map(|(_, _, text)| text.to_owned()).collect();
    again.truncate(live.len());
    assert!(again.len() >= 4);
    assert_eq!(again, live[..again.len()]);
    assert!(live[2].starts_with("2 notes.txt, a.rs, b.rs 2 "), "{live:?}");
}

#[test]
fn a_host_tells_which_sub_agent_it_is_and_the_recording_repeats_it() {
    let text = "edition 2026\npolicy p { rule say { do notify \"{agent.name ?? \"main\"} {agent.depth}\" } }\n";
    let plan = trimtab::compile("p.trim", text).plan(None).unwrap();
    let body = r#"{"model": "m", "messages": [{"role": "user", "content": "go"}]}"#;
    let said = |host: Host| {
        let mut session = trimtab::Session::new(&plan, host);
        let trimtab::Next::Send(request) = session.before_request(Dialect::OpenAiChat, body, None).unwrap() else {
            panic!("a request")
        };
        request.firings[0].notice.clone().unwrap()
    };
    assert_eq!(said(Host::new()), "main 0");
    assert_eq!(said(Host::new().sub_agent("explore", 2)), "explore 2");
}

#[test]
fn a_recording_names_its_sub_agent() {
    let lines = |header: Json| {
        let text = format!("{header}\n{}\n{}\n", user("Go."), json!({ "role": "assistant", "content": "Yes." }));
        let transcript = transcript::read(text.as_bytes(), Some("trimtab")).expect("a recording").transcripts.remove(0);
        let again = transcript::read(transcript::write(&transcript).as_bytes(), None).expect("a recording");
        assert_eq!(again.transcripts[0].agent_depth(), transcript.agent_depth());
        let said = trace("rule say { do notify \"{agent.name ?? \"main\"} {agent.depth}\" }", &transcript);
        said.notices().next().map(|(_, _, text)| text.to_owned()).unwrap()
    };
    assert_eq!(lines(json!({ "trimtab": 1 })), "main 0");
    assert_eq!(lines(json!({ "trimtab": 1, "agent": "explore" })), "explore 1");
    assert_eq!(lines(json!({ "trimtab": 1, "agent": "explore", "agent_depth": 3 })), "explore 3");
    assert_eq!(lines(json!({ "trimtab": 1, "agent_depth": 2 })), "main 2");
}
