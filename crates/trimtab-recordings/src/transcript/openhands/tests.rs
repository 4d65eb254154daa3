use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Arguments, Body, Cleared, Compaction, Part, Usage};

use crate::transcript::{self, HarnessCall, HarnessCallKind, Transcript};

fn read_file(text: &str) -> Vec<Transcript> {
    let file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!(file.format, "openhands");
    file.transcripts
}

fn read(events: &Json) -> Transcript {
    read_file(&events.to_string()).remove(0)
}

fn roles(transcript: &Transcript) -> String {
    let letter = |harness| if harness { "h" } else { "u" };
    let roles = transcript.messages.iter().map(|message| match message.role.word() {
        "user" => letter(message.harness),
        word => word.get(..1).unwrap_or_default(),
    });
    roles.collect()
}

fn user(id: u64, text: &str) -> Json {
    json!({"id": id, "source": "user", "action": "message", "args": {"content": text, "image_urls": null}, "timestamp": "2026-03-01T10:00:00.5"})
}

/// The metadata of one of two calls in a response.
fn metadata(call: &str, response: &str) -> Json {
    let calls =
        ["a", "b"].map(|id| json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": "{}"}}));
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 40}});
    let message = json!({"role": "assistant", "content": "I look.", "tool_calls": calls});
    let response = json!({"id": response, "model": "m", "choices": [{"message": message}], "usage": usage});
    json!({"function_name": "bash", "tool_call_id": call, "model_response": response})
}

