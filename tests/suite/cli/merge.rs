//! `trimtab merge`: results of parts of the recordings.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::{Output, Run, folder};

const POLICY: &str = "policies/coding_agent.trim";

/// The recordings of the formats, and a file that is none.
const ALL: &str = "tests/transcript/claude_code.jsonl tests/transcript/codex.jsonl tests/transcript/openhands.json \
                   tests/transcript/openai_chat.jsonl tests/transcript/pi.jsonl tests/transcript/tau2.json Cargo.toml \
                   policies/coding_agent.jsonl policies/support_desk.jsonl";

fn simulate(more: &str, files: &[&str], out: &Path) -> Output {
    let line = format!("simulate {more} --format json -o");
    let run = Run::line(&line).arg(out);
    files.iter().fold(run.arg("--").arg(POLICY), |run, file| run.arg(*file)).output()
}

fn merge(parts: &[&Path]) -> Run {
    parts.iter().fold(Run::new(["merge"]), |run, part| run.arg(*part))
}

#[test]
fn halves_and_single_files_merge_to_the_bytes_of_the_whole_run() {
    let folder = folder(&[]);
    let file = |name: &str| folder.path().join(name);
    let files: Vec<&str> = ALL.split_whitespace().collect();
    simulate("", &files, &file("whole.json")).exits_with(0);
    let whole = fs::read_to_string(file("whole.json")).unwrap();
    let (left, right) = files.split_at(4);
    simulate("--jobs 1", left, &file("left.json")).exits_with(0);
    simulate("--jobs 3", right, &file("right.json")).exits_with(0);
    assert_eq!(merge(&[&file("left.json"), &file("right.json")]).output().exits_with(0).out, whole);
    let singles: Vec<_> = (0..files.len()).map(|at| file(&format!("single{at}.json"))).collect();
    for (single, of) in singles.iter().zip(&files) {
        let output = simulate("", &[of], single);
        assert_eq!(output.code, if *of == "Cargo.toml" { 2 } else { 0 }, "{}", output.err);
    }
    let singles: Vec<&Path> = singles.iter().map(AsRef::as_ref).collect();
    assert_eq!(merge(&singles).output().exits_with(0).out, whole);
    let first = merge(&singles[..3]).arg("-o").arg(file("first.json")).output().exits_with(0);
    assert_eq!(first.out, "");
    let rest: Vec<&Path> = singles[3..].to_vec();
    let nested = file("first.json");
    assert_eq!(merge(&[vec![nested.as_path()], rest].concat()).output().exits_with(0).out, whole);
    let json: Json = serde_json::from_str(&whole).unwrap();
    assert_eq!(json["errors"][0]["file"], "Cargo.toml");
    assert!(json["total"]["tokens_saved"].as_i64().unwrap() > 0, "{:#}", json["total"]);
}

#[test]
fn results_of_several_policies_merge() {
    let folder = folder(&[]);
    let run = |files: &[&str], name: &str| {
        let line = format!("simulate --format json --policies {POLICY} policies/support_desk.trim --");
        let output = files.iter().fold(Run::line(&line), |run, file| run.arg(*file)).output().exits_with(0);
        fs::write(folder.path().join(name), &output.out).unwrap();
        output.out
    };
    let whole = run(&["policies/coding_agent.jsonl", "policies/support_desk.jsonl"], "whole.json");
    run(&["policies/coding_agent.jsonl"], "a.json");
    run(&["policies/support_desk.jsonl"], "b.json");
    let file = |name: &str| folder.path().join(name);
    assert_eq!(merge(&[&file("a.json"), &file("b.json")]).output().exits_with(0).out, whole);
    simulate("", &["policies/budget.jsonl"], &file("one.json")).exits_with(0);
    let output = merge(&[&file("a.json"), &file("one.json")]).output().exits_with(2);
    assert!(output.err.contains("different numbers of policies"), "{}", output.err);
}

