//! `trimtab sweep`: the values of a policy's constants compared on recordings.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use trimtab::quantity::Decimal;
use trimtab::sweep::{Half, Split};

use super::{Output, Run, folder};

const POLICY: &str = "docs/tuning/tidy.trim";
const SESSIONS: &str = "docs/tuning/sessions";

fn sweep(policy: &Path, line: &str, vary: &[&str]) -> Run {
    let run = Run::new(["sweep"]).arg(policy).arg(SESSIONS);
    let run = line.split_whitespace().fold(run, Run::arg);
    vary.iter().fold(run, |run, vary| run.arg("--vary").arg(*vary))
}

fn on_sessions(line: &str, vary: &[&str]) -> Run {
    sweep(Path::new(POLICY), line, vary)
}

/// A copy of the policy in a folder, and its path.
fn copy(change: impl Fn(String) -> String) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = folder(&[("p.trim", &change(fs::read_to_string(POLICY).unwrap()))]);
    let path = folder.path().join("p.trim");
    (folder, path)
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn fails(output: Output, code: i32, reason: &str) {
    let output = output.exits_with(code);
    assert!(output.err.contains(reason), "expected {reason}:\n{}", output.err);
    assert_eq!(output.out, "");
}

#[test]
fn the_figures_are_those_of_a_simulation_of_each_combination() {
    let vary = ["high=40%,80%", "step=0 tokens,1k tokens"];
    // Some of these have usage and other windows.
    let more = ["policies/coding_agent.jsonl", "policies/cache_friendly.jsonl", "docs/costs/migration.jsonl"];
    let json = on_sessions(&format!("{} --format json", more.join(" ")), &vary).output().exits_with(0).json();
    let combinations = json["combinations"].as_array().unwrap();
    assert_eq!(combinations.len(), 5);
    let split = Split { held_out: Decimal::new(5, 1), seed: 0 };
    let mut costs = Vec::new();
    for combination in combinations {
        let (_folder, path) = copy(|text| {
            let [high, step] = ["high", "step"].map(|name| combination["settings"][name].as_str().unwrap());
            let text = text.replace("high = 50%", &format!("high = {high}"));
            text.replace("step = 200 tokens", &format!("step = {step}"))
        });
        let run = Run::new(["simulate", "--format", "json"]).arg(path).arg(SESSIONS);
        let simulation = more.iter().fold(run, |run, more| run.arg(*more)).output().exits_with(0).json();
        assert_eq!(simulation["policy"]["hash"], combination["hash"]);
        let transcripts = simulation["transcripts"].as_array().unwrap();
        for (half, name) in [(Half::Tuning, "tuning"), (Half::HeldOut, "held_out")] {
            let of_half = || transcripts.iter().filter(|one| split.half(one["id"].as_str().unwrap()) == half);
            let mean = |value: &dyn Fn(&Json) -> f64| of_half().map(value).sum::<f64>() / number(of_half().count());
            let means = &combination[name]["means"];
            let cost = mean(&|one| {
                let money = &one["money"];
                money["after"]["cost"].as_f64().unwrap() + money["summaries_cost"].as_f64().unwrap()
            });
            assert!((cost - means["cost"].as_f64().unwrap()).abs() < 1e-6, "{cost} {means}");
            let tokens = mean(&|one| one["after"]["tokens_sent"].as_f64().unwrap());
            assert!((tokens - means["tokens-sent"].as_f64().unwrap()).abs() < 1e-6, "{tokens} {means}");
            let peak = mean(&|one| one["after"]["peak_tokens"].as_f64().unwrap() / one["window"].as_f64().unwrap());
            assert!((peak - means["peak"].as_f64().unwrap()).abs() < 1e-6, "{peak} {means}");
            let lists =
                |one: &Json| ["repeated_calls", "quotes"].map(|key| one["regret"][key].as_array().unwrap().len());
            let regret = mean(&|one| number(lists(one).iter().sum()));
            assert!((regret - means["regret"].as_f64().unwrap()).abs() < 1e-6, "{regret} {means}");
            if half == Half::Tuning {
                costs.push(cost);
            }
        }
    }
    let best = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap();
    assert_eq!(json["winner"], best, "{costs:?}");
}

#[test]
fn the_output_does_not_depend_on_the_number_of_jobs() {
    for format in ["human", "json", "markdown", "html"] {
        let with = |jobs: &str| {
            let line = format!("--format {format} --jobs {jobs} --axes peak,regret,calls-above");
            let output = on_sessions(&line, &["high=40%..60% by 10%", "mask_old.keep=2,4"]).output().exits_with(0);
            (output.out, output.err)
        };
        assert_eq!(with("1"), with("3"), "{format}");
    }
}

