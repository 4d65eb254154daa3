//! Facts that a policy declares and its host supplies: live, in a branch, restored, recorded and simulated.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use trimtab::conversation::{Arguments, Message, Part, Role};
use trimtab::fact::HostValues;
use trimtab::plan::Plan;
use trimtab::run::{Environment, FactError, FactValue, RestoreError, SavedSession, Session, set_fact};
use trimtab::simulate::{FailingSummariser, Options, Trace, replay};
use trimtab::transcript::{self, Reported, Transcript};
use trimtab::{Dialect, Host};

use crate::laws;

const AGENT: &str = "agent { window 200k tokens fact load share fact tier text default \"free\" fact seats count \
                     fact quota tokens fact wait duration fact spent money fact beta bool default false }";

fn plan(rules: &str) -> Arc<Plan> {
    Arc::new(laws::plan(&format!("edition 2026\n{AGENT}\npolicy p {{ {rules} }}\n")))
}

fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::text(Role::User, text))
}

fn call(id: &str) -> Arc<Message> {
    Arc::new(Message::new(Role::Assistant, vec![Part::call(id, "ls", Arguments::Text("{}".into()))]))
}

fn result(id: &str) -> Arc<Message> {
    Arc::new(Message::new(Role::Tool, vec![Part::result(id, "a", false)]))
}

/// A host that keeps the values of its facts.
struct Client {
    plan: Arc<Plan>,
    session: Session,
    notices: Vec<String>,
    recording: String,
}

impl Client {
    fn new(rules: &str) -> Self {
        let plan = plan(rules);
        let environment = Environment { window: Some(200_000), ..Environment::default() };
        let session = Session::new(Arc::clone(&plan), environment, 0);
        Self { plan, session, notices: Vec::new(), recording: String::new() }
    }

    fn set(&mut self, name: &str, value: impl Into<FactValue>) {
        let mut facts = self.session.facts().clone();
        set_fact(&self.plan, &mut facts, name, Some(&value.into())).unwrap();
        self.session.supply(&facts);
    }

    fn clear(&mut self, name: &str) {
        let mut facts = self.session.facts().clone();
        set_fact(&self.plan, &mut facts, name, None).unwrap();
        self.session.supply(&facts);
    }

    fn request(&mut self, history: &[Arc<Message>]) {
        self.session.before_request(history, None);
        self.collect();
    }

    fn reply(&mut self, reply: &Arc<Message>) {
        self.session.after_reply(reply, None, None);
        self.collect();
    }

    fn collect(&mut self) {
        let outcomes = self.session.take_outcomes();
        let signals = outcomes.iter().flat_map(|(_, outcome)| &outcome.signals);
        self.notices.extend(signals.filter_map(|given| given.signal.notice()).map(str::to_owned));
        self.recording.extend(self.session.take_recording().map(|(_, text)| text));
    }

    fn restart(&mut self) {
        let text = serde_json::to_string(&self.session.save()).unwrap();
        let saved: SavedSession = serde_json::from_str(&text).unwrap();
        self.session = Session::restore(&self.plan, &saved).unwrap();
        assert_eq!(self.session.save(), saved);
    }
}

fn simulated(plan: &Plan, recording: &str, options: &Options) -> Vec<String> {
    let transcript = transcript::read(recording.as_bytes(), None).unwrap().transcripts.remove(0);
    notices(&traced(plan, &transcript, options))
}

fn traced(plan: &Plan, transcript: &Transcript, options: &Options) -> Trace {
    replay(plan, transcript, options, &mut FailingSummariser, &mut |_| {})
}

fn notices(trace: &Trace) -> Vec<String> {
    trace.notices().map(|(_, _, text)| text.to_owned()).collect()
}

const TELL: &str = "rule tell { do notify \"{host.load ?? \\\"?\\\"} {host.tier} {host.seats ?? \\\"?\\\"}\" }";

