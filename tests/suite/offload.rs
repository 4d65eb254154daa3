//! Offloaded results in live sessions: the declared tool, the placeholder, and the content that the agent recalls.

use serde_json::{Value as Json, json};
use trimtab::conversation::{RECALL_DESCRIPTION, RECALL_SCHEMA};
use trimtab::model::TokenCounter;
use trimtab::request::Request;
use trimtab::simulate::{FailingSummariser, Options, ReplayInputs, replay};
use trimtab::transcript::{self, Tool};
use trimtab::{Dialect, Host, Next, Plan, SavedSession, Session};

use crate::laws;

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
    let next = session.before_request(Dialect::OpenAiChat, request(&[]), None).expect("a request");
    assert!(matches!(next, Next::Stop { .. }), "{next:?}");
}

/// The tokens of the request that a session sends, and those of the declaration of `recall` in it.
fn tokens(policy: &str, dialect: Dialect, body: &Json) -> (u64, Option<u64>) {
    let next = Session::new(&plan(policy), Host::new()).before_request(dialect, body.to_string(), None);
    let Next::Send(prepared) = next.expect("a request") else { panic!("the request is not sent") };
    let declared = Request::read(dialect, None, &prepared.json).expect("a request").tools();
    let recall = declared.iter().find(|tool| tool.name == trimtab::RECALL_TOOL);
    let count = |tool: &Tool| {
        let texts = [tool.description.as_deref(), tool.schema.as_deref()].map(Option::unwrap_or_default);
        TokenCounter::default().tool(&tool.name, texts[0], texts[1])
    };
    (prepared.tokens, recall.map(count))
}

/// Bodies with a tool of this name.
fn bodies(tool: &str) -> Vec<(Dialect, Json)> {
    let (text, schema) = (json!([{ "role": "user", "content": "go" }]), json!({ "type": "object" }));
    let function = json!({ "name": tool, "description": "Does it.", "parameters": schema });
    let chat = json!({ "type": "function", "function": function });
    let responses = json!({ "type": "function", "name": tool, "description": "Does it.", "parameters": schema });
    let anthropic = json!({ "name": tool, "description": "Does it.", "input_schema": schema });
    vec![
        (Dialect::OpenAiChat, json!({ "model": "m", "messages": text, "tools": [chat] })),
        (Dialect::OpenAiResponses, json!({ "model": "m", "input": text, "tools": [responses] })),
        (Dialect::Anthropic, json!({ "model": "m", "messages": text, "tools": [anthropic] })),
    ]
}

const IDLE: &str = "edition 2026\npolicy p { rule none { when iteration > 99 do notify \"\" } }\n";
const HIDDEN: &str = "edition 2026\npolicy p {\n  rule offload { do offload arrivals over 100 chars }\n  \
                      rule hide { do tools hide [recall] }\n}\n";

#[test]
fn the_declaration_of_the_tool_is_part_of_the_context_while_it_is_sent() {
    for (dialect, body) in bodies("bash") {
        let (without, none) = tokens(IDLE, dialect, &body);
        let (with, declared) = tokens(POLICY, dialect, &body);
        assert!(none.is_none() && declared.is_some_and(|tokens| tokens > 40), "{dialect:?}");
        assert_eq!(Some(with - without), declared, "{dialect:?}");
        assert_eq!(tokens(HIDDEN, dialect, &body), (without, None), "{dialect:?}");
    }
    for (dialect, body) in bodies(trimtab::RECALL_TOOL) {
        let declared = tokens(POLICY, dialect, &body);
        assert_eq!(declared, tokens(IDLE, dialect, &body), "the host has declared a tool of this name: {dialect:?}");
        assert!(declared.1.is_some());
    }
    // A host that gives only the list sends the declaration itself.
    let list = json!([{ "role": "user", "content": "go" }]);
    let (with, without) = (tokens(POLICY, Dialect::OpenAiChat, &list), tokens(IDLE, Dialect::OpenAiChat, &list));
    assert!(with.0 > without.0 + 40 && with.1.is_none());
}

#[test]
fn a_simulation_adds_the_declaration_to_recordings_without_it() {
    let usage = json!({ "input": 900, "output": 5 });
    for usage in [Json::Null, usage] {
        for (tools, has_it) in [(json!([]), false), (json!(["bash"]), false), (json!(["bash", "recall"]), true)] {
            let lines = [
                json!({ "trimtab": 1, "tools": tools }),
                json!({ "role": "system", "content": "You work.".repeat(30) }),
                json!({ "role": "user", "content": "go" }),
                json!({ "role": "assistant", "content": "Done.", "usage": usage }),
                json!({ "role": "user", "content": "go on" }),
                json!({ "role": "assistant", "content": "Done.", "usage": usage }),
            ];
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let recorded = transcript::read(text.as_bytes(), None).expect("a recording").transcripts.remove(0);
            let added = |policy: &str| -> Vec<u64> {
                let (options, plan) = (Options::default(), laws::plan(policy));
                let trace = replay(&plan, &recorded, &options, &mut FailingSummariser, &mut |_| {});
                let by_rules: i128 = trace.rules.iter().map(|rule| rule.saved).sum();
                assert_eq!(trace.saved(), by_rules);
                trace.calls.iter().map(|call| call.after - call.before).collect()
            };
            let factor = ReplayInputs::of(&laws::plan(POLICY), &recorded, &Options::default()).counter;
            let declaration = factor.tool(trimtab::RECALL_TOOL, RECALL_DESCRIPTION, RECALL_SCHEMA);
            assert_eq!(added(IDLE), [0, 0]);
            assert_eq!(added(POLICY), if has_it { [0, 0] } else { [declaration; 2] });
            if !has_it {
                assert_eq!(added(HIDDEN), [0, 0]);
            }
        }
    }
}
