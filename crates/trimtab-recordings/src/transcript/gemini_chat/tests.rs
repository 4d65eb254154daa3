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

fn kept(read: &Transcript) -> Vec<bool> {
    read.messages.iter().map(|message| message.kept).collect()
}

/// A reply with usage, a call and its result, as Gemini CLI records it.
fn called(id: &str, text: &str, call: &str) -> String {
    let response =
        serde_json::json!([{"functionResponse": {"id": call, "name": "f", "response": {"output": "a long result"}}}]);
    let calls = serde_json::json!([{"id": call, "name": "f", "args": {}, "status": "success", "result": response}]);
    serde_json::json!({"id": id, "type": "gemini", "content": text, "tokens": {"input": 9, "output": 1}, "toolCalls": calls})
        .to_string()
}

/// The copies of such a reply and of its result, which has this text.
fn copies(id: &str, text: &str, call: &str, result: &str) -> [String; 2] {
    let parts = serde_json::json!([{"text": text}, {"functionCall": {"name": "f", "args": {}}}]);
    let response = serde_json::json!([{"functionResponse": {"id": call, "name": "f", "response": {"output": result}}}]);
    [
        serde_json::json!({"id": id, "type": "gemini", "content": parts, "tokens": null}).to_string(),
        serde_json::json!({"id": format!("{id}-r"), "type": "user", "content": response}).to_string(),
    ]
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
    assert_eq!(flags, [(false, false), (false, false), (true, true), (false, false), (false, false)]);
    assert_eq!(kept(&read), [false, false, false, true, false]);
    assert!(read.messages.iter().all(|message| message.compaction().is_none()));
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

/// The reply after a summary.
const REPLY_TO_SUMMARY: &str = r#"{"id":"ok","type":"gemini","content":"Got it. Thanks for the additional context!"}"#;

fn user_with(id: &str, text: &str) -> String {
    format!(r#"{{"id":"{id}","type":"user","content":"{text}"}}"#)
}

#[test]
fn a_compression_keeps_the_newest_turn() {
    let [first, first_result] = copies("g2-copy", "Look.", "c2", "cut");
    let [second, _] = copies("g3-copy", "Look.", "c3", "");
    let list = set(&[
        &user("context"),
        &user_with("s", "<summary> It is red."),
        REPLY_TO_SUMMARY,
        &user_with("b-copy", "b"),
        &first,
        &first_result,
        &second,
    ]);
    let read = lines(&[
        &set(&[&user("context")]),
        &user("a"),
        &called("g1", "Look.", "c1"),
        &user("b"),
        &called("g2", "Look.", "c2"),
        &called("g3", "Look.", "c3"),
        &list,
        &copies("x", "", "c3", "a long result")[1],
        &called("g4", "Done.", "c4"),
    ]);
    let from = read.messages.iter().position(|message| message.resets).expect("a reset");
    assert_eq!(texts(&read)[from..], ["context", "<summary> It is red.", "b", "Look.", "", "Look.", "", "Done.", ""]);
    assert_eq!(kept(&read)[from..], [true, false, true, true, true, true, true, false, false]);
    assert_eq!(result_texts(&read)[3..], ["cut", "a long result", "a long result"]);
    let ids: Vec<_> =
        read.messages[from..].iter().flat_map(|message| message.calls()).map(|(id, ..)| id.as_str()).collect();
    assert_eq!(ids, ["c2", "c3", "c4"]);
    assert_eq!(read.messages.iter().filter(|message| message.is_reply()).count(), 4);
    assert!(read.messages[from].compaction().is_some_and(|compaction| compaction.automatic));
    assert_eq!(read.messages.iter().filter(|message| message.resets).count(), 1);
}

#[test]
fn a_list_that_begins_with_a_snapshot_is_a_compression() {
    let list = set(&[&user_with("s", "<state_snapshot> It is red."), REPLY_TO_SUMMARY]);
    let read = lines(&[&user("a"), &called("g1", "Look.", "c1"), &list, &user("b"), &list, &user("c")]);
    let compacted: Vec<usize> =
        (0..read.messages.len()).filter(|at| read.messages[*at].compaction().is_some()).collect();
    assert_eq!((texts(&read)[3].as_str(), compacted), ("<state_snapshot> It is red.", vec![3]));
}

/// What Gemini CLI 0.61 writes when it masks: copies of all messages, and then a list of them.
fn masking(copies: &[&str]) -> Vec<String> {
    copies.iter().map(|copy| (*copy).to_owned()).chain([set(copies)]).collect()
}

#[test]
fn copies_that_are_added_with_masked_results_are_no_messages() {
    let masked = "<tool_output_masked> short";
    let [g1, r1] = copies("g1-copy", "One.", "c1", masked);
    let [g2, _] = copies("g2-copy", "Two.", "c2", "");
    let first = masking(&[&user_with("a-copy", "context a"), &g1, &r1, &g2]);
    let [g1, r1] = copies("g1-again", "One.", "c1", masked);
    let [g2, r2] = copies("g2-again", "Two.", "c2", masked);
    let [g3, _] = copies("g3-again", "Three.", "c3", "");
    let second = masking(&[&user_with("a-again", "context a"), &g1, &r1, &g2, &r2, &g3]);
    let (one, two, three) = (called("g1", "One.", "c1"), called("g2", "Two.", "c2"), called("g3", "Three.", "c3"));
    let mut session = vec![user("context"), user("a"), one, two];
    session.extend(first);
    session.push(three);
    session.extend(second);
    session.push(called("g4", "Four.", "c4"));
    let text: Vec<&str> = session.iter().map(String::as_str).collect();
    let read = lines(&text);
    assert_eq!(texts(&read), ["context", "a", "One.", "", "Two.", "", "Three.", "", "Four.", ""]);
    assert!(read.messages.iter().all(|message| !message.is_reply() || message.usage.is_some()));
    let cleared: Vec<_> =
        (0..read.messages.len()).filter_map(|at| Some((at, read.messages[at].cleared()?.results.join(" ")))).collect();
    assert_eq!(cleared, [(6, "c1".to_owned()), (8, "c2".to_owned())]);
    assert!(!read.messages.iter().any(|message| message.resets || message.kept));
    assert_eq!(read.skipped.get("other branch"), None);
    // Later records may name the copies.
    let rewound = lines(&[&text[..], &[r#"{"$rewindTo":"g2-again"}"#, &user("b")]].concat());
    assert_eq!(texts(&rewound), ["context", "a", "One.", "", "b"]);
}

#[test]
fn copies_are_recognised_among_many_messages_of_the_user_interface() {
    let info = r#"{"id":"","type":"info","content":"Update available."}"#;
    let [g1, r1] = copies("g1-copy", "One.", "c1", "<tool_output_masked> short");
    let mut session = vec![user("context"), user("a")];
    session.extend(std::iter::repeat_n(info.to_owned(), 20));
    session.push(called("g1", "One.", "c1"));
    session.extend(masking(&[&user_with("a-copy", "context a"), &g1, &r1]));
    session.push(called("g2", "Two.", "c2"));
    let text: Vec<&str> = session.iter().map(String::as_str).collect();
    assert_eq!(texts(&lines(&text)), ["context", "a", "One.", "", "Two.", ""]);
}

#[test]
fn a_list_of_the_newest_messages_is_no_list_of_copies() {
    let list = set(&[&user("b"), &gemini("g2", "y")]);
    let read = lines(&[&user("a"), &gemini("g1", "x"), &user("b"), &gemini("g2", "y"), &list, &user("c")]);
    assert_eq!(texts(&read), ["a", "", "", "b", "", "", "c"]);
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
