//! `trimtab simulate --events`.

use std::fs;

use serde_json::Value as Json;

use super::{Run, folder, policy, recording};

const EMIT: &str = "on context_budget do emit size [tokens: context.tokens, budget.cost]";

/// The lines of `--events` of several recordings, with a number of threads.
fn events(threads: &str) -> String {
    let host = "{\"event\":\"plan_execution\",\"flow\":\"sequence\",\"step_count\":1,\"step_names\":[\"look\"]}\n";
    let recordings: Vec<String> = (0..9).map(|at| if at % 2 == 0 { recording() } else { recording() + host }).collect();
    let names: Vec<String> = (0..9).map(|at| format!("{at}.jsonl")).collect();
    let rule = policy(EMIT);
    let files: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(recordings.iter().map(String::as_str)).collect();
    let folder = folder(&[&[("p.trim", rule.as_str())], files.as_slice()].concat());
    let inside = |name: &str| folder.path().join(name);
    let run = names.iter().fold(Run::new(["simulate"]).arg(inside("p.trim")), |run, name| run.arg(inside(name)));
    run.arg("--events").arg(inside("events")).env("RAYON_NUM_THREADS", threads).output().exits_with(0);
    let text = fs::read_to_string(inside("events")).unwrap();
    text.replace(folder.path().to_str().unwrap(), "")
}

#[test]
fn events_are_the_same_for_any_number_of_threads_and_obey_the_schema() {
    let one = events("1");
    assert_eq!(one, events("4"));
    let schema = Run::line("schema events").output().exits_with(0).json();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let lines: Vec<Json> = one.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        let wrong: Vec<String> = schema.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{line:#}");
    }
    let count = |name: &str| lines.iter().filter(|line| line["event"] == name).count();
    assert_eq!((count("iteration_start"), count("context_budget"), count("emit")), (27, 27, 27));
    assert_eq!((count("iteration_end"), count("plan_execution")), (27, 4));
    let transcripts: Vec<&str> = lines.iter().map(|line| line["transcript"].as_str().unwrap()).collect();
    assert!(transcripts.is_sorted(), "in the order of the input");
}

#[test]
fn events_on_standard_output_replace_the_report() {
    let folder = folder(&[("p.trim", &policy(EMIT)), ("r.jsonl", &recording())]);
    let inside = |name: &str| folder.path().join(name);
    let run = Run::new(["simulate"]).arg(inside("p.trim")).arg(inside("r.jsonl")).arg("--events").arg("-");
    let lines = run.output().exits_with(0).lines();
    assert_eq!(lines[0]["event"], "iteration_start");
    assert!(lines.iter().all(|line| line["event"].is_string()));
}
