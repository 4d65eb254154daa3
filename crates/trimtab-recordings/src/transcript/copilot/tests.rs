use trimtab_base::conversation::{Body, Compaction, Role, Usage};

use super::*;
use crate::transcript::{self, HarnessCallKind};

fn read_all(lines: &[&str]) -> Vec<Transcript> {
    let file = transcript::read(lines.join("\n").as_bytes(), None).expect("reads");
    assert_eq!(file.format, "copilot");
    file.transcripts
}

fn read_one(lines: &[&str]) -> Transcript {
    let mut transcripts = read_all(lines);
    assert_eq!(transcripts.len(), 1);
    transcripts.remove(0)
}

fn texts(read: &Transcript) -> Vec<String> {
    read.messages.iter().map(|message| message.plain_text()).collect()
}

const PROMPT: &str = r#"{"type":"user.message","id":"e1","data":{"content":"go","transformedContent":"<now/> go"}}"#;
const REPLY: &str = r#"{"type":"assistant.message","id":"e2","data":{"content":"x","apiCallId":"m1","model":"gpt-5","outputTokens":7,
    "reasoningText":"think","reasoningOpaque":"abc","toolRequests":[{"toolCallId":"a","name":"bash","arguments":{"command":"ls"}},{"toolCallId":"b","name":"view","arguments":{}}]}}"#;

fn reply() -> String {
    REPLY.replace('\n', " ")
}

#[test]
fn a_reply_has_all_its_calls_and_each_result_is_a_message() {
    let read = read_one(&[
        r#"{"type":"session.start","data":{"sessionId":"s","startTime":"t0","selectedModel":"auto"}}"#,
        r#"{"type":"system.message","data":{"role":"system","content":"Be brief."}}"#,
        PROMPT,
        &reply(),
        r#"{"type":"tool.execution_start","data":{"toolCallId":"a","toolName":"bash","arguments":{}}}"#,
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"b","success":false,"error":{"message":"no","code":"x"}}}"#,
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"a","success":true,"result":{"content":"1","detailedContent":"one"}}}"#,
        r#"{"type":"session.shutdown","data":{"modelMetrics":{"gpt-5":{"usage":{"inputTokens":100}}}}}"#,
    ]);
    let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool, Role::Tool]);
    assert_eq!(texts(&read)[1], "<now/> go");
    let reply = &read.messages[2];
    assert_eq!(reply.parts[0].body, Body::Thinking { text: "think".into(), signature: Some("abc".into()) });
    assert_eq!((reply.calls().count(), reply.usage, reply.model.as_deref()), (2, None, Some("gpt-5")));
    let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
    let outcome: Vec<_> =
        results.iter().map(|result| (result.id.as_str(), result.text.as_ref(), result.is_error)).collect();
    assert_eq!(outcome, [("b", "no", true), ("a", "1", false)]);
    assert_eq!((read.id.as_str(), read.started.as_deref()), ("s", Some("t0")));
    assert_eq!(read.skipped.get("session.shutdown"), Some(&1));
}

#[test]
fn a_system_prompt_that_is_recorded_after_the_first_message_comes_before_it() {
    let prompt = r#"{"type":"system.message","data":{"role":"system","content":"Be brief."}}"#;
    let read = read_one(&[PROMPT, prompt, &reply(), prompt]);
    let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::System]);
}

#[test]
fn a_command_with_another_exit_code_than_0_has_failed() {
    let complete = |id: &str, code: &str| {
        format!(
            r#"{{"type":"tool.execution_complete","data":{{"toolCallId":"{id}","success":true,"shellExecution":{{"exitCode":{code}}},"result":{{"content":"x"}}}}}}"#
        )
    };
    let read = read_one(&[PROMPT, &reply(), &complete("a", "0"), &complete("b", "3")]);
    let failed: Vec<_> = read.messages.iter().flat_map(|message| message.results()).map(|one| one.is_error).collect();
    assert_eq!(failed, [false, true]);
}

fn usage_record(api_call: &str, input: u64) -> String {
    let usage = serde_json::json!({"apiCallId": api_call, "model": "gpt-5", "inputTokens": input, "cacheReadTokens": 60,
        "cacheWriteTokens": 10, "outputTokens": 5, "maxPromptTokens": 168_000});
    serde_json::json!({"type": "session.usage_record", "data": {"usage": usage}}).to_string()
}

#[test]
fn each_reply_has_the_usage_of_its_api_call() {
    let before = usage_record("m1", 100);
    let after = usage_record("m2", 200);
    let other = usage_record("m9", 300);
    let empty = r#"{"type":"assistant.message","data":{"content":"","apiCallId":"m3"}}"#;
    let read = read_one(&[
        PROMPT,
        &before,
        &reply(),
        r#"{"type":"assistant.message","data":{"content":"y","apiCallId":"m2"}}"#,
        &after,
        empty,
        &usage_record("m3", 400),
        empty,
        &other,
        r#"{"type":"session.shutdown","data":{"currentTokens":12000,"toolDefinitionsTokens":6555}}"#,
    ]);
    let usage = |input| Some(Usage { input, cache_read: 60, cache_write: 10, output: 5, ..Usage::default() });
    let usages: Vec<_> = read.messages.iter().skip(1).map(|message| message.usage).collect();
    assert_eq!(usages, [usage(30), usage(130), usage(330)]);
    let calls: Vec<_> = read.harness_calls.iter().map(|call| (call.messages, Some(call.usage))).collect();
    assert_eq!(calls, [(4, usage(230))]);
    assert_eq!((read.window, read.tool_tokens), (Some(168_000), Some(6555)));
}

