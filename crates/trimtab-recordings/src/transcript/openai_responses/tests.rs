use trimtab_base::conversation::Usage;

use super::*;
use crate::transcript::{self, HarnessCall, HarnessCallKind};

fn read_all(text: &str) -> Vec<Transcript> {
    let file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!(file.format, "openai_responses");
    file.transcripts
}

fn read_one(text: &str) -> Transcript {
    let mut transcripts = read_all(text);
    assert_eq!(transcripts.len(), 1);
    transcripts.remove(0)
}

fn roles(transcript: &Transcript) -> Vec<Role> {
    transcript.messages.iter().map(|message| message.role).collect()
}

#[test]
fn a_request_with_its_response_is_one_conversation() {
    let read = read_one(
        r#"{"request":{"model":"gpt-5","instructions":"Be brief.","tools":[{"type":"function","name":"ls"}],"input":"hi"},
        "response":{"id":"r","object":"response","model":"gpt-5-2025-08-07","created_at":1700000000.5,
        "output":[{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"}],
        "usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":2}}}"#,
    );
    assert_eq!(roles(&read), [Role::System, Role::User, Role::Assistant]);
    let reply = &read.messages[2];
    assert_eq!(reply.usage, Some(Usage { input: 5, cache_read: 4, output: 2, ..Usage::default() }));
    assert_eq!(reply.model.as_deref(), Some("gpt-5-2025-08-07"));
    assert_eq!(reply.at.as_deref(), Some("2023-11-14T22:13:20.500Z"));
    assert_eq!(read.tools.len(), 1);
}

#[test]
fn a_record_without_a_time_in_its_response_has_that_around_it() {
    let read = read_one(
        r#"{"timestamp":"2026-04-01T09:00:00Z","request":{"model":"gpt-5","input":"hi"},"response":{"object":"response",
        "output":[{"type":"message","role":"assistant","content":"yo"}],"usage":{"input_tokens":9,"output_tokens":2}}}"#,
    );
    assert_eq!(read.messages[1].at.as_deref(), Some("2026-04-01T09:00:00Z"));
}

#[test]
fn the_output_begins_a_reply_of_its_own_unless_the_input_ends_with_it() {
    let text = |output: &str| {
        format!(
            r#"{{"instructions":null,"input":[{{"role":"user","content":"hi"}},{{"role":"assistant","content":"yes"}}],
            "output":[{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{output}"}}]}}],
            "usage":{{"input_tokens":3,"output_tokens":1}}}}"#
        )
    };
    let (other, same) = (read_one(&text("no")), read_one(&text("yes")));
    assert_eq!(roles(&other), [Role::User, Role::Assistant, Role::Assistant]);
    assert_eq!(roles(&same), [Role::User, Role::Assistant]);
    let usages = |read: &Transcript| read.messages.iter().map(|message| message.usage.is_some()).collect::<Vec<_>>();
    assert_eq!((usages(&other), usages(&same)), (vec![false, false, true], vec![false, true]));
}

#[test]
fn calls_that_name_an_earlier_response_continue_its_conversation() {
    let transcripts = read_all(concat!(
        r#"{"id":"r1","object":"response","instructions":"Be brief.","input":"a","output":[{"type":"message","role":"assistant","content":"b"}]}"#,
        "\n",
        r#"{"id":"x1","object":"response","input":"other","output":[]}"#,
        "\n",
        r#"{"id":"r2","object":"response","instructions":"Be brief.","previous_response_id":"r1","input":"c","output":[{"type":"message","role":"assistant","content":"d"}]}"#,
    ));
    assert_eq!(transcripts.len(), 2);
    assert_eq!(roles(&transcripts[0]), [Role::System, Role::User, Role::Assistant, Role::User, Role::Assistant]);
    assert!(transcripts[0].skipped.is_empty());
}

