use trimtab_base::conversation::{Body, Role, Usage};

use super::*;
use crate::transcript::{self, HarnessCallKind};

fn read_one(text: &str) -> Transcript {
    let mut file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!((file.format, file.transcripts.len()), ("gemini_chat", 1));
    file.transcripts.remove(0)
}

fn document(messages: &str) -> Transcript {
    read_one(&format!(
        r#"{{"kind":"main","sessionId":"s","projectHash":"h","startTime":"t0","messages":[{messages}]}}"#
    ))
}

const HEADER: &str = r#"{"sessionId":"s","projectHash":"h","startTime":"t0"}"#;

fn user(id: &str) -> String {
    format!(r#"{{"id":"{id}","type":"user","content":"{id}"}}"#)
}

fn gemini(id: &str, result: &str) -> String {
    let result = serde_json::json!([{"functionResponse": {"id": "c", "name": "f", "response": {"output": result}}}]);
    format!(
        r#"{{"id":"{id}","type":"gemini","content":"","toolCalls":[{{"id":"c","name":"f","args":{{}},"status":"success","result":{result}}}]}}"#
    )
}

fn lines(lines: &[&str]) -> Transcript {
    read_one(&[&[HEADER], lines].concat().join("\n"))
}

fn texts(read: &Transcript) -> Vec<String> {
    read.messages.iter().map(|message| message.plain_text()).collect()
}

fn result_texts(read: &Transcript) -> Vec<&str> {
    read.messages.iter().flat_map(|message| message.results()).map(|result| result.text.as_ref()).collect()
}

#[test]
fn calls_and_results_of_one_message_become_messages_of_their_own() {
    let read = document(
        r#"{"type":"gemini","timestamp":"t1","content":"Looking.","model":"m","thoughts":[{"subject":"Plan","description":"Look."}],
        "tokens":{"input":10,"output":2,"cached":4,"thoughts":3,"tool":0,"total":15},
        "toolCalls":[{"id":"a","name":"f","args":{"x":1},"status":"success","timestamp":"t2","result":[{"functionResponse":{"id":"a","name":"f","response":{"output":"1"}}}]},
        {"id":"b","name":"g","args":{},"status":"error","result":[{"functionResponse":{"id":"b","name":"g","response":{"error":"no"}}}]},
        {"id":"c","name":"g","args":{},"status":"cancelled","resultDisplay":"stopped"},{"id":"d","name":"g","status":"executing"}]}"#,
    );
    let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::Assistant, Role::Tool, Role::Tool, Role::Tool]);
    let reply = &read.messages[0];
    assert_eq!(reply.parts[0].body, Body::Thinking { text: "**Plan**\nLook.".into(), signature: None });
    assert_eq!(reply.usage, Some(Usage { input: 6, cache_read: 4, output: 5, ..Usage::default() }));
    assert_eq!((reply.calls().count(), reply.model.as_deref()), (4, Some("m")));
    let errors: Vec<bool> =
        read.messages.iter().flat_map(|message| message.results()).map(|result| result.is_error).collect();
    assert_eq!((errors, result_texts(&read)), (vec![false, true, true], vec!["1", "no", "stopped"]));
    assert_eq!((read.messages[1].at.as_deref(), read.started.as_deref()), (Some("t2"), Some("t0")));
}

#[test]
fn messages_of_the_user_interface_are_counted_as_skipped() {
    let read = document(
        r#"{"type":"info","content":"x"},{"type":"warning","content":"x"},{"type":"user","content":[{"text":"hi"}]}"#,
    );
    assert_eq!(texts(&read), ["hi"]);
    assert_eq!((read.skipped.get("info"), read.skipped.get("warning")), (Some(&1), Some(&1)));
}

