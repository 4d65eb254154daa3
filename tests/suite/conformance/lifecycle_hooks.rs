//! Lifecycle hooks and compaction misses: the cases of the third system, as its document defines them. Where its code does
//! something else, the test's comment says so.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use trimtab::conversation::Message;
use trimtab::effect::Signal;
use trimtab::hook::{self, HostEvent};
use trimtab::report::event_json;
use trimtab::run::{Next, Session};
use trimtab::simulate::{FailingSummariser, Options, ReplayInputs, Trace, replay};
use trimtab::transcript::{self, EventMoment, RecordedEvent, Transcript};

use super::{assistant, call, calls, ok, plan, system, user};

/// The events of a replay, without those of other names if names are given.
fn events(policy: &str, transcript: &Transcript, names: &[&str]) -> Vec<Json> {
    let trace = traced(policy, transcript);
    let all = trace.events.iter().map(|traced| event_json("t", traced));
    all.filter(|event| names.is_empty() || names.contains(&event["event"].as_str().unwrap())).collect()
}

fn traced(policy: &str, transcript: &Transcript) -> Trace {
    let plan = plan("p.trim", &format!("edition 2026\npolicy p {{ {policy} }}\n"));
    let options = Options { events: true, ..Options::default() };
    let trace = replay(&plan, transcript, &options, &mut FailingSummariser, &mut |_| ());
    assert!(trace.invariants.broken.is_empty(), "{:?}", trace.invariants.broken);
    trace
}

fn recording(messages: impl IntoIterator<Item = Message>) -> Transcript {
    let messages = messages.into_iter().map(Arc::new).collect();
    Transcript { window: Some(128_000), messages, ..Transcript::default() }
}

/// A call of read and its long result.
fn read(id: &str, path: &str) -> [Message; 2] {
    [call(id, "read", &json!({ "path": path }).to_string()), ok(id, &format!("the content of {path}, ").repeat(20))]
}

const NOTHING: &str = "rule r { when iteration > 99 do notify \"x\" }";
const MASK: &str = "rule mask { do mask results keep 0 results preview 0 chars }";

/// A file is read, another one, and the first one again.
fn read_again() -> Transcript {
    let messages = [vec![user("go")], read("a", "x").to_vec(), read("b", "y").to_vec(), read("c", "x").to_vec()];
    recording(messages.concat())
}

/// Start and end of an iteration: the code counts iterations from 1, calls of tools over all iterations, and never
/// says running.
#[test]
fn each_iteration_has_a_start_and_an_end_with_its_own_counts() {
    let both = calls(&[("a", "read", "{}"), ("b", "read", "{\"n\":1}"), ("c", "ls", "{}")]);
    let results = ["a", "b", "c"].map(|id| ok(id, "done"));
    let messages = [vec![user("Fix it."), both], results.to_vec(), vec![assistant("Fixed.")]].concat();
    let found = events(NOTHING, &recording(messages), &["iteration_start", "iteration_end"]);
    let common =
        |call: u64, iteration: u64| json!({ "transcript": "t", "call": call, "run": 0, "iteration": iteration });
    let with = |mut common: Json, own: Json| {
        common.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        common
    };
    let start = json!({ "event": "iteration_start", "goal": "Fix it.", "max_iterations": null });
    let running = json!({
        "event": "iteration_end", "status": "running", "tool_call_counts": { "ls": 1, "read": 2 },
        "task_completed": false, "output": "",
    });
    let success = json!({
        "event": "iteration_end", "status": "success", "tool_call_counts": {}, "task_completed": true, "output": "Fixed.",
    });
    let expected = [
        with(common(0, 0), start.clone()),
        with(common(0, 0), running),
        with(common(1, 1), start),
        with(common(1, 1), success),
    ];
    assert_eq!(found, expected);
}

