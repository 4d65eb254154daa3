//! The example agent runs live under policies with every effect, and simulations of its recordings repeat what it did, also
//! after its process was killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use trimtab::conversation::{Message, RECALL_TOOL};
use trimtab::effect::EFFECTS;
use trimtab::plan::Plan;
use trimtab::request::Request;
use trimtab::simulate::{FailingSummariser, Options, Trace, replay};
use trimtab::{Dialect, transcript};

use self::agent::Agent;
use crate::cli::Run;
use crate::laws;

#[path = "../../examples/agent.rs"]
#[expect(dead_code, unreachable_pub, reason = "the program has a main function of its own")]
mod agent;

/// The directory of an agent that another process runs, and its policy without the ending.
const DIRECTORY: &str = "TRIMTAB_TEST_AGENT";
const POLICY: &str = "TRIMTAB_TEST_POLICY";

/// The policies that the agent runs under, without the ending. The script of the model is beside each.
const POLICIES: [&str; 4] = ["examples/agent", "tests/agent/edits", "tests/agent/summaries", "tests/agent/views"];

fn start(policy: &str, directory: &Path) -> Agent {
    let plan = trimtab::compile_file(format!("{policy}.trim")).unwrap().plan(None).unwrap();
    Agent::start(&plan, &fs::read_to_string(format!("{policy}.script")).unwrap(), directory).unwrap()
}

fn run(policy: &str, directory: &Path) -> Agent {
    let mut agent = start(policy, directory);
    while agent.step().unwrap() {}
    agent
}

/// Texts, calls and results of messages.
pub(crate) fn content<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<String> {
    let text = |message: &Message| {
        let results: Vec<_> =
            message.results().map(|result| (result.id.to_string(), result.text.to_string(), result.is_error)).collect();
        let calls: Vec<_> =
            message.calls().map(|(id, name, arguments)| format!("{id} {name} {}", arguments.text())).collect();
        format!("{:?} {} {results:?} {calls:?}", message.role, message.plain_text())
    };
    messages.map(text).collect()
}

fn json_lines(path: &Path) -> Vec<Json> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The messages and the offered tools of a request.
type Sent = (Vec<String>, Vec<String>);

/// The requests that an agent has sent.
fn sent(agent: &Agent) -> Vec<Sent> {
    let sent = agent.sent().iter().map(|prepared| {
        let request = Request::read(Dialect::OpenAiChat, None, &prepared.json).unwrap();
        let tools = request.tools().iter().map(|tool| tool.name.to_string()).collect();
        (content(request.history().iter().map(AsRef::as_ref)), tools)
    });
    sent.collect()
}

/// A simulation of the recording of an agent: the requests that it sends, and the trace.
fn simulated(plan: &Plan, recording: &Path) -> (Vec<Sent>, Trace) {
    let recorded = transcript::read(&fs::read(recording).unwrap(), None).unwrap().transcripts;
    let [recorded] = <[_; 1]>::try_from(recorded).expect("one recording");
    let declared: Vec<String> = ["read", "search", "run", "write_note"].map(ToOwned::to_owned).to_vec();
    let declared = declared.into_iter().chain(plan.offloads().then(|| RECALL_TOOL.to_owned()));
    let declared: Vec<String> = declared.collect();
    let mut sent = Vec::new();
    let options = Options { events: true, ..Options::default() };
    let trace = replay(plan, &recorded, &options, &mut FailingSummariser, &mut |context| {
        let tools = declared.iter().filter(|tool| context.views.offers_tool(tool)).cloned().collect();
        sent.push((content(context.messages().iter().map(AsRef::as_ref)), tools));
    });
    (sent, trace)
}

/// How often each rule has fired and how many edits it has made.
type Fired = BTreeMap<String, (usize, usize)>;

fn fired(agent: &Agent) -> Fired {
    let mut fired = Fired::new();
    for firing in agent.firings() {
        let (times, edits) = fired.entry(firing.rule.clone()).or_default();
        (*times, *edits) = (*times + 1, *edits + firing.edits);
    }
    fired
}

