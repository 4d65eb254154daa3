use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Body, Cleared, Compaction, Role, Usage};

use crate::transcript::{self, Transcript};

/// Reads a session with these messages.
fn read(messages: &[Json]) -> Transcript {
    let export = json!({"info": {"id": "ses_1", "time": {"created": 0}}, "messages": messages});
    let mut file = transcript::read(export.to_string().as_bytes(), None).expect("reads");
    assert_eq!(file.format, "opencode");
    file.transcripts.remove(0)
}

fn user(at: u64, parts: &Json) -> Json {
    json!({"info": {"role": "user", "time": {"created": at}}, "parts": parts})
}

fn assistant(at: u64, parts: &Json) -> Json {
    json!({"info": {"role": "assistant", "modelID": "m", "time": {"created": at}}, "parts": parts})
}

fn text(text: &str) -> Json {
    json!({"type": "text", "text": text})
}

fn tool(id: &str, output: &str, time: &Json) -> Json {
    let state = json!({"status": "completed", "input": {}, "output": output, "time": time});
    json!({"type": "tool", "callID": id, "tool": "bash", "state": state})
}

fn finish(input: u64) -> Json {
    json!({"type": "step-finish", "tokens": {"input": input, "output": 2, "reasoning": 1, "cache": {"read": 30, "write": 4}}})
}

fn roles(transcript: &Transcript) -> String {
    transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
}

#[test]
fn each_step_of_a_reply_is_a_message_with_its_own_usage() {
    let start = || json!({"type": "step-start"});
    let parts = json!([start(), tool("a", "x", &json!({})), finish(5), start(), text("done"), finish(6)]);
    let read = read(&[user(1, &json!([text("go")])), assistant(2, &parts)]);
    assert_eq!(roles(&read), "uata");
    let usage = |input| Some(Usage { input, cache_read: 30, cache_write: 4, output: 2, ..Usage::default() });
    assert_eq!([read.messages[1].usage, read.messages[3].usage], [usage(5), usage(6)]);
    assert_eq!(read.model.as_deref(), Some("m"));
}

#[test]
fn the_output_includes_reasoning_where_only_the_total_does() {
    let tokens = json!({"total": 17, "input": 10, "output": 2, "reasoning": 5});
    let read = read(&[assistant(2, &json!([text("x"), {"type": "step-finish", "tokens": tokens}]))]);
    assert_eq!(read.messages[0].usage.map(|usage| usage.output), Some(7));
}

#[test]
fn a_command_with_another_exit_code_than_0_has_failed() {
    let command = |id: &str, exit: Json| {
        let state = json!({"status": "completed", "input": {}, "output": "x", "metadata": {"exit": exit}});
        json!({"type": "tool", "callID": id, "tool": "bash", "state": state})
    };
    let read =
        read(&[assistant(2, &json!([command("a", json!(0)), command("b", json!(3)), command("c", Json::Null)]))]);
    let results = read.messages.iter().flat_map(|message| message.results());
    let results: Vec<_> = results.map(|result| (result.text.as_ref(), result.is_error)).collect();
    assert_eq!(results, [("x", false), ("x", true), ("x", false)]);
}

#[test]
fn repeated_call_ids_are_numbered_with_their_results() {
    let parts = json!([tool("REDACTED", "x", &json!({})), tool("REDACTED", "y", &json!({})), finish(1)]);
    let read = read(&[assistant(2, &parts)]);
    let calls: Vec<_> = read.messages[0].calls().map(|(id, ..)| id.as_str()).collect();
    let results = read.messages.iter().flat_map(|message| message.results());
    let results: Vec<_> = results.map(|result| (result.id.as_str(), result.text.as_ref())).collect();
    assert_eq!(calls, ["REDACTED", "REDACTED.2"]);
    assert_eq!(results, [("REDACTED", "x"), ("REDACTED.2", "y")]);
}

#[test]
fn a_cleared_result_is_an_edit_before_the_next_message() {
    let parts = json!([tool("a", "x", &json!({"start": 2, "end": 3, "compacted": 10})), finish(1)]);
    let messages = [assistant(2, &parts), assistant(5, &json!([text("y")])), user(10, &json!([text("more")]))];
    let read = read(&messages);
    let cleared: Vec<_> = read.messages.iter().map(|message| message.cleared().cloned()).collect();
    assert_eq!(cleared, [None, None, None, Some(Cleared { results: vec!["a".into()], tokens: None })]);
}

#[test]
fn a_summary_resets_the_context_and_the_last_reply_gives_the_size_before() {
    let mut summary = assistant(3, &json!([text("so far"), finish(100)]));
    summary["info"]["summary"] = true.into();
    let request = user(2, &json!([{"type": "compaction", "auto": true}]));
    let more = user(4, &json!([{"type": "text", "text": "Continue.", "synthetic": true}]));
    let reply = assistant(1, &json!([text("ok"), finish(900)]));
    let mut failed = assistant(5, &json!([finish(70)]));
    failed["info"]["agent"] = "compaction".into();
    let read = read(&[user(1, &json!([text("go")])), reply, request, summary, more, failed]);
    assert_eq!(roles(&read), "uauu");
    let message = &read.messages[2];
    assert!(message.resets && message.harness && message.role == Role::User);
    assert_eq!(message.compaction(), Some(Compaction { automatic: true, tokens: Some(936), ..Compaction::default() }));
    assert!(read.messages[3].harness, "a text that OpenCode wrote");
    let calls: Vec<_> = read.harness_calls.iter().map(|call| (call.messages, call.usage.input)).collect();
    assert_eq!(calls, [(2, 100), (4, 70)]);
    assert_eq!(read.skipped.get("compaction without a summary"), Some(&1));
}