/// The code does not report the end of an iteration that fails.
#[test]
fn an_iteration_in_which_the_run_is_stopped_ends_with_a_failure() {
    let stop = "rule s { when iteration == 1 do stop \"enough\" }";
    let messages =
        [vec![user("go")], read("a", "x").to_vec(), read("b", "y").to_vec(), vec![assistant("Done.")]].concat();
    let found = events(stop, &recording(messages), &["iteration_start", "iteration_end"]);
    let seen: Vec<(&str, u64, &str)> = found
        .iter()
        .map(|one| {
            let status = one.get("status").map_or("", |status| status.as_str().unwrap());
            (one["event"].as_str().unwrap(), one["iteration"].as_u64().unwrap(), status)
        })
        .collect();
    let expected = [
        ("iteration_start", 0, ""),
        ("iteration_end", 0, "running"),
        ("iteration_start", 1, ""),
        ("iteration_end", 1, "failure"),
    ];
    assert_eq!(seen, expected);
}

/// A model call that fails: the code ends the iteration with a failure, whether or not the call is made again.
#[test]
fn a_model_call_that_is_made_again_belongs_to_the_same_iteration() {
    let mut session = session(NOTHING);
    session.observe();
    let history = [Arc::new(user("go"))];
    assert_eq!(session.before_request(&history, None), Next::Send);
    session.end_iteration();
    assert_eq!(session.before_request(&history, None), Next::Send);
    session.after_reply(&Arc::new(assistant("Done.")), None, None);
    session.end_iteration();
    let events = session.take_events();
    let names: Vec<&str> = events.iter().map(hook::Event::name).collect();
    assert_eq!(names, ["iteration_start", "context_budget", "iteration_end"]);
    assert!(matches!(&events[2], hook::Event::IterationEnd(end) if end.status == hook::Status::Success));
}

/// The context budget: the code reports it after the reply, with only the tokens of the prompt.
#[test]
fn the_context_budget_comes_before_each_request_with_the_parts_of_its_context() {
    let messages =
        [vec![system("You are a careful agent."), user("go")], read("a", "x").to_vec(), vec![assistant("Done.")]];
    let found = events(NOTHING, &recording(messages.concat()), &[]);
    let order: Vec<&str> = found.iter().map(|one| one["event"].as_str().unwrap()).collect();
    let each = ["iteration_start", "context_budget", "iteration_end"];
    assert_eq!(order, [each, each].concat());
    for budget in [&found[1], &found[4]] {
        let tokens = |key: &str| budget[key].as_u64().unwrap();
        assert!(tokens("persona_tokens") > 0 && tokens("history_tokens") > 0);
        let sum = tokens("persona_tokens") + tokens("tool_schema_tokens") + tokens("history_tokens");
        assert_eq!(
            (tokens("total_tokens"), &budget["window"], &budget["over_budget"]),
            (sum, &json!(128_000), &json!(false))
        );
        let sum = f64::from(u32::try_from(sum).unwrap());
        assert_eq!(budget["utilisation"].as_f64(), Some(sum / 128_000.0));
    }
}

/// Compaction misses: the code looks for three equal outputs after a compression in the same iteration.
#[test]
fn an_identical_call_after_its_result_was_reduced_is_a_miss() {
    let found = events(MASK, &read_again(), &["compaction_miss"]);
    let original = "the content of x, ".len() * 20;
    let reduced = "[tool result for read: …]".chars().count();
    let miss = json!({
        "transcript": "t", "call": 2, "run": 0, "iteration": 2, "event": "compaction_miss",
        "tool": "read", "original_size": original, "compressed_size": reduced,
    });
    assert_eq!(found, [miss]);
    assert!(events(NOTHING, &read_again(), &["compaction_miss"]).is_empty(), "nothing was reduced");
}

/// A boundary selection of the third system is no miss; here a result is missed however it was cut.
#[test]
fn an_identical_call_after_the_middle_of_its_result_was_cut_is_a_miss() {
    let cut = "rule cut { do trim arrivals over 500 chars to 400 chars from middle placeholder \"[left out]\" }";
    let step = |id: &str| [call(id, "read", "{}"), ok(id, &"A line of the report.\n".repeat(100))];
    let messages = [vec![user("go")], step("a").to_vec(), step("b").to_vec(), vec![assistant("Done.")]];
    let found = events(cut, &recording(messages.concat()), &["compaction_miss"]);
    let sizes: Vec<_> = found.iter().map(|one| (&one["original_size"], &one["compressed_size"])).collect();
    assert_eq!(sizes, [(&json!(2200), &json!(400 + "[left out]".len()))]);
}

