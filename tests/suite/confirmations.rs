//! Rules with `confirm`: when a person is asked, and what a declined rule does and does not.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use trimtab::conversation::Message;
use trimtab::plan::Plan;
use trimtab::run::{Answer, Environment, Next, Session};
use trimtab::simulate::{Confirmations, Extract, Options, Trace, replay};
use trimtab::transcript::{self, Transcript, read_message};

use crate::laws::plan;

fn policy(rules: &str) -> Plan {
    plan(&format!("edition 2026\npolicy p {{ {rules} }}"))
}

/// A person and an agent that reads this many files.
fn lines(files: usize) -> Vec<Json> {
    let file = |id: usize| {
        let call = json!({ "type": "tool_call", "id": format!("c{id}"), "name": "read", "arguments": { "n": id } });
        let result = json!({ "type": "tool_result", "id": format!("c{id}"), "content": "line of text\n".repeat(80) });
        [json!({ "role": "assistant", "content": [call] }), json!({ "role": "tool", "content": [result] })]
    };
    [json!({ "role": "user", "content": "Read them." })].into_iter().chain((0..files).flat_map(file)).collect()
}

fn transcript(lines: &[Json]) -> Transcript {
    let header = json!({ "trimtab": 1, "window": 100_000 });
    let text: String = [&header].into_iter().chain(lines).map(|line| format!("{line}\n")).collect();
    transcript::read(text.as_bytes(), Some("trimtab")).expect("a recording").transcripts.remove(0)
}

fn run(rules: &str, confirm: Confirmations) -> Trace {
    let options = Options { confirm, explain_all: true, ..Options::default() };
    replay(&policy(rules), &transcript(&lines(12)), &options, &mut Extract, &mut |_| {})
}

/// How often the first rule was due, fired and was declined.
fn counts(trace: &Trace) -> [usize; 3] {
    let rule = &trace.rules[0];
    [rule.due, rule.fired, rule.declined]
}

const NOTE: &str = "confirm \"Now?\" do notify \"now\"";

#[test]
fn guards_count_a_declined_firing_and_facts_do_not() {
    let never = |guard: &str| counts(&run(&format!("rule a {{ {NOTE} {guard} }}"), Confirmations::NEVER));
    assert_eq!(never(""), [12, 0, 12]);
    assert_eq!(never("once"), [1, 0, 1]);
    assert_eq!(never("limit 2"), [2, 0, 2]);
    assert_eq!(never("cooldown 5 iterations"), [3, 0, 3]);
    assert_eq!(never("once until iteration == 6"), [2, 0, 2]);
    assert_eq!(never("once per iteration"), [12, 0, 12]);
    let facts =
        format!("rule a {{ {NOTE} limit 1 }} rule b {{ when fired(a) > 0 or known(since(a)) do notify \"b\" }}");
    assert_eq!(run(&facts, Confirmations::NEVER).rules[1].fired, 0);
    assert_eq!(run(&facts, Confirmations::ALWAYS).rules[1].fired, 12);
}

#[test]
fn a_confirmed_rule_acts_and_questions_are_counted_one_by_one() {
    let rule = format!("rule a {{ {NOTE} }}");
    assert_eq!(counts(&run(&rule, Confirmations::ALWAYS)), [12, 12, 0]);
    assert_eq!(counts(&run(&rule, Confirmations { declined: 3 })), [12, 9, 3]);
}

#[test]
fn a_declined_rule_changes_nothing_and_asks_no_summariser() {
    let rules = "rule a { when iteration >= 4 confirm \"Now?\" do summarise all then inject \"So it is.\" once }";
    let trace = run(rules, Confirmations::NEVER);
    assert_eq!((trace.summaries, trace.injections, trace.first_divergence, trace.spent.calls), (0, 0, None, 12));
    let trace = run(rules, Confirmations::ALWAYS);
    assert_eq!((trace.summaries, trace.injections, trace.first_divergence), (1, 1, Some(4)));
}

