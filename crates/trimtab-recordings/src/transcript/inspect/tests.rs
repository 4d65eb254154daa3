#![expect(clippy::needless_pass_by_value, reason = "the tests pass literals")]

use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role, Usage};
use zip::CompressionMethod;

use crate::transcript::archive::tests::archive;
use crate::transcript::{self, ReadFile, Transcript};

fn reply(id: &str, content: &str) -> Json {
    json!({ "id": id, "role": "assistant", "source": "generate", "content": content })
}

fn user(content: &str) -> Json {
    json!({ "id": content, "role": "user", "source": "input", "content": content })
}

/// A model event with further fields `extra`.
fn model(reply: &Json, usage: Json, extra: Json) -> Json {
    let mut event = json!({ "event": "model", "model": "openai/m", "completed": "2026-02-03T04:05:06+00:00" });
    event["output"] = json!({ "model": "m-1", "choices": [{ "message": reply }] });
    event["output"]["usage"] = usage;
    if let (Json::Object(event), Json::Object(extra)) = (&mut event, extra) {
        event.extend(extra);
    }
    event
}

fn log(samples: Json) -> String {
    json!({ "version": 2, "eval": { "model": "openai/m", "created": "2026-02-03" }, "plan": {}, "samples": samples })
        .to_string()
}

fn read(text: &str) -> ReadFile {
    let file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!(file.format, "inspect");
    file
}

fn read_one(sample: Json) -> Transcript {
    let mut file = read(&log(json!([sample])));
    assert_eq!(file.transcripts.len(), 1);
    file.transcripts.remove(0)
}

#[test]
fn each_sample_is_a_transcript() {
    let samples = json!([{ "id": 7, "epoch": 2, "messages": [user("a")] }, { "id": "x", "input": "b" }]);
    let ids: Vec<_> = read(&log(samples)).transcripts.into_iter().map(|read| (read.id, read.messages.len())).collect();
    assert_eq!(ids, [("7_epoch_2".to_owned(), 1), ("x_epoch_1".to_owned(), 1)]);
    let empty = read(&log(json!([])));
    assert_eq!((empty.transcripts[0].messages.len(), empty.transcripts[0].model.as_deref()), (0, Some("openai/m")));
}

#[test]
fn an_archive_is_read_like_a_log() {
    let sample = json!({ "id": 1, "epoch": 1, "messages": [user("a")] });
    let header = r#"{"eval":{"model":"openai/m","created":"2026-02-03"}}"#;
    let members = [
        ("_journal/start.json", header),
        ("samples/1_epoch_1.json", &sample.to_string()),
        ("samples/2_epoch_1.json", "{\"id\":2,"),
        ("summaries.json", "[]"),
        ("header.json", header),
    ];
    for method in [CompressionMethod::Deflated, CompressionMethod::Zstd] {
        let file = transcript::read(&archive(method, &members), None).expect("reads");
        let mut expected = read(&log(json!([sample]))).transcripts;
        expected[0].skipped.insert("broken line".to_owned(), 1);
        assert_eq!((file.format, file.transcripts), ("inspect", expected));
    }
}

#[test]
fn an_archive_of_another_tool_is_named_in_the_error() {
    let error = transcript::read(&archive(CompressionMethod::Deflated, &[("a.json", "{}")]), None).expect_err("no log");
    assert!(error.message.starts_with("unrecognised recording format: the file contains a ZIP archive;"), "{error}");
}

#[test]
fn usage_and_time_of_a_reply_come_from_its_model_event() {
    let replies = [reply("r1", "x"), reply("r2", "y")];
    let openai =
        json!({ "input_tokens": 100, "output_tokens": 10, "total_tokens": 110, "input_tokens_cache_read": 60 });
    let anthropic = json!({ "input_tokens": 3, "output_tokens": 10, "total_tokens": 113, "input_tokens_cache_read": 60, "input_tokens_cache_write": 40 });
    let tools = json!({ "tools": [{ "name": "ls", "description": "attachment://d", "parameters": {} }] });
    let read = read_one(json!({
        "id": 1, "messages": [user("a"), replies[0], user("b"), replies[1]], "attachments": { "d": "Lists files." },
        "events": [model(&replies[0], openai, tools), model(&replies[1], anthropic, json!({}))],
    }));
    let usage: Vec<_> = read.messages.iter().filter_map(|message| message.usage).collect();
    let first = Usage { input: 40, cache_read: 60, cache_write: 0, output: 10, ..Usage::default() };
    assert_eq!(usage, [first, Usage { input: 3, cache_read: 60, cache_write: 40, output: 10, ..Usage::default() }]);
    assert_eq!(read.messages[1].at.as_deref(), Some("2026-02-03T04:05:06+00:00"));
    assert_eq!((read.model.as_deref(), read.tools[0].description.as_deref()), (Some("m-1"), Some("Lists files.")));
}

#[test]
fn the_output_of_a_sample_gives_the_last_reply_usage_when_there_are_no_events() {
    let output = json!({ "model": "m", "usage": { "input_tokens": 5, "output_tokens": 2 } });
    let read = read_one(json!({ "id": 1, "messages": [user("a"), reply("r", "x")], "output": output }));
    assert_eq!(read.messages[1].usage, Some(Usage { input: 5, output: 2, ..Usage::default() }));
}

