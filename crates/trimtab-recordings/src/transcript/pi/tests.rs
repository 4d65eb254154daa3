use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Body, Compaction, Part, Role, Usage};

use crate::transcript::{self, HarnessCallKind, Transcript};

/// Reads a session with these entries after its header.
fn read(entries: &[Json]) -> Transcript {
    let header =
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-03-01T10:00:00Z", "cwd": "/shop"});
    let lines: Vec<String> = std::iter::once(&header).chain(entries).map(ToString::to_string).collect();
    let mut file = transcript::read(lines.join("\n").as_bytes(), None).expect("reads");
    assert_eq!(file.format, "pi");
    file.transcripts.remove(0)
}

fn entry(id: &str, parent: Option<&str>, message: &Json) -> Json {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-03-01T10:00:01Z", "message": message})
}

fn linear(message: &Json) -> Json {
    json!({"type": "message", "timestamp": "2026-03-01T10:00:01Z", "message": message})
}

fn user(text: &str) -> Json {
    json!({"role": "user", "content": text, "timestamp": 0})
}

fn texts(transcript: &Transcript) -> Vec<String> {
    transcript.messages.iter().map(|message| message.plain_text()).collect()
}

#[test]
fn the_branch_of_the_last_entry_is_read() {
    let read = read(&[
        entry("a", None, &user("one")),
        entry("b", Some("a"), &user("left")),
        entry("c", Some("a"), &user("two")),
        json!({"type": "model_change", "id": "d", "parentId": "c", "modelId": "m"}),
        entry("e", Some("d"), &user("three")),
    ]);
    assert_eq!(texts(&read), ["one", "two", "three"]);
    assert_eq!(json!(read.skipped), json!({"model_change": 1, "other branch": 1}));
}

#[test]
fn the_calls_of_other_branches_have_their_kinds() {
    let usage = |input: u64| json!({"input": input, "output": 1});
    let reply = |input: u64| json!({"role": "assistant", "content": [{"type": "text", "text": "ok"}], "model": "m", "usage": usage(input)});
    let read = read(&[
        entry("a", None, &user("one")),
        entry("b", Some("a"), &reply(10)),
        entry("c", Some("b"), &user("left")),
        entry("d", Some("c"), &reply(20)),
        json!({"type": "compaction", "id": "e", "parentId": "d", "summary": "Short.", "usage": usage(30)}),
        json!({"type": "branch_summary", "id": "f", "parentId": "b", "summary": "It was left.", "usage": usage(40)}),
    ]);
    assert_eq!(texts(&read), ["one", "ok", "It was left."]);
    let calls: Vec<_> = read.harness_calls.iter().map(|call| (call.kind, call.messages, call.usage.input)).collect();
    let (summary, branch) = (HarnessCallKind::Summary, HarnessCallKind::Branch);
    assert_eq!(calls, [(branch, 2, 20), (summary, 2, 30), (summary, 2, 40)]);
}

#[test]
fn replies_have_the_thinking_level_of_their_branch() {
    let level = |id: &str, parent: &str, level: &str| json!({"type": "thinking_level_change", "id": id, "parentId": parent, "thinkingLevel": level});
    let reply = json!({"role": "assistant", "content": [{"type": "text", "text": "ok"}]});
    let read = read(&[
        entry("a", None, &user("one")),
        entry("b", Some("a"), &reply),
        level("c", "b", "low"),
        level("d", "c", "high"),
        entry("e", Some("d"), &user("two")),
        entry("f", Some("e"), &reply),
        level("g", "f", "off"),
        entry("h", Some("f"), &reply),
    ]);
    let efforts: Vec<_> = read.messages.iter().map(|message| message.effort.as_deref()).collect();
    assert_eq!(efforts, [None, None, None, Some("high"), Some("high")]);
    assert_eq!(json!(read.skipped), json!({"other branch": 1}));
}

