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
    let notices: Vec<String> =
        Scene::policy("p.trim", &text).request().notices.into_iter().map(|notice| notice.text).collect();
    assert_eq!(notices, ["A", "B", "C"]);
}

#[test]
fn a_stop_keeps_later_rules_from_running() {
    let outcome = Scene::policy("p.trim", &stops("request")).request();
    let notices: Vec<&str> = outcome.notices.iter().map(|notice| notice.text.as_str()).collect();
    assert_eq!(notices, ["A"]);
    assert_eq!(outcome.stop.map(|stop| stop.text).as_deref(), Some("B"));
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

#[test]
fn what_is_injected_in_a_round_is_not_summarised_in_it() {
    let mut scene = Scene::effects(&["kind: progress", "kind: compact"]).tools(&["write_note"]).iteration(5);
    scene = scene.reported(900).answers([summary("Done.")]);
    scene.push([user(&long("Hello.", 300)), assistant(&long("Hi.", 300))]);
    scene.request();
    assert_eq!(scene.len(), 2);
    assert!(scene.text(0).starts_with("[Conversation compacted") && scene.text(1).contains("write_note"));
}