#[test]
fn simulations_of_its_recordings_repeat_what_the_agent_did() {
    let mut effects = BTreeMap::new();
    for policy in POLICIES {
        let directory = tempfile::tempdir().unwrap();
        let agent = run(policy, directory.path());
        let plan = laws::plan(&fs::read_to_string(format!("{policy}.trim")).unwrap());
        let (simulated, trace) = simulated(&plan, &agent.path("session.jsonl"));
        for (call, (live, simulated)) in sent(&agent).iter().zip(&simulated).enumerate() {
            assert_eq!(live, simulated, "{policy}, call {call}");
        }
        assert_eq!(agent.sent().len(), simulated.len(), "{policy}");
        let of_rules = trace.rules.iter().filter(|rule| rule.fired > 0);
        let of_rules: Fired = of_rules.map(|rule| (rule.name.to_string(), (rule.fired, rule.edits))).collect();
        assert_eq!(fired(&agent), of_rules, "{policy}");
        let notices: Vec<_> = agent.firings().iter().filter_map(|firing| firing.notice.as_deref()).collect();
        assert_eq!(notices, trace.notices().map(|(_, _, text)| text).collect::<Vec<_>>());
        let events: Vec<Json> = trace.events.iter().map(|event| serde_json::to_value(&event.event).unwrap()).collect();
        let logged = json_lines(&agent.path("events.jsonl"));
        for (at, (live, simulated)) in logged.iter().zip(&events).enumerate() {
            assert_eq!(live, simulated, "{policy}, event {at}");
        }
        assert_eq!(logged.len(), events.len(), "{policy}");
        assert!(trace.invariants.broken.is_empty(), "{policy}: {:?}", trace.invariants.broken);
        if let Some(learned) = trace.learned {
            assert!(!learned.after.is_empty(), "{policy} learns something");
            assert_eq!(learned.after.write(), fs::read_to_string(agent.path("playbook.json")).unwrap(), "{policy}");
        }
        for rule in plan.rules.iter().filter(|rule| of_rules.contains_key(rule.name.as_str())) {
            if let [action] = rule.all_actions().collect::<Vec<_>>()[..] {
                *effects.entry(action.effect.name).or_insert(0) += of_rules[rule.name.as_str()].0;
            }
        }
        if policy.starts_with("tests") {
            let idle: Vec<_> = trace.rules.iter().filter(|rule| rule.fired == 0).map(|rule| &rule.name).collect();
            assert!(idle.is_empty(), "{policy} has rules that never fire: {idle:?}");
        }
    }
    for effect in EFFECTS {
        assert!(effects.contains_key(effect.name), "no rule of {POLICIES:?} with `{}` has fired", effect.name);
    }
}

#[test]
fn the_policies_of_the_agent_are_all_run() {
    let policies = fs::read_dir("tests/agent").unwrap().map(|entry| entry.unwrap().path());
    let mut policies: Vec<PathBuf> =
        policies.filter(|path| path.extension().is_some_and(|end| end == "trim")).collect();
    policies.sort();
    assert_eq!(
        policies,
        POLICIES[1..].iter().map(|policy| PathBuf::from(format!("{policy}.trim"))).collect::<Vec<_>>()
    );
}

#[test]
fn the_events_of_a_simulation_on_the_command_line_are_those_that_the_hook_has_logged() {
    let directory = tempfile::tempdir().unwrap();
    let agent = run("examples/agent", directory.path());
    let logged = json_lines(&agent.path("events.jsonl"));
    let events = directory.path().join("simulated");
    let run = Run::new(["simulate", "examples/agent.trim"]).arg(agent.path("session.jsonl"));
    run.arg("--events").arg(&events).output().exits_with(0);
    let mut simulated = json_lines(&events);
    for (event, logged) in simulated.iter_mut().zip(&logged) {
        // What the simulation adds: where and when it happened.
        let own = logged.as_object().unwrap();
        event.as_object_mut().unwrap().retain(|key, _| own.contains_key(key));
    }
    assert_eq!(simulated, logged);
    for name in ["iteration_start", "iteration_end", "context_budget", "compaction_miss", "tool_validation", "emit"] {
        assert!(logged.iter().any(|event| event["event"] == name), "{name}");
    }
}

#[test]
fn the_report_of_a_live_session_does_not_doubt_its_window() {
    let directory = tempfile::tempdir().unwrap();
    let recording = run("examples/agent", directory.path()).path("session.jsonl");
    let report =
        Run::new(["simulate", "examples/agent.trim"]).arg(recording).arg("--width=200").output().exits_with(0).out;
    assert!(report.contains("This session ran under a policy."), "{report}");
    assert!(!report.contains("the window is wrong"), "{report}");
}

#[test]
fn an_agent_that_is_killed_continues_in_another_process_as_if_it_had_not_been() {
    for policy in POLICIES {
        let (whole, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let agent = run(policy, whole.path());
        for _ in 0..3 {
            let arguments = ["--exact", "live_agent::an_agent_is_killed_after_some_steps", "--ignored"];
            let mut process = Command::new(std::env::current_exe().unwrap());
            let output = process.args(arguments).env(DIRECTORY, killed.path()).env(POLICY, policy).output().unwrap();
            assert!(!output.status.success(), "the process is killed");
        }
        let continued = run(policy, killed.path());
        assert!(continued.sent().len() < agent.sent().len(), "the other processes have made some calls");
        let made = agent.sent().len() - continued.sent().len();
        for (live, continued) in agent.sent()[made..].iter().zip(continued.sent()) {
            assert_eq!(live.json, continued.json, "{policy}");
        }
        for name in ["session.jsonl", "events.jsonl", "playbook.json"] {
            let [one, other] = [&agent, &continued].map(|agent| fs::read_to_string(agent.path(name)).unwrap());
            for (at, (one, other)) in one.lines().zip(other.lines()).enumerate() {
                assert_eq!(one, other, "{policy}, {name}, line {at}");
            }
            assert_eq!(one, other, "{policy}, {name}");
        }
    }
}

#[test]
#[ignore = "the test above runs it in a process of its own"]
fn an_agent_is_killed_after_some_steps() {
    let directory = std::env::var(DIRECTORY).expect("the directory of an agent");
    let mut agent = start(&std::env::var(POLICY).expect("a policy"), Path::new(&directory));
    for _ in 0..3 {
        agent.step().unwrap();
    }
    // What happened after the state was saved is lost.
    for name in ["session.jsonl", "events.jsonl"] {
        fs::write(agent.path(name), fs::read_to_string(agent.path(name)).unwrap() + "{\"lost\":true}\n").unwrap();
    }
    std::process::abort();
}