#[test]
fn the_usage_of_a_compaction_counts_once_and_that_of_a_rewound_reply_is_that_of_another_branch() {
    let compaction = r#"{"type":"session.compaction_complete","data":{"success":true,"summaryContent":"Summary.",
        "compactionTokensUsed":{"inputTokens":100,"cacheReadTokens":60,"cacheWriteTokens":10,"outputTokens":5}}}"#;
    let rewind = r#"{"type":"session.snapshot_rewind","data":{"upToEventId":"e2"}}"#;
    let record = usage_record("m1", 200);
    let read = read_one(&[PROMPT, &record, &reply(), rewind, &usage_record("c", 100), &compaction.replace('\n', "")]);
    let calls: Vec<_> = read.harness_calls.iter().map(|call| (call.kind, call.messages, call.usage.input)).collect();
    assert_eq!(
        (texts(&read).len(), calls),
        (2, vec![(HarnessCallKind::Summary, 1, 30), (HarnessCallKind::Branch, 1, 130)])
    );
    assert_eq!(read.harness_calls[1].model.as_deref(), Some("gpt-5"));
}

#[test]
fn events_of_one_api_call_are_one_reply() {
    let more = r#"{"type":"assistant.message","data":{"content":"y","apiCallId":"m1"}}"#;
    let read = read_one(&[PROMPT, &reply(), more]);
    assert_eq!(texts(&read), ["<now/> go", "xy"]);
}

#[test]
fn a_call_that_no_reply_requested_belongs_to_the_reply_before() {
    let read = read_one(&[
        r#"{"type":"assistant.message","data":{"content":"x"}}"#,
        r#"{"type":"tool.execution_start","data":{"toolCallId":"a","toolName":"bash","arguments":{}}}"#,
    ]);
    assert_eq!((read.messages.len(), read.messages[0].calls().count()), (1, 1));
}

#[test]
fn events_of_a_sub_agent_are_a_transcript_that_begins_with_its_prompt() {
    let task = r#"{"type":"assistant.message","data":{"toolRequests":[{"toolCallId":"t","name":"task","arguments":{"prompt":"look"}}]}}"#;
    let inner = r#"{"type":"assistant.message","data":{"content":"found","parentToolCallId":"t"}}"#;
    let transcripts = read_all(&[PROMPT, task, inner]);
    assert_eq!(transcripts.len(), 2);
    assert_eq!(
        (transcripts[1].agent.as_deref(), texts(&transcripts[1])),
        (Some("t"), vec!["look".to_owned(), "found".to_owned()])
    );
}

#[test]
fn a_compaction_resets_the_context_with_its_summary() {
    let compaction = r#"{"type":"session.compaction_complete","data":{"success":true,"preCompactionTokens":1000,"summaryContent":"Summary."}}"#;
    let failed = r#"{"type":"session.compaction_complete","data":{"success":false}}"#;
    let read = read_one(&[PROMPT, failed, compaction, PROMPT]);
    let summary = &read.messages[1];
    assert!(summary.resets && summary.harness);
    assert_eq!(summary.compaction(), Some(Compaction { automatic: true, tokens: Some(1000), ..Compaction::default() }));
    assert!(!read.messages[2].resets);
}

#[test]
fn rewound_messages_are_left_out() {
    let read = read_one(&[PROMPT, &reply(), r#"{"type":"session.snapshot_rewind","data":{"upToEventId":"e2"}}"#]);
    assert_eq!(texts(&read), ["<now/> go"]);
}

#[test]
fn notifications_are_messages_of_the_harness() {
    let read = read_one(&[PROMPT, r#"{"type":"system.notification","data":{"content":"done"}}"#]);
    assert_eq!(read.messages.iter().map(|message| message.harness).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn replies_have_the_reasoning_effort_that_the_session_has_then() {
    let reply =
        |id: &str| format!(r#"{{"type":"assistant.message","id":"{id}","data":{{"content":"x","apiCallId":"{id}"}}}}"#);
    let read = read_one(&[
        r#"{"type":"session.start","data":{"sessionId":"s","reasoningEffort":"medium"}}"#,
        PROMPT,
        &reply("m1"),
        r#"{"type":"session.model_change","data":{"newModel":"gpt-5","reasoningEffort":"high"}}"#,
        &reply("m2"),
        r#"{"type":"session.model_change","data":{"newModel":"gpt-4"}}"#,
        &reply("m3"),
    ]);
    let efforts: Vec<_> = read.messages.iter().map(|message| message.effort.as_deref()).collect();
    assert_eq!(efforts, [None, Some("medium"), Some("high"), None]);
}
