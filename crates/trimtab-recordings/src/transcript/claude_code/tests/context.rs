//! What the harness adds to the context, and what it keeps when it compacts.

use trimtab_base::conversation::{Body, Compaction};

use super::*;

fn attachment(uuid: &str, parent: Option<&str>, attachment: Json) -> String {
    let mut extra = json!({});
    extra["attachment"] = attachment;
    line("attachment", uuid, parent, Json::Null, extra)
}

fn boundary(uuid: &str, before: &str, metadata: Json) -> String {
    let mut extra = json!({ "subtype": "compact_boundary", "logicalParentUuid": before });
    extra["compactMetadata"] = metadata;
    line("system", uuid, None, Json::Null, extra)
}

fn summary(uuid: &str, parent: &str) -> String {
    let marks = json!({ "isCompactSummary": true, "isVisibleInTranscriptOnly": true });
    line("user", uuid, Some(parent), json!({ "role": "user", "content": "Summary." }), marks)
}

/// The text of each message of the harness.
fn added(read: &Transcript) -> Vec<String> {
    read.messages.iter().filter(|message| message.harness).map(|message| message.plain_text()).collect()
}

#[test]
fn attachments_are_messages_of_the_harness_with_their_recorded_content() {
    let kinds = [
        json!({ "type": "edited_text_file", "filename": "a.py", "snippet": "1\tx = 2" }),
        json!({ "type": "skill_listing", "content": "- review: reads a change" }),
        json!({ "type": "task_reminder", "content": [{ "id": "7", "status": "open", "subject": "fix it" }] }),
        json!({ "type": "invoked_skills", "skills": [{ "name": "review", "path": "s.md", "content": "Read all." }] }),
        json!({ "type": "nested_memory", "path": "m.md", "content": { "path": "m.md", "content": "Use tabs." } }),
        json!({ "type": "hook_additional_context", "hookName": "H", "content": ["one", "two"] }),
    ];
    let texts = [
        vec!["a.py", "1\tx = 2"],
        vec!["- review: reads a change"],
        vec!["7", "open", "fix it"],
        vec!["review", "s.md", "Read all."],
        vec!["m.md", "Use tabs."],
        vec!["H", "one", "two"],
    ];
    for (kind, texts) in kinds.into_iter().zip(texts) {
        let read = read_one(&[
            user("u1", None, "go"),
            attachment("t1", Some("u1"), kind),
            reply("a1", "t1", "m1", text("done"), (10, 1)),
        ]);
        assert_eq!(roles(&read), "uUa");
        let added = added(&read).remove(0);
        let lines: Vec<_> = added.lines().collect();
        assert_eq!((lines[0], lines[lines.len() - 1]), ("<system-reminder>", "</system-reminder>"));
        assert!(lines.ends_with(&[texts.as_slice(), &["</system-reminder>"]].concat()), "{added}");
        assert_eq!(read.skipped.len(), 0);
    }
}

#[test]
fn a_file_is_attached_with_numbered_lines_or_as_an_image() {
    let file = |content: Json| json!({ "type": "file", "filename": "/w/a", "content": content });
    let lines = json!({ "type": "text", "file": { "content": "one\ntwo", "startLine": 9 } });
    let image = json!({ "type": "image", "file": { "base64": "TWFu", "type": "image/png" } });
    let read = read_one(&[
        user("u1", None, "go"),
        attachment("t1", Some("u1"), file(lines)),
        attachment("t2", Some("t1"), file(image)),
        reply("a1", "t2", "m1", text("done"), (10, 1)),
    ]);
    assert!(added(&read)[0].ends_with("/w/a\n9\tone\n10\ttwo\n</system-reminder>"), "{:?}", added(&read));
    assert!(matches!(&read.messages[2].parts[1].body, Body::Image { bytes: 3, .. }));
}

#[test]
fn attachments_that_are_not_sent_are_counted_by_kind() {
    let hook = |event: &str, content: &str| json!({ "type": "hook_success", "hookEvent": event, "content": content });
    let read = read_one(&[
        attachment("t0", None, hook("SessionStart", "Be brief.")),
        user("u1", Some("t0"), "go"),
        attachment("t1", Some("u1"), hook("PostToolUse", "ok")),
        attachment("t2", Some("t1"), hook("SessionStart", "")),
        attachment("t3", Some("t2"), json!({ "type": "command_permissions" })),
        reply("a1", "t3", "m1", text("done"), (10, 1)),
    ]);
    assert_eq!(roles(&read), "Uua");
    assert_eq!(json!(read.skipped), json!({ "attachment:command_permissions": 1, "attachment:hook_success": 2 }));
}