#[test]
fn a_rule_with_nothing_to_do_does_not_ask() {
    let rule = "rule a { confirm \"Now?\" do mask results keep 5 results }";
    let trace = run(rule, Confirmations::NEVER);
    assert_eq!(counts(&trace), [12, 0, 6], "the first six calls have at most five results");
    assert!(!trace.rules[0].idle.is_empty());
    let mixed = "rule a { confirm \"Now?\" do mask results keep 99 results then notify \"now\" }";
    assert_eq!(counts(&run(mixed, Confirmations::NEVER)), [12, 0, 12]);
}

fn messages(lines: &[Json]) -> Vec<Arc<Message>> {
    lines.iter().map(|line| Arc::new(read_message(line).expect("a message"))).collect()
}

#[test]
fn a_live_session_asks_and_its_recording_repeats_the_answers() {
    let plan = Arc::new(policy("rule a { confirm \"{context.messages}?\" do inject \"Go on.\" for step }"));
    let mut session = Session::new(Arc::clone(&plan), Environment::default(), 0);
    let all = messages(&lines(4));
    let mut sent = Vec::new();
    for (at, message) in all.iter().enumerate().filter(|(_, message)| message.is_reply()) {
        let Next::Confirm(question, asked) = session.before_request(&all[..at], None) else { panic!("a question") };
        assert_eq!((asked.rule.as_str(), asked.question.as_str()), ("a", format!("{at}?").as_str()));
        // A restarted session asks again.
        let text = serde_json::to_string(&session.save()).unwrap();
        session = Session::restore(&plan, &serde_json::from_str(&text).unwrap()).unwrap();
        assert!(matches!(session.before_request(&all[..at], None), Next::Confirm(..)));
        let answer = if at == 1 { Answer::Confirmed } else { Answer::Declined };
        let question = match session.before_request(&all[..at], None) {
            Next::Confirm(again, _) => again,
            _ => question,
        };
        assert_eq!(session.answer(question, answer), Next::Send);
        sent.push(session.request().len());
        assert_eq!(session.after_reply(message, None, None), Next::Ready);
    }
    assert_eq!(sent, [2, 3, 5, 7]);
    let (_, text) = session.take_recording().expect("a recording");
    assert!(text.contains(r#"{"answer":"confirmed"}"#) && text.contains(r#"{"answer":"declined"}"#), "{text}");
    let read = transcript::read(text.as_bytes(), None).expect("a recording").transcripts.remove(0);
    let options = Options { confirm: Confirmations::ALWAYS, ..Options::default() };
    let trace = replay(&plan, &read, &options, &mut Extract, &mut |_| {});
    assert_eq!(counts(&trace), [4, 1, 3], "what the person said counts, not the option");
}

#[test]
fn the_plan_has_the_question_and_its_json_gives_the_same_plan() {
    let with = policy("rule a { confirm \"{context.ratio}?\" do mask results }");
    let without = policy("rule a { do mask results }");
    assert_ne!(with.hash, without.hash);
    assert!(without.json()["rules"][0].get("confirm").is_none());
    let again = Plan::from_json(&with.json().to_string()).expect("a plan");
    assert_eq!((again.json(), &again.hash), (with.json(), &with.hash));
}

#[test]
fn an_override_removes_or_replaces_the_question() {
    let text = |own: &str| {
        format!(
            "edition 2026\npolicy base {{ rule a {{ confirm \"Now?\" do mask results }} }}\n\
             policy p extends base {{ override rule a {{ {own} }} }}"
        )
    };
    let question = |own: &str| plan(&text(own)).json()["rules"][0].get("confirm").cloned();
    assert_eq!(question("limit 3"), Some(json!(["Now?"])));
    assert_eq!(question("confirm \"Really?\""), Some(json!(["Really?"])));
    assert_eq!(question("no confirm"), None);
}
