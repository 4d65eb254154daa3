//! Requests of clients that change more than their messages: prompt, model, tools; replies that come late or twice; lists
//! in which system messages stand where the API takes them.

use serde_json::{Value as Json, json};
use trimtab::{Dialect, Host, Next, Plan, PreparedRequest, ReplyEnd, ReplyReader, RequestHandle, Session};

fn plan(rules: &str) -> Plan {
    trimtab::compile("p.trim", &format!("edition 2026\npolicy p {{ {rules} }}")).plan(None).unwrap()
}

fn prepared(next: Next) -> PreparedRequest {
    match next {
        Next::Send(request) => request,
        next => panic!("{next:?}"),
    }
}

fn request(session: &mut Session, body: &Json) -> PreparedRequest {
    prepared(session.before_request(Dialect::Anthropic, body.to_string(), None).unwrap())
}

fn user(text: &str) -> Json {
    json!({ "role": "user", "content": text })
}

fn call(id: &str) -> Json {
    json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "read", "input": {} }] })
}

fn result(id: &str) -> Json {
    json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "line\n".repeat(400) }] })
}

fn body(system: &str, model: &str, messages: &[Json]) -> Json {
    json!({ "model": model, "system": system, "messages": messages, "tools": [{ "name": "read", "input_schema": {} }] })
}

const MASK: &str = "rule mask { when context.tokens > 1k tokens do mask results keep 1 results once per run }";

