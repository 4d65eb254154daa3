#![expect(clippy::needless_pass_by_value, reason = "the tests pass literals")]

use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Arguments, Part, Role, Usage};

use crate::transcript::{self, ReadFile, Transcript};

/// A span as a dump of an SDK has it.
fn span(id: &str, parent: &str, second: u64, attributes: Json) -> Json {
    json!({ "name": id, "spanContext": { "traceId": "t", "spanId": id }, "parentSpanId": parent, "startTime": [second, 0],
        "endTime": [second + 1, 0], "attributes": attributes })
}

/// Attributes of a call with these messages in the `GenAI` conventions.
fn chat(input: Json, output: &str, usage: (u64, u64)) -> Json {
    let reply = json!([{ "role": "assistant", "parts": [{ "type": "text", "content": output }] }]);
    json!({ "gen_ai.operation.name": "chat", "gen_ai.input.messages": input.to_string(), "gen_ai.output.messages": reply,
        "gen_ai.usage.input_tokens": usage.0, "gen_ai.usage.cache_read.input_tokens": usage.1, "gen_ai.response.model": "m" })
}

fn text(role: &str, text: &str) -> Json {
    json!({ "role": role, "parts": [{ "type": "text", "content": text }] })
}

fn read(spans: Json) -> ReadFile {
    let file = transcript::read(spans.to_string().as_bytes(), None).expect("reads");
    assert_eq!(file.format, "otel");
    file
}

fn read_one(spans: Json) -> Transcript {
    let mut file = read(spans);
    assert_eq!(file.transcripts.len(), 1);
    file.transcripts.remove(0)
}

fn roles(read: &Transcript) -> String {
    read.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
}

#[test]
fn each_span_adds_its_new_messages_and_its_usage() {
    let again = json!([text("user", "go"), text("assistant", "hello"), text("user", "again")]);
    let read = read_one(json!([
        span("2", "", 20, chat(again, "bye", (30, 20))),
        span("1", "", 10, chat(json!([text("user", "go")]), "hello", (10, 0))),
        span("3", "", 30, json!({ "http.method": "GET" })),
    ]));
    assert_eq!((roles(&read).as_str(), read.id.as_str(), read.model.as_deref()), ("uaua", "t", Some("m")));
    let usage: Vec<_> = read.messages.iter().filter_map(|message| message.usage).collect();
    let last = Usage { input: 10, cache_read: 20, ..Usage::default() };
    assert_eq!(usage, [Usage { input: 10, ..Usage::default() }, last]);
    assert_eq!(read.messages[1].at.as_deref(), Some("1970-01-01T00:00:11.000Z"));
    assert_eq!(read.skipped.get("span:other"), Some(&1));
}

#[test]
fn otlp_in_one_object_and_in_lines_is_the_same() {
    let attributes = json!([{ "key": "gen_ai.operation.name", "value": { "stringValue": "chat" } },
        { "key": "gen_ai.input.messages", "value": { "stringValue": json!([text("user", "go")]).to_string() } }]);
    let span =
        |id: &str| json!({ "traceId": id, "spanId": "1", "startTimeUnixNano": "1000000000", "attributes": attributes });
    let group = |spans: Json| json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] });
    let one = read(group(json!([span("a"), span("b")])));
    let ids: Vec<_> = one.transcripts.iter().map(|read| read.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    let lines = format!("{}\n{}\n{{\"reso", group(json!([span("a")])), group(json!([span("b")])));
    let lines = transcript::read(lines.as_bytes(), None).expect("reads");
    assert_eq!(lines.transcripts[1], one.transcripts[1]);
    assert_eq!(lines.transcripts[0].skipped.get("broken line"), Some(&1));
}

#[test]
fn spans_may_have_names_as_keys() {
    let call = span("1", "", 1, chat(json!([text("user", "go")]), "x", (1, 0)));
    assert_eq!(read_one(json!({ "chat": call })), read_one(json!([call])));
}

#[test]
fn each_agent_of_a_conversation_is_a_transcript() {
    let agent =
        |name: &str| json!({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, "session.id": "s" });
    let file = read(json!([
        span("a", "", 1, agent("main")),
        span("b", "a", 2, chat(json!([text("user", "go")]), "x", (1, 0))),
        span("c", "a", 3, agent("helper")),
        span("d", "c", 4, chat(json!([text("user", "go")]), "y", (1, 0))),
    ]));
    let ids: Vec<_> = file.transcripts.iter().map(|read| (read.id.as_str(), read.agent.as_deref())).collect();
    assert_eq!(ids, [("s", None), ("s.2", Some("helper"))]);
}

