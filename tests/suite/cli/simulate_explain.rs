//! `trimtab simulate --explain`: all rules at one call, and one rule at every call.

use super::{Output, Run, folder};

const POLICY: &str = "edition 2026\npolicy p {\n  rule mask { when (budget.cost ?? $0) >= $0 do mask results keep 0 \
                      results at_least 5k tokens }\n  rule loud { when iteration > 0 do notify \"x\" once }\n  rule wide \
                      { when context.ratio > 90% or not iteration < 9 do notify \"x\" }\n}\n";

const RECORDING: &str = "{\"trimtab\":1,\"window\":9000}\n{\"role\":\"user\",\"content\":\"go\"}\n\
    {\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"bash\",\"arguments\":\"1\"}]}\n\
    {\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"id\":\"a\",\"content\":\"a long result that would be \
    masked if only it were so long that somebody gained by it, which it is not, however it goes on and on\"}]}\n\
    {\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"b\",\"name\":\"bash\",\"arguments\":\"2\"}]}\n\
    {\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"id\":\"b\",\"content\":\"b\"}]}\n\
    {\"role\":\"assistant\",\"content\":\"done\"}\n";

fn run(more: &[&str]) -> Output {
    let dir = folder(&[("p.trim", POLICY), ("tape.jsonl", RECORDING)]);
    Run::new(["simulate", "p.trim", "tape.jsonl"].iter().chain(more)).current_dir(dir.path()).output()
}

#[test]
fn one_rule_is_explained_at_every_call() {
    let out = run(&["--explain", "mask", "--width", "100"]).exits_with(0).out;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "tape.jsonl, rule mask at each of 3 calls");
    assert_eq!(lines[1], "  call  run  iteration  result  reason");
    assert_eq!(lines[2], "     0    0          0  idle    mask results: nothing to reduce before the kept tail");
    assert!(
        lines[3].starts_with("   1–2    0        1–2  idle    mask results: `at_least` is 5,000 tokens, but only "),
        "{out}"
    );
    assert_eq!(lines.len(), 4, "{out}");
    let out = run(&["--explain", "loud", "--width", "100"]).exits_with(0).out;
    assert!(out.contains("     0    0          0  not due  iteration > 0 iterations (0 iterations)\n"), "{out}");
    assert!(out.contains("     1    0          1  fired\n"), "{out}");
    assert!(out.contains("     2    0          2  blocked  once: it fired at iteration 1\n"), "{out}");
    let out = run(&["--explain", "wide", "--width", "200"]).exits_with(0).out;
    assert!(out.contains("of 9,000 tokens") || out.contains("threshold 8,100 tokens"), "{out}");
    assert!(out.contains("; not iteration < 9 iterations (0 … 2 iterations)\n"), "{out}");
}

#[test]
fn the_explanation_of_changed_names_the_values_that_differ() {
    let policy = "edition 2026 policy p { rule first { when changed() do notify \"x\" }
                  rule some { when changed(call.arguments, tools.used) and budget.calls >= 0 do notify \"x\" } }";
    let dir = folder(&[("p.trim", policy), ("tape.jsonl", RECORDING)]);
    let explain = |call: &str| {
        let args = ["simulate", "p.trim", "tape.jsonl", "--explain", call, "--width", "160"];
        Run::new(args).current_dir(dir.path()).output().exits_with(0).out
    };
    let first = explain("0");
    assert!(first.contains("changed()  (true: it has not fired)"), "{first}");
    let second = explain("1");
    assert!(second.contains("changed()  (false)"), "{second}");
    assert!(second.contains("(true: call.arguments was unknown, is \"1\"; tools.used was 0, is 1)"), "{second}");
    let third = explain("2");
    assert!(third.contains("(true: call.arguments was \"1\", is \"2\")"), "{third}");
}

#[test]
fn the_table_fits_a_narrow_terminal() {
    let out = run(&["--explain", "mask", "--width", "60"]).exits_with(0).out;
    assert!(out.lines().all(|line| line.chars().count() <= 60), "{out}");
}

#[test]
fn the_explanation_of_a_call_has_idle_reasons_and_defaults_as_written() {
    let out = run(&["--explain", "1", "--width", "100"]).exits_with(0).out;
    assert!(out.contains("✓ (budget.cost ?? $0) >= $0  (unknown, so $0)"), "{out}");
    assert!(out.contains("\n    mask results: `at_least` is 5,000 tokens, but only "), "{out}");
}

#[test]
fn the_json_output_contains_idle_reasons() {
    let json = run(&["--explain", "mask", "--format", "json"]).exits_with(0).json();
    let one = &json["transcripts"][0];
    assert_eq!(one["explained"].as_array().unwrap().len(), 3);
    assert_eq!((one["explained"][1]["call"].as_u64(), one["explained"][1]["result"].as_str()), (Some(1), Some("idle")));
    assert!(one["explained"][1]["why"][0].as_str().unwrap().contains("only "), "{json:#}");
    let idle = &one["rules"][0]["idle"];
    assert_eq!((idle[0]["reason"].as_str(), idle[0]["times"].as_u64()), (Some("nothing"), Some(1)));
    assert_eq!((idle[1]["reason"].as_str(), idle[1]["times"].as_u64()), (Some("at_least"), Some(2)));
    assert!(json["transcripts"][0]["rules"][1]["idle"].as_array().unwrap().is_empty());
    let plain = run(&["--format", "json"]).exits_with(0).json();
    assert!(plain["transcripts"][0].get("explained").is_none());
}

#[test]
fn a_rule_that_was_due_and_never_fired_is_named() {
    let out = run(&["--width", "200"]).exits_with(0).out;
    assert!(out.contains("`mask` was due 3 times and never fired: mask results: nothing left to do before the kept tail (once); mask results: `at_least` is 5,000 tokens, but only "), "{out}");
}

#[test]
fn explain_rejects_unknown_calls_and_rules() {
    let output = run(&["--explain", "msk"]).exits_with(2);
    assert!(output.err.contains("`p` has no rule `msk`; did you mean `mask`?"), "{}", output.err);
    let output = run(&["--explain", "3"]).exits_with(2);
    assert!(output.err.contains("tape.jsonl has calls 0 to 2"), "{}", output.err);
    run(&["--explain", "1x"]).exits_with(2);
}
