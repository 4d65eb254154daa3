//! Generated session files of Claude Code, compared with a simple account of the calls that they contain.

mod generated;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use trimtab::conversation::{Body, Message, Role, Usage};
use trimtab::simulate::ResetCause;
use trimtab::transcript::{self, Transcript};

use crate::laws::{contexts, plan};
use generated::{Account, Event, Writer};

const IDLE: &str = "edition 2026\npolicy p { rule n { do notify \"\" } }";

fn read(text: &str) -> Vec<Transcript> {
    transcript::read(text.as_bytes(), Some("claude_code")).unwrap().transcripts
}

fn written(events: &[Event]) -> (Vec<Transcript>, Account) {
    let mut writer = Writer::default();
    for event in events {
        writer.write(event);
    }
    let (text, account) = writer.finish();
    (read(&text), account)
}

fn calls(transcript: &Transcript) -> Vec<Option<u64>> {
    let replies = transcript.messages.iter().filter(|message| message.is_reply());
    replies.map(|reply| reply.usage.map(Usage::context)).collect()
}

fn people(transcript: &Transcript) -> Vec<String> {
    let is_prompt =
        |message: &&std::sync::Arc<Message>| message.role == Role::User && !message.harness && !message.kept;
    let prompts = transcript.messages.iter().filter(is_prompt);
    prompts.map(|message| message.plain_text()).filter(|text| !text.is_empty()).collect()
}

/// The images of a message, also inside its results.
fn images(message: &Message) -> Vec<&Body> {
    let attached = message.results().flat_map(|result| &result.attachments);
    let bodies = message.parts.iter().map(|part| &part.body).chain(attached);
    bodies.filter(|body| matches!(body, Body::Image { .. })).collect()
}

fn check(transcripts: &[Transcript], account: &Account) -> Result<(), TestCaseError> {
    let by_id: BTreeMap<&str, &Transcript> =
        transcripts.iter().map(|transcript| (transcript.id.as_str(), transcript)).collect();
    prop_assert_eq!(by_id.len(), transcripts.len());
    let main = transcripts.iter().find(|transcript| transcript.agent.is_none());
    prop_assert_eq!(main.map(calls).unwrap_or_default(), account.calls.clone());
    prop_assert_eq!(main.map(people).unwrap_or_default(), account.prompts.clone());
    for (agent, calls_of) in &account.agents {
        let side = transcripts.iter().find(|transcript| transcript.agent.as_deref() == Some(agent.as_str()));
        prop_assert_eq!(side.map(calls).unwrap_or_default(), calls_of.clone(), "{}", agent);
    }
    prop_assert_eq!(transcripts.iter().filter(|transcript| transcript.agent.is_some()).count(), account.agents.len());
    let skipped = |kind: &str| transcripts.first().and_then(|one| one.skipped.get(kind)).copied().unwrap_or(0);
    prop_assert_eq!(skipped("other branch"), account.abandoned);
    prop_assert_eq!(skipped("repeated record"), account.repeated);
    prop_assert_eq!(skipped("API error"), account.failed);
    let messages = || main.into_iter().flat_map(|main| &main.messages);
    prop_assert_eq!(messages().filter(|message| message.resets).count(), account.resets);
    for image in messages().flat_map(|message| images(message)) {
        let is_measured = matches!(image, Body::Image { size: Some(size), .. } if size.width.max(size.height) < 4000);
        prop_assert!(is_measured, "{image:?}");
    }
    let cleared = messages().filter_map(|message| message.cleared()).map(|cleared| cleared.results.len());
    prop_assert_eq!(cleared.sum::<usize>(), account.cleared);
    Ok(())
}

proptest! {
    #![proptest_config(crate::generated::cases(300))]

    #[test]
    fn every_reply_is_one_call_of_one_conversation_or_on_another_branch(events in generated::events()) {
        let (transcripts, account) = written(&events);
        check(&transcripts, &account)?;
        for transcript in &transcripts {
            let text = transcript::write(transcript);
            let again = transcript::read(text.as_bytes(), Some("trimtab")).unwrap().transcripts.remove(0);
            prop_assert_eq!(&again.messages, &transcript.messages);
        }
    }

    #[test]
    fn no_context_of_a_session_is_smaller_than_its_overhead(
        events in generated::events(), policy in crate::generated::policy(),
    ) {
        let (transcripts, account) = written(&events);
        for transcript in &transcripts {
            for text in [IDLE, &policy] {
                let (trace, _) = contexts(&plan(text), transcript, false);
                prop_assert!(trace.invariants.broken.is_empty(), "{text}\n{:?}", trace.invariants.broken);
                prop_assert_eq!(trace.calls.len(), calls(transcript).len());
                for call in &trace.calls {
                    prop_assert!(call.before >= call.overhead && (!call.made || call.after >= call.overhead), "{call:?}");
                }
            }
        }
        let main = transcripts.iter().find(|transcript| transcript.agent.is_none());
        if let Some(main) = main.filter(|main| !main.messages.is_empty()) {
            let (trace, _) = contexts(&plan(IDLE), main, false);
            let explained = trace.resets.iter().filter(|reset| reset.cause != ResetCause::Unexplained).count();
            prop_assert_eq!(explained, account.resets);
            prop_assert_eq!(trace.saved(), 0);
        }
    }
}

