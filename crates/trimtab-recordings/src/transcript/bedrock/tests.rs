use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Body, Role, Usage};

use crate::transcript::{self, Transcript};

fn read_all(text: &str) -> Vec<Transcript> {
    let file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!(file.format, "bedrock");
    file.transcripts
}

fn roles(transcript: &Transcript) -> String {
    transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
}

fn request() -> Json {
    json!({"modelId": "anthropic.claude", "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "ls", "description": "d", "inputSchema": {"json": {"type": "object"}}}}]},
        "messages": [
            {"role": "user", "content": [{"text": "go"}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                {"toolUse": {"toolUseId": "a", "name": "ls", "input": {"p": 1}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"json": {"x": 1}}, {"text": "y"}], "status": "error"}}]}]})
}

fn response() -> Json {
    json!({"output": {"message": {"role": "assistant", "content": [{"text": "ok"}]}}, "stopReason": "end_turn",
        "usage": {"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 60, "cacheWriteInputTokens": 7, "totalTokens": 82}})
}

#[test]
fn a_request_with_its_response_is_one_conversation() {
    let mut record = request();
    record["response"] = response();
    let read = read_all(&record.to_string()).remove(0);
    assert_eq!((roles(&read).as_str(), read.model.as_deref()), ("suata", Some("anthropic.claude")));
    let thinking = Body::Thinking { text: "hm".into(), signature: Some("s".into()) };
    assert_eq!(read.messages[2].parts[0].body, thinking);
    let result = read.messages[3].results().next().expect("a result");
    assert_eq!((result.text.as_ref(), result.is_error), ("{\"x\":1}\ny", true));
    let usage = Usage { input: 10, cache_read: 60, cache_write: 7, output: 5, ..Usage::default() };
    assert_eq!(read.messages[4].usage, Some(usage));
    assert_eq!((read.tools[0].name.as_str(), read.tools[0].schema.as_deref()), ("ls", Some(r#"{"type":"object"}"#)));
}

#[test]
fn a_log_entry_names_the_model_and_the_time() {
    let mut input = request();
    input.as_object_mut().expect("an object").remove("modelId");
    let entry = json!({"timestamp": "2026-04-01T09:00:00Z", "schemaType": "ModelInvocationLog", "operation": "Converse",
        "modelId": "m", "input": {"inputBodyJson": input}, "output": {"outputBodyJson": response()}});
    let read = read_all(&entry.to_string()).remove(0);
    assert_eq!((roles(&read).as_str(), read.model.as_deref()), ("suata", Some("m")));
    assert_eq!(read.messages[4].at.as_deref(), Some("2026-04-01T09:00:00Z"));
}

#[test]
fn an_entry_with_a_request_of_another_api_is_read_as_that_or_not_at_all() {
    let entry = |input: &Json, output: &Json| {
        json!({"schemaType": "ModelInvocationLog", "operation": "InvokeModel", "modelId": "m", "timestamp": "2026-04-01T09:00:00Z",
            "input": {"inputBodyJson": input}, "output": {"outputBodyJson": output}})
        .to_string()
    };
    let messages = json!([{"role": "user", "content": "hi"}]);
    let reply = json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "yo"}],
        "usage": {"input_tokens": 100, "output_tokens": 7}});
    let anthropic = json!({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 100, "messages": messages});
    let file = transcript::read(entry(&anthropic, &reply).as_bytes(), None).expect("reads");
    let read = &file.transcripts[0];
    assert_eq!((file.format, roles(read).as_str(), read.model.as_deref()), ("anthropic_messages", "ua", Some("m")));
    assert_eq!(read.messages[1].usage.map(Usage::context), Some(100));
    let other = entry(&json!({"messages": messages}), &json!({"generation": "yo"}));
    assert!(transcript::read(other.as_bytes(), None).is_err());
}

#[test]
fn invocations_that_extend_each_other_are_one_session() {
    let invocation = |messages: &[Json]| {
        let mut input = request();
        input["messages"] = messages.into();
        json!({"schemaType": "ModelInvocationLog", "operation": "Converse", "modelId": "m",
            "input": {"inputBodyJson": input}, "output": {"outputBodyJson": response()}})
    };
    let all = request()["messages"].as_array().expect("messages").clone();
    let more = [
        all.clone(),
        vec![
            json!({"role": "assistant", "content": [{"text": "ok"}]}),
            json!({"role": "user", "content": [{"text": "more"}]}),
        ],
    ];
    let read = read_all(&format!("{}\n{}\n", invocation(&all), invocation(&more.concat())));
    assert_eq!(read.iter().map(roles).collect::<Vec<_>>(), ["suataua"]);
    assert_eq!(read[0].messages.iter().filter(|message| message.usage.is_some()).count(), 2);
}

#[test]
fn a_list_of_messages_is_a_conversation() {
    let read = read_all(&request()["messages"].to_string()).remove(0);
    assert_eq!(roles(&read), "uat");
    assert!(read.messages.iter().all(|message| message.role != Role::System));
}
