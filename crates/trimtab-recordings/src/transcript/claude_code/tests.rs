mod context;
mod files;
mod requests;

use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Arguments, Message, Part, Role, Usage};

use crate::transcript::{self, HarnessCall, HarnessCallKind, ReadFile, Transcript};

/// A line of a session with further fields `extra`.
fn line(kind: &str, uuid: &str, parent: Option<&str>, message: Json, extra: Json) -> String {
    let mut line = json!({ "parentUuid": parent, "sessionId": "s1", "type": kind, "uuid": uuid });
    line["message"] = message;
    if let (Json::Object(line), Json::Object(extra)) = (&mut line, extra) {
        line.extend(extra);
    }
    line.to_string()
}

fn user(uuid: &str, parent: Option<&str>, text: &str) -> String {
    line("user", uuid, parent, json!({ "role": "user", "content": text }), json!({}))
}

fn result(uuid: &str, parent: &str, id: &str) -> String {
    let content = json!([{ "type": "tool_result", "tool_use_id": id, "content": format!("out {id}") }]);
    line("user", uuid, Some(parent), json!({ "role": "user", "content": content }), json!({}))
}

fn reply(uuid: &str, parent: &str, id: &str, block: Json, usage: (u64, u64)) -> String {
    let usage = json!({ "input_tokens": 2, "cache_read_input_tokens": usage.0, "output_tokens": usage.1 });
    let mut message = json!({ "role": "assistant", "id": id, "model": "claude-x", "usage": usage });
    message["content"] = vec![block].into();
    line("assistant", uuid, Some(parent), message, json!({}))
}

fn call(id: &str) -> Json {
    json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": id } })
}

fn text(text: &str) -> Json {
    json!({ "type": "text", "text": text })
}

fn read(lines: &[String]) -> ReadFile {
    transcript::read(lines.join("\n").as_bytes(), None).expect("reads")
}

fn read_one(lines: &[String]) -> Transcript {
    let mut file = read(lines);
    assert_eq!((file.format, file.transcripts.len()), ("claude_code", 1));
    file.transcripts.remove(0)
}

/// The initial letter of each message's role, in upper case if the harness wrote the message.
fn roles(transcript: &Transcript) -> String {
    let letter = |message: &Message| {
        let letter = message.role.word().get(..1).expect("a letter");
        if message.harness { letter.to_uppercase() } else { letter.to_owned() }
    };
    transcript.messages.iter().map(|message| letter(message)).collect()
}

#[test]
fn lines_of_a_response_are_one_message_and_its_usage_counts_once() {
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", text("I look."), (10, 1)),
        reply("a2", "a1", "m1", call("c1"), (10, 40)),
        result("r1", "a2", "c1"),
    ]);
    assert_eq!(roles(&read), "uat");
    let reply = &read.messages[1];
    assert_eq!(reply.parts.len(), 2);
    assert_eq!(reply.usage, Some(Usage { input: 2, cache_read: 10, cache_write: 0, output: 40, ..Usage::default() }));
    assert_eq!((read.id.as_str(), read.model.as_deref()), ("s1", Some("claude-x")));
}

#[test]
fn a_response_that_continues_after_a_result_is_one_message_before_both_results() {
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", call("c1"), (10, 1)),
        result("r1", "a1", "c1"),
        reply("a2", "a1", "m1", call("c2"), (10, 9)),
        result("r2", "a2", "c2"),
        reply("a3", "r2", "m2", text("done"), (50, 3)),
    ]);
    assert_eq!(roles(&read), "uatta");
    let calls: Vec<_> = read.messages[1].calls().map(|(id, ..)| id.as_str()).collect();
    let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).map(|r| r.id.as_str()).collect();
    assert_eq!((calls, results), (vec!["c1", "c2"], vec!["c1", "c2"]));
    assert!(read.skipped.is_empty());
}