fn main_of(lines: &[Json]) -> Transcript {
    let text: Vec<String> = lines.iter().map(Json::to_string).collect();
    read(&text.join("\n")).remove(0)
}

fn user(uuid: &str, parent: Option<&str>, content: &Json) -> Json {
    json!({ "type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s",
        "message": { "role": "user", "content": content } })
}

fn reply(uuid: &str, parent: &str, content: &Json, input: u64) -> Json {
    json!({ "type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "requestId": uuid,
        "message": { "id": uuid, "role": "assistant", "model": "claude-opus-4-5", "content": [content],
            "usage": { "input_tokens": input, "output_tokens": 9 } } })
}

fn call(id: &str) -> Json {
    json!({ "type": "tool_use", "id": id, "name": "Bash", "input": {} })
}

fn text_part(text: &str) -> Json {
    json!({ "type": "text", "text": text })
}

fn result(id: &str) -> Json {
    json!([{ "type": "tool_result", "tool_use_id": id, "content": "out" }])
}

fn queue(operation: &str, content: Option<&str>) -> Json {
    let mut json = json!({ "type": "queue-operation", "operation": operation, "sessionId": "s", "timestamp": "t" });
    if let Some(content) = content {
        json["content"] = content.into();
    }
    json
}

fn roles(transcript: &Transcript) -> String {
    let letter = |message: &std::sync::Arc<Message>| match (message.role, message.harness) {
        (Role::User, true) => 'h',
        (Role::User, false) => 'u',
        (Role::Assistant, _) => 'a',
        (Role::Tool, _) => 't',
        (Role::System, _) => 's',
    };
    transcript.messages.iter().map(letter).collect()
}

#[test]
fn a_queued_prompt_without_its_own_record_comes_after_the_results_of_the_open_calls() {
    let lines = |removal: &str, then: &[Json]| {
        let head = [
            user("u1", None, &json!("go")),
            reply("a1", "u1", &call("c1"), 100),
            queue("enqueue", Some("and mind the tests")),
            queue("enqueue", Some("<task-notification>done</task-notification>")),
            queue(removal, None),
            queue("remove", None),
            user("r1", Some("a1"), &result("c1")),
            reply("a2", "r1", &text_part("done"), 150),
        ];
        main_of(&[&head[..], then].concat())
    };
    let read = lines("remove", &[]);
    assert_eq!(roles(&read), "uatuha");
    assert_eq!(
        (read.messages[3].plain_text().as_str(), read.messages[3].at.as_deref()),
        ("and mind the tests", Some("t"))
    );
    assert!(!contexts(&plan(IDLE), &read, false).0.calls.is_empty());
    let recorded = [user("u2", Some("a2"), &json!("and mind the tests")), reply("a3", "u2", &text_part("yes"), 200)];
    assert_eq!(roles(&lines("dequeue", &recorded)), "uathaua", "its record follows");
    assert_eq!(roles(&lines("popAll", &[])), "uata", "what went back to the person was never sent");
    let attached = json!({ "type": "attachment", "uuid": "q1", "parentUuid": "a2", "sessionId": "s",
        "attachment": { "type": "queued_command", "prompt": "and mind the tests" } });
    assert_eq!(roles(&lines("remove", &[attached, reply("a3", "q1", &text_part("yes"), 200)])), "uathaua");
}

#[test]
fn a_second_root_continues_the_session_and_a_rewind_starts_another_branch() {
    let lines = [
        user("u1", None, &json!("plan it")),
        reply("a1", "u1", &text_part("one"), 40_000),
        user("x1", Some("a1"), &json!("no")),
        reply("x2", "x1", &text_part("left"), 41_000),
        user("u2", Some("a1"), &json!("yes")),
        reply("a2", "u2", &call("c1"), 42_000),
        user("r2", Some("a2"), &result("c1")),
        user("u3", None, &json!("Implement the plan.")),
        reply("a3", "u3", &text_part("done"), 20_000),
    ];
    let read = main_of(&lines);
    assert_eq!(roles(&read), "uauatua");
    assert_eq!(read.skipped.get("other branch"), Some(&2));
    let marks: Vec<_> = read.messages.iter().map(|message| (message.resets, message.run)).collect();
    assert_eq!(marks[5], (true, Some(true)));
    assert!(marks[..5].iter().all(|mark| *mark == (false, None)));
    let (trace, _) = contexts(&plan(IDLE), &read, false);
    assert_eq!(
        trace.resets.iter().map(|reset| (reset.call, reset.cause)).collect::<Vec<_>>(),
        [(2, ResetCause::Cleared)]
    );
    assert_eq!((trace.calls.len(), trace.calls[2].run), (3, 2), "the prompt begins a run although a loop was open");
}