#[test]
fn a_value_stays_until_it_changes_and_a_cleared_fact_has_its_default_again() {
    let mut client = Client::new(TELL);
    let mut history = vec![user("go")];
    client.set("tier", "gold");
    client.request(&history);
    client.set("load", FactValue::Share(0.85));
    client.set("seats", 3);
    client.reply(&call("a"));
    history.extend([call("a"), result("a")]);
    client.request(&history);
    client.reply(&call("b"));
    client.clear("tier");
    client.clear("load");
    history.extend([call("b"), result("b")]);
    client.request(&history);
    assert_eq!(client.notices, ["? gold ?", "85% gold 3", "? free 3"]);
    // The next run too.
    let done = Arc::new(Message::text(Role::Assistant, "Done."));
    client.reply(&done);
    history.extend([done, user("and now?")]);
    client.request(&history);
    assert_eq!(client.notices.last().unwrap(), "? free 3");
    client.reply(&Arc::new(Message::text(Role::Assistant, "Done.")));
    assert_eq!(simulated(&client.plan, &client.recording, &Options::default()), client.notices);
}

#[test]
fn a_rule_in_each_phase_reads_the_value_of_its_moment_live_and_replayed() {
    let rules = "rule first { on request do notify \"before {host.seats ?? \\\"?\\\"}\" }\n\
                 rule then_told { on reply do notify \"after {host.seats ?? \\\"?\\\"}\" }\n\
                 rule end { on iteration_end do notify \"end {host.seats ?? \\\"?\\\"}\" }";
    let mut client = Client::new(rules);
    client.set("seats", 1);
    client.request(&[user("go")]);
    client.set("seats", 2);
    client.reply(&call("a"));
    client.session.add(&[result("a")], None);
    client.set("seats", 3);
    client.session.end_iteration();
    client.collect();
    client.set("seats", 4);
    client.request(&[user("go"), call("a"), result("a")]);
    client.set("seats", 5);
    client.reply(&Arc::new(Message::text(Role::Assistant, "Done.")));
    client.session.end_iteration();
    client.set("seats", 6);
    client.request(&[user("go"), call("a"), result("a"), Arc::new(Message::text(Role::Assistant, "Done.")), user("x")]);
    client.reply(&Arc::new(Message::text(Role::Assistant, "Done.")));
    let expected = ["before 1", "after 2", "end 3", "before 4", "after 5", "end 5", "before 6", "after 6"];
    assert_eq!(client.notices, expected);
    let mut replayed = simulated(&client.plan, &client.recording, &Options::default());
    // The recording ends, and with it its last iteration.
    assert_eq!(replayed.pop().unwrap(), "end 6");
    assert_eq!(replayed, client.notices);
}

#[test]
fn a_branch_has_the_current_values_and_a_restored_session_those_of_before() {
    let mut client = Client::new(TELL);
    client.set("seats", 1);
    client.request(&[user("go")]);
    client.reply(&call("a"));
    client.set("seats", 2);
    client.set("tier", "gold");
    client.restart();
    client.request(&[user("go"), call("a"), result("a")]);
    // A history that departs at the beginning.
    client.request(&[user("stop")]);
    client.restart();
    client.request(&[user("go"), call("a"), result("a")]);
    client.clear("seats");
    client.request(&[user("what?")]);
    assert_eq!(client.notices, ["? free 1", "? gold 2", "? gold 2", "? gold ?"]);
}