#[test]
fn responses_of_a_relay_that_reuses_one_message_id_are_not_merged() {
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "same", call("c1"), (10, 1)),
        result("r1", "a1", "c1"),
        reply("a2", "r1", "same", call("c2"), (60, 9)),
        result("r2", "a2", "c2"),
        reply("a3", "r2", "same", text("done"), (90, 3)),
    ]);
    assert_eq!(roles(&read), "uatata");
}

#[test]
fn without_usage_only_adjacent_lines_are_merged() {
    let bare = |uuid: &str, parent: &str, block: Json| {
        line("assistant", uuid, Some(parent), json!({ "id": "m", "content": [block] }), json!({}))
    };
    let read = read_one(&[
        user("u1", None, "go"),
        bare("a1", "u1", text("x")),
        bare("a2", "a1", call("c1")),
        result("r1", "a2", "c1"),
        bare("a3", "r1", text("y")),
    ]);
    assert_eq!(roles(&read), "uata");
}

#[test]
fn a_repeated_line_is_skipped_and_counted() {
    let again = reply("a1", "u1", "m1", text("hi"), (1, 1));
    let read = read_one(&[user("u1", None, "go"), again.clone(), again]);
    assert_eq!((roles(&read).as_str(), read.messages[1].parts.len()), ("ua", 1));
    assert_eq!(read.skipped.get("repeated record"), Some(&1));
}

#[test]
fn another_branch_is_skipped_and_counted() {
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", text("one"), (1, 1)),
        user("u2", Some("a1"), "abandoned"),
        reply("a2", "u2", "m2", text("two"), (1, 1)),
        user("u3", Some("a1"), "instead"),
        reply("a3", "u3", "m3", text("three"), (1, 1)),
    ]);
    let texts: Vec<_> = read.messages.iter().map(|message| message.plain_text()).collect();
    assert_eq!(texts, ["go", "one", "instead", "three"]);
    assert_eq!(read.skipped.get("other branch"), Some(&2));
}

#[test]
fn a_reply_on_another_branch_is_one_call_of_a_kind_of_its_own() {
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", text("one"), (1, 1)),
        user("u2", Some("a1"), "abandoned"),
        // The usage of a reply is repeated on each of its lines, and complete on the last one.
        reply("a2", "u2", "m2", text("two"), (7, 1)),
        reply("a3", "a2", "m2", text("more"), (7, 5)),
        user("u3", Some("a1"), "instead"),
        // A copy of a line of the reply that is kept.
        reply("a4", "u2", "m1", text("one"), (1, 1)),
        reply("a5", "u3", "m3", text("three"), (1, 1)),
    ]);
    let usage = Usage { input: 2, cache_read: 7, output: 5, ..Usage::default() };
    let call = HarnessCall { messages: 2, kind: HarnessCallKind::Branch, usage, model: Some("claude-x".into()) };
    assert_eq!((roles(&read).as_str(), read.harness_calls), ("uaua", vec![call]));
}

#[test]
fn parallel_calls_beside_the_active_path_are_kept() {
    // The next reply follows the first result, so the second call and its result are not on the path.
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", call("c1"), (10, 1)),
        line("progress", "p1", Some("a1"), Json::Null, json!({})),
        reply("a2", "p1", "m1", call("c2"), (10, 9)),
        result("r1", "a1", "c1"),
        result("r2", "a2", "c2"),
        reply("a3", "r1", "m2", text("done"), (50, 3)),
    ]);
    assert_eq!(roles(&read), "uatta");
    assert_eq!(read.skipped.get("other branch"), None);
}

#[test]
fn a_record_with_a_missing_parent_follows_the_preceding_record() {
    let read = read_one(&[
        user("u1", Some("gone"), "go"),
        reply("a1", "u1", "m1", text("one"), (1, 1)),
        user("u2", Some("never written"), "on"),
        reply("a2", "u2", "m2", text("two"), (1, 1)),
    ]);
    assert_eq!(roles(&read), "uaua");
}

#[test]
fn records_without_links_are_read_in_file_order() {
    let read = read_one(&[user("u1", None, "a"), user("u2", None, "b"), user("u3", None, "c")]);
    assert_eq!(roles(&read), "uuu");
}