#[test]
fn a_call_whose_messages_were_dropped_is_a_miss_of_size_zero() {
    let policy = "rule s { when iteration == 2 do slide recent 1 messages medium 0 messages }";
    let plan = plan("p.trim", &format!("edition 2026\npolicy p {{ {policy} }}\n"));
    let options = Options { events: true, ..Options::default() };
    let mut short = trimtab::simulate::ConstantSummariser("short".to_owned());
    let trace = replay(&plan, &read_again(), &options, &mut short, &mut |_| ());
    assert_eq!(trace.summaries, 1);
    let misses = trace.events.iter().filter_map(|traced| match &traced.event {
        hook::Event::CompactionMiss(miss) => Some((miss.tool.as_str(), miss.compressed_size)),
        _ => None,
    });
    assert_eq!(misses.collect::<Vec<_>>(), [("read", 0)]);
}

/// The rules of the phase run once for each miss, in the order of the calls, and read the missed call.
#[test]
fn a_rule_on_a_miss_reads_the_missed_call_and_its_reduced_result() {
    let emit = "rule m { on compaction_miss do emit again [misses, missed.tool, call.arguments, result.text] }";
    let again = calls(&[("c", "read", "{\"path\":\"y\"}"), ("d", "ls", "{}"), ("e", "read", "{ \"path\" : \"x\" }")]);
    let messages = [vec![user("go")], read("a", "x").to_vec(), read("b", "y").to_vec(), vec![again]].concat();
    let found = events(&format!("{MASK} {emit}"), &recording(messages), &["emit", "compaction_miss"]);
    let order: Vec<&str> = found.iter().map(|one| one["event"].as_str().unwrap()).collect();
    assert_eq!(order, ["compaction_miss", "emit", "compaction_miss", "emit"]);
    let fields = |at: usize| found[at]["fields"].clone();
    let field = |misses: u64, arguments: &str| {
        let text = "[tool result for read: …]";
        json!({ "misses": misses, "missed.tool": "read", "call.arguments": arguments, "result.text": text })
    };
    assert_eq!(fields(1), field(1, "{\"path\":\"y\"}"));
    assert_eq!(fields(3), field(2, "{ \"path\" : \"x\" }"));
}

/// The boost of chunks: 2 after a miss, however often; 1 instead of 0 where there is none, so that a host can multiply.
#[test]
fn a_boost_holds_for_the_run_and_does_not_compound() {
    let policy = format!("{MASK} rule b {{ on compaction_miss do boost chunks by 2 }}");
    let again = [vec![user("go")], read("a", "x").to_vec(), read("b", "x").to_vec(), read("c", "x").to_vec()];
    let messages = [again.concat(), vec![assistant("Done."), user("next"), assistant("Yes.")]].concat();
    let trace = traced(&policy, &recording(messages.clone()));
    let boosts: Vec<_> = trace.signals.iter().map(|(call, given)| (*call, &given.signal)).collect();
    let boost = Signal::Boost { tool: "read".to_owned(), factor: 2 };
    assert_eq!(boosts, [(1, &boost)], "the second miss changes nothing");
    assert_eq!((trace.rules[1].due, trace.rules[1].fired), (2, 1));
    let mut session = session(&policy);
    for end in (1..=messages.len()).filter(|&end| messages.get(end).is_some_and(|next| next.calls().next().is_some())) {
        let history: Vec<_> = messages[..end].iter().cloned().map(Arc::new).collect();
        assert_eq!(session.before_request(&history, None), Next::Send);
        session.after_reply(&Arc::new(messages[end].clone()), None, None);
    }
    assert_eq!((session.boost("read"), session.boost("ls")), (2, 1));
    let rest: Vec<_> = messages[..9].iter().cloned().map(Arc::new).collect();
    session.before_request(&rest, None);
    assert_eq!(session.boost("read"), 1, "a run has begun");
}

