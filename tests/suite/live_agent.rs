//! The example agent runs live, and a simulation of its recording repeats what it did, also after a process was killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use trimtab::conversation::Message;
use trimtab::request::Request;
use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::{Dialect, transcript};

use self::agent::Agent;
use crate::cli::Run;
use crate::laws;

#[path = "../../examples/agent.rs"]
#[expect(dead_code, unreachable_pub, reason = "the program has a main function of its own")]
mod agent;

/// The directory of an agent that another process runs.
const DIRECTORY: &str = "TRIMTAB_TEST_AGENT";

fn plan() -> trimtab::Plan {
    trimtab::compile_file("examples/agent.trim").unwrap().plan(None).unwrap()
}

fn run(directory: &Path) -> Agent {
    let mut agent = Agent::start(&plan(), directory).unwrap();
    while agent.step().unwrap() {}
    agent
}

/// Texts, calls and results of messages.
pub(crate) fn content<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<String> {
    let text = |message: &Message| {
        let results: Vec<_> = message.results().map(|result| result.text.to_string()).collect();
        let calls: Vec<_> =
            message.calls().map(|(id, name, arguments)| format!("{id} {name} {}", arguments.text())).collect();
        format!("{:?} {} {results:?} {calls:?}", message.role, message.plain_text())
    };
    messages.map(text).collect()
}

#[test]
fn a_simulation_of_its_recording_repeats_what_the_agent_did() {
    let directory = tempfile::tempdir().unwrap();
    let agent = run(directory.path());
    let recording = fs::read(agent.recording()).unwrap();
    let recorded = transcript::read(&recording, None).unwrap().transcripts.remove(0);
    let mut sent = Vec::new();
    let plan = laws::plan(&fs::read_to_string("examples/agent.trim").unwrap());
    let trace = replay(&plan, &recorded, &Options::default(), &mut FailingSummariser, &mut |context| {
        sent.push(content(context.messages().iter().map(AsRef::as_ref)));
    });
    let live = agent.log().iter().map(|(_, json)| {
        let request = Request::read(Dialect::OpenAiChat, None, json).unwrap();
        content(request.history().iter().map(AsRef::as_ref))
    });
    assert_eq!(live.collect::<Vec<_>>(), sent);
    let mut fired: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in agent.log().iter().flat_map(|(rules, _)| rules) {
        *fired.entry(rule).or_default() += 1;
    }
    let simulated = trace.rules.iter().filter(|rule| rule.fired > 0).map(|rule| (rule.name.as_str(), rule.fired));
    assert_eq!(fired, simulated.collect());
    assert!(fired.len() >= 2 && trace.summaries > 0, "the policy has something to do: {fired:?}");
}

#[test]
fn a_simulation_of_its_recording_repeats_the_events_that_its_hook_has_logged() {
    let directory = tempfile::tempdir().unwrap();
    let agent = run(directory.path());
    let json = |text: String| -> Vec<serde_json::Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let logged = json(fs::read_to_string(agent.events()).unwrap());
    let events = directory.path().join("simulated");
    let run = Run::new(["simulate", "examples/agent.trim"]).arg(agent.recording()).arg("--events").arg(&events);
    run.output().exits_with(0);
    let mut simulated = json(fs::read_to_string(events).unwrap());
    for (event, logged) in simulated.iter_mut().zip(&logged) {
        // What the simulation adds: where and when it happened.
        let own = logged.as_object().unwrap();
        event.as_object_mut().unwrap().retain(|key, _| own.contains_key(key));
    }
    assert_eq!(simulated, logged);
    for name in ["iteration_start", "iteration_end", "context_budget", "compaction_miss", "emit"] {
        assert!(logged.iter().any(|event| event["event"] == name), "{name}");
    }
}

#[test]
fn the_report_of_a_live_session_does_not_doubt_its_window() {
    let directory = tempfile::tempdir().unwrap();
    let recording = run(directory.path()).recording();
    let report =
        Run::new(["simulate", "examples/agent.trim"]).arg(recording).arg("--width=200").output().exits_with(0).out;
    assert!(report.contains("This session ran under a policy."), "{report}");
    assert!(!report.contains("the window is wrong"), "{report}");
}

#[test]
fn an_agent_that_is_killed_continues_in_another_process_as_if_it_had_not_been() {
    let (whole, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let agent = run(whole.path());
    for _ in 0..3 {
        let arguments = ["--exact", "live_agent::an_agent_is_killed_after_some_steps", "--ignored"];
        let mut process = Command::new(std::env::current_exe().unwrap());
        let output = process.args(arguments).env(DIRECTORY, killed.path()).output().unwrap();
        assert!(!output.status.success(), "the process is killed");
    }
    let continued = run(killed.path());
    assert_eq!(fs::read(agent.recording()).unwrap(), fs::read(continued.recording()).unwrap());
    assert!(continued.log().len() < agent.log().len(), "the other processes have made some calls");
    let (_, request) = agent.log().last().unwrap();
    let (_, continued) = continued.log().last().unwrap();
    assert_eq!(request, continued);
}

#[test]
#[ignore = "the test above runs it in a process of its own"]
fn an_agent_is_killed_after_some_steps() {
    let directory = std::env::var(DIRECTORY).expect("the directory of an agent");
    let mut agent = Agent::start(&plan(), Path::new(&directory)).unwrap();
    for _ in 0..3 {
        agent.step().unwrap();
    }
    std::process::abort();
}