#[test]
fn cyclic_links_are_read_in_file_order() {
    let read = read_one(&[user("u1", Some("u2"), "a"), user("u2", Some("u1"), "b")]);
    assert_eq!(roles(&read), "uu");
}

#[test]
fn a_compaction_resets_the_context_at_its_summary() {
    let boundary = json!({ "subtype": "compact_boundary", "logicalParentUuid": "in another file" });
    let summary = json!({ "isCompactSummary": true, "isVisibleInTranscriptOnly": true });
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", text("one"), (1, 1)),
        line("system", "b1", None, Json::Null, boundary),
        line("user", "u2", Some("b1"), json!({ "content": "Summary of it all." }), summary),
        reply("a2", "u2", "m2", text("two"), (1, 1)),
    ]);
    assert_eq!(roles(&read), "uaUa");
    let resets: Vec<_> = read.messages.iter().map(|message| message.resets).collect();
    assert_eq!(resets, [false, false, true, false]);
    assert_eq!(read.skipped.get("system:compact_boundary"), Some(&1));
}

#[test]
fn a_compaction_without_a_summary_resets_the_context_at_the_next_message() {
    let read = read_one(&[
        user("u1", None, "go"),
        line("system", "b1", Some("u1"), Json::Null, json!({ "subtype": "compact_boundary" })),
        user("u2", Some("b1"), "on"),
    ]);
    assert_eq!(read.messages.iter().map(|message| message.resets).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn sub_agents_become_transcripts_of_their_own() {
    let side = |agent: Option<&str>| json!({ "isSidechain": true, "agentId": agent });
    let message = |text: &str| json!({ "role": "user", "content": text });
    let file = read(&[
        user("u1", None, "go"),
        line("user", "x1", None, message("task one"), side(None)),
        line("user", "y1", None, message("task two"), side(Some("agent-b"))),
        line("assistant", "x2", Some("x1"), json!({ "content": "found" }), side(None)),
        reply("a1", "u1", "m1", text("one"), (1, 1)),
    ]);
    let ids_and_roles: Vec<_> = file.transcripts.iter().map(|read| (read.id.as_str(), roles(read))).collect();
    assert_eq!(ids_and_roles, [("s1", "ua".to_owned()), ("x1", "ua".to_owned()), ("agent-b", "u".to_owned())]);
}

#[test]
fn a_file_with_one_sub_agent_is_one_transcript() {
    let side = json!({ "isSidechain": true, "agentId": "b" });
    let read = read_one(&[line("user", "x1", None, json!({ "content": "task" }), side)]);
    assert_eq!((read.id.as_str(), read.messages.len()), ("b", 1));
}

#[test]
fn messages_written_by_the_harness_are_marked() {
    let meta = json!({ "isMeta": true });
    let read = read_one(&[
        user("u1", None, "go"),
        user("u2", Some("u1"), "<local-command-stdout>ok</local-command-stdout>"),
        user("u3", Some("u2"), "[Request interrupted by user]"),
        line("user", "u4", Some("u3"), json!({ "content": "a skill" }), meta),
        user("u5", Some("u4"), "on"),
    ]);
    assert_eq!(roles(&read), "uUUUu");
}

#[test]
fn a_command_that_claude_code_runs_itself_is_no_prompt() {
    let read = read_one(&[
        user("u1", None, "<command-name>/review</command-name>"),
        line(
            "user",
            "u2",
            Some("u1"),
            json!({ "content": "<local-command-caveat>run here</local-command-caveat>" }),
            json!({ "isMeta": true }),
        ),
        user("u3", Some("u2"), "<command-name>/clear</command-name>"),
        user("u4", Some("u3"), "<local-command-stdout></local-command-stdout>"),
        user("u5", Some("u4"), "<command-name>/review</command-name>"),
    ]);
    assert_eq!(roles(&read), "uUUUu");
}

#[test]
fn synthetic_replies_are_skipped_and_their_children_are_kept() {
    let failed = json!({ "isApiErrorMessage": true });
    let read = read_one(&[
        user("u1", None, "go"),
        line("assistant", "e1", Some("u1"), json!({ "model": "<synthetic>", "content": [text("API Error")] }), failed),
        user("u2", Some("e1"), "again"),
    ]);
    assert_eq!(roles(&read), "uu");
    assert_eq!(read.skipped.get("API error"), Some(&1));
}

#[test]
fn results_and_text_of_a_user_line_become_separate_messages() {
    let content = json!([
        { "type": "tool_result", "tool_use_id": "c1", "content": [text("a"), text("b")], "is_error": true },
        text("and this"),
    ]);
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", call("c1"), (1, 1)),
        line("user", "r1", Some("a1"), json!({ "content": content }), json!({ "timestamp": "2026-01-01T00:00:00Z" })),
    ]);
    assert_eq!(roles(&read), "uatu");
    assert_eq!(read.messages[2].parts, [Part::result("c1", "a\nb", true)]);
    assert_eq!(read.messages[3].at.as_deref(), Some("2026-01-01T00:00:00Z"));
    let arguments = Arguments::from(json!({ "command": "c1" }));
    assert_eq!(read.messages[1].parts, [Part::call("c1", "Bash", arguments)]);
}

