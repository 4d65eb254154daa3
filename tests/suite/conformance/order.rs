//! The order of the effects, and what happens when one of them ends the run.

use std::sync::Arc;

use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::transcript::Transcript;

use super::{Scene, assistant, call, long, ok, plan, summary, user};

fn trimmed(rules: &str) -> String {
    format!("edition 2026\npolicy p {{\n{rules}\n}}\n")
}

fn stops(phase: &str) -> String {
    trimmed(&format!(
        "rule a {{ on {phase} do notify \"A\" }} rule b {{ on {phase} do stop \"B\" }} rule c {{ on {phase} do notify \"C\" }}"
    ))
}

#[test]
fn rules_are_tried_in_the_order_written() {
    let text = trimmed("rule a { do notify \"A\" } rule b { do notify \"B\" } rule c { do notify \"C\" }");
    let outcome = Scene::policy("p.trim", &text).request();
    let notices: Vec<&str> = outcome.signals.iter().filter_map(|given| given.signal.notice()).collect();
    assert_eq!(notices, ["A", "B", "C"]);
}

#[test]
fn a_stop_keeps_later_rules_from_running() {
    let outcome = Scene::policy("p.trim", &stops("request")).request();
    let notices: Vec<&str> = outcome.signals.iter().filter_map(|given| given.signal.notice()).collect();
    assert_eq!(notices, ["A"]);
    assert_eq!(outcome.stop().map(|stop| stop.text).as_deref(), Some("B"));
}

/// The calls that are made in a replay of two, and the number of calls after a stop.
fn generated(phase: &str) -> (Vec<bool>, usize) {
    let messages = [user("Go."), call("c", "ls", "{}"), ok("c", "a"), assistant("Done.")];
    let transcript = Transcript { messages: messages.into_iter().map(Arc::new).collect(), ..Transcript::default() };
    let plan = plan("p.trim", &stops(phase));
    let trace = replay(&plan, &transcript, &Options::default(), &mut FailingSummariser, &mut |_| {});
    (trace.calls.iter().map(|call| call.made).collect(), trace.after_stop)
}

#[test]
fn a_stop_on_a_request_keeps_its_call_from_being_made() {
    assert_eq!(generated("request"), (vec![false, false], 2));
}

#[test]
fn a_stop_on_a_reply_keeps_the_next_call_from_being_made() {
    assert_eq!(generated("reply"), (vec![true, false], 1));
}

/// The host is told before it would run the tools of the reply.
#[test]
fn a_stop_on_a_reply_is_told_before_its_tools_run() {
    let plan = trimtab::compile("p.trim", &stops("reply")).plan(None).expect("a plan");
    let mut session = trimtab::Session::new(&plan, trimtab::Host::new());
    let body = r#"{"messages":[{"role":"user","content":"Go."}]}"#;
    let next = session.before_request(trimtab::Dialect::OpenAiChat, body, None).expect("a request");
    assert!(matches!(next, trimtab::Next::Send(_)));
    let reply = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#;
    let next = session.after_reply(reply, None).expect("a reply");
    let trimtab::Next::Stop { rule, reason } = next else { panic!("{next:?}") };
    assert_eq!((rule.as_str(), reason.as_str()), ("b", "B"));
}

/// Effects after a reply also run after the last one, which calls no tool.
#[test]
fn rules_on_a_reply_also_run_after_the_last_reply() {
    let text = "edition 2026 policy p { rule r { on reply do notify \"replied\" } }";
    let messages = [user("Go."), call("c", "ls", "{}"), ok("c", "a"), assistant("Done.")];
    let transcript = Transcript { messages: messages.into_iter().map(Arc::new).collect(), ..Transcript::default() };
    let trace = replay(&plan("p.trim", text), &transcript, &Options::default(), &mut FailingSummariser, &mut |_| {});
    assert_eq!(trace.rules[0].calls, [0, 1]);
}

/// A warning at iteration 2 of 4, and the end: rules in a policy file.
#[test]
fn the_limit_of_iterations_is_a_warning_and_a_stop() {
    let text = "edition 2026 policy p {
        rule end { when iteration >= 4 do stop \"the limit of iterations is reached\" }
        rule warn { when iteration >= 2 do inject \"The limit of iterations is near.\" as user once }
    }";
    let mut scene = Scene::policy("p.trim", text).iteration(0).messages([user("Go.")]);
    let outcomes: Vec<(usize, bool)> = (0..5)
        .map(|at| {
            let outcome = if at == 0 { scene.request() } else { scene.next() };
            (scene.len(), outcome.stop().is_some())
        })
        .collect();
    assert_eq!(outcomes, [(1, false), (1, false), (2, false), (2, false), (2, true)]);
}

/// The cap on results: 32,000 characters and a mark, before the result is sent first.
#[test]
fn a_cap_on_results_cuts_them_before_they_are_sent() {
    let text = "edition 2026 policy p {
        rule cap { do trim arrivals over 32000 chars to 32000 chars placeholder \"[output capped]\" }
    }";
    let result = |chars: usize, is_error: bool| {
        let result = if is_error { super::err("c", &"x".repeat(chars)) } else { ok("c", &"x".repeat(chars)) };
        let mut scene = Scene::policy("p.trim", text).messages([user("Go."), call("c", "ls", "{}"), result]);
        scene.request();
        scene.text(2).chars().count()
    };
    assert_eq!([result(32_000, false), result(40_000, false), result(40_000, true)], [32_000, 32_015, 40_000]);
}

#[test]
fn what_is_injected_in_a_round_is_not_summarised_in_it() {
    let mut scene = Scene::effects(&["kind: progress", "kind: compact"]).tools(&["write_note"]).iteration(5);
    scene = scene.reported(900).answers([summary("Done.")]);
    scene.push([user(&long("Hello.", 300)), assistant(&long("Hi.", 300))]);
    scene.request();
    assert_eq!(scene.len(), 2);
    assert!(scene.text(0).starts_with("[Conversation compacted") && scene.text(1).contains("write_note"));
}

/// Without the classes of a YAML list, rules run as they are written: the summary comes before the mask.
#[test]
fn rules_of_a_policy_file_are_not_sorted_by_class() {
    let text = trimmed("rule sum_up { do summarise all on_failure keep } rule hide { do mask results keep 0 results }");
    let names = plan("p.trim", &text).rules.into_iter().map(|rule| rule.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names, ["sum_up", "hide"]);
    let mut scene = Scene::policy("p.trim", &text).answers([summary("Listed.")]);
    scene.push([user("Go."), call("c", "ls", "{}"), ok("c", &long("content", 900))]);
    scene.request();
    assert!(scene.requests[0].transcript.contains("[tool result] content xxx"), "{}", scene.requests[0].transcript);
    assert_eq!(scene.len(), 1);
}