#[test]
fn a_repeated_line_replaces_the_message_with_its_id() {
    let (before, after) = (gemini("g", "old"), gemini("g", "new"));
    let read = lines(&[&user("u"), &before, &after, r#"{"$set":{"lastUpdated":"t9"}}"#]);
    assert_eq!((read.messages.len(), result_texts(&read)), (3, vec!["new"]));
}

#[test]
fn rewound_messages_are_left_out() {
    let read = lines(&[&user("a"), &user("b"), &user("c"), r#"{"$rewindTo":"b"}"#, &user("d")]);
    assert_eq!(texts(&read), ["a", "d"]);
}

#[test]
fn rewound_replies_are_calls_of_another_branch() {
    let reply = |id: &str, input: u64| {
        format!(r#"{{"id":"{id}","type":"gemini","content":"ok","model":"m","tokens":{{"input":{input},"output":2}}}}"#)
    };
    let (first, second, third) = (reply("1", 5), reply("2", 6), reply("3", 7));
    let read = lines(&[
        &user("a"),
        &first,
        &user("b"),
        &second,
        r#"{"$rewindTo":"b"}"#,
        &user("c"),
        &third,
        r#"{"$rewindTo":"1"}"#,
        &user("d"),
    ]);
    assert_eq!(texts(&read), ["a", "d"]);
    let calls: Vec<_> = read.harness_calls.iter().map(|call| (call.kind, call.messages, call.usage.input)).collect();
    assert_eq!(calls, [6, 5, 7].map(|input| (HarnessCallKind::Branch, 1, input)));
    assert!(read.harness_calls.iter().all(|call| call.model.as_deref() == Some("m")));
}

#[test]
fn another_list_of_messages_resets_the_context() {
    let set = format!(r#"{{"$set":{{"messages":[{},{},{}]}}}}"#, gemini("g", "x"), user("summary"), user("b"));
    let read = lines(&[&user("a"), &user("b"), &set, &user("c")]);
    assert_eq!(read.skipped.get("copied message"), Some(&1));
    assert_eq!(texts(&read), ["a", "b", "summary", "b", "c"]);
    let flags: Vec<_> = read.messages.iter().map(|message| (message.resets, message.harness)).collect();
    assert_eq!(flags, [(false, false), (false, false), (true, true), (false, true), (false, false)]);
}

#[test]
fn a_list_of_known_messages_rolls_back() {
    let set = format!(r#"{{"$set":{{"messages":[{}]}}}}"#, user("a"));
    let read = lines(&[&user("a"), &user("b"), &set, &user("c")]);
    assert_eq!(texts(&read), ["a", "c"]);
    assert!(!read.messages.iter().any(|message| message.resets || message.harness));
}

/// A reply with usage, and the copies of it and of its result that a resumed session begins with.
const REPLY: &str = r#"{"id":"g","type":"gemini","content":"","tokens":{"input":7,"output":2},"toolCalls":[{"id":"c","name":"f","args":{},"status":"success","result":[{"functionResponse":{"id":"c","name":"f","response":{"output":"x"}}}]}]}"#;
const REPLY_COPY: &str = r#"{"id":"g","type":"gemini","content":[{"functionCall":{"id":"c","name":"f","args":{}}}]}"#;
const RESULT_COPY: &str = r#"{"id":"g_response","type":"user","content":[{"functionResponse":{"id":"c","name":"f","response":{"output":"x"}}}]}"#;

fn set(messages: &[&str]) -> String {
    format!(r#"{{"$set":{{"messages":[{}]}}}}"#, messages.join(","))
}

#[test]
fn a_resumed_session_continues_with_all_that_it_had() {
    let all = set(&[&user("context"), &user("a"), REPLY_COPY, RESULT_COPY]);
    let later = r#"{"sessionId":"s","projectHash":"h","startTime":"t5"}"#;
    let read =
        lines(&[&set(&[&user("context")]), &user("a"), REPLY, later, &set(&[&user("context")]), &all, &user("b")]);
    assert_eq!(texts(&read), ["context", "a", "", "", "b"]);
    assert_eq!(result_texts(&read), ["x"]);
    assert_eq!(read.messages[2].usage, Some(Usage { input: 7, output: 2, ..Usage::default() }));
    assert!(!read.messages.iter().any(|message| message.resets || message.harness));
    assert_eq!(read.started.as_deref(), Some("t0"));
}

#[test]
fn a_list_of_copies_in_a_session_keeps_the_replies_as_they_were_recorded() {
    let copies = set(&[&user("a"), REPLY_COPY, RESULT_COPY]);
    let read = lines(&[&user("a"), REPLY, &user("b"), &copies, &user("c")]);
    assert_eq!((texts(&read), result_texts(&read)), (["a", "", "", "c"].map(str::to_owned).to_vec(), vec!["x"]));
    assert_eq!(read.messages[1].usage.map(|usage| usage.input), Some(7));
}

#[test]
fn a_copy_with_usage_and_calls_leaves_the_reply_as_it_was_recorded() {
    let copy = REPLY.replace(
        r#""content":"""#,
        r#""content":[{"text":"why","thought":true},{"functionCall":{"id":"c","name":"f","args":{}}}]"#,
    );
    let copies = set(&[&user("a"), &copy, RESULT_COPY]);
    let recorded = lines(&[&user("a"), REPLY, &copies, &user("c")]);
    let alone = lines(&[&user("a"), &copy, &user("c")]);
    for read in [&recorded, &alone] {
        assert_eq!(read.messages.iter().flat_map(|message| message.calls()).count(), 1);
        assert_eq!(result_texts(read), ["x"]);
        assert!(!read.messages.iter().any(|message| message.resets));
    }
    assert_eq!(recorded.messages[1].parts.len(), 1);
}

#[test]
fn a_resumed_session_whose_list_has_a_summary_resets_the_context() {
    let list = set(&[&user("summary"), &user("b")]);
    let read = lines(&[&user("a"), REPLY, HEADER, &set(&[&user("a")]), &list, &user("c")]);
    assert_eq!(texts(&read), ["a", "", "", "summary", "b", "c"]);
    assert_eq!(read.messages.iter().position(|message| message.resets), Some(3));
}

#[test]
fn results_that_are_masked_later_are_cleared() {
    let set = format!(r#"{{"$set":{{"messages":[{},{}]}}}}"#, user("a"), gemini("g", "<tool_output_masked>\nshort"));
    let whole = gemini("g", "a long text");
    let read = lines(&[&user("a"), &whole, &set, &user("b")]);
    assert_eq!(result_texts(&read), ["a long text"]);
    let cleared = read.messages[3].cleared().expect("cleared results");
    assert_eq!(cleared.results, ["c"]);
}

#[test]
fn the_session_of_a_sub_agent_is_that_of_an_agent() {
    let read = read_one(r#"{"sessionId":"s","projectHash":"h","kind":"subagent","messages":[]}"#);
    assert_eq!(read.agent.as_deref(), Some("s"));
}

#[test]
fn calls_without_ids_get_one() {
    let read = document(r#"{"type":"gemini","content":"","toolCalls":[{"name":"f","args":{},"status":"success"}]}"#);
    let ids: Vec<_> = read.messages[0].calls().map(|(id, ..)| id.to_string()).collect();
    assert_eq!(ids, ["call-1"]);
    assert_eq!(read.messages[1].results().map(|result| result.id.as_str()).collect::<Vec<_>>(), ["call-1"]);
}
