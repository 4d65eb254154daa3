use trimtab_base::conversation::{Compaction, Message, Role, Usage};

use super::*;
use crate::transcript::{self, HarnessCallKind};

fn read_one(lines: &[&str]) -> Transcript {
    let mut file = transcript::read(lines.join("\n").as_bytes(), None).expect("reads");
    assert_eq!((file.format, file.transcripts.len()), ("codex", 1));
    file.transcripts.remove(0)
}

const PROMPT: &str = r#"{"timestamp":"t1","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}"#;
const REPLY: &str = r#"{"timestamp":"t2","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}}"#;

fn call(id: &str) -> String {
    format!(
        r#"{{"type":"response_item","payload":{{"type":"function_call","call_id":"{id}","name":"shell","arguments":"{{}}"}}}}"#
    )
}

fn output(id: &str, text: &str) -> String {
    let payload = serde_json::json!({"type": "function_call_output", "call_id": id, "output": text});
    format!(r#"{{"type":"response_item","payload":{payload}}}"#)
}

fn tokens(total: u64, last: u64) -> String {
    format!(
        r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total}}},
        "last_token_usage":{{"input_tokens":{last},"cached_input_tokens":4,"output_tokens":2}},"model_context_window":950}}}}}}"#
    )
    .replace('\n', "")
}

fn usages(read: &Transcript) -> Vec<Option<u64>> {
    let replies = read.messages.iter().filter(|message| message.role == Role::Assistant);
    replies.map(|message| message.usage.map(Usage::context)).collect()
}

fn texts(read: &Transcript) -> Vec<String> {
    read.messages.iter().map(|message| message.plain_text()).collect()
}

#[test]
fn usage_belongs_to_the_call_before_and_repeated_events_count_once() {
    let null = r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#;
    let (call, output) = (call("a"), output("a", "x"));
    let (one, two) = (tokens(10, 10), tokens(30, 20));
    let read = read_one(&[PROMPT, null, &call, &output, &one, &one, REPLY, &two]);
    assert_eq!(usages(&read), [Some(10), Some(20)]);
    assert_eq!(read.messages[1].usage, Some(Usage { input: 6, cache_read: 4, output: 2, ..Usage::default() }));
    assert_eq!((read.window, read.skipped.get("event_msg:token_count")), (Some(1000), Some(&2)));
}

#[test]
fn usage_without_a_new_reply_is_that_of_a_call_of_the_harness() {
    let (one, two) = (tokens(10, 10), tokens(30, 20));
    let read = read_one(&[PROMPT, REPLY, &one, &two]);
    let calls: Vec<_> = read.harness_calls.iter().map(|call| (call.messages, call.usage.context())).collect();
    assert_eq!((usages(&read), calls), (vec![Some(10)], vec![(2, 20)]));
}

#[test]
fn usage_is_the_difference_of_totals_if_the_last_call_is_not_recorded() {
    let total = |input: u64| {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input}}}}}}}}}"#
        )
    };
    let read = read_one(&[PROMPT, REPLY, &total(10), PROMPT, REPLY, &total(25)]);
    assert_eq!(usages(&read), [Some(10), Some(15)]);
}

/// The record of the usage of a response, and the event that repeats it.
fn response(id: &str, total: u64, input: u64) -> [String; 2] {
    let usage = |input: u64| serde_json::json!({"input_tokens": input, "cached_input_tokens": 4, "output_tokens": 2});
    let record =
        serde_json::json!({"type": "token_usage_record", "payload": {"response_id": id, "usage": usage(input)}});
    let info = serde_json::json!({"total_token_usage": usage(total), "last_token_usage": usage(input)});
    let event = serde_json::json!({"type": "event_msg", "payload": {"type": "token_count", "info": info}});
    [record.to_string(), event.to_string()]
}

#[test]
fn the_usage_of_a_response_counts_once() {
    let ([one, one_again], [two, two_again]) = (response("r1", 10, 10), response("r2", 20, 10));
    let (call, output) = (call("a"), output("a", "x"));
    let read = read_one(&[PROMPT, &call, &one, &output, &one_again, &one_again, REPLY, &two, &two_again]);
    assert_eq!((usages(&read), read.harness_calls.len()), (vec![Some(10), Some(10)], 0));
    assert_eq!(read.skipped.get("event_msg:token_count"), Some(&3));
}