#[test]
fn guards_and_changes_follow_the_values() {
    let rules = "rule tier { when changed(host.tier) do notify \"tier {host.tier}\" }\n\
                 rule busy { when (host.load ?? 0%) >= 50% do notify \"busy {host.load}\" once per host.load }\n\
                 rule beta { when host.beta and host.tier in [gold, silver] do notify \"beta\" once until not host.beta }\n\
                 rule quota { when (host.quota ?? 1M tokens) < 10% do notify \"small\" once }\n\
                 rule slow { when known(host.wait) and host.wait > 90s and (host.spent ?? $0) < $2 do notify \"slow\" once }";
    let mut client = Client::new(rules);
    let mut history = vec![user("go")];
    let mut told = Vec::new();
    let steps: [&[(&str, FactValue)]; 7] = [
        &[],
        &[("tier", "gold".into()), ("load", FactValue::Share(0.6)), ("beta", true.into())],
        &[("load", FactValue::Share(0.55)), ("quota", FactValue::Tokens(20_000))],
        &[("load", FactValue::Share(0.7)), ("beta", false.into()), ("quota", FactValue::Tokens(19_999))],
        &[("beta", true.into()), ("wait", Duration::from_millis(90_500).into()), ("spent", FactValue::Dollars(2.0))],
        &[("spent", FactValue::Dollars(1.99)), ("tier", "gold".into())],
        &[("tier", "free".into())],
    ];
    for (at, values) in steps.into_iter().enumerate() {
        for (name, value) in values {
            client.set(name, value.clone());
        }
        client.request(&history);
        told.push(std::mem::take(&mut client.notices).join(", "));
        client.reply(&call(&at.to_string()));
        history.extend([call(&at.to_string()), result(&at.to_string())]);
    }
    let expected = ["tier free", "tier gold, busy 60%, beta", "", "busy 70%, small", "beta", "slow", "tier free"];
    assert_eq!(told, expected);
    let replayed = simulated(&client.plan, &client.recording, &Options::default());
    let all: Vec<&str> = expected.iter().flat_map(|step| step.split(", ")).filter(|text| !text.is_empty()).collect();
    assert_eq!(replayed, all);
}

#[test]
fn a_value_is_checked_against_its_declaration() {
    let plan = plan("rule r { do mask results }");
    let mut facts = plan.agent.host_defaults();
    let mut error = |name: &str, value: FactValue| match set_fact(&plan, &mut facts, name, Some(&value)) {
        Ok(()) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    };
    for (name, value, expected) in [
        ("laod", FactValue::Share(0.5), "the policy declares no fact `host.laod`; did you mean `host.load`?"),
        ("load", FactValue::Count(1), "`host.load` is declared as `share`; the value is a count"),
        ("quota", FactValue::Count(1), "`host.quota` is declared as `tokens`; the value is a count"),
        ("tier", true.into(), "`host.tier` is declared as `text`; the value is true or false"),
        ("load", FactValue::Share(f64::NAN), "the value of `host.load` is negative, infinite or has too many digits"),
        ("load", FactValue::Share(-0.1), "the value of `host.load` is negative, infinite or has too many digits"),
        ("seats", FactValue::Count(u64::MAX), "the value of `host.seats` is negative, infinite or has too many digits"),
        ("seats", FactValue::Count(i64::MAX.unsigned_abs()), "accepted"),
        ("load", FactValue::Share(f64::MIN_POSITIVE), "accepted"),
        ("load", FactValue::Share(1.5), "accepted"),
        ("wait", Duration::new(7_384, 5).into(), "accepted"),
        ("wait", Duration::MAX.into(), "accepted"),
        ("tier", "größer \"als\"\n".into(), "accepted"),
    ] {
        assert_eq!(error(name, value), expected, "{name}");
    }
    let none = laws::plan("edition 2026\npolicy p { rule r { do mask results } }\n");
    let found = set_fact(&none, &mut HostValues::default(), "x", None).unwrap_err();
    assert_eq!(found.to_string(), "the policy declares no fact `host.x`; it declares none");
    assert!(matches!(found, FactError::Undeclared { declared, .. } if declared.is_empty()));
}

#[test]
fn a_recording_contains_values_as_a_policy_writes_them() {
    let mut client = Client::new(TELL);
    client.set("load", FactValue::Share(0.125));
    client.set("tier", "a \"b\"");
    client.set("wait", Duration::from_millis(90_500));
    client.set("beta", true);
    client.request(&[user("go")]);
    client.clear("load");
    client.reply(&call("a"));
    let lines = client.recording.lines().filter(|line| line.contains("\"fact\""));
    let lines: Vec<serde_json::Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = [
        json!({ "fact": "load", "value": "12.5%", "moment": "after_iteration" }),
        json!({ "fact": "tier", "value": "a \"b\"", "moment": "after_iteration" }),
        json!({ "fact": "wait", "value": "1m30.5s", "moment": "after_iteration" }),
        json!({ "fact": "beta", "value": "true", "moment": "after_iteration" }),
        json!({ "fact": "load", "value": null, "moment": "during_call" }),
    ];
    assert_eq!(lines, expected);
    // It is written again as it was read.
    let read = transcript::read(client.recording.as_bytes(), None).unwrap().transcripts;
    assert_eq!(transcript::read(transcript::write(&read[0]).as_bytes(), None).unwrap().transcripts, read);
}