#[test]
fn invalid_and_unknown_lines_and_a_truncated_last_line_are_counted() {
    let read = read_one(&[
        json!({ "type": "summary", "summary": "of another", "leafUuid": "x" }).to_string(),
        "{\"type\":".to_owned(),
        "[1]".to_owned(),
        "42".to_owned(),
        json!({ "silly": 1 }).to_string(),
        user("u1", None, "go"),
        line("user", "u9", Some("u1"), json!("no object"), json!({})),
        user("u2", Some("u1"), "cut off").chars().take(60).collect(),
    ]);
    assert_eq!(roles(&read), "u");
    let skipped = json!({ "broken line": 2, "non-object record": 2, "record without a type": 1, "record without content": 1,
        "summary": 1 });
    assert_eq!(json!(read.skipped), skipped);
}

#[test]
fn a_file_of_snapshots_is_a_transcript_without_messages() {
    let snapshot = json!({ "type": "file-history-snapshot", "messageId": "m", "snapshot": {} }).to_string();
    let read = read_one(&[snapshot.clone(), snapshot]);
    assert_eq!((read.messages.len(), read.skipped.get("file-history-snapshot")), (0, Some(&2)));
}

#[test]
fn windows_line_endings_and_a_byte_order_mark_are_ignored() {
    let lines = [user("u1", None, "go"), reply("a1", "u1", "m1", text("one"), (1, 1))];
    let windows = format!("\u{feff}{}\r\n", lines.join("\r\n"));
    assert_eq!(transcript::read(windows.as_bytes(), None), Ok(read(&lines)));
}

#[test]
fn an_array_of_records_and_a_single_line_are_read_alike() {
    let lines = [user("u1", None, "go"), reply("a1", "u1", "m1", text("one"), (1, 1))];
    assert_eq!(read(&[format!("[\n{}\n]", lines.join(",\n"))]), read(&lines));
    assert_eq!(roles(&read_one(&lines[..1])), "u");
}

#[test]
fn the_model_of_a_transcript_is_that_of_its_first_reply() {
    let of = |uuid: &str, parent: &str, model: &str| {
        line("assistant", uuid, Some(parent), json!({ "id": uuid, "model": model, "content": "x" }), json!({}))
    };
    let read = read_one(&[user("u", None, "go"), of("a", "u", "small"), of("b", "a", "big"), of("c", "b", "big")]);
    assert_eq!(read.model.as_deref(), Some("small"));
    assert_eq!(read.main_model().map(AsRef::as_ref), Some("big"));
    assert!(read.messages.iter().all(|message| message.role == Role::User || message.model.is_some()));
}
