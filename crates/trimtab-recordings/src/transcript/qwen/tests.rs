use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Compaction, Role, Usage};

use crate::transcript::{self, HarnessCallKind, Transcript};

fn read(records: &[Json]) -> Vec<Transcript> {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let file = transcript::read(lines.as_bytes(), None).expect("reads");
    assert_eq!(file.format, "qwen");
    file.transcripts
}

/// A record after the one before it.
fn record(number: u64, kind: &str, parts: &Json) -> Json {
    let role = if kind == "assistant" { "model" } else { "user" };
    let parent = number.checked_sub(1).map(|number| format!("u{number}"));
    json!({"uuid": format!("u{number}"), "parentUuid": parent, "sessionId": "s", "timestamp": format!("t{number}"),
        "type": kind, "model": "qwen3-coder-plus", "message": {"role": role, "parts": parts}})
}

fn call(number: u64) -> Json {
    let parts = json!([{"functionCall": {"id": "c1", "name": "ls", "args": {}}}]);
    let mut record = record(number, "assistant", &parts);
    record["usageMetadata"] = json!({"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 7,
        "thoughtsTokenCount": 3, "totalTokenCount": 107});
    record["contextWindowSize"] = 1000.into();
    record
}

fn result(number: u64, status: &str) -> Json {
    let parts = json!([{"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "x"}}}]);
    let mut record = record(number, "tool_result", &parts);
    record["toolCallResult"] = json!({"callId": "c1", "status": status});
    record
}

fn roles(transcript: &Transcript) -> String {
    transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
}

#[test]
fn contents_are_messages_with_usage_window_and_failed_results() {
    let read = read(&[record(0, "user", &json!([{"text": "go"}])), call(1), result(2, "error")]).remove(0);
    assert_eq!((roles(&read).as_str(), read.window, read.id.as_str()), ("uat", Some(1000), "s"));
    let usage = Usage { input: 40, cache_read: 60, output: 7, ..Usage::default() };
    assert_eq!(read.messages[1].usage, Some(usage));
    assert!(read.messages[2].results().all(|result| result.is_error && result.id == "c1"));
}

#[test]
fn only_the_branch_of_the_last_record_is_read_and_a_sub_agent_is_a_transcript_of_its_own() {
    let prompt = |number| record(number, "user", &json!([{"text": "go"}]));
    let mut again = record(3, "user", &json!([{"text": "again"}]));
    again["parentUuid"] = Json::Null;
    let mut agent = record(9, "assistant", &json!([{"text": "found"}]));
    agent["agentId"] = "explore-1".into();
    let read = read(&[prompt(0), call(1), agent, again]);
    assert_eq!(read.iter().map(roles).collect::<Vec<_>>(), ["u", "a"]);
    assert_eq!(read[0].skipped.get("other branch"), Some(&2));
    let calls: Vec<_> =
        read[0].harness_calls.iter().map(|call| (call.kind, call.messages, call.usage.output)).collect();
    assert_eq!(calls, [(HarnessCallKind::Branch, 0, 7)]);
    assert_eq!(read[1].agent.as_deref(), Some("explore-1"));
}

/// A record of the system with these keys.
fn system(number: u64, keys: &Json) -> Json {
    let mut system = record(number, "system", &json!([]));
    system.as_object_mut().expect("an object").remove("message");
    for (key, value) in keys.as_object().into_iter().flatten() {
        system[key] = value.clone();
    }
    system
}

/// The event of an API call.
fn api_response(number: u64, counts: [u64; 4], more: &Json) -> Json {
    let [input, cached, output, thoughts] = counts;
    let mut event = json!({"event.name": "qwen-code.api_response", "model": "qwen3-coder-plus", "input_token_count": input,
        "cached_content_token_count": cached, "output_token_count": output, "thoughts_token_count": thoughts,
        "total_token_count": input + output});
    for (key, value) in more.as_object().into_iter().flatten() {
        event[key] = value.clone();
    }
    system(number, &json!({"subtype": "ui_telemetry", "systemPayload": {"uiEvent": event}}))
}

#[test]
fn an_api_call_without_a_reply_is_a_call_of_the_harness() {
    let compression = json!({"subtype": "chat_compression", "systemPayload": {
        "info": {"originalTokenCount": 107, "triggerReason": "manual"},
        "compressedHistory": [{"role": "user", "parts": [{"text": "summary"}]}]}});
    let read = read(&[
        record(0, "user", &json!([{"text": "go"}])),
        api_response(1, [100, 60, 7, 3], &json!({})),
        call(2),
        result(3, "success"),
        api_response(4, [50, 0, 5, 0], &json!({"subagent_name": "explore"})),
        api_response(5, [110, 0, 9, 0], &json!({"prompt_id": "compress-1"})),
        system(6, &compression),
        record(7, "user", &json!([{"text": "more"}])),
        call(8),
        api_response(9, [100, 60, 7, 3], &json!({})),
    ]);
    let read = &read[0];
    let calls: Vec<_> = read.harness_calls.iter().map(|call| (call.messages, call.usage)).collect();
    assert_eq!(calls, [(3, Usage { input: 110, output: 9, ..Usage::default() })]);
    assert!(read.messages.iter().filter_map(|message| message.compaction()).all(|compaction| !compaction.automatic));
}

#[test]
fn a_compression_resets_the_context_with_its_history() {
    let compression = |number: u64, keys: Json| system(number, &keys);
    let history = json!([{"role": "user", "parts": [{"text": "<state_snapshot>x"}]}, {"role": "model", "parts": [{"text": "Got it."}]}]);
    let command =
        json!({"subtype": "slash_command", "systemPayload": {"phase": "invocation", "rawCommand": "/compress"}});
    let payload = json!({"subtype": "chat_compression", "systemPayload": {"info": {"originalTokenCount": 900}, "compressedHistory": history}});
    let records = [
        record(0, "user", &json!([{"text": "go"}])),
        compression(1, command),
        compression(2, payload.clone()),
        record(3, "user", &json!([{"text": "more"}])),
        compression(4, payload),
    ];
    let read = read(&records).remove(0);
    let resets: Vec<_> = read.messages.iter().map(|message| (message.resets, message.harness)).collect();
    assert_eq!(resets, [(false, false), (true, true), (false, false), (true, true)]);
    let stated: Vec<_> = read.messages.iter().filter_map(|message| message.compaction()).collect();
    let compaction = |automatic| Compaction { automatic, tokens: Some(900), ..Compaction::default() };
    assert_eq!(stated, [compaction(false), compaction(true)]);
    assert!(read.messages.iter().all(|message| message.role == Role::User));
}