#[test]
fn recorded_values_of_other_types_and_other_facts_are_passed_over() {
    let recording = "{\"trimtab\":1}\n{\"fact\":\"load\",\"value\":\"a lot\"}\n{\"fact\":\"seats\",\"value\":4}\n\
                     {\"fact\":\"other\",\"value\":\"x\"}\n{\"fact\":\"tier\",\"value\":[1]}\n{\"fact\":7,\"value\":1}\n\
                     {\"role\":\"user\",\"content\":\"go\"}\n{\"role\":\"assistant\",\"content\":\"Done.\"}\n";
    let plan = plan(TELL);
    assert_eq!(simulated(&plan, recording, &Options::default()), ["? free 4"]);
    let read = transcript::read(recording.as_bytes(), None).unwrap().transcripts.remove(0);
    assert_eq!((read.events.len(), read.skipped["unknown event"]), (3, 2));
    assert!(
        matches!(&read.events[1].event, Reported::Fact { name, value: Some(value) } if name == "seats" && value == "4")
    );
    // A constant overrides what is recorded.
    let parsed = |name: &str, text: &str| (name.into(), plan.agent.fact(name).unwrap().parse(text).unwrap());
    let facts = [parsed("seats", "9"), parsed("tier", "gold"), parsed("load", "7.5%")].into_iter().collect();
    assert_eq!(simulated(&plan, recording, &Options { facts, ..Options::default() }), ["7.5% gold 9"]);
}

#[test]
fn a_fact_that_nobody_supplies_is_reported_for_the_rules_that_read_it() {
    let plan = plan(
        "rule busy { when (host.load ?? 0%) >= 50% do notify \"x\" } rule tier { when host.tier == \"x\" do notify \"y\" }",
    );
    let messages = vec![user("go"), Arc::new(Message::text(Role::Assistant, "Done."))];
    let trace = traced(&plan, &Transcript { messages, ..Transcript::default() }, &Options::default());
    let unknown: Vec<(usize, &str)> = trace.unknown.iter().map(|one| (one.rule, one.fact.as_str())).collect();
    assert_eq!(unknown, [(0, "host.load")]);
}

#[test]
fn a_damaged_saved_value_is_an_error() {
    let mut client = Client::new(TELL);
    client.set("seats", 3);
    client.request(&[user("go")]);
    let text = serde_json::to_string(&client.session.save()).unwrap();
    let saved = |text: String| serde_json::from_str::<SavedSession>(&text).unwrap();
    let wrong = saved(text.replace("[\"seats\",\"3\"]", "[\"seats\",\"many\"]"));
    assert_eq!(Session::restore(&client.plan, &wrong).unwrap_err(), RestoreError::Fact("host.seats".to_owned()));
    let wrong = saved(text.replace("\"seats\":\"3\"", "\"sets\":\"3\""));
    assert_eq!(Session::restore(&client.plan, &wrong).unwrap_err(), RestoreError::Fact("host.sets".to_owned()));
}

#[test]
fn the_public_session_takes_values_before_its_first_request_and_keeps_them() {
    let text = format!("edition 2026\n{AGENT}\npolicy p {{ {TELL} }}\n");
    let plan = trimtab::compile("p.trim", &text).plan(None).unwrap();
    let mut session = trimtab::Session::new(&plan, Host::new());
    session.set_fact("load", FactValue::Share(0.9)).unwrap();
    session.set_fact("seats", 2).unwrap();
    session.clear_fact("seats").unwrap();
    assert!(session.set_fact("lod", FactValue::Share(0.9)).is_err() && session.set_fact("load", "high").is_err());
    let body = r#"{"model": "m", "messages": [{"role": "user", "content": "go"}]}"#;
    let notice = |next: trimtab::Next| match next {
        trimtab::Next::Send(request) => request.firings[0].notice.clone().unwrap(),
        next => panic!("{next:?}"),
    };
    let next = session.before_request(Dialect::OpenAiChat, body, None).unwrap();
    assert_eq!(notice(next), "90% free ?");
    session.set_fact("tier", "gold").unwrap();
    let mut session = trimtab::Session::restore(&plan, Host::new(), &session.save().unwrap()).unwrap();
    session.set_fact("seats", 5).unwrap();
    let body = body.replace("go", "stay");
    let next = session.before_request(Dialect::OpenAiChat, &body, None).unwrap();
    assert_eq!(notice(next), "90% gold 5");
}