#[test]
fn a_new_system_prompt_does_not_undo_edits() {
    let mut session = Session::new(&plan(MASK), Host::new().window(8_000));
    let mut messages = vec![user("Go."), call("a"), result("a"), call("b"), result("b")];
    let first = request(&mut session, &body("You are a coder. cch=1", "m", &messages));
    assert_eq!(first.firings.len(), 1);
    let masked =
        |request: &PreparedRequest| serde_json::from_str::<Json>(&request.json).unwrap()["messages"][2].clone();
    messages.extend([call("c"), result("c")]);
    let second = request(&mut session, &body("You are a coder. cch=2", "m", &messages));
    assert_eq!(second.firings, [], "the rule fires once");
    assert_eq!(masked(&second), masked(&first));
    assert!(second.json.contains("cch=2"), "the prompt is the client's");
    session.after_reply(r#"{"role":"assistant","content":"Done."}"#, None).unwrap();
    let (branch, recording) = session.take_recording().unwrap();
    assert_eq!(branch, 0);
    assert!(recording.contains(r#""changed":["system_prompt"]"#), "{recording}");
}

#[test]
fn another_agent_with_the_same_task_is_recorded_with_its_own_prompt() {
    let mut session = Session::new(&plan("rule n { do notify \"n\" }"), Host::new());
    let task = [user("Go.")];
    let reply = |session: &mut Session, system: &str| {
        request(session, &body(system, "m", &task));
        session.after_reply(r#"{"role":"assistant","content":"Done."}"#, None).unwrap();
    };
    // Before its first reply, an agent that tries again may have a new prompt.
    request(&mut session, &body("You plan. At 10:00.", "m", &task));
    reply(&mut session, "You plan. At 10:01.");
    reply(&mut session, "You review.");
    let recordings: Vec<(u64, String)> = std::iter::from_fn(|| session.take_recording()).collect();
    let [(_, reviewer)] = recordings.as_slice() else { panic!("{recordings:?}") };
    assert!(reviewer.contains("You review.") && !reviewer.contains("You plan."), "{reviewer}");
}

#[test]
fn each_request_has_the_window_and_the_tools_that_it_names() {
    let rules = "rule full { when context.ratio >= 30% do notify \"full\" } \
        rule hide { when context.messages >= 1 do tools hide \"bash\" for step }";
    let mut session = Session::new(&plan(rules), Host::new());
    let long = user(&"word ".repeat(90_000));
    let with = |model: &str, tools: &[&str], messages: &[Json]| {
        let tools: Vec<Json> = tools.iter().map(|name| json!({ "name": name, "input_schema": {} })).collect();
        json!({ "model": model, "messages": messages, "tools": tools })
    };
    let is_full = |request: &PreparedRequest| request.firings.iter().any(|firing| firing.notice.is_some());
    let mut messages = vec![long];
    let first = request(&mut session, &with("claude-opus-4-7", &["read"], &messages));
    assert!(!is_full(&first), "it has a window of a million tokens");
    assert_eq!(first.hidden_tools, [""; 0]);
    messages.extend([json!({ "role": "assistant", "content": "Yes." }), user("And?")]);
    let second = request(&mut session, &with("claude-haiku-4-5", &["read", "bash"], &messages));
    assert!(is_full(&second), "{second:?}");
    assert_eq!(second.hidden_tools, ["bash"]);
    assert!(!second.json.contains("bash"));
    messages.extend([json!({ "role": "assistant", "content": "Yes." }), user("And?")]);
    assert!(!is_full(&request(&mut session, &with("claude-opus-4-7", &["read"], &messages))));
}

#[test]
fn the_second_reply_to_equal_requests_is_no_turn_of_its_own() {
    let mut session = Session::new(&plan("rule n { do notify \"n\" }"), Host::new());
    let mut messages = vec![user("Go.")];
    let json = body("s", "m", &messages);
    let (one, other) = (request(&mut session, &json).handle, request(&mut session, &json).handle);
    let reply = |text: &str| json!({ "role": "assistant", "content": text }).to_string();
    session.after_reply_to(one, &reply("One."), None).unwrap();
    session.after_reply_to(other, &reply("Other."), None).unwrap();
    // The client has kept the second one.
    messages.extend([json!({ "role": "assistant", "content": "Other." }), user("More.")]);
    request(&mut session, &body("s", "m", &messages));
    let saved = serde_json::to_string(&session.save().unwrap()).unwrap();
    assert_eq!(saved.matches("One.").count(), 1);
    let recordings: String = std::iter::from_fn(|| session.take_recording()).map(|(_, text)| text).collect();
    assert_eq!(recordings.matches("Other.").count(), 1, "{recordings}");
    assert!(!recordings.contains("One."), "{recordings}");
}

#[test]
fn a_reply_after_a_restart_finds_its_request_and_what_it_fires_is_reported() {
    let plan = plan("rule n { on reply do notify \"replied\" }");
    let mut session = Session::new(&plan, Host::new());
    let messages = vec![user("Go.")];
    let handle = request(&mut session, &body("s", "m", &messages)).handle;
    let handle: RequestHandle = serde_json::from_str(&serde_json::to_string(&handle).unwrap()).unwrap();
    let restarted = |session: &Session| {
        let saved = serde_json::to_string(&session.save().unwrap()).unwrap();
        Session::restore(&plan, Host::new(), &serde_json::from_str(&saved).unwrap()).unwrap()
    };
    session = restarted(&session);
    session.after_reply_to(handle, r#"{"role":"assistant","content":"Yes."}"#, None).unwrap();
    session = restarted(&session);
    assert_eq!(session.take_firings().0.len(), 1);
    session = restarted(&session);
    assert_eq!(session.take_firings().0.len(), 0, "it was reported");
}

#[test]
fn a_streamed_reply_counts_when_it_is_complete() {
    let stream = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":70}}}\n\n\
        data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Yes.\"}}\n\n\
        data: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
        data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n\
        data: {\"type\":\"message_stop\"}\n\n";
    let read = |bytes: &[u8]| {
        let mut reader = ReplyReader::new(Dialect::Anthropic);
        bytes.chunks(7).for_each(|chunk| reader.push(chunk));
        reader.finish()
    };
    let mut session = Session::new(&plan("rule n { do notify \"n\" }"), Host::new());
    let handle = request(&mut session, &body("s", "m", &[user("Go.")])).handle;
    let cut = read(&stream.as_bytes()[..stream.len() - 40]);
    assert_eq!(*cut.end(), ReplyEnd::Cut);
    session.after_streamed_reply(handle, &cut, None).unwrap();
    let whole = read(stream.as_bytes());
    assert_eq!(*whole.end(), ReplyEnd::Complete);
    session.after_streamed_reply(handle, &whole, None).unwrap();
    let (_, recording) = session.take_recording().unwrap();
    assert_eq!(recording.matches("Yes.").count(), 1, "{recording}");
    assert!(recording.contains(r#""input":70"#), "{recording}");
}

#[test]
fn a_request_without_its_history_is_rejected() {
    let mut session = Session::new(&plan(MASK), Host::new());
    for key in ["previous_response_id", "conversation"] {
        let body = json!({ "model": "m", "input": "And?", key: "resp_1" }).to_string();
        let error = session.before_request(Dialect::OpenAiResponses, &body, None).unwrap_err();
        let text = format!("expected a request with its whole history; with `{key}` the server has the rest of it");
        assert_eq!(error.to_string(), text);
    }
}

fn roles(request: &PreparedRequest) -> Vec<String> {
    let body: Json = serde_json::from_str(&request.json).unwrap();
    let role = |message: &Json| format!("{} {}", message["role"].as_str().unwrap(), message["content"]);
    body["messages"].as_array().unwrap().iter().map(role).map(|text| text.chars().take(24).collect()).collect()
}

#[test]
fn system_messages_in_the_list_stay_where_the_api_takes_them() {
    let system = |text: &str| json!({ "role": "system", "content": text });
    let reply = json!({ "role": "assistant", "content": "Yes." });
    let sent = |rules: &str, messages: &[Json]| {
        let mut session = Session::new(&plan(rules), Host::new().window(8_000));
        roles(&request(&mut session, &body("s", "m", messages)))
    };
    let inject = "rule i { do inject \"Note.\" for step }";
    assert_eq!(
        sent(inject, &[user("Go."), system("Mode."), reply.clone(), user("More."), system("Now.")]),
        [
            "user \"Go.\"",
            "system \"Mode.\"",
            "assistant \"Yes.\"",
            "user \"More.\"",
            "user \"Note.\"",
            "system \"Now.\""
        ]
    );
    let as_system = "rule i { do inject \"Note.\" as system for step }";
    assert_eq!(
        sent(as_system, &[user("Go."), system("Mode."), reply.clone(), user("More.")]),
        ["user \"Go.\"", "system \"Mode.\"", "assistant \"Yes.\"", "user \"More.\"", "system \"Note.\""]
    );
    assert_eq!(sent(as_system, &[user("Go.")]), ["user \"Go.\"", "user \"Note.\""], "not every model takes them");
    let drop = "rule d { do drop older keep 2 messages }";
    let left = sent(drop, &[user("Go."), system("Mode."), reply.clone(), user("More."), reply, user("End.")]);
    assert!(left.iter().all(|message| !message.starts_with("system")) || left[0].starts_with("user"), "{left:?}");
}
