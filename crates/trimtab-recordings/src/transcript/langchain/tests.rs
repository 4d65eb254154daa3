use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Arguments, Part, Usage};

use crate::transcript::{self, ReadFile, Transcript};

fn read(json: &Json) -> ReadFile {
    let file = transcript::read(json.to_string().as_bytes(), None).expect("reads");
    assert_eq!(file.format, "langchain");
    file
}

fn read_one(json: &Json) -> Transcript {
    let mut file = read(json);
    assert_eq!(file.transcripts.len(), 1);
    file.transcripts.remove(0)
}

fn roles(read: &Transcript) -> String {
    read.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
}

#[test]
fn every_serialisation_of_the_messages_is_the_same_conversation() {
    let messages = [("human", "HumanMessage", "go"), ("ai", "AIMessage", "done"), ("system", "SystemMessage", "s")];
    let of = |build: fn(&str, &str, &str) -> Json| {
        messages.iter().map(|(kind, class, text)| build(kind, class, text)).collect::<Json>()
    };
    let flat = of(|kind, _, text| json!({ "type": kind, "content": text }));
    let expected = read_one(&flat);
    assert_eq!(roles(&expected), "uas");
    assert_eq!(read_one(&of(|kind, _, text| json!({ "type": kind, "data": { "content": text } }))), expected);
    let serialised = of(
        |_, class, text| json!({ "lc": 1, "type": "constructor", "id": ["x", class], "kwargs": { "content": text } }),
    );
    assert_eq!(read_one(&serialised), expected);
    assert_eq!(read_one(&json!({ "messages": flat })), expected);
    assert_eq!(read_one(&json!({ "values": { "messages": flat } , "type": "human", "content": "" })), expected);
}

#[test]
fn calls_in_the_content_are_not_counted_twice() {
    let call = json!({ "name": "ls", "args": { "p": 1 }, "id": "a", "type": "tool_call" });
    let invalid = json!({ "name": "cat", "args": "{", "id": "b", "type": "invalid_tool_call" });
    let content =
        json!([{ "type": "text", "text": "I look." }, { "type": "tool_use", "id": "a", "name": "ls", "input": {} }]);
    let read = read_one(&json!([
        { "type": "ai", "content": content, "tool_calls": [call], "invalid_tool_calls": [invalid] },
        { "type": "tool", "content": "gone", "tool_call_id": "a", "status": "error" },
        { "type": "elf", "content": "" },
    ]));
    let calls = [
        Part::call("a", "ls", Arguments::from(json!({ "p": 1 }))),
        Part::call("b", "cat", Arguments::Text("{".into())),
    ];
    assert_eq!(read.messages[0].parts[1..], calls);
    assert!(read.messages[1].results().all(|result| result.is_error && result.id == "a"));
    assert_eq!(read.skipped.get("message of an unknown type"), Some(&1));
}

#[test]
fn usage_includes_the_cache() {
    let usage = json!({ "input_tokens": 100, "output_tokens": 5, "input_token_details": { "cache_read": 60, "cache_creation": 30 } });
    let old = json!({ "token_usage": { "prompt_tokens": 9, "completion_tokens": 2 }, "model_name": "m" });
    let read = read_one(&json!([
        { "type": "ai", "content": "x", "usage_metadata": usage }, { "type": "ai", "content": "y", "response_metadata": old },
    ]));
    assert_eq!(
        read.messages[0].usage,
        Some(Usage { input: 10, cache_read: 60, cache_write: 30, output: 5, ..Usage::default() })
    );
    assert_eq!(read.messages[1].usage, Some(Usage { input: 9, output: 2, ..Usage::default() }));
    assert_eq!(read.model.as_deref(), Some("m"));
}

#[test]
fn model_calls_among_runs_are_put_together() {
    let user = json!({ "type": "human", "content": "go" });
    let reply = |text: &str| json!({ "lc": 1, "id": ["AIMessage"], "kwargs": { "content": text } });
    let call = |id: &str, input: Json, text: &str| {
        json!({
            "id": id, "run_type": "llm", "start_time": id, "inputs": { "messages": [input] },
            "outputs": { "generations": [[{ "message": reply(text) }]] },
        })
    };
    let again = json!({ "type": "human", "content": "again" });
    let children = [call("2", json!([user]), "a"), call("3", json!([user, reply("a"), again]), "b")];
    let metadata = json!({ "metadata": { "thread_id": "t" } });
    let mut root = json!({ "id": "r", "run_type": "chain", "inputs": { "messages": [user] }, "start_time": "1" });
    root["child_runs"] = json!(children);
    let read = read_one(&root);
    assert_eq!((read.id.as_str(), roles(&read).as_str()), ("r", "uaua"));
    assert_eq!(read.skipped.get("run:chain"), Some(&1));
    let mut alone = call("1", json!([user]), "a");
    alone["extra"] = metadata;
    assert_eq!(read_one(&json!([alone])).id, "t");
}

#[test]
fn a_run_without_model_calls_is_read_from_its_inputs_and_outputs() {
    let run = json!({ "id": "r", "run_type": "chain", "inputs": { "messages": [{ "type": "human", "content": "go" }] },
        "outputs": { "output": { "type": "ai", "content": "done" } } });
    assert_eq!(roles(&read_one(&run)), "ua");
}
