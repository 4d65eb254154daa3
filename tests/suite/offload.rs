//! Offloaded results in live sessions: the declared tool, the placeholder, and the content that the agent recalls.

use serde_json::{Value as Json, json};
use trimtab::{Dialect, Host, Next, Plan, SavedSession, Session};

const POLICY: &str = "edition 2026\npolicy p { rule offload { do offload arrivals over 100 chars } }\n";

fn plan(text: &str) -> Plan {
    trimtab::compile("made.trim", text).plan(None).expect("a plan")
}

/// A request in which these tools have returned these texts, each with an id of odd characters that repeats.
fn request(results: &[(&str, &str)]) -> String {
    let mut messages = vec![json!({ "role": "user", "content": "go" })];
    for (tool, text) in results {
        let call = json!({ "type": "function", "id": "a/\"ä", "function": { "name": tool, "arguments": "{}" } });
        messages.push(json!({ "role": "assistant", "tool_calls": [call] }));
        messages.push(json!({ "role": "tool", "tool_call_id": "a/\"ä", "content": text }));
    }
    json!({ "model": "m", "messages": messages }).to_string()
}

fn sent(session: &mut Session, request: &str) -> Json {
    match session.before_request(Dialect::OpenAiChat, request, None).expect("a request") {
        Next::Send(prepared) => serde_json::from_str(&prepared.json).expect("JSON"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_agent_recalls_what_was_offloaded_also_after_a_restart() {
    let plan = plan(POLICY);
    assert!(plan.offloads());
    let (one, two) = ("one ".repeat(100), "two ".repeat(100));
    let mut session = Session::new(&plan, Host::new());
    assert!(session.recall("r2").is_err());
    let first = sent(&mut session, &request(&[("bash", &one)]));
    let second = sent(&mut session, &request(&[("bash", &one), ("bash", &two)]));
    assert_eq!(first["tools"], second["tools"]);
    assert_eq!(first["tools"][0]["function"]["name"], trimtab::RECALL_TOOL);
    assert_eq!(first["messages"][2], second["messages"][2]);
    let ids = [2, 4].map(|at| {
        let text = second["messages"][at]["content"].as_str().expect("a text").to_owned();
        assert!(text.starts_with("[offloaded: use recall("), "{text}");
        text.split('"').nth(1).expect("an id").to_owned()
    });
    assert_ne!(ids[0], ids[1]);
    let saved = serde_json::to_string(&session.save().expect("a session")).expect("JSON");
    let saved: SavedSession = serde_json::from_str(&saved).expect("a saved session");
    for session in [session, Session::restore(&plan, Host::new(), &saved).expect("the same plan")] {
        assert_eq!(session.recall(&ids[0]).as_deref(), Ok(one.as_str()));
        assert_eq!(session.recall(&ids[1]).as_deref(), Ok(two.as_str()));
        assert_eq!(session.recall("r99").expect_err("no id").to_string(), "no offloaded content for id \"r99\"");
    }
}

#[test]
fn what_was_recalled_is_not_offloaded_again() {
    let text = "text ".repeat(100);
    let sent = sent(&mut Session::new(&plan(POLICY), Host::new()), &request(&[("recall", &text)]));
    assert_eq!(sent["messages"][2]["content"], text);
}

#[test]
fn a_view_that_hides_the_tool_keeps_it_out_of_the_request() {
    let hidden = "edition 2026\npolicy p {\n  rule offload { do offload arrivals over 100 chars }\n  \
                  rule hide { do tools hide [recall] }\n}\n";
    let request = request(&[("bash", "x")]);
    assert_eq!(sent(&mut Session::new(&plan(hidden), Host::new()), &request)["tools"], Json::Null);
}

#[test]
fn the_tool_is_known_to_conditions() {
    let text = "edition 2026\npolicy p {\n  rule offload { when iteration > 9 do offload results }\n  \
                rule stop { when has_tool(\"recall\") do stop \"known\" }\n}\n";
    let mut session = Session::new(&plan(text), Host::new());
    let next = session.before_request(Dialect::OpenAiChat, &request(&[]), None).expect("a request");
    assert!(matches!(next, Next::Stop { .. }), "{next:?}");
}
