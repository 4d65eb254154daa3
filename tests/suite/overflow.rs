//! The phase `overflow`: requests that exceed the window, and requests that a provider has rejected.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use trimtab::conversation::Message;
use trimtab::hook::Event;
use trimtab::plan::Plan;
use trimtab::run::{Environment, Next, Session};
use trimtab::simulate::{Extract, Options, Trace, replay};
use trimtab::transcript::{self, Transcript, read_message};
use trimtab::{Dialect, Host};

use crate::laws::plan;

const RULES: &str = "rule shorten { on overflow do drop older keep 2 messages }";

fn policy(rules: &str) -> Plan {
    plan(&format!("edition 2026\nagent {{ reserve 200 tokens }}\npolicy p {{ {rules} }}"))
}

/// A person and an agent that reads this many files of about 270 tokens.
fn lines(files: usize) -> Vec<Json> {
    let file = |id: usize| {
        let call = json!({ "type": "tool_call", "id": format!("c{id}"), "name": "read", "arguments": { "n": id } });
        let result = json!({ "type": "tool_result", "id": format!("c{id}"), "content": "line of text\n".repeat(80) });
        [json!({ "role": "assistant", "content": [call] }), json!({ "role": "tool", "content": [result] })]
    };
    [json!({ "role": "user", "content": "Read them." })].into_iter().chain((0..files).flat_map(file)).collect()
}

fn run(rules: &str, window: u64) -> Trace {
    let header = json!({ "trimtab": 1, "window": window });
    let text: String = [&header].into_iter().chain(&lines(12)).map(|line| format!("{line}\n")).collect();
    let transcript = transcript::read(text.as_bytes(), Some("trimtab")).expect("a recording").transcripts.remove(0);
    let options = Options { events: true, ..Options::default() };
    replay(&policy(rules), &transcript, &options, &mut Extract, &mut |_| {})
}

#[test]
fn a_request_that_exceeds_the_window_minus_the_reserve_is_shortened_before_it_is_sent() {
    let trace = run(RULES, 2_000);
    assert!(trace.rules[0].fired > 0 && trace.rules[0].fired < 6, "{:?}", trace.rules[0].calls);
    assert!(trace.calls.iter().all(|call| call.after <= 1_800), "{:?}", trace.calls);
    assert!(trace.calls.iter().any(|call| call.before > 1_800));
    let events: Vec<usize> = trace
        .events
        .iter()
        .filter(|traced| matches!(traced.event, Event::Overflow(overflow) if !overflow.rejected))
        .filter_map(|traced| traced.call)
        .collect();
    assert_eq!(events, trace.rules[0].calls);
    assert_eq!(run(RULES, 100_000).rules[0].due, 0);
}

#[test]
fn rules_of_request_come_first_and_those_of_compaction_after() {
    let order = "rule a { on compaction do notify \"compacted\" } rule b { on overflow do drop older keep 2 messages then notify \"over\" } \
                 rule c { when context.tokens > 1_000 tokens do mask results keep 1 results }";
    let trace = run(order, 2_000);
    assert_eq!(trace.rules[1].fired, 0, "the mask is enough");
    let order =
        order.replace("do mask", "when iteration == 99 do mask").replace("when context.tokens > 1_000 tokens ", "");
    let trace = run(&order, 2_000);
    let texts: Vec<&str> = trace.notices().take(2).map(|(_, _, text)| text).collect();
    assert_eq!(texts, ["over", "compacted"]);
}

#[test]
fn a_rule_that_is_not_enough_is_tried_once_for_each_call() {
    let trace = run("rule r { on overflow do notify \"over\" }", 2_000);
    assert_eq!(trace.rules[0].calls, (12 - trace.rules[0].fired..12).collect::<Vec<_>>());
}

fn messages(lines: &[Json]) -> Vec<Arc<Message>> {
    lines.iter().map(|line| Arc::new(read_message(line).expect("a message"))).collect()
}

#[test]
fn a_rejected_request_is_shortened_once_and_its_recording_repeats_that() {
    let plan = Arc::new(policy(&format!("{RULES} rule say {{ on compaction do inject \"Read them again.\" }}")));
    let mut session = Session::new(Arc::clone(&plan), Environment::default(), 0);
    let all = messages(&lines(6));
    assert_eq!(session.before_request(&all, None), Next::Send);
    assert_eq!(session.request().len(), all.len());
    let call = session.call();
    assert_eq!(session.rejected(call), Next::Send);
    let shorter = session.request().len();
    assert!(shorter < all.len());
    assert_eq!(session.rejected(call), Next::Send);
    assert_eq!(session.request().len(), shorter, "the rules were tried for this call");
    // The client sends the same history again.
    let mut restored = Session::restore(&plan, &session.save()).expect("the same plan");
    assert_eq!(restored.before_request(&all, None), Next::Send);
    assert_eq!(restored.request().len(), shorter);
    let reply = messages(&[json!({ "role": "assistant", "content": "Done." })]).remove(0);
    session.after_reply(&reply, None, None);
    assert_eq!(session.rejected(call), Next::Ready, "the call has a reply");
    let (_, text) = session.take_recording().expect("a recording");
    let read: Transcript = transcript::read(text.as_bytes(), None).expect("a recording").transcripts.remove(0);
    let mut sizes = Vec::new();
    replay(&plan, &read, &Options::default(), &mut Extract, &mut |sent| sizes.push(sent.messages().len()));
    assert_eq!(sizes.last(), Some(&shorter), "{text}");
}

#[test]
fn the_public_session_gives_the_shorter_request() {
    let text = format!("edition 2026\npolicy p {{ {RULES} }}");
    let plan = trimtab::compile("p.trim", text.as_str()).plan(None).expect("a plan");
    let mut session = trimtab::Session::new(&plan, Host::new().window(100_000));
    let mut list = vec![json!({ "role": "user", "content": "Read them." })];
    for id in 0..6 {
        let call =
            json!({ "id": format!("c{id}"), "type": "function", "function": { "name": "read", "arguments": "{}" } });
        list.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
        list.push(json!({ "role": "tool", "tool_call_id": format!("c{id}"), "content": "line of text\n".repeat(80) }));
    }
    let json = Json::from(list).to_string();
    let next = session.before_request(Dialect::OpenAiChat, json.as_str(), None).expect("a request");
    let trimtab::Next::Send(sent) = next else { panic!("{next:?}") };
    assert_eq!(&*sent.json, json);
    let trimtab::Next::Send(shorter) = session.rejected(sent.handle) else { panic!("a request") };
    assert!(shorter.json.len() < json.len() / 2);
    let trimtab::Next::Send(again) = session.rejected(sent.handle) else { panic!("a request") };
    assert_eq!(&*again.json, &*shorter.json);
}
