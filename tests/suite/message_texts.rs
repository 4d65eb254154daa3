//! The targets `user_messages` and `replies` in live sessions: what is changed, and what stays.

use serde_json::{Value as Json, json};
use trimtab::{Dialect, Host, Next, Plan, Session};

fn plan(effect: &str) -> Plan {
    let policy = format!("edition 2026\npolicy p {{ rule r {{ do {effect} }} }}\n");
    trimtab::compile("made.trim", &policy).plan(None).unwrap_or_else(|_| panic!("{effect}"))
}

/// A long text that begins with a name.
fn long(name: &str) -> String {
    format!("{name} {}", "and more words ".repeat(20))
}

/// Two runs, in the second of which the person writes while the agent works.
fn messages() -> Vec<Json> {
    let call = json!({ "type": "function", "id": "c", "function": { "name": "look", "arguments": "{}" } });
    vec![
        json!({ "role": "system", "content": long("prompt") }),
        json!({ "role": "user", "content": long("first") }),
        json!({ "role": "assistant", "content": long("answer") }),
        json!({ "role": "user", "content": long("request") }),
        json!({ "role": "assistant", "content": long("plan"), "tool_calls": [call] }),
        json!({ "role": "tool", "tool_call_id": "c", "content": long("result") }),
        json!({ "role": "user", "content": long("queued") }),
    ]
}

fn sent(session: &mut Session, dialect: Dialect, messages: &[Json]) -> Json {
    let body = json!({ "model": "m", "max_tokens": 9, "messages": messages }).to_string();
    match session.before_request(dialect, &body, None).expect("a request") {
        Next::Send(prepared) => serde_json::from_str(&prepared.json).expect("JSON"),
        other => panic!("{other:?}"),
    }
}

/// The indices of the messages that an effect changes.
fn changed(effect: &str, messages: &[Json]) -> Vec<usize> {
    let sent = sent(&mut Session::new(&plan(effect), Host::new()), Dialect::OpenAiChat, messages);
    let sent = sent["messages"].as_array().expect("messages");
    assert_eq!(sent.len(), messages.len());
    (0..messages.len()).filter(|at| sent[*at] != messages[*at]).collect()
}

#[test]
fn messages_of_the_current_run_stay_until_it_has_ended() {
    let mut messages = messages();
    for effect in ["trim user_messages to 50 chars", "mask user_messages", "offload user_messages preview 9 chars"] {
        assert_eq!(changed(&format!("{effect} keep 0 messages"), &messages), [1], "{effect}");
        assert_eq!(changed(effect, &messages), [0; 0], "the last ten messages are kept: {effect}");
    }
    messages.push(json!({ "role": "assistant", "content": "done" }));
    messages.push(json!({ "role": "user", "content": long("another request") }));
    assert_eq!(changed("mask user_messages keep 0 messages", &messages), [1, 3, 6]);
    assert_eq!(changed("mask user_messages keep 5 messages", &messages), [1, 3]);
    assert_eq!(changed("mask user_messages keep 1 results", &messages), [1, 3], "all results count");
    assert_eq!(changed("mask user_messages over 9k chars keep 0 messages", &messages), [0; 0]);
}

#[test]
fn replies_keep_their_calls() {
    let messages = messages();
    assert_eq!(changed("mask replies keep 0 messages", &messages), [2, 4]);
    let mut session = Session::new(&plan("mask replies keep 0 messages preview 4 chars"), Host::new());
    let sent = sent(&mut session, Dialect::OpenAiChat, &messages);
    assert_eq!(sent["messages"][4]["content"], "[reply: plan…]");
    assert_eq!(sent["messages"][4]["tool_calls"], messages[4]["tool_calls"]);
}

#[test]
fn no_text_becomes_blank() {
    let messages = messages();
    for effect in [
        "mask user_messages keep 0 messages placeholder \" \"",
        "trim user_messages to 0 chars keep 0 messages placeholder \"\"",
        "trim replies to 0 chars keep 0 messages placeholder \"\"",
        "mask replies keep 0 messages placeholder \"\"",
    ] {
        assert_eq!(changed(effect, &messages), [0; 0], "{effect}");
    }
}

#[test]
fn an_offloaded_message_comes_back_with_all_its_texts() {
    let block = |text: &str| json!({ "type": "text", "text": text });
    let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } });
    let (one, two) = (long("one"), long("two"));
    let messages = [
        json!({ "role": "user", "content": [block(&one), image, block(&two), block("short")] }),
        json!({ "role": "assistant", "content": [block("done")] }),
        json!({ "role": "user", "content": [block("more")] }),
    ];
    let effect = "offload user_messages over 100 chars keep 0 messages preview 9 chars";
    let mut session = Session::new(&plan(effect), Host::new());
    let sent = sent(&mut session, Dialect::Anthropic, &messages);
    let content = &sent["messages"][0]["content"];
    for at in [0, 2] {
        let text = content[at]["text"].as_str().expect("a text");
        assert!(text.starts_with("[offloaded: use recall(\"r0\") to retrieve. Summary: "), "{text}");
    }
    assert_eq!((&content[1], &content[3]), (&image, &block("short")));
    assert_eq!(session.recall("r0").as_deref(), Ok(format!("{one}{two}short").as_str()));
}

/// `keep 4 results` is the default of `trim results` only.
#[test]
fn a_compiled_plan_keeps_the_tail_that_is_written() {
    let messages = messages();
    for effect in ["trim user_messages to 50 chars keep 4 results", "trim user_messages to 50 chars"] {
        let plan = plan(effect);
        let read = Plan::from_json(&plan.to_json()).expect("a plan");
        assert_eq!((read.to_json(), read.hash()), (plan.to_json(), plan.hash()), "{effect}");
    }
    let hash = |effect: &str| plan(effect).hash().to_owned();
    assert_eq!(hash("trim replies keep 10 messages"), hash("trim replies"));
    assert_ne!(hash("trim replies keep 4 results"), hash("trim replies"));
    assert_eq!(changed("trim replies to 50 chars keep 4 results", &messages), [0; 0]);
}