#[test]
fn the_reply_that_is_the_summary_of_a_compaction_is_a_call_of_the_harness() {
    let started = r#"{"type":"event_msg","payload":{"type":"task_started"}}"#;
    let compacted = r#"{"type":"compacted","payload":{"message":"Summary.","replacement_history":[{"role":"user","content":"Summary."}],"compaction_response_id":"r2"}}"#;
    let ([one, one_again], [two, two_again]) = (response("r1", 500, 500), response("r2", 530, 30));
    let manual = read_one(&[PROMPT, REPLY, &one, &one_again, started, REPLY, &two, &two_again, compacted, started]);
    assert_eq!((texts(&manual), usages(&manual)), (vec!["go".into(), "x".into(), "Summary.".into()], vec![Some(500)]));
    let calls: Vec<_> = manual.harness_calls.iter().map(|call| (call.messages, call.usage.context())).collect();
    assert_eq!(calls, [(2, 30)]);
    assert_eq!(manual.messages[2].compaction(), Some(Compaction::default()));
    let automatic = read_one(&[started, PROMPT, REPLY, &one, &one_again, REPLY, &two, &two_again, compacted, REPLY]);
    assert_eq!(automatic.messages[2].compaction(), Some(Compaction { automatic: true, ..Compaction::default() }));
}