#[test]
fn calls_are_parts_and_the_span_of_a_tool_tells_whether_it_failed() {
    let reply = json!({ "role": "assistant", "parts": [{ "type": "tool_call", "id": "c", "name": "ls", "arguments": { "p": 1 } }] });
    let result =
        json!({ "role": "tool", "parts": [{ "type": "tool_call_response", "id": "c", "response": { "x": 1 } }] });
    let mut failed = span("2", "", 2, json!({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "c" }));
    failed["status"] = json!({ "code": 2 });
    let call = chat(json!([text("user", "go"), reply, result]), "no", (1, 0));
    let read = read_one(json!([failed, span("3", "", 3, call)]));
    assert_eq!(read.messages[1].parts, [Part::call("c", "ls", Arguments::from(json!({ "p": 1 })))]);
    let result = read.messages[2].results().next().expect("a result");
    assert_eq!((result.id.as_str(), result.text.as_ref(), result.is_error), ("c", r#"{"x":1}"#, true));
}

#[test]
fn system_instructions_and_tools_are_read() {
    let mut call = chat(json!([text("user", "go")]), "x", (1, 0));
    call["gen_ai.system_instructions"] = json!([{ "type": "text", "content": "Be brief." }]);
    call["gen_ai.tool.definitions"] =
        json!(json!([{ "type": "function", "name": "ls", "parameters": {} }]).to_string());
    let read = read_one(json!([span("1", "", 1, call)]));
    assert_eq!((roles(&read).as_str(), read.tools[0].name.as_str()), ("sua", "ls"));
}

#[test]
fn open_inference_attributes_are_flat_or_nested() {
    let flat = json!({
        "openinference.span.kind": "LLM", "llm.model_name": "m", "llm.token_count.prompt": 9, "llm.token_count.completion": 2,
        "llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": "Be brief.",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.contents.0.message_content.type": "text",
        "llm.input_messages.1.message.contents.0.message_content.text": "go",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "ls",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{\"p\":1}",
        "llm.tools.0.tool.json_schema": "{\"type\":\"function\",\"function\":{\"name\":\"ls\",\"parameters\":{}}}",
    });
    let call = json!({ "message": { "role": "assistant", "tool_calls": [{ "tool_call": { "id": "c", "function": { "name": "ls", "arguments": "{\"p\":1}" } } }] } });
    let content = json!([{ "message_content": { "type": "text", "text": "go" } }]);
    let nested = json!({ "llm": {
        "model_name": "m", "token_count": { "prompt": 9, "completion": 2 },
        "input_messages": [{ "message": { "role": "system", "content": "Be brief." } }, { "message": { "role": "user", "contents": content } }],
        "output_messages": [call], "tools": [{ "tool": { "json_schema": "{\"type\":\"function\",\"function\":{\"name\":\"ls\",\"parameters\":{}}}" } }],
    } });
    let mut phoenix = span("1", "", 1, nested);
    phoenix["span_kind"] = "LLM".into();
    let read = read_one(json!([span("1", "", 1, flat)]));
    assert_eq!(read_one(json!([phoenix])), read);
    assert_eq!((roles(&read).as_str(), read.tools[0].name.as_str()), ("sua", "ls"));
    assert_eq!(read.messages[2].parts, [Part::call("c", "ls", Arguments::Text("{\"p\":1}".into()))]);
    assert_eq!(read.messages[2].usage, Some(Usage { input: 9, output: 2, ..Usage::default() }));
}

#[test]
fn traceloop_attributes_are_numbered() {
    let read = read_one(json!([span(
        "1",
        "",
        1,
        json!({
            "llm.request.type": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "go",
            "gen_ai.prompt.1.role": "assistant", "gen_ai.prompt.1.tool_calls.0.id": "c", "gen_ai.prompt.1.tool_calls.0.name": "ls",
            "gen_ai.prompt.1.tool_calls.0.arguments": "{}", "gen_ai.prompt.2.role": "tool", "gen_ai.prompt.2.tool_call_id": "c",
            "gen_ai.prompt.2.content": "x", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "done",
            "gen_ai.usage.prompt_tokens": 5,
        })
    )]));
    assert_eq!(roles(&read), "uata");
    assert!(read.messages[2].results().all(|result| result.id == "c" && result.text.as_ref() == "x"));
}

#[test]
fn messages_of_the_vercel_sdk_are_read_once() {
    let messages = json!([{ "role": "user", "content": [{ "type": "text", "text": "go" }] }]).to_string();
    let calls = json!([{ "toolCallId": "c", "toolName": "ls", "input": { "p": 1 } }]).to_string();
    let inner = json!({ "ai.operationId": "ai.generateText.doGenerate", "ai.prompt.messages": messages, "ai.response.text": "I look.",
        "ai.response.toolCalls": calls, "ai.usage.inputTokens": 7, "ai.prompt.tools": ["{\"type\":\"function\",\"name\":\"ls\",\"inputSchema\":{}}"] });
    let outer = json!({ "ai.operationId": "ai.generateText", "ai.prompt": "{\"prompt\":\"go\"}", "ai.response.text": "I look." });
    let read = read_one(json!([span("1", "", 1, outer), span("2", "1", 2, inner)]));
    assert_eq!((roles(&read).as_str(), read.tools[0].schema.as_deref()), ("ua", Some("{}")));
    assert_eq!(read.messages[1].parts[1], Part::call("c", "ls", Arguments::from(json!({ "p": 1 }))));
    assert_eq!(read.skipped.get("span:ai.generatetext"), Some(&1));
}

#[test]
fn messages_may_be_events() {
    let mut call = span("1", "", 1, json!({ "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3 }));
    call["events"] = json!([
        { "name": "gen_ai.system.message", "attributes": { "content": "Be brief." } },
        { "name": "gen_ai.user.message", "attributes": { "content": "go" } },
        { "name": "gen_ai.choice", "attributes": { "index": 0, "message": "{\"role\":\"assistant\",\"content\":\"done\"}" } },
    ]);
    let read = read_one(json!([call]));
    assert_eq!((roles(&read).as_str(), read.messages[2].plain_text().as_str()), ("sua", "done"));
    assert_eq!(read.messages[2].role, Role::Assistant);
}

#[test]
fn a_call_without_content_is_skipped() {
    let read =
        read_one(json!([span("1", "", 1, json!({ "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3 }))]));
    assert!(read.messages.is_empty());
    assert_eq!(read.skipped.get("model call without content"), Some(&1));
}

#[test]
fn a_document_may_have_lists_of_spans_by_name() {
    let of = |second| span("a", "", second, chat(json!([text("user", "x")]), "y", (5, 0)));
    let named = json!({ "chat": [of(1)], "other": [of(9)] });
    assert_eq!(read(named).transcripts.len(), read(json!([of(1), of(9)])).transcripts.len());
}