fn action(id: u64, call: &str) -> Json {
    json!({"id": id, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": metadata(call, "r")})
}

fn observation(id: u64, cause: u64, call: &str, code: i64) -> Json {
    json!({"id": id, "source": "agent", "observation": "run", "content": "x", "cause": cause, "tool_call_metadata": metadata(call, "r"),
        "extras": {"metadata": {"exit_code": code}}})
}

#[test]
fn the_actions_of_one_response_are_one_reply() {
    let read = read(&json!([
        {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be brief.", "tools": [{"type": "function", "function": {"name": "bash"}}]}},
        user(1, "go"),
        action(2, "a"),
        observation(3, 2, "a", 0),
        action(4, "b"),
        observation(5, 4, "b", 2),
    ]));
    assert_eq!(roles(&read), "suatt");
    let reply = &read.messages[2];
    assert_eq!(reply.usage, Some(Usage { input: 60, cache_read: 40, output: 5, ..Usage::default() }));
    assert_eq!((reply.parts.len(), reply.model.as_deref()), (3, Some("m")));
    let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
    let results: Vec<_> = results.iter().map(|result| (result.id.as_str(), result.is_error)).collect();
    assert_eq!(results, [("a", false), ("b", true)]);
    assert_eq!((read.tools.len(), read.started.as_deref()), (1, Some("2026-03-01T10:00:00.5Z")));
}

#[test]
fn a_command_that_still_runs_has_not_failed_and_an_error_without_a_call_is_from_the_harness() {
    let error = json!({"id": 4, "source": "agent", "observation": "error", "content": "limit reached"});
    let read = read(&json!([user(1, "go"), action(2, "a"), observation(3, 2, "a", -1), error]));
    assert_eq!(roles(&read), "uath");
    assert!(read.messages[2].results().all(|result| !result.is_error));
}

#[test]
fn actions_without_a_response_are_calls_with_the_id_of_the_event() {
    let run = json!({"id": 2, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "I look."}});
    let output = json!({"id": 3, "source": "agent", "observation": "run", "content": "x", "cause": 2, "extras": {"exit_code": 1}});
    let finish = json!({"id": 4, "source": "agent", "action": "finish", "args": {"thought": "Done."}});
    let read = read(
        &json!({"instance_id": "i", "metrics": {}, "history": [[user(1, "go"), {"id": 9, "source": "agent", "observation": "null", "content": ""}], [run, output], [finish, null]]}),
    );
    assert_eq!(roles(&read), "uata");
    let call = Part::call("2", "run", Arguments::from(json!({"command": "ls"})));
    assert_eq!(read.messages[1].parts, [Part::text("I look."), call]);
    assert!(read.messages[2].results().all(|result| result.id == "2" && result.is_error));
    assert_eq!(read.id, "i");
    assert_eq!(json!(read.skipped), json!({"event without action or observation": 1, "observation:null": 1}));
}

#[test]
fn the_usage_of_a_response_may_be_in_the_metrics() {
    let mut run = action(2, "a");
    run["tool_call_metadata"]["model_response"] = json!({"id": "r"});
    let usages = json!([{"response_id": "r", "prompt_tokens": 50, "completion_tokens": 5, "cache_read_tokens": 20, "cache_write_tokens": 10}]);
    let read = read(
        &json!({"instance_id": "i", "metrics": {"token_usages": usages}, "metadata": {"llm_config": {"model": "m", "max_input_tokens": 1000}}, "history": [run]}),
    );
    let usage = Usage { input: 20, cache_read: 20, cache_write: 10, output: 5, ..Usage::default() };
    assert_eq!(read.messages[0].usage, Some(usage));
    assert_eq!((read.model.as_deref(), read.window), (Some("m"), Some(1000)));
}

#[test]
fn a_condensation_with_a_summary_resets_and_one_without_clears() {
    let condensation =
        |id: u64, args: Json| json!({"id": id, "source": "agent", "action": "condensation", "args": args});
    let read = read(&json!([
        user(1, "go"),
        action(2, "a"),
        observation(3, 2, "a", 0),
        condensation(4, json!({"forgotten_events_start_id": 2, "forgotten_events_end_id": 3})),
        user(5, "more"),
        condensation(6, json!({"forgotten_event_ids": [1], "summary": "so far"})),
    ]));
    assert_eq!(roles(&read), "uatuh");
    assert_eq!(read.messages[3].cleared(), Some(&Cleared { results: vec!["a".into()], tokens: None }));
    assert!(read.messages[4].resets);
    assert_eq!(read.messages[4].compaction(), Some(Compaction { automatic: true, ..Compaction::default() }));
}

#[test]
fn events_of_the_sdk_are_read_from_lines() {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let call = |id: &str, thought: Json| {
        json!({"kind": "ActionEvent", "id": format!("e-{id}"), "source": "agent", "thought": thought, "tool_name": "terminal",
        "tool_call_id": id, "tool_call": {"id": id, "name": "terminal", "arguments": "{\"command\":\"ls\"}"}, "llm_response_id": "r"})
    };
    let state = json!({"usage_to_metrics": {"agent": {"token_usages": [{"response_id": "r", "prompt_tokens": 9, "completion_tokens": 1}]}}});
    let events = [
        json!({"kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"type": "text", "text": "Be brief."},
            "dynamic_context": {"type": "text", "text": "Today is Monday."},
            "tools": [{"title": "terminal", "description": "Runs a command.", "kind": "TerminalTool"}]}),
        json!({"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "go"}, {"type": "image", "image_urls": ["data:image/png;base64,TWFu"]}]}}),
        json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "stats", "value": state}),
        call("a", text("I look.")),
        call("b", json!([])),
        json!({"kind": "ObservationEvent", "id": "o", "source": "environment", "tool_call_id": "a", "observation": {"content": text("x"), "is_error": false, "exit_code": 0}}),
        json!({"kind": "AgentErrorEvent", "id": "f", "source": "agent", "tool_call_id": "b", "error": "no such tool"}),
        json!({"kind": "Condensation", "source": "environment", "forgotten_event_ids": ["o"]}),
        json!({"kind": "MessageEvent", "source": "agent", "llm_message": {"role": "assistant", "content": text("Done.")}, "llm_response_id": "s"}),
    ];
    let lines: Vec<String> = events.iter().map(ToString::to_string).collect();
    let read = read_file(&lines.join("\n")).remove(0);
    assert_eq!(roles(&read), "suatta");
    assert_eq!(read.messages[0].plain_text(), "Be brief.Today is Monday.");
    assert_eq!((read.tools[0].name.as_str(), read.tools[0].schema.is_none()), ("terminal", true));
    assert!(matches!(read.messages[1].parts[1].body, Body::Image { bytes: 3, .. }));
    assert_eq!(read.messages[2].usage.map(Usage::total), Some(10));
    assert_eq!(read.messages[2].calls().count(), 2);
    assert!(read.messages[4].results().all(|result| result.is_error));
    assert_eq!(read.messages[5].cleared().map(|cleared| cleared.results.len()), Some(1));
}

#[test]
fn an_observation_of_the_sdk_has_the_text_that_the_model_sees() {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let observation = |id: &str, observation: Json| json!({"kind": "ObservationEvent", "id": id, "source": "environment", "tool_call_id": id, "observation": observation});
    let metadata = |code: i64| json!({"exit_code": code, "prefix": "(", "suffix": ")", "working_dir": "/shop", "py_interpreter_path": ""});
    let terminal = |code: i64, is_error: bool| json!({"kind": "TerminalObservation", "content": text("out"), "is_error": is_error, "exit_code": code, "metadata": metadata(code)});
    let action = |id: &str| {
        json!({"kind": "ActionEvent", "id": format!("e-{id}"), "source": "agent", "tool_name": "terminal", "tool_call_id": id,
            "tool_call": {"id": id, "name": "terminal", "arguments": "{}"}, "llm_response_id": "r"})
    };
    let read = read(&json!([
        action("a"),
        action("b"),
        action("c"),
        observation("a", terminal(3, false)),
        observation("b", terminal(-1, true)),
        observation("c", json!({"kind": "FileEditorObservation", "content": text("no file"), "is_error": true})),
    ]));
    let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
    let results: Vec<_> = results.iter().map(|result| (result.text.as_ref(), result.is_error)).collect();
    let expected = [
        ("(out)\n[Current working directory: /shop]\n[Command finished with exit code 3]", true),
        ("[An error occurred during execution.]\n(out)\n[Current working directory: /shop]", true),
        ("[An error occurred during execution.]\nno file", true),
    ];
    assert_eq!(results, expected);
}

#[test]
fn what_looks_like_a_result_in_a_thought_stays_a_part_of_the_reply() {
    let piece = json!({"type": "tool_result", "tool_use_id": "a", "content": "done"});
    let read = read(&json!([
        {"kind": "ActionEvent", "id": "2", "source": "agent", "tool_call_id": "a", "tool_name": "bash", "thought": [piece],
         "thinking_blocks": [piece]},
    ]));
    let bodies: Vec<&Body> = read.messages[0].parts.iter().map(|part| &part.body).collect();
    assert!(matches!(bodies.as_slice(), [Body::Other(_), Body::Other(_), Body::ToolCall { .. }]), "{bodies:?}");
}

#[test]
fn usage_of_a_response_without_events_is_that_of_a_call_of_the_harness() {
    let usage = |id: &str, prompt: u64| json!({"model": "m", "response_id": id, "prompt_tokens": prompt, "cache_read_tokens": 10, "completion_tokens": 2});
    let metrics = json!({"agent": {"token_usages": [usage("r", 40)]}, "condenser": {"token_usages": [usage("c", 90)]}});
    let read = read(&json!([
        {"kind": "MessageEvent", "id": "1", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "go"}]}},
        {"kind": "ActionEvent", "id": "2", "source": "agent", "llm_response_id": "r", "tool_call_id": "a", "tool_name": "bash", "thought": []},
        {"kind": "Condensation", "id": "3", "source": "environment", "llm_response_id": "c", "summary": "Short.", "forgotten_event_ids": ["2"]},
        {"kind": "ConversationStateUpdateEvent", "id": "4", "source": "environment", "key": "stats", "value": {"usage_to_metrics": metrics}},
    ]));
    assert_eq!(read.messages[1].usage.map(|usage| (usage.input, usage.cache_read)), Some((30, 10)));
    let usage = Usage { input: 80, cache_read: 10, output: 2, ..Usage::default() };
    let kind = HarnessCallKind::Summary;
    assert_eq!(read.harness_calls, [HarnessCall { messages: 2, kind, usage, model: Some("m".into()) }]);
}