#[test]
fn calls_results_and_reasoning_are_parts_of_messages() {
    let calls = json!([{ "id": "c1", "function": "ls", "arguments": { "p": 1 } }, { "id": "c2", "function": "cat", "arguments": {} }]);
    let content =
        json!([{ "type": "reasoning", "reasoning": "hm", "signature": "s" }, { "type": "text", "text": "Look." }]);
    let error = json!({ "type": "timeout", "message": "too slow" });
    let read = read_one(json!({ "id": 1, "messages": [
        { "role": "assistant", "content": content, "tool_calls": calls },
        { "role": "tool", "tool_call_id": "c1", "function": "ls", "content": "out" },
        { "role": "tool", "tool_call_id": "c2", "function": "cat", "content": "", "error": error },
        { "role": "elf" },
    ] }));
    let thinking = Body::Thinking { text: "hm".into(), signature: Some("s".into()) };
    assert_eq!(read.messages[0].parts[0].body, thinking);
    assert_eq!(read.messages[0].parts[2], Part::call("c1", "ls", Arguments::from(json!({ "p": 1 }))));
    let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
    let results: Vec<_> =
        results.iter().map(|result| (result.id.as_str(), result.text.as_ref(), result.is_error)).collect();
    assert_eq!(results, [("c1", "out", false), ("c2", "too slow", true)]);
    assert_eq!(read.skipped.get("message without a known role"), Some(&1));
}

#[test]
fn attachments_replace_the_references_to_them() {
    let parts = json!([{ "type": "text", "text": "attachment://b" }, { "type": "image", "image": "attachment://i" }]);
    let read = read_one(json!({
        "id": 1, "messages": [user("attachment://a"), { "role": "user", "content": parts }, user("attachment://none")],
        "attachments": { "a": "long \"text\"", "b": "more", "i": "data:image/png;base64,TWFu" },
    }));
    let texts: Vec<_> = read.messages.iter().map(|message| message.plain_text()).collect();
    assert_eq!(texts, ["long \"text\"", "more", "attachment://none"]);
    assert_eq!(read.messages[1].parts[1].body, Body::Image { media_type: "image/png".into(), bytes: 3, size: None });
}

#[test]
fn a_sub_agent_is_a_transcript_and_the_calls_of_scorers_are_skipped() {
    let main = reply("r1", "x");
    let span =
        |id: &str, kind: &str, name: &str| json!({ "event": "span_begin", "id": id, "type": kind, "name": name });
    let call = json!([user("find it")]);
    let pool = json!([user("find it"), reply("s1", "found"), user("sure?")]);
    let read = read(&log(json!([{ "id": 1, "messages": [user("a"), main], "message_pool": pool, "events": [
        span("1", "agent", "searcher"), span("2", "scorer", "judge"), model(&main, json!({}), json!({})),
        model(&reply("s1", "found"), json!({}), json!({ "span_id": "1", "input": call })),
        model(&reply("s2", "yes"), json!({}), json!({ "span_id": "1", "input": [], "input_refs": [[0, 2], [2, 9]] })),
        model(&reply("j", "C"), json!({}), json!({ "span_id": "2", "input": call })),
    ] }])));
    let agents: Vec<_> = read.transcripts.iter().map(|read| (read.id.as_str(), read.agent.as_deref())).collect();
    assert_eq!(agents, [("1_epoch_1", None), ("1_epoch_1/searcher", Some("searcher"))]);
    let texts: Vec<_> = read.transcripts[1].messages.iter().map(|message| message.plain_text()).collect();
    assert_eq!(texts, ["find it", "found", "sure?", "yes"]);
    assert_eq!(read.transcripts[0].skipped.get("model call of a scorer"), Some(&1));
}

#[test]
fn user_messages_of_a_solver_are_from_the_harness() {
    let nudge = json!({ "role": "user", "content": "Please go on." });
    let read = read_one(json!({ "id": 1, "messages": [user("a"), reply("r", "x"), nudge, user("b")] }));
    let harness: Vec<_> = read.messages.iter().map(|message| message.harness).collect();
    assert_eq!(harness, [false, false, true, false]);
    assert_eq!(*read.messages[1], Message::text(Role::Assistant, "x"));
}

#[test]
fn a_model_call_of_no_agent_is_one_of_the_harness() {
    let usage = |input: u64| json!({ "input_tokens": input, "output_tokens": 2, "total_tokens": input + 2 });
    let events = json!([
        model(&reply("r", "yes"), usage(10), json!({})),
        model(&reply("s", "a summary"), usage(70), json!({})),
        { "event": "span_begin", "id": "scorer", "type": "scorer", "name": "judge" },
        model(&reply("t", "good"), usage(500), json!({ "span_id": "scorer" })),
    ]);
    let read = read_one(json!({ "id": 1, "messages": [user("a"), reply("r", "yes")], "events": events }));
    let calls: Vec<_> = read.harness_calls.iter().map(|call| (call.messages, call.usage.context())).collect();
    assert_eq!((read.messages[1].usage.map(Usage::context), calls), (Some(10), vec![(2, 70)]));
}