#[test]
fn sub_agents_in_progress_records_are_conversations_of_their_own() {
    let within = |uuid: &str, parent: &str, inner: Json| {
        json!({ "type": "progress", "uuid": uuid, "parentUuid": parent, "sessionId": "s",
            "data": { "type": "agent_progress", "agentId": "abc", "message": inner, "normalizedMessages": [] } })
    };
    let inner = |uuid: &str, role: &str, content: Json| json!({ "type": role, "uuid": uuid, "message": content });
    let answer = json!({ "id": "m9", "role": "assistant", "model": "small", "content": [text_part("found")],
        "usage": { "input_tokens": 77, "output_tokens": 5 } });
    let lines = [
        user("u1", None, &json!("go")),
        reply("a1", "u1", &call("c1"), 100),
        within("p1", "a1", inner("n1", "user", json!({ "role": "user", "content": "look" }))),
        within("p2", "p1", inner("n2", "assistant", answer)),
        user("r1", Some("a1"), &result("c1")),
        reply("a2", "p2", &text_part("done"), 150),
    ];
    let text: Vec<String> = lines.iter().map(Json::to_string).collect();
    let text = text.join("\n");
    let transcripts = read(&text);
    let found: Vec<_> =
        transcripts.iter().map(|transcript| (transcript.id.as_str(), roles(transcript), calls(transcript))).collect();
    assert_eq!(found, [("s", "uata".to_owned(), vec![Some(100), Some(150)]), ("abc", "ua".to_owned(), vec![Some(77)])]);
    assert_eq!(transcripts[0].skipped.get("progress"), None);

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.jsonl"), &text).unwrap();
    let ids = |json: &Json| -> Vec<String> {
        let ids = json["transcripts"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
        ids.map(|id| id.rsplit('/').next().unwrap().to_owned()).collect()
    };
    let run = || {
        crate::cli::Run::line("simulate policies/coding_agent.trim --format json")
            .arg(folder.path())
            .output()
            .exits_with(0)
            .json()
    };
    assert_eq!(ids(&run()), ["s.jsonl#s", "s.jsonl#abc"]);
    let own = json!({ "type": "user", "uuid": "n1", "sessionId": "s", "isSidechain": true, "agentId": "abc",
        "message": { "role": "user", "content": "look" } });
    std::fs::write(folder.path().join("agent-abc.jsonl"), own.to_string()).unwrap();
    let json = run();
    assert_eq!(ids(&json), ["agent-abc.jsonl", "s.jsonl"]);
    assert_eq!(json["transcripts"][1]["skipped"]["sub-agent in a file of its own"], 1);
    let output = |line: &str| crate::cli::Run::line(line).arg(folder.path()).output();
    let files = output("transcript stat --format json").exits_with(0).json()["files"].clone();
    let sum = |key: &str| files.as_array().unwrap().iter().map(|file| file[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("conversations"), sum("usage")), (2, 2), "the own file lacks the reply of the agent");
    assert_eq!(ids(&output("transcript show --format json").exits_with(0).json()), ["agent-abc.jsonl", "s.jsonl"]);
    let converted = output("transcript convert --to trimtab").exits_with(0).out;
    assert_eq!(converted.lines().filter(|line| line.contains(r#""trimtab":1"#)).count(), 2);
    assert_eq!(output("transcript validate --format json").json()["summary"]["transcripts"], 2);
}

#[test]
fn files_in_unsupported_formats_are_one_line_per_tool() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    for at in 0..5 {
        write(&format!("shelly_{at}.json"), r#"{"agent":"a","provider":"b","msg_count":0}"#);
    }
    write("settings.json", r#"{"a":1}"#);
    write("other.json", r#"{"b":1}"#);
    write("read.jsonl", r#"{"trimtab":1}"#);
    let run = |more: &str| {
        crate::cli::Run::line(&format!("simulate policies/coding_agent.trim --format json {more}"))
            .arg(folder.path())
            .output()
    };
    let output = run("").exits_with(0);
    assert_eq!(output.json()["errors"].as_array().map(Vec::len), Some(7), "the JSON form lists each");
    let lines: Vec<&str> = output.err.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(lines.len(), 2, "{}", output.err);
    assert!(lines.iter().any(
        |line| line.contains("5 files of shelly are in an unsupported format: ") && line.contains(" and 2 more; ")
    ));
    assert!(lines.iter().any(|line| line.contains("2 files are in no known format: ")));
    assert!(!output.err.contains("--input-format"));
    for format in transcript::FORMATS.iter().map(|format| format.name) {
        let run = crate::cli::Run::line(&format!("simulate policies/coding_agent.trim --input-format {format}"));
        let output = run.arg(folder.path().join("shelly_0.json")).output().exits_with(2);
        assert!(output.err.contains(format) && output.err.contains("shelly"), "{}", output.err);
    }
}

/// A session whose file begins with the reply to a prompt of another file.
fn resumed(replies: u64) -> String {
    let mut lines = Vec::new();
    let mut parent = "in another file".to_owned();
    for at in 0..replies {
        let (reply_id, call_id, result_id) = (format!("a{at}"), format!("c{at}"), format!("r{at}"));
        lines.push(reply(&reply_id, &parent, &call(&call_id), 150_000 + at * 900).to_string());
        let text = "word ".repeat(600);
        let content = json!([{ "type": "tool_result", "tool_use_id": call_id, "content": text }]);
        lines.push(user(&result_id, Some(&reply_id), &content).to_string());
        parent = result_id;
    }
    lines.join("\n")
}

#[test]
fn history_of_another_file_is_neither_system_prompt_nor_tools() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("s.jsonl", &resumed(12));
    write("p.trim", "edition 2026\npolicy p { rule big { when share.tools >= 50% do notify \"large\" once } }");
    let run = |line: &str| crate::cli::Run::line(line).current_dir(folder.path()).output().exits_with(0);
    let content = run("suggest s.jsonl --format json").json()["observed"]["content"].clone();
    let tokens = |kind: &str| {
        let found = content.as_array().unwrap().iter().find(|one| one["content"] == kind);
        found.map_or(0, |one| one["tokens"].as_u64().unwrap())
    };
    assert_eq!(tokens("system prompt and tools"), 0, "{content}");
    assert!(tokens("not in the recording") > 12 * 140_000, "{content}");
    let replay = run("simulate p.trim s.jsonl --format json").json()["transcripts"][0].clone();
    assert_eq!(replay["rules"][0]["fired"], 0);
    let note = "in the middle of the session";
    for line in ["suggest s.jsonl", "simulate p.trim s.jsonl --verbose", "transcript show s.jsonl"] {
        let out = run(line).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(out.contains(note), "{line}\n{out}");
    }
    // With a recorded beginning, the same sizes are those of the system prompt and the tools.
    let whole = resumed(12).replace("in another file", "u0");
    write("s.jsonl", &format!("{}\n{whole}", user("u0", None, &json!("go"))));
    let out = run("suggest s.jsonl").out;
    assert!(out.contains("system prompt and tools") && !out.contains("not in the recording"), "{out}");
    assert_eq!(run("simulate p.trim s.jsonl --format json").json()["transcripts"][0]["rules"][0]["fired"], 1);
}

#[test]
fn the_call_of_a_compaction_belongs_to_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("s/subagents");
    std::fs::create_dir_all(&agents).unwrap();
    let timed = |mut line: Json, seconds: u8| {
        line["timestamp"] = format!("2026-01-01T10:00:{seconds:02}Z").into();
        line.to_string()
    };
    let session = [
        timed(user("u1", None, &json!("go")), 0),
        timed(reply("a1", "u1", &text_part("one"), 100), 1),
        timed(user("u2", Some("a1"), &json!("on")), 30),
        timed(reply("a2", "u2", &text_part("two"), 150), 31),
    ];
    std::fs::write(folder.path().join("s.jsonl"), session.join("\n")).unwrap();
    let mut own = reply("x1", "x0", &text_part("A summary."), 5000);
    (own["isSidechain"], own["agentId"]) = (true.into(), "acompact-1".into());
    std::fs::write(agents.join("agent-acompact-1.jsonl"), timed(own, 20)).unwrap();
    std::fs::write(agents.join("agent-acompact-1.meta.json"), r#"{"agentType":"compact"}"#).unwrap();
    let run = |line: &str| crate::cli::Run::line(line).arg(folder.path()).output().exits_with(0);
    let converted = run("transcript convert --to trimtab").out;
    let lines: Vec<Json> = converted.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6, "{converted}");
    assert_eq!(lines[3]["harness_call"]["usage"]["input"], 5000);
    let files = run("transcript stat --format json").json()["files"].clone();
    let sum: u64 = files.as_array().unwrap().iter().map(|file| file["conversations"].as_u64().unwrap()).sum();
    assert_eq!(sum, 1, "{files}");
    let err = run("transcript stat").err;
    assert!(err.is_empty(), "{err}");
}