#[test]
fn the_marks_of_the_own_tools_of_openhands_are_inferred_errors() {
    let observation = |id: u64, kind: &str, text: &str| json!({"id": id, "source": "agent", "observation": kind, "content": text, "cause": id - 1, "extras": {}});
    let call = |id: u64, action: &str| json!({"id": id, "source": "agent", "action": action, "args": {"path": "a"}});
    let read = read(&json!([
        user(0, "go"),
        call(1, "edit"),
        observation(2, "edit", "ERROR:\nNo replacement was performed."),
        call(3, "read"),
        observation(4, "read", "the log says ERROR:\nx"),
        call(5, "call_tool_mcp"),
        observation(6, "mcp", r#"{"content":[],"isError": true}"#),
        call(7, "run"),
        observation(8, "run", "ERROR: x"),
    ]));
    let errors: Vec<_> = read
        .messages
        .iter()
        .flat_map(|message| message.results().map(|result| (result.is_error, message.inferred_error)))
        .collect();
    assert_eq!(errors, [(true, true), (false, false), (true, true), (false, false)]);
}

#[test]
fn the_output_of_the_resolver_has_the_id_of_its_issue() {
    let output = |history: &Json| {
        let issue = json!({"owner": "acme", "repo": "shop", "number": 7, "title": "Total"});
        json!({"issue": issue, "issue_type": "issue", "git_patch": "", "history": history, "metrics": null, "success": true})
    };
    let read = read_file(&format!("{}\n{}\n", output(&json!([user(1, "go"), action(2, "a")])), output(&Json::Null)));
    assert_eq!((read.len(), read[0].id.as_str(), roles(&read[0]).as_str()), (1, "acme/shop#7", "ua"));
    assert_eq!(read[0].skipped.get("record without events"), Some(&1));
}

#[test]
fn the_state_of_a_conversation_has_its_model_window_and_usage() {
    let usage = json!({"model": "m", "prompt_tokens": 100, "completion_tokens": 5, "cache_read_tokens": 40, "response_id": "r1"});
    let state = json!({"id": "c1", "agent": {"llm": {"model": "m", "max_input_tokens": 9000}}, "workspace": {},
        "execution_status": "finished", "stats": {"usage_to_metrics": {"agent": {"token_usages": [usage]}}}});
    let events = [
        json!({"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "go"}]}}),
        json!({"kind": "MessageEvent", "source": "agent", "llm_response_id": "r1",
            "llm_message": {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}}),
    ];
    let read = read_file(&format!("{state}\n{}\n{}\n", events[0], events[1])).remove(0);
    assert_eq!((read.id.as_str(), read.model.as_deref(), read.window), ("c1", Some("m"), Some(9000)));
    let usage = Usage { input: 60, cache_read: 40, output: 5, ..Usage::default() };
    assert_eq!((read.messages[1].usage, read.harness_calls.len()), (Some(usage), 0));
}

/// A conversation of the SDK with two calls in one response and one in another, and these events after it.
fn conversation(events: &[Json]) -> Transcript {
    let message = |id: &str, text: &str| {
        let content = json!([{"type": "text", "text": text}]);
        json!({"kind": "MessageEvent", "id": id, "source": "user", "llm_message": {"role": "user", "content": content}})
    };
    let action = |call: &str, response: &str| {
        json!({"kind": "ActionEvent", "id": format!("action-{call}"), "source": "agent", "llm_response_id": response,
            "tool_call_id": call, "tool_name": "bash", "thought": []})
    };
    let result = |call: &str| {
        let observation = json!({"content": [{"type": "text", "text": call}]});
        json!({"kind": "ObservationEvent", "id": format!("result-{call}"), "source": "environment", "tool_call_id": call,
            "observation": observation})
    };
    let usage = json!({"response_id": "r2", "prompt_tokens": 9, "completion_tokens": 1});
    let mut all = vec![
        json!({"kind": "SystemPromptEvent", "id": "system", "source": "agent", "system_prompt": {"type": "text", "text": "Be brief."}}),
        message("prompt", "go"),
        action("a", "r1"),
        action("b", "r1"),
        result("a"),
        result("b"),
        action("c", "r2"),
        result("c"),
        json!({"kind": "ConversationStateUpdateEvent", "id": "state", "source": "environment", "value": {"token_usages": [usage]}}),
    ];
    all.extend_from_slice(events);
    all.push(message("last", "more"));
    read(&Json::Array(all))
}

fn sdk_condensation(id: &str, forgotten: &[&str], offset: Option<u64>) -> Json {
    json!({"kind": "Condensation", "id": id, "source": "environment", "llm_response_id": id, "summary": id,
        "forgotten_event_ids": forgotten, "summary_offset": offset})
}

/// The roles, with those of copies in upper case.
fn roles_with_copies(transcript: &Transcript) -> String {
    let case = |(role, kept): (char, bool)| if kept { role.to_ascii_uppercase() } else { role };
    roles(transcript).chars().zip(transcript.messages.iter().map(|message| message.kept)).map(case).collect()
}

const FIRST_REPLY: [&str; 4] = ["action-a", "action-b", "result-a", "result-b"];

#[test]
fn a_condensation_keeps_the_events_that_it_does_not_forget() {
    let read = conversation(&[sdk_condensation("s", &FIRST_REPLY, Some(2))]);
    assert_eq!(roles_with_copies(&read), "suattatUhATu");
    let begins: Vec<_> = read.messages.iter().map(|message| message.resets).collect();
    assert_eq!(begins.iter().position(|resets| *resets), Some(7));
    assert_eq!(begins.iter().filter(|resets| **resets).count(), 1);
    assert!(read.messages[7].compaction().is_some() && read.messages[7].is_person());
    assert_eq!(read.messages[8].plain_text(), "s");
    let calls: Vec<_> = read.messages[9].calls().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(calls, ["c"]);
    assert_eq!(read.messages[5].usage.map(Usage::total), Some(10));
    assert!(read.messages[7..11].iter().all(|message| message.usage.is_none()));
}

#[test]
fn the_summary_of_a_condensation_is_at_its_offset() {
    let kept_reply = &["action-c", "result-c"];
    assert_eq!(roles_with_copies(&conversation(&[sdk_condensation("s", kept_reply, Some(6))])), "suattatUATThu");
    assert_eq!(roles_with_copies(&conversation(&[sdk_condensation("s", kept_reply, Some(900))])), "suattatUATThu");
    assert_eq!(roles_with_copies(&conversation(&[sdk_condensation("s", kept_reply, Some(0))])), "suattathUATTu");
    let read = conversation(&[sdk_condensation("s", &["action-a"], Some(2))]);
    assert_eq!(roles_with_copies(&read), "suattatUhATTATu", "a reply with a kept action stays");
}

#[test]
fn a_second_condensation_may_keep_what_the_first_one_kept() {
    let first = sdk_condensation("s", &FIRST_REPLY, Some(2));
    let again = sdk_condensation("t", &["s-summary", "result-c", "result-c", "nowhere"], Some(2));
    let read = conversation(&[first, again]);
    assert_eq!(roles_with_copies(&read), "suattatUhATUhAu");
    assert_eq!(read.messages[12].plain_text(), "t");
    assert_eq!(read.messages.iter().filter(|message| message.resets).count(), 2);
}

#[test]
fn a_condensation_of_unknown_events_keeps_nothing() {
    for condensation in [
        sdk_condensation("s", &["nowhere"], Some(2)),
        sdk_condensation("s", &[], Some(2)),
        sdk_condensation("s", &FIRST_REPLY, None),
    ] {
        assert_eq!(roles_with_copies(&conversation(&[condensation])), "suattathu");
    }
}

#[test]
fn a_condensation_without_a_text_clears_what_it_forgets_and_later_ones_do_not_keep_it() {
    let mut silent = sdk_condensation("s", &["action-c", "result-c"], Some(2));
    silent["summary"] = "".into();
    let read = conversation(&[silent, sdk_condensation("t", &["action-a", "result-a"], Some(2))]);
    assert_eq!(roles_with_copies(&read), "suattatUhATu");
    assert_eq!(read.messages[7].cleared(), Some(&Cleared { results: vec!["c".into()], tokens: None }));
    assert!(read.messages[7].resets);
}

#[test]
fn recalled_knowledge_counts_in_the_offset_of_a_summary() {
    let recall = |id: u64| json!({"id": id, "source": "user", "action": "recall", "args": {"query": "go"}});
    let args = json!({"forgotten_event_ids": [3], "summary": "so far", "summary_offset": 3});
    let condensation = json!({"id": 6, "source": "agent", "action": "condensation", "args": args});
    let read = read(&json!([user(1, "go"), recall(2), user(3, "left"), user(4, "on"), user(5, "more"), condensation]));
    assert_eq!(roles_with_copies(&read), "uuuuUUhU");
}