#[test]
fn an_interrupted_sweep_continues_with_the_same_result() {
    let folder = folder(&[]);
    let state = folder.path().join("state.jsonl");
    let vary = ["high=40%,60%"];
    let run = || on_sessions("--format json --jobs 2 --resume", &[]).arg(&state).arg("--vary").arg(vary[0]);
    let whole = on_sessions("--format json", &vary).output().exits_with(0).out;
    assert_eq!(run().output().exits_with(0).out, whole);
    let complete = fs::read_to_string(&state).unwrap();
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(complete.lines().count(), 1 + 24 * 3);
    for share in [0, 1, 30, 500, 999] {
        fs::write(&state, complete.as_bytes().split_at(complete.len() * share / 1_000).0).unwrap();
        assert_eq!(run().output().exits_with(0).out, whole, "{share} of 1,000");
        assert_eq!(sorted(&fs::read_to_string(&state).unwrap()), sorted(&complete));
    }
    // Finished replays are not repeated: a changed outcome is in the result.
    let (first, rest) = complete.split_once('\n').unwrap();
    let line: Json = serde_json::from_str(rest.lines().next().unwrap()).unwrap();
    let mut changed = line.clone();
    changed["values"][0] = "1000".into();
    fs::write(&state, format!("{first}\n{changed}\n")).unwrap();
    assert_ne!(run().output().exits_with(0).out, whole);
}

#[test]
fn a_file_of_another_sweep_is_not_continued() {
    let folder = folder(&[("foreign.jsonl", "{\"role\":\"user\"}\n"), ("half.jsonl", "no header")]);
    let state = folder.path().join("state.jsonl");
    let resumed = |line: &str, vary: &str, state: &Path| on_sessions(line, &[vary]).arg("--resume").arg(state).output();
    resumed("", "high=40%", &state).exits_with(0);
    let before = fs::read_to_string(&state).unwrap();
    fails(resumed("", "high=45%", &state), 2, "the policy or its values differ; delete it to begin anew");
    fails(resumed("--window 8k", "high=40%", &state), 2, "the options differ");
    fails(resumed("policies/budget.jsonl", "high=40%", &state), 2, "the recordings differ");
    assert_eq!(fs::read_to_string(&state).unwrap(), before);
    for name in ["foreign.jsonl", "half.jsonl"] {
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        fails(resumed("", "high=40%", &path), 2, "is not a file of `trimtab sweep --resume`");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&state, before + "{}\n").unwrap();
    fails(resumed("", "high=40%", &state), 2, "state.jsonl:50: not an outcome of a sweep");
}

#[test]
fn parameters_that_cannot_be_varied_are_reported_with_a_way_out() {
    for (vary, reason) in [
        ("hihg=40%", "has no constant of this name; did you mean `high`?"),
        ("mask_old.kep=4", "did you mean `mask_old.keep`?"),
        ("high=40", "a range"),
    ] {
        let output = on_sessions("", &[vary]).output();
        assert!(output.code > 0 && output.out.is_empty(), "{vary}");
        if vary != "high=40" {
            fails(output, 2, reason);
        }
    }
    fails(on_sessions("", &["high=40%", "high=50%"]).output(), 2, "is varied twice");
    fails(on_sessions("", &["high=0.1%..99% by 0.1%", "step=1..900 by 1 tokens"]).output(), 2, "--samples");
    let yaml = sweep(Path::new("examples/08_effects.yaml"), "", &["x=1"]).output();
    fails(yaml, 2, "`trimtab import` converts a YAML policy");
    fails(on_sessions("--window 10k --model nothing", &["high=40%"]).output(), 2, "unknown model `nothing`");
}

#[test]
fn a_wrong_value_is_an_error_of_the_checker_and_is_reported_once() {
    let output = on_sessions("", &["high=40%,50", "mask_old.keep=2,4,6"]).output().exits_with(1);
    assert_eq!(output.out, "");
    assert!(output.err.contains("let high = 50"), "{}", output.err);
    assert!(output.err.contains("error: docs/tuning/tidy.trim has errors with `high=50`"), "{}", output.err);
    assert_eq!(output.err.matches("error[E301]").count(), 1, "{}", output.err);
}

#[test]
fn a_constant_of_a_used_file_is_not_varied() {
    let used = "edition 2026\nlet busy = 60%\n";
    let policy = "edition 2026\nuse \"limits.trim\"\n\
                  policy p { rule r { when context.ratio >= busy do mask results keep 4 results } }\n";
    let folder = folder(&[("limits.trim", used), ("p.trim", policy)]);
    let path = folder.path().join("p.trim");
    fails(sweep(&path, "", &["busy=50%"]).output(), 2, "limits.trim, which ");
    let json = sweep(&path, "--format json", &["r.keep=2"]).output().exits_with(0).json();
    assert_eq!(json["combinations"][0]["settings"]["r.keep"], "4 results");
    assert_eq!(json["combinations"][1]["settings"]["r.keep"], "2");
}

