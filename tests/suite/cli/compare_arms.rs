//! `trimtab compare-arms`, and `run --split`, which makes what it compares.

use super::{Run, folder};

/// An experiment with this many units in each arm, in which a call of the second arm has half the tokens.
fn experiment(units: usize) -> tempfile::TempDir {
    let arm = |name: &str| format!("[[arms]]\nname = \"{name}\"\nweight = 1\nplan = \"p\"\n");
    let mut files = vec![(
        "runs/experiment.toml".to_owned(),
        format!("seed = \"s\"\n{}{}{}", arm("none"), arm("tidy"), arm("unused")),
    )];
    for (arm, tokens) in [("none", 2_000), ("tidy", 1_000)] {
        for unit in 0..units {
            let recording = format!(
                "{{\"trimtab\":1,\"model\":\"claude-sonnet-4-5\"}}\n{{\"role\":\"user\",\"content\":\"Go.\"}}\n\
                 {{\"role\":\"assistant\",\"content\":\"Done.\",\"at\":\"2026-11-01T10:00:00Z\",\
                 \"usage\":{{\"input\":{},\"output\":10}}}}\n",
                tokens + 7 * unit
            );
            // A branch of the conversation that repeats its call.
            files.push((format!("runs/{arm}/u{unit}/a.jsonl"), recording.clone()));
            files.push((format!("runs/{arm}/u{unit}/a-1.jsonl"), recording));
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    folder(&files)
}

fn compare(units: usize, more: &str) -> super::Output {
    let folder = experiment(units);
    let more = more.split(' ').filter(|word| !word.is_empty());
    Run::new(["compare-arms", "runs"].into_iter().chain(more)).current_dir(folder.path()).output()
}

#[test]
fn compare_arms_counts_each_call_of_a_unit_once() {
    let json = compare(12, "--format json").exits_with(0).json();
    assert_eq!(json["arms"][1], serde_json::json!({ "name": "tidy", "units": 12 }));
    let of =
        |name: &str| json["measures"].as_array().unwrap().iter().find(|one| one["measure"] == name).unwrap().clone();
    let tokens = of("tokens");
    assert_eq!([&tokens["baseline_mean"], &tokens["mean"]], [2048.5, 1048.5]);
    assert_eq!([&tokens["arm"], &tokens["result"]], ["tidy", "less"]);
    assert_eq!(of("model_calls")["mean"], 1.0);
    assert_eq!(of("cost")["result"], "less");
    assert_eq!(of("model_calls")["result"], "alike");
    assert!(json["measures"].as_array().unwrap().iter().all(|one| one["measure"] != "outcome"), "{json}");
}

#[test]
fn compare_arms_waits_for_ten_units_and_says_how_many_are_needed() {
    let human = compare(9, "").exits_with(0).out;
    assert!(human.contains("there is no interval before each arm has 10 units"), "{human}");
    let json = compare(9, "--format json").exits_with(0).json();
    assert!(json["measures"][0]["low"].is_null(), "{json}");
}

#[test]
fn compare_arms_reads_outcomes_and_rejects_what_is_none() {
    let folder = experiment(12);
    let units: Vec<String> = (0..12).map(|unit| format!("\"u{unit}\": {}", unit % 2)).collect();
    std::fs::write(folder.path().join("o.json"), format!("{{{}}}", units.join(","))).unwrap();
    std::fs::write(folder.path().join("bad.json"), "[1]").unwrap();
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let of_outcomes = Run::line("compare-arms runs --outcomes o.json --measure outcome");
    let human = of_outcomes.current_dir(folder.path()).output().exits_with(0).out;
    assert!(human.contains("outcome: it is open whether tidy and none differ, 0.5 instead of 0.5"), "{human}");
    for (line, message) in [
        ("compare-arms runs --outcomes bad.json", "expected a JSON object with a number for each unit"),
        ("compare-arms runs/none", "no experiment is recorded here"),
        ("compare-arms runs runs", "unexpected argument"),
        ("compare-arms runs --margin 5", "expected a percentage up to 100%"),
    ] {
        let output = run(line).exits_with(2);
        assert!(output.err.contains(message), "{line}: {}", output.err);
    }
}

#[test]
fn a_split_needs_weights_policies_and_a_folder() {
    let policy = "edition 2026\npolicy p {}\n";
    let folder = folder(&[("p.trim", policy), ("q.trim", policy), ("r.trim", "edition 2026\npolicy r {}\n")]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).home(folder.path()).output();
    for (line, message) in [
        ("run --split 1 none p.trim --record d -- true", "expected at least two whole numbers"),
        ("run --split 1:0 none p.trim --record d -- true", "expected at least two whole numbers"),
        ("run --split 1:1 none p.trim -- true", "--record"),
        ("run --split 1:1 p.trim --record d -- true", "--split has 2 weights, and there is 1 policy"),
        ("run --split 1:1 p.trim q.trim --record d -- true", "two policies are called `p`"),
        ("run --split 1:1 none p.trim --mode observe --record d -- true", "leave out --mode observe"),
        ("run none p.trim --record d -- true", "several policies need --split"),
    ] {
        let output = run(line).exits_with(2);
        assert!(output.err.contains(message), "{line}: {}", output.err);
    }
    for _ in 0..2 {
        let output = run("run --split 1:1 none p.trim --record d -- true").exits_with(2);
        assert!(output.err.contains("the experiment did not take place"), "{}", output.err);
    }
    let other = run("run --split 1:1 none r.trim --record d -- true").exits_with(2);
    assert!(other.err.contains("the directory has another experiment, with the arms none (1), p (1)"), "{}", other.err);
}