#[test]
fn the_header_of_an_older_session_has_its_first_thinking_level() {
    let header = r#"{"type":"session","id":"s","timestamp":"2026-03-01T10:00:00Z","cwd":"/a","thinkingLevel":"off"}"#;
    let reply = json!({"role": "assistant", "content": [{"type": "text", "text": "ok"}]});
    let lines = [header.to_owned(), linear(&user("go")).to_string(), linear(&reply).to_string()];
    let read = transcript::read(lines.join("\n").as_bytes(), None).expect("reads").transcripts.remove(0);
    let efforts: Vec<_> = read.messages.iter().map(|message| message.effort.as_deref()).collect();
    assert_eq!(efforts, [None, Some("off")]);
}

#[test]
fn a_session_without_links_is_read_in_file_order() {
    let usage = json!({"input": 3, "output": 2, "cacheRead": 40, "cacheWrite": 5});
    let content = json!([
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
        {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}},
    ]);
    let image = json!({"type": "image", "data": "TWFu", "mimeType": "image/png"});
    let read = read(&[
        linear(&user("go")),
        linear(&json!({"role": "assistant", "content": content, "model": "m", "usage": usage})),
        linear(
            &json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [{"type": "text", "text": "no"}, image], "isError": true}),
        ),
        linear(&json!({"role": "assistant", "content": [], "usage": {"input": 0}, "stopReason": "aborted"})),
    ]);
    let expected = Usage { input: 3, cache_read: 40, cache_write: 5, output: 2, ..Usage::default() };
    assert_eq!(read.messages[1].usage, Some(expected));
    assert!(matches!(&read.messages[1].parts[0].body, Body::Thinking { signature: Some(data), .. } if &**data == "s"));
    let result = read.messages[2].results().next().expect("a result");
    assert!(result.is_error && matches!(result.attachments[0], Body::Image { bytes: 3, .. }));
    assert_eq!(read.messages[0].at.as_deref(), Some("2026-03-01T10:00:01Z"));
    assert_eq!((read.model.as_deref(), read.skipped.get("empty reply:aborted")), (Some("m"), Some(&1)));
}

#[test]
fn a_compaction_resets_the_context_with_its_summary() {
    let compaction = json!({"type": "compaction", "id": "b", "parentId": "a", "summary": "so far", "firstKeptEntryId": "a", "tokensBefore": 900});
    let read = read(&[entry("a", None, &user("one")), compaction, entry("c", Some("b"), &user("two"))]);
    let message = &read.messages[1];
    assert!(message.resets && message.harness);
    assert_eq!(message.compaction(), Some(Compaction { automatic: false, tokens: Some(900), ..Compaction::default() }));
    assert_eq!(texts(&read), ["one", "so far", "one", "two"]);
}

fn compaction(id: &str, parent: &str, summary: &str, first_kept: &str) -> Json {
    json!({"type": "compaction", "id": id, "parentId": parent, "summary": summary, "firstKeptEntryId": first_kept})
}

/// The texts, with those of copies in brackets.
fn texts_with_copies(transcript: &Transcript) -> Vec<String> {
    let text = |(text, kept): (String, bool)| if kept { format!("[{text}]") } else { text };
    texts(transcript).into_iter().zip(transcript.messages.iter().map(|message| message.kept)).map(text).collect()
}

#[test]
fn entries_that_a_compaction_keeps_follow_its_summary() {
    let reply =
        json!({"role": "assistant", "content": [{"type": "text", "text": "ok"}], "model": "m", "usage": {"input": 5}});
    let read = read(&[
        entry("a", None, &user("one")),
        entry("b", Some("a"), &json!({"role": "system", "content": "Be brief."})),
        json!({"type": "label", "id": "c", "parentId": "b"}),
        entry("d", Some("c"), &user("two")),
        entry("e", Some("d"), &reply),
        compaction("f", "e", "short", "c"),
        entry("g", Some("f"), &user("three")),
        compaction("h", "g", "shorter", "b"),
        entry("i", Some("h"), &user("four")),
    ]);
    let expected = [
        "one",
        "Be brief.",
        "two",
        "ok",
        "short",
        "[two]",
        "[ok]",
        "three",
        "shorter",
        "[two]",
        "[ok]",
        "[three]",
        "four",
    ];
    assert_eq!(texts_with_copies(&read), expected);
    assert_eq!(read.messages.iter().filter(|message| message.usage.is_some()).count(), 1);
    assert_eq!(read.messages.iter().filter(|message| message.resets).count(), 2);
}

