use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Cleared, Role, Usage};

use crate::transcript::{self, Transcript};

/// Reads the records of a file of lines.
fn read(records: &[Json]) -> Vec<Transcript> {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    transcript::read(text.as_bytes(), None).expect("reads").transcripts
}

fn roles(transcript: &Transcript) -> String {
    transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
}

/// The messages of a session of the Chat Completions API before the given call.
fn chat(calls: usize) -> Vec<Json> {
    let mut messages = vec![json!({"role": "system", "content": "Sort."}), json!({"role": "user", "content": "go"})];
    for at in 0..calls {
        let call = json!({"id": format!("c{at}"), "type": "function", "function": {"name": "read", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{at}"), "content": format!("text {at}")}));
    }
    messages
}

fn request(messages: &[Json]) -> Json {
    json!({"model": "m", "messages": messages})
}

/// A request of the Messages API with its response: the call with this number.
fn logged(at: usize, cleared: u64, tokens: u64) -> Json {
    let call = |at: usize| json!({"type": "tool_use", "id": format!("t{at}"), "name": "read", "input": {}});
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for at in 0..at {
        messages.push(json!({"role": "assistant", "content": [call(at)]}));
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{at}"), "content": "text"});
        messages.push(json!({"role": "user", "content": [result]}));
    }
    let edits =
        json!([{"type": "clear_tool_uses_20250919", "cleared_tool_uses": cleared, "cleared_input_tokens": tokens}]);
    json!({"model": "m", "system": "Sort.", "messages": messages, "response": {"role": "assistant", "content": [call(at)],
        "usage": {"input_tokens": 100 + at, "output_tokens": 5}, "context_management": {"applied_edits": edits}}})
}

#[test]
fn requests_that_extend_each_other_are_one_session() {
    let read = read(&[request(&chat(0)), request(&chat(1)), request(&chat(2))]);
    assert_eq!(read.iter().map(roles).collect::<Vec<_>>(), ["suatat"]);
    assert_eq!(read[0].model.as_deref(), Some("m"));
}

#[test]
fn the_replies_of_a_log_have_their_usage_and_what_the_provider_cleared_counts_once() {
    let read = read(&[logged(0, 0, 0), logged(1, 0, 0), logged(2, 1, 40), logged(3, 1, 40), logged(4, 3, 120)]);
    assert_eq!(read.iter().map(roles).collect::<Vec<_>>(), ["suatatatata"]);
    let replies: Vec<_> = read[0].messages.iter().filter(|message| message.role == Role::Assistant).collect();
    let sizes: Vec<_> = replies.iter().map(|reply| reply.usage.map(Usage::context)).collect();
    assert_eq!(sizes, [100, 101, 102, 103, 104].map(Some));
    let cleared = |ids: &[&str], tokens| {
        let results = ids.iter().map(|id| (*id).into()).collect();
        Some(Cleared { results, tokens: Some(tokens) })
    };
    let found: Vec<_> = replies.iter().map(|reply| reply.cleared().cloned()).collect();
    assert_eq!(found, [None, None, cleared(&["t0"], 40), None, cleared(&["t1", "t2"], 80)]);
}

#[test]
fn results_of_excluded_tools_are_not_cleared() {
    let mut record = logged(2, 1, 40);
    record["messages"][1]["content"][0]["name"] = "memory".into();
    record["context_management"] =
        json!({"edits": [{"type": "clear_tool_uses_20250919", "exclude_tools": ["memory"]}]});
    let read = read(&[record]);
    let reply = read[0].messages.last().expect("a reply");
    assert_eq!(reply.cleared().map(|cleared| cleared.results.clone()), Some(vec!["t1".into()]));
}

#[test]
fn sessions_of_a_log_may_alternate_and_a_sub_agent_is_one_of_its_own() {
    let other = |calls: usize| {
        let mut messages = chat(calls);
        messages[1] = json!({"role": "user", "content": "look"});
        for message in &mut messages[2..] {
            *message = message.to_string().replace("\"c", "\"d").parse().expect("JSON");
        }
        request(&messages)
    };
    let read = read(&[request(&chat(0)), other(0), request(&chat(1)), other(1), request(&chat(2))]);
    assert_eq!(read.iter().map(roles).collect::<Vec<_>>(), ["suatat", "suat"]);
}

#[test]
fn a_request_with_another_context_continues_its_session() {
    let mut cleared = chat(3);
    cleared[3]["content"] = "-".into();
    let mut compacted = chat(4);
    compacted.drain(1..8);
    compacted.insert(1, json!({"role": "user", "content": "summary"}));
    let read = read(&[request(&chat(1)), request(&chat(2)), request(&cleared), request(&chat(4)), request(&compacted)]);
    assert_eq!(read.len(), 1, "{:?}", read.iter().map(roles).collect::<Vec<_>>());
    let at = read[0].messages.iter().position(|message| message.cleared().is_some());
    assert_eq!(at, Some(6));
    assert!(read[0].messages.iter().any(|message| message.resets));
}

/// A session of which each request has the task and its newest rounds, as a log that numbers the calls of each request. Each
/// record has a response.
fn windowed(rounds: usize, kept: usize, id: fn(usize) -> String, arguments: fn(usize) -> String) -> Vec<Transcript> {
    let reply = |at: usize, number: usize| {
        let call =
            json!({"id": id(number), "type": "function", "function": {"name": "read", "arguments": arguments(at)}});
        json!({"role": "assistant", "content": null, "tool_calls": [call]})
    };
    let record = |at: usize| {
        let mut messages = chat(0);
        for (number, round) in (at.saturating_sub(kept)..at).enumerate() {
            messages.push(reply(round, number));
            messages.push(json!({"role": "tool", "tool_call_id": id(number), "content": format!("text {round}")}));
        }
        let usage = json!({"prompt_tokens": 100 + at, "completion_tokens": 5});
        json!({"model": "m", "messages": messages, "response": {"choices": [{"message": reply(at, at.min(kept))}], "usage": usage}})
    };
    read(&(0..rounds).map(record).collect::<Vec<_>>())
}

#[test]
fn calls_of_a_log_are_told_apart_without_ids_of_their_own() {
    let ids: [fn(usize) -> String; 4] =
        [|_| String::new(), |_| "call_0".to_owned(), |at| format!("call_{at}"), |at| format!("call-{}", at + 1)];
    let arguments: [fn(usize) -> String; 2] = [|at| format!("{{\"path\": {at}}}"), |_| "{}".to_owned()];
    for (id, arguments, kept) in ids.into_iter().flat_map(|id| arguments.map(|arguments| (id, arguments, 2))) {
        let read = windowed(7, kept, id, arguments);
        let replies = read[0].messages.iter().filter(|message| message.is_reply() && message.usage.is_some());
        let sizes: Vec<_> = replies.map(|reply| reply.usage.map_or(0, Usage::context)).collect();
        assert_eq!((read.len(), sizes), (1, (100..107).collect()), "{} {}", id(1), arguments(1));
        assert!(read[0].harness_calls.is_empty() && !read[0].skipped.contains_key("other branch"));
        let new = read[0].messages.iter().filter(|message| !message.kept);
        let texts: Vec<_> = new.flat_map(|message| message.results()).map(|result| result.text.as_ref()).collect();
        assert_eq!(texts, ["text 0", "text 1", "text 2", "text 3", "text 4", "text 5"], "{} {}", id(1), arguments(1));
    }
}

#[test]
fn samples_of_a_data_set_that_begin_alike_stay_apart() {
    let sample =
        |text: &str| json!({"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": text}]});
    assert_eq!(read(&[sample("a"), sample("b"), sample("a")]).len(), 3);
    let shot = |text: &str| {
        let mut messages = chat(1);
        messages.push(json!({"role": "user", "content": text}));
        messages.push(json!({"role": "assistant", "content": "ok"}));
        request(&messages)
    };
    assert_eq!(read(&[shot("a"), shot("b"), shot("c")]).len(), 3);
}

#[test]
fn a_reply_is_marked_if_its_request_has_other_tools_or_another_system_prompt() {
    let with = |at: usize, system: &str, tools: &[&str]| {
        let mut record = logged(at, 0, 0);
        record["system"] = system.into();
        let tool = |name: &&str| json!({"name": name, "description": "d", "input_schema": {"type": "object"}});
        record["tools"] = tools.iter().map(tool).collect();
        record
    };
    let read = read(&[
        with(0, "Sort.", &["read"]),
        with(1, "Sort.", &["read"]),
        with(2, "Sort.", &["read", "write"]),
        with(3, "Sort well.", &["read", "write"]),
        // What is not recorded has not changed.
        with(4, "Sort well.", &[]),
    ]);
    assert_eq!(read.len(), 1);
    let replies = read[0].messages.iter().filter(|message| message.is_reply());
    let changes: Vec<_> = replies.map(|reply| (reply.head_change().tools, reply.head_change().prompt)).collect();
    assert_eq!(changes, [(false, false), (false, false), (true, false), (false, true), (false, false)]);
}
