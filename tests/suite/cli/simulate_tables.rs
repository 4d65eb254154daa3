//! `trimtab simulate`: CSV and Markdown tables, sorting, several policies in columns, and output files.

use serde_json::Value as Json;

use super::{Output, Run, folder};

const POLICIES: &str = "policies/coding_agent.trim policies/research_assistant.trim policies/stuck_agent.trim";
const RECORDINGS: &str = "policies docs/incidents";

fn compared(more: &str) -> Output {
    Run::line(&format!("simulate --policies {POLICIES} {more} -- {RECORDINGS}")).output().exits_with(0)
}

fn simulated(more: &str) -> Output {
    Run::line(&format!("simulate policies/coding_agent.trim {RECORDINGS} {more}")).output().exits_with(0)
}

/// The cells of CSV without quotes.
fn cells(out: &str) -> Vec<Vec<&str>> {
    out.split_terminator("\r\n").map(|line| line.split(',').collect()).collect()
}

#[test]
fn csv_has_one_line_per_transcript_with_the_values_of_the_json_output() {
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
fn markdown_has_tables_of_totals_rules_and_transcripts() {
    let out = simulated("--format markdown").out;
    for text in [
        "### Simulation of `coding_agent`",
        "| peak context |",
        "| `mask_old_results` |",
        "| `policies/stuck_agent.jsonl` |",
    ] {
        assert!(out.contains(text), "{text}\n{out}");
    }
    let widths: Vec<usize> =
        out.lines().filter(|line| line.starts_with("| ")).map(|line| line.matches(" | ").count()).collect();
    assert!(widths.iter().all(|width| *width == 2 || *width == 9 || *width == 3), "{out}");
    let out = compared("--format markdown").out;
    assert!(out.contains("`coding_agent`, `research_assistant`, `stuck_agent`"), "{out}");
}

#[test]
fn several_policies_have_one_column_each() {
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
fn policies_with_the_same_name_are_distinguished_by_file() {
    let text = "edition 2026\npolicy p { rule r { do notify \"x\" } }\n";
    let folder = folder(&[("a.trim", text), ("b.trim", text)]);
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/policies/stuck_agent.jsonl");
    let out = Run::new(["simulate", "--policies", "a.trim", "b.trim", "--", recording])
        .current_dir(folder.path())
        .output()
        .exits_with(0)
        .out;
    assert!(out.contains("a.trim") && out.contains("b.trim"), "{out}");
}

#[test]
fn an_error_in_one_of_several_policies_exits_with_1() {
    let output =
        Run::line("simulate --policies policies/coding_agent.trim tests/check/five_mistakes.trim -- policies").output();
    let output = output.exits_with(1);
    assert!(output.out.is_empty() && output.err.contains("five_mistakes.trim:4:"), "{}", output.err);
    let output =
        Run::line("simulate --policies policies/coding_agent.trim policies/stuck_agent.trim --explain 3 -- policies");
    output.output().exits_with(2);
    Run::line("simulate policies/coding_agent.trim").output().exits_with(2);
}

#[test]
fn an_unreadable_recording_is_reported_once() {
    let folder = folder(&[("bad.jsonl", "this is no recording\n")]);
    let bad = folder.path().join("bad.jsonl");
    let output =
        Run::line(&format!("simulate --policies {POLICIES} --format json -- policies")).arg(bad).output().exits_with(0);
    assert_eq!(output.err.matches("bad.jsonl").count(), 1, "{}", output.err);
    assert_eq!(output.json()["policies"][2]["errors"].as_array().unwrap().len(), 1);
}

#[test]
fn transcripts_are_sorted_by_the_requested_key() {
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
    let output = Run::line("simulate policies/coding_agent.trim policies --sort size").output().exits_with(2);
    assert!(output.err.contains("saved, peak, calls, name, input"), "{}", output.err);
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
    let output =
        Run::line(&format!("simulate policies/coding_agent.trim {RECORDINGS} --contexts - -o")).arg(&report).output();
    assert_eq!(output.exits_with(0).lines().len(), lines.len());
    assert_eq!(std::fs::read_to_string(report).unwrap(), plain.out);
    assert!(!std::path::Path::new("-").exists());
}

#[test]
fn the_variable_columns_sets_the_width_in_a_pipe() {
    let run = || Run::line("simulate policies/coding_agent.trim policies/coding_agent.jsonl");
    let narrow = run().env("COLUMNS", "60").output().exits_with(0).out;
    assert_eq!(narrow, run().arg("--width").arg("60").output().out);
    assert_ne!(narrow, run().output().out);
    assert_eq!(
        run().env("COLUMNS", "60").arg("--width").arg("90").output().out,
        run().arg("--width").arg("90").output().out
    );
    assert_eq!(run().env("COLUMNS", "no number").output().out, run().output().out);
}

#[test]
fn a_shortened_list_ends_with_the_number_of_omitted_elements() {
    let text = "edition 2026\npolicy p { rule r { when context.messages > 3 do summarise all on_failure keep } }\n";
    let folder = folder(&[("p.trim", text)]);
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/policies/coding_agent.jsonl");
    let out = Run::new(["simulate", "p.trim", recording, "--summariser", "fail"])
        .current_dir(folder.path())
        .output()
        .exits_with(0)
        .out;
    assert_eq!(out.matches("the summary of `r` failed").count(), 3, "{out}");
    assert!(out.contains("more failed summaries."), "{out}");
}

#[test]
fn quoted_strings_are_shown_only_on_request() {
    let run = || Run::line("simulate policies/coding_agent.trim policies/coding_agent.jsonl --window 60k");
    let plain = run().arg("--format").arg("json").output().json()["transcripts"][0]["regret"].clone();
    let quote = &plain["quotes"][0];
    assert_eq!((&quote["rule"], &quote["chars"]), (&"mask_old_results".into(), &9.into()));
    assert!(quote.get("text").is_none() && quote["reduced"].as_u64() <= quote["call"].as_u64(), "{quote}");
    let shown = run().arg("--format").arg("json").arg("--quotes").output().json()["transcripts"][0]["regret"].clone();
    assert_eq!(shown["quotes"][0]["text"], "replay.rs");
    assert!(!run().output().out.contains("`replay.rs`") && run().arg("--quotes").output().out.contains("`replay.rs`"));
}

#[test]
fn reasoning_that_the_provider_refuses_is_reported() {
    let call = |at: usize| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"thinking","text":"{}","signature":"s"}},{{"type":"tool_call","id":"c{at}","name":"ls","arguments":{{}}}}]}}
{{"role":"tool","content":[{{"type":"tool_result","id":"c{at}","content":"{}"}}]}}
"#,
            "think ".repeat(20),
            "file ".repeat(50)
        )
    };
    let recording =
        "{\"trimtab\":1,\"model\":\"claude-fable-5-1\"}\n{\"role\":\"user\",\"content\":\"go\"}\n".to_owned();
    let recording = (0..4).fold(recording, |text, at| text + &call(at));
    let text = "edition 2026\npolicy p { rule r { do mask results keep 1 result } }\n";
    let folder = folder(&[("p.trim", text), ("r.jsonl", &recording)]);
    let run = |more: &str| Run::line(&format!("simulate p.trim r.jsonl {more}")).current_dir(folder.path()).output();
    let keep = run("--reasoning keep").out;
    assert!(keep.contains("reasoning lost") && keep.contains("refuses 2 calls"), "{keep}");
    let reasoning = run("--reasoning keep --format json").json()["transcripts"][0]["reasoning"].clone();
    assert_eq!((&reasoning["handling"], &reasoning["refused_calls"]), (&"keep".into(), &serde_json::json!([2, 3])));
    assert!(run("--verbose").out.contains("--reasoning drop"));
    assert!(run("--verbose --reasoning strip").out.contains("The host removes"));
    assert!(!run("--contexts - --reasoning strip").out.lines().last().unwrap_or_default().is_empty());
    let thoughts = |handling: &str| {
        run(&format!("--contexts - --reasoning {handling}"))
            .out
            .lines()
            .last()
            .map_or(0, |line| line.matches("thinking").count())
    };
    assert_eq!((thoughts("drop"), thoughts("strip")), (3, 1));
}