#[test]
fn a_compaction_keeps_nothing_if_its_first_entry_is_not_before_it() {
    for first_kept in ["", "nowhere", "left", "c", "d"] {
        let read = read(&[
            entry("a", None, &user("one")),
            entry("left", Some("a"), &user("left")),
            entry("b", Some("a"), &user("two")),
            compaction("c", "b", "short", first_kept),
            entry("d", Some("c"), &user("three")),
        ]);
        assert_eq!(texts_with_copies(&read), ["one", "two", "short", "three"]);
    }
}

#[test]
fn a_compaction_of_the_first_version_names_the_position_of_an_entry() {
    let compaction = |first: u64| json!({"type": "compaction", "summary": "short", "firstKeptEntryIndex": first});
    let entries = |first: u64| [linear(&user("one")), linear(&user("two")), compaction(first), linear(&user("three"))];
    assert_eq!(texts_with_copies(&read(&entries(2))), ["one", "two", "short", "[two]", "three"]);
    for first in [0, 3, 4, 900] {
        assert_eq!(texts_with_copies(&read(&entries(first))), ["one", "two", "short", "three"]);
    }
}

#[test]
fn compactions_cannot_keep_more_than_the_limit() {
    let mut entries = vec![entry("a", None, &user("one"))];
    for index in 0..30 {
        let parent = entries[index]["id"].as_str().unwrap_or_default().to_owned();
        entries.push(compaction(&format!("c{index}"), &parent, "short", "a"));
    }
    let read = read(&entries);
    assert_eq!(read.messages.iter().filter(|message| message.kept).count(), 8);
    assert_eq!(read.skipped.get("compaction beyond the limit of copies"), Some(&22));
}

#[test]
fn messages_of_extensions_and_commands_of_the_person_are_not_prompts() {
    let bash = json!({"role": "bashExecution", "command": "ls", "output": "a.py"});
    let hidden = json!({"role": "bashExecution", "command": "ls", "output": "", "excludeFromContext": true});
    let read = read(&[
        linear(&bash),
        linear(&hidden),
        json!({"type": "custom_message", "content": "note"}),
        json!({"type": "branch_summary", "summary": "tried"}),
        json!({"type": "label"}),
    ]);
    assert_eq!(texts(&read), ["Ran `ls`\na.py", "note", "tried"]);
    assert!(read.messages.iter().all(|message| message.harness));
    assert_eq!(json!(read.skipped), json!({"label": 1, "message:bashExecution": 1}));
    assert_eq!(read.messages[1].parts, [Part::text("note")]);
}

#[test]
fn system_messages_have_the_prompt_in_sections_and_declare_tools() {
    let system = |sections: Json, added: Json, removed: Json| json!({"role": "system", "content": "", "sections": sections, "toolsAdded": added, "toolsRemoved": removed});
    let tool = |name: &str| json!({"name": name, "description": "Does it.", "parameters": {"type": "object"}});
    let read = read(&[
        linear(&system(
            json!({"opening": "You mend shoes.", "rules": "<rules>\nBe neat.\n</rules>"}),
            json!([tool("read"), tool("sew")]),
            json!([]),
        )),
        linear(&user("one")),
        linear(&system(
            json!({"rules": "<rules>\nBe quick.\n</rules>", "opening": null}),
            json!([tool("glue")]),
            json!([{"name": "sew"}]),
        )),
        linear(&system(json!({}), json!([]), json!([]))),
        linear(&user("two")),
    ]);
    assert_eq!(
        texts(&read),
        ["You mend shoes.\n\n<rules>\nBe neat.\n</rules>", "one", "<rules>\nBe quick.\n</rules>", "two"]
    );
    assert_eq!(read.messages[0].role, Role::System);
    let names: Vec<_> = read.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["read", "glue"]);
    assert!(read.tools[0].schema.is_some());
}