#[test]
fn an_attachment_between_the_results_of_one_reply_follows_them() {
    let skills = json!({ "type": "skill_listing", "content": "- review" });
    let read = read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", call("c1"), (10, 1)),
        reply("a2", "a1", "m1", call("c2"), (10, 9)),
        result("r1", "a2", "c1"),
        attachment("t1", Some("r1"), skills),
        result("r2", "t1", "c2"),
        reply("a3", "r2", "m2", text("done"), (50, 3)),
    ]);
    assert_eq!(roles(&read), "uattUa");
}

#[test]
fn attachments_of_another_branch_are_left_out() {
    let skills = |words: &str| json!({ "type": "skill_listing", "content": words });
    let read = read_one(&[
        user("u1", None, "go"),
        attachment("t1", Some("u1"), skills("first")),
        reply("a1", "t1", "m1", text("one"), (1, 1)),
        attachment("t2", Some("u1"), skills("second")),
        reply("a2", "t2", "m2", text("two"), (1, 1)),
        attachment("t3", Some("a2"), skills("last")),
    ]);
    assert_eq!(roles(&read), "uUaU");
    assert!(added(&read)[0].contains("second") && added(&read)[1].contains("last"), "{:?}", added(&read));
}

/// A session whose compaction, after `a2`, kept what `metadata` says.
fn compacted(metadata: Json) -> Transcript {
    let skills = json!({ "type": "skill_listing", "content": "- review" });
    read_one(&[
        user("u1", None, "go"),
        reply("a1", "u1", "m1", call("c1"), (10, 1)),
        result("r1", "a1", "c1"),
        user("u2", Some("r1"), "and now"),
        reply("a2", "u2", "m2", text("two"), (50, 3)),
        boundary("b1", "a2", metadata),
        summary("s1", "b1"),
        attachment("t1", Some("s1"), skills),
        user("u3", Some("t1"), "on"),
        reply("a3", "u3", "m3", text("three"), (90, 3)),
    ])
}

#[test]
fn messages_that_a_compaction_kept_are_copied_after_its_summary() {
    let kept = json!({ "anchorUuid": "s1", "uuids": ["u2", "a2"], "allUuids": ["u2", "a2"] });
    let read = compacted(json!({ "trigger": "auto", "preTokens": 900, "postTokens": 60, "preservedMessages": kept }));
    assert_eq!(roles(&read), "uatuaUuAUua");
    let compaction = Compaction { automatic: true, tokens: Some(900), after: Some(60) };
    assert_eq!(read.messages[5].compaction(), Some(compaction));
    let copies: Vec<_> = read.messages.iter().filter(|message| message.kept).map(|one| one.plain_text()).collect();
    assert_eq!(copies, ["and now", "two"]);
    assert!(read.messages[6..8].iter().all(|copy| copy.kept && copy.usage.is_none() && !copy.resets));
    assert!(read.messages[8].plain_text().contains("- review"));
}

#[test]
fn kept_messages_may_be_a_segment_and_precede_the_summary() {
    let segment = |anchor: &str, head: &str| json!({ "preservedSegment": { "headUuid": head, "anchorUuid": anchor, "tailUuid": "r1" } });
    let read = compacted(segment("s1", "a1"));
    assert_eq!(roles(&read), "uatuaUAtUua");
    assert_eq!(read.messages[7].parts, [Part::result("c1", "out c1", false)]);
    let read = compacted(segment("b1", "a1"));
    assert_eq!(roles(&read), "uatuaAtUUua");
    let resets: Vec<_> = read.messages.iter().map(|message| message.resets).collect();
    assert_eq!(resets.iter().filter(|resets| **resets).count(), 1);
    assert!(resets[5] && read.messages[5].compaction().is_some());
    assert_eq!(roles(&compacted(segment("s1", "nowhere"))), "uatuaUUua");
}

#[test]
fn kept_messages_that_are_not_in_the_file_are_counted() {
    let kept = json!({ "anchorUuid": "s1", "uuids": ["gone", "a2"] });
    let read = compacted(json!({ "preservedMessages": kept }));
    assert_eq!(roles(&read), "uatuaUAUua");
    assert_eq!(read.skipped.get("kept message of another file"), Some(&1));
}

#[test]
fn a_reply_has_the_reasoning_effort_of_its_record() {
    let reply = |uuid: &str, parent: &str, effort: &str| {
        let message = json!({ "role": "assistant", "id": uuid, "content": [text("ok")] });
        line("assistant", uuid, Some(parent), message, json!({ "effort": effort }))
    };
    let read =
        read_one(&[user("a", None, "go"), reply("b", "a", "high"), user("c", Some("b"), "on"), reply("d", "c", "")]);
    let efforts: Vec<_> = read.messages.iter().map(|message| message.effort.as_deref()).collect();
    assert_eq!(efforts, [None, Some("high"), None, None]);
}