fn session(policy: &str) -> Session {
    let plan = plan("p.trim", &format!("edition 2026\npolicy p {{ {policy} }}\n"));
    let inputs = ReplayInputs::of(&plan, &Transcript::default(), &Options::default());
    Session::new(Arc::new(plan), inputs.environment(), 0)
}

/// The texts of the results in each context that is sent.
fn contexts(policy: &str, transcript: &Transcript) -> Vec<Vec<bool>> {
    let plan = plan("p.trim", &format!("edition 2026\npolicy p {{ {policy} }}\n"));
    let mut sent = Vec::new();
    replay(&plan, transcript, &Options::default(), &mut FailingSummariser, &mut |one| {
        let results = one.conversation.entries().iter().flat_map(|entry| entry.message().results());
        sent.push(results.map(|result| result.text.starts_with("the content")).collect());
    });
    sent
}

#[test]
fn a_restored_result_stays_whole_for_the_run_or_for_some_iterations() {
    let tail = ["y", "z", "v", "w"].iter().enumerate().flat_map(|(at, path)| read(&format!("t{at}"), path));
    let transcript = recording(
        [vec![user("go")], read("a", "x").to_vec(), vec![call("b", "read", "{\"path\":\"x\"}")]]
            .concat()
            .into_iter()
            .chain([ok("b", "short")])
            .chain(tail),
    );
    // For each call, whether the first result is whole.
    let first = |policy: &str| contexts(policy, &transcript).iter().skip(1).map(|one| one[0]).collect::<Vec<_>>();
    let with = |restore: &str| format!("{MASK} rule r {{ on compaction_miss do {restore} }}");
    assert_eq!(first(MASK), [false; 5]);
    assert_eq!(first(&with("restore result")), [false, true, true, true, true]);
    assert_eq!(first(&with("restore result for 2 iterations")), [false, true, true, false, false]);
    // Two misses of one reply: the second finds the result whole.
    let twice = calls(&[("b", "read", "{\"path\":\"x\"}"), ("c", "read", "{\"path\":\"x\"}")]);
    let both = recording([vec![user("go")], read("a", "x").to_vec(), vec![twice]].concat());
    let trace = traced(&with("restore result"), &both);
    assert_eq!((trace.rules[1].due, trace.rules[1].fired, trace.rules[1].idle.len()), (2, 1, 1));
    assert_eq!(trace.rules[1].idle[0].reason, trimtab::effect::IdleReason::ResultWhole);
}

#[test]
fn a_removed_result_cannot_be_restored() {
    let policy = "rule s { when iteration == 2 do slide recent 1 messages medium 0 messages }
                  rule r { on compaction_miss do restore result }";
    let plan = plan("p.trim", &format!("edition 2026\npolicy p {{ {policy} }}\n"));
    let mut short = trimtab::simulate::ConstantSummariser("short".to_owned());
    let trace = replay(&plan, &read_again(), &Options::default(), &mut short, &mut |_| ());
    assert_eq!((trace.rules[1].due, trace.rules[1].fired), (1, 0));
    assert_eq!(trace.rules[1].idle[0].reason, trimtab::effect::IdleReason::ResultGone);
}