#[test]
fn each_reply_has_the_model_of_its_turn() {
    let turn = |model: &str| format!(r#"{{"type":"turn_context","payload":{{"model":"{model}"}}}}"#);
    let read = read_one(&[&turn("a"), PROMPT, REPLY, &turn("b"), PROMPT, REPLY]);
    let models: Vec<_> = read.messages.iter().filter_map(|message| message.model.as_deref()).collect();
    assert_eq!(models, ["a", "b"]);
}

#[test]
fn each_reply_has_the_reasoning_effort_of_its_turn() {
    let turn = |effort: &str| format!(r#"{{"type":"turn_context","payload":{{"model":"a","effort":{effort}}}}}"#);
    let read =
        read_one(&[&turn(r#""high""#), PROMPT, REPLY, &turn("null"), PROMPT, REPLY, &turn(r#""low""#), PROMPT, REPLY]);
    let replies = read.messages.iter().filter(|message| message.is_reply());
    assert_eq!(replies.map(|reply| reply.effort.as_deref()).collect::<Vec<_>>(), [Some("high"), None, Some("low")]);
}

#[test]
fn a_session_without_envelopes_is_read() {
    let read = read_one(&[
        r#"{"id":"s","timestamp":"2025-06-01T00:00:00Z","instructions":null,"git":{}}"#,
        r#"{"record_type":"state"}"#,
        r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"go"}]}"#,
        r#"{"type":"local_shell_call","call_id":"a","status":"completed","action":{"type":"exec","command":["ls"]}}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"{\"output\":\"no\",\"metadata\":{\"exit_code\":2}}"}"#,
    ]);
    assert_eq!((read.id.as_str(), read.started.as_deref()), ("s", Some("2025-06-01T00:00:00Z")));
    assert_eq!(read.messages.len(), 3);
    assert!(read.messages[2].results().all(|result| result.is_error));
    assert_eq!(read.skipped.get("state"), Some(&1));
}

#[test]
fn a_session_in_one_document_is_read() {
    let read = read_one(&[
        r#"{"session":{"id":"s","timestamp":"t","instructions":""},"items":[{"role":"user","content":"go","type":"message"}]}"#,
    ]);
    assert_eq!((read.id.as_str(), read.messages.len()), ("s", 1));
}

#[test]
fn instructions_and_the_environment_are_messages_of_the_harness() {
    let read = read_one(&[
        r##"{"type":"response_item","payload":{"role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /x"},{"type":"input_text","text":"<environment_context>"}]}}"##,
        PROMPT,
    ]);
    assert_eq!(read.messages.iter().map(|message| message.harness).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn the_base_instructions_are_the_system_prompt() {
    let read =
        read_one(&[r#"{"type":"session_meta","payload":{"id":"s","base_instructions":{"text":"Be brief."}}}"#, PROMPT]);
    assert_eq!((read.messages[0].role, texts(&read)), (Role::System, vec!["Be brief.".to_owned(), "go".to_owned()]));
}

#[test]
fn events_report_failed_calls_of_tools_without_an_exit_code() {
    let (call_a, call_b) = (call("a"), call("b"));
    let (output_a, output_b) = (output("a", "no"), output("b", "Error: quoted"));
    let read = read_one(&[
        PROMPT,
        &call_a,
        &call_b,
        r#"{"type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"a","result":{"Ok":{"content":[],"isError":true}}}}"#,
        &output_a,
        &output_b,
    ]);
    let errors =
        |message: &std::sync::Arc<Message>| message.results().map(|result| result.is_error).collect::<Vec<_>>();
    assert_eq!(read.messages.iter().flat_map(errors).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn a_compaction_keeps_its_replacement_history_or_a_summary() {
    let started = r#"{"type":"event_msg","payload":{"type":"task_started"}}"#;
    let compacted = r#"{"type":"compacted","payload":{"message":"Summary."}}"#;
    let replaced = r#"{"type":"compacted","payload":{"message":"","replacement_history":[{"role":"user","content":"go"},{"role":"user","content":"Summary."},{"type":"compaction","encrypted_content":"x"}]}}"#;
    let manual = read_one(&[started, PROMPT, REPLY, started, compacted, started, PROMPT, REPLY]);
    assert_eq!(texts(&manual), ["go", "x", "Summary.", "go", "x"]);
    assert_eq!(manual.messages[2].compaction(), Some(Compaction { automatic: false, ..Compaction::default() }));
    let automatic = read_one(&[started, PROMPT, REPLY, replaced, REPLY]);
    assert_eq!(texts(&automatic), ["go", "x", "go", "Summary.", "x"]);
    assert_eq!(automatic.messages[2].compaction(), Some(Compaction { automatic: true, ..Compaction::default() }));
    let resets: Vec<_> = automatic.messages.iter().map(|message| (message.resets, message.harness)).collect();
    assert_eq!(resets, [(false, false), (false, false), (true, true), (false, true), (false, false)]);
}

#[test]
fn a_compaction_does_not_repeat_the_system_prompt() {
    let prompt = r#"{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"Be brief."}]}}"#;
    let replaced = r#"{"type":"compacted","payload":{"message":"","replacement_history":[
        {"type":"message","role":"developer","content":[{"type":"input_text","text":"Be brief."}]},
        {"type":"message","role":"developer","content":[{"type":"input_text","text":"Be kind."}]},
        {"role":"user","content":"Summary."}]}}"#;
    let read = read_one(&[prompt, PROMPT, REPLY, &replaced.replace('\n', ""), REPLY]);
    assert_eq!(texts(&read), ["Be brief.", "go", "x", "Be kind.", "Summary.", "x"]);
    assert_eq!(read.skipped.get("copied message"), Some(&1));
    let resets: Vec<bool> = read.messages.iter().map(|message| message.resets).collect();
    assert_eq!(resets, [false, false, false, true, false, false]);
}

#[test]
fn an_aborted_call_has_no_result_and_the_next_turn_begins_another_reply() {
    let aborted = r#"{"type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}"#;
    let call = call("a");
    let read = read_one(&[PROMPT, &call, aborted, REPLY]);
    assert_eq!(
        read.messages.iter().map(|message| message.role).collect::<Vec<_>>(),
        [Role::User, Role::Assistant, Role::Assistant]
    );
}

#[test]
fn events_that_repeat_messages_are_skipped() {
    let read = read_one(&[PROMPT, r#"{"type":"event_msg","payload":{"type":"user_message","message":"go"}}"#]);
    assert_eq!((read.messages.len(), read.skipped.get("event_msg:user_message")), (1, Some(&1)));
}

#[test]
fn the_session_of_a_sub_agent_is_that_of_an_agent() {
    let read = read_one(&[
        r#"{"type":"session_meta","payload":{"id":"s","source":{"subagent":{"thread_spawn":{}}}}}"#,
        PROMPT,
    ]);
    assert_eq!(read.agent.as_deref(), Some("s"));
}

#[test]
fn turns_that_a_person_takes_back_are_a_branch_that_was_paid_for() {
    let prompt = |text: &str| PROMPT.replace("\"go\"", &format!("\"{text}\""));
    let (one, two, three) = (tokens(10, 10), tokens(30, 20), tokens(60, 30));
    let [first, update, second, third] = ["A", "<environment_context>", "B", "C"].map(prompt);
    let back =
        |turns: u64| format!(r#"{{"type":"event_msg","payload":{{"type":"thread_rolled_back","num_turns":{turns}}}}}"#);
    let read = |turns: u64| {
        read_one(&[&first, REPLY, &one, &update, &second, REPLY, &two, &back(turns), &third, REPLY, &three])
    };
    let once = read(1);
    assert_eq!(texts(&once), ["A", "x", "C", "x"]);
    assert_eq!(usages(&once), [Some(10), Some(30)]);
    let left: Vec<_> = once.harness_calls.iter().map(|call| (call.messages, call.kind, call.usage.context())).collect();
    assert_eq!(left, [(2, HarnessCallKind::Branch, 20)]);
    for turns in [2, 9] {
        assert_eq!((texts(&read(turns)), read(turns).harness_calls.len()), (vec!["C".to_owned(), "x".to_owned()], 2));
    }
    assert_eq!(texts(&read(0)).len(), 7);
    // A turn may have been compacted in its middle.
    let compacted = r#"{"type":"compacted","payload":{"message":"","replacement_history":[{"role":"user","content":"A"},{"role":"user","content":"Summary."}]}}"#;
    let read = |turns: u64| {
        let lines = [&first, REPLY, &one, &second, REPLY, &two, compacted, REPLY, &three, &back(turns), &third, REPLY];
        read_one(&lines)
    };
    assert_eq!((texts(&read(1)), read(1).harness_calls.len()), (["A", "x", "C", "x"].map(String::from).to_vec(), 2));
    assert_eq!(texts(&read(2)), ["C", "x"]);
    // A compaction before the turn stays.
    let lines = [&first, REPLY, &one, compacted, &second, REPLY, &two, &back(1), &third, REPLY];
    assert_eq!(texts(&read_one(&lines)), ["A", "x", "A", "Summary.", "C", "x"]);
}