/// A session of a prompt, a call, a reply, a compaction that keeps the messages from an id on, and a prompt.
fn compacted(tail_start: &str, rename: impl Fn(&mut Vec<Json>)) -> Transcript {
    let request = json!([{"type": "compaction", "auto": true, "tail_start_id": tail_start}]);
    let mut summary = assistant(4, &json!([text("so far"), finish(100)]));
    summary["info"]["summary"] = true.into();
    let mut messages = vec![
        user(1, &json!([text("go")])),
        assistant(2, &json!([tool("a", "x", &json!({})), finish(5)])),
        assistant(3, &json!([text("ok"), finish(6)])),
        user(4, &request),
        summary,
        user(5, &json!([text("more")])),
    ];
    for (index, message) in messages.iter_mut().enumerate() {
        message["info"]["id"] = format!("m{index}").into();
    }
    rename(&mut messages);
    read(&messages)
}

/// The roles, with those of copies in upper case.
fn roles_with_copies(transcript: &Transcript) -> String {
    let case = |(role, kept): (char, bool)| if kept { role.to_ascii_uppercase() } else { role };
    roles(transcript).chars().zip(transcript.messages.iter().map(|message| message.kept)).map(case).collect()
}

#[test]
fn messages_that_a_compaction_keeps_follow_its_summary() {
    let read = compacted("m1", |_| {});
    assert_eq!(roles_with_copies(&read), "uatauATAu");
    let copies = &read.messages[5..8];
    assert!(copies.iter().all(|copy| copy.usage.is_none() && !copy.resets && !copy.is_reply()));
    assert!(copies[1].results().all(|result| result.id == "a"));
    assert_eq!(roles_with_copies(&compacted("m2", |_| {})), "uatauAu");
}

#[test]
fn a_message_of_the_database_has_its_id_beside_its_info() {
    let move_id = |message: &mut Json| message["id"] = message["info"]["id"].take();
    let read = compacted("m2", |messages| messages.iter_mut().for_each(move_id));
    assert_eq!(roles_with_copies(&read), "uatauAu");
}

#[test]
fn a_compaction_keeps_nothing_if_its_first_message_is_unknown() {
    for tail_start in ["", "nowhere", "m3", "m4", "m5"] {
        assert_eq!(roles_with_copies(&compacted(tail_start, |_| {})), "uatauu");
    }
    let redact = |message: &mut Json| message["info"]["id"] = "REDACTED".into();
    let read = compacted("REDACTED", |messages| messages.iter_mut().for_each(redact));
    assert_eq!(roles_with_copies(&read), "uatauu");
}

#[test]
fn a_second_compaction_may_keep_what_the_first_one_kept() {
    let read = compacted("m2", |messages| {
        let again = [messages[3].clone(), messages[4].clone(), messages[5].clone()];
        messages.extend(again);
        messages[6]["info"]["id"] = "m6".into();
        messages[7]["info"]["id"] = "m7".into();
        messages[8]["info"]["id"] = "m8".into();
    });
    assert_eq!(roles_with_copies(&read), "uatauAuuAUUu", "the earlier summary is among the messages since then");
    assert_eq!(read.messages.iter().filter(|message| message.resets).count(), 2);
}

#[test]
fn a_failed_compaction_leaves_the_context() {
    let read = compacted("m1", |messages| messages[4]["info"]["error"] = json!({"name": "MessageAbortedError"}));
    assert_eq!(roles_with_copies(&read), "uatau");
    assert!(read.messages.iter().all(|message| !message.resets));
    assert_eq!(read.skipped.get("compaction without a summary"), Some(&1));
}

#[test]
fn failed_calls_are_errors_and_interrupted_ones_have_no_result() {
    let failed = json!({"type": "tool", "callID": "a", "tool": "b", "state": {"status": "error", "error": "no"}});
    let running = json!({"type": "tool", "callID": "c", "tool": "b", "state": {"status": "running"}});
    let read = read(&[assistant(1, &json!([failed, running]))]);
    let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
    assert_eq!(results.len(), 1);
    assert!(results[0].is_error && results[0].text.as_ref() == "no");
}

#[test]
fn other_parts_are_skipped_and_counted_and_images_and_encrypted_reasoning_are_kept() {
    let url = "data:image/png;base64,TWFu";
    let mut failed = assistant(3, &json!([]));
    failed["info"]["error"] = json!({"name": "MessageAbortedError"});
    let reasoning = json!({"type": "reasoning", "text": "", "metadata": {"p": {"reasoningEncryptedContent": "e"}}});
    let read = read(&[
        user(
            1,
            &json!([text("go"), {"type": "file", "mime": "image/png", "url": url}, {"type": "file", "mime": "text/plain"}]),
        ),
        assistant(2, &json!([reasoning, {"type": "patch"}, {"type": "snapshot"}])),
        failed,
    ]);
    assert!(matches!(read.messages[0].parts[1].body, Body::Image { bytes: 3, .. }));
    assert!(matches!(&read.messages[1].parts[0].body, Body::Thinking { signature: Some(data), .. } if &**data == "e"));
    let skipped = json!({"failed reply:MessageAbortedError": 1, "file": 1, "patch": 1, "snapshot": 1});
    assert_eq!(json!(read.skipped), skipped);
}