/// Reflection, tool validation, dry runs and the execution of plans: the code reports only the first.
#[test]
fn events_of_the_host_reach_the_rules_of_their_phase_live_and_in_a_replay_of_the_recording() {
    let phases = ["reflection", "tool_validation", "dry_run", "plan_execution"];
    let rules = phases.map(|phase| format!("rule {phase} {{ on {phase} do emit {phase}_seen [iteration] }}")).join(" ");
    let mut session = session(&rules);
    session.observe();
    let (ask, [first, result]) = (Arc::new(user("go")), read("a", "x").map(Arc::new));
    session.before_request(&[Arc::clone(&ask)], None);
    session.host_event(HostEvent::PlanExecution(hook::PlanExecution::default()));
    session.after_reply(&first, None, None);
    session.host_event(HostEvent::ToolValidation(hook::ToolValidation { tool: "read".into(), ..Default::default() }));
    session.add(&[Arc::clone(&result)], None);
    let thought = "It works.".to_owned();
    let reflection = hook::Reflection { iteration: 7, monologue: thought, should_proceed: true };
    session.host_event(HostEvent::Reflection(reflection));
    session.host_event(HostEvent::DryRun(hook::DryRun::default()));
    session.before_request(&[ask, first, result], None);
    session.after_reply(&Arc::new(assistant("Done.")), None, None);
    session.end_iteration();
    let live = session.take_events();
    let names: Vec<&str> = live.iter().map(hook::Event::name).collect();
    let expected = [
        "iteration_start",
        "context_budget",
        "plan_execution",
        "emit",
        "tool_validation",
        "emit",
        "iteration_end",
        "reflection",
        "emit",
        "dry_run",
        "emit",
        "iteration_start",
        "context_budget",
        "iteration_end",
    ];
    assert_eq!(names, expected);
    assert!(live.iter().any(|event| matches!(event, hook::Event::Reflection(one) if one.iteration == 0)));
    // The recording repeats them.
    let (_, text) = session.take_recording().unwrap();
    let transcripts = transcript::read(text.as_bytes(), None).unwrap().transcripts;
    let repeated = traced(&rules, &transcripts[0]);
    let repeated: Vec<hook::Event> = repeated.events.into_iter().map(|traced| traced.event).collect();
    assert_eq!(repeated, live);
    // So does a session that is restored.
    let restored = Session::restore(session.plan(), &session.save()).unwrap();
    assert_eq!(restored.save(), session.save());
}

#[test]
fn events_of_the_host_are_read_from_a_recording_and_written_to_it() {
    let event = HostEvent::DryRun(hook::DryRun { planned_steps: 2, ..hook::DryRun::default() });
    let before = RecordedEvent { messages: 0, moment: EventMoment::Any, event: event.into() };
    let event = HostEvent::ToolValidation(hook::ToolValidation { tool: "ls".into(), ..Default::default() });
    let after = RecordedEvent { messages: 2, moment: EventMoment::DuringCall, event: event.into() };
    let transcript = Transcript {
        format: "trimtab",
        events: vec![before, after],
        ..recording([user("go"), assistant("Hm."), assistant("Done.")])
    };
    let text = transcript::write(&transcript);
    assert_eq!(transcript::read(text.as_bytes(), None).unwrap().transcripts, [transcript]);
    let unknown = "{\"trimtab\":1}\n{\"event\":\"party\"}\n{\"role\":\"user\",\"content\":\"go\"}\n";
    let read = transcript::read(unknown.as_bytes(), None).unwrap().transcripts.remove(0);
    assert_eq!((read.events.len(), read.messages.len(), read.skipped["unknown event"]), (0, 1, 1));
}

/// A rule can emit events in every phase.
#[test]
fn a_rule_emits_events_with_the_values_of_facts_by_unit() {
    let fields = "[tokens: context.tokens, share: context.ratio, budget.cost, idle, call.name, n: repeats(in: run), \
                  known: has_tool(\"ls\")]";
    let policy = format!("rule e {{ on context_budget when iteration == 1 do emit size {fields} }}");
    let found = events(&policy, &read_again(), &["emit"]);
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["rule"], &found[0]["name"], &found[0]["call"]), (&json!("e"), &json!("size"), &json!(1)));
    let fields = &found[0]["fields"];
    assert!(fields["tokens"].is_u64() && fields["share"].as_f64().is_some_and(|share| share > 0.0 && share < 0.01));
    assert_eq!((&fields["budget.cost"], &fields["idle"]), (&Json::Null, &Json::Null));
    assert_eq!((&fields["call.name"], &fields["n"], &fields["known"]), (&json!("read"), &json!(1), &json!(false)));
}