#[test]
fn a_plan_has_the_declared_facts_and_is_loaded_with_them() {
    let types = "fact a text fact b text default \"x \\\"y\\\" {z}\" fact c bool default true fact d share default 12.5% \
                 fact e tokens default 1.5k tokens fact f chars fact g duration default 1m30s fact h money default $1.50 \
                 fact i count default 3 fact j messages default 2 messages fact k results fact l calls fact m interactions \
                 fact n iterations fact o strategies default 1 strategy fact model text fact fact bool";
    let rules = "rule r { when (host.a ?? \"\") contains \"q\" or host.c and host.d in [10%, 20%] or known(host.k) and \
                 host.k < 3 and host.e >= 10% unless (host.f ?? 0 chars) > 5 chars or host.fact ?? false \
                 do emit seen [host.a, g: host.g] then notify \"{host.b} {host.h} {host.model ?? \"-\"} {host.l ?? \"-\"}\" \
                 once per host.i }
                 rule s { when changed(host.m, host.n, host.o) do notify \"x\" until host.j > 3 }";
    let plan = laws::plan(&format!("edition 2026\nagent {{ {types} }}\npolicy p {{ {rules} }}\n"));
    let json = plan.json();
    let loaded = Plan::from_json(&json.to_string()).unwrap();
    assert_eq!((loaded.json(), &loaded.hash), (json.clone(), &plan.hash));
    let facts = json["agent"]["facts"].as_array().unwrap();
    assert_eq!(facts.len(), 17);
    assert_eq!(facts[3], json!({ "name": "d", "type": "share", "default": "0.125" }));
    // What the plan does depends on the type and the default of a fact.
    let hash = |facts: &str| {
        laws::plan(&format!("edition 2026\nagent {{ {facts} }}\npolicy p {{ rule r {{ do mask results }} }}\n")).hash
    };
    assert_eq!(hash("fact a share fact b text"), hash("fact b text fact a share"));
    let all = ["fact a share", "fact a share default 1%", "fact a share default 2%", "fact a money", "window 5 tokens"];
    let hashes: std::collections::BTreeSet<String> = all.iter().map(|facts| hash(facts)).collect();
    assert_eq!(hashes.len(), all.len());
    // A fact that the text does not declare is not read.
    let mut wrong = json;
    wrong["agent"]["facts"].as_array_mut().unwrap().retain(|fact| fact["name"] != "k");
    let error = Plan::from_json(&wrong.to_string()).unwrap_err().to_string();
    assert!(error.contains("unknown fact `host.k`"), "{error}");
    wrong["agent"]["facts"] = json!([{ "name": "k", "type": "percent", "default": null }]);
    let error = Plan::from_json(&wrong.to_string()).unwrap_err().to_string();
    assert!(error.contains("agent.facts[0].type: unknown type"), "{error}");
}

#[test]
fn a_changed_declaration_is_a_difference_of_the_host() {
    let plan = |facts: &str| {
        let rule = "rule r { when (host.load ?? 0%) >= 80% do mask results }";
        laws::plan(&format!("edition 2026\nagent {{ fact load share {facts} }}\npolicy p {{ {rule} }}\n"))
    };
    let difference =
        trimtab::diff::compare(&plan("fact a text default \"x\""), &plan("fact a text default \"y\" fact b bool"));
    let host: Vec<String> = difference.host.iter().map(|(what, old, new)| format!("{what}: {old}; {new}")).collect();
    let expected = ["host.a: text default \"x\"; text default \"y\"", "host.b: not declared; bool"];
    assert_eq!(host, expected);
    assert!(!difference.is_none() && difference.rules.iter().all(|rule| rule.change.is_none()));
    assert!(trimtab::diff::compare(&plan(""), &plan("")).is_none());
}