#[test]
fn a_missing_history_is_counted_and_the_rest_is_read() {
    let read = read_one(
        r#"{"previous_response_id":"gone","input":[{"type":"function_call_output","call_id":"a","output":"x"}]}"#,
    );
    assert_eq!(roles(&read), [Role::Tool]);
    assert_eq!(read.skipped.get("history of a previous response"), Some(&1));
}

#[test]
fn bare_items_are_one_conversation_in_a_list_and_as_lines() {
    let items = [
        r#"{"role":"user","content":"hi"}"#,
        r#"{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"x"}"#,
        r#"{"type":"compaction","encrypted_content":"x"}"#,
    ];
    for text in [items.join("\n"), format!("[{}]", items.join(","))] {
        let read = read_one(&text);
        assert_eq!(roles(&read), [Role::User, Role::Assistant, Role::Tool]);
        assert_eq!(read.skipped.get("compaction"), Some(&1));
    }
}

#[test]
fn a_compacted_context_resets_the_context_and_its_copies_are_of_the_harness() {
    let read = read_one(
        r#"{"instructions":"Be brief.","input":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],
        "output":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]},{"type":"compaction","encrypted_content":"x"}],
        "usage":{"input_tokens":9,"output_tokens":5}}"#,
    );
    assert_eq!(roles(&read), [Role::System, Role::User, Role::Assistant, Role::User]);
    let copy = &read.messages[3];
    assert!(copy.harness && copy.resets);
    assert_eq!(copy.compaction(), Some(Compaction { automatic: false, ..Compaction::default() }));
    assert!(read.messages.iter().all(|message| message.usage.is_none()));
    let usage = Usage { input: 9, output: 5, ..Usage::default() };
    let kind = HarnessCallKind::Summary;
    assert_eq!(read.harness_calls, [HarnessCall { messages: 3, kind, usage, model: None }]);
}

#[test]
fn a_compaction_by_the_provider_resets_the_context_before_the_reply() {
    let read = read_one(
        r#"{"object":"response","input":"a","output":[{"type":"compaction","encrypted_content":"x"},
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}]}"#,
    );
    assert!(read.messages[1].resets && !read.messages[1].harness);
    assert_eq!(read.messages[1].compaction(), Some(Compaction { automatic: true, ..Compaction::default() }));
}

#[test]
fn logs_of_other_systems_with_input_and_output_are_not_recognised() {
    for text in [
        r#"{"input":[{"role":"user","content":"a"}],"output":{"role":"assistant","content":"b"}}"#,
        r#"{"input":"a","output":"b"}"#,
        r#"{"model":"m","input":["a","b"]}"#,
    ] {
        assert!(!sniff(&Sample::of(&Input::of(text))), "{text}");
    }
}

#[test]
fn a_request_that_repeats_an_earlier_one_continues_its_conversation() {
    let request = |input: &[serde_json::Value]| {
        let output = serde_json::json!([{"type": "function_call", "call_id": format!("c{}", input.len()), "name": "ls", "arguments": "{}"}]);
        let usage = serde_json::json!({"input_tokens": 100 + input.len(), "output_tokens": 5});
        serde_json::json!({"instructions": "Be brief.", "input": input, "response": {"object": "response", "output": output, "usage": usage}})
    };
    let prompt = serde_json::json!({"role": "user", "content": [{"type": "input_text", "text": "go"}]});
    let call = serde_json::json!({"type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{}"});
    let result = serde_json::json!({"type": "function_call_output", "call_id": "c1", "output": "x"});
    let records = [request(std::slice::from_ref(&prompt)), request(&[prompt, call, result])];
    let file = transcript::read(format!("{}\n{}\n", records[0], records[1]).as_bytes(), None).expect("reads");
    let roles =
        |read: &Transcript| read.messages.iter().filter_map(|message| message.role.word().get(..1)).collect::<String>();
    assert_eq!(file.transcripts.iter().map(roles).collect::<Vec<_>>(), ["suata"]);
    assert_eq!(file.transcripts[0].messages.iter().filter(|message| message.usage.is_some()).count(), 2);
}