#[test]
fn results_that_do_not_belong_together_are_an_error() {
    let folder = folder(&[("other.json", "{\"schema_version\":1,\"diagnostics\":[]}"), ("none.json", "no")]);
    let file = |name: &str| folder.path().join(name);
    let recordings = ["policies/coding_agent.jsonl", "policies/support_desk.jsonl"];
    simulate("", &recordings[..1], &file("a.json")).exits_with(0);
    let with_a = |name: &str| merge(&[&file("a.json"), &file(name)]).output().exits_with(2).err;
    let after = |more: &str, name: &str| {
        simulate(more, &recordings[1..], &file(name)).exits_with(0);
        with_a(name)
    };
    let err = after("--window 50k", "window.json");
    assert!(err.contains("the option `window` is null in the first and 50000 in the second"), "{err}");
    let err = after("--summariser fixed:x", "summariser.json");
    assert!(err.contains("the option `summariser`"), "{err}");
    let line = format!("simulate policies/support_desk.trim {} --format json", recordings[1]);
    fs::write(file("policy.json"), Run::line(&line).output().exits_with(0).out).unwrap();
    assert!(with_a("policy.json").contains("the name of the policy is \"coding_agent\" in the first"));
    let newer = fs::read_to_string(file("window.json")).unwrap().replace("\"window\": 50000,", "\"window\": null,");
    let newer = newer.replace(&format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION")), "\"version\": \"99.0.0\"");
    fs::write(file("newer.json"), newer).unwrap();
    let err = with_a("newer.json");
    assert!(err.contains("the version of trimtab is") && err.contains("99.0.0 in the second"), "{err}");
    assert!(with_a("a2.json").contains("a2.json"), "a missing file");
    fs::copy(file("a.json"), file("copy.json")).unwrap();
    let err = with_a("copy.json");
    assert!(err.contains("have the same transcript: policies/coding_agent.jsonl"), "{err}");
    simulate("--top 1", &recordings, &file("top.json")).exits_with(0);
    let err = merge(&[&file("top.json")]).output().exits_with(2).err;
    assert!(err.contains("lists 1 of 2 transcripts") && err.contains("without --top"), "{err}");
    for name in ["other.json", "none.json"] {
        let err = with_a(name);
        assert!(err.contains(name) && err.contains("is not a result of `trimtab simulate --format json`"), "{err}");
    }
}

#[test]
fn failed_assertions_of_a_part_are_findings_of_the_result() {
    let folder = folder(&[]);
    let out = folder.path().join("a.json");
    let run = |most: &str| {
        let run = Run::line("simulate policies/coding_agent.trim policies/coding_agent.jsonl --format json -o");
        run.arg(&out).arg("--assert").arg(format!("peak context.tokens <= {most}")).output()
    };
    run("1 tokens").exits_with(1);
    merge(&[&out]).output().exits_with(1);
    run("900k tokens").exits_with(0);
    merge(&[&out]).output().exits_with(0);
}

#[test]
fn an_order_does_not_depend_on_the_order_of_the_parts() {
    let folder = folder(&[]);
    let file = |name: &str| folder.path().join(name);
    let recordings = ["policies/support_desk.jsonl", "policies/budget.jsonl", "policies/coding_agent.jsonl"];
    for (name, recording) in ["a.json", "b.json", "c.json"].iter().zip(recordings) {
        simulate("", &[recording], &file(name)).exits_with(0);
    }
    simulate("--sort name", &recordings, &file("whole")).exits_with(0);
    let whole = fs::read_to_string(file("whole")).unwrap();
    let sorted = |order: [&str; 3]| {
        let parts = order.map(file);
        let parts: Vec<&Path> = parts.iter().map(AsRef::as_ref).collect();
        merge(&parts).arg("--sort").arg("name").output().exits_with(0).out
    };
    assert_eq!(sorted(["a.json", "b.json", "c.json"]), whole);
    assert_eq!(sorted(["c.json", "a.json", "b.json"]), whole);
    let folder = Run::new(["merge"]).arg(folder.path()).arg("--sort").arg("name").output().exits_with(0).out;
    assert_eq!(folder, whole, "a directory means its .json files");
}

#[test]
fn standard_input_can_be_a_part() {
    let line = format!("simulate {POLICY} policies/budget.jsonl --format json");
    let text = Run::line(&line).output().exits_with(0).out;
    assert_eq!(Run::line("merge -").input(text.clone()).output().exits_with(0).out, text);
}
