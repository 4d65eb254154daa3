//! What a file says of other files: sub-agents of the harness, and history that is elsewhere.

use super::*;

#[test]
fn an_agent_that_writes_a_summary_is_a_call_of_the_harness() {
    let side = json!({ "isSidechain": true, "agentId": "acompact-7", "timestamp": "2026-01-01T10:00:05Z" });
    let usage = |input: u64| json!({ "input_tokens": input, "output_tokens": 40 });
    let answer = |id: &str, input: u64| json!({ "role": "assistant", "id": id, "model": "claude-x", "content": [text("x")], "usage": usage(input) });
    let mut last = answer("mx", 900);
    last["model"].take();
    let agent = [
        line("user", "x1", None, json!({ "role": "user", "content": "go" }), side.clone()),
        line("assistant", "x2", Some("x1"), answer("m1", 10), side.clone()),
        line("user", "x3", Some("x2"), json!({ "role": "user", "content": "Summarise." }), side.clone()),
        line("assistant", "x4", Some("x3"), last, side),
    ];
    let alone = read_one(&agent);
    assert_eq!((alone.agent.as_deref(), alone.messages.len()), (Some("acompact-7"), 0));
    assert_eq!(alone.started.as_deref(), Some("2026-01-01T10:00:05Z"));
    // The last reply names no model, and the transcript keeps no message that does.
    let models = [alone.model.as_deref(), alone.harness_calls[0].model.as_deref()];
    assert_eq!(models, [Some("claude-x"); 2]);
    let calls = |read: &Transcript| -> Vec<(usize, u64)> {
        read.harness_calls.iter().map(|call| (call.messages, call.usage.context())).collect()
    };
    assert_eq!(calls(&alone), [(0, 900)]);

    let at = |seconds: u8| json!({ "timestamp": format!("2026-01-01T10:00:0{seconds}Z") });
    let session = [
        line("user", "u1", None, json!({ "role": "user", "content": "go" }), at(0)),
        line("assistant", "a1", Some("u1"), answer("m1", 10), at(1)),
        line("user", "u2", Some("a1"), json!({ "role": "user", "content": "Summary." }), at(6)),
    ];
    let together = read_one(&[session.as_slice(), agent.as_slice()].concat());
    assert_eq!((roles(&together).as_str(), calls(&together)), ("uau", vec![(2, 900)]));
}

#[test]
fn a_file_that_begins_with_a_record_of_another_file_lacks_history() {
    let begins = |parent: Option<&str>| {
        let lines = [
            line("assistant", "a1", parent, json!({ "role": "assistant", "content": [call("c1")] }), json!({})),
            result("r1", "a1", "c1"),
        ];
        read_one(&lines).missing_history
    };
    assert_eq!((begins(Some("in another file")), begins(None)), (true, false));
    let after_hook = [
        line("progress", "h1", None, Json::Null, json!({})),
        user("u1", Some("h1"), "go"),
        reply("a1", "u1", "m1", text("one"), (1, 1)),
    ];
    assert!(!read_one(&after_hook).missing_history);
    let boundary = json!({ "subtype": "compact_boundary", "logicalParentUuid": "in another file" });
    let after_compaction = [
        line("system", "b1", None, Json::Null, boundary),
        user("u1", Some("b1"), "summary"),
        user("u2", Some("u1"), "on"),
    ];
    assert!(!read_one(&after_compaction).missing_history);
}
