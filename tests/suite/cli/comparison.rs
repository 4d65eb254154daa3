//! `trimtab simulate`: tables for machines and people, orders, several policies in columns, and where output goes.

use serde_json::Value as Json;

use super::{Done, Run, folder};

const POLICIES: &str = "policies/coding_agent.trim policies/research_assistant.trim policies/stuck_agent.trim";
const RECORDINGS: &str = "policies docs/incidents";

fn compared(more: &str) -> Done {
    Run::line(&format!("simulate --policies {POLICIES} {more} -- {RECORDINGS}")).done().ends(0)
}

fn simulated(more: &str) -> Done {
    Run::line(&format!("simulate policies/coding_agent.trim {RECORDINGS} {more}")).done().ends(0)
}

/// The cells of CSV without quotes.
fn cells(out: &str) -> Vec<Vec<&str>> {
    out.split_terminator("\r\n").map(|line| line.split(',').collect()).collect()
}

#[test]
fn csv_has_a_line_for_each_transcript_with_the_figures_of_the_json_form() {
    let (out, json) = (simulated("--format csv").out, simulated("--format json").json());
    let (lines, transcripts) = (cells(&out), json["transcripts"].as_array().unwrap());
    assert_eq!(lines.len(), transcripts.len() + 1, "{out}");
    for (line, transcript) in lines[1..].iter().zip(transcripts) {
        let cell = |name: &str| line[lines[0].iter().position(|head| *head == name).unwrap()];
        for (name, value) in [
            ("transcript", &transcript["id"]),
            ("calls", &transcript["calls"]),
            ("peak_tokens_before", &transcript["before"]["peak_tokens"]),
            ("mean_tokens_after", &transcript["after"]["mean_tokens"]),
            ("tokens_saved", &transcript["tokens_saved"]),
            ("window", &transcript["window"]),
        ] {
            let value = if value.is_null() { String::new() } else { value.to_string().replace('"', "") };
            assert_eq!(cell(name), value, "{name}");
        }
    }
    assert_eq!(cells(&compared("--format csv").out).len(), 3 * transcripts.len() + 1);
}

#[test]
fn markdown_has_tables_of_figures_rules_and_transcripts() {
    let out = simulated("--format markdown").out;
    for text in [
        "### Simulation of `coding_agent`",
        "| peak tokens |",
        "| `mask_old_results` |",
        "| `policies/stuck_agent.jsonl` |",
    ] {
        assert!(out.contains(text), "{text}\n{out}");
    }
    let widths: Vec<usize> =
        out.lines().filter(|line| line.starts_with("| ")).map(|line| line.matches(" | ").count()).collect();
    assert!(widths.iter().all(|width| *width == 2 || *width == 4 || *width == 3), "{out}");
    let out = compared("--format markdown").out;
    assert!(out.contains("`coding_agent`, `research_assistant`, `stuck_agent`"), "{out}");
}

