use serde_json::json;
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role, Usage};

use crate::transcript::{self, Transcript};

fn read_one(text: &str) -> Transcript {
    let mut file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!((file.format, file.transcripts.len()), ("vercel", 1));
    file.transcripts.remove(0)
}

fn roles(read: &Transcript) -> String {
    read.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
}

fn result(message: &Message) -> (&str, &str, bool) {
    let result = message.results().next().expect("a result");
    (result.id.as_str(), result.text.as_ref(), result.is_error)
}

#[test]
fn each_step_of_a_message_is_a_reply_with_its_results() {
    let parts = json!([
        { "type": "step-start" }, { "type": "text", "text": "I look." },
        { "type": "tool-ls", "toolCallId": "a", "state": "output-available", "input": { "p": 1 }, "output": ["x"] },
        { "type": "dynamic-tool", "toolName": "cat", "toolCallId": "b", "state": "output-error", "input": {}, "errorText": "gone" },
        { "type": "step-start" },
        { "type": "tool-rm", "toolCallId": "c", "state": "input-available", "input": {} },
    ]);
    let read = read_one(&json!([{ "id": "m", "role": "assistant", "parts": parts }]).to_string());
    assert_eq!(roles(&read), "atta");
    assert_eq!(read.messages[0].parts[1], Part::call("a", "ls", Arguments::from(json!({ "p": 1 }))));
    assert_eq!([result(&read.messages[1]), result(&read.messages[2])], [("a", r#"["x"]"#, false), ("b", "gone", true)]);
    assert_eq!(read.messages[3].calls().map(|(_, name, _)| name.as_str()).collect::<Vec<_>>(), ["rm"]);
}

#[test]
fn tool_invocations_of_version_4_are_calls_with_results() {
    let invocation = json!({ "state": "result", "toolCallId": "a", "toolName": "ls", "args": {}, "result": "x" });
    let old = json!([{ "id": "m", "role": "assistant", "content": "ok", "createdAt": "2026-01-02T03:04:05Z", "toolInvocations": [invocation] }]);
    let read = read_one(&old.to_string());
    assert_eq!((roles(&read).as_str(), read.started.as_deref()), ("at", Some("2026-01-02T03:04:05Z")));
    let part = json!({ "type": "tool-invocation", "toolInvocation": invocation });
    let parts = json!([part, { "type": "text", "text": "done" }]);
    let read = read_one(&json!([{ "id": "m", "role": "assistant", "content": "done", "parts": parts }]).to_string());
    assert_eq!((roles(&read).as_str(), result(&read.messages[1])), ("ata", ("a", "x", false)));
}

#[test]
fn messages_of_the_model_have_calls_and_results_in_their_content() {
    let failed = json!({ "type": "error-text", "value": "no" });
    let messages = json!([
        { "role": "assistant", "content": [{ "type": "reasoning", "text": "hm" }, { "type": "tool-call", "toolCallId": "a", "toolName": "ls", "input": {} }] },
        { "role": "tool", "content": [
            { "type": "tool-result", "toolCallId": "a", "toolName": "ls", "output": failed },
            { "type": "tool-result", "toolCallId": "b", "toolName": "ls", "result": { "x": 1 } },
        ] },
    ]);
    let read = read_one(&messages.to_string());
    assert_eq!(roles(&read), "att");
    assert!(matches!(&read.messages[0].parts[0].body, Body::Thinking { text, .. } if text.as_ref() == "hm"));
    assert_eq!([result(&read.messages[1]), result(&read.messages[2])], [("a", "no", true), ("b", r#"{"x":1}"#, false)]);
}

#[test]
fn the_usage_of_a_message_with_several_replies_is_a_total_and_not_read() {
    let usage = json!({ "usage": { "inputTokens": 100, "outputTokens": 5, "cachedInputTokens": 60 }, "model": "m" });
    let text = json!({ "type": "text", "text": "x" });
    let message = |parts: serde_json::Value| {
        json!([{ "id": "m", "role": "assistant", "metadata": usage, "parts": parts }]).to_string()
    };
    let read = read_one(&message(json!([text])));
    assert_eq!(
        read.messages[0].usage,
        Some(Usage { input: 40, cache_read: 60, cache_write: 0, output: 5, ..Usage::default() })
    );
    assert_eq!(read.model.as_deref(), Some("m"));
    let read = read_one(&message(json!([text, { "type": "step-start" }, text])));
    assert!(read.messages.iter().all(|message| message.usage.is_none()));
}

#[test]
fn arguments_may_be_streamed_and_results_may_follow_in_a_later_step() {
    let delta = |id: &str, text: &str| json!({ "type": "tool-input-delta", "toolCallId": id, "inputTextDelta": text });
    let start = |id: &str| json!({ "type": "tool-input-start", "toolCallId": id, "toolName": "ls" });
    let output = |id: &str| json!({ "type": "tool-output-available", "toolCallId": id, "output": id });
    let read = read_one(&json!([
        { "type": "start-step" }, start("a"), delta("a", "{\"p\""), start("b"), delta("a", ":1}"), delta("b", "{}"),
        { "type": "finish-step" }, { "type": "start-step" }, output("a"), output("b"), { "type": "text-delta", "delta": "done" },
    ]).to_string());
    assert_eq!(roles(&read), "atta");
    assert_eq!(read.messages[0].parts[0], Part::call("a", "ls", Arguments::Text("{\"p\":1}".into())));
    assert_eq!(result(&read.messages[2]), ("b", "b", false));
}

#[test]
fn the_chunks_of_a_stream_are_put_together() {
    let chunks = json!([
        { "type": "start" }, { "type": "start-step" }, { "type": "reasoning-start", "id": "r" },
        { "type": "reasoning-delta", "id": "r", "delta": "h" }, { "type": "reasoning-delta", "id": "r", "delta": "m" },
        { "type": "reasoning-end", "id": "r" }, { "type": "tool-input-start", "toolCallId": "a", "toolName": "ls" },
        { "type": "tool-input-available", "toolCallId": "a", "toolName": "ls", "input": { "p": 1 } },
        { "type": "tool-output-available", "toolCallId": "a", "output": "x" }, { "type": "finish-step" },
        { "type": "start-step" }, { "type": "text-start", "id": "t" }, { "type": "text-delta", "id": "t", "delta": "do" },
        { "type": "text-delta", "id": "t", "delta": "ne" }, { "type": "text-end", "id": "t" }, { "type": "finish" },
        { "type": "data-x", "data": 1 },
    ]);
    let read = read_one(&chunks.to_string());
    assert_eq!(roles(&read), "ata");
    assert_eq!(read.messages[0].parts[1], Part::call("a", "ls", Arguments::from(json!({ "p": 1 }))));
    assert_eq!(*read.messages[2], Message::text(Role::Assistant, "done"));
    assert_eq!(read.skipped.get("chunk:data-x"), Some(&1));
}