#[test]
fn constraints_exclude_combinations() {
    let vary = ["high=40%,95%"];
    let with = |line: &str, constraint: &str| on_sessions(line, &vary).arg("--subject-to").arg(constraint).output();
    let json = with("--format json --objective tokens-sent", "peak context.tokens <= 1 tokens").exits_with(1).json();
    assert_eq!((&json["winner"], &json["verdict"]), (&Json::Null, &Json::from("none-feasible")));
    assert_eq!(json["combinations"][1]["tuning"]["broken"][0], json["transcripts"]["tuning"]);
    let json = with("--format json --objective regret", "peak context.ratio <= 60%").json();
    let broken = |at: usize| json["combinations"][at]["tuning"]["broken"][0].as_u64().unwrap();
    assert!(broken(2) > broken(1), "{json:#}");
    for at in json["front"].as_array().unwrap() {
        assert_eq!(broken(usize::try_from(at.as_u64().unwrap()).unwrap()), 0);
    }
    fails(with("", "peak contxt.ratio <= 60%"), 2, "invalid --subject-to");
}

#[test]
fn a_verified_winner_is_written_and_the_rest_of_the_file_stays() {
    let (_folder, path) = copy(|text| text.replace("let high = 50%", "let high = 50% # the high watermark"));
    let before = fs::read_to_string(&path).unwrap();
    let output = sweep(&path, "--format json --write", &["step=200,1k"]).output().exits_with(0);
    assert_eq!(output.json()["verdict"], "holds");
    let after = fs::read_to_string(&path).unwrap();
    assert_eq!(after, before.replace("let step = 200 tokens", "let step = 1k tokens"));
    assert!(output.err.contains("-let step = 200 tokens\n+let step = 1k tokens"), "{}", output.err);
    Run::new(["fmt", "--check"]).arg(&path).output().exits_with(0);
    let again = sweep(&path, "--write", &["step=200,1k"]).output().exits_with(0);
    assert!(again.err.contains("it is the best as written"), "{}", again.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
}

#[test]
fn a_winner_that_was_not_verified_is_written_only_by_force() {
    let (_folder, path) = copy(|text| text);
    let before = fs::read_to_string(&path).unwrap();
    // One transcript in the held-out set is too little.
    let line = "--write --held-out 5% --objective tokens-sent";
    let refused = sweep(&path, line, &["high=40%"]).output().exits_with(1);
    assert!(refused.err.contains("was not verified; --force writes it"), "{}", refused.err);
    assert!(refused.out.contains("nothing can be concluded"), "{}", refused.out);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    sweep(&path, &format!("{line} --force"), &["high=40%"]).output().exits_with(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), before.replace("high = 50%", "high = 40%"));
    fails(on_sessions("--force", &["high=40%"]).output(), 2, "--write");
}

#[test]
fn samples_are_combinations_of_the_grid() {
    let vary = ["high=40%..90% by 10%", "mask_old.keep=1..6 by 1"];
    let settings = |line: &str| {
        let json = on_sessions(&format!("--format json {line}"), &vary).output().exits_with(0).json();
        let all = json["combinations"].as_array().unwrap().iter().map(|one| one["settings"].to_string());
        (json["possible_combinations"].clone(), all.skip(1).collect::<Vec<_>>())
    };
    let (possible, few) = settings("--samples 4 --seed 1");
    assert_eq!((possible, few.len()), (Json::from(36), 4));
    assert_eq!(settings("--samples 4 --seed 1").1, few);
    assert_ne!(settings("--samples 4 --seed 2").1, few);
}

#[test]
fn an_objective_that_is_unknown_is_an_error() {
    let recording = super::recording();
    let folder = folder(&[("a.jsonl", recording.as_str())]);
    let run = Run::new(["sweep", POLICY, "--vary", "high=40%"]).arg(folder.path());
    fails(
        run.output(),
        2,
        "--objective cost: the value is unknown in 1 transcript, which contains more than half of all tokens; set --model",
    );
}

#[test]
fn recordings_that_cannot_be_read_are_listed() {
    let folder = folder(&[("bad.jsonl", "no recording\n")]);
    let run = |line: &str| on_sessions(line, &["high=40%"]).arg(folder.path()).output();
    let output = run("--format json").exits_with(0);
    assert!(output.json()["errors"][0]["file"].as_str().unwrap().ends_with("bad.jsonl"));
    assert!(run("").exits_with(0).out.starts_with("24 of 25 recordings read.\n"));
    run("--strict").exits_with(2);
    let none = Run::new(["sweep", POLICY, "--vary", "high=40%", "--format", "json"]).arg(folder.path()).output();
    assert_eq!(none.json()["errors"].as_array().unwrap().len(), 1);
    assert!(none.exits_with(2).err.contains("1 of 1 recordings could not be replayed"));
}

#[test]
fn a_narrow_terminal_is_not_exceeded() {
    let out = on_sessions("--width 60", &["high=40%,60%", "mask_old.keep=2,4"]).output().exits_with(0).out;
    let wide: Vec<&str> = out.lines().filter(|line| line.chars().count() > 60).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}