#[test]
fn several_policies_are_a_column_each() {
    let out = compared("").out;
    let head = out.lines().find(|line| line.contains("recorded")).unwrap();
    let columns: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(columns, ["recorded", "coding_agent", "research_assistant", "stuck_agent"]);
    let json = compared("--format json").json();
    let alone = simulated("--format json").json();
    let policies = json["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 3);
    assert_eq!(policies[0], alone);
    let lines = compared("--format jsonl").lines();
    let of: Vec<&Json> = lines.iter().map(|line| &line["policy"]).collect();
    assert_eq!(of.len(), 3 * alone["transcripts"].as_array().unwrap().len());
    assert_eq!((of[0], of[of.len() - 1]), (&Json::from("coding_agent"), &Json::from("stuck_agent")));
}

#[test]
fn policies_of_one_name_are_told_apart_by_their_files() {
    let text = "edition 2026\npolicy p { rule r { do notify \"x\" } }\n";
    let folder = folder(&[("a.trim", text), ("b.trim", text)]);
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/policies/stuck_agent.jsonl");
    let out =
        Run::new(["simulate", "--policies", "a.trim", "b.trim", "--", recording]).at(folder.path()).done().ends(0).out;
    assert!(out.contains("a.trim") && out.contains("b.trim"), "{out}");
}

#[test]
fn an_error_in_one_of_several_policies_ends_with_1() {
    let done =
        Run::line("simulate --policies policies/coding_agent.trim tests/check/five_mistakes.trim -- policies").done();
    let done = done.ends(1);
    assert!(done.out.is_empty() && done.err.contains("five_mistakes.trim:4:"), "{}", done.err);
    let done =
        Run::line("simulate --policies policies/coding_agent.trim policies/stuck_agent.trim --explain 3 -- policies");
    done.done().ends(2);
    Run::line("simulate policies/coding_agent.trim").done().ends(2);
}

#[test]
fn what_cannot_be_read_is_said_once() {
    let folder = folder(&[("bad.jsonl", "this is no recording\n")]);
    let bad = folder.path().join("bad.jsonl");
    let done = Run::line(&format!("simulate --policies {POLICIES} --format json -- policies")).arg(bad).done().ends(0);
    assert_eq!(done.err.matches("bad.jsonl").count(), 1, "{}", done.err);
    assert_eq!(done.json()["policies"][2]["errors"].as_array().unwrap().len(), 1);
}

#[test]
fn transcripts_are_sorted_by_the_key_that_is_asked_for() {
    let ids = |more: &str| -> Vec<(String, i64, u64)> {
        let json = simulated(&format!("--format json {more}")).json();
        let all = json["transcripts"].as_array().unwrap().iter();
        all.map(|one| {
            let id = one["id"].as_str().unwrap().to_owned();
            (id, one["tokens_saved"].as_i64().unwrap(), one["calls"].as_u64().unwrap())
        })
        .collect()
    };
    assert!(ids("--sort saved").windows(2).all(|two| two[0].1 >= two[1].1));
    assert!(ids("--sort calls").windows(2).all(|two| two[0].2 >= two[1].2));
    assert!(ids("--sort name").windows(2).all(|two| two[0].0 <= two[1].0));
    assert_eq!(ids("--sort input"), ids(""));
    let done = Run::line("simulate policies/coding_agent.trim policies --sort size").done().ends(2);
    assert!(done.err.contains("saved, peak, calls, name, input"), "{}", done.err);
}

#[test]
fn a_hyphen_is_standard_output() {
    let plain = simulated("");
    assert_eq!(simulated("-o -").out, plain.out);
    let lines = simulated("--contexts -").lines();
    assert!(lines.len() > 50 && lines.iter().all(|line| line["messages"].is_array()));
    assert_eq!(simulated("--contexts - --format jsonl").lines().len(), lines.len());
    let folder = folder(&[]);
    let report = folder.path().join("report");
    let done =
        Run::line(&format!("simulate policies/coding_agent.trim {RECORDINGS} --contexts - -o")).arg(&report).done();
    assert_eq!(done.ends(0).lines().len(), lines.len());
    assert_eq!(std::fs::read_to_string(report).unwrap(), plain.out);
    assert!(!std::path::Path::new("-").exists());
}

#[test]
fn columns_of_the_environment_are_obeyed_in_a_pipe() {
    let run = || Run::line("simulate policies/coding_agent.trim policies/coding_agent.jsonl");
    let narrow = run().env("COLUMNS", "60").done().ends(0).out;
    assert_eq!(narrow, run().arg("--width").arg("60").done().out);
    assert_ne!(narrow, run().done().out);
    assert_eq!(
        run().env("COLUMNS", "60").arg("--width").arg("90").done().out,
        run().arg("--width").arg("90").done().out
    );
    assert_eq!(run().env("COLUMNS", "no number").done().out, run().done().out);
}

#[test]
fn a_list_that_is_cut_says_how_many_more_there_are() {
    let text = "edition 2026\npolicy p { rule r { when context.messages > 3 do summarise all on_failure keep } }\n";
    let folder = folder(&[("p.trim", text)]);
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/policies/coding_agent.jsonl");
    let out = Run::new(["simulate", "p.trim", recording, "--summariser", "fail"]).at(folder.path()).done().ends(0).out;
    assert_eq!(out.matches("the summary of `r` failed").count(), 3, "{out}");
    assert!(out.contains("more failed summaries."), "{out}");
}
